"""The journal on disk: whole lines, one writer, and damage that is told from a torn write."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built import baseline, score, started
from fakes import FakeClock

from jumar.core.events import AnyEvent, Decided, Ended, Measured, Proposed, Sealed, Settled, TrialOpened
from jumar.core.model import Change, Decision, Measurement, Proposal, Refusal, Usage
from jumar.errors import JournalError, LockedError
from jumar.journal import Journal, digest, line_of, parse, read

EVENTS: list[AnyEvent] = [
    started(),
    *baseline(1.0, 1.1, noise=0.07, unit="ms"),
    TrialOpened(1, "change", "c0", lane=0, level=2),
    Proposed(1, Proposal("faster", "halve ‘n’ \n 𝛑", self_score=0.5, data={"n": [1, {"a": None}]}, usage=Usage(1.5, tokens=9))),
    Sealed(1, Change("c1", "t1", "c0", ("a.txt",), 1, 2, "-a\n+b\n", ("seed_only",), ("big",))),
    Measured(1, "score", "candidate", score(0.5, metrics={"acc": 0.5}, checks={"ok": True})),
]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "journal.jsonl"


def opened(path: Path, **given: Any) -> Journal:
    return Journal(path, FakeClock(), **given)


def written(path: Path, events: list[AnyEvent] = EVENTS) -> list[bytes]:
    """A journal of these events, closed; its lines."""
    journal = opened(path)
    for event in events:
        journal.append(event)
    journal.close()
    return path.read_bytes().splitlines(keepends=True)


def bodies(path: Path) -> list[AnyEvent]:
    return [record.body for record in read(path)]


def test_what_was_written_is_read(path: Path) -> None:
    lines = written(path)
    records = list(read(path))
    assert [r.body for r in records] == EVENTS
    assert [r.seq for r in records] == list(range(len(EVENTS)))
    assert [r.prev for r in records] == ["0" * 16, *map(digest, lines[:-1])]
    assert [r.at for r in records] == sorted(r.at for r in records)
    assert all(int(line[:8], 16) == zlib.crc32(line[9:-1]) for line in lines)


def test_a_record_is_what_a_later_process_reads(path: Path) -> None:
    journal = opened(path)
    odd = [
        Proposed(1, Proposal(self_score=float("nan"), data={"pair": (1, 2)})),
        Sealed(1, refusal=Refusal("protected", "no", ("a",))),
        Settled(1),
    ]
    returned = [journal.append(event) for event in odd]
    journal.close()
    assert list(read(path)) == returned


def test_a_value_that_cannot_be_read_again_is_refused_before_it_is_written(path: Path) -> None:
    journal = opened(path)
    journal.append(EVENTS[0])
    for bad in (
        Measured(0, "score", "candidate", Measurement(metrics={"a": float("nan")})),
        Proposed(1, Proposal(data={"a": object()})),
    ):
        with pytest.raises(JournalError, match="cannot be written") as caught:
            journal.append(bad)
        assert caught.value.hint
    journal.append(Settled(0))
    journal.close()
    assert bodies(path) == [EVENTS[0], Settled(0)]


def test_half_a_character_is_written_so_that_it_can_be_read(path: Path) -> None:
    journal = opened(path)
    returned = journal.append(Proposed(1, Proposal(summary="caf\udce9")))
    journal.close()
    assert list(read(path)) == [returned]
    assert isinstance(returned.body, Proposed)
    assert returned.body.proposal.summary.startswith("caf")


def test_half_a_line_is_no_record() -> None:
    with pytest.raises(ValueError, match="does not end"):
        parse(b"00000000 {}")


def test_opening_replays_and_goes_on(path: Path) -> None:
    written(path, EVENTS[:3])
    journal = opened(path)
    assert [r.body for r in journal.replay()] == EVENTS[:3]
    journal.append(EVENTS[3])
    assert [r.body for r in journal.replay()] == EVENTS[:4]
    journal.close()
    assert journal.torn == b""
    assert bodies(path) == EVENTS[:4]


def test_a_look_at_the_lock_keeps_nobody_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path)
    looking = path.open("rb")
    fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
    monkeypatch.setattr(time, "sleep", lambda seconds: looking.close())
    opened(path).close()


def test_closing_twice_is_closing(path: Path) -> None:
    journal = opened(path)
    journal.close()
    journal.close()
    opened(path).close()


def test_one_writer_at_a_time(path: Path) -> None:
    first = opened(path)
    with pytest.raises(LockedError, match="Another process is writing"):
        opened(path)
    first.append(EVENTS[0])
    assert bodies(path) == EVENTS[:1]
    first.close()
    second = opened(path)
    assert len(list(second.replay())) == 1
    second.close()


@pytest.mark.parametrize("torn", [b'{"iter":7,"sta', b"\0" * 700, b"deadbeef {}", b"\xff\xfe", b"0"])
def test_c24_a_torn_last_line_is_set_aside_and_the_next_starts_on_its_own(path: Path, torn: bytes) -> None:
    whole = b"".join(written(path, EVENTS[:4]))
    with path.open("ab") as file:
        file.write(torn)
    assert bodies(path) == EVENTS[:4]
    journal = opened(path)
    assert journal.torn == torn
    assert path.with_suffix(".torn").read_bytes() == torn + b"\n"
    assert path.read_bytes() == whole
    journal.append(EVENTS[4])
    journal.close()
    assert bodies(path) == EVENTS[:5]


@pytest.mark.parametrize("at", range(1, 400, 13))
def test_c24_every_cut_of_the_last_line_leaves_the_earlier_ones(path: Path, at: int) -> None:
    lines = written(path, EVENTS[:7])
    cut = min(at, len(lines[-1]) - 1)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut])
    journal = opened(path)
    assert [r.body for r in journal.replay()] == EVENTS[:6]
    journal.append(EVENTS[6])
    journal.close()
    assert bodies(path) == EVENTS[:7]


def forged(line: bytes, **changes: Any) -> bytes:
    """The line with other values and a checksum that fits."""
    import msgspec

    return line_of(msgspec.structs.replace(parse(line), **changes))


Damage = Callable[[list[bytes]], list[bytes]]
DAMAGE: dict[str, tuple[int, Damage]] = {
    "garbage": (3, lambda x: [*x[:2], b"garbage\n", *x[3:]]),
    "an empty line": (3, lambda x: [*x[:2], b"\n", *x[2:]]),
    "a flipped bit": (3, lambda x: [*x[:2], x[2][:20] + bytes([x[2][20] ^ 1]) + x[2][21:], *x[3:]]),
    "no checksum": (3, lambda x: [*x[:2], b"zzzzzzzz" + x[2][8:], *x[3:]]),
    "an unknown event": (3, lambda x: [*x[:2], b"%08x %s\n" % (zlib.crc32(b"{}"), b"{}"), *x[3:]]),
    "no first line": (1, lambda x: x[1:]),
    "a missing line": (3, lambda x: [*x[:2], *x[3:]]),
    "swapped lines": (3, lambda x: [*x[:2], x[3], x[2], *x[4:]]),
    "a doubled line": (4, lambda x: [*x[:3], x[2], *x[3:]]),
    "a broken chain": (4, lambda x: [*x[:2], forged(x[2], at=1.0), *x[3:]]),
    "a broken chain at the end": (len(EVENTS), lambda x: [*x[:-1], forged(x[-1], prev="f" * 16)]),
    "garbage at the end": (len(EVENTS), lambda x: [*x[:-1], b"deadbeef {}\n"]),
    "an end that is no end": (len(EVENTS) - 1, lambda x: [*x[:-2], x[-2][:-1] + b"\v", x[-1]]),
    "a wrong number": (3, lambda x: [*x[:2], forged(x[2], seq=7), *x[3:]]),
    "two lines in one": (3, lambda x: [*x[:2], x[2][:-1] + x[3], *x[4:]]),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_c24_damage_before_the_last_line_refuses_and_names_the_line(path: Path, kind: str) -> None:
    number, damage = DAMAGE[kind]
    before = b"".join(damage(written(path)))
    path.write_bytes(before)
    for attempt in (lambda: list(read(path)), lambda: opened(path)):
        with pytest.raises(JournalError, match=rf"^Line {number} of .*journal\.jsonl is damaged") as caught:
            attempt()
        assert "--fresh" in caught.value.hint
    assert path.read_bytes() == before


def test_a_refusal_leaves_the_lock_to_the_next(path: Path) -> None:
    lines = written(path)
    path.write_bytes(b"garbage\n" + b"".join(lines))
    with pytest.raises(JournalError):
        opened(path)
    path.write_bytes(b"".join(lines))
    opened(path).close()


def test_reading_while_a_line_is_being_written_sees_the_whole_ones(path: Path) -> None:
    lines = written(path, EVENTS[:4])
    path.write_bytes(b"".join(lines[:3]) + lines[3][:30])
    reading = read(path)
    seen = [next(reading).body, next(reading).body]
    with path.open("ab") as file:
        file.write(lines[3][30:])
    assert seen + [r.body for r in reading] in (EVENTS[:3], EVENTS[:4])


def test_the_fuse_names_every_write(path: Path) -> None:
    points: list[str] = []
    journal = opened(path, fuse=points.append)
    journal.append(EVENTS[0])
    journal.append(Ended("stopped"))
    journal.close()
    assert points == [
        f"journal:{name}:{when}" for name in ("started", "ended") for when in ("before", "after")
    ]


def test_only_commit_points_wait_for_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    journal = opened(path)
    flushed = []
    for event in [*EVENTS, Decided(1, Decision("KEEP")), Settled(1)]:
        before = len(synced)
        journal.append(event)
        flushed += [type(event).__name__] * (len(synced) - before)
    journal.close()
    assert flushed == ["Started", "Decided", "Decided"]


def test_a_disk_that_cannot_flush_takes_the_line_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = opened(path)
    journal.append(EVENTS[0])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(JournalError, match="Input/output error"):
            journal.append(Decided(0, Decision("KEEP")))
    journal.append(Settled(0))
    journal.close()
    assert bodies(path) == [EVENTS[0], Settled(0)]


FULL = """\
import resource, sys
from pathlib import Path
from jumar.core.events import Settled, StopAsked
from jumar.errors import JournalError
from jumar.journal import Journal

path = Path(sys.argv[1])
journal = Journal(path, lambda: 1.0)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
done = 0
try:
    while done < 1000:
        journal.append(Settled(done))
        done += 1
except JournalError as error:
    print(done, path.stat().st_size, error, error.hint, sep="\\n")
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
journal.append(StopAsked())
"""


@pytest.mark.parametrize("limit", [700, 701, 1024, 4095])
def test_a_full_disk_ends_in_a_sentence_and_a_whole_last_line(path: Path, limit: int) -> None:
    out = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(limit)],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    done, size, message, hint = out.stdout.splitlines()
    assert "cannot be written: File too large" in message
    assert "Make room on the disk" in hint
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(b"".join(lines[:-1])) == int(size) <= limit
    assert [type(body).__name__ for body in bodies(path)] == ["Settled"] * int(done) + ["StopAsked"]
