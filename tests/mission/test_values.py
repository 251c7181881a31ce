from __future__ import annotations

import pytest

from jumar.core.mission import Gain
from jumar.mission import values
from jumar.mission.nodes import Items, Node, Table, Text, Where
from jumar.mission.problems import WrongError
from jumar.mission.values import Reader

HERE = Where("mission.md", 3)


def read(reader: Reader, text: str) -> object:
    return reader(Text(text, HERE))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("30m", 1800), ("8h", 28800), ("1h30m", 5400), ("90", 90), ("1.5h", 5400), ("2d", 172800),
     ("0.5", 0.5), ("1h0m5s", 3605)],
)  # fmt: skip
def test_durations(text: str, seconds: float) -> None:
    assert read(values.duration, text) == seconds


@pytest.mark.parametrize(
    "node", [Text("must_contain: a: b", HERE), Table({"must_contain": Text("a: b", HERE)}, HERE)]
)
def test_a_phrase_may_be_a_mapping_as_yaml_reads_it(node: Node) -> None:
    assert values.constraint(node) == "must_contain: a: b"
    assert values.constraint(Text(" words <= 4 ", HERE)) == "words <= 4"


@pytest.mark.parametrize(
    ("text", "most"),
    [("50", Gain(50)), ("50%", Gain(0.5, relative=True)), ("2.5 %", Gain(0.025, relative=True))],
)
def test_a_largest_change(text: str, most: Gain) -> None:
    assert read(values.most, text) == most


@pytest.mark.parametrize("text", ["0", "-1", "0%", "half", "1.5", "%", "ten lines"])
def test_no_largest_change(text: str) -> None:
    with pytest.raises(WrongError):
        read(values.most, text)


def test_no_constraint() -> None:
    with pytest.raises(WrongError) as caught:
        read(values.constraint, "words <= 4%")
    problem = caught.value.problem("constraint")
    assert "a bound such as" in problem.message
    assert problem.hint.endswith("`baseline * 1.05`.")


def test_an_expression_is_one_that_leaves_something_free() -> None:
    assert read(values.expression, r"CR-\d+") == r"CR-\d+"


@pytest.mark.parametrize(
    ("text", "hint"), [("(a", "missing )"), ("x*", "does not match an empty line"), ("[", "Mend it")]
)
def test_no_expressions(text: str, hint: str) -> None:
    with pytest.raises(WrongError) as caught:
        read(values.expression, text)
    assert hint in caught.value.problem("protect_lines").hint


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-1", "-5m", "1:30", "1h 30m", "1h30", "h", "8H", "ten", "1e3", "²s", "inf"]
)
def test_no_durations(text: str) -> None:
    with pytest.raises(WrongError, match=r"a time|some text"):
        read(values.duration, text)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 << 20),
        ("2G", 2 << 30),
        ("1GiB", 1 << 30),
        ("1GB", 1 << 30),
        ("4096", 4096),
        ("1.5k", 1536),
        ("7B", 7),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert read(values.size, text) == size


@pytest.mark.parametrize("text", ["", "0", "0M", "-1G", "1P", "1 G", "G", "0.5", "lots"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(WrongError):
        read(values.size, text)


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("-3.5", -3.5), ("+1e-3", 0.001), (".5", 0.5), ("5.", 5), ("007", 7)]
)
def test_numbers(text: str, number: float) -> None:
    assert read(values.number, text) == number


@pytest.mark.parametrize(
    "text", ["nan", "inf", "1e999", "1_000", "0,5", "5 %", "0x10", "١", "1e", "--1", "9" * 400]
)
def test_no_numbers(text: str) -> None:
    with pytest.raises(WrongError, match="a number"):
        read(values.number, text)


def test_a_decimal_comma_is_explained() -> None:
    with pytest.raises(WrongError) as caught:
        read(values.number, "0,5")
    assert caught.value.hint == "Write the decimal point as `.`."


@pytest.mark.parametrize("text", ["-1", "1.0", "1e3", "1_000", "many", "0x1", "99999999999999999999"])
def test_no_whole_numbers(text: str) -> None:
    with pytest.raises(WrongError, match="a whole number from 0, or `unlimited`"):
        read(values.whole(0, none="unlimited"), text)


def test_whole_numbers() -> None:
    assert read(values.whole(0, none="unlimited"), "unlimited") is None
    assert read(values.whole(), "0") == 0
    assert read(values.whole(), "020") == 20


@pytest.mark.parametrize(
    ("text", "gain"),
    [
        ("0", Gain()),
        ("0.5", Gain(0.5)),
        ("2%", Gain(0.02, relative=True)),
        ("2 %", Gain(0.02, relative=True)),
    ],
)
def test_gains(text: str, gain: Gain) -> None:
    assert read(values.gain, text) == gain


@pytest.mark.parametrize("text", ["-1", "-2%", "%", "two", "1e999", ""])
def test_no_gains(text: str) -> None:
    with pytest.raises(WrongError):
        read(values.gain, text)


@pytest.mark.parametrize(
    ("text", "flag"), [("yes", True), ("on", True), ("TRUE", True), ("no", False), ("off", False)]
)
def test_yes_and_no(text: str, flag: bool) -> None:
    assert read(values.boolean, text) is flag


def test_anything_else_is_neither_yes_nor_no() -> None:
    with pytest.raises(WrongError, match="`true` or `false`"):
        read(values.boolean, "1")


@pytest.mark.parametrize("name", ["tune", "command:./m.sh", "command: python make.py --fast"])
def test_makers(name: str) -> None:
    assert read(values.maker, name) == name


@pytest.mark.parametrize("name", ["mix:tune,trim", "trim", "patches:fixes", "agent:auto", "llm:x:y"])
def test_later_makers(name: str) -> None:
    with pytest.raises(values.LaterError):
        read(values.maker, name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("./m.sh", "Write `command:./m.sh` to run a program."), ("tuna", ""), ("command:", ""), ("tune:x", "")],
)
def test_no_makers(name: str, hint: str) -> None:
    with pytest.raises(WrongError) as caught:
        read(values.maker, name)
    assert caught.value.hint == hint


def test_lists_and_tables() -> None:
    one, two = Text("one", HERE), Text("two", HERE)
    assert values.many(values.text)(one) == ("one",)
    assert values.many(values.text)(Items((one, two), HERE)) == ("one", "two")
    assert values.table(values.text)(Table({"a": one}, HERE)) == {"a": "one"}
    assert values.table(values.text)(Items((Text("a=b=two", HERE),), HERE)) == {"a=b": "two"}


@pytest.mark.parametrize("node", [Table({}, HERE), Items((Items((), HERE),), HERE)])
def test_no_lists(node: Node) -> None:
    with pytest.raises(WrongError):
        values.many(values.text)(node)


def test_no_table() -> None:
    with pytest.raises(WrongError, match="name=value"):
        values.table(values.text)(Text("venv", HERE))


def test_switches() -> None:
    assert read(values.switches, "evaluator off, maker on") == {"evaluator": "off", "maker": "on"}
    assert values.switches(Table({"maker": Text("on", HERE)}, HERE)) == {"maker": "on"}
    for text in ("evaluator", "evaluator off maker on", "maker yes"):
        with pytest.raises(WrongError, match="evaluator off, maker on"):
            read(values.switches, text)
