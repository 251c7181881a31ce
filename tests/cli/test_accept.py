"""The hand-off, as the command line offers it."""

from __future__ import annotations

from pathlib import Path

import pytest
from user import Project

NAMED = ("--metric-name", "score")


@pytest.fixture
def kept(project: Project) -> Project:
    project.write("side.txt", "10\n")
    project.program(
        "maker",
        "v=$(cat f.txt); echo $((v - 1)) > f.txt; [ $JUMAR_TRIAL = 2 ] && echo by two > side.txt; true",
    )
    project.commit()
    project.run("--file", "f.txt", "--file", "side.txt", *NAMED, "--iterations", "3")
    return project


def test_merge(kept: Project) -> None:
    before, branch = kept.git("rev-parse", "HEAD"), kept.jumar("status", "--json").json["branch"]
    done = kept.jumar("accept", "--merge", "--yes", "--json").json
    assert done["form"] == "merge"
    assert kept.git("rev-parse", "HEAD^1", "HEAD^2").split() == [before, kept.git("rev-parse", branch)]
    assert done["commit"] == kept.git("rev-parse", "HEAD")
    assert (kept.root / "f.txt").read_text() == "7\n"
    assert kept.git("status", "--porcelain") == ""
    assert kept.git("log", "-1", "--format=%an <%ae>") == "Test <test@example.invalid>"


def test_squash_is_one_commit(kept: Project) -> None:
    before = kept.git("rev-parse", "HEAD")
    kept.jumar("accept", "--squash", "--yes")
    assert kept.git("rev-parse", "HEAD^") == before
    assert sorted(kept.git("diff", "--name-only", "HEAD^").split()) == ["f.txt", "side.txt"]
    assert "10 → 7" in kept.git("log", "-1", "--format=%B")


def test_pick_some(kept: Project) -> None:
    before = kept.git("rev-parse", "HEAD")
    assert "5" in kept.jumar("accept", "--pick", "1,5", "--yes", "--json", code=2).json["message"]
    assert kept.jumar("accept", "--pick", "one", "--yes", "--json", code=2).json["kind"] == "mission"
    kept.jumar("accept", "--pick", "1,2", "--yes")
    assert kept.git("rev-list", "--count", f"{before}..HEAD") == "2"
    assert (kept.root / "f.txt").read_text() == "8\n"


def test_patch_and_to_leave_the_branch(kept: Project, tmp_path: Path) -> None:
    before = kept.fingerprint()
    patch, folder = tmp_path / "all.patch", tmp_path / "out"
    assert kept.jumar("accept", "--patch", patch, "--json").json["files"] == [str(patch)]
    assert len(kept.jumar("accept", "--to", folder, "--json").json["files"]) == 2
    assert (folder / "f.txt").read_text() == "7\n"
    assert kept.fingerprint() == before
    assert kept.jumar("accept", "--to", folder, "--json", code=5).json["hint"]
    kept.jumar("accept", "--to", folder, "--force")
    kept.git("apply", str(patch))
    assert (kept.root / "f.txt").read_text() == "7\n"


def test_it_asks(kept: Project) -> None:
    before = kept.fingerprint()
    error = kept.jumar("accept", "--json", code=5).json
    assert "--yes" in error["hint"]
    assert kept.fingerprint() == before
    assert kept.jumar("accept", "--merge", "--squash", "--yes", "--json", code=2).json["kind"] == "mission"
    assert kept.fingerprint() == before


def test_a_patch_where_nothing_can_be_written(kept: Project, tmp_path: Path) -> None:
    error = kept.jumar("accept", "--patch", tmp_path / "no" / "such" / "all.patch", "--json", code=5).json
    assert "no/such" in error["message"]
    assert error["hint"]
    (tmp_path / "file").write_text("")
    assert kept.jumar("accept", "--to", tmp_path / "file" / "x", "--json", code=5).json["hint"]


