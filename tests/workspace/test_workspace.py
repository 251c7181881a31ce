from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jumar.core.model import Change, Refusal
from jumar.errors import JournalError, RefusedError


def test_a_kept_trial_moves_the_branch_and_nothing_of_the_users(repo: Any, start: Any) -> None:
    before = repo.fingerprint()
    run = start()
    trial = run.begin()
    run.write("src/a.py", "SEED = 1\nx = 2\n")
    change = run.space.seal(trial)
    assert isinstance(change, Change)
    assert (change.files, change.added, change.removed, change.flags) == (("src/a.py",), 1, 1, ())
    assert run.at("refs/jumar/try-20240101-000000/trial/1") == change.commit
    assert run.at(run.space.branch) == run.space.base
    run.keep(trial, change)
    assert run.at(run.space.branch) == change.commit
    assert repo.git("status", "--porcelain", cwd=run.tree) == ""
    assert (
        repo.git("log", "-1", "--format=%an <%ae> %at %ct", change.commit)
        == "Jo Maker <jo@example.org> 1700000001 1700000001"
    )
    assert repo.fingerprint() == before
    assert repo.git("status", "--porcelain") == ""


def test_a_discarded_trial_is_put_back_and_kept_under_its_ref(repo: Any, start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 3\n")
    run.write("src/deep/new.py", "z = 1\n")
    (run.tree / "src/b.py").unlink()
    change = run.space.seal(trial)
    assert change.files == ("src/a.py", "src/b.py", "src/deep/new.py")
    run.discard(trial, change)
    assert (run.tree / "src/a.py").read_text() == "SEED = 1\nx = 1\n"
    assert (run.tree / "src/b.py").exists()
    assert not (run.tree / "src/deep").exists()
    assert run.at(run.space.branch) == run.space.base
    assert b"+x = 3" in run.space.patch(change.commit)


def test_sealing_twice_gives_the_same_commit(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 3\n")
    first = run.space.seal(trial)
    run.repo.git("update-ref", "-d", "refs/jumar/try-20240101-000000/trial/1")
    assert run.space.seal(trial) == first
    assert run.reopen().seal(trial) == first


def test_no_change_is_none_and_ignored_files_are_named(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "cache/\n*.log\n"})
    run = start()
    trial = run.begin()
    assert run.space.seal(trial) is None
    run.write("src/__pycache__/a.cpython-311.pyc", b"\0")
    assert run.space.seal(trial) is None
    run.write("cache/score", "0.99")
    found = run.space.seal(trial)
    assert isinstance(found, Refusal)
    assert found.reason == "empty_diff"
    assert found.message == "only ignored files changed: cache/score"
    run.discard(trial)
    assert not (run.tree / "cache").exists()
    assert not (run.tree / "src/__pycache__").exists()


def test_c16_mode_only_and_whitespace_only_are_changes(start: Any) -> None:
    run = start()
    trial = run.begin()
    (run.tree / "src/a.py").chmod(0o755)
    change = run.space.seal(trial)
    assert change.files == ("src/a.py",)
    assert (change.added, change.removed) == (0, 0)
    run.discard(trial, change)
    assert not os.access(run.tree / "src/a.py", os.X_OK) or not (run.tree / "src/a.py").stat().st_mode & 0o100
    trial = run.begin()
    run.write("src/a.py", "SEED = 1\nx = 1 \n")
    assert run.space.seal(trial).added == 1


def test_settle_is_idempotent_and_refuses_a_branch_that_is_elsewhere(repo: Any, start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 3\n")
    change = run.space.seal(trial)
    kept = run.keep(trial, change)
    run.space.settle(kept)
    run.reopen().settle(kept)
    assert run.at(run.space.branch) == change.commit
    other = repo.commit("elsewhere", README="more\n")
    repo.git("update-ref", f"refs/heads/{run.space.branch}", other)
    with pytest.raises(JournalError, match="neither at"):
        run.space.settle(kept)


def test_a_rewrite_of_the_same_size_and_times_is_seen(start: Any) -> None:
    run = start()
    file = run.tree / "src/a.py"
    trial = run.begin()
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_text("SEED = 2\nx = 1\n")
    os.utime(file, ns=times)
    assert run.space.seal(trial).flags == ("seed_only",)


def test_remove_leaves_no_trace(repo: Any, start: Any) -> None:
    refs = repo.git("for-each-ref")
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 3\n")
    run.space.seal(trial)
    place = Path(run.space.plan.place)
    run.space.evaluation_tree(0, run.tip)
    run.space.remove(branch=True)
    assert repo.git("for-each-ref") == refs
    assert repo.git("worktree", "list").count("\n") == 0
    assert not (repo.root / ".git/worktrees").exists()
    assert not place.exists()
    assert not run.settings.state.exists()
    assert not (Path(os.environ["XDG_STATE_HOME"]) / "jumar/trees").exists()


def test_the_evaluation_tree_holds_exactly_a_commit(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 3\n")
    run.write("src/c.py", "c = 3\n")
    change = run.space.seal(trial)
    tree = run.space.evaluation_tree(0, change.commit)
    assert not (tree / ".git").exists()
    assert (tree / "src/a.py").read_text() == "x = 3\n"
    assert (tree / "src/c.py").exists()
    (tree / "eval/run.py").write_text("print('score: 99')\n")
    assert run.space.evaluation_tree(0, run.tip) == tree
    assert (tree / "src/a.py").read_text() == "SEED = 1\nx = 1\n"
    assert not (tree / "src/c.py").exists()
    assert (tree / "eval/run.py").read_text() == "print('score: 1')\n"
    assert not (run.space.without_targets(run.tip) / "src").exists()
    assert (tree / "eval/run.py").exists()


def test_a_commit_that_changes_the_judge_is_not_evaluated(repo: Any, start: Any) -> None:
    run = start()
    forged = repo.commit("forged", **{"eval/run.py": "print('score: 99')\n"})
    with pytest.raises(RefusedError, match=r"eval/run\.py"):
        run.space.evaluation_tree(0, forged)
