"""What a person asks of a run from outside: signals, and `jumar stop`."""

from __future__ import annotations

from dataclasses import dataclass

from jumar.runs import RunFolder


@dataclass
class RunControls:
    """What a person asks for: a flag that a signal sets, and the file that `jumar stop` writes."""

    folder: RunFolder
    interrupted: bool = False

    def stop_requested(self) -> str | None:
        """None, "after", "now" or "interrupt"."""
        if self.interrupted:
            return "interrupt"
        try:
            return "now" if self.folder.stop.read_text().strip() == "now" else "after"
        except OSError:
            return None

    def at_once(self) -> bool:
        """Whether what runs right now has to end."""
        return self.stop_requested() in ("now", "interrupt")
