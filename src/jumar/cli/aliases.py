"""The words of a style's own document on the command line: its options become jumar's, before anything reads them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jumar.errors import JumarError

if TYPE_CHECKING:
    from jumar.core.mission import Style


def translated(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command that takes a mission, with the options that its style's document has in jumar's words."""
    words = list(arguments)
    style = None
    with contextlib.suppress(JumarError):  # whoever loads the mission says what is wrong with it
        style = style_in_force(words)
    return list(rewritten(words, style)) if style else words


def style_in_force(words: Sequence[str]) -> Style | None:
    """The style that the arguments or the mission file name; None where the default is meant."""
    from jumar.mission import load_style
    from jumar.mission.nodes import Where

    name = option(words, "--style") or named_in_file(words)
    return load_style(name, Where("--style")).style if name else None


def option(words: Sequence[str], name: str) -> str:
    """The value of an option, "" where it is not given."""
    for place, word in enumerate(words):
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
        if word == name and place + 1 < len(words):
            return words[place + 1]
    return ""


def named_in_file(words: Sequence[str]) -> str:
    """The style in the mission file that is meant: one that is named, or the one that lies here."""
    from jumar.cli import place
    from jumar.mission import find_mission
    from jumar.mission.frontmatter import read_document
    from jumar.mission.nodes import Text

    named = next((Path(word) for word in words[1:] if word.endswith(".md") and Path(word).is_file()), None)
    file = named or find_mission(Path.cwd(), place.root())
    node = read_document(file, str(file)).entries.get("style") if file else None
    return node.text.strip() if isinstance(node, Text) else ""


def rewritten(words: Sequence[str], style: Style) -> Iterator[str]:
    """Each word, or what stands for it."""
    from jumar.mission.styles import COMMAND, MISSION

    known = {f"--{name}": meaning for name, meaning in style.aliases.items()}
    command = next((known[word] for word in words if str(known.get(word, "")).startswith(COMMAND)), None)
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        meaning = known.get(name)
        if place == 0 and command:
            yield str(command).removeprefix(COMMAND)
        elif meaning is None:
            yield word
        elif isinstance(meaning, dict):
            yield from (part for key, given in meaning.items() for part in (flag(key), given))
        elif not meaning.startswith(COMMAND):
            yield from ([] if meaning == MISSION else [flag(meaning)]) + ([value] if equals else [])


def flag(key: str) -> str:
    """The option of a key; an option as it is."""
    return key if key.startswith("--") else "--" + key.replace("_", "-")
