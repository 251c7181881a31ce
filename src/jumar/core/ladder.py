"""Levels of escalation: how stuck the run is, as makers and views see it. A ladder asks for more; it never ends a run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One level: it is reached at a count of `at`, and said again every `every` beyond it.

    `same_error` so many identical errors in a row reach it too. `name` is its word in events and rows, `brief` what makers are told.
    """

    at: int
    name: str = ""
    brief: str = ""
    every: int = 0
    same_error: int = 0


Ladder = Sequence[int | Step]


def steps(ladder: Ladder) -> tuple[Step, ...]:
    """The ladder with every bare count as a step."""
    return tuple(step if isinstance(step, Step) else Step(step) for step in ladder)


def step_at(number: int, ladder: Ladder) -> Step:
    """The step of a level; one without words where there is none, as at level 0 or after the style was changed."""
    return steps(ladder)[number - 1] if 0 < number <= len(ladder) else Step(0)


def level(count: int, ladder: Ladder, same_error: int = 0) -> int:
    """The highest step that is reached, from 1; 0 is none."""
    reached = [
        n for n, step in enumerate(steps(ladder), 1) if count >= step.at or _repeated(step, same_error)
    ]
    return max(reached, default=0)


def entered(before: int, after: int, ladder: Ladder, same_error: int = 0) -> int:
    """The level to be told about as a count goes from `before` to `after`: a new one, or one that is due again; 0 is none."""
    if after <= before:
        return 0
    now = level(after, ladder)
    if now > level(before, ladder):
        return now
    if again := next((n for n, step in enumerate(steps(ladder), 1) if _just_repeated(step, same_error)), 0):
        return again
    step = step_at(now, ladder)
    return now if step.every and (after - step.at) % step.every == 0 else 0


def _repeated(step: Step, same_error: int) -> bool:
    return bool(step.same_error) and same_error >= step.same_error


def _just_repeated(step: Step, same_error: int) -> bool:
    return _repeated(step, same_error) and same_error % step.same_error == 0
