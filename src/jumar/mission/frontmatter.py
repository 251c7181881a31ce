"""Reading a mission file: YAML front matter as nodes that know their lines, and the Markdown below it.

Of YAML only text, lists and mappings are read. Scalars stay letters, so that `yes`, `1:30`, `007` and dates
mean what their key says; anchors, aliases and tags are refused, since in a mission they are a glob or a
command that wanted quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from jumar.mission.nodes import Items, Node, Table, Text, Where, quote
from jumar.mission.problems import MissionProblems, Problem

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 8
FENCE = "---"
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
QUOTES_HINT = 'Put the value in quotes, for example file: ["*.py"] or metric: \'grep -c ": " notes.txt\'.'


@dataclass(frozen=True, slots=True)
class Document:
    """A mission file: its keys, the text below them, and what is wrong; `broken` when no key could be read."""

    entries: dict[str, Node]
    body: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def broken(self) -> bool:
        return bool(self.problems) and not self.entries


def read_document(path: Path, source: str) -> Document:
    """The mission file at `path`, called `source` in messages. Raises MissionProblems where it is no text."""
    lines = read_text(path, source).split("\n")
    top = next((number for number, line in enumerate(lines) if line.strip()), None)
    if top is None:
        _refuse(source, 1, f"{source} is empty.", "Write one with `jumar init`.")
    if lines[top].rstrip() != FENCE:
        _refuse_without_front_matter(path, source, top + 1, lines[top])
    end = next((number for number in range(top + 1, len(lines)) if lines[number].rstrip() == FENCE), None)
    if end is None:
        message = "the front matter that begins here is never closed."
        _refuse(source, top + 1, message, f"Put a line `{FENCE}` below the last key.")
    entries, problems = read_mapping("\n".join(lines[top + 1 : end]), source, first=top + 2)
    return Document(entries, "\n".join(lines[end + 1 :]).strip(), problems)


def read_text(path: Path, source: str) -> str:
    """A text file as LF lines without a byte order mark. Raises MissionProblems."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        _refuse(
            source,
            None,
            "there is no such file.",
            "Write one with `jumar init`, or give the path of a mission file.",
        )
    except IsADirectoryError:
        _refuse(source, None, "this is a folder.", "Give the path of a mission file.")
    except OSError as error:
        _refuse(
            source,
            None,
            f"the file cannot be read: {error.strerror}.",
            "Give the path of a file that can be read.",
        )
    if len(data) > MAX_BYTES:
        _refuse(
            source,
            None,
            f"the file has {len(data)} bytes, more than a mission can have.",
            "Give the path of a mission file.",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8."
        _refuse(source, line, message, "Save the file as UTF-8.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _refuse(source: str, line: int | None, message: str, hint: str) -> NoReturn:
    raise MissionProblems([Problem(Where(source, line), "", message, hint)])


def _refuse_without_front_matter(path: Path, source: str, number: int, line: str) -> NoReturn:
    hint = f"Put the keys between two lines `{FENCE}` at the top; `jumar init` writes them."
    if (path.parent / "sandbox.md").exists():
        message = "a mission without front matter beside a `sandbox.md` asks for a style that is not in this version yet."
        _refuse(source, number, message, hint)
    _refuse(source, number, f"there is no front matter: the first line is {quote(line)}.", hint)


def read_mapping(text: str, source: str, *, first: int = 1) -> tuple[dict[str, Node], tuple[Problem, ...]]:
    """The mapping that a YAML text holds, and what is wrong with it. Its first line is `first` of `source`."""
    builder = _Builder(text, source, first)
    try:
        return builder.document(), tuple(builder.problems)
    except _TooDeepError as error:
        problem = Problem(
            error.where, "", "this is nested too deeply for a mission.", "Use the forms of the documentation."
        )
        return {}, (*builder.problems, problem)
    except (
        yaml.YAMLError,
        ValueError,
        OverflowError,
    ) as error:  # the last two: numbers in escapes that are no letters
        return {}, (*builder.problems, builder.yaml_problem(error))


class _TooDeepError(Exception):
    def __init__(self, where: Where) -> None:
        super().__init__(str(where))
        self.where = where


class _Builder:
    """Builds nodes from the events of one YAML text."""

    def __init__(self, text: str, source: str, first: int) -> None:
        self.lines = text.split("\n")
        self.source = source
        self.first = first
        self.problems: list[Problem] = []
        self.key = ""  # the mission's key that is being read
        self.events: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.SafeLoader)

    def document(self) -> dict[str, Node]:
        next(self.events)  # the stream's start
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return {}
        first = next(self.events)
        root = self.node(first, 0)
        next(self.events)  # the document's end
        if not isinstance(extra := next(self.events), yaml.StreamEndEvent):
            self.complain(extra, "a second document begins here.", "Keep all keys in one block.")
        if isinstance(root, Table):
            return root.entries
        if not (isinstance(root, Text) and root.empty):
            self.complain(first, "the front matter is no list of keys.", "Write one `key: value` a line.")
        return {}

    def node(self, event: yaml.Event, depth: int) -> Node:
        where = self.where(event)
        if depth > MAX_DEPTH:
            raise _TooDeepError(where)
        self.refuse_references(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return Items(
                tuple(self.node(item, depth + 1) for item in self.until(yaml.SequenceEndEvent)), where
            )
        if isinstance(event, yaml.MappingStartEvent):
            return Table(self.entries(depth + 1), where)
        if not isinstance(event, yaml.ScalarEvent):
            return Text("", where, quoted=True)
        if UNPRINTABLE.search(event.value):
            self.complain(
                event,
                "a control character stands in this value.",
                "Take it out, or write it as an escape of the pattern.",
            )
        return Text(UNPRINTABLE.sub("\ufffd", event.value), where, quoted=event.style is not None)

    def refuse_references(self, event: yaml.Event) -> None:
        """`*.py` and `! test` mean something else in YAML than their writer thinks."""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor:
            sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
            self.complain(event, f"YAML reads `{sign}{anchor}` as a reference.", QUOTES_HINT)
        if tag:
            self.complain(event, f"YAML reads `{tag}` as a type.", QUOTES_HINT)

    def entries(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for event in self.until(yaml.MappingEndEvent):
            self.key = event.value if depth == 1 and isinstance(event, yaml.ScalarEvent) else self.key
            key = self.node(event, depth)
            value = self.node(next(self.events), depth)
            if not isinstance(key, Text):
                self.complain(event, "a list or mapping stands where a key should.", QUOTES_HINT)
            elif key.text in found:
                message = f"the key {quote(key.text)} stands here a second time; the first is in line {found[key.text].where.line}."
                self.complain(event, message, "Keep one of the two.")
            else:
                found[key.text] = value
        return found

    def until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        while not isinstance(event := next(self.events), end):
            yield event

    def where(self, event: yaml.Event) -> Where:
        mark: Any = event.start_mark
        return Where(self.source, self.first + int(mark.line))

    def complain(self, event: yaml.Event, message: str, hint: str) -> None:
        self.problems.append(Problem(self.where(event), self.key, message, hint))

    def yaml_problem(self, error: Exception) -> Problem:
        """A syntax error in our words, with the usual cause as the hint."""
        mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = int(mark.line) if mark else self._line_of_bad_letter(error)
        text = self.lines[line] if line is not None and line < len(self.lines) else ""
        where = Where(self.source, None if line is None else self.first + line)
        cause = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        key = re.match(r"([\w-]+):", text)
        message = f"YAML cannot be read here{f' in {quote(text)}' if text.strip() else ''}: {cause}."
        return Problem(where, key[1] if key else "", message, _syntax_hint(text, str(cause)))

    def _line_of_bad_letter(self, error: Exception) -> int | None:
        if isinstance(error, yaml.reader.ReaderError):
            return next(
                (
                    number
                    for number, line in enumerate(self.lines)
                    if UNPRINTABLE.search(line.replace("\x85", ""))
                ),
                None,
            )
        return None


def _syntax_hint(line: str, cause: str) -> str:
    if "special characters" in cause:
        return "Take the control character out."
    if "\t" in line[: len(line) - len(line.lstrip())] or "\\t" in cause:
        return "Indent with spaces, not with tabs."
    return QUOTES_HINT
