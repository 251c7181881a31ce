"""Markers: what a comment at the end of a line says of the constants on that line.

    lr = 0.1              # jumar: 1e-5..1e-1 log      a range, on a logarithmic scale
    batch = 32            # jumar: 8, 16, 32           choices
    name = "adam"         # jumar: "adam", "sgd"       choices for a text
    width = 4             // jumar: 1..16              a range; its ends may be reached
    margin: 12px;         /* jumar: 4..24 */
    about 12 pages        <!-- jumar: 5..20 -->        also `--`, `;` and `%` comments
    warmup = 100          # jumar: off                 leave it alone

A range is linear unless `log` follows (which needs both ends above zero, or both below). A marker speaks for every constant of its
line; where the format knows none there, for the literal that stands nearest before it.

**Only.** As soon as one constant of the targets has a range or choices, only those that have are tuned.
A seed, a version, a date, a port is tuned only where a marker asks for it.
"""

from __future__ import annotations

import bisect
import io
import re
import tokenize

import msgspec

from jumar.errors import MakerError
from jumar.makers.tune.literals import NUMBER, Value, read_number

SYNTAX = (
    '# jumar: 1..16   # jumar: 1e-5..1e-1 log   # jumar: 8, 16, 32   # jumar: "adam", "sgd"   # jumar: off'
)
COMMENT = re.compile(r"(?P<open>#|//|/\*|<!--|--|;|%)[ \t]*jumar:(?P<body>.*?)[ \t]*(?:\*/|-->)?[ \t]*$")
BODY = re.compile(r"#[ \t]*jumar:(?P<body>.*)$", re.DOTALL)
RANGE = re.compile(
    rf"(?P<low>{NUMBER.pattern})\.\.(?P<high>{NUMBER.pattern})(?:[ \t]+(?P<scale>log|linear))?"
)
CHOICE = re.compile(
    r"""[ \t]*(?:"(?P<double>[^"'\\]*)"|'(?P<single>[^"'\\]*)'|(?P<bare>[^\s,"'\\]+))[ \t]*(?:,|$)"""
)


class Marker(msgspec.Struct, frozen=True):
    """A marker read: `off`, a range, or choices. `line` counts from 1, `start` is the offset of its comment."""

    line: int
    start: int
    off: bool = False
    low: int | float | None = None
    high: int | float | None = None
    log: bool = False
    choices: tuple[Value, ...] = ()


class Lines:
    """Offsets of the lines of a text, whichever of the three line endings it has."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", text))]

    def number(self, offset: int) -> int:
        """The line an offset is on, from 1."""
        return bisect.bisect_right(self.starts, offset)

    def content(self, number: int) -> str:
        """A line without its ending."""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end].rstrip("\r\n")


def find_markers(path: str, text: str, *, python: bool = False) -> dict[int, Marker]:
    """Markers by line. Raises MakerError, naming file and line, for one that cannot be read."""
    if "jumar:" not in text:
        return {}
    lines = Lines(text)
    found = python_comments(text, lines) if python else line_comments(text, lines)
    return {line: parse_marker(path, line, start, body) for line, start, body in found}


def line_comments(text: str, lines: Lines) -> list[tuple[int, int, str]]:
    """(line, offset, words) of each marker comment, whatever opens it."""
    found = []
    for hit in re.finditer(r"jumar:", text):
        line = lines.number(hit.start())
        if comment := COMMENT.search(lines.content(line)):
            found.append((line, lines.starts[line - 1] + comment.start(), comment["body"].strip()))
    return found


def python_comments(text: str, lines: Lines) -> list[tuple[int, int, str]]:
    """The same for Python, where a string may hold what looks like a marker."""
    found = []
    shift = int(text.startswith("\ufeff"))
    try:
        for token in tokenize.generate_tokens(io.StringIO(text[shift:], newline="").readline):
            if token.type == tokenize.COMMENT and (hit := BODY.match(token.string)):
                line, column = token.start
                column += shift if line == 1 else 0
                found.append((line, lines.starts[line - 1] + column, hit["body"].strip()))
    except (tokenize.TokenError, SyntaxError):
        return line_comments(text, lines)
    return found


def parse_marker(path: str, line: int, start: int, body: str) -> Marker:
    """One marker's words. Raises MakerError."""
    if body == "off":
        return Marker(line, start, off=True)
    if hit := RANGE.fullmatch(body):
        low, high = end_of_range(hit["low"]), end_of_range(hit["high"])
        if low is not None and high is not None and low < high and (hit["scale"] != "log" or low * high > 0):
            return Marker(line, start, low=low, high=high, log=hit["scale"] == "log")
        raise malformed(
            path,
            line,
            body,
            "the first end must be below the second, and `log` needs both on one side of zero",
        )
    choices = parse_choices(body)
    if len(choices) < 2:
        raise malformed(path, line, body, "it is neither a range, nor a list of choices, nor `off`")
    return Marker(line, start, choices=choices)


def end_of_range(word: str) -> int | float | None:
    """A number; whole where it is written without a point, `1e3` too."""
    number = read_number(word)
    if number is None or "." in word or number[0] != int(number[0]):
        return number[0] if number else None
    return int(number[0])


def parse_choices(body: str) -> tuple[Value, ...]:
    """Choices of one type, each once, in their order; () when the words are no such list."""
    choices: list[Value] = []
    position = 0
    while position < len(body):
        hit = CHOICE.match(body, position)
        if not hit:
            return ()
        position = hit.end()
        text = hit["double"] if hit["double"] is not None else hit["single"]
        choices.append(text if text is not None else bare_choice(hit["bare"]))
    return tuple(dict.fromkeys(choices)) if len({family(choice) for choice in choices}) == 1 else ()


def bare_choice(word: str) -> Value:
    """A number, a truth value, or the word itself."""
    if number := read_number(word):
        return number[0]
    return word.lower() == "true" if word.lower() in ("true", "false") else word


def family(value: Value) -> type:
    """The type a value may be exchanged within: numbers, truth values, texts."""
    if isinstance(value, bool | str):
        return type(value)
    return float


def malformed(path: str, line: int, body: str, why: str) -> MakerError:
    """The error for a marker that cannot be used."""
    return MakerError(
        f"The marker `jumar: {body}` in {path}, line {line}, cannot be used: {why}.",
        hint=f"Write it as one of: {SYNTAX}",
    )
