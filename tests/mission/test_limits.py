"""What a style takes for a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from jumar.mission import MissionProblems, load_mission
from jumar.mission.limits import outside, read_range
from jumar.mission.styles import read_style

STYLE = """\
summary: One of mine.
rules: [policy]
gates: []
baseline: [evaluation_error]
stops: [iterations]
"""
LIMITS = {"iterations": "1..50 or 0", "time": "1m..120m", "stagnation": "1..", "max_change": "..10"}


@pytest.mark.parametrize("value", [0, 1, 50])
def test_a_value_within_the_limits(value: int) -> None:
    assert outside(LIMITS, "iterations", value) is None


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("iterations", 51, "1 to 50"),
        ("iterations", None, "1 to 50"),
        ("time", 59.0, "1m to 120m"),
        ("time", 7201.0, "1m to 120m"),
        ("stagnation", 0, "at least 1"),
    ],
)
def test_a_value_beyond_the_limits(key: str, value: float | None, words: str) -> None:
    assert outside(LIMITS, key, value) == words


def test_no_limit_at_all_lies_within_a_range_without_an_upper_end() -> None:
    assert outside(LIMITS, "stagnation", None) is None
    assert outside(LIMITS, "repeats", 10**6) is None
    assert read_range("iterations", "..50").words == "at most 50"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("limits: {iterations: 1-50}", "the limit of `iterations` is `1-50`"),
        ("limits: {iterations: 1..x}", "the limit of `iterations` is"),
        ("limits: {style: a..b}", "the limit of `style` is"),
        ("limits: {iteration: 1..2}", "Did you mean `iterations`?"),
        ("aliases: {budget: tyme}", "names `tyme`, which is no key"),
        ("aliases: {forever: {iteration: unlimited}}", "Did you mean `iterations`?"),
    ],
)
def test_a_style_that_limits_or_renames_what_is_not_there(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(STYLE + line + "\n")
    with pytest.raises(MissionProblems) as caught:
        read_style("mine", file)
    assert said in f"{caught.value.message} {caught.value.hint}"
    assert "mine.yaml:6" in str(caught.value.problems[0].where)


def test_a_mission_beyond_its_styles_limits_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "config/jumar/styles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(STYLE + "limits: {iterations: 1..50 or 0}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "f.txt").write_text("1")
    flags = {"style": "mine", "file": ["f.txt"], "metric": "./m", "direction": "lower_is_better"}
    assert (
        load_mission(None, {**flags, "iterations": "0"}, start=tmp_path, root=tmp_path).direction == "lower"
    )
    with pytest.raises(MissionProblems) as caught:
        load_mission(None, {**flags, "iterations": "51"}, start=tmp_path, root=tmp_path)
    assert caught.value.message == "--iterations: `iterations` is `51`, and the style `mine` takes 1 to 50."
