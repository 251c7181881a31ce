"""The cases of reading a score that users really meet, by their ids."""

from __future__ import annotations

import pytest

from jumar.core import text
from jumar.core.model import Measurement
from jumar.core.scoring import Format, check_unit, reader
from jumar.core.text import LineSplitter

SCORE = Format(parser="named", name="score")
JSON_LINE = Format(parser="last_json_line")


def read(output: str | bytes, spec: Format = SCORE) -> Measurement:
    splitter, lines = LineSplitter(), reader(spec)
    data = output.encode() if isinstance(output, str) else output
    for line in [*splitter.feed(data), *splitter.flush()]:
        lines.feed(line)
    return lines.result()


def named(name: str) -> Format:
    return Format(parser="named", name=name)


COLOURED = "\x1b[1mscore\x1b[0m: \x1b[32m0.8125\x1b[0m\x1b[K\n"


@pytest.mark.parametrize(
    "spec", [SCORE, Format(parser="single"), Format(parser="pattern", pattern=r"score: ([0-9.]+)")]
)
def test_c01_colour_codes(spec: Format) -> None:
    measurement = read(COLOURED, spec)
    assert measurement.score == 0.8125
    assert measurement.matched == "score: 0.8125"


def test_c01_needs_stripping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "strip_controls", lambda kept: kept)
    assert read(COLOURED).error == "unparseable"


@pytest.mark.parametrize(
    ("printed", "score"),
    [("7.3e-05", 0.000073), ("7.3E-5", 0.000073), ("+1.2e+03", 1200.0), ("-7.2e-05", -0.000072)],
)
def test_c02_scientific_notation(printed: str, score: float) -> None:
    line = f"val_loss: {printed}"
    for spec in (
        named("val_loss"),
        Format(parser="last_number"),
        Format(parser="single"),
        Format(parser="pattern", pattern=r"val_loss: (\S+)"),
    ):
        assert read(line, spec).score == score


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("loss: ([0-9.]+)", "loss: 7.3e-05"),
        (r"loss: -?(\d+)", "loss: -7.2"),
        ("loss.*?([0-9.]+)", "loss: -7.2"),
        ("loss.*?([0-9.]+)", "loss -.5"),
        ("loss.*([0-9.]+)", "loss 0.91"),
        ("loss .(5)", "loss .5"),
        ("loss: ([0-9]+)", "loss: 0,87"),
        ("loss: 1,([0-9]+)", "loss: 1,234,567"),
        ("loss: 1.*([0-9]{3})", "loss: 1,567"),
        ("loss: ([0-9]+)", "loss: 1_000"),
        ("loss: ([0-9.]+)", "loss: 7.3e"),
    ],
)
def test_c02_a_pattern_never_takes_a_part_of_a_number(pattern: str, line: str) -> None:
    measurement = read(line, Format(parser="pattern", pattern=pattern))
    assert measurement.error == "unparseable"
    assert "took" in measurement.message


PROGRESS = "epoch 1/3 acc=0.10\repoch 2/3 acc=0.55\repoch 3/3 acc=0.91\ndone in 12.5s\n"


def test_c03_carriage_returns_end_a_line() -> None:
    assert read(PROGRESS, Format(parser="pattern", pattern="^epoch .* acc=([0-9.]+)")).score == 0.91


def test_c03_the_default_parser_lists_what_it_found() -> None:
    measurement = read(PROGRESS, Format())
    assert measurement.error == "unparseable"
    assert "4 numbers (`0.10`, `0.55`, `0.91`, `12.5s`)" in measurement.message
    assert "`parser: last_number`" in measurement.message


def test_c03_last_number_shows_what_it_read() -> None:
    measurement = read(PROGRESS, Format(parser="last_number"))
    assert (measurement.score, measurement.unit, measurement.matched) == (12.5, "s", "done in 12.5s")


def test_c03_crlf() -> None:
    measurement = read("other: 2\r\nscore: 3\r\n")
    assert (measurement.score, measurement.matched) == (3.0, "score: 3")
    assert "`other` (2)." in read("other: 2\r\n").message


@pytest.mark.parametrize("parser", ["named", "last_number", "single"])
def test_c04_thousands_separators(parser: str) -> None:
    def measured(line: str, name: str) -> Measurement:
        return read(line, Format(parser=parser, name=name))  # type: ignore[arg-type]

    throughput = measured("throughput: 12,480.50 req/s", "throughput")
    assert (throughput.score, throughput.unit) == (12480.5, "req/s")
    assert measured("requests: 1,234,567", "requests").score == 1234567
    ambiguous = measured("p95: 1,234 ms", "p95")
    assert ambiguous.error == "unparseable"
    assert "it could be 1234 or 1.234" in ambiguous.message
    assert "as `1234` or `1.234`" in ambiguous.message


