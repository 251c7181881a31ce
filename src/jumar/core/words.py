"""Numbers and counts as people read them."""

from __future__ import annotations


def number(value: float | None, unit: str | None = None) -> str:
    """A score in at most six significant digits, with its unit; "none" where there is no score."""
    if value is None:
        return "none"
    text = f"{value:.6g}" if abs(value) < 1e6 or value != int(value) else f"{value:.0f}"
    if not unit:
        return text
    return f"{text}{unit}" if unit == "%" else f"{text} {unit}"


def share(gain: float, reference: float) -> str:
    """A gain as a signed percentage of the size of `reference`; "" when that is 0."""
    return f"{100 * gain / abs(reference):+.2f} %" if reference else ""


def count(amount: int, noun: str) -> str:
    """An amount and its noun: "1 trial", "3 trials"."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def duration(seconds: float) -> str:
    """A span of time in two units at most: "850 ms", "12.3 s", "4 min 05 s", "3 h 20 min"."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
