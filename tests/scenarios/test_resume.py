"""Going on with a run, ending it, and the exit codes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from user import Project, finish, wait_for

NAMED = ("--metric-name", "score")


def runs(project: Project) -> list[str]:
    return sorted(path.name for path in (project.root / ".jumar/runs").iterdir())


def test_a_larger_budget_continues_and_the_same_command_starts_another(project: Project) -> None:
    first = project.run(*NAMED, "--iterations", "3")
    more = project.run(*NAMED, "--iterations", "6")
    assert more.end["run"] == first.end["run"]
    assert more.column("trial") == [4, 5, 6]
    assert more.end["best"] == 4.0
    again = project.run(*NAMED, "--iterations", "6")
    assert again.end["run"] != first.end["run"]
    assert again.column("trial") == [1, 2, 3, 4, 5, 6]
    assert again.baseline["score"] == 10.0
    assert len(runs(project)) == 2
    project.jumar("verify", first.end["run"])


def test_fresh_starts_another_while_one_is_unfinished(project: Project, tmp_path: Path) -> None:
    halt(project, tmp_path, "stop")
    done = project.run(*NAMED, "--fresh", "--iterations", "1")
    assert done.column("trial") == [1]
    assert len(runs(project)) == 2


def halt(project: Project, tmp_path: Path, how: str) -> dict[str, object]:
    """Run until the maker of trial 2 is at work, end it as asked, and give the last event."""
    ready, go = tmp_path / "ready", tmp_path / "go"
    go.unlink(missing_ok=True)
    project.program(
        "maker",
        f'v=$(cat f.txt); echo $((v - 1)) > f.txt; [ $JUMAR_TRIAL = 2 ] || exit 0; touch "{ready}"; while [ ! -f "{go}" ]; do sleep 0.02; done',
    )
    project.commit()
    running = project.start("run", *project.mission(*NAMED, "--iterations", "4"), "--json")
    wait_for(ready.exists)
    state = project.jumar("status", "--json").json
    assert (state["state"], state["trial"]) == ("running", 2)
    if how == "stop":
        assert project.jumar("stop", "--json").json["state"] == "stopping"
        go.touch()
        done = finish(running)
    elif how == "now":
        project.jumar("stop", "--now")
        done = finish(running)
    else:
        done = finish(running, signal.Signals[how])
    go.touch()
    assert [event["event"] for event in done.events].count("end") == 1
    return done.end


@pytest.mark.parametrize(
    ("how", "reason", "code", "kept"),
    [
        ("stop", "stopped", 0, 2),
        ("now", "stopped", 0, 1),
        ("SIGINT", "interrupted", 130, 1),
        ("SIGTERM", "interrupted", 130, 1),
    ],
)
def test_a_run_that_was_ended_goes_on(
    project: Project, tmp_path: Path, how: str, reason: str, code: int, kept: int
) -> None:
    before = project.root / "f.txt"
    end = halt(project, tmp_path, how)
    assert (end["reason"], end["exit"], end["kept"]) == (reason, code, kept)
    assert before.read_text() == "10\n"
    state = project.jumar("status", "--json").json
    assert state["state"] == "stopped"
    on = project.run(*NAMED, "--iterations", "4")
    assert on.end["run"] == end["run"]
    assert on.column("trial") == list(range(kept + 1, 5))
    assert on.end["best"] == 6.0
    log = project.jumar("log", "--json").json
    assert [trial["score"] for trial in log] == [10.0, 9.0, 8.0, 7.0, 6.0]


def test_sigint_before_anything_was_measured(project: Project, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    project.program("eval", f'touch "{ready}"; sleep 100; echo "score: $(cat f.txt)"')
    project.commit()
    running = project.start("run", *project.mission(*NAMED), "--json")
    wait_for(ready.exists)
    done = finish(running, signal.SIGINT)
    assert done.code == 130
    assert done.end["reason"] == "interrupted"


def test_iterations_zero_measures_the_baseline(project: Project) -> None:
    done = project.run(*NAMED, "--iterations", "0")
    assert [event["event"] for event in done.events] == ["start", "baseline", "end"]
    assert (done.end["reason"], done.end["exit"], done.end["baseline"]) == ("iterations", 0, 10.0)
    on = project.run(*NAMED, "--iterations", "1")
    assert on.end["run"] == done.end["run"]
    assert on.end["kept"] == 1


def test_a_target_that_is_met_already(project: Project) -> None:
    done = project.run(*NAMED, "--target-score", "10")
    assert (done.end["reason"], done.trials) == ("target", [])


def test_a_target_that_is_reached(project: Project) -> None:
    done = project.run(*NAMED, "--target-score", "8", "--iterations", "9")
    assert (done.end["reason"], done.end["kept"]) == ("target", 2)


def test_nothing_kept(project: Project) -> None:
    project.program("maker", "echo $((10 + $JUMAR_TRIAL)) > f.txt")
    project.commit()
    done = project.run(*NAMED, "--iterations", "2", code=1)
    assert done.end["discarded"] == 2
    said = project.jumar("run", *project.mission(*NAMED, "--iterations", "2"), "--fresh", code=1)
    assert said.out == ""
    error = project.jumar("accept", "--yes", "--json", code=5).json
    assert "kept nothing" in error["message"]


def test_stagnation(project: Project) -> None:
    project.program("maker", "echo $((10 + $JUMAR_TRIAL)) > f.txt")
    project.commit()
    assert project.run(*NAMED, "--iterations", "9", "--stagnation", "3", code=1).end["reason"] == "stagnation"


def test_the_maker_fails_in_its_own_words(project: Project) -> None:
    project.program("maker", "echo 'no licence found'; exit 7")
    project.commit()
    done = project.run(*NAMED, code=4)
    assert done.end["reason"] == "maker_broken"
    assert "no licence found" in done.end["message"]
    assert done.column("reason") == ["maker_failed"] * 3


def test_the_maker_is_not_there(project: Project) -> None:
    done = project.run("--maker", "command:./nobody", *NAMED, code=4)
    assert "nobody" in done.events[-1]["message"]


def test_two_at_once(project: Project, tmp_path: Path) -> None:
    ready, go = tmp_path / "ready", tmp_path / "go"
    project.program("maker", f'touch "{ready}"; while [ ! -f "{go}" ]; do sleep 0.02; done; echo 1 > f.txt')
    project.commit()
    first = project.start("run", *project.mission(*NAMED, "--iterations", "1"), "--json")
    wait_for(ready.exists)
    for command in (
        ["run", *project.mission(*NAMED, "--iterations", "1")],
        ["ask", *project.mission(*NAMED)],
    ):
        error = project.jumar(*command, "--json", code=5).json
        assert error["kind"] == "locked"
        assert "status" in error["hint"]
    assert project.jumar("clean", "--yes", "--json", code=5).json["kind"] == "refused"
    go.touch()
    assert finish(first).end["kept"] == 1


def test_the_maker_ends_the_run(project: Project) -> None:
    project.program(
        "maker", """printf '{"status": "abort", "notes": "nothing more to gain"}' > "$JUMAR_PROPOSAL" """
    )
    project.commit()
    done = project.run(*NAMED, code=1)
    assert done.end["reason"] == "aborted"
    assert "nothing more to gain" in done.end["message"]


def test_stopping_a_run_that_nobody_drives(project: Project) -> None:
    project.jumar("ask", *project.mission(*NAMED), "--json")
    assert project.jumar("stop", "--json").json["state"] == "stopped"
    assert project.jumar("status", "--json").json["state"] == "stopped"
    assert project.jumar("stop", "--json").json["state"] == "stopped"
    assert project.run(*NAMED, "--iterations", "2").end["kept"] == 2
