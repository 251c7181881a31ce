"""What happens to a run, as written in its journal. Each event is one tagged JSON object."""

from __future__ import annotations

import msgspec

from jumar.core.model import (
    Change,
    Decision,
    EndReason,
    Kind,
    Measurement,
    Proposal,
    Refusal,
    Role,
    Side,
    TextFacts,
)


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """Base of all events."""


class Started(Event, frozen=True, tag="started"):
    """The run exists: its base commit and branch. `mission` is the hash of the resolved mission, `text` the base's."""

    run: str
    base: str
    branch: str
    mission: str
    version: str = ""
    notes: tuple[str, ...] = ()
    text: TextFacts | None = None


class Resumed(Event, frozen=True, tag="resumed"):
    """A process opened the run again, and with which budget. Ends an earlier end by `stopped` or `interrupted`.

    `mission` is the hash of the resolved mission from here on.
    """

    mission: str
    recovered: tuple[str, ...] = ()


class TrialOpened(Event, frozen=True, tag="opened"):
    """A trial begins on top of `parent`."""

    trial: int
    kind: Kind
    parent: str
    lane: int = 0
    level: int = 0


class Proposed(Event, frozen=True, tag="proposed"):
    """The maker is done; its edit is in the tree."""

    trial: int
    proposal: Proposal


class Sealed(Event, frozen=True, tag="sealed"):
    """The edit is a commit under the trial's ref (`change`), or was refused, or is empty (neither)."""

    trial: int
    change: Change | None = None
    refusal: Refusal | None = None


class Measured(Event, frozen=True, tag="measured"):
    """One evaluation is done."""

    trial: int
    role: Role
    side: Side
    measurement: Measurement


class Reworked(Event, frozen=True, tag="reworked"):
    """A guard failed, and the maker is asked to mend its edit in the same trial. `words` is what the guard printed."""

    trial: int
    message: str
    words: str = ""
    score: float | None = None


class Decided(Event, frozen=True, tag="decided"):
    """The commit point of a trial: written and flushed before git moves."""

    trial: int
    decision: Decision


class Settled(Event, frozen=True, tag="settled"):
    """The branch and the trees agree with the decision."""

    trial: int


class Steered(Event, frozen=True, tag="steered"):
    """A person gave a hint for the briefs from here on; "" takes the last one back."""

    hint: str


class StopAsked(Event, frozen=True, tag="stop_asked"):
    """A person asked for the end after the current trial."""


class Ended(Event, frozen=True, tag="ended"):
    """The run is over, for now or for good."""

    reason: EndReason
    message: str = ""


AnyEvent = (
    Started
    | Resumed
    | TrialOpened
    | Proposed
    | Sealed
    | Measured
    | Reworked
    | Decided
    | Settled
    | Steered
    | StopAsked
    | Ended
)


class Record(msgspec.Struct, frozen=True):
    """An event as the journal holds it: `seq` from 0 without gaps, `at` seconds since the epoch, `prev` the hash of the line before."""

    seq: int
    at: float
    prev: str
    body: AnyEvent
