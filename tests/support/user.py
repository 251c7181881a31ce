"""A person at a terminal: a repository, programs to measure and to edit with, and the real command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

JUMAR = (sys.executable, "-m", "jumar")
# What an interpreter reads when it starts, so that a warm one would not notice.
START_UP = {"LANG", "LC_ALL", "LC_NUMERIC", "PYTHONIOENCODING", "PYTHONDONTWRITEBYTECODE"}
ESCAPES = re.compile(rb"\x1b|\x9b")


def strict(text: str) -> Any:
    """The value of a JSON text; NaN, infinities and keys that come twice are refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs), text
        return dict(pairs)

    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} in {text}")

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one line of stdout."""
        assert self.out.count("\n") == 1, self.out
        return strict(self.out)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every line of stdout; each has to be one JSON object."""
        assert self.out.endswith("\n"), self.out
        return [strict(line) for line in self.out.splitlines()]

    @property
    def trials(self) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == "trial"]

    @property
    def end(self) -> dict[str, Any]:
        last = self.events[-1]
        assert last["event"] == "end", last
        assert last["exit"] == self.code
        return last

    @property
    def baseline(self) -> dict[str, Any]:
        return next(event for event in self.events if event["event"] == "baseline")

    def column(self, name: str) -> list[Any]:
        return [trial[name] for trial in self.trials]


