"""Where a literal stands in a text, as the finders of the formats report it."""

from __future__ import annotations

import msgspec


class Spot(msgspec.Struct, frozen=True):
    """Offsets of a literal in characters, and the dotted name it goes by.

    A `shy` one counts only where a marker asks for it: a text, a switch that a call needs, a counter's first value.
    `about` is more words that say what it is, `--seed` for the default of that option.
    """

    start: int
    end: int
    name: str
    shy: bool = False
    about: str = ""
