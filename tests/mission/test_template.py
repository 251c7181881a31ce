from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.mission import Gain
from jumar.mission import load_mission, scaffold
from jumar.mission.frontmatter import read_mapping
from jumar.mission.template import _quoted

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"))


def test_a_filled_scaffold_loads(desk: Desk) -> None:
    values = {
        "goal": "Faster: now", "file": ["src/parser.py", "src/*.py"], "metric": "python bench.py --n 3 # quick", "direction": "lower",
        "metric_name": "ms", "guard": ["pytest -q -k 'a, b'"], "protect": ["tests/**"], "iterations": 7, "time": "8h",
        "probe": False, "min_gain": Gain(0.02, relative=True), "carry": {"notes.md": "link"}, "notes": "Be kind.",
    }  # fmt: skip
    path = desk.write(scaffold(values))
    mission = load_mission(path, {}, start=desk.root, root=desk.root)
    assert (mission.goal, mission.metric, mission.guard) == (
        "Faster: now",
        "python bench.py --n 3 # quick",
        ("pytest -q -k 'a, b'",),
    )
    assert (mission.iterations, mission.time, mission.probe, mission.carry) == (
        7,
        28800,
        False,
        {"notes.md": "link"},
    )
    assert (mission.min_gain, mission.notes) == (Gain(0.02, relative=True), "Be kind.")


def test_what_is_not_filled_in_is_named(desk: Desk) -> None:
    found = desk.text_problems(scaffold({}))
    assert [problem.key for problem in found] == ["goal", "file", "metric", "direction"]


def test_nothing_of_ours_is_said_to_the_maker_in_the_users_name(desk: Desk) -> None:
    path = desk.write(scaffold({"file": ["bench.py"], "metric": "x", "direction": "lower", "goal": "g"}))
    assert load_mission(path, {}, start=desk.root, root=desk.root).notes == ""


@pytest.mark.parametrize("key", ["iterations", "time"])
def test_commented_keys_are_valid_when_taken_in(desk: Desk, key: str) -> None:
    text = scaffold({"goal": "g", "file": ["bench.py"], "metric": "x", "direction": "lower"}).replace(
        f"# {key}: ", f"{key}: "
    )
    assert load_mission(desk.write(text), {}, start=desk.root, root=desk.root)


@given(TEXTS)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    entries, problems = read_mapping(f"a: {_quoted(text)}\nb: [{_quoted(text)}, x]\n", "f")
    assert not problems
    assert entries["a"].text == text
    assert entries["b"].items[0].text == text
