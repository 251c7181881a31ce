"""What counts as a number in an evaluator's output.

A number is a whole word: an optional sign (`+`, `-`, the typographic minus), ASCII digits with at most one
decimal point (`.5` and `5.` too), an optional exponent, and a unit or nothing. Quotes, brackets, `=`, `|`,
`;`, `*` and spaces end a word, as do a comma that is not between two digits and two dots or more; a `name:`
before it is set aside, and a full stop or colon after it. Commas that group thousands are read where they
can mean nothing else.

Python's `float` takes more, and none of it is taken here: `1_000`, `nan`, `inf`, other scripts' digits.

Never a number, and passed over in running text: dates, times, versions, addresses, ratios and ranges
(`2026-11-30`, `12:30:01`, `1.2.3`, `10.0.0.1`, `3/10`, `1-3`), `#12`, paths, `file.py:12:`, hexadecimal,
and digits glued to letters that are no unit (`v1.2`, `1e5ab3`, `3rd`). An identifier of digits only cannot
be told from a number.

Never a number, and never passed over, because skipping it would make an older number the score: `nan` and
`inf` in their usual spellings, numbers beyond a float, decimal commas, a single group of thousands,
`1_000`, `1'000`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import msgspec

from jumar.core.model import Reason
from jumar.core.scoring import units
from jumar.core.scoring.formats import quote


class Number(msgspec.Struct, frozen=True):
    """A finite number at `line[start:end]`; `text` is what was printed, a glued unit included."""

    value: float
    text: str
    unit: str | None
    start: int
    end: int


class Problem(msgspec.Struct, frozen=True):
    """What stands in a number's place at `line[start:end]` and is none: the reason code and the sentence."""

    reason: Reason
    text: str
    message: str
    start: int
    end: int


_DIGITS = ".0123456789"
_PLAIN = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+\-−]?[0-9]+)?"
_GROUPED = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"
_SIGN = r"[$€£¥]?[+\-−]?[$€£¥]?"
_GROUPS = re.compile(r"[+\-−]?[0-9]{1,3}(?:,[0-9]{2,3})+(?:\.[0-9]*)?")
_SPACES = "\u00a0\u2009\u202f"
_NUMBER = re.compile(rf"(?P<sign>{_SIGN})(?P<digits>{_GROUPED}|{_PLAIN})(?P<unit>{units.GLUED})?")
_COMMA = re.compile(rf"{_SIGN}(?:[0-9][0-9.]*)?,[0-9]+(?:[eE][+\-−]?[0-9]+)?(?:{units.GLUED})?")
_ODD = re.compile(
    rf"{_SIGN}[0-9]+(?:[_'’{_SPACES}][0-9]+)+(?:[.,][0-9]*)?(?:[eE][+\-−]?[0-9]+)?(?:{units.GLUED})?"
)
_NOT_FINITE = re.compile(
    r"[+\-−]?(?:nan|NaN|NAN|inf|Inf|INF|infinity|Infinity|INFINITY|∞|[0-9]\.#(?:INF|IND|QNAN|SNAN)0*)%?"
)
_JOINT = rf"(?<=[0-9])[,'’](?=[0-9])|(?<=[0-9])[{_SPACES}](?=[0-9]{{3}})"
_WORD = re.compile(rf"(?:[\w.:/+\-−%‰@#\\$€£¥°∞×]|{_JOINT})+")
_ANYTHING = re.compile(r"\S+")
_DOTS = re.compile(r"\.{2,}")
_PREFIX = re.compile(r"(?:[^\W\d][\w.@-]*:)+")
_PIECE = re.compile(r"[^,]+")
_HINTS_AT_NUMBER = re.compile(r"[0-9∞]|n[aA]n|N[aA]N|[iI]nf|INF")
_RATIO = re.compile(r"[ \t]*/[ \t]*[0-9.]+")
_SPACED_GROUPS = re.compile(r"(?: [0-9]{3})+(?![0-9])")
_GROUP_START = re.compile(r"[+\-−]?[1-9][0-9]{0,2}")
_CUT_AFTER = re.compile(r"[0-9]|[._'’][0-9]|[eE][+\-−]?(?![^\W\d_])")


