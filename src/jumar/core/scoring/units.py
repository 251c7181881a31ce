"""Units as they are printed beside a number.

A word after a space is a unit only when it is on a list here or is a rate over something on it (`req/s`,
`ns/op`): in "score: 0.5 is the result" there is none. Letters glued to a number need no list where the
number's place is known (`score: 12pts`), but do in running text, where `3rd` and `12345ab` are not numbers.
"""

from __future__ import annotations

import re

import msgspec

from jumar.core.model import Measurement
from jumar.core.scoring.formats import failed

ALIASES = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "msecs": "ms", "millis": "ms",
    "milliseconds": "ms", "us": "µs", "\u03bcs": "µs", "usec": "µs", "microseconds": "µs",
    "nsec": "ns", "nanoseconds": "ns", "mins": "min", "minute": "min", "minutes": "min",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "byte": "B", "bytes": "B",
    "kB": "KB", "percent": "%", "pct": "%", "×": "x", "ops/sec": "ops/s",
}  # fmt: skip
NAMES = frozenset(
    [
        "%", "‰", "°C", "°F", "ps", "ns", "µs", "ms", "s", "min", "h", "B", "KB", "MB", "GB", "TB",
        "KiB", "MiB", "GiB", "TiB", "Kb", "Mb", "Gb", "Kbit", "Mbit", "Gbit", "bits", "bit", "Hz",
        "kHz", "MHz", "GHz", "fps", "FPS", "rpm", "W", "mW", "kW", "Wh", "kWh", "J", "mJ", "kJ",
        "dB", "bps", "kbps", "Mbps", "Gbps", "qps", "rps", "tps", "QPS", "RPS", "TPS", "GFLOPS",
        "TFLOPS", "FLOPS", "x", "px", "USD", "EUR", "GBP", "pp",
    ]
) | frozenset(ALIASES)  # fmt: skip
GLUED_ONLY = frozenset(["k", "K", "M", "G", "T", "d", "m", "V", "A", "b", "$", "€", "£", "¥"])
_NOT_UNITS = frozenset(["e", "E", "st", "nd", "rd", "th"])
_OVER = (
    "s|sec|second|min|h|op|ops|iter|it|step|tok|token|call|req|request|query|epoch|image|img|frame|file|row|"
    "line|run"
)
_RATE = re.compile(rf"(?:[^\W\d_]{{1,12}})?/(?:{_OVER})")
GLUED = r"%|×|‰|°[CF]?|/?[^\W\d_]+(?:/[^\W\d_]+)?"
_WORDS = "|".join(sorted(map(re.escape, NAMES), key=lambda word: (-len(word), word)))
_BESIDE = re.compile(rf"[ \u00a0\u202f]({_RATE.pattern}|{_WORDS})(?![\w/%°-])(?![ \t]*[:=])")
_TOUCHING = re.compile(rf"({GLUED})(?!\w)")


def known(unit: str) -> bool:
    """Whether letters glued to a number in running text make a unit."""
    return unit in NAMES or unit in GLUED_ONLY or _RATE.fullmatch(unit) is not None


def plausible(unit: str) -> bool:
    """Whether letters glued to an expected number can be a unit: no ordinal, no half of an exponent."""
    return unit not in _NOT_UNITS


def beside(line: str, end: int, *, touching: bool = False) -> str | None:
    """The unit one space after the number that ends at `end`; with `touching` also one directly after it."""
    match = (touching and _TOUCHING.match(line, end)) or _BESIDE.match(line, end)
    return match.group(1) if match and plausible(match.group(1)) else None


def canonical(unit: str | None) -> str | None:
    """One spelling for each unit: `sec` and `seconds` are `s`. None and blanks are no unit."""
    unit = (unit or "").strip()
    return ALIASES.get(unit, unit) or None


def check_unit(before: str | None, measurement: Measurement) -> Measurement:
    """`measurement`, or the error `unit_changed` when its score is in another unit than `before`.

    `before` is the unit of the run's first *measured* score, None when it had none: a unit that turns up
    later is a change too, since nothing says that the first number was in it. Nothing is converted, `ms` to
    `s` neither: an evaluator that changes its unit on the way has changed, and its next change may be one
    that no table knows.
    """
    if measurement.error is not None or measurement.score is None:
        return measurement
    if canonical(before) == canonical(measurement.unit):
        return measurement
    return _changed(before, measurement, "before", "Print every score in the same unit.")


def with_declared(declared: str | None, measurement: Measurement) -> Measurement:
    """`measurement` in the unit that the mission declares, or an error when another one was printed."""
    if declared is None or measurement.error is not None or measurement.score is None:
        return measurement
    if measurement.unit is None or canonical(declared) == canonical(measurement.unit):
        return msgspec.structs.replace(measurement, unit=declared)
    return _changed(declared, measurement, "in the mission", "Mend `unit` in the mission or what is printed.")


def _changed(before: str | None, measurement: Measurement, when: str, hint: str) -> Measurement:
    units = f"{canonical(before) or 'none'} {when}, {canonical(measurement.unit) or 'none'} now"
    where = f" It was read from `{measurement.matched}`." if measurement.matched else ""
    message = f"The score's unit changed ({units}): {measurement.score:g} cannot be compared.{where} {hint}"
    return msgspec.structs.replace(failed("unit_changed", message), matched=measurement.matched)
