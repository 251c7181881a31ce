"""Finding constants and writing others in their place, byte for byte."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jumar.core.patch import Scope
from jumar.makers.tune import Constant, find_constants, rewrite
from jumar.makers.tune.files import read_targets
from jumar.makers.tune.literals import Value, read, write

PYTHON = '''\ufeff"""A docstring: lr = 3, batch = 7."""\r
__version__ = "1.2"\r
SEED = 42\r
é = "ü"; LR = 1e-3  # the rate\r
BATCH: int = 32\r
USE = True\r
\r
def fit(data, lr=0.10, *, dropout=.5, random_state=3):\r
\tcount = 0\r
\tLIMIT = 9\r
\tgrow(data, size=-1_000, flag=True, depth=- 3, axis=1)\r
\treturn count + 1\r
\r
parser.add_argument("--seed", type=int, default=3)\r
parser.add_argument("--rate", default=0.1)\r
\r
class Colour(Enum):\r
    RED = 1\r
\r
class Net:\r
    width = 64; table = {"decay": 5., 3: 4}\r
area = 1 + width[0]'''

YAML = """\
# settings
model: {lr: 1e-3, layers: 5, bias: yes}   # comment: 7
list: &shared
  - 3
  - keep: 0.10
again: *shared
seed: 3
run: {random_state: 7, rate: -0.25}
when: 2024-01-02
name: "12"
"""

JSON = '{\t"a": {"lr": 1e-3, "list": [1, 2, {"deep": true}], "name": "3"},\r\n  "q": -3, "version": 2, "t\\"x": 0.50}'

TOML = '''\
top = 1
[tool."a b"]
rate = 0.5 # 9
text = """
rate = 3
"""
day = 2024-01-01
at = 2024-01-01 10:00:00
inline = { n = 1_000, list = [1, 2], on = true }
seed = 4
[[row]]
rate = +1.5E-05
'''

INI = "[train]\nlr = 0.1 ; note = 3\nsteps: 50\nname = a b\nshuffle = Yes\n; off = 3\nport = 80\nurl = http://x/3\n"
ENV = 'export RATE=0.1\nN=5 # five\nNAME="3"\nRANDOM_SEED=4\n'
CSS = (
    "a:hover { margin: 0 12px -4px; color: #123456; width: calc(100% - 1.5rem) } /* x: 3; */\n"
    ":root { --gap: .5; background: url(x:3;); content: 'y: 4;' }\n"
)

FILES = {
    "a.py": PYTHON,
    "a.yaml": YAML,
    "a.json": JSON,
    "a.toml": TOML,
    "a.ini": INI,
    ".env": ENV,
    "a.css": CSS,
}


def named(path: str, text: str) -> dict[str, tuple[str, Value]]:
    return {c.name: (c.literal, c.value) for c in find_constants(path, text)}


def test_python_constants() -> None:
    assert named("a.py", PYTHON) == {
        "LR": ("1e-3", 0.001),
        "BATCH": ("32", 32),
        "USE": ("True", True),
        "fit.lr": ("0.10", 0.1),
        "fit.dropout": (".5", 0.5),
        "fit.LIMIT": ("9", 9),
        "fit.grow.size": ("-1_000", -1000),
        "parser.add_argument(--rate).default": ("0.1", 0.1),
        "Net.width": ("64", 64),
        "Net.decay": ("5.", 5.0),
    }


def test_yaml_constants() -> None:
    assert named("a.yaml", YAML) == {
        "model.lr": ("1e-3", 0.001),
        "model.layers": ("5", 5),
        "model.bias": ("yes", True),
        "list[1].keep": ("0.10", 0.1),
        "run.rate": ("-0.25", -0.25),
    }


def test_json_constants() -> None:
    assert named("a.json", JSON) == {
        "a.lr": ("1e-3", 0.001),
        "a.list[].deep": ("true", True),
        "q": ("-3", -3),
        't\\"x': ("0.50", 0.5),
    }


def test_toml_constants() -> None:
    assert named("a.toml", TOML) == {
        "top": ("1", 1),
        'tool."a b".rate': ("0.5", 0.5),
        'tool."a b".n': ("1_000", 1000),
        'tool."a b".on': ("true", True),
        "row.rate": ("+1.5E-05", 1.5e-05),
    }


def test_line_formats() -> None:
    assert named("a.ini", INI) == {
        "train.lr": ("0.1", 0.1),
        "train.steps": ("50", 50),
        "train.shuffle": ("Yes", True),
    }
    assert named(".env.local", ENV) == {"RATE": ("0.1", 0.1), "N": ("5", 5)}


def test_css_numbers_without_their_units() -> None:
    literals = [(c.name, c.literal) for c in find_constants("a.css", CSS)]
    assert literals == [
        ("margin", "12"),
        ("margin", "-4"),
        ("width", "100"),
        ("width", "1.5"),
        ("--gap", ".5"),
    ]
    gap = find_constants("a.css", CSS)[3]
    assert "calc(100% - 1.75rem)" in rewrite(CSS, {gap: 1.75})


def test_what_python_warns_of_is_read() -> None:
    assert named("a.py", "p = '\\d'\ndef f(n=3):\n    return n is 3\n") == {"f.n": ("3", 3)}


def test_a_text_without_markers_has_none() -> None:
    assert find_constants("notes.md", "about = 12\n") == []


@pytest.mark.parametrize(
    ("path", "broken", "name"),
    [
        ("a.py", "x = (\nlr = 0.1  # why\nn: int = 3\nseed = 4\nfoo(\n", "lr"),
        ("a.py", "a = 1\n\x0c\nlr = 0.1\n" + "x" + "[" * 3000 + "\n", "lr"),
        ("a.yaml", "a: [1, 2\nlr: 0.1\nb: }\n", "lr"),
        ("a.yaml", "lr: 0.1\nb: \x01\n", "lr"),
        ("a.json", '{"lr": 0.1, "x": ', "lr"),
        ("a.toml", "lr = 0.1\nx = = 3 [\n", "lr"),
    ],
)
def test_what_does_not_parse_is_read_by_line(path: str, broken: str, name: str) -> None:
    found = {c.name: c for c in find_constants(path, broken)}
    assert found[name].value == 0.1
    assert "seed" not in found


@pytest.mark.parametrize(
    "name", ["SEED", "my_seed", "rngSeed", "random_state", "version", "API_VERSION", "port", "RNG"]
)
def test_identities_are_untouched(name: str) -> None:
    for path, text in [
        ("a.py", f"{name} = 42"),
        ("a.yaml", f"{name}: 42"),
        ("a.json", f'{{"{name}": 42}}'),
        ("a.ini", f"{name}=42"),
    ]:
        assert find_constants(path, text) == []
    assert [c.value for c in find_constants("a.py", f"{name} = 42  # jumar: 1..99")] == [42]


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("1e-3", 0.00032, "3.2e-4"), ("1E-03", 0.01, "1E-02"), ("1.0e+3", 20000.0, "2.0e+4"), ("1e5", 1.0, "1e0"),
        ("0.10", 0.3, "0.30"), ("0.5", 3.0, "3.0"), (".5", 0.25, ".25"), ("-.5", -0.25, "-.25"), (".5", 2.5, "2.5"), ("5.", 3.0, "3."),
        ("0.001", 1e-20, "1.0e-20"), ("1_000", 2500000, "2_500_000"), ("1_000.5", 12345.5, "12_345.5"), ("+3", 4, "+4"), ("+3", -4, "-4"),
        ("-3", -12, "-12"), ("True", False, "False"), ("yes", False, "no"), ("Off", True, "On"), ("TRUE", False, "FALSE"),
        ("'a'", "b", "'b'"), ('"a"', "b", '"b"'), ("a", "b", "b"), ("1", 0.5, "0.5"), ("0", 0, "0"), ("0.0", 0.5, "0.5"),
    ],
)  # fmt: skip
def test_the_style_of_a_literal_stays(old: str, value: Value, new: str) -> None:
    assert write(old, value) == new


@pytest.mark.parametrize("path", FILES)
def test_only_the_literal_changes(path: str) -> None:
    text = FILES[path]
    for constant in find_constants(path, text):
        value = other_value(constant)
        changed = rewrite(text, {constant: value})
        grown = len(changed) - len(text)
        assert changed[: constant.start] == text[: constant.start]
        assert changed[constant.end + grown :] == text[constant.end :]
        assert changed[constant.start : constant.end + grown] == write(constant.literal, value)


def other_value(constant: Constant) -> Value:
    return (
        not constant.value if isinstance(constant.value, bool) else type(constant.value)(constant.value * 3)
    )


@pytest.mark.parametrize(
    ("path", "parse"), [("a.yaml", yaml.safe_load), ("a.json", json.loads), ("a.toml", tomllib.loads)]
)
def test_the_format_s_own_parser_agrees(path: str, parse: object) -> None:
    assert callable(parse)
    for constant in find_constants(path, FILES[path]):
        if constant.literal == "1e-3" and path == "a.yaml":
            continue  # YAML 1.1 calls it a text; whoever reads it as a number may have it tuned
        leaves = parse(rewrite(FILES[path], {constant: other_value(constant)}))
        assert str(other_value(constant)) in str(leaves)


numbers = st.one_of(
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e30, max_value=1e30),
)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), path=st.sampled_from(sorted(FILES)))
def test_found_again_with_the_new_value(data: st.DataObject, path: str) -> None:
    text = FILES[path]
    constants = find_constants(path, text)
    chosen = data.draw(st.sampled_from(constants))
    value = new_value(data, chosen)
    again = {c.key: c for c in find_constants(path, rewrite(text, {chosen: value}))}
    assert again[chosen.key].value == value
    others = {c.key: c.value for c in constants if c.key != chosen.key}
    assert {key: c.value for key, c in again.items() if key != chosen.key} == others


@settings(max_examples=300, deadline=None)
@given(
    suffix=st.sampled_from(["py", "yaml", "json", "toml", "ini", "env", "css", "md"]),
    text=st.lists(
        st.sampled_from(
            [
                "a",
                "lr",
                "seed",
                "=",
                ":",
                "1",
                "0.5",
                "1e9",
                "-",
                "9" * 5000,
                "true",
                '"',
                "'",
                "\\",
                "é",
                "\ufeff",
                "\r\n",
                "\n",
                "\r",
                "\t",
                " ",
                "#",
                ";",
                "{",
                "}",
                "[",
                "]",
                "(",
                ")",
                ",",
                "/*",
                "*/",
                '"""',
                "&x",
                "*x",
                "- ",
                "\x0c",
                "\udc80",
                "def f():",
                "\u2028",
            ]
        )
    ).map("".join),
)
def test_any_text_is_read_and_written_where_it_stands(suffix: str, text: str) -> None:
    for constant in find_constants(f"a.{suffix}", text):
        assert text[constant.start : constant.end] == constant.literal
        value = other_value(constant)
        assert read(write(constant.literal, value)) == value


