"""Starts commands from an interpreter that has read its modules: each is a process of its own, and spares the imports.

A request is one JSON line on stdin with `args`, `cwd`, `env`, and the files `input`, `out` and `err`; the answer is the exit code.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from typing import Any, NoReturn

from jumar.cli import app, checking, demonstration, driving, examination, finishing, initial, looking, running

MODULES = (app, checking, demonstration, driving, examination, finishing, initial, looking, running)


def serve() -> None:
    # What was imported stays out of the collector's way, and out of the children's copies.
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            become(request)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def become(request: dict[str, Any]) -> NoReturn:
    """The command, from its folder, environment and files to its exit code."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, name, flags in ((0, "input", os.O_RDONLY), (1, "out", write), (2, "err", write)):
        file = os.open(request[name], flags, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.argv = ["jumar", *request["args"]]
    code: object = 1
    try:
        app.main()
    except SystemExit as leave:
        code = leave.code
    except Exception:  # noqa: BLE001 the edge of the process
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve()
