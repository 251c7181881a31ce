"""status, log, show, diff, verify, clean: as data and as text."""

from __future__ import annotations

import pytest
from user import Project

NAMED = ("--metric-name", "score")


@pytest.fixture
def kept(project: Project) -> Project:
    """A run with two keeps, a discard and an error in the middle."""
    project.program(
        "maker",
        'case $JUMAR_TRIAL in 2) echo 50 > f.txt;; 3) echo oops > f.txt;; *) v=$(cat f.txt); echo $((v - 1)) > f.txt;; esac; echo "{\\"summary\\": \\"step $JUMAR_TRIAL\\"}" > $JUMAR_PROPOSAL',
    )
    project.commit()
    project.run(*NAMED, "--iterations", "4")
    return project


def test_status(kept: Project) -> None:
    found = kept.jumar("status", "--json").json
    assert {
        "run",
        "state",
        "trial",
        "best",
        "baseline",
        "branch",
        "kept",
        "discarded",
        "errors",
    } <= found.keys()
    assert (found["state"], found["trial"], found["best"]) == ("ended", 4, 8.0)
    text = kept.jumar("status").out
    assert found["run"] in text
    assert found["branch"] in text
    assert kept.jumar("status", "--run", found["run"][:6], "--json").json == found
    error = kept.jumar("status", "--run", "nothing-like-it", "--json", code=5).json
    assert found["run"] in error["hint"]


def test_log(kept: Project) -> None:
    trials = kept.jumar("log", "--json").json
    assert [trial["trial"] for trial in trials] == [0, 1, 2, 3, 4]
    assert [trial["outcome"] for trial in trials] == ["baseline", "keep", "discard", "error", "keep"]
    assert [trial["trial"] for trial in kept.jumar("log", "--last", "2", "--json").json] == [3, 4]
    lines = kept.jumar("log").out.splitlines()
    assert len(lines) == 5
    assert "step 2" in lines[2]
    for wrong in ("0", "-1", "x"):
        assert kept.jumar("log", "--last", wrong, code=2).out == ""


def test_show(kept: Project) -> None:
    shown = kept.jumar("show", "1", "--json").json
    for name in ("brief", "proposal", "numbers", "diff", "logs", "measurements"):
        assert shown[name], name
    assert shown["proposal"]["summary"] == "step 1"
    assert "evaluation-1.log" in shown["logs"]
    assert "-10" in shown["diff"]
    text = kept.jumar("show", "3").out
    assert "oops" in text
    for number in ("0", "2", "4"):
        kept.jumar("show", number)
        assert kept.jumar("show", number, "--json").json["trial"] == int(number)
    error = kept.jumar("show", "9", "--json", code=5).json
    assert "9" in error["message"]
    assert "4" in error["hint"]


def test_diff_can_be_applied(kept: Project) -> None:
    patch = kept.jumar("diff").out
    (kept.root / "all.patch").write_text(patch)
    kept.git("apply", "all.patch")
    assert (kept.root / "f.txt").read_text() == "8\n"
    assert "+50" in kept.jumar("diff", "2").out
    assert kept.jumar("diff", "0", code=None).out == ""


def test_verify_sees_what_does_not_agree(kept: Project) -> None:
    assert kept.jumar("verify", "--json").json["problems"] == []
    run = kept.folder().name
    assert "whole" in kept.jumar("verify", run).err
    kept.git("update-ref", f"refs/jumar/{run}/trial/1", "main")
    said = kept.jumar("verify", "--json", code=5).json
    assert "trial 1" in said["problems"][0]
    kept.git("update-ref", "-d", f"refs/jumar/{run}/trial/2")
    assert len(kept.jumar("verify", "--json", code=5).json["problems"]) == 2


def test_verify_sees_a_judge_that_was_bribed(kept: Project) -> None:
    kept.program("eval", "echo score: -1")
    said = kept.jumar("verify", "--json", code=5).json
    assert "eval" in said["problems"][0]


def test_clean(kept: Project) -> None:
    branch = kept.jumar("status", "--json").json["branch"]
    worktree = kept.git("worktree", "list", "--porcelain").split("worktree ")[-1].splitlines()[0]
    assert kept.jumar("clean", "--json", code=5).json["hint"]
    removed = kept.jumar("clean", "--yes", "--json").json
    assert len(removed["removed"]) == 1
    assert branch in kept.git("branch", "--list", "jumar/*")  # it was not handed over
    assert worktree not in kept.git("worktree", "list")
    assert kept.git("for-each-ref", "refs/jumar") == ""
    for command in ("status", "log", "diff", "verify", "clean", "stop", "tell", "accept"):
        error = kept.jumar(command, "--json" if command != "diff" else "--help", code=None)
        assert error.code == (0 if command == "diff" else 5), (command, error)
    assert kept.jumar("clean", "--all", "--yes", "--json").json == {"removed": []}


def test_clean_removes_a_branch_that_was_handed_over(kept: Project) -> None:
    kept.jumar("accept", "--yes")
    kept.jumar("clean", "--yes")
    assert kept.git("branch", "--list", "jumar/*") == ""


def test_cleaning_all_of_several(project: Project) -> None:
    for _ in range(2):
        project.run(*NAMED, "--iterations", "1")
    assert len(project.jumar("clean", "--all", "--yes", "--branch", "--json").json["removed"]) == 2
    assert project.git("branch", "--list", "jumar/*") == ""
    assert not (project.root / ".jumar").exists()


def test_a_reader_that_goes_away(kept: Project) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        f"{sys.executable} -m jumar log | head -0; {sys.executable} -m jumar diff | true",
        shell=True,
        cwd=kept.root,
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""


def test_terminals_of_every_kind(kept: Project) -> None:
    run = kept.jumar("status", "--json").json["run"]
    for env in ({"LC_ALL": "C", "LANG": "C"}, {"PYTHONIOENCODING": "ascii"}):
        for command in (["log", "--run", run], ["show", "3", "--run", run], ["log", "--json", "--run", run]):
            kept.jumar(*command, **env)
        kept.jumar("run", *kept.mission(*NAMED, "--iterations", "0"), **env)
