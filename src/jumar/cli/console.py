"""Talk on stderr, data on stdout."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from jumar.core.text import all_printable, printable
from jumar.errors import JumarError


def colour() -> bool:
    """Whether stderr is a terminal that takes colour."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, code: str) -> str:
    """Text in a colour, where colour is wanted: "32" is green, "31" red, "2" faint, "1" bold."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour() else text


def say(text: str) -> None:
    """A line for people."""
    print(text, file=sys.stderr, flush=True)


def give(text: str) -> None:
    """Data, as text."""
    print(printable(text), flush=True)


def give_json(value: Any) -> None:
    """Data, as one line of strict JSON in UTF-8, whatever the terminal's own encoding is."""
    line = json.dumps(all_printable(value), ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


def show_error(error: JumarError, *, as_json: bool) -> None:
    """The sentence and the hint on stderr; with --json also an object on stdout."""
    say(f"{paint('error:', '31')} {error.message}")
    if error.hint:
        say(f"{paint('hint:', '36')} {error.hint}")
    if as_json:
        give_json({"event": "error", "kind": error.kind, "message": error.message, "hint": error.hint})


def confirm(question: str, *, yes: bool) -> bool:
    """Ask on a terminal; without one the answer is no, and `--yes` answers for the person."""
    if yes:
        return True
    if not sys.stdin.isatty():
        return False
    say(f"{question} [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
