"""Literals as they stand in a file: reading a value, and writing another in the same style."""

from __future__ import annotations

import re
from decimal import Decimal

Value = bool | int | float | str

INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*(?:_[0-9]+)*)")
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
OPPOSITES = {"true": "false", "yes": "no", "on": "off"}
SWITCHES = {**OPPOSITES, **{no: yes for yes, no in OPPOSITES.items()}}
QUOTES = "\"'"
# Beyond these a fixed-point literal is a row of zeros that nobody can read.
SMALLEST, LARGEST = -12, 16
# A longer row of digits is data, and Python refuses to read one of some thousands.
LONGEST = 60


def read(literal: str) -> Value | None:
    """The value of a literal: a number, a switch (true, no, Off), a quoted or a bare string; None for no literal."""
    if number := read_number(literal):
        return number[0]
    if literal.lower() in SWITCHES:
        return literal.lower() in OPPOSITES
    if is_quoted(literal):
        return literal[1:-1]
    return literal or None


def read_number(literal: str) -> tuple[int | float] | None:
    """The number a literal stands for, alone in a tuple so that 0 is not mistaken for none."""
    if len(literal) > LONGEST:
        return None
    if INTEGER.fullmatch(literal):
        return (int(literal),)
    if not NUMBER.fullmatch(literal) or re.fullmatch(r"[-+]?[0-9_]+", literal):
        return None
    value = float(literal)
    return (value,) if abs(value) < float("inf") else None


def is_setting(literal: str) -> bool:
    """A number or a switch, as opposed to a text."""
    return NUMBER.fullmatch(literal) is not None or literal.lower() in SWITCHES


def is_quoted(literal: str) -> bool:
    """Whether a literal is one single-line string in plain quotes, with none of them inside."""
    if len(literal) < 2 or literal[0] not in QUOTES or literal[-1] != literal[0]:
        return False
    return literal[0] not in literal[1:-1] and "\n" not in literal and "\r" not in literal


def write(old: str, value: Value) -> str:
    """`value` in the style of the literal `old`: exponents, decimals, padding, quotes and letter case stay.

    Every digit of the value is written, so reading the result gives `value` again.
    """
    if isinstance(value, bool):
        return write_switch(old, value)
    if isinstance(value, str):
        return old[0] + value + old[0] if is_quoted(old) else value
    if isinstance(value, int) and not looks_float(old):
        return with_plus(old, grouped(old, str(value)))
    return with_plus(old, write_float(old, float(value)))


def looks_float(literal: str) -> bool:
    """Whether a number is written with a point or an exponent."""
    return any(mark in literal for mark in ".eE")


def write_switch(old: str, value: bool) -> str:
    """The switch of the pair that `old` belongs to, in its letter case."""
    word = old.lower()
    if word not in SWITCHES:
        return str(value).lower()
    if (word in OPPOSITES) != value:
        word = SWITCHES[word]
    if old.isupper():
        return word.upper()
    return word.capitalize() if old[0].isupper() else word


def with_plus(old: str, new: str) -> str:
    """`new` with the plus sign that `old` has."""
    return f"+{new}" if old.startswith("+") and not new.startswith("-") else new


def grouped(old: str, digits: str) -> str:
    """Thousands in groups where `old` groups them."""
    return f"{int(digits):_}" if "_" in old else digits


def write_float(old: str, value: float) -> str:
    """A float: scientific where `old` is, fixed-point elsewhere."""
    exact = Decimal(repr(value))
    mantissa, _, exponent = old.lower().partition("e")
    if exponent:
        return scientific(exact, mantissa, exponent, "E" if "E" in old else "e")
    if value and not SMALLEST <= exact.adjusted() <= LARGEST:
        return scientific(exact, "0.0", "-0", "e")
    return fixed(exact, mantissa)


def scientific(exact: Decimal, mantissa: str, exponent: str, mark: str) -> str:
    """Mantissa and exponent, the latter as wide as it was."""
    power = exact.adjusted() if exact else 0
    sign = "-" if power < 0 else "+" if exponent.startswith("+") else ""
    width = len(exponent.lstrip("+-"))
    lead = exact.scaleb(-power) if exact else Decimal(0)
    digits = fixed(lead, mantissa) if "." in mantissa else f"{lead.normalize():f}"
    return f"{digits}{mark}{sign}{abs(power):0{width}d}"


def fixed(exact: Decimal, old: str) -> str:
    """Fixed-point with at least the decimals of `old`, and its way of leaving out a zero (`.5`, `5.`)."""
    whole, _, decimals = f"{exact:f}".partition(".")
    decimals = decimals.rstrip("0").ljust(len(old.partition(".")[2]), "0")
    if not decimals and not old.endswith("."):
        decimals = "0"
    if old.lstrip("+-").startswith(".") and whole.lstrip("-") == "0":
        whole = whole.replace("0", "")
    elif "_" in old:
        whole = f"{int(whole):_}" if whole != "-0" else whole
    return f"{whole}.{decimals}"
