"""What a person asks of a run from outside: signals, and `jumar stop`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from jumar.runs import RunFolder


@dataclass
class RunControls:
    """What a person asks for: a flag that a signal sets, and the file that `jumar stop` writes."""

    folder: RunFolder
    interrupted: bool = False
    _heard: list[Path] = field(default_factory=list)

    def stop_requested(self) -> str | None:
        """None, "after", "now" or "interrupt"."""
        if self.interrupted:
            return "interrupt"
        try:
            return "now" if self.folder.stop.read_text().strip() == "now" else "after"
        except OSError:
            return None

    def hint(self) -> str | None:
        """The last words that `jumar steer` left, or None."""
        self._heard = sorted(self.folder.hints.glob("[0-9]*"))
        return self._heard[-1].read_text(encoding="utf-8") if self._heard else None

    def heard(self) -> None:
        """The words are in the journal. What came in the meantime stays for the next time."""
        for file in self._heard:
            file.unlink(missing_ok=True)

    def at_once(self) -> bool:
        """Whether what runs right now has to end."""
        return self.stop_requested() in ("now", "interrupt")
