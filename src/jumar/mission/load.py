"""From a mission file, a style and flags to a resolved mission."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from jumar.core.mission import Mission, Style
from jumar.core.text import printable
from jumar.mission import checks, paths
from jumar.mission.evaluator import expand
from jumar.mission.frontmatter import Document, read_document
from jumar.mission.keys import KEYS, SHORTHANDS
from jumar.mission.limits import check_limits
from jumar.mission.nodes import Items, Node, Text, Where, from_flag, quote, scalars
from jumar.mission.problems import MissionProblems, Problem
from jumar.mission.settings import Layer, Settings
from jumar.mission.styles import load_style

FLAGS_ALONE = "the command line"
EXAMPLES = {"file": "src/parser.py", "metric": "python bench.py", "direction": "lower"}
RESOLVED = ("file", "protect", "carry", "style", "parser", "iterations")
SAME = tuple(name for name in Mission.__struct_fields__ if name in KEYS and name not in (*RESOLVED, "policy"))


def load_mission(path: Path | None, flags: Mapping[str, object], *, start: Path, root: Path) -> Mission:
    """The mission of a file (None: of flags alone), with flags over it.

    `flags` has key names with their values, as text, yes or no, or lists; None and empty lists are "not
    given". `start` is the folder that jumar was started in, `root` the repository's. Raises MissionProblems,
    a MissionError, with everything that is wrong.
    """
    start, root = start.resolve(), root.resolve()
    settings = Settings()
    path = start / path if path else None
    document = read_document(path, shown(path, start)) if path else Document({})
    settings.problems += document.problems
    settings.refused.update(problem.key for problem in document.problems)
    legible = {key: node for key, node in document.entries.items() if key not in settings.refused}
    entries = expand(legible, settings)
    given = _flag_nodes(flags)
    settings.problems += _illegible(given)
    style = _add_layers(settings, entries, given)
    places = paths.Places(root, start, path.resolve().parent if path else start)
    targets, protect = paths.scope(settings, places)
    carry = paths.carried(settings, places)
    if not document.broken:
        _require(settings, Where(shown(path, start) if path else FLAGS_ALONE))
    checks.check(settings)
    if style is not None:
        check_limits(settings, style.limits, style.name)
    if settings.problems or style is None:
        raise MissionProblems(sorted(settings.problems, key=_reading_order))
    folder = start.relative_to(root).as_posix() if start.is_relative_to(root) else ""
    values = {name: settings[name] for name in SAME} | {
        "pattern": settings["pattern"] if checks.parser(settings) == "pattern" else None,
        "style": style, "folder": "" if folder == "." else folder, "notes": document.body,
        "file": targets, "protect": protect, "carry": carry,
        "policy": checks.policy(settings), "parser": checks.parser(settings), "iterations": checks.iterations(settings),
    }  # fmt: skip
    return msgspec.convert(values, Mission)


def shown(path: Path, start: Path) -> str:
    """A file's name in messages: relative to where the user is, when it is below."""
    relative = os.path.relpath(path, start)
    return str(path) if relative.startswith("..") else relative


def _flag_nodes(flags: Mapping[str, object]) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if name in SHORTHANDS:
            if value:
                key, stands_for = SHORTHANDS[name]
                nodes[key] = from_flag(flag, stands_for)
        elif value is not None and value not in ([], ()):
            nodes[name] = from_flag(flag, value)
    return nodes


def _illegible(flags: Mapping[str, Node]) -> Iterator[Problem]:
    for name, node in flags.items():
        for item in scalars(node):
            if (legible := printable(item.text)) != item.text:
                hint = "A pattern can stand for a path: write `?` in place of each such byte."
                yield Problem(item.where, name, f"{quote(legible)} holds bytes that are not UTF-8.", hint)


def _add_layers(settings: Settings, entries: Mapping[str, Node], flags: Mapping[str, Node]) -> Style | None:
    """All three layers, lowest first; the style, or None where there is none to go on with."""
    asked = flags.get("style") or entries.get("style")
    named = isinstance(asked, Text) and bool(asked.text.strip()) and not asked.empty
    name = asked.text.strip() if isinstance(asked, Text) and named else str(KEYS["style"].default)
    style = None
    try:
        loaded = load_style(name, asked.where if asked else Where("style"))
        settings.add(loaded.defaults, Layer.STYLE)
        style = loaded.style
    except MissionProblems as error:
        settings.problems += error.problems
    settings.add(entries, Layer.FILE)
    settings.add(flags, Layer.FLAG)
    return style


def _require(settings: Settings, source: Where) -> None:
    for name, example in EXAMPLES.items():
        key = KEYS[name]
        empty = name in settings and isinstance(node := settings.given[name].node, Items) and not node.items
        if (name in settings and not empty) or name in settings.refused:
            continue
        in_file = (
            "a mission.md (`jumar init`)"
            if source.source == FLAGS_ALONE
            else f"for example `{name}: {example}`"
        )
        hint = f"Write {in_file}, or give {key.flag}, such as `{key.flag} '{example}'`."
        if empty:
            settings.complain(settings.where(name), name, f"`{name}` is an empty list.", hint)
        elif name in settings.blank:
            settings.complain(settings.blank[name], name, f"`{name}` has no value.", hint)
        else:
            settings.complain(source, name, f"`{name}` is missing. {key.doc}", hint)


def _reading_order(problem: Problem) -> tuple[bool, str, int]:
    where = problem.where
    return where.source.startswith("--"), where.source, where.line or 0
