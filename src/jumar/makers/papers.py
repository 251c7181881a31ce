"""The papers that pass between jumar and a maker that is a program: the brief on its way out, the proposal on its way in."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from jumar.core.model import Brief, Proposal, Trial
from jumar.core.scoring.objects import Refused, decode
from jumar.core.text import clip
from jumar.process.handed import read_handed
from jumar.workspace.settings import write_whole

HISTORY = 20
LARGEST = 1_000_000
FIELD = 4000
_TEXTS = ("hypothesis", "summary", "expected", "edit_type", "confidence", "diagnosis", "notes")
_STATUSES = ("candidate", "noop", "abort")
_KNOWN = {*_TEXTS, "self_score", "targets", "status"}


@dataclass(frozen=True)
class Papers:
    """The files of one trial, in the trial's folder of the run."""

    folder: Path

    @property
    def markdown(self) -> Path:
        """The brief in words."""
        return self.folder / "brief.md"

    @property
    def json(self) -> Path:
        """The brief as data."""
        return self.folder / "brief.json"

    @property
    def proposal(self) -> Path:
        """Where the maker may write its proposal."""
        return self.folder / "proposal.json"

    @property
    def log(self) -> Path:
        """The maker's output."""
        return self.folder / "maker.log"

    def lay_out(self, brief: Brief, scrub: Callable[[str], str]) -> None:
        """Write the brief, and take away what an interrupted attempt left."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.proposal.is_dir() and not self.proposal.is_symlink():
            shutil.rmtree(self.proposal)
        self.proposal.unlink(missing_ok=True)
        encoded = msgspec.json.format(msgspec.json.encode(brief_data(brief)), indent=2)
        write_whole(self.json, (scrub(encoded.decode()) + "\n").encode(), flush=False)
        # Last, and whole: where it is there, nothing of the brief is missing.
        write_whole(self.markdown, scrub(brief.text).encode(), flush=False)


class Said(msgspec.Struct, frozen=True):
    """What a proposal file says. `problem` is a sentence when it is unusable; `names_status` whether it has a `status`."""

    proposal: Proposal = Proposal()
    names_status: bool = False
    problem: str = ""
    warnings: tuple[str, ...] = ()


class _Wrong(Exception):
    """A field of the proposal that is not what it should be."""


def brief_data(brief: Brief) -> dict[str, Any]:
    """Everything of a brief but its text, and of the history the last 20 trials in short."""
    fields = {
        name: getattr(brief, name) for name in brief.__struct_fields__ if name not in ("text", "history")
    }
    return {**fields, "history": [trial_data(trial) for trial in brief.history[-HISTORY:]]}


def trial_data(trial: Trial) -> dict[str, Any]:
    """One finished trial in short: what was tried, what came of it, and why."""
    decision, change = trial.decision, trial.change
    return {
        "trial": trial.number,
        "kind": trial.kind,
        "outcome": trial.outcome,
        "reason": decision.reason if decision else None,
        "sentence": decision.sentence if decision else "",
        "score": decision.score if decision else None,
        "best": trial.best,
        "delta_baseline": trial.delta_baseline,
        "delta_previous": trial.delta_previous,
        "description": trial.description,
        "hypothesis": trial.proposal.hypothesis if trial.proposal else "",
        "files": change.files if change else (),
    }


def read_proposal(path: Path, scrub: Callable[[str], str]) -> Said:
    """The proposal in a file; none is a candidate without words. Its text is kept scrubbed."""
    try:
        raw = _read(path)
        if raw is None or not raw.strip():
            return Said()
        text = scrub(raw)
        if text != raw:
            write_whole(path, text.encode(), flush=False)
        return _understood(text)
    except _Wrong as error:
        return Said(problem=str(error))
    except Refused as error:
        return Said(problem=error.message)


def _read(path: Path) -> str | None:
    try:
        data = read_handed(path, LARGEST + 1)
    except OSError as error:
        raise _Wrong(f"The proposal file cannot be read: {error.strerror or error}.") from error
    if data is not None and len(data) > LARGEST:
        raise _Wrong("The proposal is larger than 1 MB.")
    return None if data is None else data.decode("utf-8", "replace")


def _understood(text: str) -> Said:
    decoded = decode(text)
    fields = decoded.value
    if not isinstance(fields, dict):
        raise _Wrong(f"The proposal is {_kind(fields)}, and must be a JSON object.")
    if decoded.duplicate is not None:
        raise _Wrong(f"The proposal gives the key `{clip(decoded.duplicate, 60)}` twice.")
    texts = {name: _text(name, fields[name]) for name in _TEXTS if fields.get(name) is not None}
    status = _status(fields.get("status"))
    proposal = Proposal(
        **texts,  # type: ignore[arg-type]  # names and types are those of _TEXTS
        self_score=_number("self_score", fields.get("self_score")),
        targets=_targets(fields.get("targets")),
        status=status or "candidate",  # type: ignore[arg-type]  # one of _STATUSES
    )
    unknown = ", ".join(f"`{clip(name, 60)}`" for name in sorted(fields.keys() - _KNOWN))
    warnings = (
        (f"Keys of the proposal that mean nothing here were ignored: {clip(unknown, 300)}.",)
        if unknown
        else ()
    )
    return Said(proposal, status is not None, "", warnings)


def _text(name: str, value: object) -> str:
    # A confidence is as often a number as it is a word.
    if name == "confidence" and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    if not isinstance(value, str):
        raise _wrong(name, value, "a string")
    return clip(value.strip(), FIELD)


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(name, value, "a finite number or null")
    return float(value)


def _targets(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong("targets", value, "a list of paths")
    return tuple(value)


def _status(value: object) -> str | None:
    if value is None:
        return None
    if value not in _STATUSES:
        raise _wrong("status", value, "one of candidate, noop, abort")
    return str(value)


def _wrong(name: str, value: object, wanted: str) -> _Wrong:
    shown = f"`{clip(value, 60)}`" if isinstance(value, str) else _kind(value)
    return _Wrong(f"`{name}` is {shown} in the proposal, and must be {wanted}.")


def _kind(value: object) -> str:
    """A value that is not what was asked for, as its JSON or by its kind."""
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    return f"`{clip(msgspec.json.encode(value).decode(), 60)}`"
