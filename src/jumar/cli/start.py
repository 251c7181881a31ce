"""Commands that start something: demo, init, check, run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from jumar.cli import place
from jumar.cli.options import Json, MissionFile, with_mission_options


@with_mission_options
def run(
    mission: MissionFile = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start another run, also when one is unfinished.")
    ] = False,
    worktree: Annotated[
        Path | None, typer.Option("--worktree", help="Where the run's trees go, outside every repository.")
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Go on over a refusal that a person may override; recorded.")
    ] = False,
    views_in_place: Annotated[
        bool,
        typer.Option("--views-in-place", help="Write the style's own files where its document has them."),
    ] = False,
    as_json: Json = False,
    flags: Any = None,
) -> int:
    """Measure the baseline, then improve until the budget is used. The same command again resumes an unfinished run."""
    from jumar.cli.running import run_mission
    from jumar.compose import Opening

    repository = place.repository()
    found = place.mission_of(mission, flags, repository)
    allowed = ("`--anyway` was given.",) if anyway else ()
    opening = Opening(fresh=fresh, place=worktree, allowed=allowed, views_in_place=views_in_place)
    return run_mission(found, repository, as_json=as_json, opening=opening)


@with_mission_options
def check(mission: MissionFile = None, as_json: Json = False, flags: Any = None) -> int:
    """Everything before money is spent: the mission, git, one evaluation of the base, the text of the score, the noise."""
    from jumar.cli.checking import check_mission

    repository = place.repository()
    return check_mission(place.mission_of(mission, flags, repository), repository, as_json=as_json)


@with_mission_options
def init(
    to: Annotated[Path, typer.Option("--to", help="The file to write.")] = Path("mission.md"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Json = False,
    flags: Any = None,
) -> int:
    """Write a mission file. On a terminal it asks for what no flag gives."""
    from jumar.cli.initial import write_mission

    return write_mission(to, flags, force=force, as_json=as_json)


def demo(
    name: Annotated[str, typer.Argument(help="Which one; see --list.")] = "compress",
    listed: Annotated[bool, typer.Option("--list", help="Name the demos and leave.")] = False,
    to: Annotated[
        Path | None, typer.Option("--to", help="The new folder; jumar-demo-NAME by default.")
    ] = None,
    iterations: Annotated[str | None, typer.Option("--iterations", help="Another number of trials.")] = None,
    as_json: Json = False,
) -> int:
    """Copy a bundled example into a new folder, run the loop on it, and say where things are."""
    from jumar.cli.demonstration import list_demos, run_demo

    if listed:
        return list_demos(as_json=as_json)
    flags = {"iterations": iterations} if iterations is not None else {}
    return run_demo(name, to or Path(f"jumar-demo-{name}"), flags, as_json=as_json)


COMMANDS: dict[str, Callable[..., int]] = {"demo": demo, "init": init, "check": check, "run": run}
