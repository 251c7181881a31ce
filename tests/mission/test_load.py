from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jumar.core.mission import Gain
from jumar.mission import MissionProblems, find_mission, load_mission

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


WHOLE = """---
goal: Make the parser faster without changing its output
style: plain
file: [src/parser.py, "src/l*.py"]
metric: python bench.py
metric_name: ms
direction: lower
unit: ms
parser: named
evaluator: shell
guard:
  - pytest -q
  - 'python -m mypy "src"'
protect: [tests/**]
maker: ["command:./m.sh"]
keep: style
policy: strict
repeats: 3
min_gain: 2%
on_tie: keep_smaller
iterations: unlimited
time: 8h
target_score: 1.5
target_repeats: 2
stagnation: 10
optimum: 0
continue_after_target: yes
timeout: 90s
maker_timeout: 1h30m
memory: 2G
allow_failing_baseline: true
carry: {src: copy, "notes.md": link}
setup: npm ci
base: head
seed: 7
sandbox: off
probe: no
---
Hints.
"""


def test_a_mission_with_every_key_of_this_version(desk: Desk) -> None:
    mission = load_mission(desk.write(WHOLE), {}, start=desk.root, root=desk.root)
    assert mission.goal == "Make the parser faster without changing its output"
    assert mission.notes == "Hints."
    assert mission.style.name == "plain"
    assert mission.file == ("src/parser.py", "src/l*.py")
    assert (mission.metric, mission.metric_name, mission.parser, mission.unit) == (
        "python bench.py",
        "ms",
        "named",
        "ms",
    )
    assert mission.guard == ("pytest -q", 'python -m mypy "src"')
    assert mission.protect == ("tests/**",)
    assert mission.maker == ("command:./m.sh",)
    assert (mission.policy, mission.repeats, mission.min_gain) == ("strict", 3, Gain(0.02, relative=True))
    assert (mission.iterations, mission.time, mission.stagnation) == (None, 28800, 10)
    assert (mission.target_score, mission.target_repeats, mission.optimum) == (1.5, 2, 0)
    assert (mission.timeout, mission.maker_timeout, mission.memory) == (90, 5400, 2 << 30)
    assert mission.carry == {"src": "copy", "notes.md": "link"}
    assert (mission.setup, mission.base, mission.seed) == ("npm ci", "head", 7)
    assert (mission.sandbox, mission.probe, mission.continue_after_target) == ("off", False, True)
    assert mission.on_tie == "keep_smaller"
    assert mission.allow_failing_baseline


def test_flags_beat_the_file(desk: Desk) -> None:
    mission = desk.good(
        "iterations: 5", "guard: [a, b]", iterations="7", guard=["c"], probe=False, no_sandbox=True
    )
    assert (mission.iterations, mission.guard, mission.probe, mission.sandbox) == (7, ("c",), False, "off")


def test_flags_that_were_not_given_change_nothing(desk: Desk) -> None:
    mission = desk.good(
        "iterations: 5", "guard: [a]", iterations=None, guard=[], probe=None, no_sandbox=False, file=()
    )
    assert (mission.iterations, mission.guard, mission.sandbox) == (5, ("a",), "auto")


def test_flags_alone_are_enough(desk: Desk) -> None:
    flags = {
        "file": ["src/parser.py"],
        "metric": "python bench.py",
        "direction": "lower",
        "carry": ["notes.md=copy"],
    }
    mission = load_mission(None, flags, start=desk.root, root=desk.root)
    assert (mission.file, mission.notes, mission.carry) == (("src/parser.py",), "", {"notes.md": "copy"})


def test_a_program_may_pass_values_as_they_are(desk: Desk) -> None:
    mission = desk.good(
        iterations=3, probe=False, target_score=0.5, carry={"notes.md": "link"}, file=[desk.root / "bench.py"]
    )
    assert (mission.iterations, mission.target_score, mission.file) == (3, 0.5, ("bench.py",))


def test_flags_have_the_errors_of_the_file(desk: Desk) -> None:
    found = desk.problem(iterations="ten")
    assert (
        str(found) == "--iterations: `iterations` is `ten`; expected a whole number from 0, or `unlimited`."
    )


@pytest.mark.parametrize("key", ["file", "metric", "direction"])
def test_what_a_mission_cannot_do_without(desk: Desk, key: str) -> None:
    for line, place, message in (
        (f"{key}:", "mission.md:2", "has no value"),
        (f"{key}: ~", "mission.md:2", "has no value"),
    ):
        found = desk.problem(line)
        assert (str(found.where), found.key) == (place, key)
        assert message in found.message
        assert f"`{key}: " in found.hint
        assert f"--{key}" in found.hint
    assert desk.problem(f'{key}: ""').key == key


