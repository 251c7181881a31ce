"""Leaves the papers of a trial for people, where the maker itself needs none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jumar.core.model import Brief, Proposal
from jumar.core.ports import Maker
from jumar.makers.papers import Papers


class Briefed:
    """A maker that works within this process, with its brief written down beside its trial."""

    def __init__(self, maker: Maker, run: Path, scrub: Callable[[str], str]) -> None:
        self.maker = maker
        self.run = run
        self.scrub = scrub

    def propose(self, brief: Brief, tree: Path) -> Proposal:
        """What the maker proposes."""
        Papers(self.run / "trials" / f"{brief.trial:04d}").lay_out(brief, self.scrub)
        return self.maker.propose(brief, tree)
