"""Numbers and counts as people read them."""

from __future__ import annotations

from math import inf, isfinite


def number(value: float | None, unit: str | None = None) -> str:
    """A score in at most six significant digits, with its unit; "none" where there is no score."""
    if value is None:
        return "none"
    text = f"{value:.0f}" if 1e6 <= abs(value) < 1e15 and value == int(value) else f"{value:.6g}"
    if not unit:
        return text
    return f"{text}{unit}" if unit == "%" else f"{text} {unit}"


def share(gain: float, reference: float) -> str:
    """A gain as a signed percentage of the size of `reference`; "" when that is 0, or too small to divide by."""
    percent = 100 * (gain / abs(reference)) if reference else inf
    return f"{percent:+.2f} %" if isfinite(percent) else ""


def count(amount: int, noun: str) -> str:
    """An amount and its noun: "1 trial", "3 trials"."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def duration(seconds: float) -> str:
    """A span of time in two units at most: "850 ms", "12.3 s", "4 min 05 s", "3 h 20 min"."""
    if seconds < 0.9995:  # what would be rounded to 1000 ms
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
