"""Any output gives a measurement, any finite float comes back exactly, however the stream is cut."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.model import Measurement
from jumar.core.scoring import Format, check_unit, read_result_file, reader
from jumar.core.text import LineSplitter

FORMATS = [
    Format(parser="named", name="score"),
    Format(parser="named", name="score", unit="ms"),
    Format(parser="pattern", pattern=r"score\W+([-+.,0-9eE%a-z]*)"),
    Format(parser="pattern", pattern=r"(.?\d.?)"),
    Format(parser="last_number"),
    Format(parser="single"),
    Format(parser="last_json_line"),
    Format(parser="whole_json", score_required=False),
]
PIECES = st.sampled_from(
    [
        "score",
        ":",
        "=",
        " ",
        "\n",
        "\r",
        "1",
        "23",
        ".",
        ",",
        "e",
        "-",
        "+",
        "_",
        "%",
        "ms",
        "nan",
        "inf",
        "/",
        "5",
        "{",
        "}",
        '"',
        '"pass"',
        '"score"',
        "true",
        "null",
        "NaN",
        "[",
        "]",
        "\x1b[1m",
        "\u202f",
        "−",
        "$",
        "'",
        "é",
        "∞",
    ]
)
OUTPUT = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def measured(spec: Format, chunks: list[bytes]) -> Measurement:
    splitter, lines = LineSplitter(), reader(spec)
    for chunk in chunks:
        for line in splitter.feed(chunk):
            lines.feed(line)
    for line in splitter.flush():
        lines.feed(line)
    return lines.result()


@pytest.mark.parametrize("spec", FORMATS, ids=str)
@given(output=OUTPUT)
def test_any_output_is_a_finite_score_or_a_sentence(spec: Format, output: str) -> None:
    measurement = measured(spec, [output.encode("utf-8", "replace")])
    check_unit("ms", measurement)
    if measurement.error is None:
        assert measurement.score is None or math.isfinite(measurement.score)
        assert measurement.score is not None or spec.parser in ("last_json_line", "whole_json")
    else:
        assert measurement.score is None
        assert not measurement.passed
        assert measurement.message.endswith(".")
    read_result_file(output, Format(parser="file"))


@pytest.mark.parametrize("spec", FORMATS, ids=str)
@given(output=OUTPUT, cuts=st.lists(st.integers(min_value=0, max_value=200)))
def test_chunks_do_not_matter(spec: Format, output: str, cuts: list[int]) -> None:
    data = output.encode("utf-8", "replace")
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in pairwise(edges)]
    assert measured(spec, chunks) == measured(spec, [data])


@pytest.mark.parametrize("spell", [repr, "{:e}".format, "{:.17g}".format, "{:.400f}".format, "{:+}".format])
@given(value=FINITE)
def test_a_printed_float_is_read_back(spell: Any, value: float) -> None:
    printed = spell(value)
    for spec in FORMATS[:2] + FORMATS[4:6] + [Format(parser="pattern", pattern=r"score: ([-+.0-9eE]+)")]:
        for line in (f"score: {printed}", f"score: {printed} ms", f"score: {printed}."):
            assert measured(spec, [line.encode()]).score == float(printed)


@given(value=FINITE | st.integers(min_value=-(10**300), max_value=10**300))
def test_a_json_number_is_read_back(value: float) -> None:
    line = json.dumps({"pass": True, "score": value})
    for spec in FORMATS[6:]:
        assert measured(spec, [line.encode()]).score == float(value)
    assert read_result_file(line, Format(parser="file")).score == float(value)
