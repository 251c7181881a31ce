"""What a run has at hand, and the makers that are fitted to it: one row a maker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jumar.core.mission import Mission
from jumar.core.ports import Maker
from jumar.errors import RefusedError
from jumar.makers.briefed import Briefed
from jumar.makers.command import CommandMaker
from jumar.makers.tune import Tune
from jumar.process import Command, Limits, Supervisor, child_environment
from jumar.runs import RunFolder
from jumar.workspace import Repository


@dataclass(kw_only=True)
class Means:
    """What the parts of a run share. `scrub` takes secrets out of text; `environment` is the user's own."""

    folder: RunFolder
    mission: Mission
    repository: Repository
    supervisor: Supervisor
    scrub: Callable[[str], str]
    environment: Mapping[str, str]


def command(argument: str, means: Means) -> Maker:
    """`command:CMD`: any program."""
    return CommandMaker(
        argument,
        means.supervisor,
        means.folder.path,
        start=means.repository.root / means.mission.folder,
        environment=means.environment,
        scrub=means.scrub,
        timeout=means.mission.maker_timeout,
    )


def tune(argument: str, means: Means) -> Maker:
    """`tune`: the constants of the targets."""
    return Briefed(Tune(), means.folder.path, means.scrub)


MAKERS: dict[str, Callable[[str, Means], Maker]] = {"command": command, "tune": tune}


def fit_maker(name: str, means: Means) -> Maker:
    """The maker of this name, `kind` or `kind:argument`."""
    kind, _, argument = name.partition(":")
    if kind not in MAKERS:
        raise RefusedError(f"There is no maker called `{name}`.", hint=f"There are: {', '.join(MAKERS)}.")
    return MAKERS[kind](argument, means)


def set_up(means: Means) -> Callable[[Path], None]:
    """The mission's set-up command, for each new tree."""
    line = means.mission.setup
    assert line is not None

    def run(tree: Path) -> None:
        cwd = tree / means.mission.folder
        limits = Limits(timeout=means.mission.maker_timeout)
        end = means.supervisor.run(Command(line, cwd, child_environment(means.environment)), limits)
        if end.code != 0:
            raise RefusedError(
                f"The set-up command `{line}` failed ({end.ended}, exit code {end.code}): {end.tail.strip()}",
                hint="Mend `setup`, or bring the files in with `carry`.",
            )

    return run
