"""Where a constant may go: its range or choices, and the values on it that are worth writing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from jumar.makers.tune.literals import Value
from jumar.makers.tune.markers import Marker
from jumar.makers.tune.model import Constant

# Numbers that say who, when or which, and not how much. Tuning a seed would be gaming the measure.
IDENTITIES = {
    "seed", "seeds", "rng", "version", "revision", "port", "ports", "id", "uid", "gid", "pid", "year", "date", "timestamp",
    "schema", "copyright", "api", "build",
}  # fmt: skip
SEEDS = {"seed", "seeds", "rng"}
# Fractions: a share of something, and never more than all of it.
FRACTIONS = {
    "dropout", "momentum", "beta", "beta1", "beta2", "betas", "ratio", "prob", "probability", "probabilities", "fraction",
    "frac", "quantile", "discount", "ema", "opacity", "subsample",
}  # fmt: skip
# A share smaller than this is searched by its magnitude, like any other float.
SMALL_FRACTION = 0.02
SMALL_INTEGER = 8
DIGITS = 2
# How finely a float is tried where the sampler finds nothing new.
GRID = 100


def words(name: str) -> list[str]:
    """The lower-case words of a dotted name in any style."""
    return re.findall(r"[a-z]+[0-9]*|[0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower())


def is_identity(name: str) -> bool:
    """Whether a constant of this dotted name is a seed, a version, a date, a port or the like."""
    parts = re.split(r"[.(\[]", name)
    last, rest = words(parts[-1]), words(name)
    if {"random", "state"} <= set(rest) or SEEDS & set(rest):
        return True
    return bool(IDENTITIES & set(last)) or parts[-1].startswith("__")


def ranged(constant: Constant, marker: Marker) -> Constant:
    """The constant with the range or the choices of its marker, which is of its type."""
    if marker.choices:
        return replace(constant, choices=marker.choices, marked=True)
    low, high = marker.low, marker.high
    whole = all(isinstance(number, int) for number in (low, high, constant.value))
    value = constant.value if whole else float(constant.value)
    return replace(constant, value=value, low=low, high=high, log=marker.log, marked=True)


def inferred(constant: Constant) -> Constant | None:
    """The constant with a range from its value and its name; None for a text."""
    value = constant.value
    if isinstance(value, bool):
        return replace(constant, choices=(True, False))
    if isinstance(value, str) or abs(value) > 1e15:
        return None
    low, high, log = reach(abs(value), constant.name)
    if value < 0:
        low, high = -high, -low
    return replace(constant, low=low, high=high, log=log)


def reach(size: float, name: str) -> tuple[int | float, int | float, bool]:
    """(low, high, logarithmic) for a number that is not negative."""
    if isinstance(size, int):
        if size >= SMALL_INTEGER:
            return -(-size // 4), size * 4, True
        return (1 if size else 0), size * 2 + (2 if size else 3), False
    if size == 0:
        return 0.0, 1.0, False
    if SMALL_FRACTION <= size < 1 and FRACTIONS & set(words(name.rpartition(".")[2])):
        return 0.0, short(max(0.99, (1 + size) / 2), 6), False
    return short(size / 10, 6), short(size * 10, 6), True


def short(value: float, digits: int) -> float:
    """A float of so many significant digits."""
    return float(f"{value:.{digits - 1}e}")


def settle(constant: Constant, raw: Value) -> Value:
    """The value nearest to `raw` that somebody would write: two digits, or as many as the file has, within the range."""
    if constant.choices or isinstance(raw, bool | str) or constant.low is None or constant.high is None:
        return raw
    if isinstance(constant.value, int):
        return min(max(round(raw), constant.low), constant.high)
    digits = min(max(DIGITS, significant(constant.literal)), 4)
    if constant.log:
        value = short(float(raw), digits)
    else:
        step = 2 - math.floor(math.log10(float(constant.high) - float(constant.low)))
        value = round(float(raw), max(step, decimals(constant.literal)))
    return float(min(max(value, constant.low), constant.high))


def significant(literal: str) -> int:
    """How many significant digits a number is written with."""
    return len(re.sub(r"[eE].*|[-+_.]", "", literal).lstrip("0"))


def decimals(literal: str) -> int:
    """How many digits stand after the point."""
    return len(re.sub(r"[eE].*", "", literal).partition(".")[2])


def alternatives(constant: Constant, around: Value) -> Iterator[Value]:
    """The values a constant may take instead of its own, nearest to `around` first: every choice, every integer, GRID floats."""
    if constant.choices or isinstance(around, bool | str):
        yield from (choice for choice in constant.choices if choice != constant.value)
    elif isinstance(constant.value, int):
        yield from (value for value in integers(constant, round(around)) if value != constant.value)
    else:
        values = {settle(constant, place(constant, index / (GRID - 1))) for index in range(GRID)} - {
            constant.value
        }
        here = unit_of(constant, around)
        yield from sorted(values, key=lambda value: (abs(unit_of(constant, value) - here), value))


def integers(constant: Constant, around: int) -> Iterator[int]:
    """Every integer of a range, nearest first."""
    low, high = (int(end) for end in bounds(constant))
    for distance in range(max(abs(high - around), abs(around - low)) + 1):
        yield from (
            value for value in dict.fromkeys((around - distance, around + distance)) if low <= value <= high
        )


def place(constant: Constant, unit: float) -> float:
    """The number at `unit` (0 to 1) of a constant's range, on its scale."""
    low, high = bounds(constant)
    if not constant.log:
        return low + unit * (high - low)
    sign = -1.0 if high < 0 else 1.0
    return sign * math.exp(math.log(abs(low)) + unit * (math.log(abs(high)) - math.log(abs(low))))


def unit_of(constant: Constant, value: Value) -> float:
    """Where a number is on a constant's scale: 0 at its lower end, 1 at its upper; beyond these outside the range."""
    low, high = bounds(constant)
    number = float(value)
    if not constant.log:
        return (number - low) / (high - low)
    if number * low <= 0:
        return 0.0 if low > 0 else 1.0
    return (math.log(abs(number)) - math.log(abs(low))) / (math.log(abs(high)) - math.log(abs(low)))


def bounds(constant: Constant) -> tuple[float, float]:
    """The ends of a range as floats."""
    if constant.low is None or constant.high is None:
        raise ValueError(f"{constant.name} has choices, and no range")
    return float(constant.low), float(constant.high)


def replace(constant: Constant, **changes: object) -> Constant:
    """A copy with other fields."""
    fields = {name: getattr(constant, name) for name in constant.__struct_fields__}
    return Constant(**{**fields, **changes})
