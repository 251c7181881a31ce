"""`run` with a maker, and `ask` and `tell` by hand with a new process for every call, are one thing."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

from user import Project, wait_for

NAMED = ("--metric-name", "score")
# What the maker does in each trial: keeps, discards, errors, a noop, an edit out of scope, a repeat, git's own doings.
EDITS = {
    1: "echo 9 > f.txt",
    2: "echo 12 > f.txt",
    3: "echo rubbish > f.txt",
    4: "true",
    5: "echo 1 > f.txt; echo x > other.txt",
    6: "echo 12 > f.txt",
    7: "echo 8 > f.txt; rm -f gone.txt",
    8: "git checkout -q -b mine; echo 3000 > f.txt; git commit -qam mine",
    9: "echo 7 > f.txt",
}
SAME = ("trial", "kind", "outcome", "reason", "sentence", "flags", "score", "samples", "best", "delta_baseline", "delta_previous", "description", "evaluations", "level")  # fmt: skip


def history(project: Project) -> list[dict[str, Any]]:
    return [{name: trial[name] for name in SAME} for trial in project.jumar("log", "--json").json]


def trees(project: Project, run: str) -> dict[str, str]:
    refs = project.git(
        "for-each-ref", "--format=%(refname:lstrip=3) %(tree)", f"refs/jumar/{run}/trial"
    ).splitlines()
    return dict(line.split() for line in refs)


def prepare(project: Project) -> None:
    cases = "".join(f"{number}) {edit};;\n" for number, edit in EDITS.items())
    said = """printf '{"hypothesis": "idea %s", "summary": "edit %s"}' $JUMAR_TRIAL $JUMAR_TRIAL > "$JUMAR_PROPOSAL" """
    project.program("maker", f"case $JUMAR_TRIAL in\n{cases}esac\n{said}")
    project.write("other.txt", "not a target\n")
    project.commit()


def test_both_ways_give_the_same_history(project: Project) -> None:
    prepare(project)
    count = str(len(EDITS))
    driven = project.run(*NAMED, "--iterations", count)
    by_run, trees_of_run = history(project), trees(project, driven.end["run"])
    outcomes = [trial["outcome"] for trial in by_run]
    assert outcomes == [
        "baseline",
        "keep",
        "discard",
        "error",
        "noop",
        "error",
        "discard",
        "keep",
        "discard",
        "keep",
    ]

    mission = project.mission(*NAMED, "--iterations", count)
    told = []
    for number, edit in EDITS.items():
        asked = project.jumar("ask", *mission, "--json").json
        assert asked["trial"] == number
        assert Path(asked["brief_path"]).read_text() == asked["brief"]
        again = project.jumar("ask", *mission, "--json").json if number in (2, 5) else asked
        assert again == asked
        subprocess.run(["sh", "-c", edit], cwd=asked["worktree"], check=True)
        Path(asked["proposal_path"]).write_text(
            json.dumps({"hypothesis": f"idea {number}", "summary": f"edit {number}"})
        )
        told.append(project.jumar("tell", "--json").json)
    end = project.jumar("ask", *mission, "--json").json
    assert (end["state"], end["reason"], end["kept"]) == ("ended", "iterations", 3)
    assert history(project) == by_run
    assert [{name: trial[name] for name in SAME} for trial in told] == by_run[1:]
    assert trees(project, end["run"]) == trees_of_run
    assert end["run"] != driven.end["run"]
    assert project.kept_file(end["branch"]) == project.kept_file(driven.end["branch"]) == "7"
    briefs = [
        (project.folder(run) / f"trials/{number:04d}/brief.md").read_text().replace(run, "RUN")
        for run in (driven.end["run"], end["run"])
        for number in EDITS
    ]
    assert briefs[: len(EDITS)] == briefs[len(EDITS) :]
    for run in (driven.end["run"], end["run"]):
        project.jumar("verify", run)


def test_run_goes_on_where_ask_and_tell_left_off(project: Project) -> None:
    asked = project.jumar("ask", *project.mission(*NAMED), "--json").json
    (Path(asked["worktree"]) / "f.txt").write_text("9\n")
    project.jumar("tell", "--hypothesis", "by hand", "--self-score", "7.5", "--json")
    asked = project.jumar("ask", *project.mission(*NAMED), "--json").json
    (Path(asked["worktree"]) / "f.txt").write_text("half an ed")
    done = project.run(*NAMED, "--iterations", "3")
    assert done.end["run"] == asked["run"]
    assert done.column("trial") == [2, 3]
    assert done.end["best"] == 7.0
    shown = project.jumar("show", "1", "--json").json
    assert shown["description"] == "by hand"
    assert shown["proposal"]["self_score"] == 7.5


def test_asking_again_leaves_the_edit_alone(project: Project) -> None:
    mission = project.mission(*NAMED)
    asked = project.jumar("ask", *mission, "--json").json
    file = Path(asked["worktree"]) / "f.txt"
    file.write_text("3\n")
    assert project.jumar("ask", *mission, "--json").json == asked
    assert file.read_text() == "3\n"
    assert project.jumar("status", "--json").json["state"] == "waiting"
    assert project.jumar("tell", "--json").json["score"] == 3.0


def test_tell_with_a_limit_to_its_patience(project: Project, tmp_path: Path) -> None:
    go = tmp_path / "go"
    project.program(
        "eval",
        f'[ "$(cat f.txt)" != 1 ] || while [ ! -f {shlex.quote(str(go))} ]; do sleep 0.02; done; echo "score: $(cat f.txt)"',
    )
    project.commit()
    asked = project.jumar("ask", *project.mission(*NAMED, "--no-probe"), "--json").json
    (Path(asked["worktree"]) / "f.txt").write_text("1\n")
    assert project.jumar("tell", "--wait", "0s", "--json").json["state"] == "measuring"
    assert project.jumar("tell", "--wait", "0s", "--json").json["state"] == "measuring"
    go.touch()
    wait_for(lambda: project.jumar("status", "--json").json["kept"] == 1)
    # Measured or not by the time of the next call: the answer is not lost.
    assert project.jumar("tell", "--wait", "60s", "--json").json["outcome"] == "keep"
    assert "ask" in project.jumar("tell", "--json", code=5).json["hint"]


def test_telling_when_nothing_was_asked(project: Project) -> None:
    for command, seen in ((["tell"], "no run"), (["tell", "--wait", "soon"], "--wait")):
        error = project.jumar(*command, "--json", code=None).json
        assert seen in error["message"]
    project.run(*NAMED, "--iterations", "1")
    error = project.jumar("tell", "--json", code=5).json
    assert "ask" in error["hint"]


def test_a_proposal_that_cannot_be_read_can_be_mended(project: Project) -> None:
    asked = project.jumar("ask", *project.mission(*NAMED), "--json").json
    (Path(asked["worktree"]) / "f.txt").write_text("1\n")
    proposal = Path(asked["proposal_path"])
    proposal.write_text('{"summary": 3}')
    error = project.jumar("tell", "--json", code=5).json
    assert "summary" in error["message"]
    proposal.write_text('{"summary": "half a pair \\ud83d", "notes": "NaN is text"}')
    told = project.jumar("tell", "--json").json
    assert told["outcome"] == "keep"
    assert "half a pair" in told["description"]


def test_a_half_pair_from_a_maker(project: Project) -> None:
    project.program(
        "maker", """echo 3 > f.txt; printf '{"summary": "half a pair \\\\ud83d"}' > "$JUMAR_PROPOSAL" """
    )
    project.commit()
    done = project.run(*NAMED, "--iterations", "1")
    assert done.end["kept"] == 1
