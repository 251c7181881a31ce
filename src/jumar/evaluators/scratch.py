"""What one evaluation has to itself: an environment, a folder for temporary files, and a file for its result."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jumar.core.model import Job
from jumar.process import child_environment
from jumar.process.handed import read_handed

# Set for one child only: what an outer jumar set for us means nothing to our own children.
OWN = ("BRIEF", "BRIEF_JSON", "PROPOSAL", "TRIAL", "RUN", "RESULT", "SEED", "SAMPLE")


@dataclass(frozen=True)
class Scratch:
    """Fresh folders that are gone after the evaluation."""

    root: Path

    @property
    def result(self) -> Path:
        """The file that JUMAR_RESULT names; not there until the evaluator writes it."""
        return self.root / "result.json"

    def environment(
        self, base: Mapping[str, str], job: Job, tree: Path, cwd: Path, *, file: bool
    ) -> dict[str, str]:
        """The whole environment of one evaluation; `file` says whether its result is read from a file."""
        own = {f"JUMAR_{name}" for name in OWN}
        extra = {
            "JUMAR_SEED": str(job.seed),
            "JUMAR_SAMPLE": str(job.sample),
            "LC_NUMERIC": "C",
            "TMPDIR": str(self.root / "tmp"),
            # Keep and revert swap files within one second, and old bytecode would answer for new source.
            "PYTHONPYCACHEPREFIX": str(self.root / "pycache"),
            "GIT_CEILING_DIRECTORIES": str(tree.parent),
            "PWD": str(cwd),
        }
        if file:
            extra["JUMAR_RESULT"] = str(self.result)
        return child_environment({name: value for name, value in base.items() if name not in own}, extra)

    def read(self, limit: int) -> str | None:
        """The result file's text, `limit` bytes at most; None when there is no regular file."""
        try:
            data = read_handed(self.result, limit)
        except OSError:
            return None
        return None if data is None else data.decode("utf-8", "replace")


@contextlib.contextmanager
def scratch() -> Iterator[Scratch]:
    """Folders for one evaluation. What an evaluator made unremovable stays in the system's temporary folder."""
    with tempfile.TemporaryDirectory(prefix="jumar-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve()
        (root / "tmp").mkdir()
        (root / "pycache").mkdir()
        yield Scratch(root)
