"""Bundled examples: plain files that are copied into a new folder and run there.

`compress` has an exact measure, `digits` a noisy one. The one-line description of each is the `goal` of its `mission.md`.
"""

from __future__ import annotations

from importlib.resources import files as resources


def names() -> tuple[str, ...]:
    """The names of the demos, sorted."""
    return tuple(sorted(item.name for item in resources(__name__).iterdir() if (item / "mission.md").is_file()))


def files(name: str) -> dict[str, bytes]:
    """The files of one demo, by name; a demo has no subfolders. Raises KeyError for a name that `names` does not give."""
    if name not in names():
        raise KeyError(name)
    # Installers leave compiled files in a folder beside the sources.
    return {item.name: item.read_bytes() for item in (resources(__name__) / name).iterdir() if item.is_file()}
