"""Missions, measurements and whole histories for tests, each in a line."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

import msgspec

from jumar.core.events import (
    AnyEvent,
    Decided,
    Measured,
    Proposed,
    Record,
    Resumed,
    Sealed,
    Settled,
    Started,
    TrialOpened,
)
from jumar.core.mission import Mission, Style
from jumar.core.model import Change, Decision, Measurement, Proposal, Reason, TextFacts
from jumar.core.state import State, fold
from jumar.mission import load_style
from jumar.mission.nodes import Where

BASE = "0" * 40


@cache
def plain_style() -> Style:
    """The style that is shipped."""
    return load_style("plain", Where("tests")).style


def mission(**changes: Any) -> Mission:
    """A mission in the plain style: one file, one command, lower is better, no probe."""
    style = {name: changes.pop(name) for name in Style.__struct_fields__ if name in changes}
    given: dict[str, Any] = {
        "style": msgspec.structs.replace(plain_style(), **style),
        "file": ("a.txt",),
        "metric": "python measure.py",
        "direction": "lower",
        "probe": False,
    }
    return Mission(**(given | changes))


def score(value: float | None, **fields: Any) -> Measurement:
    """A measurement that passed with this score."""
    return Measurement(score=value, **fields)


def failure(reason: Reason = "crash", message: str = "It crashed.", words: str = "") -> Measurement:
    """An evaluation error."""
    return Measurement(passed=False, error=reason, message=message, words=words)


def change(number: int, **fields: Any) -> Change:
    """A sealed edit, unlike that of any other number."""
    given = {
        "commit": f"{number:040x}",
        "tree": f"{number + 2**64:040x}",
        "parent": BASE,
        "files": ("a.txt",),
        "added": 1,
        "removed": 1,
        "excerpt": f"-old {number}\n+new {number}\n",
    }
    return Change(**(given | fields))


def records(events: list[AnyEvent], start: float = 1000.0) -> list[Record]:
    """The events as a journal holds them, a second apart; the hashes are left out."""
    return [Record(seq, start + seq, "", event) for seq, event in enumerate(events)]


def started(base: str = BASE) -> Started:
    """The first event of a run."""
    return Started("parser-20260101-000000", base, "jumar/parser", "hash")


def resumed() -> Resumed:
    """Another process goes on."""
    return Resumed("hash")


def baseline(*values: float, noise: float | None = None, unit: str | None = None) -> list[AnyEvent]:
    """Trial 0, measured and accepted."""
    middle = sorted(values)[len(values) // 2] if values else None
    numbers = {} if noise is None else {"noise": noise}
    runs: list[AnyEvent] = [Measured(0, "score", "candidate", score(v, unit=unit)) for v in values]
    decision = Decision("KEEP", "baseline", "The baseline.", middle, numbers)
    return [TrialOpened(0, "baseline", BASE), *runs, Decided(0, decision), Settled(0)]


def trial(
    number: int,
    *measurements: Measurement,
    decision: Decision | None = None,
    parent: str = BASE,
    said: str = "",
    sealed: Change | None = None,
) -> list[AnyEvent]:
    """A change and its measurements; with a decision it is finished."""
    edit = sealed or change(number, parent=parent)
    done: list[AnyEvent] = [Decided(number, decision), Settled(number)] if decision else []
    return [
        TrialOpened(number, "change", parent),
        Proposed(number, Proposal(summary=said or f"idea {number}")),
        Sealed(number, edit),
        *(Measured(number, "score", "candidate", m) for m in measurements),
        *done,
    ]


def state_of(aim: Mission, *parts: list[AnyEvent], text: TextFacts | None = None) -> State:
    """The state of a run that these events follow the start of."""
    first = msgspec.structs.replace(started(), text=text)
    return fold(records([first, *(event for part in parts for event in part)]), aim)


def long_run(aim: Mission, trials: int, keep_every: int = 50) -> list[Record]:
    """A run of so many trials, every so many of them kept."""
    events: list[AnyEvent] = [started(), *baseline(1000.0, noise=0.0)]
    head, best, steps = BASE, 1000.0, count(1)
    for number in range(1, trials + 1):
        kept = number % keep_every == 0
        value = best - 0.01 if kept else best + 1.0
        verdict = (
            Decision("KEEP", "improved", "Better.", value)
            if kept
            else Decision("DISCARD", "regressed", "Worse.", value)
        )
        events += trial(number, score(value), decision=verdict, parent=head)
        if kept:
            head, best = f"{number:040x}", value
        next(steps)
    return records(events)