@pytest.mark.parametrize(
    "printed",
    ["1_000", "1'234", "1\u202f234", "1 234 567", "12,34,567", "0x10", "1__0", "٣", "infty", "1 2_0"],
)
def test_c04_what_python_would_take_or_another_culture_prints(printed: str) -> None:
    measurement = read(f"score: {printed}")
    if printed == "1 2_0":  # a number, then something else
        assert measurement.score == 1
    else:
        assert measurement.error == "unparseable"


@pytest.mark.parametrize("parser", ["named", "last_number", "single"])
@pytest.mark.parametrize("printed", ["0,87", "1234,5", "-0,87", "1.234,5", "1.234.567,89", "1,5e-3", "0,123"])
def test_c05_decimal_comma(parser: str, printed: str) -> None:
    measurement = read(f"score: {printed}", Format(parser=parser, name="score"))  # type: ignore[arg-type]
    assert (measurement.score, measurement.error) == (None, "unparseable")
    assert f"`{printed}` has a decimal comma" in measurement.message
    assert "`LC_NUMERIC=C`" in measurement.message


def test_c05_decimal_comma_without_a_whole_part() -> None:
    assert "decimal comma" in read("score: ,87").message


TABLE = "name     hit  miss  cover\nTOTAL    412     37    91.0%"


@pytest.mark.parametrize(
    "spec", [Format(parser="last_number"), Format(parser="pattern", pattern=r"^TOTAL.* ([0-9.]+)%?$")]
)
def test_c06_percent_sign(spec: Format) -> None:
    first = read(TABLE, spec)
    assert (first.score, first.unit) == (91.0, "%")
    second = check_unit(first.unit, read("TOTAL 0.915", spec))
    assert (second.score, second.error) == (None, "unit_changed")
    assert "unit changed (% before, none now)" in second.message
    assert check_unit("%", first) is first


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ("12ms", "0.011s", "ms before, s now"),
        ("12 ms", "0.011 s", "ms before, s now"),
        ("12", "12ms", "none before, ms now"),
    ],
)
def test_c06_units(before: str, now: str, words: str) -> None:
    changed = check_unit(read(f"score: {before}").unit, read(f"score: {now}"))
    assert changed.error == "unit_changed"
    assert words in changed.message
    assert changed.matched == f"score: {now}"


def test_c06_json_without_matched_text() -> None:
    assert "read from" not in check_unit("%", Measurement(score=1.0)).message


def test_c06_one_unit_spelt_twice_and_what_has_no_score() -> None:
    for before, now in (("sec", "1 s"), ("us", "1µs"), ("%", "1 percent"), (None, "1"), ("", "1")):
        assert check_unit(before, read(f"score: {now}")).score == 1
    failed = read("score: nan")
    assert check_unit("%", failed) is failed
    refused = read('{"pass":false}', JSON_LINE)
    assert check_unit("%", refused) is refused


def test_c06_declared_unit() -> None:
    declared = Format(parser="named", name="score", unit="ms")
    assert read("score: 12", declared).unit == "ms"
    assert read("score: 12 msec", declared).unit == "ms"
    changed = read("score: 0.012 s", declared)
    assert (changed.error, changed.score) == ("unit_changed", None)
    assert "(ms in the mission, s now)" in changed.message
    assert read("score: nan", declared).error == "non_finite"


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "Infinity", "1e400", "-1e400"])
@pytest.mark.parametrize("parser", ["last_json_line", "whole_json"])
def test_c07_json(value: str, parser: str) -> None:
    spec = Format(parser=parser)  # type: ignore[arg-type]
    assert read('{"pass":true,"score":0.50}', spec).score == 0.5
    measurement = read(f'{{"pass":true,"score":{value}}}', spec)
    assert (measurement.score, measurement.passed, measurement.error) == (None, False, "non_finite")
    assert "`score` is" in measurement.message
    assert read('{"pass":true,"score":0.45}', spec).score == 0.45


@pytest.mark.parametrize(
    "value", ["NaN", "nan", "-inf", "+Inf", "Infinity", "1e400", "-1e400", "1.#INF", "∞", "nan%"]
)
@pytest.mark.parametrize("parser", ["named", "last_number", "single", "pattern"])
def test_c07_plain_text(value: str, parser: str) -> None:
    spec = Format(parser=parser, name="score", pattern=r"^score: (\S+)")  # type: ignore[arg-type]
    measurement = read(f"score: {value}", spec)
    assert (measurement.score, measurement.error) == (None, "non_finite")
    assert f"`{value}`" in measurement.message


