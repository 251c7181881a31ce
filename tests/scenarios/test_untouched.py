"""A run leaves the user's checkout byte for byte as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from user import Project


def furnish(project: Project) -> None:
    """A repository in the middle of work: staged, dirty, ignored, untracked, links, names of every kind."""
    names = [
        b"tab\there",
        b"new\nline",
        b"caf\xc3\xa9",
        b"not-utf8-\xff",
        b"-leading dash",
        b"a b c",
        b'quo"te',
        b"back\\slash",
        b"*",
    ]
    for number, name in enumerate(names):
        (Path(os.fsdecode(os.fsencode(project.root) + b"/" + name))).write_text(f"tracked {number}\n")
    project.write("sub/deep/tracked.txt", "tracked\n")
    project.write("gone.txt", "tracked, and deleted by the user\n")
    project.write("crlf.txt", b"one\r\ntwo\r\n")
    project.write(".gitignore", "cache/\n*.log\n")
    (project.root / "link").symlink_to("sub/deep/tracked.txt")
    (project.root / "dangling").symlink_to("nowhere")
    (project.root / "folder link").symlink_to("sub")
    project.commit("names")
    project.git("branch", "other")
    project.write("sub/deep/tracked.txt", "stashed\n")
    project.git("stash", "push", "-q", "-m", "mine")
    project.write("staged.txt", "staged\n")
    project.git("add", "staged.txt")
    project.write("staged.txt", "staged, then edited\n")
    project.write("sub/deep/tracked.txt", "dirty\n")
    project.write("caf\u00e9", "dirty too\n")
    (project.root / "gone.txt").unlink()
    project.write("cache/big.bin", b"\0" * 1000)
    project.write("run.log", "ignored\n")
    project.write("un tracked/\u00fcber.txt", "untracked\n")
    (project.root / "untracked link").symlink_to("/nonexistent")
    os.mkfifo(project.root / "pipe")


@pytest.mark.parametrize("dirty_target", [False, True])
def test_the_checkout_is_left_byte_for_byte(project: Project, dirty_target: bool) -> None:
    furnish(project)
    if dirty_target:
        project.write("f.txt", "20\n")
    before = project.fingerprint()
    done = project.run("--metric-name", "score")
    assert project.fingerprint() == before
    assert [event["event"] for event in done.events] == ["start", "baseline", *["trial"] * 5, "end"]
    start = 20 if dirty_target else 10
    assert done.baseline["score"] == start
    assert (done.end["kept"], done.end["best"], done.end["exit"]) == (5, start - 5, 0)
    assert project.kept_file(done.end["branch"]) == str(start - 5)
    changed = project.git("diff", "--name-only", "main", done.end["branch"])
    assert changed == "f.txt"


def test_looking_at_a_run_and_removing_it_leaves_the_checkout_too(project: Project, tmp_path: Path) -> None:
    furnish(project)
    before = project.fingerprint()
    project.jumar("check", *project.mission("--metric-name", "score"))
    assert project.fingerprint() == before
    assert not (project.root / ".jumar").exists()
    project.run("--metric-name", "score", "--iterations", "2")
    for command in (
        ["status"],
        ["log"],
        ["show", "1"],
        ["diff"],
        ["verify"],
        ["accept", "--patch", str(tmp_path / "p.diff")],
    ):
        project.jumar(*command)
    assert project.fingerprint() == before
    project.jumar("clean", "--yes", "--branch")
    assert project.fingerprint() == before
    assert not (project.root / ".jumar").exists()
    assert project.git("for-each-ref", "refs/jumar", "refs/heads/jumar") == ""
    assert len(project.git("worktree", "list").splitlines()) == 1


def test_every_way_for_a_maker_to_fail_leaves_the_checkout(project: Project) -> None:
    project.write("other.txt", "not a target\n")
    project.program(
        "maker",
        "case $JUMAR_TRIAL in\n"
        "1) exit 3;;\n"
        "2) echo 1 > other.txt;;\n"
        "3) echo 99 > f.txt;;\n"
        "4) echo garbage > f.txt;;\n"
        "5) rm -rf ./* .git;;\n"
        "6) v=$(cat f.txt); echo $((v - 1)) > f.txt;;\n"
        "esac",
    )  # fmt: skip
    project.commit("maker")
    furnish(project)
    before = project.fingerprint()
    done = project.run("--metric-name", "score", "--iterations", "6")
    assert project.fingerprint() == before
    assert done.column("outcome") == ["error", "error", "discard", "error", "error", "keep"]
    assert done.end["best"] == 9
