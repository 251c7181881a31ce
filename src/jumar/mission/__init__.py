"""The mission: what a run is asked to do, from a file, a style and flags.

keys          the table: one row a key, for files and flags alike       options()
values        readers of durations, sizes, counts, choices …
frontmatter   a mission file as nodes with their lines
styles        styles by name                                            load_style()
settings      all keys as given, in layers
placeholders  text that was meant to be replaced
paths         what `file`, `protect` and `carry` name on disk
checks        contradictions, and what follows from them
load          all of the above                                          load_mission()
discover      the mission of a folder                                   find_mission()
template      a fresh mission file                                      scaffold()
hashes        plain data and hashes                                     resolved(), mission_hash(), identity()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jumar.mission.discover import find_mission
    from jumar.mission.hashes import identity, mission_hash, resolved
    from jumar.mission.keys import Option, options
    from jumar.mission.load import load_mission
    from jumar.mission.problems import MissionProblems, Problem
    from jumar.mission.styles import load_style
    from jumar.mission.template import scaffold

# Imported when first asked for: a command's `--help` needs the table of keys, and nothing that reads YAML.
HOMES = {
    "MissionProblems": "problems",
    "Option": "keys",
    "Problem": "problems",
    "find_mission": "discover",
    "identity": "hashes",
    "load_mission": "load",
    "load_style": "styles",
    "mission_hash": "hashes",
    "options": "keys",
    "resolved": "hashes",
    "scaffold": "template",
}

__all__ = [
    "MissionProblems",
    "Option",
    "Problem",
    "find_mission",
    "identity",
    "load_mission",
    "load_style",
    "mission_hash",
    "options",
    "resolved",
    "scaffold",
]


def __getattr__(name: str) -> object:
    """Import a public name on its first use."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    globals()[name] = value
    return value