def numbers(line: str) -> Iterator[Number | Problem]:
    """Every number in running text, and all that is in the place of one."""
    if not _HINTS_AT_NUMBER.search(line):
        return
    for word in _WORD.finditer(line):
        begin = word.start()
        for dots in [*_DOTS.finditer(line, begin, word.end()), None]:
            end = dots.start() if dots else word.end()
            yield from _in_word(line, begin, end)
            begin = dots.end() if dots else end


def number_at(line: str, start: int) -> Number | Problem | None:
    """What stands at `start`, where a number is expected; None when the line ends there."""
    word = _WORD.match(line, start) or _ANYTHING.match(line, start)
    if word is None:
        return None
    end = _DOTS.split(word.group(), maxsplit=1)
    found = _expected(line, start, start + len(end[0]) if end[0] else word.end())
    return _unsplit(line, found) if isinstance(found, Number) else found


def number_in(line: str, match: re.Match[str]) -> Number | Problem:
    """The number that is group 1 of `match` in `line`: all of it, and not a part of a longer one."""
    words = match[1].split()
    start = match.start(1) + len(match[1]) - len(match[1].lstrip())
    end = match.start(1) + len(match[1].rstrip())
    if len(words) == 2 and units.beside(line, start + len(words[0])) == words[1]:
        end = start + len(words[0])
    whole = _cut_from(line, start, end, match.re.pattern)
    if whole is not None:
        message = (
            f"The pattern took {quote(line[start:end])} out of {quote(whole)}, which is another number. "
            "Widen its group, for example to `([-+.0-9eE]+)`, and anchor what comes before it."
        )
        return Problem("unparseable", line[start:end], message, start, end)
    return _expected(line, start, end, touching=True)


def _in_word(line: str, start: int, end: int) -> Iterator[Number | Problem]:
    start += line.startswith(":", start, end)
    prefix = _PREFIX.match(line, start, end)
    if prefix is not None and line[end - 1] == ":":
        return  # file.py:12: is a place
    begin, end = prefix.end() if prefix else start, _without_stop(line, start, end)
    for piece in _PIECE.finditer(line, begin, end) if _is_list(line[begin:end]) else [None]:
        span = piece.span() if piece else (begin, end)
        found = _read(line, *span)
        if found and (
            isinstance(found, Problem) or found.text[-1] in _DIGITS or units.known(found.unit or "")
        ):
            yield found


def _expected(line: str, start: int, end: int, *, touching: bool = False) -> Number | Problem:
    end = _without_stop(line, start, end)
    text = line[start:end]
    if not _is_list(text):
        found = _read(line, start, end, touching=touching)
        if found is not None:
            return found
    seen = (
        f"{quote(text)} stands in the number's place and is not a plain number"
        if text
        else "The number is missing"
    )
    message = f"{seen}. Print one, such as `12.5` or `1.2e-3`."
    return Problem("unparseable", text, message, start, end)


def _read(line: str, start: int, end: int, *, touching: bool = False) -> Number | Problem | None:
    """`line[start:end]` as a whole; None when it has nothing of a number."""
    text = line[start:end]
    match = _NUMBER.fullmatch(text)
    if match is None:
        message = _mistake(text)
        return message and Problem(message[0], text, message[1], start, end)
    glued = match["unit"] or match["sign"].strip("+-−")
    if not units.plausible(glued):
        return None
    digits = match["digits"]
    if digits.count(",") == 1 and "." not in digits:
        return Problem("unparseable", text, _ambiguous(text, digits), start, end)
    value = float((match["sign"].strip("$€£¥") + digits).replace(",", "").replace("−", "-"))
    if math.isinf(value):
        return Problem("non_finite", text, f"{quote(text)} is beyond the range of a float.", start, end)
    return Number(value, text, glued or units.beside(line, end, touching=touching), start, end)


