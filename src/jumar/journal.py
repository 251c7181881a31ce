"""The journal: the truth of a run, one line an event.

    crc32 SP json LF      with `seq` from 0, `at` (seconds since the epoch), `prev` (the hash of the line before) and `body`

One writer holds a lock on the file. A line that lacks its end is the last one, and a write that never finished: it is
set aside. A bad line that has its end was once acknowledged, so it refuses.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from jumar.core.events import AnyEvent, Decided, Ended, Record, Resumed, Started, StopAsked
from jumar.core.text import all_printable
from jumar.errors import JournalError, LockedError

COMMIT_POINTS = (Started, Resumed, Decided, StopAsked, Ended)
FIRST = "0" * 16
TRIES, BETWEEN = 5, 0.01  # for the lock; seconds

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Record).decode


def writable(record: Record) -> Record:
    """The record with every text in it such that UTF-8 can hold it: JSON from a maker may name half a character."""
    try:
        encode(record)
    except UnicodeEncodeError:
        return msgspec.convert(all_printable(msgspec.to_builtins(record)), Record)
    return record


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

    Raises JournalError, naming the line, where one that has its end is damaged or out of order.
    """
    for record, _ in _lines(path):
        yield record


def _lines(path: Path) -> Iterator[tuple[Record, bytes]]:
    previous, number = FIRST, 0
    with path.open("rb") as file:
        # A line without its end is the last one, also where a writer completes it at this moment.
        while (line := file.readline()).endswith(b"\n"):
            number += 1
            yield _checked(line, previous, number, path), line
            previous = digest(line)


def _checked(line: bytes, previous: str, number: int, path: Path) -> Record:
    """The record of one line that follows the line with the hash `previous`."""
    try:
        record = parse(line)
    except (ValueError, msgspec.MsgspecError) as error:
        raise _damaged(path, number, str(error)) from error
    if record.seq != number - 1 or record.prev != previous:
        raise _damaged(path, number, "it does not follow the line before")
    return record


def _damaged(path: Path, number: int, why: str) -> JournalError:
    return JournalError(
        f"Line {number} of {path} is damaged: {why}. It was written to its end, so this is no torn write.",
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
        try:
            self._records: list[Record] | None = list(self._recover())
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        """A process that only asks whether somebody writes holds the lock for a moment, so it is tried again."""
        for _ in range(TRIES):
            if self._locked():
                return
            time.sleep(BETWEEN)
        self.close()
        raise LockedError(
            f"Another process is writing {self.path}.",
            hint="Look at it with `jumar status`, or end it with `jumar stop`.",
        )

    def _locked(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

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
        """Every record from the first. Those of the opening are handed out once, and read again after that."""
        records, self._records = self._records, None
        yield from read(self.path) if records is None else records

    def append(self, event: AnyEvent) -> Record:
        """Write one event; it is durable on return where it is a commit point. Raises JournalError when the disk refuses."""
        name = type(event).__struct_config__.tag
        record, line = self._as_written(event)
        self._fuse(f"journal:{name}:before")
        self._write(line, flush=isinstance(event, COMMIT_POINTS))
        self._seq, self._prev, self._end = self._seq + 1, digest(line), self._end + len(line)
        self._fuse(f"journal:{name}:after")
        return record

    def _as_written(self, event: AnyEvent) -> tuple[Record, bytes]:
        """The record as a later process will read it, and its line: both processes go on with the same."""
        try:
            line = line_of(writable(Record(self._seq, self._clock(), self._prev, event)))
            return parse(line), line
        except (ValueError, TypeError, msgspec.MsgspecError) as error:
            raise JournalError(
                f"An event cannot be written to {self.path} so that it can be read again: {error}.",
                hint="A maker or evaluator gave a value of a wrong kind; look at what it returns.",
            ) from error

    def _write(self, line: bytes, *, flush: bool) -> None:
        """The whole line or nothing: a write that the disk cuts short is taken back."""
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            if flush:
                os.fsync(self._file)
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
