"""The evaluator as a mapping, `{command, format, keep_policy}`: the same keys in other words."""

from __future__ import annotations

from collections.abc import Mapping

from jumar.mission.nodes import Node, Table, Text, describe, quote
from jumar.mission.problems import nearest
from jumar.mission.settings import Settings

WORDS = {"command": "metric", "format": "parser", "keep_policy": "keep"}


def expand(entries: Mapping[str, Node], settings: Settings) -> dict[str, Node]:
    """The entries with a mapping below `evaluator` spelt out; what is wrong with it goes to the problems."""
    spelt = dict(entries)
    table = spelt.get("evaluator")
    if not isinstance(table, Table):
        return spelt
    spelt["evaluator"] = Text("contract", table.where)
    for word, node in table.entries.items():
        key = WORDS.get(word)
        if key is None:
            meant = nearest(word, WORDS)
            hint = f"Did you mean `{meant}`?" if meant else f"Use {', '.join(map(quote, WORDS))}."
            settings.complain(node.where, "evaluator", f"`evaluator` has no key {quote(word)}.", hint)
        elif key in entries and not _blank(entries[key]):
            message = (
                f"`evaluator` has a `{word}`, and `{key}` (line {entries[key].where.line}) says the same."
            )
            settings.complain(node.where, "evaluator", message, f"Remove `{word}` or `{key}`.")
        elif word == "format":
            spelt[key] = _parser(node, settings)
        else:
            spelt[key] = node
    return spelt


def _blank(node: Node) -> bool:
    return isinstance(node, Text) and node.empty


def _parser(node: Node, settings: Settings) -> Node:
    if not isinstance(node, Text) or node.text != "json":
        settings.complain(
            node.where,
            "evaluator",
            f"`format` is {describe(node)}; expected `json`.",
            "Write `format: json`.",
        )
    return Text("whole_json", node.where)
