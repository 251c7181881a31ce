"""The base commit, and what of the user's must stay as it is: with staged, dirty, ignored and oddly named files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jumar.errors import RefusedError
from jumar.workspace import ensure_excluded, find_repository


def blob(repo: Any, commit: str, name: str) -> str:
    return str(repo.git("cat-file", "blob", f"{commit}:{name}"))


def test_the_base_is_head_when_nothing_is_uncommitted(repo: Any, start: Any) -> None:
    repo.write("README", "not a target\n")
    run = start()
    assert run.space.base == repo.head
    assert run.space.notes == []


def test_uncommitted_targets_and_named_files_are_in_the_base(repo: Any, start: Any) -> None:
    repo.commit(**{".gitignore": "bench.py\n*.dat\n"})
    repo.write("src/a.py", "x = 7\n")
    repo.write("src/new.py", "n = 1\n")
    repo.write("src/staged.py", "s = 1\n")
    repo.git("add", "src/staged.py")
    repo.write("src/staged.py", "s = 2\n")
    (repo.root / "src/b.py").unlink()
    repo.write("README", "not a target\n")
    repo.write("bench.py", "ignored, but named\n")
    repo.write("src/x.dat", "ignored, and only matched\n")
    (repo.root / "src/link").symlink_to("a.py")
    repo.write("src/tab\tcafé.py", "odd\n")
    before = repo.fingerprint()
    run = start(named=("bench.py",), pinned=("bench.py",))
    base = run.space.base
    assert base != repo.head
    assert repo.git("rev-parse", f"{base}^") == repo.head
    assert blob(repo, base, "src/a.py") == "x = 7"
    assert blob(repo, base, "src/staged.py") == "s = 2"
    assert blob(repo, base, "bench.py") == "ignored, but named"
    assert blob(repo, base, "README") == "hello"
    changed = repo.git("diff", "--name-only", "-z", "HEAD", base).split("\0")[:-1]
    assert set(changed) == {
        "bench.py",
        "src/a.py",
        "src/b.py",
        "src/link",
        "src/new.py",
        "src/staged.py",
        "src/tab\tcafé.py",
    }
    assert run.space.notes[0].startswith(
        "The base is HEAD with your uncommitted content of bench.py, src/a.py"
    )
    trial = run.begin()
    run.write("src/a.py", "x = 8\n")
    run.keep(trial, run.space.seal(trial))
    run.space.evaluation_tree(0, run.tip)
    assert repo.fingerprint() == before
    run.space.remove(branch=True)
    assert repo.fingerprint() == before


def test_base_head_leaves_the_uncommitted_out(repo: Any, start: Any) -> None:
    repo.write("src/a.py", "x = 7\n")
    assert start(base="head").space.base == repo.head


def test_the_same_start_gives_the_same_base(repo: Any, start: Any) -> None:
    repo.write("src/a.py", "x = 7\n")
    run = start()
    first = run.space.base
    run.space.remove(branch=True)
    assert start().space.base == first


def test_secrets_and_half_merged_targets_are_refused(repo: Any, start: Any) -> None:
    repo.write("src/.env", "TOKEN=1\n")
    with pytest.raises(RefusedError, match=r"src/\.env has a name that holds secrets"):
        start()
    (repo.root / "src/.env").unlink()
    repo.git("switch", "-qc", "other")
    repo.commit("other", **{"src/a.py": "other\n"})
    repo.git("switch", "-q", "feature")
    repo.commit("ours", **{"src/a.py": "ours\n"})
    repo.git("merge", "other", check=False)
    with pytest.raises(RefusedError, match="in the middle of a merge"):
        start()


def test_a_linked_worktree_a_subfolder_and_a_detached_head_will_do(
    repo: Any, start: Any, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    found = find_repository(tmp_path / "linked/src")
    assert (found.root, found.folder, found.branch) == (tmp_path / "linked", "src", None)
    assert found.common_dir == repo.root / ".git"
    repo.root = tmp_path / "linked"
    run = start(state=tmp_path / "linked/.jumar/runs/x/workspace")
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    run.keep(trial, run.space.seal(trial))
    assert repo.git("status", "--porcelain") == ""


def test_a_submodule_is_a_repository_like_others(repo: Any, start: Any, tmp_path: Path) -> None:
    above = tmp_path / "above"
    repo.git("init", "-q", str(above))
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo.root), "lib", cwd=above)
    repo.root = above / "lib"
    run = start()
    trial = run.begin()
    run.write("src/a.py", "x = 2\n")
    run.keep(trial, run.space.seal(trial))
    assert repo.git("status", "--porcelain") == ""
    run.space.remove(branch=True)


def test_sha256_repositories(home: Path, start: Any, repo: Any, tmp_path: Path) -> None:
    root = tmp_path / "sha256"
    subprocess.run(["git", "init", "-q", "--object-format=sha256", root], check=True)
    repo.root = root
    repo.git("config", "user.name", "Jo")
    repo.git("config", "user.email", "jo@example.org")
    repo.commit(**{"src/a.py": "x = 1\n"})
    run = start()
    trial = run.begin()
    assert run.space.seal(trial) is None
    run.write("src/a.py", "x = 2\n")
    change = run.space.seal(trial)
    assert len(change.commit) == 64
    run.keep(trial, change)
    assert (run.space.evaluation_tree(0, change.commit) / "src/a.py").read_text() == "x = 2\n"


def test_a_sparse_checkout_of_the_users_does_not_thin_the_trees(repo: Any, start: Any) -> None:
    repo.git("sparse-checkout", "set", "src")
    run = start()
    assert (run.tree / "eval/run.py").exists()
    assert run.space.seal(run.begin()) is None
    assert (run.space.evaluation_tree(0, run.tip) / "eval/run.py").exists()


def test_the_folder_of_runs_is_excluded_once(repo: Any) -> None:
    exclude = repo.root / ".git/info/exclude"
    exclude.write_text("*.swp")
    for _ in range(2):
        ensure_excluded(repo.root / ".git")
    assert exclude.read_text() == "*.swp\n/.jumar/\n"
    repo.write(".jumar/runs/x", "x")
    assert repo.git("status", "--porcelain") == ""
    exclude.unlink()
    exclude.parent.rmdir()
    ensure_excluded(repo.root / ".git")
    assert exclude.read_text() == "/.jumar/\n"


def test_unreadable_folders_and_read_only_files_of_a_maker_are_put_back(start: Any) -> None:
    run = start()
    trial = run.begin()
    run.write("src/deep/x.py", "x\n")
    (run.tree / "src/a.py").chmod(0o444)
    (run.tree / "src/deep").chmod(0)
    change = run.space.seal(trial)
    assert change.files == ("src/deep/x.py",)
    run.discard(trial, change)
    assert os.access(run.tree / "src/a.py", os.W_OK)
    assert (run.tree / "src/a.py").stat().st_mode & 0o200