def new_value(data: st.DataObject, constant: Constant) -> Value:
    if isinstance(constant.value, bool):
        return data.draw(st.booleans())
    if isinstance(constant.value, int):
        return data.draw(st.integers(1, 10**9)) * (-1 if constant.value < 0 else 1)
    value = data.draw(st.floats(1e-30, 1e14))
    return math.copysign(value, float(constant.value))


@settings(max_examples=200)
@given(
    old=st.sampled_from(["0.10", "1e-3", "1.0E+05", ".5", "5.", "1_000.0", "+2.5"]),
    value=st.floats(allow_nan=False, allow_infinity=False),
)
def test_every_digit_is_written(old: str, value: float) -> None:
    assert float(write(old, value)) == value


def test_a_text_that_moved_is_refused() -> None:
    constant = find_constants("a.py", "lr = 0.1")[0]
    with pytest.raises(ValueError, match="lr is not at line 1"):
        rewrite("rate = 0.1", {constant: 0.2})


@pytest.mark.parametrize(
    ("text", "low", "high", "log"),
    [
        ("lr = 0.1", 0.01, 1.0, True), ("scale = 3.0", 0.3, 30.0, True), ("dropout = 0.1", 0.0, 0.99, False), ("beta2 = 0.999", 0.0, 0.9995, False),
        ("n = 32", 8, 128, True), ("n = 8", 2, 32, True), ("n = 3", 1, 8, False), ("n = 0", 0, 3, False), ("x = 0.0", 0.0, 1.0, False),
        ("n = -32", -128, -8, True), ("x = -0.1", -1.0, -0.01, True), ("momentum = 1.5", 0.15, 15.0, True), ("drop_prob = 0.001", 0.0001, 0.01, True),
    ],
)  # fmt: skip
def test_the_range_comes_from_value_and_name(text: str, low: float, high: float, log: bool) -> None:
    (constant,) = find_constants("a.py", text)
    assert (constant.low, constant.high, constant.log) == (low, high, log)
    assert type(constant.low) is type(constant.value)


def test_keys_survive_moved_lines() -> None:
    first, second = (
        find_constants("a.py", "lr = 0.1\nf(n=3)\nf(n=4)\n"),
        find_constants("a.py", "# new\n\nlr = 0.2\nf(n=3)\nf(n=4)\n"),
    )
    assert [c.key for c in first] == [c.key for c in second] == ["a.py::lr", "a.py::f.n", "a.py::f.n#2"]


def test_targets_are_paths_folders_and_globs(tmp_path: Path) -> None:
    for name in ("src/a.py", "src/deep/b.py", "src/.git/c.py", "conf/d.toml", "e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "src/link.py").symlink_to("a.py")
    (tmp_path / "src/binary.py").write_bytes(b"\0\1")
    assert [s.path for s in read_targets(tmp_path, Scope(("src/**", "e.py", "none.py")))] == [
        "e.py",
        "src/a.py",
        "src/deep/b.py",
    ]
    assert [s.path for s in read_targets(tmp_path, Scope(("src/*.py", "conf")))] == [
        "conf/d.toml",
        "src/a.py",
    ]
