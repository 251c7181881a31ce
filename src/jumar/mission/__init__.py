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
scaffold      a fresh mission file                                      scaffold()
identity      plain data and hashes                                     resolved(), mission_hash(), identity()
"""

from __future__ import annotations

from jumar.mission.discover import find_mission
from jumar.mission.identity import identity, mission_hash, resolved
from jumar.mission.keys import Option, options
from jumar.mission.load import load_mission
from jumar.mission.problems import MissionProblems, Problem
from jumar.mission.scaffold import scaffold
from jumar.mission.styles import load_style

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
