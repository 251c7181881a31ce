"""Commands that look at a run: status, log, show, diff, doctor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from jumar.cli import place
from jumar.cli.options import Json, RunName

Number = Annotated[int | None, typer.Argument(help="A trial's number.")]


def status(run: RunName = None, as_json: Json = False) -> int:
    """Where a run stands."""
    from jumar.cli.looking import show_status

    return show_status(place.run_folder(run), as_json=as_json)


def log(
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only the newest N trials.")] = None,
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """Every trial of a run, the baseline first."""
    from jumar.cli.looking import show_log

    return show_log(place.run_folder(run), last, as_json=as_json)


def show(
    trial: Annotated[int, typer.Argument(help="A trial's number.")],
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """One trial, whole: brief, proposal, measurements, decision, patch, logs."""
    from jumar.cli.looking import show_trial

    return show_trial(place.run_folder(run), trial, as_json=as_json)


def diff(trial: Number = None, run: RunName = None) -> int:
    """The patch of a trial; without a number, everything that was kept."""
    from jumar.cli.looking import show_diff

    return show_diff(place.run_folder(run), trial)


def doctor(as_json: Json = False) -> int:
    """What this machine has: Python, git, limits, sandbox, places for trees. Measured, not guessed."""
    from jumar.cli.examination import examine

    return examine(as_json=as_json)


COMMANDS: dict[str, Callable[..., int]] = {
    "status": status,
    "log": log,
    "show": show,
    "diff": diff,
    "doctor": doctor,
}
