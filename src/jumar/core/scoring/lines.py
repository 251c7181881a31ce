"""Readers of plain text: `named`, `pattern`, `last_number`, `single`, `lines`.

`named` finds its name as a whole word. What may not stand before it, since it would be part of a longer
name: a letter, a digit, `_`, `-`, `.`, `/`, `@`, `$` or `#`. So `score` is not in `highscore: 3`,
`val-score: 3`, `val/score: 3` or `--score=3`, and is in `INFO:root:score: 3` and `(score=3)`. After it only
the separator may follow, so neither `score_total: 3` nor `score.mean: 3` is `score`. Quotes, asterisks and
backticks round the name are set aside (JSON, Markdown); `==`, `:=`, `::` and `=>` are no separators.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import deque

import msgspec

from jumar.core.model import Measurement
from jumar.core.scoring.formats import Format, failed, quote
from jumar.core.scoring.numerals import Number, Problem, number_at, number_in, numbers
from jumar.core.scoring.units import with_declared

SHOWN = 8
_BEFORE = r"(?<![\w\-./@$#])"
_SEPARATOR = r"[\"'`*]{0,3}[ \t]*(?::(?![=:])|=(?![=>]))[`*]{0,3}[ \t\u00a0\u202f]*[`*]{0,3}"
_OTHER = re.compile(rf"{_BEFORE}([^\W\d][\w.@/\-]{{0,59}}){_SEPARATOR}(?=[$€£¥+\-−]{{0,2}}[.0-9])")
_AT_START = re.compile(r"([^\W\d][\w.@/\-]{0,59})[ \t]*:(?![=:])[ \t]*")
METRICS = 200  # names that are kept
_HOW = "Print a line such as `score: 12.5` and set `metric_name: score`, or choose another `parser`."


class LineReader(ABC):
    """What the readers of plain text share: the last line, and how what was found becomes a measurement."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self.last = ""
        self.found: Number | Problem | None = None
        self.matched = ""

    def feed(self, line: str) -> None:
        """Take the next line."""
        if line and not line.isspace():
            self.last = line[:200]
            self.look(line)

    @abstractmethod
    def look(self, line: str) -> None:
        """Look for the score in a line that is not blank."""

    def keep(self, line: str, start: int, found: Number | Problem) -> None:
        """Make `found` the answer so far; `start` is where the text that leads to it begins."""
        self.found = found
        self.matched = _around(line, start, found.end)

    def missing(self) -> str:
        """The sentence for an output without a score."""
        return f"There is no number in the output; its last line is {quote(self.last, 120)}. {_HOW}"

    def result(self) -> Measurement:
        """The measurement of all lines so far."""
        if self.found is None:
            return failed("unparseable", self.missing()) if self.last else nothing_printed()
        if isinstance(self.found, Problem):
            message = f"{self.found.message} It was printed in {quote(self.matched, 120)}."
            return msgspec.structs.replace(failed(self.found.reason, message), matched=self.matched)
        measurement = Measurement(score=self.found.value, unit=self.found.unit, matched=self.matched)
        return with_declared(self.format.unit, measurement)


class NamedReader(LineReader):
    """`name: number` or `name = number`, anywhere in a line; the last one that has a value wins."""

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self.name = unicodedata.normalize("NFC", format.name or "")
        self.regex = re.compile(_BEFORE + re.escape(self.name) + _SEPARATOR)
        self.others: dict[str, str] = {}

    def look(self, line: str) -> None:
        """Keep the last value of the name; until there is one, collect the other names for the message."""
        if not line.isascii():
            line = unicodedata.normalize("NFC", line)
        if self.name in line:
            for match in reversed(list(self.regex.finditer(line))):
                if found := number_at(line, match.end()):
                    self.keep(line, match.start(), found)
                    break
        if self.found is None:
            self._collect(line)

    def _collect(self, line: str) -> None:
        for match in deque(_OTHER.finditer(line), maxlen=SHOWN):
            found = number_at(line, match.end())
            if isinstance(found, Number):
                self.others.pop(match[1], None)
                self.others[match[1]] = found.text
                if len(self.others) > SHOWN:
                    del self.others[next(iter(self.others))]

    def missing(self) -> str:
        """Name what was printed instead."""
        if not self.others:
            last = f"There is no `{self.name}` in the output; its last line is {quote(self.last, 120)}."
            return f"{last} Print a line such as `{self.name}: 12.5`."
        found = ", ".join(f"`{name}` ({value})" for name, value in self.others.items())
        how = f"Set `metric_name` to what is printed, or print `{self.name}: 12.5`."
        return f"There is no `{self.name}` in the output; found {found}. {how}"


