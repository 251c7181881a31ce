"""Reading a score: from an evaluator's output to a finite number, or to an error that says what was seen.

A score is read by one strict parser or it is an error; nothing is guessed. `numerals` says what a number
is, `units` what may stand beside it, `lines` reads plain text and `objects` JSON. All of it is pure and
streams.
"""

from __future__ import annotations

import re

from jumar.core.scoring.formats import Format, Parser, Reader
from jumar.core.scoring.lines import LastNumberReader, LinesReader, NamedReader, PatternReader, SingleReader
from jumar.core.scoring.objects import LIMIT, JsonLineReader, WholeJsonReader, read_result_file
from jumar.core.scoring.units import check_unit
from jumar.core.text import LINE_LIMIT

__all__ = ["Format", "Parser", "Reader", "check_unit", "line_limit", "read_result_file", "reader", "validate"]


def reader(format: Format) -> Reader:
    """A fresh reader for one evaluation's stdout; `format` is valid.

    Raises ValueError for parser `file`, which does not read stdout: see `read_result_file`.
    """
    match format.parser:
        case "named":
            return NamedReader(format)
        case "pattern":
            return PatternReader(format)
        case "last_number":
            return LastNumberReader(format)
        case "single":
            return SingleReader(format)
        case "lines":
            return LinesReader(format)
        case "last_json_line":
            return JsonLineReader(format)
        case "whole_json":
            return WholeJsonReader(format)
        case _:
            raise ValueError("parser `file` reads the file that JUMAR_RESULT names, not stdout")


def line_limit(format: Format) -> int:
    """How many characters of a line to feed: a JSON result must not lose its middle, other lines may."""
    return LIMIT if format.parser in ("last_json_line", "whole_json") else LINE_LIMIT


def validate(format: Format) -> str | None:
    """What is wrong with a format, as a sentence for the mission's author; None when nothing is."""
    if format.parser in ("named", "lines"):
        return _validate_name(format.name or "", format.parser)
    return _validate_pattern(format.pattern or "") if format.parser == "pattern" else None


def _validate_name(name: str, parser: Parser) -> str | None:
    if not name.strip():
        return (
            f"The parser `{parser}` needs a name: set `metric_name` to the word that stands before the score."
        )
    if name != name.strip() or name.endswith((":", "=")) or "\n" in name:
        return f"The metric's name {name!r} is written without spaces round it and without its `:` or `=`."
    return None


def _validate_pattern(pattern: str) -> str | None:
    if not pattern:
        return r"The parser `pattern` needs a pattern with one group, such as `^took ([-+.0-9eE]+)`."
    try:
        groups = re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError) as error:
        return f"The pattern `{pattern}` is not a regular expression: {error}."
    if groups != 1:
        how = "Put brackets round the number" if groups == 0 else "Keep one, and write the others as `(?:…)`"
        return f"The pattern `{pattern}` has {groups} groups, and needs exactly one: the score's. {how}."
    return None
