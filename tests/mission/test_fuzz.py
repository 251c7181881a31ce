"""Whatever is written, the answer is a mission or a MissionError with a place and a cure."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jumar.core.mission import Mission
from jumar.mission import MissionProblems, Option, Problem, load_mission, options
from jumar.mission.keys import KEYS

WORDS = st.sampled_from(
    [
        "",
        "~",
        "none",
        "0",
        "-1",
        "2%",
        "1h",
        "5G",
        "lower",
        "tune",
        "strict",
        "a.py",
        "**",
        "../x",
        "named",
        "[",
        "*",
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.dates(), WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(sorted(KEYS)) | st.text(max_size=10)


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.py").write_text("", "utf-8")
        yield Path(folder).resolve()


def answer(root: Path, text: bytes | None, flags: dict[str, object] | None = None) -> None:
    if text is not None:
        (root / "mission.md").write_bytes(text)
    path = root / "mission.md" if text is not None else None
    problems: tuple[Problem, ...] = ()
    try:
        assert isinstance(load_mission(path, flags or {}, start=root, root=root), Mission)
    except MissionProblems as error:
        problems = error.problems
        str(error).encode()
    assert all(problem.hint and problem.message and str(problem.where) for problem in problems)


@given(st.dictionaries(NAMES, VALUES, max_size=8))
@settings(deadline=None, max_examples=150)
def test_any_mapping(root: Path, entries: dict[str, object]) -> None:
    answer(root, f"---\n{yaml.safe_dump(entries, allow_unicode=True)}---\n".encode("utf-8", "surrogatepass"))


@given(
    st.binary(max_size=60) | st.text("---: [{&*!|>'\"\\%@`#\t\n,}]ab1", max_size=40).map(str.encode),
    st.booleans(),
)
@settings(deadline=None, max_examples=150)
def test_any_bytes(root: Path, data: bytes, fenced: bool) -> None:
    answer(root, b"---\n" + data + b"\n---\n" if fenced else data)


@given(st.dictionaries(st.sampled_from(options()), st.text(max_size=15) | WORDS, max_size=6))
@settings(deadline=None, max_examples=150)
def test_any_flags(root: Path, given_options: dict[Option, str]) -> None:
    kinds = {"bool": bool, "list": lambda text: [text, text], "text": lambda text: text}
    answer(root, None, {option.parameter: kinds[option.kind](text) for option, text in given_options.items()})
