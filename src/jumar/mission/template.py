"""A fresh mission.md, for `jumar init`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jumar.core.mission import Gain
from jumar.mission.keys import KEYS, Key

SHOWN = ("goal", "file", "metric", "metric_name", "direction", "guard", "protect", "iterations", "time")
WANTED = {"goal": "<what should become better>", "file": "<path or glob>", "metric": "<command that prints the score>",
          "direction": "<lower or higher>"}  # fmt: skip
EXAMPLES = {
    "metric_name": "ms",
    "guard": "[pytest -q]",
    "protect": "[tests/**]",
    "iterations": "20",
    "time": "8h",
}
BELOW = "# What you write below the line goes to the maker: what counts as better, what is off limits, hints."
SAFE = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./*+-]*(?: [A-Za-z0-9_./*+-]+)*")
AMBIGUOUS = frozenset({"null", "none", "true", "false", "yes", "no", "on", "off"})


def scaffold(values: Mapping[str, object]) -> str:
    """The text of a mission file. What a mission needs and is not given is a placeholder, which loading names.

    `values` are texts, numbers, lists and mappings as a mission file would have them; `notes` is the text
    below the keys.
    """
    names = [*SHOWN, *(name for name in values if name not in SHOWN and name != "notes")]
    lines = [line for name in names for line in _lines(KEYS[name], values)]
    return "\n".join(["---", *lines, BELOW, "---", str(values.get("notes") or ""), ""])


def _lines(key: Key, values: Mapping[str, object]) -> Iterator[str]:
    yield f"# {key.doc}"
    if values.get(key.name) not in (None, (), [], {}):
        yield f"{key.name}: {_value(values[key.name])}"
    elif key.name in WANTED:
        yield f'{key.name}: {"[" if key.many else ""}"{WANTED[key.name]}"{"]" if key.many else ""}'
    else:
        yield f"# {key.name}: {EXAMPLES.get(key.name, key.default)}"


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Gain():
            return f"{100 * value.value:g}%" if value.relative else f"{value.value:g}"
        case Mapping():
            return (
                "{"
                + ", ".join(f"{_quoted(str(key))}: {_quoted(str(item))}" for key, item in value.items())
                + "}"
            )
        case list() | tuple():
            return "[" + ", ".join(_quoted(str(item)) for item in value) + "]"
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    """The text as it is where YAML cannot mistake it, else in quotes: double ones round a line's end."""
    if SAFE.fullmatch(text) and text.lower() not in AMBIGUOUS:
        return text
    if "\n" in text or "\t" in text:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    return "'" + text.replace("'", "''") + "'"
