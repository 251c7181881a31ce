"""Commands that drive a run from outside: ask, tell, stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from jumar.cli import place
from jumar.cli.options import Json, MissionFile, RunName, with_mission_options


@with_mission_options
def ask(mission: MissionFile = None, as_json: Json = False, flags: Any = None) -> int:
    """Open the next trial and print its brief; asking again prints the same. The first ask measures the baseline."""
    from jumar.cli.driving import ask_run

    repository = place.repository()
    return ask_run(place.mission_of(mission, flags, repository), repository, as_json=as_json)


def tell(
    hypothesis: Annotated[str, typer.Option("--hypothesis", help="What the edit should do, and why.")] = "",
    summary: Annotated[str, typer.Option("--summary", help="The edit in a line.")] = "",
    self_score: Annotated[float | None, typer.Option("--self-score", help="Your own score of it.")] = None,
    wait: Annotated[
        str | None, typer.Option("--wait", help="How long to wait for the measurement, such as 60s.")
    ] = None,
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """The edit in the worktree is done: measure it, and print the decision."""
    from jumar.cli.driving import tell_run

    said = {"hypothesis": hypothesis, "summary": summary, "self_score": self_score}
    return tell_run(run, said, wait, as_json=as_json)


def stop(
    now: Annotated[
        bool, typer.Option("--now", help="End what is running, too; the trial is tried again later.")
    ] = False,
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """End a run after its current trial."""
    from jumar.cli.driving import stop_run

    return stop_run(place.run_folder(run), now=now, as_json=as_json)


def steer(
    hint: Annotated[
        str, typer.Argument(help="What the maker should know; an empty text takes the last one back.")
    ],
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """Say something in every brief from the next one on."""
    from jumar.cli.steering import steer_run

    return steer_run(place.run_folder(run), hint, as_json=as_json)


def extend(
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="So many trials more.")
    ] = None,
    time: Annotated[str | None, typer.Option("--time", help="So much time more, such as 2h.")] = None,
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """Give a finished run more budget, and go on with it."""
    from jumar.cli.steering import extend_run

    return extend_run(place.run_folder(run), iterations, time, as_json=as_json)


def advance(run: Annotated[str, typer.Argument()]) -> int:
    """Carry a told trial to its end: what `tell --wait` leaves running."""
    from jumar.cli.driving import advance_run

    return advance_run(run)


COMMANDS: dict[str, Callable[..., int]] = {
    "ask": ask,
    "tell": tell,
    "stop": stop,
    "steer": steer,
    "extend": extend,
    "_advance": advance,
}