def refused_in_every_form(kept: Project) -> None:
    before = kept.fingerprint()
    for form in ("--merge", "--squash", "--pick=1,2,3"):
        error = kept.jumar("accept", form, "--yes", "--json", code=5).json
        assert "--patch" in error["hint"]
        assert "--to" in error["hint"]
    assert kept.fingerprint() == before


def test_a_dirty_tree_is_refused(kept: Project) -> None:
    kept.write("f.txt", "mine\n")
    refused_in_every_form(kept)
    kept.git("add", "f.txt")
    refused_in_every_form(kept)


def test_a_half_done_merge_and_a_moved_branch_are_refused(kept: Project) -> None:
    merging = kept.write(".git/MERGE_HEAD", kept.git("rev-parse", "HEAD") + "\n")
    refused_in_every_form(kept)
    merging.unlink()
    kept.write("new.txt", "new\n")
    kept.commit("moved")
    refused_in_every_form(kept)


def test_changes_elsewhere_stay(kept: Project) -> None:
    kept.write("eval", (kept.root / "eval").read_text() + "# mine\n")
    kept.write("new.txt", "untracked\n")
    kept.jumar("accept", "--squash", "--yes")
    assert kept.git("status", "--porcelain").splitlines() == ["M eval", "?? new.txt"]


@pytest.mark.parametrize("form", ["--merge", "--squash", "--pick=1,2,3"])
def test_a_hook_that_refuses_leaves_the_checkout_as_it_was(kept: Project, form: str) -> None:
    hook = "commit-msg"
    file = kept.write(f".git/hooks/{hook}", "#!/bin/sh\necho 'no ticket in the message' >&2\nexit 1\n")
    file.chmod(0o755)
    before = kept.fingerprint()
    error = kept.jumar("accept", form, "--yes", "--json", code=5).json
    assert "no ticket in the message" in error["message"]
    after = kept.fingerprint()
    for key in ("status", "HEAD", "branches", "stash", "config"):
        assert after[key] == before[key], key
    assert {k: v[4] for k, v in after.items() if isinstance(v, tuple)} == {
        k: v[4] for k, v in before.items() if isinstance(v, tuple)
    }
    file.unlink()
    kept.jumar("accept", form, "--yes")
    assert (kept.root / "f.txt").read_text() == "7\n"


def test_hooks_and_identity_of_the_user_are_obeyed(kept: Project) -> None:
    ran = kept.root / ".git/ran"
    kept.write(".git/hooks/pre-commit", f"#!/bin/sh\necho x >> {ran}\n").chmod(0o755)
    kept.git("config", "user.name", "Somebody Else")
    kept.jumar("accept", "--squash", "--yes")
    assert ran.read_text() == "x\n"
    assert kept.git("log", "-1", "--format=%an|%cn") == "Somebody Else|Somebody Else"


def test_no_identity_is_a_sentence(kept: Project, home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    before = kept.fingerprint()
    error = kept.jumar("accept", "--squash", "--yes", "--json", code=5).json
    assert (
        "user.name" in error["message"] or "user.email" in error["message"] or "identity" in error["message"]
    )
    after = kept.fingerprint()
    assert after["status"] == before["status"]


def test_twice(kept: Project) -> None:
    kept.jumar("accept", "--yes")
    head = kept.git("rev-parse", "HEAD")
    error = kept.jumar("accept", "--yes", "--json", code=5).json
    assert error["hint"]
    assert kept.git("rev-parse", "HEAD") == head
    # The work goes on from there.
    assert (
        kept.run("--file", "f.txt", "--file", "side.txt", *NAMED, "--iterations", "1").baseline["score"]
        == 7.0
    )


def test_uncommitted_content_of_the_target_comes_along(project: Project) -> None:
    project.write("f.txt", "20\n")
    project.run(*NAMED, "--iterations", "2")
    assert (project.root / "f.txt").read_text() == "20\n"
    project.jumar("accept", "--squash", "--yes")
    assert (project.root / "f.txt").read_text() == "18\n"
    assert project.git("show", "HEAD:f.txt") == "18"
