"""What a view is given."""

from __future__ import annotations

import msgspec

from jumar.core.mission import Mission
from jumar.core.state import State


class Page(msgspec.Struct, frozen=True):
    """A run as a view sees it: the mission, the state, and what the report has to own up to.

    `integrity` is the level, "L0" or "L1"; `notes` are sentences about how the run was set up; `files` maps names to paths of the run.
    """

    mission: Mission
    state: State
    integrity: str = "L1"
    notes: tuple[str, ...] = ()
    files: dict[str, str] = {}
