from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from jumar.core.model import Change, Decision, Proposal, Trial
from jumar.workspace import GitWorkspace, Settings, find_repository, open_workspace


class Repo:
    """A user's repository, driven as a user would."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(
        self, *args: str, cwd: Path | None = None, env: dict[str, str] | None = None, check: bool = True
    ) -> str:
        done = subprocess.run(
            ["git", *args],
            cwd=cwd or self.root,
            env={**os.environ, **(env or {})},
            capture_output=True,
            check=False,
        )
        if check:
            assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, name: str, content: str | bytes) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def commit(self, message: str = "work", **files: str | bytes) -> str:
        for name, content in files.items():
            self.write(name, content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def fingerprint(self) -> tuple[object, ...]:
        """Everything of the user's that must stay: files, index, HEAD, status, stash."""
        files = {}
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root)
            if name.parts[0] not in (".git", ".jumar") and (path.is_symlink() or not path.is_dir()):
                data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
                files[str(name)] = (data, path.lstat().st_mode, path.lstat().st_mtime_ns)
        index = (self.root / ".git/index").read_bytes() if (self.root / ".git/index").exists() else b""
        env = {"GIT_OPTIONAL_LOCKS": "0"}
        status = self.git("status", "--porcelain=v2", "--branch", "--ignored", "--", ".", ":!.jumar", env=env)
        return (
            files,
            index,
            status,
            self.git("symbolic-ref", "-q", "HEAD", check=False),
            self.git("stash", "list"),
        )


class Run:
    """A workspace, and the trials that a session would lead through it."""

    def __init__(self, repo: Repo, settings: Settings) -> None:
        self.repo = repo
        self.settings = settings
        self.space: GitWorkspace = open_workspace(find_repository(repo.root), settings)
        self.tip = self.space.base
        self.number = 0

    def reopen(self) -> GitWorkspace:
        self.space = open_workspace(find_repository(self.repo.root), self.settings)
        return self.space

    def trial(self, **more: object) -> Trial:
        self.number += 1
        values: dict[str, object] = {
            "opened": 1_700_000_000.0 + self.number,
            "proposal": Proposal(summary="an idea"),
        }
        return Trial(self.number, "change", self.tip, **(values | more))  # type: ignore[arg-type]

    @property
    def tree(self) -> Path:
        return self.space.worktree

    def write(self, name: str, content: str | bytes) -> Path:
        file = self.tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def begin(self) -> Trial:
        trial = self.trial()
        self.space.checkout(trial)
        return trial

    def keep(self, trial: Trial, change: Change) -> Trial:
        kept = decided(trial, "KEEP", change)
        self.space.settle(kept)
        self.tip = change.commit
        return kept

    def discard(self, trial: Trial, change: Change | None = None) -> Trial:
        dropped = decided(trial, "DISCARD", change)
        self.space.settle(dropped)
        return dropped

    def at(self, ref: str) -> str:
        return self.repo.git("rev-parse", "-q", "--verify", ref, check=False)


def decided(trial: Trial, verdict: str, change: Change | None) -> Trial:
    return msgspec.structs.replace(trial, change=change, decision=Decision(verdict))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


@pytest.fixture
def repo(tmp_path: Path, home: Path) -> Repo:
    root = tmp_path / "project"
    root.mkdir()
    made = Repo(root)
    made.git("init", "-q", "-b", "feature")
    made.git("config", "user.name", "Jo Maker")
    made.git("config", "user.email", "jo@example.org")
    made.write("src/a.py", "SEED = 1\nx = 1\n")
    made.write("src/b.py", "y = 2\n")
    made.write("eval/run.py", "print('score: 1')\n")
    made.write("README", "hello\n")
    made.commit("start")
    return made


@pytest.fixture
def start(repo: Repo) -> Callable[..., Run]:
    def begin(**wishes: object) -> Run:
        values: dict[str, object] = {
            "run": "try-20240101-000000",
            "targets": ("src/**",),
            "protect": ("eval/**",),
            "state": repo.root / ".jumar/runs/try-20240101-000000/workspace",
            "branch": "jumar/try-2024-01-01",
            "started": 1_700_000_000.0,
        }
        return Run(repo, Settings(**(values | wishes)))  # type: ignore[arg-type]

    return begin
