"""The constants of a text, and the text with other values in their place. Pure."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from jumar.errors import MakerError
from jumar.makers.tune.data import find_json, find_toml, find_yaml
from jumar.makers.tune.lines import find_assignments, find_beside_markers, find_css, fits
from jumar.makers.tune.literals import Value, read, write
from jumar.makers.tune.markers import SYNTAX, Lines, Marker, family, find_markers
from jumar.makers.tune.model import Constant
from jumar.makers.tune.python import find_python
from jumar.makers.tune.space import inferred, is_identity, ranged
from jumar.makers.tune.spots import Spot

FINDERS = {
    ".py": find_python, ".pyi": find_python,
    ".yaml": find_yaml, ".yml": find_yaml,
    ".json": find_json, ".jsonc": find_json, ".json5": find_json,
    ".toml": find_toml,
    ".ini": find_assignments, ".cfg": find_assignments, ".conf": find_assignments, ".properties": find_assignments,
    ".env": find_assignments,
    ".css": find_css, ".scss": find_css, ".less": find_css,
}  # fmt: skip


def find_constants(path: str, text: str) -> list[Constant]:
    """The constants of one file, in the order in which they stand in it. `path` tells the format and is what messages name.

    What a format cannot parse is read by line. Raises MakerError for a marker that is malformed, or stands beside no
    constant of its type. See `markers` for their syntax.
    """
    return list(constants_of(path, text))


@functools.lru_cache(maxsize=64)
def constants_of(path: str, text: str) -> tuple[Constant, ...]:
    """The same, remembered: most files are as they were a trial ago."""
    suffix = suffix_of(path)
    markers = find_markers(path, text, python=suffix in (".py", ".pyi"))
    spots = find_spots(suffix, text)
    lines = Lines(text)
    served = {
        lines.number(spot.start)
        for spot in spots
        if serves(text, spot, markers.get(lines.number(spot.start)))
    }
    spots += find_beside_markers(text, [m for line, m in markers.items() if line not in served and not m.off])
    counts: Counter[str] = Counter()
    found = []
    for spot in sorted({spot.start: spot for spot in spots}.values(), key=lambda spot: spot.start):
        counts[spot.name] += 1
        key = f"{path}::{spot.name}" + (f"#{counts[spot.name]}" if counts[spot.name] > 1 else "")
        found.append((spot, at(path, text, lines, spot, key)))
    constants = tuple(
        c for spot, found_at in found if (c := with_range(text, spot, found_at, markers.get(found_at.line)))
    )
    refuse_idle(path, markers.values(), constants)
    return constants


def suffix_of(path: str) -> str:
    """The suffix that tells the format: `.env` for `.env` and `.env.local` too."""
    name = PurePosixPath(path).name.lower()
    return ".env" if re.match(r"\.env\b", name) else PurePosixPath(name).suffix


def find_spots(suffix: str, text: str) -> list[Spot]:
    """The literals that the format's own finder sees, or a reading by line when it cannot."""
    finder = FINDERS.get(suffix)
    if finder is None:
        return []
    try:
        return list(finder(text))
    except (SyntaxError, ValueError):
        return find_assignments(text)


def at(path: str, text: str, lines: Lines, spot: Spot, key: str) -> Constant:
    """The constant of a spot, without a range yet."""
    literal = text[spot.start : spot.end]
    value = read(literal)
    line = lines.number(spot.start)
    return Constant(
        path, line, spot.start, spot.end, spot.name, key, literal, literal if value is None else value
    )


def serves(text: str, spot: Spot, marker: Marker | None) -> bool:
    """Whether a marker of its line speaks of this literal."""
    if marker is None or marker.start < spot.end:
        return False
    return marker.off or fits(text[spot.start : spot.end], marker, bare=True)


def with_range(text: str, spot: Spot, constant: Constant, marker: Marker | None) -> Constant | None:
    """The constant as it may be tuned, or None when it is to be left alone."""
    if marker and serves(text, spot, marker):
        return None if marker.off else ranged(constant, marker)
    if spot.shy or is_identity(f"{spot.about}.{spot.name}"):
        return None
    return inferred(constant)


def refuse_idle(path: str, markers: Iterable[Marker], constants: Iterable[Constant]) -> None:
    """Raise MakerError for a marker that no constant stands beside."""
    lines = {constant.line for constant in constants if constant.marked}
    for marker in markers:
        if not marker.off and marker.line not in lines:
            raise MakerError(
                f"The jumar marker in {path}, line {marker.line}, stands beside no {wanted(marker)}.",
                hint=f"Put it at the end of the line that holds the literal, as one of: {SYNTAX}",
            )


def wanted(marker: Marker) -> str:
    """What a marker needs beside it, in words."""
    kinds = {bool: "true or false", str: "text", float: "number"}
    return kinds[family(marker.choices[0])] if marker.choices else "number"


def rewrite(text: str, values: Mapping[Constant, Value]) -> str:
    """`text` with these constants of it set to these values, each in the style of its literal; all else stays as it is.

    Raises ValueError when a constant is not where it was found.
    """
    for constant in sorted(values, key=lambda constant: constant.start, reverse=True):
        if text[constant.start : constant.end] != constant.literal:
            raise ValueError(f"{constant.name} is not at line {constant.line} of this text")
        text = text[: constant.start] + write(constant.literal, values[constant]) + text[constant.end :]
    return text


def tunable(constants: Iterable[Constant]) -> list[Constant]:
    """The marked ones where there are any, else all; those that have somewhere to go."""
    every = list(constants)
    marked = [constant for constant in every if constant.marked]
    return marked or every