def _mistake(text: str) -> tuple[Reason, str] | None:
    if _NOT_FINITE.fullmatch(text):
        return "non_finite", f"{quote(text)} stands in the number's place. A score is a finite number."
    if _COMMA.fullmatch(text):
        return "unparseable", (
            f"{quote(text)} has a decimal comma. Print a decimal point: start the evaluator with "
            "`LC_NUMERIC=C`, or format the number without the locale."
        )
    if _ODD.fullmatch(text) or _GROUPS.fullmatch(text):
        return "unparseable", f"{quote(text)} groups its digits. Print the number without separators."
    return None


def _ambiguous(text: str, digits: str) -> str:
    whole, point = digits.replace(",", ""), digits.replace(",", ".")
    return (
        f"{quote(text)} is ambiguous: it could be {whole} or {point}. "
        f"Print it without a comma, as `{whole}` or `{point}`."
    )


def _unsplit(line: str, found: Number) -> Number | Problem:
    """`found`, unless what follows makes it the first part of something longer: `1 234 567`, `3 / 10`."""
    if ratio := _RATIO.match(line, found.end):
        text = line[found.start : ratio.end()]
        message = f"{quote(text)} is a ratio, not a number. Print the number alone."
    elif (groups := _SPACED_GROUPS.match(line, found.end)) and _GROUP_START.fullmatch(found.text):
        text = line[found.start : groups.end()]
        message = (
            f"{quote(text)} is ambiguous: one number in groups of three, or several. Print it without spaces."
        )
    else:
        return found
    return Problem("unparseable", text, message, found.start, found.start + len(text))


def _cut_from(line: str, start: int, end: int, pattern: str) -> str | None:
    """The longer number that `line[start:end]` is a part of, unless the pattern names what surrounds it."""
    if start == end or not (_cut_before(line, start, pattern) or _cut_after(line, start, end, pattern)):
        return None
    return line[_reach(line, start - 1, -1) + 1 : _reach(line, end, 1)]


def _cut_before(line: str, start: int, pattern: str) -> bool:
    before, behind = line[start - 1 : start], line[max(start - 2, 0) : max(start - 1, 0)]
    named = f"\\{before}(" in pattern or (before != "." and f"{before}(" in pattern)
    if named or line[start] not in _DIGITS:
        return False
    if before in ("-", "−"):
        return not (behind.isalnum() or behind in tuple("_)]-"))
    return before.isdigit() or (before == "." and behind != ".") or (before == "," and behind.isdigit())


def _cut_after(line: str, start: int, end: int, pattern: str) -> bool:
    if line[end - 1] not in _DIGITS:
        return False
    if line.startswith(",", end):
        return line[start:end].isdigit() and line[end + 1 : end + 2].isdigit() and ")," not in pattern
    return _CUT_AFTER.match(line, end) is not None


def _reach(line: str, at: int, step: int) -> int:
    """The first position from `at` on, at most 40 away, that is not part of a number."""
    limit = at + 40 * step
    while at != limit and 0 <= at < len(line) and (line[at].isalnum() or line[at] in ".,+-−_'’"):
        at += step
    return at


def _is_list(text: str) -> bool:
    """Whether commas separate whole numbers: `0.5,0.6` and `1,2,3`, but neither `1,234,567` nor `0,87`."""
    parts = text.split(",")
    if len(parts) == 1 or _GROUPS.fullmatch(text):
        return False
    return all(map(_NUMBER.fullmatch, parts)) and (len(parts) > 2 or all("." in part for part in parts))


def _without_stop(line: str, start: int, end: int) -> int:
    """Where the word ends without the full stops, colons and dashes of the sentence around it."""
    kept = len(line[start:end].rstrip(".:-"))
    return start + kept if kept else end
