"""Readers of JSON: `last_json_line`, `whole_json`, `file`; and the strict decoding that judges share.

Strict: a duplicate key is an error at any depth, `NaN` and the infinities are no JSON, `1e400` is no
number, `true` is no 1 and `"0.9"` no 0.9. Keys that are not ours are ignored. A null stands for a key that
was left out, except in `pass`, and in `score` beside `"pass": true`, where it is what JavaScript prints for
NaN.

Code under test that prints to the evaluator's stdout can print a result line of its own. Two different
lines that carry `pass` are therefore an error. It cannot print into `JUMAR_RESULT` (`parser: file`) unless
it looks for it; only the sandboxed level keeps it away from that file for certain.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import msgspec

from jumar.core.model import Measurement, Reason
from jumar.core.scoring.formats import Format, failed, quote
from jumar.core.scoring.lines import nothing_printed
from jumar.core.scoring.units import with_declared

LIMIT = 1_000_000
_ALONE = "one JSON object and nothing else"
_FILE = "The file that `JUMAR_RESULT` names"
_RESULT = '`{"pass": true, "score": 12.5}`'


class Refused(Exception):
    """A JSON text or value that is not what it should be: the reason code and the sentence."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.message = message


class Constant(str):
    """`NaN`, `Infinity` or `-Infinity`, which Python's decoder takes for JSON."""

    __slots__ = ()


class Decoded(msgspec.Struct, frozen=True):
    """A JSON value, and what its text has that strict JSON has not: a key given twice, a constant."""

    value: Any
    duplicate: str | None = None
    constant: str | None = None


def decode(text: str) -> Decoded:
    """Decode one JSON text. Raises `Refused` (unparseable) with the place of the first mistake."""
    duplicates: list[str] = []
    constants: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            duplicates.append(Counter(key for key, _ in pairs).most_common(1)[0][0])
        return fields

    def constant(name: str) -> Constant:
        constants.append(name)
        return Constant(name)

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        place = f"{error.msg.lower()}, line {error.lineno}, column {error.colno}"
        raise Refused("unparseable", f"{quote(text, 120)} is not valid JSON ({place}).") from error
    except RecursionError as error:
        raise Refused("unparseable", f"{quote(text, 120)} is nested too deeply.") from error
    return Decoded(value, next(iter(duplicates), None), next(iter(constants), None))


def measure(decoded: Decoded, format: Format, *, pass_required: bool = True) -> Measurement:
    """The measurement that a decoded object is. Raises `Refused`, naming the field and what it holds."""
    fields = decoded.value
    if not isinstance(fields, dict):
        message = f"The result is {_show(fields)}, not a JSON object. Print one, such as {_RESULT}."
        raise Refused("unparseable", message)
    if decoded.duplicate is not None:
        message = f"The key {quote(decoded.duplicate)} is given twice in the result. Print it once."
        raise Refused("unparseable", message)
    passed = _passed(fields, pass_required)
    score = _score(fields, passed, format.score_required)
    metrics = {name: _finite(f"metrics.{name}", value) for name, value in _mapping(fields, "metrics").items()}
    checks = {name: _boolean(f"checks.{name}", value) for name, value in _mapping(fields, "checks").items()}
    unit, notes = _string(fields, "unit"), _string(fields, "notes")
    if decoded.constant is not None:
        message = f"The result holds {decoded.constant}, which is not JSON. Leave that key out or print null."
        raise Refused("non_finite", message)
    measurement = Measurement(
        score=score, passed=passed, unit=unit.strip() or None, metrics=metrics, checks=checks, notes=notes
    )
    return with_declared(format.unit, measurement)


class JsonLineReader:
    """The last line that is a JSON object with `pass` or `score`."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self.last = ""
        self.line = ""
        self.found: Decoded | None = None
        self.result_like: Decoded | None = None
        self.conflict = ""
        self.after = ""

    def feed(self, line: str) -> None:
        """Take the next line."""
        line = line.strip()
        if not line:
            return
        self.last = line[:200]
        decoded = _result_object(line)
        if decoded is None:
            self.after = self.last
            return
        self.found, self.line, self.after = decoded, line[:200], ""
        if "pass" in decoded.value:
            if self.result_like is not None and self.result_like != decoded:
                self.conflict = self.conflict or self.last
            self.result_like = self.result_like or decoded

    def result(self) -> Measurement:
        """The measurement of all lines so far."""
        if self.found is None:
            return _not_an_object(self.last) if self.last else nothing_printed()
        if self.conflict:
            return failed("unparseable", _forged(self.conflict))
        after = f"Text follows the result line: {quote(self.after)}. Print the result last."
        return _measured(self.found, self.format, self.line, (after,) if self.after else ())


class WholeJsonReader:
    """All of stdout, trimmed, is one JSON object of at most 1 MB."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self.kept: list[str] = []
        self.size = 0

    def feed(self, line: str) -> None:
        """Take the next line."""
        if self.size <= LIMIT and (self.kept or line.strip()):
            self.size += len(line) + 1
            self.kept.append(line if self.size <= LIMIT else "")

    def result(self) -> Measurement:
        """The measurement of all lines so far."""
        text = "\n".join(self.kept).strip()
        if self.size > LIMIT:
            return failed("unparseable", f"The output is larger than 1 MB. Print {_ALONE}.")
        return _whole(text, self.format, pass_required=True) if text else nothing_printed()