def test_c07_a_later_nan_is_not_covered_by_an_earlier_number() -> None:
    assert read("score: 0.5\nscore: nan").error == "non_finite"
    assert read("loss 0.5\nloss nan", Format(parser="last_number")).error == "non_finite"
    assert read("loss 1_0", Format(parser="last_number")).error == "unparseable"


@pytest.mark.parametrize("printed", ["0", "-0.2", "0.1", "-3.5", "-3.6", "0.0"])
def test_c08_zero_and_negative_scores(printed: str) -> None:
    assert read(f"score: {printed}").score == float(printed)
    assert read(f'{{"pass":true,"score":{printed}}}', JSON_LINE).score == float(printed)


@pytest.mark.parametrize("parser", ["last_json_line", "whole_json"])
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"pass":"false","score":1}', ("`pass`", '`"false"`')),
        ('{"pass":1,"score":1}', ("`pass`", "`1`")),
        ('{"pass":true,"score":true}', ("`score`", "`true`")),
        ('{"pass":true,"score":"0.9"}', ("`score`", '`"0.9"`')),
        ('{"score":0.9}', ("`pass`", "missing", '{"score": 0.9}')),
        ("null", ("`null`",)),
        ("[1]", ("`[1]`",)),
        ('{"pass":null,"score":1}', ("`pass`", "`null`")),
        ('{"pass":true,"score":null}', ("`score`", "`null`")),
        ('{"pass":true,"score":[1]}', ("`score`", "`[1]`")),
        ('{"pass":NaN,"score":1}', ("`pass`", "`NaN`")),
    ],
)
def test_c09_wrong_types(parser: str, line: str, words: tuple[str, ...]) -> None:
    measurement = read(line, Format(parser=parser))  # type: ignore[arg-type]
    assert (measurement.score, measurement.passed, measurement.error) == (None, False, "unparseable")
    assert all(word in measurement.message for word in words), measurement.message


AROUND = '[warn] using cpu\n{"note":"config"}\n{"pass":true,"score":0.7}\nSTATUS: done\n'


def test_c10_log_lines_round_the_json() -> None:
    measurement = read(AROUND, JSON_LINE)
    assert (measurement.score, measurement.matched) == (0.7, '{"pass":true,"score":0.7}')
    (warning,) = measurement.warnings
    assert "`STATUS: done`" in warning


def test_c10_no_warning_when_the_result_is_last() -> None:
    assert read('log\n{"pass":true,"score":0.7}\n\n', JSON_LINE).warnings == ()


def test_c10_a_string_that_repeats_the_marker() -> None:
    line = r'{"pass":true,"score":0.7,"notes":"{\"pass\":false,\"score\":9}"}'
    assert read(line, JSON_LINE).score == 0.7


def test_c10_a_forged_line() -> None:
    forged = '{"pass":true,"score":0.9}\n{"pass":true,"score":0.7}\n{"pass":true,"score":0.9}'
    measurement = read(forged, JSON_LINE)
    assert (measurement.score, measurement.error) == (None, "unparseable")
    assert "`parser: file`" in measurement.message
    assert '{"pass":true,"score":0.7}' in measurement.message
    assert read('{"pass":true,"score":NaN}\n{"pass":true,"score":0.7}', JSON_LINE).error == "unparseable"


def test_c10_the_same_line_twice() -> None:
    assert read('{"pass":true,"score":0.7}\n{"score":0.7, "pass":true}', JSON_LINE).score == 0.7


def test_c10_the_whole_output_has_no_room_for_log_lines() -> None:
    measurement = read(AROUND, Format(parser="whole_json"))
    assert measurement.error == "unparseable"
    assert "stderr" in measurement.message


def test_c12_name_not_in_the_output() -> None:
    measurement = read("accuracy: 0.8333\nlatency_ms: 41\n")
    assert measurement.error == "unparseable"
    assert "no `score` in the output; found `accuracy` (0.8333), `latency_ms` (41)" in measurement.message


def test_c12_the_list_is_bounded_and_holds_the_last() -> None:
    output = "".join(f"m{i}: {i}\n" for i in range(1000)) + "m0: 7ms\nwhy: none\nversion: 1.2.3"
    message = read(output).message
    assert "found `m993` (993)," in message
    assert "`m999` (999), `m0` (7ms)." in message


def test_c12_nothing_like_it() -> None:
    message = read("all is well\n").message
    assert "no `score` in the output; its last line is `all is well`" in message


@pytest.mark.parametrize(
    "parser", ["named", "pattern", "last_number", "single", "last_json_line", "whole_json"]
)
@pytest.mark.parametrize("output", ["", "\n \n\t\n"])
def test_c12_nothing_printed(parser: str, output: str) -> None:
    measurement = read(output, Format(parser=parser, name="score", pattern="(x)"))  # type: ignore[arg-type]
    assert measurement.error == "no_output"
    assert "stdout" in measurement.message
