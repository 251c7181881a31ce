"""Hints for a run that goes on, and more budget for one that is over."""

from __future__ import annotations

import json

import pytest
from user import Project

NAMED = ("--metric-name", "score")
HINTING = """grep -A2 "A word from" "$JUMAR_BRIEF" | tail -1 > "$SAID.$JUMAR_TRIAL"
echo $((10 - JUMAR_TRIAL)) > f.txt
case $JUMAR_TRIAL in 1) cd "$CHECKOUT" && jumar steer "look at the tail" ;; 3) cd "$CHECKOUT" && jumar steer "" ;; esac
"""


def hints(project: Project) -> dict[str, str]:
    return {file.name: file.read_text().strip() for file in sorted((project.root.parent / "said").iterdir())}


def test_a_hint_is_in_every_brief_until_it_is_taken_back(project: Project) -> None:
    (project.root.parent / "said").mkdir()
    project.env |= {"SAID": str(project.root.parent / "said/trial"), "CHECKOUT": str(project.root)}
    project.program("maker", HINTING)
    project.commit()
    project.run(*NAMED, "--iterations", "4")
    assert hints(project) == {
        "trial.1": "",
        "trial.2": "look at the tail",
        "trial.3": "look at the tail",
        "trial.4": "",
    }
    assert project.jumar("verify", "--json").json["problems"] == []


def test_a_hint_waits_for_a_run_that_is_extended(project: Project) -> None:
    project.run(*NAMED, "--iterations", "1")
    said = project.jumar("steer", "go on \x1b[1mcarefully")
    assert "once it goes on" in said.err
    end = project.jumar("extend", "--iterations", "2", "--json").end
    assert (end["reason"], end["kept"] + end["discarded"] + end["errors"] + end["noops"]) == ("iterations", 3)
    assert "go on carefully" in project.jumar("show", "2", "--json").json["brief"]
    assert "go on carefully" not in project.jumar("show", "1", "--json").json["brief"]
    assert len(json.loads(project.jumar("log", "--json").out)) == 4


@pytest.mark.parametrize(
    ("words", "problem", "hint"),
    [
        ((), "Nothing says how much more", "--iterations N"),
        (("--time", "1h"), "no limit on time", "Leave --time out"),
        (("--time", "soon"), "soon", ""),
    ],
)
def test_what_cannot_be_extended_is_said(
    project: Project, words: tuple[str, ...], problem: str, hint: str
) -> None:
    project.run(*NAMED, "--iterations", "1")
    error = project.jumar("extend", *words, "--json", code=2).events[-1]
    assert problem in error["message"]
    assert hint in error["hint"]


def test_more_trials_do_not_help_where_another_rule_ended_the_run(project: Project) -> None:
    project.run(*NAMED, "--iterations", "5", "--target-score", "9")
    error = project.jumar("extend", "--iterations", "5", "--json", code=5).events[-1]
    assert "would not go on" in error["message"]


def test_a_hint_is_no_book(project: Project) -> None:
    project.run(*NAMED, "--iterations", "1")
    error = project.jumar("steer", "x" * 5000, "--json", code=2).events[-1]
    assert "5000 characters" in error["message"]


def test_a_run_that_broke_takes_no_hint(project: Project) -> None:
    project.program("eval", "exit 3")
    project.commit()
    project.run(*NAMED, "--iterations", "1", code=3)
    assert "--fresh" in project.jumar("steer", "x", "--json", code=5).events[-1]["hint"]
