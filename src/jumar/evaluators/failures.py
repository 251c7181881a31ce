"""Why a command that was run for a measurement failed: a reason code, and a sentence with what was seen.

Whose fault it is depends on what was run. On a tree that nobody edited (the baseline, the incumbent), a missing
program, module or permission is the environment's; on a candidate the same words are the candidate's own doing, a
crash. Only a network or a disk that is not there is taken for the environment on both.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from pathlib import Path

from jumar.core.model import Reason
from jumar.core.text import clip
from jumar.core.words import duration
from jumar.process import Exit, Limits

WINDOW = 15
COMMAND, LINE = 200, 300
NOT_RUNNABLE, NOT_FOUND = 126, 127
_SHELL_ADDS = 128

_EXCEPTION = re.compile(r"(?:E\s+|Uncaught )?([A-Za-z_][\w.]*(?:[eE]rror|Exception))(?::\s.*)?")
_SYNTAX = {"SyntaxError", "IndentationError", "TabError", "TOMLDecodeError", "ScannerError", "ParserError"}
_MEMORY = {"MemoryError", "OutOfMemoryError"}
_PARSE = re.compile(
    r":\d+(?::\d+)?: (?:fatal )?error: (?:expected|unexpected|extraneous|stray|unterminated|missing terminating|"
    r"parse error|syntax error|illegal start|reached end of file|['‘\"][^'’\"]{1,5}['’\"] expected)"
    r"|^error(?:\[E\d+\])?: (?:expected|unexpected closing|unknown start of token|this file contains an un|mismatched)"
    r"|error TS1\d\d\d:"
    r"|\bsyntax error\b"  # the shells, Go, Perl, Ruby
    r"|^(?:PHP )?Parse error:",
    re.MULTILINE | re.IGNORECASE,
)
_NO_MEMORY = re.compile(
    r"out of memory|\boom[- ]?kill|bad_alloc|cannot allocate memory|memory exhausted", re.IGNORECASE
)
_OUTSIDE = re.compile(
    r"no space left on device|disk quota exceeded|read-only file system|stale file handle|network is unreachable|no route to host|"
    r"connection refused|ECONNREFUSED|\bENOTFOUND\b|EAI_AGAIN|could not resolve host|"
    r"name or service not known|failure in name resolution|nodename nor servname",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"ModuleNotFoundError|command not found|: not found$|cannot find module|permission ?denied|PermissionError|"
    r"error while loading shared libraries",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Attempt:
    """What was run, where, within which limits; `untouched` says that no maker's unproven edit is in the tree."""

    command: str
    cwd: Path
    limits: Limits
    untouched: bool


def failed(end: Exit) -> bool:
    """Anything but its own end with exit code 0."""
    return end.ended != "exit" or end.code != 0


def reason(attempt: Attempt, end: Exit) -> Reason:
    """The reason code of a failed command."""
    if end.ended == "timeout":
        return "timeout"
    # Nobody but the system kills without a warning, and then memory has run out.
    if end.ended == "oom" or _signal(end) == signal.SIGKILL:
        return "oom"
    if end.code in (NOT_RUNNABLE, NOT_FOUND):
        return "environment" if attempt.untouched else "crash"
    return _judged(end.stderr_tail, attempt) or _judged(end.tail, attempt) or "crash"


def sentence(attempt: Attempt, end: Exit) -> str:
    """One sentence: the command, how it ended, its working directory, and its own last words."""
    command = f"`{clip(' '.join(attempt.command.split()), COMMAND)}`"
    if end.ended == "timeout":
        limit = duration(attempt.limits.timeout or 0.0)
        return f"{command} was still running after {limit}, its limit (`timeout`), and was ended in {attempt.cwd}."
    if end.ended == "oom":
        limit = f"{(attempt.limits.memory or 0) / 2**20:.0f}M"
        return (
            f"{command} used more memory than its limit (`memory`: {limit}) and was ended in {attempt.cwd}."
        )
    said = telling(end)
    return f"{command} {_ending(end)} in {attempt.cwd}" + (f": {said}" if said else ", and printed nothing.")


def telling(end: Exit) -> str:
    """The last words that say most: the exception's line, the shell's complaint, or the last line."""
    lines = _last_lines(end.stderr_tail) or _last_lines(end.tail)
    if end.code in (NOT_RUNNABLE, NOT_FOUND):
        return clip(" / ".join(lines[-3:]), LINE)
    found = [line for line in lines if _EXCEPTION.fullmatch(line)]
    return clip((found or lines or [""])[-1], LINE)


def _ending(end: Exit) -> str:
    number = _signal(end)
    if number is None:
        return f"ended with exit code {end.code}"
    name = signal.Signals(number).name if number in set(signal.Signals) else "a real-time signal"
    if number == signal.SIGKILL:
        name += ", as the system does when memory runs out"
    how = f"was ended by signal {number}" if end.code is None else f"ended with exit code {end.code}"
    return f"{how} ({name})"


def _signal(end: Exit) -> int | None:
    """The signal that ended the command, or the program that its shell waited for."""
    if end.signal is not None:
        return end.signal
    number = (end.code or 0) - _SHELL_ADDS
    return number if number in set(signal.Signals) else None


def _judged(text: str, attempt: Attempt) -> Reason | None:
    """What the end of an output says, None where it says nothing that is known."""
    lines = _last_lines(text)
    places = [place for place, line in enumerate(lines) if _EXCEPTION.fullmatch(line)]
    # Before the last exception there may be others, that were handled.
    last = "\n".join(lines[places[-1] :] if places else lines)
    name = _exception(lines[places[-1]]) if places else ""
    if name in _MEMORY or _NO_MEMORY.search(last):
        return "oom"
    # In JavaScript a response that is no JSON is a SyntaxError too.
    if (name in _SYNTAX and " JSON" not in last) or (not places and _PARSE.search(last)):
        return "syntax"
    if _OUTSIDE.search(last) or (attempt.untouched and _MISSING.search(last)):
        return "environment"
    return None


def _exception(line: str) -> str:
    match = _EXCEPTION.fullmatch(line)
    return match[1].rpartition(".")[2] if match else ""


def _last_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()][-WINDOW:]
