"""Every error that jumar raises on purpose.

JumarError                 a sentence for the user, and a hint
├── UsageError             no command or option is called so                 exit 2
├── MissionError           the mission or a flag is wrong                    exit 2
├── BaselineError          the evaluator fails on the untouched base         exit 3
├── MakerError             the maker cannot go on                            exit 4
├── RefusedError           another run, safety, a sandbox, git's own refusal exit 5
│   ├── LockedError        another process holds the run
│   └── GitError           git failed; carries its own words
├── JournalError           the record is damaged, or does not fit what is on disk
└── InterruptedRun         a person asked for the end, now                   exit 130
"""

from __future__ import annotations


class JumarError(Exception):
    """A sentence that names what was seen and where, and a `hint` that says what to do."""

    exit_code = 1
    kind = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(JumarError):
    """The command line cannot be read."""

    exit_code = 2
    kind = "usage"


class MissionError(JumarError):
    """The mission, a flag, or what they name is wrong."""

    exit_code = 2
    kind = "mission"


class BaselineError(JumarError):
    """The evaluator does not give a score for the untouched base."""

    exit_code = 3
    kind = "baseline"


class MakerError(JumarError):
    """The maker cannot go on."""

    exit_code = 4
    kind = "maker"


class RefusedError(JumarError):
    """Going on would be unsafe, so jumar does not."""

    exit_code = 5
    kind = "refused"


class LockedError(RefusedError):
    """Another process is writing this run."""

    kind = "locked"


class GitError(RefusedError):
    """git failed. `command` is its argument vector, `stderr` its own words."""

    kind = "git"

    def __init__(
        self, message: str, *, hint: str = "", command: tuple[str, ...] = (), stderr: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.command = command
        self.stderr = stderr


class JournalError(RefusedError):
    """The journal is damaged, or does not fit the references on disk."""

    kind = "journal"


class InterruptedRun(JumarError):
    """A person asked for the end while something was running; the trial stays open for the next start."""

    exit_code = 130
    kind = "interrupted"
