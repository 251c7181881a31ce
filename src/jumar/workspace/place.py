"""Where the trees of a run go: outside every repository, so that no tool in them finds the user's by walking up."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jumar.errors import RefusedError

SHARED = "/var/tmp"  # noqa: S108 a folder of this user alone is made in it


def find_place(common_dir: Path, run: str, wanted: Path | None) -> Path:
    """The folder for a run's trees, not made yet. Raises RefusedError when every candidate lies in a repository."""
    if wanted is not None:
        if around := repository_around(wanted):
            raise RefusedError(
                f"{wanted} lies in the git repository {around}, where the trees of a run would see its files.",
                hint="Name a folder outside every repository with `--worktree`.",
            )
        return wanted
    key = hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:12]
    for candidate in _candidates():
        if repository_around(candidate) is None and usable(candidate):
            return candidate / "trees" / key / run
    raise RefusedError(
        "Every usual place for the trees of a run lies in a git repository or cannot be written.",
        hint="Name a folder outside every repository with `--worktree`.",
    )


def _candidates() -> Iterator[Path]:
    state = os.environ.get("XDG_STATE_HOME")
    # The XDG specification has relative paths ignored.
    yield (Path(state) if state and os.path.isabs(state) else Path.home() / ".local/state") / "jumar"
    yield Path(SHARED) / f"jumar-{os.getuid()}"
    yield Path(tempfile.gettempdir()) / f"jumar-{os.getuid()}"


def usable(folder: Path) -> bool:
    """Whether this user can have a folder there: a home may be read-only, or not be there at all."""
    try:
        make_private(folder)
    except (OSError, RefusedError):
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def repository_around(folder: Path) -> Path | None:
    """The repository that git would find by walking up from a folder, which need not exist."""
    real = Path(os.path.realpath(folder))
    for place in (real, *real.parents):
        if (place / ".git").exists() or ((place / "HEAD").exists() and (place / "objects").is_dir()):
            return place
    return None


def make_private(folder: Path) -> None:
    """Make a folder that only this user can enter; refuse one that belongs to someone else."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.getuid():
        raise RefusedError(
            f"{folder} belongs to another user.", hint="Name another folder with `--worktree`."
        )
