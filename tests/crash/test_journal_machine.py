"""Any order of appends, crashes in the middle of a write, reopenings and damage, over the real file."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from built import started
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jumar.core.events import AnyEvent, Decided, Proposed, Record, Settled, StopAsked, TrialOpened
from jumar.core.model import Decision, Proposal
from jumar.errors import JournalError
from jumar.journal import Journal, line_of, read

EVENTS = st.one_of(
    st.builds(TrialOpened, st.integers(0, 99), st.just("change"), st.just("c0")),
    st.builds(Proposed, st.integers(0, 99), st.builds(Proposal, summary=st.text(max_size=40))),
    st.builds(Decided, st.integers(0, 99), st.builds(Decision, st.just("KEEP"), score=st.floats(0, 1))),
    st.builds(Settled, st.integers(0, 99)),
    st.builds(StopAsked),
    st.builds(started),
)


class JournalMachine(RuleBasedStateMachine):
    """`acknowledged` is what `append` returned for; a crash may leave one more event whole, or a part of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="journal-"))
        self.path = self.folder / "journal.jsonl"
        self.acknowledged: list[Record] = []
        self.journal: Journal | None = None
        self.now = 0.0

    def clock(self) -> float:
        self.now += 0.25
        return self.now

    @initialize()
    def first_opening(self) -> None:
        self.journal = Journal(self.path, self.clock)

    @precondition(lambda self: self.journal is not None)
    @rule(event=EVENTS)
    def append(self, event: AnyEvent) -> None:
        assert self.journal is not None
        self.acknowledged.append(self.journal.append(event))

    @precondition(lambda self: self.journal is not None)
    @rule()
    def close(self) -> None:
        assert self.journal is not None
        self.journal.close()
        self.journal = None

    @precondition(lambda self: self.journal is not None)
    @rule(event=EVENTS, part=st.floats(0, 1), garbled=st.booleans())
    def die_while_writing(self, event: AnyEvent, part: float, garbled: bool) -> None:
        """A kill, or a power cut: a part of the line is there, its bytes perhaps not yet."""
        assert self.journal is not None
        record = Record(self.journal._seq, self.clock(), self.journal._prev, event)
        line = line_of(record)
        written = line[: round(part * len(line))]
        if garbled and written:
            written = written[: len(written) // 2] + b"\0" * (len(written) - len(written) // 2)
        self.journal.close()
        self.journal = None
        with self.path.open("ab") as file:
            file.write(written)
        if written == line:
            self.acknowledged.append(record)

    @precondition(lambda self: self.journal is None)
    @rule()
    def reopen(self) -> None:
        self.journal = Journal(self.path, self.clock)
        assert list(self.journal.replay()) == self.acknowledged
        assert self.path.read_bytes() == b"".join(map(line_of, self.acknowledged))

    @precondition(lambda self: self.journal is None and len(self.acknowledged) > 1)
    @rule(data=st.data())
    def refuse_damage(self, data: st.DataObject) -> None:
        """A byte of any line but the last is another: nothing may be believed, and nothing is changed."""
        sound = self.path.read_bytes()
        end = len(b"".join(map(line_of, self.acknowledged[:-1])))
        at = data.draw(st.integers(0, end - 1), label="byte")
        broken = (
            sound[:at] + bytes([sound[at] ^ data.draw(st.integers(1, 255), label="bits")]) + sound[at + 1 :]
        )
        self.path.write_bytes(broken)
        with pytest.raises(JournalError, match=r"^Line \d+ of "):
            Journal(self.path, self.clock)
        assert self.path.read_bytes() == broken
        self.path.write_bytes(sound)

    @invariant()
    def reading_shows_what_was_acknowledged(self) -> None:
        if self.path.exists():
            assert list(read(self.path)) == self.acknowledged

    def teardown(self) -> None:
        if self.journal is not None:
            self.journal.close()
        shutil.rmtree(self.folder)


TestJournalMachine = JournalMachine.TestCase
TestJournalMachine.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)
