"""Markers: what a comment says of the constants of its line."""

from __future__ import annotations

import pytest

from jumar.errors import MakerError
from jumar.makers.tune import Constant, find_constants, rewrite
from jumar.makers.tune.constants import tunable


def one(path: str, text: str) -> Constant:
    (constant,) = (c for c in find_constants(path, text) if c.marked)
    return constant


@pytest.mark.parametrize(
    ("comment", "low", "high", "log"),
    [
        ("# jumar: 1..16", 1, 16, False), ("#jumar:1..16", 1, 16, False), ("# jumar: 1..1e2 log", 1, 100, True),
        ("# jumar: 2..9 linear", 2, 9, False), ("# jumar: -4..4", -4, 4, False), ("# jumar: 0.5..2", 0.5, 2, False),
    ],
)  # fmt: skip
def test_ranges(comment: str, low: float, high: float, log: bool) -> None:
    constant = one("a.py", f"depth = 3  {comment}\n")
    assert (constant.low, constant.high, constant.log) == (low, high, log)
    assert isinstance(constant.value, int) == (low == int(low))


@pytest.mark.parametrize(
    ("line", "choices"),
    [
        ("x = 8  # jumar: 8, 16, 32", (8, 16, 32)),
        ("x = 'adam'  # jumar: \"adam\", 'sgd'", ("adam", "sgd")),
        ("x = 'adam'  # jumar: adam, sgd", ("adam", "sgd")),
        ("x = True  # jumar: true, false", (True, False)),
        ("x = 0.1  # jumar: 1, 0.1, .01", (1, 0.1, 0.01)),
    ],
)
def test_choices(line: str, choices: tuple[object, ...]) -> None:
    assert one("a.py", line).choices == choices


@pytest.mark.parametrize(
    ("path", "line", "literal"),
    [
        ("a.js", "const width = 4; // jumar: 1..16", "4"),
        ("a.css", "a { margin: 12px; } /* jumar: 4..24 */", "12"),
        ("a.html", "<b>12</b> <!-- jumar: 5..20 -->", "12"),
        ("a.sql", "SET work_mem = 64 -- jumar: 16..256 log", "64"),
        ("a.ini", "x = 3 ; jumar: 1..9", "3"),
        ("a.tex", r"\setlength{\w}{3cm} % jumar: 1..9", None),
        ("a.md", "The about 12 of 30 pages. <!-- jumar: 5..20 -->", "30"),
        ("a.md", "tone: formal text -- jumar: formal, plain", "formal"),
        ("a.json", '{"opt": "adam" /* jumar: adam, sgd */\n}', '"adam"'),
        ("a.toml", 'opt = "adam" # jumar: "adam", "sgd"', '"adam"'),
        ("a.yaml", "opt: adam # jumar: adam, sgd", "adam"),
        ("a.yaml", "a:\n  - 3 # jumar: 1..9\n", "3"),
        (".env", "OPT=adam # jumar: adam, sgd", "adam"),
        ("a.ini", 'opt = a b ; jumar: "a b", "c d"', "a b"),
        ("a.py", "total = base * 3 + f(7)  # jumar: 1..16", "7"),
        ("a.py", "def f():\n    i = 5  # jumar: 1..16", "5"),
    ],
)
def test_every_comment(path: str, line: str, literal: str | None) -> None:
    if literal is None:
        with pytest.raises(MakerError, match="beside no number"):
            find_constants(path, line)
        return
    constant = one(path, line)
    assert constant.literal == literal
    for value in constant.choices or (constant.low, constant.high):
        assert value is not None
        assert one(path, rewrite(line, {constant: value})).value == value


def test_off_leaves_alone() -> None:
    assert [c.name for c in find_constants("a.py", "a = 1  # jumar: off\nb = 2\n# jumar: off\n")] == ["b"]


def test_marked_only_once_there_is_one() -> None:
    constants = find_constants("a.py", "a = 10\nb = 2  # jumar: 1..4\nc = 3  # jumar: off\n")
    assert [c.name for c in tunable(constants)] == ["b"]
    assert [c.name for c in tunable(find_constants("a.py", "a = 10\nc = 3  # jumar: off\n"))] == ["a"]


def test_a_marker_speaks_for_its_own_kind_on_the_line() -> None:
    marked = [
        c.name
        for c in find_constants("a.py", "f(a=3, b=0.5, name='x', check=True)  # jumar: 1..9\n")
        if c.marked
    ]
    assert marked == ["f.a", "f.b"]


def test_a_string_that_looks_like_a_marker_is_none() -> None:
    text = '"""Use it so:\n\nlr = 3  # jumar: nonsense here\n"""\nx = "# jumar: 1..2"\ny = 3\n'
    assert [c.name for c in find_constants("a.py", text)] == ["y"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "16..1",
        "1..1",
        "0..1 log",
        "-1..1 log",
        "1..",
        "8",
        "8 16",
        "a, 3",
        "1..4 often",
        "true, 3",
        '"a\'b", "c"',
        "on",
        "1, 2,, 3",
    ],
)
def test_a_malformed_marker_names_file_and_line(body: str) -> None:
    with pytest.raises(MakerError) as caught:
        find_constants("src/train.py", f"a = 1\nb = 2  # jumar: {body}\n")
    assert "src/train.py, line 2" in caught.value.message
    assert "# jumar: 1..16" in caught.value.hint


@pytest.mark.parametrize(
    ("line", "kind"), [("x = 3  # jumar: a, b", "text"), ("x = 'a'  # jumar: 1..3", "number"), ("# jumar: 1..3", "number"), ("x = 3  # jumar: true, false", "true or false")]
)  # fmt: skip
def test_a_marker_beside_nothing_of_its_kind(line: str, kind: str) -> None:
    with pytest.raises(MakerError, match=rf"a\.py, line 1, stands beside no {kind}"):
        find_constants("a.py", line)
