from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from jumar.core.mission import Mission
from jumar.mission import identity, mission_hash, resolved

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


def test_a_larger_budget_is_the_same_run(desk: Desk) -> None:
    one, more = desk.good("iterations: 5"), desk.good("iterations: 50", "guard: x", "goal: Other")
    assert identity(one) == identity(more)
    assert mission_hash(one) != mission_hash(more)


def test_another_target_evaluator_or_style_is_another_run(desk: Desk) -> None:
    lines = (
        "",
        "file: bench.py",
        "metric: other",
        "metric_name: ms",
        "direction: higher",
        "evaluator: contract",
        "parser: last_number",
    )
    assert len({identity(desk.good(line)) for line in lines}) == len(lines)
    assert identity(desk.good("", start="src")) != identity(desk.good(""))
    assert identity(desk.good("file: [bench.py, notes.md]")) == identity(
        desk.good("file: [notes.md, bench.py]")
    )


def test_a_mission_survives_json(desk: Desk) -> None:
    mission = desk.good("min_gain: 2%", "carry: {notes.md: copy}", "target_score: 3")
    data = json.loads(json.dumps(resolved(mission)))
    assert msgspec.convert(data, Mission) == mission
    assert mission_hash(msgspec.convert(data, Mission)) == mission_hash(mission)
