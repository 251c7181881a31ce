"""All keys of a mission as they were given: the file, the flags over it, the style's own defaults beneath."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from jumar.mission.keys import KEYS, Key
from jumar.mission.nodes import Items, Node, Table, Text, Where, describe, quote, scalars
from jumar.mission.placeholders import placeholder
from jumar.mission.problems import Problem, WrongError, nearest


class Layer(IntEnum):
    """Who gave a value; the higher one counts."""

    STYLE = 1
    FILE = 2
    FLAG = 3


@dataclass(frozen=True, slots=True)
class Given:
    """One value that was given, where, and by whom."""

    value: object
    node: Node
    layer: Layer

    @property
    def where(self) -> Where:
        return self.node.where


@dataclass
class Settings:
    """The values by key, and everything that is wrong with them."""

    given: dict[str, Given] = field(default_factory=dict)
    blank: dict[str, Where] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def __getitem__(self, key: str) -> object:
        """The value in force: what was given, or the default."""
        return self.given[key].value if key in self.given else KEYS[key].default

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def default(self, key: str) -> object:
        """The value where nobody gives one."""
        return KEYS[key].default

    def where(self, key: str) -> Where:
        """The place of a key that was given."""
        return self.given[key].where

    def layer(self, key: str) -> int:
        """The layer that a key comes from; 0 for the default."""
        return self.given[key].layer if key in self.given else 0

    def texts(self, key: str) -> tuple[str, ...]:
        """The value of a key that holds a list of texts."""
        value = self[key]
        return tuple(map(str, value)) if isinstance(value, tuple | dict) else ()

    def places(self, key: str) -> Iterator[tuple[str, Where]]:
        """Each entry of a list or mapping with its own place."""
        if key not in self.given:
            return
        node = self.given[key].node
        lines = {entry: item.where for entry, item in node.entries.items()} if isinstance(node, Table) else {}
        items = [item.where for item in node.items] if isinstance(node, Items) else []
        for number, entry in enumerate(self.texts(key)):
            yield entry, lines.get(entry) or (items[number] if number < len(items) else node.where)

    def complain(self, where: Where, key: str, message: str, hint: str) -> None:
        """Note a problem, and go on to find the next."""
        self.problems.append(Problem(where, key, message, hint))

    def add(self, entries: Mapping[str, Node], layer: Layer) -> None:
        """Read one layer over those before it."""
        for name, node in entries.items():
            if name not in KEYS:
                self._unknown(name, node)
            elif isinstance(node, Text) and node.empty:
                self.blank[name] = node.where
            else:
                self._read(KEYS[name], node, layer)

    def _read(self, key: Key, node: Node, layer: Layer) -> None:
        try:
            value = key.read(node)
        except WrongError as error:
            self.refused.add(key.name)
            self.problems.append(error.problem(key.name))
            return
        if key.later and value != key.default:
            self._later(key, node, layer)
        if self._placeholder(key, node):
            self.refused.add(key.name)
            return
        self.given[key.name] = Given(value, node, layer)

    def _later(self, key: Key, node: Node, layer: Layer) -> None:
        message = f"`{key.name}` ({describe(node)}) belongs to something that this version of jumar does not have yet."
        cure = f"Leave out {key.flag}." if layer is Layer.FLAG else f"Remove the key `{key.name}`."
        self.complain(node.where, key.name, message, cure)

    def _placeholder(self, key: Key, node: Node) -> bool:
        """Whether a value is still to be written; each place goes to the problems."""
        before = len(self.problems)
        for text in scalars(node) if key.content else ():
            if found := placeholder(text.text, key.content):
                kept = (
                    " If it is meant as it stands, put it in `backticks`." if key.content == "prose" else ""
                )
                message = f"`{key.name}` still holds the placeholder {quote(found)}."
                self.complain(
                    text.where, key.name, message, f"Replace {quote(found)} by what you want.{kept}"
                )

        return len(self.problems) > before

    def _unknown(self, name: str, node: Node) -> None:
        meant = nearest(name, KEYS)
        hint = (
            f"Did you mean `{meant}`?"
            if meant
            else "Remove it; `jumar init` writes a mission with the usual keys."
        )
        self.complain(node.where, name, f"there is no key {quote(name)}.", hint)
