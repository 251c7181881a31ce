"""The parsers beyond the named cases: names, numbers in running text, units, JSON, validation."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from jumar.core.model import Measurement
from jumar.core.scoring import Format, line_limit, read_result_file, reader, validate
from jumar.core.scoring.formats import quote
from jumar.core.scoring.numerals import Number, numbers
from jumar.core.scoring.objects import LIMIT, Refused, decode
from jumar.core.text import LINE_LIMIT


def read(output: str, parser: Any = "named", **fields: Any) -> Measurement:
    lines = reader(Format(parser=parser, **fields))
    for line in output.split("\n"):
        lines.feed(line)
    return lines.result()


def score(output: str, name: str = "score") -> float | None:
    return read(output, name=name).score


@pytest.mark.parametrize(
    "line",
    [
        "score: 3",
        "score:3",
        "score=3",
        "score  =\t3",
        "the score: 3 of all",
        "(score=3)",
        "INFO:root:score: 3",
        '{"score": 3}',
        "**score:** 3",
        "**score**: 3",
        "`score` = `3`",
        "x=1 score=3 y=2",
        "score: 1 score: 3",
        "score: 1\nscore: 3",
        "score: 3\nby score:",
        "score: 3\nscore == 4",
        "score: 3\nscore := 4",
        "score: 3;",
        "score: 3\nscore::x 4",
        "score: 3\nscore => 4",
        "score: 3.",
        "score: 3... and on",
        "score: 3 (best 4)",
    ],
)
def test_named_finds(line: str) -> None:
    assert score(line) == 3


@pytest.mark.parametrize(
    "line",
    [
        "highscore: 3",
        "score_total: 3",
        "val-score: 3",
        "val/score: 3",
        "val.score: 3",
        "--score=3",
        "$score=3",
        "score.mean: 3",
        "score 3",
        "Score: 3",
        "scores: 3",
        "score (ms): 3",
        "@score: 3",
        "scoré: 3",
        "score == 3",
    ],
)
def test_named_is_a_whole_word(line: str) -> None:
    measurement = read(line, name="score")
    assert measurement.error == "unparseable"
    assert "no `score` in the output" in measurement.message


@pytest.mark.parametrize(
    "name", ["a.b", "f(x)", "p[95]", "c++", "τ", "größe", "精度", "val loss", "%cpu", "^$"]
)
def test_named_takes_any_name_literally(name: str) -> None:
    assert score(f"zeit: 1\n{name}: 3", name) == 3
    assert score("aXb: 3", name) is None


def test_named_knows_both_unicode_forms() -> None:
    assert score("cafe\u0301: 3", "café") == 3
    assert score("café: 3", "cafe\u0301") == 3


@pytest.mark.parametrize(
    "value", ["n/a", "3/10", "3 / 10", "<3", "3rd", "7.3e-", "1,2,3", "v3", "1.2.3", "..5", "--5", "12:30"]
)
def test_named_refuses_what_is_not_a_plain_number(value: str) -> None:
    measurement = read(f"score: 1\nscore: {value}", name="score")
    assert measurement.error == "unparseable"
    assert measurement.matched == f"score: {value}".rstrip("-") or measurement.matched.startswith("score: ")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("v1.2 sha 1e5ab3 2026-11-30 12:30:01 10.0.0.1 1.2.3 3/10 1-3 #12 top@5 0x10 3rd 12345ab", []),
        ("2026-11-30T12:30:01.5Z fe80::1 a/b/3 --5 C:\\3 5+ 7.3e x2 1e5ab3:", []),
        ("bench.py:12: warn 3", [3]),
        ("loss:0.5 INFO:root:0.25", [0.5, 0.25]),
        ("acc.......0.91", [0.91]),
        ("a,0.5,0.6 3,0.5,0.7", [0.5, 0.6, 3, 0.5, 0.7]),
        ('{"a":0.5,"b":[1, 2]}', [0.5, 1, 2]),
        (
            "|0.5| [0.6] (0.7) '0.8' \"0.9\" *1.0* 1.1; 1.2, 1.3. 0.1->0.2",
            [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 0.1, 0.2],
        ),
        ("10x 1.5× 12k 3GB/s 5°C $2 -$3 €4 90% 1/s", [10, 1.5, 12, 3, 5, 2, -3, 4, 90, 1]),
        ("± 2 +3 -4 −5 .5 5. 1e3 -1.5E-3", [2, 3, -4, -5, 0.5, 5, 1000, -0.0015]),
        ("info nanny infinite banana", []),
    ],
)
def test_numbers_in_running_text(line: str, found: list[float]) -> None:
    assert [number.value for number in numbers(line) if isinstance(number, Number)] == found
    assert len(list(numbers(line))) == len(found)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("12 ms", "ms"),
        ("12ms", "ms"),
        ("12 µs", "µs"),
        ("12us", "us"),
        ("12 req/s", "req/s"),
        ("12 ns/op", "ns/op"),
        ("12 MiB", "MiB"),
        ("12 %", "%"),
        ("12%", "%"),
        ("12\u00a0s", "s"),
        ("12 s,", "s"),
        ("12 s)", "s"),
        ("$12", "$"),
        ("12pts", "pts"),
        ("12 is the result", None),
        ("12  ms", None),
        ("12 min: 3", None),
        ("12 sets", None),
        ("12 s-old", None),
        ("12 and/or", None),
        ("12", None),
        ("12 /s", "/s"),
    ],
)
def test_units(text: str, unit: str | None) -> None:
    measurement = read(f"score: {text}", name="score")
    assert (measurement.score, measurement.unit) == (12, unit)


@pytest.mark.parametrize(
    ("pattern", "line", "expected"),
    [
        (r"took ([0-9.]+)", "took 12.5. Done", (12.5, None)),
        (r"took ([0-9.]+)", "took 12.5ms", (12.5, "ms")),
        (r"took ([0-9.]+)", "took 12.5e", None),
        (r"took ([0-9.]+)", "took 12.5 ms", (12.5, "ms")),
        (r"took (.*)", "took  12.5 ms ", (12.5, "ms")),
        (r"took (.*)", "took 12.5 apples", None),
        (r"took (.*)", "took ", None),
        (r"(\d+)/10", "7/10", (7, None)),
        (r"^a,([0-9.]+),", "a,91,5", (91, None)),
        (r"^a,([0-9.]+)", "a,91,5", None),
        (r",([0-9.]+)$", "5,91", (91, None)),
        (r"\.(\d+)$", "0.91", (91, None)),
        (r"-(\d+)$", " -91", (91, None)),
        (r"best.(\d+)$", "best-91", (91, None)),
        (r"(\d+)%", "1% 2% 3%", (3, "%")),
        (r"x=(\d+)?", "x=5 x=", (5, None)),
        (r"x=([a-z]+)", "x=abc", None),
        (r"x=([0-9.]+)", "x=1.2.3", None),
    ],
)
def test_pattern(pattern: str, line: str, expected: tuple[float, str | None] | None) -> None:
    measurement = read(line, "pattern", pattern=pattern)
    assert (expected is None) == (measurement.error == "unparseable")
    if expected:
        assert (measurement.score, measurement.unit) == expected


def test_pattern_without_a_match() -> None:
    message = read("took long", "pattern", pattern="x=([0-9]+)").message
    assert "`x=([0-9]+)` matches nothing" in message
    assert "`took long`" in message


def test_single() -> None:
    assert read("done at 12:30:01\nscore 3.5 ms\n", "single").score == 3.5
    nothing = read("done at 12:30:01", "single")
    assert "no number in the output; its last line is `done at 12:30:01`" in nothing.message
    many = read(" ".join(map(str, range(100))), "single").message
    assert "100 numbers (`0`, `1`, `2`, `3`, `4`, `5`, `6`, `7` and 92 more)" in many


def test_the_text_shown_is_bounded() -> None:
    long = "x" * 5000
    for parser in ("named", "last_number", "single"):
        measurement = read(f"{long} score: 3 {long}", parser, name="score")
        assert measurement.score == 3
        assert "score: 3" in measurement.matched
        assert len(measurement.matched) <= 200
    assert len(read(f"score: {long}1", name="score").message) < 400
    assert len(read(f"{long}", "pattern", pattern="(y)").message) < 400


def test_quote_keeps_head_and_tail() -> None:
    assert quote("a\nb") == "`a b`"
    assert quote("a" * 50 + "b" * 50) == "`" + "a" * 40 + "…" + "b" * 19 + "`"


FULL = (
    '{"pass":true,"score":2,"metrics":{"a":1,"b":2.5},"checks":{"x":true,"y":false},'
    '"unit":" ms ","notes":"n","more":[1e400]}'
)


@pytest.mark.parametrize("parser", ["last_json_line", "whole_json"])
def test_json_keys(parser: str) -> None:
    measurement = read(FULL, parser)
    assert measurement == Measurement(
        score=2.0,
        unit="ms",
        metrics={"a": 1.0, "b": 2.5},
        checks={"x": True, "y": False},
        notes="n",
        matched=FULL,
    )
    assert isinstance(measurement.metrics["a"], float)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ('"metrics":[1]', "`metrics` is `[1]`"),
        ('"metrics":{"a":"1"}', '`metrics.a` is `"1"`'),
        ('"metrics":{"a":true}', "`metrics.a` is `true`"),
        ('"checks":{"a":1}', "`checks.a` is `1`"),
        ('"checks":true', "`checks` is `true`"),
        ('"unit":1', "`unit` is `1`"),
        ('"notes":{}', "`notes` is `{}`"),
        ('"score":2', "key `score` is given twice"),
        ('"x":{"a":1,"a":1}', "key `a` is given twice"),
        ('"notes":NaN', "`notes` is `NaN`"),
        ('"metrics":{"a":null}', "`metrics.a` is `null`"),
    ],
)
def test_json_wrong_fields(extra: str, words: str) -> None:
    measurement = read(f'{{"pass":true,"score":1,{extra}}}', "last_json_line")
    assert measurement.error == "unparseable"
    assert words in measurement.message


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ('"metrics":{"a":NaN}', "`metrics.a` is NaN"),
        ('"metrics":{"a":1e999}', "`metrics.a` is beyond"),
        ('"x":[Infinity]', "holds Infinity"),
        (f'"metrics":{{"a":1{"0" * 400}}}', "`metrics.a` is beyond"),
    ],
)
def test_json_not_finite(extra: str, words: str) -> None:
    measurement = read(f'{{"pass":true,"score":1,{extra}}}', "last_json_line")
    assert measurement.error == "non_finite"
    assert words in measurement.message


def test_json_null_is_a_key_left_out() -> None:
    line = '{"pass":false,"score":null,"metrics":null,"checks":null,"unit":null,"notes":null}'
    assert read(line, "last_json_line") == Measurement(passed=False, matched=line)


@pytest.mark.parametrize("parser", ["last_json_line", "whole_json"])
def test_json_score_required(parser: str) -> None:
    assert "`score` is missing" in read('{"pass":true}', parser).message
    optional = read('{"pass":true}', parser, score_required=False)
    assert (optional.score, optional.passed, optional.error) == (None, True, None)
    refused = read('{"pass":false}', parser)
    assert (refused.score, refused.passed, refused.error) == (None, False, None)


def test_json_declared_unit() -> None:
    line = '{"pass":true,"score":1,"unit":"s"}'
    assert read(line, "whole_json", unit="sec").unit == "sec"
    assert read(line, "whole_json", unit="ms").error == "unit_changed"
    assert read('{"pass":false,"unit":"s"}', "whole_json", unit="ms").error is None


def test_last_json_line_passes_over_what_is_no_result() -> None:
    output = '{"epoch":1,"score":0.1}\n{broken}\n{"pass":true,"score":1}\n{"seconds":3}\n{"pass":true,"sco'
    measurement = read(output, "last_json_line")
    assert measurement.score == 1
    assert len(measurement.warnings) == 1


def test_last_json_line_with_a_later_score_alone() -> None:
    assert "`pass` is missing" in read('{"pass":true,"score":1}\n{"score":2}', "last_json_line").message


def test_whole_json_may_be_spread() -> None:
    assert read(json.dumps({"pass": True, "score": 1}, indent=1), "whole_json").score == 1
    assert read('\n \n {"pass":true,\n\n"score":1}\n\n', "whole_json").score == 1


def test_whole_json_is_capped() -> None:
    lines = reader(Format(parser="whole_json"))
    lines.feed('{"pass":true,"score":1,"x":"')
    for _ in range(200):
        lines.feed("x" * 65_000)
    assert "larger than 1 MB" in lines.result().message
    assert sum(map(len, lines.kept)) <= LIMIT  # type: ignore[attr-defined]


def test_too_deep() -> None:
    deep = '{"pass":' + "[" * 200_000
    measurement = read(deep, "whole_json")
    assert measurement.error == "unparseable"
    assert len(measurement.message) < 400
    with pytest.raises(Refused, match="not valid JSON"):
        decode("{")


def test_result_file() -> None:
    spec = Format(parser="file")
    assert read_result_file('\n{"score": 3, "unit": "ms"}\n', spec).score == 3
    assert read_result_file('{"score": 3}', spec).passed is True
    assert read_result_file('{"score": 3, "pass": false}', spec).passed is False
    assert "`score` is missing" in read_result_file("{}", Format(parser="file", score_required=False)).message
    assert "`score` is missing" in read_result_file('{"pass": true}', spec).message
    assert read_result_file('{"pass": true}', Format(parser="file", score_required=False)).error is None
    assert read_result_file("0.9", spec).error == "unparseable"
    assert read_result_file('{"score": "3"}', spec).error == "unparseable"
    assert "not valid JSON" in read_result_file('{"score": 3', spec).message
    empty = read_result_file(" \n", spec)
    assert (empty.error, "`JUMAR_RESULT` names is empty" in empty.message) == ("no_output", True)
    assert "larger than 1 MB" in read_result_file(" " * (LIMIT + 1), spec).message


def test_the_file_parser_reads_no_stdout() -> None:
    with pytest.raises(ValueError, match="JUMAR_RESULT"):
        reader(Format(parser="file"))


def test_line_limit() -> None:
    assert line_limit(Format(parser="whole_json")) == line_limit(Format(parser="last_json_line")) == LIMIT
    assert line_limit(Format()) == LINE_LIMIT


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Format(parser="named", name="score"), None),
        (Format(parser="named"), "needs a name"),
        (Format(parser="named", name="  "), "needs a name"),
        (Format(parser="named", name="score:"), "without its `:`"),
        (Format(parser="named", name=" score"), "without spaces"),
        (Format(parser="pattern", pattern="x=([0-9]+)"), None),
        (Format(parser="pattern", pattern="x=(?:a|b)(?P<n>[0-9]+)"), None),
        (Format(parser="pattern"), "needs a pattern"),
        (Format(parser="pattern", pattern="x=(["), "not a regular expression: unterminated character set"),
        (Format(parser="pattern", pattern="x=[0-9]+"), "has 0 groups"),
        (Format(parser="pattern", pattern="(x)=([0-9]+)"), "has 2 groups"),
        (Format(parser="pattern", pattern="a{99999999999}"), "not a regular expression"),
        (Format(), None),
    ],
)
def test_validate(spec: Format, words: str | None) -> None:
    sentence = validate(spec)
    assert sentence is None if words is None else words in (sentence or "")


@pytest.mark.parametrize(
    "piece",
    [
        "x",
        "1",
        "score:",
        "score=1",
        "a ",
        "1,234",
        "score ",
        " ",
        ".",
        "a:",
        "a:1",
        "{",
        '{"a":',
        "1 ",
        '"',
        "-",
        "1,",
        "1/",
        "{}",
    ],
)
@pytest.mark.parametrize("parser", ["named", "single", "last_number", "last_json_line", "whole_json"])
def test_hostile_lines_take_linear_time(parser: str, piece: str) -> None:
    line = "score: " + piece * 1_000_000
    begin = time.process_time()
    read(line[: line_limit(Format(parser=parser))], parser, name="score")  # type: ignore[arg-type]
    assert time.process_time() - begin < 5
