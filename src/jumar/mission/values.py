"""The words a key may take: each reader turns what was written into a value, or says what it expected.

Mission files and flags use the same readers, on the letters as they stand: YAML's own ideas of `yes`, `1:30`
or a date never come in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from jumar.core.constraints import Malformed, parse
from jumar.core.mission import Gain
from jumar.mission.nodes import Items, Node, Table, Text
from jumar.mission.problems import LaterError, WrongError, nearest

Reader = Callable[[Node], object]

NUMBER = re.compile(r"[-+]?(?:\d{1,300}\.?\d{0,300}|\.\d{1,300})(?:[eE][-+]?\d{1,4})?", re.ASCII)
WHOLE = re.compile(r"\d{1,15}", re.ASCII)
AMOUNT = r"\d{1,12}(?:\.\d{1,6})?"
DURATION = re.compile(rf"(?:({AMOUNT})d)?(?:({AMOUNT})h)?(?:({AMOUNT})m)?(?:({AMOUNT})s)?", re.ASCII)
PLAIN = re.compile(AMOUNT, re.ASCII)
SECONDS = (86400.0, 3600.0, 60.0, 1.0)
SIZE = re.compile(rf"({AMOUNT})([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
YES = ("true", "yes", "on")
NO = ("false", "no", "off")


def text(node: Node) -> str:
    """Any text that is not blank."""
    if not isinstance(node, Text):
        raise WrongError(
            node, "one text", "Write a single value; put it in quotes where it holds `:`, `#`, `[` or `{`."
        )
    if not node.text.strip():
        raise WrongError(node, "some text")
    return node.text


def word(node: Node) -> str:
    """A text without spaces round it."""
    return text(node).strip()


def expression(node: Node) -> str:
    """A regular expression that does not match everything."""
    letters = text(node)
    try:
        anything = re.compile(letters).match("") is not None
    except (re.error, RecursionError, OverflowError) as error:
        raise WrongError(node, "a regular expression", f"Mend it: {error}.") from None
    if anything:
        raise WrongError(node, "a regular expression that does not match an empty line")
    return letters


def most(node: Node) -> Gain:
    """A largest change: a number of lines from 1, or a share such as `50%`."""
    letters = word(node) if isinstance(node, Text) else ""
    digits = letters.removesuffix("%").rstrip()
    share = letters.endswith("%")
    value = float(digits) if (PLAIN if share else WHOLE).fullmatch(digits) else 0.0
    if value <= 0:
        raise WrongError(node, "a number of lines from 1, or a share such as `50%`")
    return Gain(value / 100, relative=True) if share else Gain(value)


def constraint(node: Node) -> str:
    """A bound such as `size <= baseline * 1.05`, in the language of `core.constraints`."""
    if isinstance(node, Table) and len(node.entries) == 1:  # `- must_contain: text` is a mapping to YAML
        ((name, value),) = node.entries.items()
        node = Text(f"{name}: {text(value)}", node.where, quoted=True)
    letters = word(node)
    try:
        parse(letters)
    except Malformed as error:
        raise WrongError(
            node, "a bound such as `size <= baseline * 1.05`, or `must_contain: TEXT`", str(error)
        ) from None
    return letters


def boolean(node: Node) -> bool:
    """true or false, and their usual other words."""
    if isinstance(node, Text) and node.text.strip().lower() in YES + NO:
        return node.text.strip().lower() in YES
    raise WrongError(node, "`true` or `false`")


def number(node: Node) -> float:
    """A finite number, plain decimal or scientific."""
    letters = word(node) if isinstance(node, Text) else ""
    if not NUMBER.fullmatch(letters) or not math.isfinite(float(letters)):
        hint = "Write the decimal point as `.`." if re.fullmatch(r"-?\d+,\d+", letters) else ""
        raise WrongError(node, "a number such as `0.5` or `1e-3`, without a unit", hint)
    return float(letters)


def whole(minimum: int = 0, *, none: str = "", maximum: int = 10**15) -> Reader:
    """A whole number from `minimum`; the word `none`, where given, stands for no limit and is read as None."""
    expected = f"a whole number from {minimum}" + (f", or `{none}`" if none else "")

    def read(node: Node) -> int | None:
        letters = word(node) if isinstance(node, Text) else ""
        if none and letters == none:
            return None
        if not WHOLE.fullmatch(letters) or not minimum <= int(letters) <= maximum:
            raise WrongError(node, expected)
        return int(letters)

    return read


def duration(node: Node) -> float:
    """Seconds, more than 0, from `90s`, `30m`, `8h`, `1h30m` or a plain number of seconds."""
    letters = word(node) if isinstance(node, Text) else ""
    found = DURATION.fullmatch(f"{letters}s" if PLAIN.fullmatch(letters) else letters)
    if not letters or not found:
        hint = (
            "Write minutes as `90m` and hours and minutes as `1h30m`."
            if ":" in letters or " " in letters
            else ""
        )
        raise WrongError(node, "a time such as `90s`, `30m`, `8h` or `1h30m`", hint)
    seconds = sum(float(part) * unit for part, unit in zip(found.groups(), SECONDS, strict=True) if part)
    if seconds <= 0:
        raise WrongError(node, "a time above 0, such as `90s`, `30m`, `8h` or `1h30m`")
    return seconds


def size(node: Node) -> int:
    """Bytes, more than 0, from `512M`, `2G`, `1GiB` or a plain number of bytes. K is 1024."""
    found = SIZE.fullmatch(word(node)) if isinstance(node, Text) else None
    amount = float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " ") if found else 0
    if amount < 1:
        raise WrongError(node, "a size such as `512M` or `2G`")
    return int(amount)


def gain(node: Node) -> Gain:
    """A smallest gain: absolute, or a share of the incumbent such as `2%`."""
    letters = word(node) if isinstance(node, Text) else ""
    digits = letters.removesuffix("%").rstrip()
    value = float(digits) if NUMBER.fullmatch(digits) else math.nan
    if not 0 <= value < math.inf:
        raise WrongError(node, "a number from 0 in the metric's unit, or a share such as `2%`")
    return Gain(value / 100, relative=True) if letters.endswith("%") else Gain(value)


def choice(*names: str, later: tuple[str, ...] = (), also: Mapping[str, str] | None = None) -> Reader:
    """One of some words; those in `later` are known and refused, those in `also` are other words for one of them."""
    expected = " or ".join(
        [", ".join(f"`{name}`" for name in names[:-1])] * (len(names) > 1) + [f"`{names[-1]}`"]
    )

    def read(node: Node) -> str:
        letters = word(node) if isinstance(node, Text) else ""
        letters = (also or {}).get(letters, letters)
        if letters in names:
            return letters
        if letters in later:
            raise LaterError(node, expected)
        meant = nearest(letters, names)
        raise WrongError(node, expected, f"Did you mean `{meant}`?" if meant else "")

    return read


def none_or(reader: Reader) -> Reader:
    """`none`, read as None, or what `reader` reads."""

    def read(node: Node) -> object:
        return None if isinstance(node, Text) and node.text.strip() == "none" else reader(node)

    return read


def many(reader: Reader) -> Reader:
    """A list of what `reader` reads, as a tuple; a single value is a list of one."""

    def read(node: Node) -> tuple[object, ...]:
        if isinstance(node, Table):
            raise WrongError(node, "a list", "Write `[one, two]`, or a line `- one` for each.")
        return tuple(reader(item) for item in (node.items if isinstance(node, Items) else (node,)))

    return read


def table(reader: Reader) -> Reader:
    """A mapping of text to what `reader` reads. As a flag: `name=value`, repeated."""

    def read(node: Node) -> dict[str, object]:
        if isinstance(node, Table):
            return {key: reader(value) for key, value in node.entries.items()}
        return dict(_pair(item, reader) for item in (node.items if isinstance(node, Items) else (node,)))

    return read


def switches(node: Node) -> object:
    """`evaluator off, maker on`, or the same as a mapping."""
    if isinstance(node, Table):
        return table(choice("on", "off"))(node)
    parts = [part.split() for part in text(node).split(",")]
    if any(len(part) != 2 or part[1] not in ("on", "off") for part in parts):
        raise WrongError(node, "words such as `evaluator off, maker on`")
    return dict(parts)


def _pair(node: Node, reader: Reader) -> tuple[str, object]:
    letters = node.text if isinstance(node, Text) else ""
    key, found, value = letters.rpartition("=")
    if not found or not key.strip():
        raise WrongError(node, "a mapping such as `{name: value}` in a file, `name=value` as a flag")
    return key.strip(), reader(Text(value, node.where, quoted=True))


def maker(node: Node) -> str:
    """The name of a maker with what it needs: `tune`, or `command:` and a shell command."""
    letters = word(node)
    kind, colon, rest = letters.partition(":")
    expected = "`tune` or `command:` followed by a shell command"
    if kind in ("mix", "trim", "patches", "agent", "llm"):
        raise LaterError(node, expected)
    if letters == "tune" or (kind == "command" and rest.strip()):
        return letters
    hint = (
        f"Write `command:{letters}` to run a program."
        if not colon and (" " in letters or "/" in letters)
        else ""
    )
    raise WrongError(node, expected, hint)
