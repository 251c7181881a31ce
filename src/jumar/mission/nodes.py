"""What was written, before it means anything: text, lists and tables, each with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place that a user can go to: a line of a file, or a flag."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar, as its letters. `quoted` tells `""` from nothing at all."""

    text: str
    where: Where
    quoted: bool = False

    @property
    def empty(self) -> bool:
        """Whether the key was left without a value."""
        return not self.quoted and self.text.lower() in ("", "~", "null")


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    where: Where


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping; the first of two equal keys counts."""

    entries: dict[str, Node]
    where: Where


Node = Text | Items | Table


def describe(node: Node) -> str:
    """What was seen, for a message, on one line."""
    match node:
        case Text(text):
            return quote(text) if text.strip() else "empty"
        case Items(items):
            return f"a list of {len(items)}" if items else "an empty list"
        case Table(entries):
            return (
                f"a mapping with {', '.join(map(quote, list(entries)[:4]))}"
                if entries
                else "an empty mapping"
            )


def quote(text: str, limit: int = 60) -> str:
    """`text` on one line between backticks, cut where it is long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= limit else line[: limit - 1] + '…'}`"


def from_flag(flag: str, value: object) -> Node:
    """The node of a flag's value: a text, a yes or no, a number, a list or a mapping of them."""
    where = Where(flag)
    if isinstance(value, Mapping):
        return Table({str(key): from_flag(flag, item) for key, item in value.items()}, where)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return Items(tuple(from_flag(flag, item) for item in value), where)
    return Text(str(value).lower() if isinstance(value, bool) else str(value), where, quoted=True)


def scalars(node: Node) -> Iterator[Text]:
    """Every text within a node, in order."""
    match node:
        case Text():
            yield node
        case Items(items):
            for item in items:
                yield from scalars(item)
        case Table(entries):
            for item in entries.values():
                yield from scalars(item)
