"""What the maker says of an edit: hypothesis, summary, expectation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from jumar.core.model import Brief, Proposal
from jumar.makers.tune.files import Source
from jumar.makers.tune.literals import Value, write
from jumar.makers.tune.markers import SYNTAX
from jumar.makers.tune.memory import Edit, Lesson, Memory
from jumar.makers.tune.model import Constant

SHOWN = 5


def describe(brief: Brief, memory: Memory, values: Mapping[Constant, Value], edit: Edit) -> Proposal:
    """The proposal for an edit that is in the tree."""
    reasons = [
        reason(constant, value, memory.lessons.get(constant.key)) for constant, value in values.items()
    ]
    together = (
        " They are moved together, as their best values may depend on each other." if len(values) > 1 else ""
    )
    names = " and ".join(constant.name for constant in values)
    doubt = "were not at their best values" if len(values) > 1 else "was not at its best value"
    return Proposal(
        hypothesis=" ".join(reasons) + together,
        summary=", ".join(map(moved, values, values.values())),
        expected=f"A {brief.direction} score, if {names} {doubt}.",
        edit_type="constant",
        targets=tuple(dict.fromkeys(constant.path for constant in values)),
        data={"tune": msgspec.to_builtins(edit)},
    )


def moved(constant: Constant, value: Value) -> str:
    """`lr: 0.1 → 0.03 in train.py:12`."""
    return f"{constant.name}: {constant.literal} → {write(constant.literal, value)} in {constant.path}:{constant.line}"


def reason(constant: Constant, value: Value, lesson: Lesson | None) -> str:
    """What is tried and why, in one or two sentences."""
    new = write(constant.literal, value)
    start = f"{constant.name} ({constant.path}:{constant.line}) is {constant.literal}; this tries {new}, {reach(constant)}."
    if lesson is None or not lesson.count:
        return f"{start} It was not tried before."
    times = "once" if lesson.count == 1 else f"{lesson.count} times"
    paid = f"{lesson.wins} of them kept" if lesson.wins else "never kept"
    ties = ", and it never changed the score" if lesson.ties == lesson.count else ""
    return f"{start} It was moved {times} before, {paid}{ties}{trend(constant, lesson)}."


def reach(constant: Constant) -> str:
    """The range or the choices, and who gave them."""
    giver = "as its marker says" if constant.marked else "a guess from its value and name"
    if constant.choices:
        return f"one of {len(constant.choices)} choices ({giver})"
    scale = " on a logarithmic scale" if constant.log else ""
    return f"within {constant.low} to {constant.high}{scale} ({giver})"


def trend(constant: Constant, lesson: Lesson) -> str:
    """Which value did best so far."""
    scored = [tried for tried in lesson.tries if tried.gain is not None]
    if not scored or isinstance(constant.value, bool):
        return ""
    best = max(scored, key=lambda tried: tried.gain or 0.0)
    return f"; {best.value} did best so far"


def nothing_found(brief: Brief, sources: Sequence[Source]) -> str:
    """Why there is nothing to tune, and how to change that."""
    names = [source.path for source in sources]
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    where = (
        f"in {shown}"
        if names
        else f"because no text file matches {', '.join(brief.targets) or 'the targets'}"
    )
    comment = comment_for(names[0]) if names else SYNTAX
    return (
        f"No constant to tune was found {where}. "
        f"Mark a line to have its literal tuned, for example: {comment}"
    )


def comment_for(path: str) -> str:
    """The marker in the comment of a file's kind, then all its forms."""
    opening = {".css": "/* jumar: 4..24 */", ".md": "<!-- jumar: 5..20 -->", ".html": "<!-- jumar: 5..20 -->"}
    first = opening.get(PurePosixPath(path).suffix)
    return f"{first}   {SYNTAX}" if first else SYNTAX


def used_up(constants: Sequence[Constant]) -> str:
    """That every value was tried."""
    names = ", ".join(constant.name for constant in constants[:SHOWN]) + (
        "…" if len(constants) > SHOWN else ""
    )
    return f"Every value of the constants ({names}) was tried against this content of the files. Wider ranges need markers: {SYNTAX}"
