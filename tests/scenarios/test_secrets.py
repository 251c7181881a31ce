"""What is secret in the environment is in no file, no output and no brief."""

from __future__ import annotations

import json
from pathlib import Path

from user import Project

SECRET = "hunter2-Xk29-vq81-zz"


def everywhere(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]


def test_a_token_that_is_printed_is_nowhere(project: Project, tmp_path: Path, home: Path) -> None:
    project.program(
        "eval",
        'echo "using $MY_TOKEN"; echo "err $MY_TOKEN" >&2; [ "$(cat f.txt)" = 8 ] && exit 3; echo "score: $(cat f.txt)"',
    )
    project.program(
        "maker",
        'echo "maker has $MY_TOKEN"; v=$(cat f.txt); case $JUMAR_TRIAL in 4) exit 7;; 5) true;; *) echo $((v - 1)) > f.txt;; esac;'
        ' printf \'{"hypothesis": "try %s", "summary": "with %s", "notes": "%s"}\' $MY_TOKEN $MY_TOKEN $MY_TOKEN > $JUMAR_PROPOSAL',
    )
    project.commit()
    done = project.run(
        "--metric-name",
        "score",
        "--guard",
        'echo "$MY_TOKEN"; [ "$(cat f.txt)" != 7 ]',
        "--iterations",
        "5",
        MY_TOKEN=SECRET,
    )
    assert done.column("outcome")[:2] == ["keep", "error"]
    said = [done.out, done.err]
    for command in (
        ["status"],
        ["log"],
        ["log", "--json"],
        *(["show", str(n)] for n in range(6)),
        ["show", "2", "--json"],
        ["verify"],
    ):
        shown = project.jumar(*command, MY_TOKEN=SECRET)
        said += [shown.out, shown.err]
    text = project.jumar(
        "run",
        *project.mission("--metric-name", "score", "--fresh", "--iterations", "2"),
        MY_TOKEN=SECRET,
        code=None,
    )
    check = project.jumar("check", *project.mission("--metric-name", "score"), MY_TOKEN=SECRET)
    said += [text.out, text.err, check.out, check.err]
    assert not any(SECRET in words for words in said)
    found = [file for file in everywhere(project.root / ".jumar") if "workspace" not in file.parts]
    assert found == []
    assert "[" in (next((project.root / ".jumar/runs").iterdir()) / "trials/0001/maker.log").read_text()


def test_a_token_in_the_mission_itself(project: Project) -> None:
    project.program("eval", '[ "$1" = "--key" ] && echo "score: $(cat f.txt)"')
    project.commit()
    done = project.run(
        "--metric", f"./eval --key {SECRET}", "--metric-name", "score", "--iterations", "1", API_TOKEN=SECRET
    )
    # The command has to be known again, so the mission holds it; nobody else is shown it.
    assert SECRET not in done.out + done.err
    found = {file.name for file in everywhere(project.root / ".jumar")}
    assert found <= {"mission.json"}


def test_a_token_through_ask_and_tell(project: Project) -> None:
    project.program("eval", 'echo "$MY_TOKEN"; echo "score: $(cat f.txt)"')
    project.commit()
    asked = project.jumar("ask", *project.mission("--metric-name", "score"), "--json", MY_TOKEN=SECRET).json
    (Path(asked["worktree"]) / "f.txt").write_text("1\n")
    Path(asked["proposal_path"]).write_text(json.dumps({"summary": f"use {SECRET}"}))
    told = project.jumar("tell", "--hypothesis", f"because {SECRET}", "--json", MY_TOKEN=SECRET)
    assert SECRET not in told.out + told.err
    assert everywhere(project.root / ".jumar") == []
