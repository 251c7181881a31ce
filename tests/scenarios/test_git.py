"""Trouble with git, through the whole program."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from user import Project, finish, wait_for

NAMED = ("--metric-name", "score")


def test_c19_the_same_idea_again(project: Project, tmp_path: Path) -> None:
    counted = tmp_path / "evaluations"
    project.write("f.txt", "lr=0.1\n")
    project.program(
        "eval",
        f"echo >> '{counted}'; case $(cat f.txt) in lr=0.1) echo score: 0.7;; lr=0.2) echo score: 0.71;;"
        " lr=0.3) echo score: 0.6;; *) echo score: 9;; esac",
    )
    values = ["0.4", "0.2", "0.5", "0.6", "0.7", "0.2", "0.3", "0.2"]
    cases = "".join(f"{number}) echo lr={value} > f.txt;; " for number, value in enumerate(values, 1))
    project.program("maker", f"case $JUMAR_TRIAL in {cases}esac")
    project.commit()
    done = project.run(*NAMED, "--iterations", "8")
    repeat = done.trials[5]
    assert (repeat["outcome"], repeat["reason"], repeat["sentence"]) == (
        "discard",
        "duplicate",
        "repeat of 2",
    )
    assert repeat["score"] == 0.71
    assert repeat["evaluations"] == 0
    assert "cached" in repeat["flags"]
    # On top of another kept base the same idea is a new experiment.
    assert done.trials[6]["outcome"] == "keep"
    assert done.trials[7]["reason"] == "regressed"
    assert done.trials[7]["evaluations"] == 1
    brief = (project.folder() / "trials/0006/brief.md").read_text()
    assert "lr=0.2" in brief
    assert "0.71" in brief
    assert counted.read_text().count("\n") == 3 + 1 + 7


def test_c26_ignored_leftovers_survive_nothing(project: Project) -> None:
    project.write(".gitignore", "cache/\n")
    project.program(
        "eval",
        'mkdir -p cache; if [ -f cache/score ]; then cat cache/score; else echo "score: $(cat f.txt)"; fi',
    )
    project.program(
        "maker",
        'if [ $JUMAR_TRIAL = 1 ]; then mkdir cache; echo "score: 0.01" > cache/score; echo 50 > f.txt; else echo 10.5 > f.txt; fi',
    )
    project.commit()
    done = project.run(*NAMED, "--iterations", "2", code=1)
    assert done.column("score") == [50.0, 10.5]
    assert done.column("outcome") == ["discard", "discard"]


def test_c26_what_an_evaluation_leaves_is_gone_for_the_next(project: Project) -> None:
    project.write(".gitignore", "cache/\n")
    project.program(
        "eval",
        'if [ -f cache/score ]; then echo "score: -1"; exit; fi; mkdir -p cache; touch cache/score left; echo "score: $(cat f.txt)"',
    )
    project.commit()
    done = project.run(*NAMED, "--iterations", "2")
    assert done.column("score") == [9.0, 8.0]


def test_c28_no_commit_yet(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.git("init", "-q")
    project.write("f.txt", "1\n")
    project.program("eval", "echo score: 1")
    done = project.run(*NAMED, code=5)
    (error,) = done.events
    assert error["event"] == "error"
    assert "commit" in error["message"] + error["hint"]
    assert project.git("for-each-ref") == ""
    assert not list(tmp_path.glob(".jumar/runs/*"))


def test_c28_a_required_filter_is_missing(project: Project, home: Path) -> None:
    project.write(".gitattributes", "*.bin filter=lfs\n")
    project.write("big.bin", "pointer\n")
    project.commit()
    project.git("config", "filter.lfs.smudge", "git-lfs-is-not-here smudge")
    project.git("config", "filter.lfs.required", "true")
    project.git("config", "filter.lfs.clean", "cat")
    before = project.fingerprint()
    done = project.run(*NAMED, code=5)
    (error,) = done.events
    assert "git-lfs-is-not-here" in error["message"]
    assert project.fingerprint() == before
    assert project.git("for-each-ref", "refs/jumar", "refs/heads/jumar") == ""
    assert len(project.git("worktree", "list").splitlines()) == 1
    # Once it is there, the same command works: nothing stands in its way.
    project.git("config", "filter.lfs.smudge", "cat")
    assert project.run(*NAMED, "--iterations", "1").end["kept"] == 1


def test_c28_the_path_is_taken_and_the_branch_is_taken(project: Project, tmp_path: Path) -> None:
    taken = tmp_path / "trees"
    taken.mkdir()
    (taken / "mine.txt").write_text("mine")
    done = project.run(*NAMED, "--worktree", taken, "--iterations", "1", code=5)
    assert str(taken) in done.events[-1]["message"]
    assert (taken / "mine.txt").read_text() == "mine"
    first = project.run(*NAMED, "--iterations", "1").end["branch"]
    second = project.run(*NAMED, "--iterations", "1", "--fresh").end["branch"]
    assert second != first
    assert second.startswith("jumar/")
    project.git("worktree", "list")


def test_c28_a_branch_called_jumar_stands_in_the_way(project: Project) -> None:
    project.git("branch", "jumar")
    end = project.run(*NAMED, "--iterations", "1").end
    assert end["branch"].startswith("jumar-")
    assert project.git("rev-parse", "jumar") == project.git("rev-parse", "main")


def test_c28_a_place_inside_a_repository_is_refused(project: Project) -> None:
    done = project.run(*NAMED, "--worktree", project.root / "sub", code=5)
    assert done.events[-1]["kind"] in ("refused", "git")
    assert not (project.root / "sub").exists()


def test_c29_hooks_signing_and_identity_do_not_stop_a_run(project: Project, home: Path) -> None:
    slow = project.root.parent / "slow-gpg"
    slow.write_text("#!/bin/sh\nsleep 600\n")
    slow.chmod(0o755)
    project.write(".husky/pre-commit", '#!/bin/sh\n. "$(dirname "$0")/_/husky.sh"\n').chmod(0o755)
    project.write(".husky/post-checkout", "#!/bin/sh\necho changed >> f.txt; exit 1\n").chmod(0o755)
    project.write(".gitignore", "_\n")
    project.commit()
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    for name, value in {
        "core.hooksPath": ".husky",
        "commit.gpgsign": "true",
        "tag.gpgsign": "true",
        "gpg.program": str(slow),
    }.items():
        project.git("config", name, value)
    config = (project.root / ".git/config").read_bytes()
    done = project.run(*NAMED, "--iterations", "2")
    assert done.end["kept"] == 2
    assert (project.root / ".git/config").read_bytes() == config
    assert (home / ".gitconfig").read_text() == "[user]\n\tuseConfigOnly = true\n"
    assert "jumar" in project.git("log", "-1", "--format=%an %ae", done.end["branch"])


def test_c29_an_identity_that_is_there_is_used(project: Project) -> None:
    done = project.run(*NAMED, "--iterations", "1")
    assert project.git("log", "-1", "--format=%an %ae", done.end["branch"]) == "Test test@example.invalid"


USES_GIT = {
    "commits on a branch of its own": "git switch -q -c side; echo 50 > f.txt; git commit -qam worse",
    "detaches": "git checkout -q --detach; echo 50 > f.txt; git commit -qam worse",
    "deletes the branch": "b=$(git symbolic-ref --short HEAD); git checkout -q --detach; git branch -q -D $b; echo 50 > f.txt",
    "amends": "echo 50 > f.txt; git commit -q -a --amend -m mine",
    "stashes": "echo 50 > f.txt; git stash -q; echo 51 > f.txt",
    "leaves a merge": "git checkout -q -b one; echo 1x > f.txt; git commit -qam one; git checkout -q -b two HEAD~; echo 2x > f.txt;"
    " git commit -qam two; git merge one || true; echo 50 > f.txt",
    "resets": "git reset -q --hard HEAD~1; echo 50 > f.txt",
}


def test_c30_the_maker_uses_git_itself(project: Project) -> None:
    project.git("checkout", "-q", "-b", "feature")
    project.write("f.txt", "11\n")
    base = project.commit("ahead")
    project.git("update-ref", "refs/remotes/origin/main", "main")
    project.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    cases = "".join(f"{number}) {command};;\n" for number, command in enumerate(USES_GIT.values(), 2))
    project.program(
        "maker", f"case $JUMAR_TRIAL in\n{cases}*) v=$(cat f.txt); echo $((v - 1)) > f.txt;;\nesac"
    )
    base = project.commit("maker")
    project.git("stash", "list")
    before = project.fingerprint()
    done = project.run(*NAMED, "--iterations", str(len(USES_GIT) + 2))
    assert done.events[0]["base"] == base
    assert done.baseline["score"] == 11.0
    outcomes = done.column("outcome")
    assert (outcomes[0], outcomes[-1]) == ("keep", "keep")
    assert "keep" not in outcomes[1:-1], done.trials
    for (what, _), trial in zip(USES_GIT.items(), done.trials[1:], strict=False):
        assert trial["best"] == 10.0, what
        assert "moved_head" in trial["flags"] or what == "stashes", (what, trial)
    assert done.end["best"] == 9.0
    assert project.kept_file(done.end["branch"]) == "9"
    after = project.fingerprint()
    assert after == before
    assert project.git("for-each-ref", "refs/heads").count("\n") == 2  # main, feature, the run's
    kept = project.git("for-each-ref", "--format=%(refname)", "refs/jumar").splitlines()
    texts = [project.git("log", "-3", "--format=%s", ref) for ref in kept]
    assert any("worse" in text for text in texts)
    assert any("mine" in text for text in texts)


def test_s31_names_that_git_quotes(project: Project) -> None:
    names = [
        b"notes/caf\xc3\xa9 notes.txt",
        b"notes/tab\there.txt",
        b"notes/new\nline.txt",
        b'notes/"q" \\b.txt',
        b"notes/not-utf8-\xff.txt",
        b"notes/-dash.txt",
        b"notes/ ends ",
    ]
    root = os.fsencode(project.root)
    project.write("notes/plain.txt", "10\n")
    for name in names:
        Path(os.fsdecode(root + b"/" + name)).write_text("10\n")
    project.program("eval", 'echo "score: $(cat notes/* | sort -n | tail -1)"')
    project.program(
        "maker",
        'v=11; [ $JUMAR_TRIAL = 2 ] && v=9; [ $JUMAR_TRIAL = 4 ] && echo 8 > "$(printf "notes/in\\377side")" && echo 5 > "$(printf "out\\377side")"; for f in notes/*; do echo $v > "$f"; done',
    )
    project.commit()
    before = project.fingerprint()
    done = project.run("--file", "notes/**", *NAMED, "--iterations", "4")
    assert done.column("outcome") == ["discard", "keep", "discard", "error"]
    assert done.trials[3]["reason"] == "out_of_scope"
    assert r"out\xffside" in done.trials[3]["sentence"]
    assert project.fingerprint() == before
    changed = project.git("diff", "--name-only", "-z", "main", done.end["branch"]).split("\0")
    assert sorted(filter(None, changed)) == sorted([*map(os.fsdecode, names), "notes/plain.txt"])
    for command in (
        ["show", "2", "--json"],
        ["show", "4", "--json"],
        ["log", "--json"],
        ["status", "--json"],
        ["verify", "--json"],
    ):
        assert project.jumar(*command).json
    project.jumar("accept", "--squash", "--yes")
    assert Path(os.fsdecode(root + b"/" + names[4])).read_text() == "9\n"


def test_s31_a_target_that_is_not_utf8(project: Project) -> None:
    name = "not-utf8-\udcff.txt"
    project.write(name, "10\n")
    project.program("eval", 'echo "score: $(cat not-utf8-*)"')
    project.program("maker", "for f in not-utf8-*; do echo 9 > $f; done")
    project.commit()
    refused = project.run("--file", name, *NAMED, code=2)
    assert "`not-utf8-\\xff.txt` holds bytes that are not UTF-8" in refused.events[0]["message"]
    assert "?" in refused.events[0]["hint"]
    done = project.run("--file", "not-utf8-?.txt", "--protect", "e*", *NAMED, "--iterations", "1")
    assert done.end["kept"] == 1
    project.jumar("accept", "--merge", "--yes")
    assert (project.root / name).read_text() == "9\n"


def test_s31_a_pinned_name_that_is_not_utf8(project: Project) -> None:
    project.write("judge/\udcff.txt", "judge\n")
    project.commit()
    done = project.run("--protect", "judge/**", *NAMED, "--iterations", "1")
    assert done.end["kept"] == 1
    project.jumar("verify")
    project.write("judge/\udcff.txt", "bribed\n")
    said = project.jumar("verify", "--json", code=5).json
    assert r"judge/\xff.txt" in said["problems"][0]


def test_s32_git_variables_of_the_environment_reach_nobody(project: Project, tmp_path: Path) -> None:
    victim = Project(tmp_path / "victim")
    victim.root.mkdir()
    victim.git("init", "-q")
    victim.write("v.txt", "victim\n")
    victim.commit("victim")
    before = {path: path.read_bytes() for path in sorted(victim.root.rglob("*")) if path.is_file()}
    project.program("eval", 'env | grep "^GIT_[DIWCO]" && exit 9; echo "score: $(cat f.txt)"')
    project.program(
        "maker", 'env | grep "^GIT_[DIWCO]" && exit 9; git add -A; v=$(cat f.txt); echo $((v - 1)) > f.txt'
    )
    project.program(
        "eval",
        'env | grep -E "^GIT_(DIR|INDEX_FILE|WORK_TREE|COMMON_DIR|OBJECT_DIRECTORY)=" && exit 9; echo "score: $(cat f.txt)"',
    )
    project.commit()
    git = victim.root / ".git"
    hostile = {
        "GIT_DIR": str(git),
        "GIT_INDEX_FILE": str(git / "index"),
        "GIT_WORK_TREE": str(victim.root),
        "GIT_COMMON_DIR": str(git),
        "GIT_OBJECT_DIRECTORY": str(git / "objects"),
    }
    done = project.run(*NAMED, "--iterations", "2", **hostile)
    assert done.end["kept"] == 2
    assert project.jumar("status", "--json", **hostile).json["kept"] == 2
    project.jumar("accept", "--yes", **hostile)
    assert (project.root / "f.txt").read_text() == "8\n"
    assert {path: path.read_bytes() for path in sorted(victim.root.rglob("*")) if path.is_file()} == before


def test_s34_an_old_lock_in_the_worktree_is_ours_and_goes(project: Project) -> None:
    # The maker leaves the lock of a git that died, in the worktree's own folder.
    project.program(
        "maker",
        'd=$(git rev-parse --git-dir); touch -d "2 days ago" "$d/index.lock"; v=$(cat f.txt); echo $((v - 1)) > f.txt',
    )
    project.commit()
    done = project.run(*NAMED, "--iterations", "1")
    assert done.end["kept"] == 1


def test_s34_a_lock_of_the_users_is_never_removed(project: Project) -> None:
    lock = project.write(".git/index.lock", "")
    done = project.run(*NAMED, "--iterations", "2")
    assert done.end["kept"] == 2
    assert lock.exists()
    project.jumar("status")
    accepting = project.start("accept", "--yes")
    wait_for(lambda: project.jumar("status", "--json").json)  # the lock is waited for
    assert accepting.poll() is None
    assert lock.exists()
    lock.unlink()
    assert finish(accepting).code == 0
    assert (project.root / "f.txt").read_text() == "8\n"


@pytest.mark.parametrize("how", ["path", "file"])
def test_s37_the_evaluator_does_not_see_the_change(project: Project, how: str, tmp_path: Path) -> None:
    called = tmp_path / "called"
    project.program("maker", f"touch {shlex.quote(str(called))}; echo 1 > f.txt")
    metric = f"echo score: $(cat {shlex.quote(str(project.root / 'f.txt'))})"
    if how == "file":
        project.program("eval", metric)
        metric = "./eval"
    project.commit()
    done = project.run("--metric", metric, *NAMED, code=3)
    assert done.end["reason"] == "evaluator_broken"
    assert "does not read the target" in done.end["message"]
    assert str(project.root) in done.end["message"]
    assert not called.exists()
    gone_on = project.run("--metric", metric, *NAMED, "--no-probe", "--iterations", "1", code=1)
    assert gone_on.trials[0]["reason"] == "tie"
    assert "probe" in next((project.root / ".jumar/runs" / gone_on.end["run"]).glob("report.md")).read_text()


def test_s37_an_editable_install_of_the_checkout(project: Project) -> None:
    project.write("pkg/thing.py", "VALUE = 3\n")
    project.write(".gitignore", ".venv/\n")
    project.write(".venv/lib/python3/site-packages/__editable__.thing.pth", f"{project.root}/pkg\n")
    project.program(
        "eval",
        "PYTHONPATH=$(cat .venv/lib/python3/site-packages/*.pth) python -c \"import thing; print(f'score: {thing.VALUE}')\"",
    )
    project.program("maker", "echo VALUE = 2 > pkg/thing.py")
    project.commit()
    (project.root / "mission.md").write_text(
        "---\ncarry: {.venv: copy}\nfile: pkg/thing.py\nmetric: ./eval\nmetric_name: score\ndirection: lower\nmaker: command:./maker\n---\n"
    )
    done = project.jumar("run", "--json", code=3)
    assert "does not read the target" in done.end["message"]
    assert ".pth" in done.end["message"]
