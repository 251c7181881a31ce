"""What is said when something is wrong: a sentence, a hint, an exit code, and the same as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from user import Project

NAMED = ("--metric-name", "score")


def test_typos_in_options(project: Project) -> None:
    for words, seen in (
        (["run", "--iteratons", "3"], "--iterations"),
        (["run", "--file", "f.txt", "--drection", "lower"], "--direction"),
        (["statsu"], "status"),
        (["accept", "--sqash"], "--squash"),
        (["log", "--last", "many"], "--last"),
        (["show"], "trial"),
    ):
        done = project.jumar(*words, code=2)
        assert done.out == ""
        assert seen in done.err, done.err
        as_data = project.jumar(*words, "--json", code=2)
        (error,) = as_data.events
        assert error["event"] == "error"
        assert error["kind"] == "usage"
        assert seen in error["message"] + error["hint"]


def test_wrong_values(project: Project) -> None:
    for flags, seen in (
        (["--direction", "up"], ["--direction", "up", "lower"]),
        (["--iterations", "-1"], ["--iterations", "-1"]),
        (["--iterations", "many"], ["--iterations", "unlimited"]),
        (["--timeout", "10 parsecs"], ["--timeout", "10 parsecs"]),
        (["--file", "missing.txt"], ["missing.txt", "does not exist"]),
        (["--file", "g.txt"], ["g.txt", "f.txt"]),
        (["--style", "baroque"], ["baroque", "plain"]),
        (["--maker", "tunes"], ["tunes", "tune"]),
        (["--pattern", "(("], ["--pattern"]),
        (["--min-gain", "lots"], ["--min-gain"]),
        (["--maker", "agent:claude"], ["agent"]),
        (["--policy", "default2"], ["default2"]),
        (["--carry", "x=teleport"], ["teleport", "copy"]),
    ):  # fmt: skip
        done = project.run(*flags, code=2)
        (error,) = done.events
        assert (error["event"], error["kind"]) == ("error", "mission")
        for text in seen:
            assert text in error["message"] + error["hint"], (flags, error)
        assert error["hint"]
        assert "hint:" in done.err
    assert not (project.root / ".jumar").exists()


def test_what_is_missing(project: Project) -> None:
    error = project.jumar("run", "--json", code=2).json
    for flag in ("--file", "--metric", "--direction"):
        assert flag in error["message"] + error["hint"]
    error = project.jumar("run", "--file", "f.txt", "--metric", "./eval", "--json", code=2).json
    assert "direction" in error["message"]
    assert "lower" in error["hint"]


def test_a_typo_in_a_mission(project: Project) -> None:
    project.write(
        "mission.md", "---\nfile: f.txt\nmetrc: ./eval\ndirection: lower\niterations: soon\n---\nGo.\n"
    )
    error = project.jumar("run", "--json", code=2).json
    assert "mission.md:3" in error["message"]
    assert "metric" in error["hint"]
    assert "mission.md:5" in error["message"]
    project.write("mission.md", "---\nfile: f.txt\nmetric: <your command>\ndirection: lower\n---\nTODO\n")
    error = project.jumar("run", "--json", code=2).json
    assert "placeholder" in error["message"]
    project.write("mission.md", "---\nfile: [f.txt\n---\n")
    assert project.jumar("run", "--json", code=2).json["kind"] == "mission"
    error = project.jumar("run", "nowhere.md", "--json", code=2).json
    assert "nowhere.md" in error["message"]
    project.write("bin.md", b"---\n\xff\xfe\x00\n---\n")
    assert project.jumar("run", "bin.md", "--json", code=2).json["hint"]


def test_what_comes_later_is_refused_and_not_ignored(project: Project) -> None:
    for line in (
        "lanes: 3",
        "holdout: ./eval",
        "max_cost: 5.00",
        "executor: ray",
        "rubric: r.md",
        "notify: [mail]",
    ):
        project.write("mission.md", f"---\nfile: f.txt\nmetric: ./eval\ndirection: lower\n{line}\n---\n")
        error = project.jumar("check", "--json", code=2).json
        assert line.partition(":")[0] in error["message"]
        assert error["hint"]


def test_outside_a_repository(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for command in (
        "run",
        "check",
        "status",
        "log",
        "verify",
        "clean",
        "accept",
        "init",
        "ask",
        "tell",
        "stop",
    ):
        error = project.jumar(command, "--json", code=5).json
        assert error["kind"] in ("refused", "git")
        assert "git init" in error["hint"], (command, error)
    project.jumar("doctor", "--json", code=None)
    project.jumar("demo", "--list", "--json")
    assert list(tmp_path.iterdir()) == []


def test_in_an_empty_repository(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.git("init", "-q")
    for command in ("status", "log", "verify", "clean", "accept", "tell", "stop"):
        error = project.jumar(command, "--json", code=5).json
        assert "no run" in error["message"] or "no commit" in error["message"]
        assert error["hint"]
    assert "git commit" in project.jumar("run", "--json", code=5).json["hint"]


def test_no_command_and_help(project: Project) -> None:
    assert "run" in project.jumar(code=None).out + project.jumar(code=None).err
    assert "--json" in project.jumar("run", "--help").out
    assert project.jumar("--version").out.startswith("jumar ")


@pytest.mark.parametrize("what", [".jumar", ".jumar/runs"])
def test_a_file_where_the_state_should_be(project: Project, what: str) -> None:
    project.write(what, "not a folder\n")
    error = project.run(*NAMED, code=5).events[-1]
    assert ".jumar" in error["message"]
    assert error["hint"]


def test_a_manifest_that_is_damaged(project: Project) -> None:
    project.run(*NAMED, "--iterations", "1")
    manifest = project.folder() / "mission.json"
    manifest.write_text('{"run": 3')
    for command in (["status"], ["log"], ["verify"], ["run", *project.mission(*NAMED)], ["accept", "--yes"]):
        error = project.jumar(*command, "--json", code=5).events[-1]
        assert "mission.json" in str(error)
    project.jumar("clean", "--yes")
