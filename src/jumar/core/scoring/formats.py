"""What a mission says about its evaluator's output, and the shape of whatever reads it."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from jumar.core.model import Measurement, Reason

Parser = Literal["named", "pattern", "last_json_line", "whole_json", "last_number", "single", "lines", "file"]


class Format(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a score is read.

    `name` belongs to `named` and `lines`, `pattern` (a regular expression with one group) to `pattern`. `unit` is the
    declared unit: it stands where none is printed, and another one printed is an error. `score_required`
    says whether a JSON result that passes must also carry a score.
    """

    parser: Parser = "single"
    name: str | None = None
    pattern: str | None = None
    unit: str | None = None
    score_required: bool = True


class Reader(Protocol):
    """Reads one evaluation's stdout as it comes; what it keeps is bounded however much is printed."""

    def feed(self, line: str) -> None:
        """Take the next line, without its end and without control codes."""

    def result(self) -> Measurement:
        """The measurement of all lines so far. Bad output is a measurement with an `error`, never a raise."""


def failed(reason: Reason, message: str) -> Measurement:
    """An evaluation error: no score, no pass."""
    return Measurement(passed=False, error=reason, message=message)


def quote(text: str, limit: int = 60) -> str:
    """`text` on one line for a message, between backticks, its middle left out beyond `limit` characters."""
    if len(text) > limit:
        text = f"{text[: limit - 20]}…{text[-19:]}"
    return f"`{' '.join(text.split())}`"
