"""Styles by name: data files in the package, and a user's own in their configuration folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from jumar.core.ladder import steps
from jumar.core.mission import Style
from jumar.core.rules import RULES
from jumar.core.stopping import STOPS
from jumar.mission.frontmatter import read_mapping, read_text
from jumar.mission.keys import KEYS
from jumar.mission.limits import read_range
from jumar.mission.nodes import Items, Node, Table, Text, Where, describe, quote
from jumar.mission.problems import MissionProblems, Problem, WrongError, nearest

# What an alias may stand for besides a key: the mission itself, another command, or an option as it is.
MISSION, COMMAND = "mission", "command:"
DECIDING = ("policy", "strict", "two_sigma", "pass", "pass_only", "simplicity")
VOCABULARY = {"rules": {*RULES, "policy"}, "gates": {*RULES}, "baseline": {*RULES}, "stops": {*STOPS}}
FIELDS = {field.name: field for field in msgspec.structs.fields(Style) if field.name != "name"}


class LoadedStyle(msgspec.Struct, frozen=True):
    """A style, and the mission keys that it sets, with their lines."""

    style: Style
    defaults: Mapping[str, Node]


def load_style(name: str, where: Where) -> LoadedStyle:
    """The style of that name, which was asked for at `where`. Raises MissionProblems."""
    files = dict(style_files())
    if name not in files:
        raise MissionProblems([_unknown(name, where, list(files))])
    return read_style(name, files[name])


def style_files() -> Iterator[tuple[str, Traversable | Path]]:
    """Every style by name. A user's own comes later, and so replaces one of the package's in a mapping."""
    for place in (resources.files("jumar.styles"), user_folder()):
        if place.is_dir():
            found = [entry for entry in place.iterdir() if entry.name.endswith(".yaml")]
            yield from (
                (entry.name.removesuffix(".yaml"), entry)
                for entry in sorted(found, key=lambda entry: entry.name)
            )


def user_folder() -> Path:
    """Where a user keeps styles: `$XDG_CONFIG_HOME/jumar/styles`, by default below `~/.config`."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "jumar" / "styles"


def read_style(name: str, file: Traversable | Path) -> LoadedStyle:
    """The style in one file. Raises MissionProblems, by line."""
    with resources.as_file(file) as path:
        source = str(path)
        entries, found = read_mapping(read_text(path, source), source)
    problems = list(found)
    values: dict[str, object] = {"name": name}
    for key, node in entries.items():
        if problem := _field_problem(key, node):
            problems.append(problem)
        elif key != "defaults":
            values[key] = plain(node)
    missing = [field.name for field in FIELDS.values() if field.required and field.name not in entries]
    if missing and not found:
        names = ", ".join(map(quote, missing))
        problems.append(Problem(Where(source), missing[0], f"the style lacks {names}.", f"Add {names}."))
    if problems:
        raise MissionProblems(problems)
    defaults = entries.get("defaults")
    given = defaults.entries if isinstance(defaults, Table) else {}
    values["defaults"] = {key: plain(node) for key, node in given.items()}
    return LoadedStyle(msgspec.convert(values, Style, strict=False), given)


def _field_problem(key: str, node: Node) -> Problem | None:
    if key not in FIELDS:
        meant = nearest(key, FIELDS)
        hint = f"Did you mean `{meant}`?" if meant else f"A style has the keys {', '.join(FIELDS)}."
        return Problem(node.where, key, f"a style has no key {quote(key)}.", hint)
    try:
        names = msgspec.convert(plain(node), FIELDS[key].type, strict=False)
    except msgspec.ValidationError as error:
        hint = "Write it as the styles of the package do."
        return Problem(node.where, key, f"`{key}` is {describe(node)}: {error}.", hint)
    if key == "ladder" and (found := [step.at for step in steps(names)]) != sorted({*found}):
        return Problem(
            node.where, key, "the steps of the `ladder` do not rise.", "Write them with rising counts."
        )
    if problem := _meaning_problem(key, node):
        return problem
    return _rule_problem(key, node.where, names) if key in VOCABULARY else None


def _meaning_problem(key: str, node: Node) -> Problem | None:
    """A name that is no key of a mission, or a limit that is no range."""
    if key not in ("aliases", "limits") or not isinstance(node, Table):
        return None
    for name, value in node.entries.items():
        keys = [name] if key == "limits" else meant(value)
        if unknown := [other for other in keys if other not in KEYS]:
            message = f"`{key}` names {quote(unknown[0])}, which is no key of a mission."
            near = nearest(unknown[0], KEYS)
            return Problem(value.where, key, message, f"Did you mean `{near}`?" if near else "Name a key.")
        try:
            _ = key == "limits" and read_range(name, str(plain(value)))
        except WrongError as error:
            return Problem(
                value.where, key, f"the limit of `{name}` is {describe(value)}.", f"Write {error.expected}."
            )
    return None


def meant(node: Node) -> list[str]:
    """The keys that an alias stands for; none where it stands for the mission, an option or a command."""
    if isinstance(node, Table):
        return list(node.entries)
    text = str(plain(node))
    return [] if text == MISSION or text.startswith((COMMAND, "--")) else [text]


def _rule_problem(key: str, where: Where, names: tuple[str, ...]) -> Problem | None:
    known = VOCABULARY[key]
    for name in names:
        if name not in known:
            meant = nearest(name, known)
            hint = f"Did you mean `{meant}`?" if meant else f"Use {', '.join(map(quote, sorted(known)))}."
            return Problem(where, key, f"`{key}` names {quote(name)}, which is no rule.", hint)
    if key == "rules" and not (names and names[-1] in DECIDING):
        message = "the last of the `rules` has to decide every trial."
        return Problem(where, key, message, f"End with one of {', '.join(map(quote, DECIDING))}.")
    return None


def plain(node: Node) -> object:
    """A node as plain data: text, lists and mappings."""
    match node:
        case Text(text):
            return None if node.empty else text
        case Items(items):
            return [plain(item) for item in items]
        case Table(entries):
            return {key: plain(value) for key, value in entries.items()}


def _unknown(name: str, where: Where, known: list[str]) -> Problem:
    listed = ", ".join(map(quote, sorted(known)))
    if name in (resources.files("jumar.styles") / "announced.txt").read_text("utf-8").split():
        message = f"the style {quote(name)} is not in this version of jumar yet."
        return Problem(where, "style", message, f"Leave `style` out, or use one of {listed}.")
    meant = nearest(name, known)
    hint = (
        f"Did you mean `{meant}`?"
        if meant
        else f"Use one of {listed}, or put {name}.yaml into {user_folder()}."
    )
    return Problem(where, "style", f"there is no style {quote(name)}.", hint)
