"""What a style takes for a key: a range, such as `1..50`, `1m..120m` or `..500000`, and values besides it, such as `1..50 or 0`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jumar.mission.keys import KEYS
from jumar.mission.nodes import Text, Where, describe
from jumar.mission.problems import WrongError
from jumar.mission.settings import Settings


@dataclass(frozen=True, slots=True)
class Range:
    """The bounds, as numbers of the key's own unit; None is no bound. `words` is how a person says it."""

    low: float | None
    high: float | None
    besides: tuple[float, ...]
    words: str

    def holds(self, value: object) -> bool:
        """Whether a key may have this value; None stands for no limit at all."""
        if not isinstance(value, int | float):
            return self.high is None
        inside = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        return inside or value in self.besides


def read_range(key: str, text: str) -> Range:
    """The range that a style's data gives for a key. Raises WrongError where it is none."""
    span, *others = (part.strip() for part in text.split(" or "))
    low, dots, high = (part.strip() for part in span.partition(".."))
    if not dots or not (low or high):
        raise WrongError(Text(text, Where(key)), "a range such as 1..50")
    besides = tuple(_number(key, other) for other in others)
    words = " to ".join(
        filter(
            None,
            (low and (low if high else f"at least {low}"), high and (high if low else f"at most {high}")),
        )
    )
    return Range(_number(key, low) if low else None, _number(key, high) if high else None, besides, words)


def _number(key: str, text: str) -> float:
    value = KEYS[key].read(Text(text, Where(key)))
    if not isinstance(value, int | float):
        raise WrongError(Text(text, Where(key)), "a number of the key's own unit")
    return value


def outside(limits: Mapping[str, str], key: str, value: object) -> str | None:
    """Which values the style takes, where this is none of them."""
    found = read_range(key, limits[key]) if key in limits else None
    return found.words if found and not found.holds(value) else None


def check_limits(settings: Settings, limits: Mapping[str, str], style: str) -> None:
    """Every key that was given lies within the style's limits; what does not goes to the problems."""
    for key, words in _beyond(settings, limits):
        given = settings.given[key]
        message = f"`{key}` is {describe(given.node)}, and the style `{style}` takes {words}."
        settings.complain(given.where, key, message, f"Give {KEYS[key].flag} {words}, or use another style.")


def _beyond(settings: Settings, limits: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in limits:
        if key in settings and (words := outside(limits, key, settings[key])):
            yield key, words
