"""What the tuner works on."""

from __future__ import annotations

import msgspec

from jumar.makers.tune.literals import Value


class Constant(msgspec.Struct, frozen=True):
    """A literal in a file, and where it may go.

    `start` and `end` are offsets in characters of the text (a byte order mark counts as one), `line` counts from 1. `key` names it
    through edits of other lines. Either `choices` is set, or `low` and `high`, both of which may be reached; `log` is the scale.
    """

    path: str
    line: int
    start: int
    end: int
    name: str
    key: str
    literal: str
    value: Value
    low: int | float | None = None
    high: int | float | None = None
    log: bool = False
    choices: tuple[Value, ...] = ()
    marked: bool = False
