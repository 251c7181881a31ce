"""What is wrong with a mission: every problem at once, each with its place and its cure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from jumar.errors import MissionError
from jumar.mission.nodes import Node, Where, describe


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend: where it stands, which key it is about ("" for the file as a whole), and what helps."""

    where: Where
    key: str
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class MissionProblems(MissionError):
    """A mission that cannot be used. The message and the hint have a line for each of the `problems`."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        alone = len(self.problems) == 1
        hints = (problem.hint if alone else f"{problem.where}: {problem.hint}" for problem in self.problems)
        super().__init__("\n".join(map(str, self.problems)), hint="\n".join(dict.fromkeys(hints)))


class WrongError(Exception):
    """A value that its key cannot take. Caught by the loader, which knows the key."""

    def __init__(self, node: Node, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.node = node
        self.expected = expected
        self.hint = hint

    def problem(self, key: str) -> Problem:
        """The problem, in words."""
        message = f"`{key}` is {describe(self.node)}; expected {self.expected}."
        return Problem(self.node.where, key, message, self.hint or f"Give `{key}` {self.expected}.")


class LaterError(WrongError):
    """A value that a later version can take."""

    def problem(self, key: str) -> Problem:
        message = f"`{key}: {describe(self.node).strip('`')}` asks for something that this version of jumar does not have yet."
        return Problem(
            self.node.where, key, message, self.hint or f"Remove the key `{key}`, or give it {self.expected}."
        )


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that was probably meant."""
    by_lower = {candidate.lower(): candidate for candidate in words}
    found = get_close_matches(word.lower().replace("-", "_"), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None
