from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from jumar.core.mission import Gain, Mission
from jumar.mission import options
from jumar.mission.keys import KEYS, ROWS, SHORTHANDS, Key

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


# The published table: every key with its default. A change here is a change of the interface.
DEFAULTS: dict[str, object] = {
    "goal": "", "style": "plain", "file": None, "metric": None, "metric_name": None, "pattern": None, "direction": None,
    "unit": None, "parser": None, "evaluator": "shell", "checks": None, "fixtures": (), "rubric": None, "judge": None,
    "guard": (), "rework": 0, "constraint": (), "protect": (), "protect_lines": (), "holdout": None, "maker": ("tune",),
    "keep": "style", "policy": "default", "evidence": "normal", "repeats": 1, "min_gain": Gain(), "iterations": 20,
    "time": None, "target_score": None, "target_repeats": 1, "stagnation": None, "max_tokens": None, "max_cost": None,
    "timeout": 600.0, "maker_timeout": 1800.0, "memory": None, "allow_failing_baseline": False,
    "continue_after_target": False, "wait_max": 21600.0, "lanes": 1, "executor": "local", "carry": {}, "setup": None,
    "base": "working", "seed": 0, "sandbox": "auto", "network": {"evaluator": "off", "maker": "on"}, "home": "hidden",
    "devices": (), "scale": "auto", "probe": True, "git": "none", "sandboxed": None, "optimum": None, "on_tie": "revert",
    "holdout_when": "keeps", "holdout_undo": False, "conversation": "fresh", "overage": "refuse", "examples": None,
    "tier": None, "max_change": None, "hooks": "off", "pressure": None, "notify": (),
}  # fmt: skip
WRITTEN = {  # each default as the documentation writes it, where a file may give it
    "style": "plain", "evaluator": "shell", "fixtures": "[]", "guard": "[]", "rework": "0", "constraint": "[]",
    "protect": "[]", "protect_lines": "[]", "maker": "tune", "keep": "style", "policy": "default", "evidence": "normal",
    "repeats": "1", "min_gain": "0", "iterations": "20", "target_repeats": "1", "stagnation": "none", "memory": "none",
    "timeout": "10m", "maker_timeout": "30m", "allow_failing_baseline": "false", "continue_after_target": "false",
    "wait_max": "6h", "lanes": "1", "executor": "local", "carry": "{}", "base": "working", "seed": "0", "sandbox": "auto",
    "network": "{evaluator: off, maker: on}", "home": "hidden", "devices": "[]", "scale": "auto", "probe": "true",
    "git": "none", "sandboxed": "none", "on_tie": "revert", "holdout_when": "keeps", "holdout_undo": "false",
    "conversation": "fresh", "overage": "refuse", "hooks": "off", "notify": "[]", "time": "", "target_score": "",
    "max_tokens": "", "max_cost": "", "optimum": "", "examples": "", "max_change": "", "pressure": "", "holdout": "",
}  # fmt: skip


def test_every_key_of_the_interface_is_there_with_its_default() -> None:
    assert {row.name: row.default for row in ROWS} == DEFAULTS


def test_defaults_of_the_table_and_of_the_resolved_mission_agree() -> None:
    followed = {"parser", "policy"}  # these follow from other keys
    for field in msgspec.structs.fields(Mission):
        if field.name in KEYS and field.name not in followed and not field.required:
            default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
            assert default == KEYS[field.name].default, field.name


@pytest.mark.parametrize("key", WRITTEN)
def test_a_default_may_be_written_out(desk: Desk, key: str) -> None:
    assert desk.good(f"{key}: {WRITTEN[key]}") == desk.good("")


@pytest.mark.parametrize("row", [row for row in ROWS if row.later], ids=lambda row: row.name)
def test_a_later_feature_is_refused_and_not_ignored(desk: Desk, row: Key) -> None:
    value = {
        "max_cost": "5.00",
        "tier": "2",
        "rework": "1",
        "wait_max": "1h",
        "lanes": "2",
        "max_tokens": "9",
    }
    words = {"evidence": "fast", "scale": "log", "git": "snapshot", "holdout_when": "end", "holdout_undo": "true",
             "conversation": "continue", "overage": "allow", "hooks": "run", "network": "{evaluator: on}"}  # fmt: skip
    text = (value | words).get(row.name, "something")
    found = desk.problem(f"{row.name}: {text}")
    assert (str(found.where), found.key) == ("mission.md:2", row.name)
    assert "does not have yet" in found.message
    assert found.hint == f"Remove the key `{row.name}`."


def test_a_later_feature_as_a_flag_is_refused_by_its_flag(desk: Desk) -> None:
    found = desk.problem(max_cost="5.00")
    assert (str(found.where), found.hint) == ("--max-cost", "Leave out --max-cost.")


def test_options_are_the_keys_and_the_shorthands() -> None:
    given = {option.parameter: option for option in options()}
    assert set(given) == set(KEYS) | set(SHORTHANDS)
    assert given["target_score"].declaration == "--target-score"
    assert given["probe"].declaration == "--probe/--no-probe"
    assert (given["file"].kind, given["probe"].kind, given["time"].kind) == ("list", "bool", "text")
    assert given["lanes"].hidden
    assert not given["no_sandbox"].hidden
    assert "lower, higher" in given["direction"].help
    assert all(option.help.endswith(".") for option in given.values())