class LinesReader(LineReader):
    """`name: number` at a line's start. The score is the name's last value, every other name a metric."""

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self.metrics: dict[str, float] = {}

    def look(self, line: str) -> None:
        """Take the value of a line that begins with a name."""
        match = _AT_START.match(line)
        found = number_at(line, match.end()) if match else None
        if match is None or found is None:
            return
        if match[1] == self.format.name:
            self.keep(line, 0, found)
        elif isinstance(found, Number) and (match[1] in self.metrics or len(self.metrics) < METRICS):
            self.metrics[match[1]] = found.value

    def missing(self) -> str:
        """Name what was printed instead."""
        name = self.format.name
        given = ", ".join(f"`{known}`" for known in list(self.metrics)[:SHOWN]) or "none"
        last = f"No line begins with `{name}:`; the last line is {quote(self.last, 120)}"
        return (
            f"{last}, and the names that lines begin with are: {given}. Print a line such as `{name}: 12.5`."
        )

    def result(self) -> Measurement:
        """The measurement, with the metrics beside the score."""
        found = super().result()
        return found if found.error else msgspec.structs.replace(found, metrics=self.metrics)


class PatternReader(LineReader):
    """Group 1 of a regular expression; the last match wins."""

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self.regex = re.compile(format.pattern or "")

    def look(self, line: str) -> None:
        """Keep the last match."""
        for match in self.regex.finditer(line):
            if match[1] is not None:
                found = number_in(line, match)
                self.keep(line, min(match.start(), found.start), found)

    def missing(self) -> str:
        """Show the pattern beside the last line."""
        pattern, last = quote(self.regex.pattern), quote(self.last, 120)
        return f"The pattern {pattern} matches nothing in the output; its last line is {last}."


class LastNumberReader(LineReader):
    """The last number on stdout."""

    def look(self, line: str) -> None:
        """Keep the line's last number."""
        if last := deque(numbers(line), maxlen=1):
            self.keep(line, max(0, last[0].start - 80), last[0])


class SingleReader(LineReader):
    """The only number on stdout; more than one is an error that lists them."""

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self.count = 0
        self.texts: list[str] = []

    def look(self, line: str) -> None:
        """Count the line's numbers."""
        for found in numbers(line):
            self.count += 1
            if self.count <= SHOWN:
                self.texts.append(quote(found.text, 30))
                self.keep(line, max(0, found.start - 80), found)

    def result(self) -> Measurement:
        """The measurement, or the list of what stands in its way."""
        if self.count < 2:
            return super().result()
        more = f" and {self.count - SHOWN} more" if self.count > SHOWN else ""
        message = (
            f"The output has {self.count} numbers ({', '.join(self.texts)}{more}), "
            "and nothing says which is the score. Name it with `metric_name`, or set `pattern` or "
            "`parser: last_number`."
        )
        return failed("unparseable", message)


def nothing_printed() -> Measurement:
    """The error of an evaluator that printed nothing on stdout."""
    message = "The evaluator printed nothing on stdout. Print the score there; stderr is not read."
    return failed("no_output", message)


def _around(line: str, start: int, end: int) -> str:
    """At most 200 characters of `line`, from `start` on, to show what was read."""
    if len(line) <= 200:
        return line.strip()
    return line[min(start, max(0, end - 160)) : end + 40][-200:].strip()
