from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


@pytest.mark.parametrize(
    ("lines", "place", "key", "message", "hint"),
    [
        (("keep: pass_only", "policy: strict"), 2, "keep", "`keep: pass_only` contradicts `policy: strict` (mission.md:3)", "Remove one"),
        (("policy: pass", "repeats: 3"), 3, "repeats", "no meaning where the evaluator's pass alone decides", "`policy: strict`"),
        (("min_gain: 2%", "keep: pass_only"), 2, "min_gain", "no meaning", "`policy: two_sigma`"),
        (("metric_name: ms", "pattern: 'a (.)'"), 3, "pattern", "`metric_name` (mission.md:2) are two ways", "Remove one"),
        (("parser: named",), 2, "parser", "needs a name", "metric_name: ms"),
        (("parser: pattern",), 2, "parser", "needs a pattern", "pattern: '^took"),
        (("pattern: abc",), 2, "pattern", "has 0 groups, and needs exactly one", "pattern: '^took"),
        (("pattern: '(a)(b)'",), 2, "pattern", "has 2 groups", "pattern: '^took"),
        (("pattern: '(a'",), 2, "pattern", "not a regular expression", "pattern: '^took"),
        (("pattern: '(a)'", "parser: single"), 2, "pattern", "not used by `parser: single` (mission.md:3)", "`parser: pattern`"),
        (("pattern: '(a)'", "evaluator: contract"), 2, "pattern", "not used by `evaluator: contract`", "`evaluator: shell`"),
        (("metric_name: 'ms:'",), 2, "metric_name", "without its `:`", "metric_name: ms"),
        (("evaluator: contract", "parser: single"), 3, "parser", "reads JSON, which `parser: single` does not", "Remove `parser`"),
        (("target_score: -1", "optimum: 0"), 2, "target_score", "is better than `optimum` (0)", "Correct one"),
        (("optimum: 1", "target_score: 2", "direction: higher"), 3, "target_score", "is better than `optimum`", "`direction`"),
        (("maker: [tune, 'command:x']",), 2, "maker", "several makers in turn", "Name one"),
        (("maker: []",), 2, "maker", "empty list", "Name one"),
    ],
)  # fmt: skip
def test_contradictions(
    desk: Desk, lines: tuple[str, ...], place: int, key: str, message: str, hint: str
) -> None:
    found = desk.problem(*lines)
    assert (str(found.where), found.key) == (f"mission.md:{place}", key)
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    "lines",
    [
        ("target_score: 5", "optimum: 0"), ("target_score: 0", "optimum: 0"), ("policy: pass", "repeats: 1", "min_gain: 0"),
        ("policy: strict", "repeats: 3", "min_gain: 0.5"), ("parser: named", "metric_name: ms"), ("iterations: 0",),
        ("parser: pattern", "pattern: '(a)'"), ("evaluator: contract", "parser: whole_json"), ("carry: {src/parser.py: copy}",),
        ("optimum: 9", "target_score: 5", "direction: higher"),
    ],
)  # fmt: skip
def test_what_is_no_contradiction(desk: Desk, lines: tuple[str, ...]) -> None:
    desk.good(*lines)


def test_the_nearer_way_to_read_counts(desk: Desk) -> None:
    found = desk.good("metric_name: ms", pattern="took ([0-9.]+)")
    assert (found.parser, found.pattern) == ("pattern", "took ([0-9.]+)")
    found = desk.good("pattern: 'a (.)'", metric_name="ms")
    assert (found.parser, found.metric_name, found.pattern) == ("named", "ms", None)


def test_a_broken_pattern_of_a_flag_is_named_by_its_flag(desk: Desk) -> None:
    assert str(desk.problem(pattern="abc").where) == "--pattern"