def test_everything_that_is_missing_is_named_at_once(desk: Desk) -> None:
    found = desk.text_problems("---\ngoal: Faster\n---\n")
    assert [(str(problem.where), problem.key) for problem in found] == [
        ("mission.md", "file"), ("mission.md", "metric"), ("mission.md", "direction"),
    ]  # fmt: skip
    with pytest.raises(MissionProblems, match="the command line: `metric` is missing") as caught:
        load_mission(None, {"file": ["bench.py"], "direction": "lower"}, start=desk.root, root=desk.root)
    assert "`jumar init`" in caught.value.hint
    assert "--metric 'python bench.py'" in caught.value.hint


def test_an_empty_list_of_targets(desk: Desk) -> None:
    found = desk.problem("file: []")
    assert (str(found.where), found.message) == ("mission.md:2", "`file` is an empty list.")


def test_several_problems_in_one_message(desk: Desk) -> None:
    with pytest.raises(MissionProblems) as caught:
        desk.good("itterations: 5", "time: 1:30", "direction: Lower", stagnation="0")
    assert caught.value.message.splitlines() == [
        "mission.md:2: there is no key `itterations`.",
        "mission.md:3: `time` is `1:30`; expected a time such as `90s`, `30m`, `8h` or `1h30m`.",
        "mission.md:4: `direction` is `Lower`; expected `lower` or `higher`.",
        "--stagnation: `stagnation` is `0`; expected a whole number from 1, or `none`.",
    ]
    assert caught.value.hint.splitlines()[0] == "mission.md:2: Did you mean `iterations`?"
    assert (caught.value.exit_code, caught.value.kind) == (2, "mission")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("Target-Score: 5", "Did you mean `target_score`?"),
        ("files: [a]", "Did you mean `file`?"),
        ("qqq: 1", "Remove it; `jumar init` writes a mission with the usual keys."),
    ],
)
def test_an_unknown_key(desk: Desk, line: str, hint: str) -> None:
    found = desk.problem(line)
    assert (str(found.where), found.key, found.hint) == ("mission.md:2", line.partition(":")[0], hint)


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("iterations: -1", "`iterations` is `-1`; expected a whole number from 0", "Give `iterations`"),
        ("iterations: 2024-01-01", "`iterations` is `2024-01-01`", "Give `iterations`"),
        ("iterations: {a: 1}", "`iterations` is a mapping with `a`", "Give `iterations`"),
        ("timeout: 0", "`timeout` is `0`; expected a time above 0", "Give `timeout`"),
        ("timeout: -5s", "`timeout` is `-5s`; expected a time", "Give `timeout`"),
        ("maker_timeout: none", "`maker_timeout` is `none`; expected a time", "Give `maker_timeout`"),
        ("memory: lots", "`memory` is `lots`; expected a size", "Give `memory`"),
        ("probe: maybe", "`probe` is `maybe`; expected `true` or `false`", "Give `probe`"),
        ("direction: min", "`direction` is `min`; expected `lower` or `higher`", "Give `direction`"),
        ("direction: highest", "expected `lower` or `higher`", "`higher`"),
        ("metric: [a, b]", "`metric` is a list of 2; expected one text", "in quotes"),
        ("metric: {a: b}", "`metric` is a mapping with `a`; expected one text", "in quotes"),
        ('metric: ""', "`metric` is empty; expected some text", "Give `metric`"),
        ("file: {src: x}", "`file` is a mapping with `src`; expected a list", "[one, two]"),
        ("target_score: 0,5", "`target_score` is `0,5`; expected a number", "decimal point"),
        ("min_gain: two", "`min_gain` is `two`; expected a number from 0", "Give `min_gain`"),
        ("carry: {src: move}", "`carry` is `move`; expected `copy` or `link`", "Give `carry`"),
        ("carry: src", "`carry` is `src`; expected a mapping", "Give `carry`"),
        (
            "policy: two-sigma",
            "expected `default`, `strict`, `pass`, `two_sigma` or `simplicity`",
            "Did you mean `two_sigma`?",
        ),
        ("seed: 4294967296", "`seed` is `4294967296`", "Give `seed`"),
        ("style: [a]", "`style` is a list of 1; expected one text", "in quotes"),
    ],
)
def test_a_value_of_the_wrong_type(desk: Desk, line: str, message: str, hint: str) -> None:
    found = desk.problem(line)
    assert (str(found.where), found.key) == ("mission.md:2", line.partition(":")[0])
    assert message in found.message
    assert hint in found.hint


