from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jumar.core.ladder import Step
from jumar.core.rules import RULES
from jumar.core.stopping import STOPS
from jumar.mission import load_style
from jumar.mission.nodes import Where

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


NIGHT = """summary: Long nights.
rules: [refused, evaluation_error, strict]
gates: []
baseline: [evaluation_error]
stops: [iterations]
ladder: [3, 5]
baseline_runs: 2
defaults:
  policy: strict
  iterations: 50
  guard: [pytest -q]
"""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "jumar" / "styles"
    folder.mkdir(parents=True)
    return folder


def test_plain_names_rules_that_exist() -> None:
    style = load_style("plain", Where("--style")).style
    assert {*style.rules, *style.gates, *style.baseline} <= {*RULES, "policy"}
    assert set(style.stops) <= set(STOPS)
    assert (style.baseline_runs, style.noisy_baseline_runs, style.views) == (3, 5, ("report", "progress"))
    assert not style.defaults


def test_a_style_of_a_users_own(desk: Desk, shelf: Path) -> None:
    (shelf / "night.yaml").write_text(NIGHT, "utf-8")
    mission = desk.good("style: night")
    assert (mission.style.name, mission.style.ladder, mission.style.baseline_runs) == ("night", (3, 5), 2)
    assert (mission.policy, mission.iterations, mission.guard) == ("strict", 50, ("pytest -q",))
    mission = desk.good("style: night", "iterations: 7", policy="pass")
    assert (mission.policy, mission.iterations) == ("pass", 7)
    assert desk.good(style="night").style.name == "night"


def test_a_ladder_with_words(desk: Desk, shelf: Path) -> None:
    ladder = "[3, {at: 5, name: shift, every: 5, brief: Try the other thing.}]"
    (shelf / "night.yaml").write_text(NIGHT.replace("[3, 5]", ladder) + "ladder_counts: strikes\n", "utf-8")
    style = desk.good("style: night").style
    assert style.ladder == (3, Step(5, "shift", "Try the other thing.", every=5))
    assert style.ladder_counts == "strikes"


def test_without_a_configuration_folder_it_is_below_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desk: Desk
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".config" / "jumar" / "styles"
    folder.mkdir(parents=True)
    (folder / "night.yaml").write_text(NIGHT, "utf-8")
    assert desk.good("style: night").style.name == "night"


@pytest.mark.parametrize("name", ["checklist", "contract", "rubric", "deadline", "metric"])
def test_styles_of_a_later_version(desk: Desk, name: str) -> None:
    found = desk.problem(f"style: {name}")
    assert (str(found.where), found.key) == ("mission.md:2", "style")
    assert "is not in this version of jumar yet" in found.message
    assert "`plain`" in found.hint


@pytest.mark.parametrize(
    ("name", "hint"), [("plane", "Did you mean `plain`?"), ("../plain", "plain"), ("qqq", "qqq.yaml")]
)
def test_a_style_that_is_not_there(desk: Desk, shelf: Path, name: str, hint: str) -> None:
    found = desk.problem(f"style: {name}")
    assert found.message == f"there is no style `{name}`."
    assert hint in found.hint


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        (NIGHT + "ladders: [1]\n", 12, "ladders", "a style has no key `ladders`"),
        (NIGHT.replace("[3, 5]", "[three]"), 6, "ladder", "Expected `int"),
        (NIGHT.replace("[3, 5]", "[5, {at: 3}]"), 6, "ladder", "do not rise"),
        (NIGHT.replace("[3, 5]", "[{at: 3, words: no}]"), 6, "ladder", "unknown field `words`"),
        (NIGHT.replace("[iterations]", "[iteration]"), 5, "stops", "names `iteration`, which is no rule"),
        (NIGHT.replace("strict]", "unit]"), 2, "rules", "has to decide every trial"),
        (NIGHT.replace("gates: []\n", ""), None, "gates", "the style lacks `gates`"),
        (NIGHT.replace("iterations: 50", "iterations: many"), 10, "iterations", "`iterations` is `many`"),
        (NIGHT.replace("policy: strict", "polizy: strict"), 9, "polizy", "there is no key `polizy`"),
        (NIGHT + "views: [a\n", 13, "", "YAML cannot be read"),
    ],
)
def test_a_broken_style_is_an_error_by_line(
    desk: Desk, shelf: Path, text: str, line: int | None, key: str, message: str
) -> None:
    (shelf / "night.yaml").write_text(text, "utf-8")
    found = desk.problem("style: night")
    assert (found.where.source, found.where.line, found.key) == (str(shelf / "night.yaml"), line, key)
    assert message in found.message
