"""What a view is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import msgspec

from jumar.core.mission import Mission
from jumar.core.state import State

# After the first hundred trials a view is made anew less and less often, so that a trial costs the same throughout a run.
OFTEN = 100


class Page(msgspec.Struct, frozen=True):
    """A run as a view sees it: the mission, the state, and what the report has to own up to.

    `integrity` is the level, "L0" or "L1"; `notes` are sentences about how the run was set up; `files` maps names to paths of the run.
    `names` are the words that a view's path may hold: see `jumar.keeping.names`.
    """

    mission: Mission
    state: State
    integrity: str = "L1"
    notes: tuple[str, ...] = ()
    files: dict[str, str] = {}
    names: dict[str, str] = {}


Content = bytes | Mapping[str, bytes] | None


class View(msgspec.Struct, frozen=True):
    """A file, or a folder of files, that shows a run.

    `path` is relative to the run's folder, with names of the page in braces. `render` gives the file's bytes, a mapping of paths below `path` to bytes,
    or None where there is nothing to show yet. `due` says when: at the end only, or after each trial as well.
    """

    path: str
    render: Callable[[Page], Content]
    due: Literal["end", "trial"] = "end"

    def files(self, page: Page) -> Iterator[tuple[str, bytes]]:
        """Each path, relative to the run's folder, and its bytes."""
        path = self.path.format_map(page.names)
        match self.render(page):
            case None:
                return
            case bytes(content):
                yield path, content
            case contents:
                yield from ((f"{path}/{name}", content) for name, content in contents.items())


def due_after(trials: int) -> bool:
    """Whether views are made anew after so many trials: after each of the first, later after about one in a hundred of those so far."""
    return trials % max(1, trials // OFTEN) == 0