def test_a_wrong_entry_of_a_list_is_named_by_its_own_line(desk: Desk) -> None:
    found = desk.problem("guard:", "  - pytest -q", "  - {a: b}")
    assert (str(found.where), found.key) == ("mission.md:4", "guard")


@pytest.mark.parametrize(
    "line", ["maker: agent:auto", "maker: [mix:tune,trim]", "maker: llm:x:y", "evaluator: rubric"]
)
def test_choices_of_a_later_version(desk: Desk, line: str) -> None:
    found = desk.problem(line)
    assert "does not have yet" in found.message
    assert str(found.where) == "mission.md:2"
    assert "tune" in found.hint or "shell" in found.hint


@pytest.mark.parametrize(
    ("lines", "iterations"),
    [
        ((), 20), (("time: 8h",), None), (("time: 8h", "iterations: 5"), 5), (("iterations: unlimited",), None),
        (("iterations: 0",), 0), (("time: none",), 20), (("target_score: 5",), 20),
    ],
)  # fmt: skip
def test_twenty_iterations_unless_another_budget_is_given(
    desk: Desk, lines: tuple[str, ...], iterations: int | None
) -> None:
    assert desk.good(*lines).iterations == iterations


@pytest.mark.parametrize(
    ("lines", "parser"),
    [
        ((), "single"), (("metric_name: ms",), "named"), (("pattern: 'a (.)'",), "pattern"),
        (("evaluator: contract",), "last_json_line"), (("parser: last_number",), "last_number"),
        (("evaluator: contract", "metric_name: ms"), "last_json_line"), (("evaluator: contract", "parser: file"), "file"),
    ],
)  # fmt: skip
def test_the_parser_follows_from_what_is_given(desk: Desk, lines: tuple[str, ...], parser: str) -> None:
    assert desk.good(*lines).parser == parser


@pytest.mark.parametrize(
    ("lines", "policy"),
    [
        ((), "two_sigma"), (("policy: default",), "two_sigma"), (("policy: pass",), "pass"),
        (("keep: evaluator_pass",), "pass"), (("keep: score_improvement",), "strict"), (("keep: pass_only",), "pass_only"),
        (("keep: evaluator_pass", "policy: pass"), "pass"),
    ],
)  # fmt: skip
def test_the_policy(desk: Desk, lines: tuple[str, ...], policy: str) -> None:
    assert desk.good(*lines).policy == policy


def test_the_rule_of_the_command_line_beats_that_of_the_file(desk: Desk) -> None:
    assert desk.good("keep: pass_only", policy="strict").policy == "strict"
    assert desk.good("policy: pass", keep="score_improvement").policy == "strict"


def test_the_evaluator_as_a_mapping(desk: Desk) -> None:
    mission = desk.good("evaluator: {command: ./judge.sh, format: json, keep_policy: pass_only}", "metric:")
    assert (mission.evaluator, mission.metric) == ("contract", "./judge.sh")
    assert (mission.parser, mission.policy) == ("whole_json", "pass_only")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("evaluator: {command: a, format: xml}", "`format` is `xml`; expected `json`"),
        ("evaluator: {comand: a}", "`evaluator` has no key `comand`"),
        ("evaluator: {command: a}", "`evaluator` has a `command`, and `metric` (line 4) says the same"),
    ],
)
def test_a_wrong_mapping_of_the_evaluator(desk: Desk, line: str, message: str) -> None:
    found = desk.problems(line)
    assert {str(problem.where) for problem in found} == {"mission.md:2"}
    assert any(message in problem.message for problem in found)


def test_finding_the_mission(desk: Desk) -> None:
    assert find_mission(desk.root / "src", desk.root) is None
    at_root = desk.write("x")
    assert find_mission(desk.root / "src", desk.root) == at_root
    nearer = desk.write("x", "src/mission.md")
    assert find_mission(desk.root / "src", desk.root) == nearer


def test_a_mission_outside_is_called_by_its_full_path(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "night.md"
    other.write_text("---\nqqq: 1\nfile: bench.py\nmetric: x\ndirection: lower\n---\n", "utf-8")
    with pytest.raises(MissionProblems) as caught:
        load_mission(other, {}, start=desk.root, root=desk.root)
    assert str(caught.value) == f"{other}:2: there is no key `qqq`."
