"""Finding the mission that belongs to where one stands."""

from __future__ import annotations

from pathlib import Path

NAME = "mission.md"


def find_mission(start: Path, root: Path) -> Path | None:
    """`mission.md` in the folder jumar was started in, else at the repository's root, else None."""
    return next((folder / NAME for folder in (start, root) if (folder / NAME).is_file()), None)
