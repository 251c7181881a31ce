"""What a maker may not do to the judge, and what it leaves lying about: C20, C21, C25, C26, S31, S33, S35, S36."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jumar.core.model import Change, Refusal
from jumar.errors import RefusedError
from jumar.workspace import ensure_excluded, find_repository, left_behind


def refused(run: Any, trial: Any, reason: str, words: str) -> Refusal:
    found = run.space.seal(trial)
    assert isinstance(found, Refusal), found
    assert found.reason == reason
    assert words in found.message
    run.discard(trial)
    return found


def test_c20a_an_edit_of_the_judge(start: Any) -> None:
    run = start()
    objects = run.repo.git("count-objects")
    trial = run.begin()
    run.write("eval/run.py", "print('score: 99')\n")
    run.write("src/a.py", "x = 9\n")
    found = refused(run, trial, "protected", "out of scope: eval/run.py")
    assert found.paths == ("eval/run.py",)
    assert (run.tree / "eval/run.py").read_text() == "print('score: 1')\n"
    assert run.repo.git("count-objects") == objects


def test_c20b_a_conftest_at_the_root(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("conftest.py", "cheat\n")
    refused(run, trial, "out_of_scope", "out of scope: conftest.py")
    assert not (run.tree / "conftest.py").exists()


def test_c20c_a_self_loading_file_in_scope_is_flagged(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/sitecustomize.py", "x = 1\n")
    assert run.space.seal(trial).flags == ("autoload",)


def test_c20d_the_judge_replaced_by_a_link(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/fake/run.py", "print('score: 99')\n")
    (run.tree / "eval/run.py").unlink()
    (run.tree / "eval").rmdir()
    (run.tree / "eval").symlink_to("src/fake")
    found = refused(run, trial, "protected", "out of scope: eval/run.py")
    assert set(found.paths) == {"eval", "eval/run.py"}
    assert not (run.tree / "eval").is_symlink()
    assert (run.tree / "eval/run.py").read_text() == "print('score: 1')\n"
    assert not (run.tree / "src/fake").exists()


def test_c20e_only_a_seed_changed(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/a.py", "SEED = 7\nx = 1\n")
    assert run.space.seal(trial).flags == ("seed_only",)


def test_c20_a_pinned_file_is_protected_unless_it_is_a_target(start: Any) -> None:
    run = start(pinned=("README", "src/b.py"), targets=("src/a.py", "src/b.py", "README.md"))
    trial = run.begin()
    run.write("README", "else\n")
    refused(run, trial, "protected", "README")
    trial = run.begin()
    run.write("src/b.py", "y = 3\n")
    assert isinstance(run.space.seal(trial), Change)


def test_c21_old_bytecode_does_not_survive_in_the_evaluation_tree(start: Any) -> None:
    run = start()
    tree = run.space.evaluation_tree(0, run.tip)
    subprocess.run([sys.executable, "-c", "import b"], cwd=tree / "src", check=True)
    cache = Path(importlib.util.cache_from_source(str(tree / "src/b.py")))
    written = cache.exists()
    trial = run.begin()
    file = run.write("src/b.py", "y = 3\n")
    stamp = (tree / "src/b.py").stat().st_mtime_ns
    os.utime(file, ns=(stamp, stamp))
    change = run.space.seal(trial)
    assert run.space.evaluation_tree(0, change.commit) == tree
    assert written
    assert not cache.exists()
    answer = subprocess.run(
        [sys.executable, "-c", "import b; print(b.y)"], cwd=tree / "src", capture_output=True, check=True
    )
    assert answer.stdout == b"3\n"
    run.space.evaluation_tree(0, run.tip)
    answer = subprocess.run(
        [sys.executable, "-c", "import b; print(b.y)"], cwd=tree / "src", capture_output=True, check=True
    )
    assert answer.stdout == b"2\n"


def test_c25_links_and_copies_are_carried_and_survive_a_revert(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "node_modules/\n.venv/\n.env\n"})
    repo.write("node_modules/dep/index.js", "dep\n")
    repo.write(".venv/bin/python", "#!\n").chmod(0o755)
    repo.write(".env", "TOKEN=1\n")
    before = repo.fingerprint()
    run = start(carry={"node_modules": "link", ".venv": "copy", ".env": "copy"})
    trial = run.begin()
    assert (run.tree / "node_modules").is_symlink()
    assert (run.tree / ".venv/bin/python").stat().st_mode & 0o100
    assert run.space.seal(trial) is None
    run.write("src/a.py", "x = 2\n")
    (run.tree / "node_modules").unlink()
    run.write(".venv/bin/python", "broken\n")
    (run.tree / ".env").unlink()
    change = run.space.seal(trial)
    assert change.files == ("src/a.py",)
    assert change.warnings == (
        "ignored files are no part of the change: .env, .venv/bin/python, node_modules",
    )
    run.discard(trial, change)
    for tree in (run.tree, run.space.evaluation_tree(0, change.commit)):
        assert (tree / "node_modules/dep/index.js").read_text() == "dep\n"
        assert (tree / ".venv/bin/python").read_text() == "#!\n"
        assert (tree / ".venv/bin/python").stat().st_mode & 0o100
        assert (tree / ".env").read_text() == "TOKEN=1\n"
    run.reopen()
    (run.tree / ".env").unlink()
    run.begin()
    assert (run.tree / ".env").exists()
    run.space.remove(branch=True)
    assert (repo.root / "node_modules/dep/index.js").exists()
    after = repo.fingerprint()
    assert (after[1], after[3]) == (before[1], before[3])
    assert any("can change" in note for note in run.space.notes)


def test_c25_a_setup_command_fills_both_trees(start: Any) -> None:
    seen: list[Path] = []

    def setup(tree: Path) -> None:
        seen.append(tree)
        (tree / "built").mkdir()
        (tree / "built/lib.so").write_bytes(b"so")
        (tree / "logs").mkdir()
        (tree / "src/a.py").write_text("changed by setup\n")

    run = start(setup=setup)
    tree = run.space.evaluation_tree(0, run.tip)
    assert seen == [run.tree, tree]
    for place in seen:
        assert (place / "built/lib.so").exists()
        assert (place / "src/a.py").read_text() == "SEED = 1\nx = 1\n"
    (tree / "built/lib.so").unlink()
    (tree / "logs").rmdir()
    run.space.evaluation_tree(0, run.tip)
    assert (tree / "built/lib.so").exists()
    assert (tree / "logs").is_dir()


def test_c25_what_is_carried_must_be_there(start: Any) -> None:
    with pytest.raises(RefusedError, match="carry names data"):
        start(carry={"data": "link"})


@pytest.mark.parametrize(
    ("name", "words"), [("../x", "lies outside"), ("/etc", "lies outside"), ("eval", "git has files there")]
)
def test_c25_what_cannot_be_carried(start: Any, name: str, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        start(carry={name: "link"})
    assert start().tree.exists()


def test_c25_what_the_trees_will_lack_is_named(repo: Any) -> None:
    repo.commit(**{".gitignore": "node_modules/\n.env\n__pycache__/\n*.pyc\nout/\n"})
    for name in ("node_modules/a/b.js", ".env", "src/__pycache__/a.pyc", "src/out/x", ".jumar/x"):
        repo.write(name, "x\n")
    ensure_excluded(repo.root / ".git")
    assert left_behind(find_repository(repo.root), ["node_modules"]) == [".env", "src/out"]


def test_c26_ignored_leftovers_of_a_trial_and_of_an_evaluation_are_gone(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "cache/\n"})
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    run.write("cache/score", "0.99")
    change = run.space.seal(trial)
    assert change.files == ("src/a.py",)
    tree = run.space.evaluation_tree(0, change.commit)
    assert not (tree / "cache").exists()
    (tree / "cache").mkdir()
    (tree / "cache/score").write_text("0.99")
    (tree / "left.fifo").parent.mkdir(exist_ok=True)
    os.mkfifo(tree / "left.fifo")
    run.space.evaluation_tree(0, change.commit)
    assert sorted(entry.name for entry in tree.iterdir()) == [".gitignore", "README", "eval", "src"]
    run.discard(trial, change)
    assert not (run.tree / "cache").exists()


def test_a_gitignore_of_the_makers_hides_nothing(start: Any) -> None:
    run = start(targets=("src/**", ".gitignore"))
    trial = run.begin()
    run.write(".gitignore", "*.dat\n")
    run.write("src/x.dat", "1\n")
    run.write("y.dat", "1\n")
    refused(run, trial, "out_of_scope", "out of scope: y.dat")


def test_a_target_by_its_own_name_wins_over_an_ignore_rule(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "params.json\n"})
    repo.write("params.json", "{}\n")
    run = start(targets=("params.json",))
    assert (run.tree / "params.json").read_text() == "{}\n"
    trial = run.begin()
    run.write("params.json", "{1}\n")
    assert run.space.seal(trial).files == ("params.json",)


ODD = [
    "notes/café notes.txt",
    "notes/tab\there.txt",
    "notes/line\nfeed.txt",
    'notes/"quoted" \\ back.txt',
    "notes/\udcff.txt",
    "notes/:(x).txt",
]


def test_s31_names_that_git_quotes(repo: Any, start: Any) -> None:
    for name in ODD:
        repo.write(name, "old\n")
    repo.commit()
    run = start(targets=("notes/**",))
    trial = run.begin()
    for name in ODD:
        run.write(name, "new\n")
        run.write(name + "-more", "more\n")
    change = run.space.seal(trial)
    shown = [name.replace("\udcff", "\\xff") for name in ODD]
    assert set(change.files) == {*shown, *(name + "-more" for name in shown)}
    tree = run.space.evaluation_tree(0, change.commit)
    assert all((tree / name).read_text() == "new\n" and (tree / (name + "-more")).exists() for name in ODD)
    run.discard(trial, change)
    assert all(
        (run.tree / name).read_text() == "old\n" and not (run.tree / (name + "-more")).exists()
        for name in ODD
    )


@pytest.mark.parametrize("committed", [True, False])
def test_s33_a_nested_repository(start: Any, *, committed: bool) -> None:
    run = start()
    trial = run.begin()
    run.write("src/app/main.py", "x\n")
    run.repo.git("init", "-q", cwd=run.tree / "src/app")
    if committed:
        run.repo.git("add", "-A", cwd=run.tree / "src/app")
        run.repo.git(
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "commit",
            "-qm",
            "x",
            cwd=run.tree / "src/app",
        )
    refused(run, trial, "out_of_scope", "src/app (a nested git repository)")
    assert not (run.tree / "src/app").exists()


def test_s33_one_in_an_ignored_place_is_only_removed(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "cache/\n"})
    run = start()
    trial = run.begin()
    run.write("cache/tool/x", "x\n")
    run.repo.git("init", "-q", cwd=run.tree / "cache/tool")
    run.write("src/a.py", "x = 2\n")
    change = run.space.seal(trial)
    assert change.files == ("src/a.py",)
    run.discard(trial, change)
    assert not (run.tree / "cache").exists()


def test_s35_rubbish_and_secrets_are_not_committed(start: Any) -> None:
    run = start(max_file=1000)
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    run.write("core.1234", b"\0" * 5000)
    run.write(".env", "TOKEN=abc\n")
    found = refused(run, trial, "out_of_scope", "out of scope: ")
    assert set(found.paths) == {"core.1234", ".env"}
    trial = run.begin()
    run.write("src/.env", "TOKEN=abc\n")
    refused(run, trial, "out_of_scope", "src/.env (a name that holds secrets")
    trial = run.begin()
    run.write("src/big.bin", b"\0" * 5000)
    refused(run, trial, "out_of_scope", "src/big.bin (0.0 MB, more than")


@pytest.mark.parametrize("target", ["../README", "/etc/passwd", "../../..", "../eval/run.py"])
def test_a_link_out_of_the_scope(start: Any, target: str) -> None:
    run = start()
    trial = run.begin()
    (run.tree / "src/link.py").symlink_to(target)
    refused(run, trial, "out_of_scope", "out of scope: src/link.py (a link that leads out of")


def test_links_within_the_scope_are_sealed_and_special_files_are_not(start: Any) -> None:
    run = start()
    trial = run.begin()
    (run.tree / "src/link.py").symlink_to("a.py")
    change = run.space.seal(trial)
    assert change.files == ("src/link.py",)
    tree = run.space.evaluation_tree(0, change.commit)
    assert (tree / "src/link.py").readlink() == Path("a.py")
    run.discard(trial, change)
    trial = run.begin()
    os.mkfifo(run.tree / "src/pipe")
    refused(run, trial, "out_of_scope", "src/pipe (neither a file nor a link)")
    assert not (run.tree / "src/pipe").exists()


def test_s36_a_worktree_that_is_never_clean(repo: Any, start: Any) -> None:
    repo.write("src/f.txt", b"one\r\ntwo\r\n")
    repo.git("-c", "core.autocrlf=false", "add", "-A")
    repo.git("commit", "-qm", "crlf")
    repo.write(".gitattributes", "*.txt text eol=lf\n")
    repo.git("add", ".gitattributes")
    repo.git("commit", "-qm", "attributes")
    run = start()
    trial = run.begin()
    assert run.space.seal(trial) is None
    run.write("src/a.py", "x = 2\n")
    assert run.space.seal(trial).files == ("src/a.py",)
    trial = run.begin()
    run.write("src/f.txt", b"one\r\nTWO\r\n")
    change = run.space.seal(trial)
    assert (change.added, change.removed) == (1, 1)


def test_line_ends_of_the_base_are_cleaned_and_smudged(repo: Any, start: Any) -> None:
    repo.commit(**{".gitattributes": "*.txt text eol=crlf\n", "src/f.txt": "one\ntwo\n"})
    run = start(targets=("src/**", ".gitattributes"))
    assert (run.tree / "src/f.txt").read_bytes() == b"one\r\ntwo\r\n"
    trial = run.begin()
    run.write("src/f.txt", b"one\r\n2\r\n")
    run.write("src/g.txt", b"g\r\n")
    run.write(".gitattributes", "*.txt -text\n")
    change = run.space.seal(trial)
    assert (change.added, change.removed) == (3, 2)
    assert repo.git("cat-file", "blob", f"{change.commit}:src/g.txt") == "g"
    tree = run.space.evaluation_tree(0, change.commit)
    assert (tree / "src/f.txt").read_bytes() == b"one\r\n2\r\n"
    assert (tree / "src/g.txt").read_bytes() == b"g\r\n"
    run.discard(trial, change)
    assert (run.tree / "src/f.txt").read_bytes() == b"one\r\ntwo\r\n"
    run.reopen()
    trial = run.begin()
    assert run.space.seal(trial) is None
    run.write("src/f.txt", b"one\ntwo\n")
    assert run.space.seal(trial) is None
