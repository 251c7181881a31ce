"""Cut at every point: the next process finds its way, and comes to the same commits."""

from __future__ import annotations

import os
import shutil
from typing import Any

import msgspec
import pytest

from jumar.core.model import Change, Trial
from jumar.errors import JournalError

POINTS = ["seal:objects", "seal:commit", "seal:ref", "settle:flush", "settle:swap", "settle:tree"]
OPENING = ["open:plan", "open:branch", "open:worktree", "open:set-up"]


class Cut(BaseException):
    """The power went."""


def fuse_at(point: str) -> Any:
    def fuse(reached: str) -> None:
        if reached == point:
            raise Cut

    return fuse


def die_at(point: str) -> Any:
    def fuse(reached: str) -> None:
        if reached == point:
            os._exit(9)

    return fuse


def one_trial(run: Any, trial: Trial, verdict: str) -> Change:
    change = run.space.seal(trial)
    assert isinstance(change, Change)
    (run.keep if verdict == "KEEP" else run.discard)(trial, change)
    return change


@pytest.mark.parametrize("verdict", ["KEEP", "DISCARD"])
@pytest.mark.parametrize("point", POINTS)
def test_c24_a_trial_cut_anywhere_ends_the_same(start: Any, point: str, verdict: str) -> None:
    plain = start()
    trial = plain.begin()
    plain.write("src/a.py", "x = 2\n")
    expected = one_trial(plain, trial, verdict)
    refs = plain.repo.git("for-each-ref")
    plain.space.remove(branch=True)

    run = start(fuse=fuse_at(point))
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    with pytest.raises(Cut):
        one_trial(run, trial, verdict)
    run.settings = msgspec.structs.replace(run.settings, fuse=lambda _: None)
    run.reopen()
    run.tip = trial.parent
    if point.startswith("seal"):
        assert one_trial(run, trial, verdict) == expected
    else:
        (run.keep if verdict == "KEEP" else run.discard)(trial, expected)
    assert run.repo.git("for-each-ref") == refs
    assert (run.tree / "src/a.py").read_text() == ("x = 2\n" if verdict == "KEEP" else "SEED = 1\nx = 1\n")
    assert run.repo.git("status", "--porcelain", cwd=run.tree) == ""


@pytest.mark.parametrize("point", OPENING)
def test_c28_an_opening_killed_anywhere_is_finished_by_the_next(repo: Any, start: Any, point: str) -> None:
    child = os.fork()
    if not child:
        start(fuse=die_at(point))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    run = start()
    assert run.space.branch == "jumar/try-2024-01-01"
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    one_trial(run, trial, "KEEP")
    assert len(repo.git("worktree", "list").split("\n")) == 2
    run.space.remove(branch=True)
    assert not repo.git("for-each-ref", "refs/jumar", "refs/heads/jumar")


def test_a_half_edit_is_dropped_and_a_sealed_commit_without_its_record_set_aside(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "half an ed")
    run.reopen().checkout(trial)
    assert (run.tree / "src/a.py").read_text() == "SEED = 1\nx = 1\n"
    run.write("src/a.py", "x = 2\n")
    first = run.space.seal(trial)
    run.reopen().checkout(trial)
    assert run.at("refs/jumar/try-20240101-000000/trial/1") == ""
    assert run.at(f"refs/jumar/try-20240101-000000/side/1-{first.commit[:12]}") == first.commit
    run.write("src/a.py", "x = 3\n")
    second = run.space.seal(trial)
    assert second.commit != first.commit
    assert run.at("refs/jumar/try-20240101-000000/trial/1") == second.commit


def test_a_rework_takes_the_place_of_the_first_attempt_which_is_kept(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    first = run.space.seal(trial)
    run.write("src/a.py", "x = 3\n")
    second = run.space.seal(msgspec.structs.replace(trial, change=first))
    assert run.at("refs/jumar/try-20240101-000000/trial/1") == second.commit != first.commit
    assert run.at(f"refs/jumar/try-20240101-000000/side/1-{first.commit[:12]}") == first.commit


def test_a_ref_of_another_run_is_not_adopted(repo: Any, start: Any) -> None:
    run = start()
    trial = run.begin()
    repo.commit("other")
    repo.git("update-ref", "refs/jumar/try-20240101-000000/trial/1", repo.commit("and another"))
    with pytest.raises(JournalError, match="which is no child of"):
        run.space.seal(trial)


def test_a_worktree_that_was_swept_away_is_made_again(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "data\n"})
    repo.write("data", "carried\n")
    run = start(carry={"data": "copy"})
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    change = one_trial(run, trial, "KEEP")
    shutil.rmtree(run.space.plan.place)
    repo.git("worktree", "prune")
    run.reopen()
    next_trial = run.begin()
    assert (run.tree / "src/a.py").read_text() == "x = 2\n"
    assert (run.tree / "data").read_text() == "carried\n"
    assert run.space.seal(next_trial) is None
    assert run.space.tip() == run.at(run.space.branch) == change.commit


def test_a_record_that_was_cut_while_written_is_passed_over(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.space.heads.record.write_text('{"refs": {')
    run.write("src/a.py", "x = 2\n")
    assert isinstance(run.reopen().seal(trial), Change)


@pytest.mark.parametrize("point", ["seal:objects", "seal:commit", "seal:ref"])
def test_what_a_maker_did_with_git_is_told_though_the_seal_was_cut(repo: Any, start: Any, point: str) -> None:
    repo.commit(**{".gitignore": "cache\n"})
    run = start(fuse=fuse_at(point))
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    run.write("cache", "litter\n")
    repo.git("commit", "-qam", "by the maker", cwd=run.tree)
    with pytest.raises(Cut):
        run.space.seal(trial)
    run.settings = msgspec.structs.replace(run.settings, fuse=lambda _: None)
    change = run.reopen().seal(trial)
    assert change.flags == ("moved_head",)
    assert [line.partition(":")[0] for line in change.warnings] == [
        "maker moved HEAD",
        "ignored files are no part of the change",
    ]
    run.keep(trial, change)
    following = run.begin()
    run.write("src/a.py", "x = 3\n")
    assert run.space.seal(following).flags == ()


def test_an_import_repository_that_was_cut_while_made_is_made_again(start: Any) -> None:
    run = start()
    trial = run.begin()
    shim = run.space.store.shim
    shutil.rmtree(shim)
    half = shim.with_name(shim.name + ".part")
    half.mkdir()
    (half / "HEAD").write_text("ref: refs/heads/main\n")
    run.write("src/a.py", "x = 2\n")
    assert isinstance(run.reopen().seal(trial), Change)
    assert not half.exists()


def test_what_an_earlier_maker_did_is_not_laid_at_the_door_of_a_later_one(repo: Any, start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    repo.git("commit", "-qam", "by the first maker", cwd=run.tree)
    run.keep(trial, run.space.seal(trial))
    following = run.begin()
    run.space.heads.record.write_bytes(b"")  # what a power cut may leave of it
    run.write("src/a.py", "x = 3\n")
    change = run.reopen().seal(following)
    assert (change.flags, change.warnings) == ((), ())


def test_the_record_of_the_references_is_replaced_in_one_step(start: Any) -> None:
    run = start()
    record = run.space.heads.record
    before = record.stat().st_ino
    run.space.seal(run.begin())
    assert record.stat().st_ino != before
