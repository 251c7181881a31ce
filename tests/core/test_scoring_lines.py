from __future__ import annotations

import pytest

from jumar.core.model import Measurement
from jumar.core.scoring import Format, reader, validate


def read(text: str, name: str = "val_bpb") -> Measurement:
    lines = reader(Format(parser="lines", name=name))
    for line in text.splitlines():
        lines.feed(line)
    return lines.result()


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("val_bpb: 0.99", 0.99), ("val_bpb:0.99\n", 0.99), ("val_bpb :   1e-3", 0.001), ("val_bpb: 2\nval_bpb: 1", 1.0),
        ("step 1: 3\n---\nval_bpb: 2 \n", 2.0), ("val_bpb: 5\nval_bpb:\n", 5.0),
    ],
)  # fmt: skip
def test_the_names_last_value_is_the_score(text: str, score: float) -> None:
    assert read(text).score == score


@pytest.mark.parametrize(
    "text",
    [
        "x val_bpb: 1",
        " val_bpb: 1",
        "val_bpb = 1",
        "val_bpb:: 1",
        "val_bpb_2: 1",
        "the val_bpb: 1",
    ],
)
def test_anything_else_is_no_score(text: str) -> None:
    found = read(text)
    assert (found.error, found.score) == ("unparseable", None)
    assert "No line begins with `val_bpb:`" in found.message


def test_a_score_that_is_no_finite_number_is_an_error() -> None:
    assert read("val_bpb: nan").error == "non_finite"
    assert "`soon` stands in the number's place" in read("val_bpb: soon").message


def test_every_other_name_is_a_metric() -> None:
    found = read("mb: 3\nval_bpb: 1\nmb: 4\nseconds: nan\nnote: text\nsteps: 7 it\n")
    assert found.metrics == {"mb": 4.0, "steps": 7.0}


def test_the_names_that_are_kept_are_bounded() -> None:
    many = "".join(f"m{number}: {number}\n" for number in range(500))
    found = read(f"{many}m0: 9\nval_bpb: 1\n")
    assert (len(found.metrics), found.metrics["m0"]) == (200, 9.0)


def test_the_message_names_what_is_there() -> None:
    assert (
        "lines begin with are: `loss`, `mb`. Print a line such as `val_bpb: 12.5`."
        in read("loss: 1\nmb: 2\n").message
    )
    assert "lines begin with are: none." in read("nothing at all\n").message
    assert read("").error == "no_output"


def test_it_needs_a_name() -> None:
    assert "The parser `lines` needs a name" in (validate(Format(parser="lines")) or "")
    assert validate(Format(parser="lines", name="val_bpb")) is None