def read_result_file(text: str, format: Format) -> Measurement:
    """The measurement in the file that `JUMAR_RESULT` names; a `pass` left out there is true."""
    if len(text) > LIMIT:
        return failed("unparseable", f"{_FILE} is larger than 1 MB. Write {_ALONE}.")
    if not text.strip():
        return failed("no_output", f"{_FILE} is empty. Write an object such as {_RESULT}.")
    return _whole(text.strip(), format, pass_required=False)


def _whole(text: str, format: Format, *, pass_required: bool) -> Measurement:
    try:
        decoded = decode(text)
    except Refused as error:
        return failed(error.reason, f"{error.message} Print {_ALONE}; logs belong on stderr.")
    return _measured(decoded, format, text[:200], (), pass_required=pass_required)


def _measured(
    decoded: Decoded, format: Format, matched: str, warnings: tuple[str, ...], *, pass_required: bool = True
) -> Measurement:
    try:
        measurement = measure(decoded, format, pass_required=pass_required)
    except Refused as error:
        measurement = failed(error.reason, error.message)
    return msgspec.structs.replace(measurement, matched=matched, warnings=warnings)


def _result_object(line: str) -> Decoded | None:
    """`line` decoded, if it is an object that carries a result."""
    if not (line.startswith("{") and line.endswith("}")):
        return None
    try:
        decoded = decode(line)
    except Refused:
        return None
    return decoded if "pass" in decoded.value or "score" in decoded.value else None


def _not_an_object(last: str) -> Measurement:
    message = (
        "No line of the output is a JSON object with `pass` and `score`; "
        f"its last line is {quote(last, 120)}. Print a last line such as {_RESULT}."
    )
    return failed("unparseable", message)


def _forged(line: str) -> str:
    return (
        f"Two different result lines carry `pass`, the second one is {quote(line, 120)}: "
        "code under test could have printed one of them. Print one result line, or use "
        "`parser: file`, which stdout cannot reach."
    )


def _integer(digits: str) -> int | float:
    """Integers beyond a float's range become infinite, and then an error, instead of a long conversion."""
    return int(digits) if len(digits) <= 300 else float(digits)


def _show(value: object) -> str:
    return quote(value if isinstance(value, Constant) else json.dumps(value, ensure_ascii=False))


def _wrong(name: str, value: object, wanted: str) -> Refused:
    return Refused("unparseable", f"`{name}` is {_show(value)} in the result; it must be {wanted}.")


def _passed(fields: dict[str, Any], required: bool) -> bool:
    if "pass" in fields:
        return _boolean("pass", fields["pass"])
    if required:
        seen = f"`pass` is missing from the result {_show(fields)}"
        raise Refused("unparseable", f"{seen}; it must be true or false, as in {_RESULT}.")
    return True


def _score(fields: dict[str, Any], passed: bool, required: bool) -> float | None:
    value = fields.get("score")
    if value is not None:
        return _finite("score", value)
    if "score" in fields and passed:
        raise _wrong("score", value, "a finite number (JavaScript prints null for NaN)")
    if passed and (required or "pass" not in fields):
        seen = f"`score` is missing from the result {_show(fields)}"
        raise Refused("unparseable", f"{seen}. Print one, as in {_RESULT}.")
    return None


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, value, "true or false, without quotes")
    return value


def _finite(name: str, value: object) -> float:
    if isinstance(value, Constant):
        raise Refused("non_finite", f"`{name}` is {value} in the result; it must be a finite number.")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, "a number, without quotes")
    if math.isinf(value):
        raise Refused("non_finite", f"`{name}` is beyond the range of a float in the result.")
    return float(value)


def _mapping(fields: dict[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(name, value, "an object")
    return value


def _string(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or isinstance(value, Constant):
        raise _wrong(name, value, "a string")
    return value
