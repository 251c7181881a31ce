"""The folders of runs under `.jumar/`: where things are, which run is which, and who may write."""

from __future__ import annotations

import fcntl
import json
import re
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from jumar.core.mission import Mission
from jumar.core.state import State, fold
from jumar.errors import LockedError, RefusedError
from jumar.journal import read
from jumar.workspace.settings import write_whole

HOME = ".jumar"


class Manifest(msgspec.Struct, frozen=True):
    """`mission.json`: the resolved mission of a run, and what makes another start the same run.

    `identity` is the hash of targets, evaluator and style; `pinned` maps each pinned path to the hash of its content at the start; `origin` is the
    branch that the user was on ("" when detached) and `start` their HEAD.
    """

    run: str
    identity: str
    mission: Mission
    version: str
    origin: str
    start: str
    maker: tuple[str, ...] = ()
    pinned: dict[str, str] = {}
    sandbox: str = "off"
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunFolder:
    """The files of one run; `root` is the repository's root."""

    root: Path
    id: str

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.root / HOME / "runs" / self.id

    @property
    def journal(self) -> Path:
        """The record of the run."""
        return self.path / "journal.jsonl"

    @property
    def manifest(self) -> Path:
        """The resolved mission."""
        return self.path / "mission.json"

    @property
    def stop(self) -> Path:
        """The request of a person to end the run."""
        return self.path / "stop"

    @property
    def hints(self) -> Path:
        """A person's words for the next briefs, a file each, until the run has taken them up."""
        return self.path / "hints"

    @property
    def promise(self) -> Path:
        """The trial that `tell` left measuring: its end is still to be told."""
        return self.path / "measuring"

    @property
    def processes(self) -> Path:
        """The registry of running processes."""
        return self.path / "processes"

    @property
    def report(self) -> Path:
        """The morning report."""
        return self.path / "report.md"

    def trial(self, number: int) -> Path:
        """The folder of one trial."""
        return self.path / "trials" / f"{number:04d}"

    def read_manifest(self) -> Manifest:
        """The manifest. Raises RefusedError when it is missing or damaged."""
        try:
            # The standard library's JSON carries names that are no UTF-8 through as escapes.
            return msgspec.convert(json.loads(self.manifest.read_bytes()), Manifest)
        except (OSError, ValueError) as error:
            raise RefusedError(
                f"{self.manifest} cannot be read: {error}.",
                hint="Start another run with `jumar run --fresh`, or remove this one with `jumar clean`.",
            ) from error

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step."""
        write_whole(self.manifest, json.dumps(msgspec.to_builtins(manifest), indent=1).encode())

    def read_state(self) -> State:
        """Where the run stands, read without a lock."""
        return fold(read(self.journal), self.read_manifest().mission) if self.journal.exists() else State()

    def is_live(self) -> bool:
        """Whether a process is writing the run right now."""
        if not self.journal.exists():
            return False
        with self.journal.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False


def runs(root: Path) -> list[RunFolder]:
    """All runs of a repository that have a manifest, oldest first."""
    found = [RunFolder(root, file.parent.name) for file in (root / HOME / "runs").glob("*/mission.json")]
    return sorted(found, key=lambda run: _born(run.id))


def _born(run: str) -> tuple[str, int, str]:
    """The time in a run's id, and its number within that second."""
    match = re.search(r"(\d{8}-\d{6})(?:-(\d+))?$", run)
    return (match[1], int(match[2] or 1), run) if match else ("", 0, run)


def find_run(root: Path, name: str | None = None) -> RunFolder:
    """The named run (a unique part of its id is enough), or the newest. Raises RefusedError when there is none."""
    found = runs(root)
    if not found:
        raise RefusedError(f"There is no run in {root}.", hint="Start one with `jumar run`.")
    if name is None:
        return max(found, key=lambda run: run.journal.stat().st_mtime_ns if run.journal.exists() else 0)
    exact = [run for run in found if run.id == name]
    matching = exact or [run for run in found if name in run.id]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(run.id for run in found[-5:])
    seen = "names no run" if not matching else "names several runs"
    raise RefusedError(f"`{name}` {seen} of {root}.", hint=f"Known runs: {known}.")


def new_run(root: Path, slug: str, now: float) -> RunFolder:
    """A run id that is not taken yet: `<slug>-<date>-<time>`, then `-2`, `-3`…"""
    stem = f"{slug}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}"
    taken = {path.name for path in (root / HOME / "runs").glob("*")}
    names = (stem if n == 1 else f"{stem}-{n}" for n in range(1, len(taken) + 2))
    return RunFolder(root, next(name for name in names if name not in taken))


def slug(text: str, limit: int = 32) -> str:
    """A short name for paths and branches, from any text; "run" when nothing is left of it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(words) > limit:
        words = words[: limit + 1].rpartition("-")[0] or words[:limit]
    return words or "run"


@contextmanager
def start_lock(root: Path, identity: str) -> Iterator[None]:
    """Only one process at a time opens a run of this identity. Raises LockedError when another one has it."""
    folder = root / HOME / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{identity}.lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LockedError(
                "Another process is running this mission (same targets, evaluator and style).",
                hint="Look at it with `jumar status`, or end it with `jumar stop`.",
            ) from None
        yield
