"""Bundled examples: plain files that are copied into a new folder and run there.

`compress` has an exact measure, `digits` a noisy one. The `goal` in each `mission.md` says it in a line.
"""

from __future__ import annotations

from importlib.resources import files as resources


def names() -> tuple[str, ...]:
    """The names of the demos, sorted."""
    folders = resources(__name__).iterdir()
    return tuple(sorted(folder.name for folder in folders if (folder / "mission.md").is_file()))


def files(name: str) -> dict[str, bytes]:
    """The files of one demo, by name; there are no subfolders. Raises KeyError for another name."""
    if name not in names():
        raise KeyError(name)
    # Installers leave compiled files in a folder beside the sources.
    found = (resources(__name__) / name).iterdir()
    return {file.name: file.read_bytes() for file in found if file.is_file()}
