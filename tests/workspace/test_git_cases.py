"""git that refuses, hangs, or is used by the maker: C28, C29, C30, S32, S34."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jumar.core.model import Change, Refusal
from jumar.errors import GitError, RefusedError
from jumar.workspace import find_repository
from jumar.workspace.git import Git
from jumar.workspace.locks import Locks
from jumar.workspace.place import find_place


def nothing_left(repo: Any, refs: str) -> None:
    assert repo.git("for-each-ref") == refs
    assert not (repo.root / ".git/worktrees").exists()
    assert repo.git("worktree", "list").count("\n") == 0
    assert not (Path(os.environ["XDG_STATE_HOME"]) / "jumar/trees").exists()
    assert not (repo.root / ".jumar/runs/try-20240101-000000/workspace").exists()


def test_c28_no_commit_yet(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "new"], check=True)
    with pytest.raises(RefusedError, match="has no commit yet") as caught:
        find_repository(tmp_path / "new")
    assert "git commit" in caught.value.hint


def test_c28_no_repository_and_a_bare_one(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="is not in a git repository") as caught:
        find_repository(tmp_path)
    assert "git init" in caught.value.hint
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare.git"], check=True)
    with pytest.raises(RefusedError, match="without a checkout"):
        find_repository(tmp_path / "bare.git")


def test_c28_a_required_filter_is_missing(repo: Any, start: Any) -> None:
    repo.commit(**{".gitattributes": "*.bin filter=lfs\n", "data.bin": "pointer\n"})
    repo.git("config", "filter.lfs.smudge", "no-such-program %f")
    repo.git("config", "filter.lfs.clean", "cat")
    repo.git("config", "filter.lfs.required", "true")
    refs, before = repo.git("for-each-ref"), repo.fingerprint()
    with pytest.raises(RefusedError, match="no-such-program") as caught:
        start(targets=("src/**",))
    assert "checkout was not touched" in caught.value.hint
    nothing_left(repo, refs)
    assert repo.fingerprint()[1:] == before[1:]
    repo.git("config", "filter.lfs.smudge", "cat")
    assert start().tree.exists()


def test_c28_the_place_is_taken(repo: Any, start: Any, tmp_path: Path) -> None:
    refs = repo.git("for-each-ref")
    (tmp_path / "place").mkdir()
    (tmp_path / "place/mine").write_text("keep me\n")
    with pytest.raises(RefusedError, match="exists and is not empty"):
        start(place=tmp_path / "place")
    assert (tmp_path / "place/mine").read_text() == "keep me\n"
    nothing_left(repo, refs)


def test_c28_the_branch_is_taken_or_a_branch_stands_in_its_way(repo: Any, start: Any) -> None:
    repo.git("branch", "jumar/try-2024-01-01")
    run = start()
    assert run.space.branch == "jumar/try-2024-01-01-2"
    run.space.remove(branch=True)
    repo.git("branch", "-D", "jumar/try-2024-01-01")
    repo.git("branch", "jumar")
    assert start().space.branch == "jumar-try-2024-01-01"


@pytest.mark.parametrize("point", ["open:plan", "open:branch", "open:worktree", "open:set-up"])
def test_c28_a_failure_at_any_point_leaves_nothing(repo: Any, start: Any, point: str) -> None:
    refs = repo.git("for-each-ref")

    def full(reached: str) -> None:
        if reached == point:
            raise OSError(28, "No space left on device")

    with pytest.raises((RefusedError, OSError), match="No space left"):
        start(fuse=full)
    nothing_left(repo, refs)


def test_c28_a_setup_command_that_fails_leaves_nothing(repo: Any, start: Any) -> None:
    refs = repo.git("for-each-ref")

    def setup(tree: Path) -> None:
        raise RefusedError("npm ci failed")

    with pytest.raises(RefusedError, match="npm ci failed"):
        start(setup=setup)
    nothing_left(repo, refs)


def test_c28_trees_never_lie_in_a_repository(repo: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RefusedError, match="lies in the git repository"):
        find_place(repo.root / ".git", "r", repo.root / "trees")
    repo.git("init", "-q", str(home))
    found = find_place(repo.root / ".git", "r", None)
    assert not found.is_relative_to(home)


def test_c27_a_submodule_is_refused_with_the_command(repo: Any, start: Any, tmp_path: Path) -> None:
    repo.git("init", "-q", str(tmp_path / "lib"))
    repo.git(
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
        cwd=tmp_path / "lib",
    )
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"), "lib")
    repo.write("lib/f", "content\n")
    repo.commit("with a submodule")
    refs = repo.git("for-each-ref")
    with pytest.raises(RefusedError, match="lib is a submodule") as caught:
        start()
    assert "git submodule update --init lib" in caught.value.hint
    nothing_left(repo, refs)
    run = start(carry={"lib": "copy"})
    trial = run.begin()
    assert (run.tree / "lib/f").read_text() == "content\n"
    assert run.space.seal(trial) is None
    run.space.remove(branch=True)
    nothing_left(repo, refs)


def test_c29a_hooks_of_the_users_do_not_run(repo: Any, start: Any) -> None:
    repo.git("config", "core.hooksPath", ".husky")
    for hook in ("pre-commit", "commit-msg", "post-checkout", "post-commit", "reference-transaction"):
        repo.write(f".husky/{hook}", "#!/bin/sh\ntouch hook-ran\nexit 1\n").chmod(0o755)
    repo.git("-c", "core.hooksPath=/dev/null", "add", "-A")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "husky")
    run = start()
    keep_one(run)
    assert not (repo.root / "hook-ran").exists()
    assert not (run.tree / "hook-ran").exists()


def keep_one(run: Any) -> Change:
    trial = run.begin()
    run.write("src/a.py", f"x = {run.number + 10}\n")
    change = run.space.seal(trial)
    assert isinstance(change, Change)
    run.keep(trial, change)
    return change


def test_c29b_signing_is_off(repo: Any, start: Any, tmp_path: Path) -> None:
    program = tmp_path / "gpg"
    program.write_text("#!/bin/sh\nsleep 600\n")
    program.chmod(0o755)
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", str(program))
    keep_one(start())


def test_c29c_no_identity(repo: Any, start: Any) -> None:
    repo.git("config", "--unset", "user.name")
    repo.git("config", "--unset", "user.email")
    repo.git("config", "user.useConfigOnly", "true")
    change = keep_one(start())
    assert repo.git("log", "-1", "--format=%an <%ae>", change.commit) == "jumar <jumar@localhost>"


def test_c29d_a_hook_that_reformats_changes_nothing_of_a_trial(repo: Any, start: Any) -> None:
    hook = repo.write(
        ".git/hooks/pre-commit", "#!/bin/sh\necho '# formatted' >> src/a.py; git add src/a.py\n"
    )
    hook.chmod(0o755)
    change = keep_one(start())
    assert repo.git("cat-file", "blob", f"{change.commit}:src/a.py") == "x = 11"


def test_c29_a_call_that_hangs_is_ended_with_all_it_started(tmp_path: Path, repo: Any) -> None:
    repo.git("config", "alias.hang", "!sleep 300 & sleep 300")
    began = time.monotonic()
    with pytest.raises(GitError, match=r"still running after 0\.3 s"):
        Git(cwd=repo.root, limit=0.3).run("hang")
    assert time.monotonic() - began < 5


def run_git(run: Any, *args: str) -> None:
    run.repo.git("-c", "user.name=Bot", "-c", "user.email=bot@example.org", *args, cwd=run.tree)


def leave_conflict(run: Any) -> None:
    run_git(run, "commit", "-qam", "one")
    run_git(run, "switch", "-qc", "other", "HEAD~")
    (run.tree / "src/a.py").write_text("conflicting\n")
    run_git(run, "commit", "-qam", "two")
    run_git(run, "switch", "-q", run.space.branch)
    run.repo.git(
        "-c", "user.name=x", "-c", "user.email=x@example.org", "merge", "other", cwd=run.tree, check=False
    )
    (run.tree / "src/a.py").write_text("worse\n")


def start_rebase(run: Any) -> None:
    run_git(run, "commit", "-qam", "one")
    run_git(run, "-c", "sequence.editor=sed -i 's/^pick/edit/'", "rebase", "-qi", "HEAD~")


VARIANTS: dict[str, Any] = {
    "side branch": lambda run: (run_git(run, "switch", "-qc", "side"), run_git(run, "commit", "-qam", "x")),
    "commit": lambda run: run_git(run, "commit", "-qam", "x"),
    "detached": lambda run: (run_git(run, "checkout", "-q", "--detach"), run_git(run, "commit", "-qam", "x")),
    "deleted branch": lambda run: (
        run_git(run, "checkout", "-q", "--detach"),
        run_git(run, "branch", "-qD", run.space.branch),
    ),
    "amend": lambda run: run_git(run, "commit", "-qa", "--amend", "-m", "amended"),
    "merge": leave_conflict,
    "rebase": start_rebase,
    "git gone": lambda run: ((run.tree / ".git").unlink(), run.repo.git("init", "-q", cwd=run.tree)),
    "pruned": lambda run: ((run.tree / ".git").unlink(), run.repo.git("worktree", "prune")),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("killed", [False, True])
def test_c30_the_maker_uses_git(repo: Any, start: Any, variant: str, *, killed: bool) -> None:
    run = start()
    keep_one(run)
    before = {line for line in repo.git("for-each-ref").split("\n") if "refs/jumar/" not in line}
    mine = repo.fingerprint()
    trial = run.begin()
    run.write("src/a.py", "worse\n")
    VARIANTS[variant](run)
    if killed:
        run.reopen().checkout(trial)
    else:
        change = run.space.seal(trial)
        assert isinstance(change, Change)
        assert change.flags == ("moved_head",)
        assert change.parent == run.tip
        assert change.warnings[0].startswith("maker moved HEAD")
        assert repo.git("cat-file", "blob", f"{change.commit}:src/a.py") == "worse"
        run.discard(trial, change)
    after = {line for line in repo.git("for-each-ref").split("\n") if "refs/jumar/" not in line}
    assert after == before
    assert repo.git("symbolic-ref", "HEAD", cwd=run.tree) == f"refs/heads/{run.space.branch}"
    assert repo.git("status", "--porcelain", cwd=run.tree) == ""
    assert "progress" not in repo.git("status", cwd=run.tree)
    assert (run.tree / "src/a.py").read_text() == "x = 11\n"
    assert repo.fingerprint()[0] == mine[0]
    assert repo.fingerprint()[2] == mine[2]
    if variant in ("side branch", "commit", "detached", "amend", "merge"):
        assert repo.git("for-each-ref", f"refs/jumar/{run.settings.run}/side/")


def test_c30_a_stash_of_the_makers_is_dropped_and_the_users_stays(repo: Any, start: Any) -> None:
    repo.write("README", "mine\n")
    repo.git("stash", "push", "-qm", "mine")
    run = start()
    trial = run.begin()
    run.write("src/a.py", "stashed\n")
    run_git(run, "stash", "push", "-q")
    repo.write("README", "mine too\n")
    repo.git("stash", "push", "-qm", "mine too")
    run.write("src/a.py", "stashed again\n")
    run_git(run, "stash", "push", "-qm", "named")
    found = run.space.seal(trial)
    assert isinstance(found, Refusal)
    assert found.reason == "moved_head"
    assert found.message.startswith("maker moved HEAD: it stashed")
    assert [line.split(": ")[-1] for line in repo.git("stash", "list").split("\n")] == ["mine too", "mine"]
    kept = repo.git("for-each-ref", "--format=%(objectname)", f"refs/jumar/{run.settings.run}/side/").split(
        "\n"
    )
    assert len(kept) == 2
    run.discard(trial)
    assert repo.git("stash", "list").count("\n") == 1


def test_c30_what_may_be_the_users_own_doing_is_left_and_told(repo: Any, start: Any) -> None:
    repo.git("branch", "old")
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    user = repo.commit("the user goes on", README="more\n")
    repo.git("tag", "v1")
    repo.git("branch", "-qD", "old")
    repo.git("config", "some.thing", "new")
    change = run.space.seal(trial)
    assert change.flags == ()
    told = "\n".join(change.warnings)
    assert all(
        word in told for word in ("feature was moved", "v1 appeared", "old was deleted", "config changed")
    )
    assert repo.head == user
    assert repo.git("tag") == "v1"
    run.discard(trial, change)
    assert repo.git("config", "some.thing") == "new"


def test_c30_the_base_is_the_users_head_and_not_the_remotes(repo: Any, start: Any) -> None:
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    ahead = repo.commit("ahead", **{"src/a.py": "x = 5\n"})
    assert start().space.base == ahead


def test_s32_git_variables_of_the_environment_are_dropped(
    repo: Any, start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    repo.git("init", "-q", str(victim))
    run_in = (
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )
    repo.git(*run_in, cwd=victim)
    before = sorted((str(file), file.stat().st_mtime_ns) for file in victim.rglob("*"))
    with monkeypatch.context() as context:
        context.setenv("GIT_DIR", str(victim / ".git"))
        context.setenv("GIT_INDEX_FILE", str(victim / ".git/index"))
        context.setenv("GIT_WORK_TREE", str(victim))
        context.setenv("GIT_OBJECT_DIRECTORY", str(victim / ".git/objects"))
        run = start()
        change = keep_one(run)
    assert sorted((str(file), file.stat().st_mtime_ns) for file in victim.rglob("*")) == before
    assert repo.git("cat-file", "-t", change.commit) == "commit"


def test_s34_a_stale_lock_of_ours_is_removed_and_told(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    lock = Path(run.space.plan.admin) / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    run.space.git.locks.patience = 0.2
    change = run.space.seal(trial)
    run.keep(trial, change)
    assert not lock.exists()
    assert run.space.git.locks.notes[0].startswith(f"Removed {lock}")


def test_s34_a_lock_that_someone_holds_is_waited_for_and_never_removed(start: Any) -> None:
    run = start()
    lock = Path(run.space.plan.admin) / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; f = open(sys.argv[1]); print(flush=True); sys.stdin.read()",
            lock,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout
    holder.stdout.readline()
    git = Git(Path(run.space.plan.admin), locks=Locks([Path(run.space.plan.admin)], patience=0.2))
    with pytest.raises(GitError, match=r"index\.lock") as caught:
        git.run("read-tree", run.tip)
    assert "Another git command holds this lock" in caught.value.hint
    assert lock.exists()
    holder.communicate()


def test_s34_a_fresh_lock_and_one_of_the_users_stay(repo: Any, start: Any) -> None:
    run = start()
    lock = repo.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    own = Path(run.space.plan.admin) / "index.lock"
    own.touch()
    locks = run.space.git.locks
    assert not locks.is_stale(lock)
    assert not locks.is_stale(own)
    keep_one_ref = run.space.git.run("rev-parse", "HEAD")
    assert keep_one_ref
