"""A small world to be cut down in: a repository, a mission, and a maker and an evaluator that always do the same."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from programs import GIT_CONFIG, JUDGE, MAKER, MISSION, STUBBORN

from jumar.core.model import Trial
from jumar.core.state import State
from jumar.journal import read
from jumar.runs import RunFolder, runs

IDS = re.compile(r"\b[0-9a-f]{7,64}\b")
TIMES = re.compile(r"\b\d+(\.\d+)? ?(s|ms)\b")


class World:
    """The folder with everything in it; `repo` is the user's checkout. The maker writes no proposal when `silent`."""

    def __init__(self, root: Path, repo: Path | None = None, *, silent: bool = False) -> None:
        self.root = root
        self.repo = repo or root / "repo"
        self.silent = silent
        self.home = root / "home"
        self.before = root / "checkout.json"
        self.out = root / "out"
        self.cuts = root / "cuts"

    def build(self, *, iterations: int = 10, stubborn: bool = False) -> World:
        """Make it, with an edit of the user's that is not committed."""
        for folder in (self.repo, self.home):
            folder.mkdir(parents=True)
        (self.home / ".gitconfig").write_text(GIT_CONFIG)
        maker = self.home / "maker.sh"
        maker.write_text(
            STUBBORN
            + MAKER
            + '[ -z "$left" ] || kill -9 -$left 2> /dev/null || kill -9 $left 2> /dev/null || true\n'
            if stubborn
            else MAKER
        )
        files = {
            "target.txt": "gain 10\n",
            "judge.sh": JUDGE,
            "notes.txt": "notes\n",
            ".gitignore": "cache/\n",
            "mission.md": MISSION.format(iterations=iterations),
        }
        for name, text in files.items():
            (self.repo / name).write_text(text)
        self.git("init", "--quiet")
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", "first")
        (self.repo / "notes.txt").write_text("notes\nthe user is still writing\n")
        (self.repo / "scratch.txt").write_text("not tracked\n")
        self.git("status")  # writes the index, which has to stay as it is from here on
        self.before.write_text(json.dumps(self.checkout()))
        return self

    def environment(self, pace: float = 0.0) -> dict[str, str]:
        """What jumar runs in: a home of its own. `pace` is how long the maker and the evaluator take, in seconds."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "JUMAR_"))}
        state = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.root / "state"),
            "PACE": str(pace),
            "CRASH_MAKER": str(self.home / "maker.sh"),
            "SILENT": "1" if self.silent else "",
        }
        return {**kept, **state, "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1", "LANG": "C.UTF-8"}

    def git(self, *args: str) -> str:
        """git in the user's checkout."""
        done = subprocess.run(
            ["git", *args], cwd=self.repo, env=self.environment(), check=True, capture_output=True, text=True
        )
        return done.stdout

    def folders(self) -> list[RunFolder]:
        """The runs."""
        return runs(self.repo)

    def ended(self) -> bool:
        """Whether the only run there is has come to an end that is not a pause."""
        found = self.folders()
        if not found or not found[-1].journal.exists():
            return False
        end = found[-1].read_state().ended
        return end is not None and end.reason not in ("interrupted", "stopped")

    def checkout(self) -> dict[str, str]:
        """The user's checkout: every file's bytes and rights, HEAD, the index, the branches, the settings."""
        seen = {}
        for path in sorted(self.repo.rglob("*")):
            inside = path.relative_to(self.repo)
            if inside.parts[0] not in (".git", ".jumar") and path.is_file():
                seen[str(inside)] = f"{path.stat().st_mode:o} {digest(path.read_bytes())}"
        for name in ("HEAD", "index", "config"):
            seen[f"git {name}"] = digest((self.repo / ".git" / name).read_bytes())
        seen["git main"] = self.git("rev-parse", "refs/heads/main").strip()
        return seen

    def progress(self) -> int:
        """How many records the journal holds, those of a resumption aside. The same point of two runs has the same."""
        found = sorted(self.repo.glob(".jumar/runs/*/journal.jsonl"))
        if not found:
            return -1
        return sum(b'"event":"resumed"' not in line for line in found[-1].read_bytes().splitlines())

    def reached(self) -> tuple[int, int]:
        """How far the run and the cuts have come: the same twice means that a start brought nothing."""
        return self.progress(), self.cuts.stat().st_size if self.cuts.exists() else 0

    def history(self) -> dict[str, Any]:
        """What happened, as it would have without any interruption: times, commit ids and recovery left out."""
        folders = self.folders()
        folder = folders[-1]
        state = folder.read_state()
        return {
            "runs": len(folders),
            "trials": [self._trial(folder, trial) for trial in state.history],
            "open": sorted(state.open),
            "used": state.used,
            "evaluations": state.evaluations,
            "scores": [state.baseline, state.best, state.best_trial],
            "outcomes": state.outcomes,
            "end": [state.ended.reason, self._plain(state.ended.message)] if state.ended else None,
            "events": [self._event(record) for record in read(folder.journal)],
            "base": self._tree(state.base),
            "branch": self._tree(f"refs/heads/{state.branch}"),
            "chain": len(self.git("rev-list", f"{state.base}..refs/heads/{state.branch}").split()),
            "heads": self._heads(state),
            "refs": self._refs(folder),
            "worktree": self._worktree(folder),
            "checkout": list(differences(json.loads(self.before.read_text()), self.checkout())),
            "processes": sorted(path.name for path in folder.processes.glob("*")),
        }

    def _trial(self, folder: RunFolder, trial: Trial) -> dict[str, Any]:
        change, refusal, decision = trial.change, trial.refusal, trial.decision
        assert decision is not None
        return {
            "number": trial.number,
            "kind": trial.kind,
            "parent": self._tree(trial.parent),
            "level": trial.level,
            "proposal": self._proposal(trial),
            "change": [
                change.tree,
                change.files,
                change.added,
                change.removed,
                change.flags,
                self._all(change.warnings),
            ]
            if change
            else None,
            "refusal": [
                refusal.reason,
                self._plain(refusal.message),
                refusal.paths,
                refusal.flags,
                self._all(refusal.warnings),
            ]
            if refusal
            else None,
            "samples": [
                [s.role, s.side, s.measurement.score, s.measurement.error, self._plain(s.measurement.message)]
                for s in trial.samples
            ],
            "verdict": [decision.verdict, decision.reason, self._plain(decision.sentence), decision.score],
            "repeat_of": trial.repeat_of,
            "best": [trial.best, trial.delta_baseline, trial.delta_previous],
            "files": {
                path.name: digest(self._plain(path.read_text()).encode())
                if path.name in self._same()
                else path.name
                for path in sorted(folder.trial(trial.number).glob("*"))
            },
        }

    def _all(self, words: tuple[str, ...]) -> list[str]:
        return [self._plain(line) for line in words]

    def _same(self) -> tuple[str, ...]:
        # Where the maker wrote no proposal, the file is made of ours, which says how long the maker took.
        return tuple(name for name in SAME if name != "proposal.json" or not self.silent)

    def _proposal(self, trial: Trial) -> Any:
        if trial.proposal is None:
            return None
        said = msgspec.to_builtins(trial.proposal)
        return {key: self._plain(str(value)) for key, value in said.items() if key != "usage"}

    def _event(self, record: Any) -> str:
        return str(type(record.body).__struct_config__.tag)

    def _heads(self, state: State) -> dict[str, str]:
        names = self.git(
            "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/stash"
        ).split()
        branch = f"refs/heads/{state.branch}"
        return {"the run's" if name == branch else name: self._tree(name) for name in names}

    def _refs(self, folder: RunFolder) -> dict[str, str]:
        place = f"refs/jumar/{folder.id}/"
        names = self.git("for-each-ref", "--format=%(refname)", f"{place}trial/", f"{place}base").split()
        return {name.removeprefix(place): self._tree(name) for name in names}

    def _worktree(self, folder: RunFolder) -> dict[str, str]:
        found = list((self.root / "state").glob(f"jumar/trees/*/{folder.id}/tree"))
        files = (path for tree in found for path in sorted(tree.rglob("*")) if path.is_file())
        return {path.name: digest(path.read_bytes()) for path in files if path.name != ".git"}

    def _tree(self, commit: str) -> str:
        return self.git("rev-parse", f"{commit}^{{tree}}").strip()

    def _plain(self, text: str) -> str:
        for folder in self.folders():
            text = text.replace(folder.id, "<run>")
        return TIMES.sub(
            "<time>",
            IDS.sub("<id>", text.replace(str(self.repo), "<repo>").replace(str(self.root), "<root>")),
        )


SAME = (
    "brief.md",
    "patch.diff",
    "maker.log",
    "proposal.json",
)  # files whose whole text an interruption leaves alone


def digest(data: bytes) -> str:
    """A short mark of some bytes."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def cleaned(history: dict[str, Any]) -> dict[str, Any]:
    """A history without what only a recovery adds."""
    events = history["events"]
    kept: list[str] = []
    for place, event in enumerate(events):
        paused = event == "ended" and place + 1 < len(events)
        if event not in ("resumed", "stop_asked") and not paused:
            kept.append(event)
    return {**history, "events": kept}


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Where two histories differ, in words."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key), other.get(key), f"{where}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{where}/{place}")
    elif one != other:
        yield f"{where}: {one!r} became {other!r}"
