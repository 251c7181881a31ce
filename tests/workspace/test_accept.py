"""The hand-off, as the user's own hooks, signing and identity have it; and taken back whole when it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jumar.errors import GitError, RefusedError
from jumar.workspace import accept


@pytest.fixture
def kept(start: Any) -> Any:
    """A run that kept two trials."""

    def begin(**wishes: object) -> tuple[Any, list[str]]:
        run = start(**wishes)
        commits = []
        for name, content in (("src/a.py", "x = 2\n"), ("src/sub/c.py", "c = 3\n")):
            trial = run.begin()
            run.write(name, content)
            change = run.space.seal(trial)
            run.keep(trial, change)
            commits.append(change.commit)
        return run, commits

    return begin


def read(repo: Any, name: str) -> str:
    return str((repo.root / name).read_text())


def test_squash_commits_what_was_kept_and_nothing_else(repo: Any, kept: Any) -> None:
    run, commits = kept()
    repo.write("README", "staged\n")
    repo.git("add", "README")
    repo.write("eval/run.py", "dirty\n")
    before = repo.head
    done = accept.squash(run.space, commits[-1], "Faster\n")
    assert done.files == ("src/a.py", "src/sub/c.py")
    assert repo.git("log", "--format=%an %s", f"{before}..").split("\n") == ["Jo Maker Faster"]
    assert repo.git("diff", "--name-only", before, "HEAD").split("\n") == ["src/a.py", "src/sub/c.py"]
    assert repo.git("status", "--porcelain").split("\n") == ["M  README", " M eval/run.py"]
    assert read(repo, "src/sub/c.py") == "c = 3\n"


def test_merge_brings_the_history(repo: Any, kept: Any) -> None:
    run, commits = kept()
    before = repo.head
    accept.merge(run.space, commits[-1], "Merge the run")
    assert repo.git("rev-parse", "HEAD^1", "HEAD^2").split("\n") == [before, commits[-1]]
    assert repo.git("status", "--porcelain") == ""


def test_pick_brings_some(repo: Any, kept: Any) -> None:
    run, commits = kept()
    before = repo.head
    accept.pick(run.space, [commits[1]])
    assert repo.git("diff", "--name-only", before, "HEAD") == "src/sub/c.py"


def test_patch_and_copy_touch_no_branch(repo: Any, kept: Any, tmp_path: Path) -> None:
    run, commits = kept()
    before = repo.fingerprint()
    accept.patch_file(run.space, commits[-1], tmp_path / "all.patch")
    accept.copy_to(run.space, commits[-1], tmp_path / "out")
    accept.copy_to(run.space, commits[0], tmp_path / "alone.py")
    assert repo.fingerprint() == before
    assert (tmp_path / "out/src/sub/c.py").read_text() == "c = 3\n"
    assert (tmp_path / "alone.py").read_text() == "x = 2\n"
    with pytest.raises(RefusedError, match="is there already"):
        accept.copy_to(run.space, commits[0], tmp_path / "alone.py")
    accept.copy_to(run.space, commits[0], tmp_path / "alone.py", force=True)
    repo.git("apply", str(tmp_path / "all.patch"))
    assert read(repo, "src/a.py") == "x = 2\n"


@pytest.mark.parametrize("form", ["squash", "merge", "pick"])
def test_a_moved_branch_and_an_overlapping_change_are_refused(repo: Any, kept: Any, form: str) -> None:
    run, commits = kept()

    def go() -> None:
        if form == "pick":
            accept.pick(run.space, commits)
        else:
            getattr(accept, form)(run.space, commits[-1], "m")

    repo.write("src/a.py", "mine\n")
    before = repo.fingerprint()
    with pytest.raises(RefusedError, match=r"changes of its own in src/a\.py") as caught:
        go()
    assert "--patch" in caught.value.hint
    assert "--to" in caught.value.hint
    assert repo.fingerprint() == before
    repo.git("checkout", "-q", "src/a.py")
    repo.write("src/sub/c.py", "untracked, mine\n")
    with pytest.raises(RefusedError, match=r"src/sub/c\.py"):
        go()
    (repo.root / "src/sub/c.py").unlink()
    repo.write("src/a.py", "staged\n")
    repo.git("add", "src/a.py")
    repo.write("src/a.py", "SEED = 1\nx = 1\n")
    with pytest.raises(RefusedError, match=r"src/a\.py"):
        go()
    repo.git("reset", "-q", "--hard")
    repo.commit("on")
    with pytest.raises(RefusedError, match="and the run began at"):
        go()
    assert repo.git("stash", "list") == ""


def test_a_merge_of_the_users_is_not_aborted(repo: Any, kept: Any) -> None:
    run, commits = kept()
    repo.git("branch", "other")
    repo.git("switch", "-q", "other")
    repo.commit("other", README="other\n")
    repo.git("switch", "-q", "feature")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "other")
    with pytest.raises(RefusedError, match="in the middle of something"):
        accept.merge(run.space, commits[-1], "m")
    assert (repo.root / ".git/MERGE_HEAD").exists()


@pytest.mark.parametrize(
    ("form", "hook"),
    [
        ("squash", "pre-commit"),
        ("merge", "pre-merge-commit"),
        ("pick", "pre-commit"),
        ("merge", "commit-msg"),
    ],
)
@pytest.mark.parametrize("dirty", [False, True])
def test_a_hook_that_fails_leaves_everything_as_it_was(
    repo: Any, kept: Any, form: str, hook: str, *, dirty: bool
) -> None:
    if dirty:
        repo.write("src/a.py", "uncommitted\n")
        repo.write("src/new.py", "uncommitted\n")
    run, commits = kept()
    script = repo.write(
        f".git/hooks/{hook}", "#!/bin/sh\necho reformatted >> src/a.py\necho no such style >&2\nexit 1\n"
    )
    script.chmod(0o755)
    before, head = repo.fingerprint(), repo.head
    arguments = (commits,) if form == "pick" else (commits[-1], "m")
    with pytest.raises(GitError, match="no such style") as caught:
        getattr(accept, form)(run.space, *arguments)
    assert "as they were before" in caught.value.message
    assert repo.head == head
    now = repo.fingerprint()
    assert now[0] == before[0]
    assert now[2:] == before[2:]
    assert not (repo.root / ".git/MERGE_HEAD").exists()
    assert not (repo.root / ".git/CHERRY_PICK_HEAD").exists()


@pytest.mark.parametrize("form", ["squash", "merge", "pick"])
def test_uncommitted_content_of_the_base_comes_with_it_while_it_is_the_same(
    repo: Any, kept: Any, form: str
) -> None:
    repo.write("src/b.py", "uncommitted\n")
    repo.write("src/new.py", "untracked\n")
    run, commits = kept()
    if form == "pick":
        accept.pick(run.space, commits)
    else:
        getattr(accept, form)(run.space, commits[-1], "m")
    assert repo.git("status", "--porcelain") == ""
    assert [read(repo, name) for name in ("src/a.py", "src/b.py", "src/new.py")] == [
        "x = 2\n",
        "uncommitted\n",
        "untracked\n",
    ]


def test_signing_is_obeyed(repo: Any, kept: Any, tmp_path: Path) -> None:
    run, commits = kept()
    program = tmp_path / "gpg"
    program.write_text("#!/bin/sh\necho cannot sign >&2\nexit 1\n")
    program.chmod(0o755)
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", str(program))
    with pytest.raises(GitError, match="failed to sign"):
        accept.squash(run.space, commits[-1], "m")
    assert repo.git("status", "--porcelain") == ""


def test_a_deleted_file_is_deleted(repo: Any, start: Any) -> None:
    run = start()
    trial = run.begin()
    (run.tree / "src/b.py").unlink()
    change = run.space.seal(trial)
    run.keep(trial, change)
    accept.squash(run.space, change.commit, "less")
    assert not (repo.root / "src/b.py").exists()
    assert repo.git("status", "--porcelain") == ""
