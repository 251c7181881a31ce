"""The finished trials of a run, as a value that grows at constant cost."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import overload

from jumar.core.model import Trial

Key = tuple[str, str]


class History(Sequence[Trial]):
    """An immutable sequence of trials. `added` shares the storage, so that ten thousand trials cost ten thousand steps.

    Each instance sees its own length of a shared list; adding to an instance that is not the newest copies.
    """

    __slots__ = ("_items", "_judged", "_length")

    def __init__(self, items: Sequence[Trial] = ()) -> None:
        self._items: list[Trial] = []
        self._judged: dict[Key, int] = {}
        self._length = 0
        for item in items:
            self._push(item)

    def _push(self, trial: Trial) -> None:
        if (key := judged_as(trial)) is not None:
            self._judged.setdefault(key, len(self._items))
        self._items.append(trial)
        self._length = len(self._items)

    def added(self, trial: Trial) -> History:
        """This history and one more trial."""
        if self._length != len(self._items):
            return History(self).added(trial)
        grown = copy(self)
        grown._push(trial)  # noqa: SLF001 its own class
        return grown

    def judged(self, parent: str, tree: str) -> Trial | None:
        """The first trial that judged this tree on top of this parent, if there is one."""
        index = self._judged.get((parent, tree))
        return self._items[index] if index is not None and index < self._length else None

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Trial: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Trial]: ...
    def __getitem__(self, index: int | slice) -> Trial | Sequence[Trial]:
        if isinstance(index, slice):
            return [self._items[i] for i in range(*index.indices(self._length))]
        return self._items[range(self._length)[index]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal by content, and content is large


TRANSIENT = frozenset({"environment", "interrupted"})


def judged_as(trial: Trial) -> Key | None:
    """What makes a second try a repeat: the same tree on the same parent, once it was really judged.

    A trial that failed for reasons outside the tree was not judged; a repeat itself adds nothing.
    """
    decision = trial.decision
    if (
        trial.change is None
        or decision is None
        or decision.reason in TRANSIENT
        or trial.repeat_of is not None
    ):
        return None
    return trial.change.parent, trial.change.tree
