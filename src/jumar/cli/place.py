"""Where the user stands: the repository, the mission, the run they mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jumar.errors import MissionError

if TYPE_CHECKING:
    from jumar.core.mission import Mission
    from jumar.runs import RunFolder
    from jumar.workspace import Repository


def repository() -> Repository:
    """The repository around the current folder."""
    from jumar.workspace import find_repository

    return find_repository(Path.cwd())


def root() -> Path:
    """The root of the checkout around the current folder."""
    return repository().root


def run_folder(name: str | None) -> RunFolder:
    """The run that is meant."""
    from jumar.runs import find_run

    return find_run(root(), name)


def mission_of(path: Path | None, flags: dict[str, Any], repo: Repository) -> Mission:
    """The mission of a file, or of the one that lies here, with the flags over it. Flags alone will do."""
    from jumar.mission import find_mission, load_mission

    here = Path.cwd()
    path = argument(path, flags)
    file = path or find_mission(here, repo.root)
    if file is None and not flags.keys() & {"file", "metric", "direction", "style"}:
        raise MissionError(
            f"There is no mission.md in {here}" + (f" or {repo.root}." if here != repo.root else "."),
            hint="Write one with `jumar init`, or give --file, --metric and --direction. `jumar demo` needs neither.",
        )
    return load_mission(file, flags, start=here, root=repo.root)


def argument(path: Path | None, flags: dict[str, Any]) -> Path | None:
    """The first argument as a mission file; None where the style takes it for one of its keys, which then is in the flags."""
    if path is None or path.exists() or "style" not in flags:
        return path
    from jumar.mission import load_style
    from jumar.mission.nodes import Where

    key = load_style(str(flags["style"]), Where("--style")).style.argument
    if not key or path.suffix == ".md":
        return path
    flags.setdefault(key, str(path))
    return None