def cold(
    words: list[str], cwd: Path, env: dict[str, str], input: str | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A command from the very start of its interpreter."""
    return subprocess.run(
        [*JUMAR, *words],
        cwd=cwd,
        env=env,
        input=None if input is None else input.encode(),
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        check=False,
        timeout=100,
    )


class Warm:
    """The process that commands are forked from; see `warm.py`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("warm.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, words: list[str], cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
        assert self.server.stdin
        assert self.server.stdout
        out, err = self.folder / "out", self.folder / "err"
        request = {
            "args": words,
            "cwd": str(cwd),
            "env": env,
            "input": os.devnull,
            "out": str(out),
            "err": str(err),
        }
        self.server.stdin.write(json.dumps(request).encode() + b"\n")
        self.server.stdin.flush()
        code = int(self.server.stdout.readline())
        return subprocess.CompletedProcess(words, code, out.read_bytes(), err.read_bytes())

    def close(self) -> None:
        self.server.communicate()


@dataclass
class Project:
    """A user's repository, with `f.txt` as the file that is improved and sh programs beside it."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    warm: ClassVar[Warm]

    def git(self, *args: str, code: int | None = 0, cwd: Path | None = None, **env: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, env={**os.environ, **env}, capture_output=True, check=False
        )
        assert code is None or done.returncode == code, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, name: str, content: str | bytes) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def program(self, name: str, body: str) -> Path:
        file = self.write(name, f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
        return file

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def jumar(
        self,
        *args: str | Path,
        code: int | None = 0,
        cwd: Path | None = None,
        input: str | None = None,
        **env: str,
    ) -> Done:
        """Run a command to its end; its exit code has to be `code`. Nothing that controls a terminal may come out."""
        words, where, environment = list(map(str, args)), cwd or self.root, {**os.environ, **self.env, **env}
        if START_UP & env.keys() or input is not None:
            done = cold(words, where, environment, input)
        else:
            done = self.warm.run(words, where, environment)
        said = done.stderr.decode("utf-8", "replace")
        assert "Traceback (most recent call last)" not in said, said
        assert not ESCAPES.search(done.stderr), said
        assert code is None or done.returncode == code, (done.returncode, done.stdout, said)
        return Done(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), said)

    def start(self, *args: str | Path, **env: str) -> subprocess.Popen[bytes]:
        """Begin a command that somebody will end."""
        return subprocess.Popen(
            [*JUMAR, *map(str, args)],
            cwd=self.root,
            env={**os.environ, **self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *args: str | Path, code: int | None = 0, **more: Any) -> Done:
        """`jumar run --json` of the file f.txt, with the maker `./maker` and the evaluator `./eval`."""
        return self.jumar("run", *self.mission(*args), "--json", code=code, **more)

    def mission(self, *args: str | Path) -> list[str | Path]:
        """The usual flags; one that is given replaces the usual one."""
        usual = {
            "--file": "f.txt",
            "--metric": "./eval",
            "--maker": "command:./maker",
            "--direction": "lower",
            "--iterations": "5",
        }
        given = {str(arg) for arg in args}
        return [*(x for k, v in usual.items() if k not in given for x in (k, v)), *args]

    def outputs(self, *texts: str | bytes) -> None:
        """The evaluator prints the text whose number stands in f.txt, the maker counts up: one output a trial.

        The last text is printed when there is no file, as in the probe.
        """
        for number, text in enumerate(texts):
            self.write(f"out/{number}", text)
        self.program("eval", "cat out/$(cat f.txt 2>/dev/null || echo none)")
        self.program("maker", "echo $(($JUMAR_TRIAL)) > f.txt")
        self.write("f.txt", "0\n")
        self.commit("outputs")

    def counting(self, *scores: float) -> None:
        """As `outputs`, with `score: N` lines."""
        self.outputs(*(f"score: {score}\n" for score in scores))

    def folder(self, run: str | None = None) -> Path:
        """The folder of the only run, or of the named one."""
        runs = self.root / ".jumar/runs"
        if run is not None:
            return runs / run
        (only,) = runs.iterdir()
        return only

    def kept_file(self, branch: str, name: str = "f.txt") -> str:
        return self.git("show", f"{branch}:{name}")

    def fingerprint(self) -> dict[str, Any]:
        """Everything of the user's that has to stay as it is, in bytes and times."""
        found: dict[str, Any] = {}
        for folder, folders, files in os.walk(os.fsencode(self.root)):
            if folder == os.fsencode(self.root):
                folders[:] = [name for name in folders if name not in (b".git", b".jumar")]
            for name in [*files, *folders]:
                path = os.path.join(folder, name)  # noqa: PTH118 names that are no text
                info = os.lstat(path)
                data: bytes | None = None
                if os.path.islink(path):  # noqa: PTH114
                    data = os.readlink(path)  # noqa: PTH115
                elif os.path.isfile(path):  # noqa: PTH113
                    with open(path, "rb") as file:  # noqa: PTH123
                        data = file.read()
                found[os.fsdecode(path)] = (info.st_mode, info.st_mtime_ns, info.st_ino, info.st_size, data)
        git = self.root / ".git"
        found["index"] = (git / "index").read_bytes()
        found["index time"] = (git / "index").stat().st_mtime_ns
        found["HEAD"] = (git / "HEAD").read_bytes()
        found["config"] = (git / "config").read_bytes()
        logs = sorted(
            path for path in (git / "logs").rglob("*") if path.is_file() and "jumar" not in path.parts
        )
        found["reflog"] = [(str(path), path.read_bytes()) for path in logs]
        quiet = {"GIT_OPTIONAL_LOCKS": "0"}
        found["status"] = self.git(
            "status", "--porcelain=v2", "-z", "--branch", "--ignored", "--untracked-files=all", "--", ".", ":!.jumar", **quiet
        )  # fmt: skip
        found["short status"] = self.git("status", "--porcelain", **quiet)
        found["stash"] = self.git("stash", "list")
        found["branches"] = [
            line
            for line in self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
            if not line.startswith(("refs/heads/jumar/", "refs/jumar/"))
        ]
        return found


def wait_for(condition: Any, patience: float = 20.0) -> None:
    """Until something that another process does has happened."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def finish(process: subprocess.Popen[bytes], sign: signal.Signals | None = None) -> Done:
    """Send a signal, where one is given, and wait for the end."""
    if sign is not None:
        process.send_signal(sign)
    out, err = process.communicate(timeout=60)
    said = err.decode("utf-8", "replace")
    assert "Traceback (most recent call last)" not in said, said
    return Done(process.returncode, out.decode(), said)


@pytest.fixture(autouse=True, scope="session")
def warm(bare_environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One warm interpreter for all tests of a worker."""
    if hasattr(Project, "warm"):  # two folders of tests share it
        yield
        return
    Project.warm = Warm(tmp_path_factory.mktemp("warm"))
    yield
    Project.warm.close()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with a counter that a maker lowers by one each time."""
    made = Project(tmp_path / "project")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    made.write("f.txt", "10\n")
    made.program("eval", 'echo "score: $(cat f.txt)"')
    made.program("maker", "v=$(cat f.txt); echo $((v - 1)) > f.txt")
    made.commit("start")
    return made
