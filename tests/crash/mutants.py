"""Mistakes in the order of things, one each. The sweep is worth something only if it catches them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from jumar.core.events import Decided, Settled
from jumar.journal import Journal
from jumar.session import Session
from jumar.workspace import GitWorkspace


def ref_before_decide() -> None:
    """The branch moves before the decision is on record."""
    log = Session.log

    def mistaken(session: Session, event: Any) -> None:
        if isinstance(event, Decided) and event.decision.verdict == "KEEP":
            trial = session.state.open[event.trial]
            workspace: Any = session.workspace
            if trial.change:
                workspace._swap(trial.parent, trial.change.commit)
        log(session, event)

    Session.log = mistaken  # type: ignore[method-assign]


def settled_before_swap() -> None:
    """The trial is said to be settled, and then the branch moves."""
    settle, log = GitWorkspace.settle, Session.log
    waiting: list[Any] = []

    def postpone(workspace: GitWorkspace, trial: Any) -> None:
        waiting.append((workspace, trial))

    def mistaken(session: Session, event: Any) -> None:
        log(session, event)
        if isinstance(event, Settled):
            settle(*waiting.pop())

    GitWorkspace.settle = postpone  # type: ignore[method-assign]
    Session.log = mistaken  # type: ignore[method-assign]


def no_reset_when_settled() -> None:
    """A discarded edit stays in the tree."""
    settle = GitWorkspace.settle

    def mistaken(workspace: GitWorkspace, trial: Any) -> None:
        match, workspace.maker_tree.match = workspace.maker_tree.match, lambda want: None  # type: ignore[method-assign,assign,return-value]
        settle(workspace, trial)
        workspace.maker_tree.match = match  # type: ignore[method-assign]

    GitWorkspace.settle = mistaken  # type: ignore[method-assign]


def no_reset_when_resumed() -> None:
    """What a killed maker left in the tree stays there when the maker is asked again."""

    def mistaken(workspace: GitWorkspace, trial: Any) -> None:
        workspace._clean = False

    GitWorkspace.checkout = mistaken  # type: ignore[method-assign]


def no_tail_truncation() -> None:
    """The next line is written behind a torn one."""

    def mistaken(journal: Journal) -> bytes:
        os.lseek(journal._file, 0, os.SEEK_END)
        return b""

    Journal._cut = mistaken  # type: ignore[method-assign]


MUTANTS: dict[str, Callable[[], None]] = {
    change.__name__: change
    for change in (
        ref_before_decide,
        settled_before_swap,
        no_reset_when_settled,
        no_reset_when_resumed,
        no_tail_truncation,
    )
}
