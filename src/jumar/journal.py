"""The journal: the truth of a run, one line an event.

    crc32 SP json LF      with `seq` from 0, `at` (seconds since the epoch), `prev` (the hash of the line before) and `body`

One writer holds a lock on the file. A last line that is not whole is a write that never finished: it is set aside. A
bad line anywhere else was once acknowledged, so it refuses.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from jumar.core.events import AnyEvent, Decided, Ended, Record, Resumed, Started, StopAsked
from jumar.errors import JournalError, LockedError

COMMIT_POINTS = (Started, Resumed, Decided, StopAsked, Ended)
FIRST = "0" * 16

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Record).decode


def line_of(record: Record) -> bytes:
    """The journal line of a record, with its newline."""
    body = encode(record)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def digest(line: bytes) -> str:
    """The hash that the next line carries of this one."""
    return hashlib.blake2b(line, digest_size=8).hexdigest()


def parse(line: bytes) -> Record:
    """The record of a line. Raises ValueError when the line is not whole."""
    if not line.endswith(b"\n"):
        raise ValueError("it does not end")
    if line[8:9] != b" " or int(line[:8], 16) != zlib.crc32(line[9:-1]):
        raise ValueError("its checksum does not fit")
    return decode(line[9:-1])


def read(path: Path) -> Iterator[Record]:
    """Every record of a journal, without a lock; a last line that is not whole is passed over.

    Raises JournalError, naming the line, where an earlier line is damaged or out of order.
    """
    for record, _ in _lines(path):
        yield record


def _lines(path: Path) -> Iterator[tuple[Record, bytes]]:
    previous, number = FIRST, 0
    with path.open("rb") as file:
        following = file.readline()
        while following:
            line, following = following, file.readline()
            number += 1
            record = _checked(line, previous, number, path, last=not following)
            if record is None:
                return
            yield record, line
            previous = digest(line)


def _checked(line: bytes, previous: str, number: int, path: Path, *, last: bool) -> Record | None:
    """The record of one line; None for a torn last one."""
    try:
        record = parse(line)
    except (ValueError, msgspec.MsgspecError) as error:
        if last:
            return None
        raise _damaged(path, number, str(error)) from error
    if record.seq != number - 1 or record.prev != previous:
        raise _damaged(path, number, "it does not follow the line before")
    return record


def _damaged(path: Path, number: int, why: str) -> JournalError:
    return JournalError(
        f"Line {number} of {path} is damaged: {why}. Later lines were written after it, so it is not a torn write.",
        hint="Restore the file from a backup, or start another run with `jumar run --fresh`.",
    )


class Journal:
    """The journal of one run, open for writing. `fuse` is called with a name between the steps of a write: crash tests cut there.

    clock gives seconds since the epoch. Raises LockedError when another process writes, JournalError when the file is damaged.
    """

    def __init__(
        self, path: Path, clock: Callable[[], float], fuse: Callable[[str], None] = lambda point: None
    ) -> None:
        self.path = path
        self.torn: bytes = b""
        self._clock = clock
        self._fuse = fuse
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._lock()
        self._seq, self._prev, self._end = 0, FIRST, 0
        self._records = list(self._recover())

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise LockedError(
                f"Another process is writing {self.path}.",
                hint="Look at it with `jumar status`, or end it with `jumar stop`.",
            ) from error

    def _recover(self) -> Iterator[Record]:
        """Read to the last whole line and set aside what follows it."""
        for record, line in _lines(self.path):
            self._seq, self._prev, self._end = record.seq + 1, digest(line), self._end + len(line)
            yield record
        self.torn = self._cut()

    def _cut(self) -> bytes:
        """Remove what is beyond the last whole line, after a copy of it is on disk."""
        os.lseek(self._file, self._end, os.SEEK_SET)
        torn = self.path.read_bytes()[self._end :] if os.fstat(self._file).st_size > self._end else b""
        if torn:
            with self.path.with_suffix(".torn").open("ab") as aside:
                aside.write(torn + b"\n")
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)
        return torn

    def replay(self) -> Iterator[Record]:
        """Every record that was there on opening."""
        records, self._records = self._records, []
        yield from records

    def append(self, event: AnyEvent) -> Record:
        """Write one event; it is durable on return where it is a commit point. Raises JournalError when the disk refuses."""
        name = type(event).__struct_config__.tag
        record = Record(self._seq, self._clock(), self._prev, event)
        line = line_of(record)
        self._fuse(f"journal:{name}:before")
        self._write(line)
        if isinstance(event, COMMIT_POINTS):
            os.fsync(self._file)
        self._seq, self._prev, self._end = self._seq + 1, digest(line), self._end + len(line)
        self._fuse(f"journal:{name}:after")
        return record

    def _write(self, line: bytes) -> None:
        """The whole line or nothing: a write that the disk cuts short is taken back."""
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError as error:
            os.ftruncate(self._file, self._end)
            os.lseek(self._file, self._end, os.SEEK_SET)
            raise JournalError(
                f"The journal {self.path} cannot be written: {error.strerror}.",
                hint="Make room on the disk and run the same command again: it goes on where it stopped.",
            ) from error

    def close(self) -> None:
        """Release the lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
