"""The two streams of a command: lines for the score parser, a capped log, the last words."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

from jumar.core.text import LineSplitter, clip

Scrub = Callable[[str], str]
CHUNK = 1 << 16
TAIL = 4096
# A parser may read one JSON object of 1 MB from one line.
STREAM_LINE = 1 << 21
LOG_LINE = 1 << 16
_GET_PIPE_SIZE = 1032


class Tail:
    """The last lines of a text: at least `cap` bytes of it, and at most one block more."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._blocks: deque[tuple[str, int]] = deque()
        self._size = 0
        self.dropped = 0

    def add(self, block: str) -> None:
        """`block` is whole lines."""
        size = _size(block)
        self._size += size
        if (
            self._blocks and self._blocks[-1][1] < TAIL
        ):  # many short lines, one at a time, would cost more than they hold
            last, already = self._blocks.pop()
            block, size = last + block, already + size
        self._blocks.append((block, size))
        while self._size - self._blocks[0][1] >= self._cap:
            _, gone = self._blocks.popleft()
            self._size -= gone
            self.dropped += gone

    def text(self) -> str:
        """Whole lines, not scrubbed."""
        return "".join(block for block, _ in self._blocks)


class Log:
    """Head and tail of everything a command printed.

    It is kept as it came until it is rendered, since only whole text can be scrubbed; it reaches the disk in
    one step.
    """

    def __init__(self, cap: int, scrub: Scrub) -> None:
        self._cap = cap
        self._scrub = scrub
        self._head: list[str] = []
        self._room = cap
        self._tail = Tail(cap)

    def add(self, block: str) -> None:
        """`block` is whole lines."""
        if len(block) > LOG_LINE:
            block = self._with_short_lines(block)
        if self._room:
            block = self._fill_head(block)
        if block:
            self._tail.add(block)

    def _with_short_lines(self, block: str) -> str:
        lines = block.split("\n")
        if len(max(lines, key=len)) <= LOG_LINE:
            return block
        return "\n".join(map(self._shortened, lines))

    def _shortened(self, line: str) -> str:
        return clip(self._scrub(line), LOG_LINE) if len(line) > LOG_LINE else line

    def _fill_head(self, block: str) -> str:
        """Takes the lines that fit and gives back the others."""
        fits, rest = block, ""
        if _size(block) > self._room:
            fits, _ = first_lines(block, self._room)
            rest = block[len(fits) :]
        self._head.append(fits)
        self._room = 0 if rest else self._room - _size(fits)
        return rest

    def render(self) -> str:
        """The log as anyone may see it: scrubbed, never larger than both caps and one line between."""
        head, cut = first_lines(self._scrub("".join(self._head)), self._cap)
        tail, more = last_lines(self._scrub(self._tail.text()), self._cap)
        left_out = cut + self._tail.dropped + more
        return f"{head}[{left_out} bytes left out]\n{tail}" if left_out else head + tail

    def write(self, path: Path) -> None:
        """Whole or not at all. The draft's name is always the same, so that what a kill left of it is written over."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.part")
        try:
            draft.write_text(self.render(), encoding="utf-8", errors="replace", newline="\n")
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)


class Stream:
    """One pipe of a command, and where its lines go."""

    def __init__(self, fd: int, sinks: list[Callable[[list[str]], None]]) -> None:
        self.fd = fd
        self._sinks = sinks
        self._splitter = LineSplitter(STREAM_LINE)
        os.set_blocking(fd, False)

    def read(self) -> int:
        """Takes what is there, at most a chunk: the number of bytes, 0 at the end, -1 for nothing yet."""
        try:
            data = os.read(self.fd, CHUNK)
        except BlockingIOError:
            return -1
        self._pass_on(self._splitter.feed(data))
        return len(data)

    def drain(self) -> None:
        """Takes what the pipe can hold and no more: whoever keeps it open may go on writing for ever."""
        left = _pipe_size(self.fd)
        while left > 0 and (size := self.read()) > 0:
            left -= size

    def finish(self) -> None:
        """Passes on a last line that has no end."""
        self._pass_on(self._splitter.flush())

    def _pass_on(self, lines: list[str]) -> None:
        if lines:
            for sink in self._sinks:
                sink(lines)


def each(on_line: Callable[[str], None]) -> Callable[[list[str]], None]:
    """A sink for lines, made of one for a line."""

    def sink(lines: list[str]) -> None:
        for line in lines:
            on_line(line)

    return sink


def first_lines(text: str, cap: int) -> tuple[str, int]:
    """The whole lines at the start that fit in `cap` bytes, and the number of bytes left out."""
    data = text.encode(errors="replace")
    if len(data) <= cap:
        return text, 0
    kept = data[: data.rfind(b"\n", 0, cap) + 1]
    return kept.decode(), len(data) - len(kept)


def last_lines(text: str, cap: int) -> tuple[str, int]:
    """The whole lines at the end that fit in `cap` bytes, and the number of bytes left out.

    If the last line alone is longer, its end is taken.
    """
    data = text.encode(errors="replace")
    if len(data) <= cap:
        return text, 0
    begin = len(data) - cap
    # From one byte before: a line may begin just there.
    line = data.find(b"\n", begin - 1) + 1
    kept = data[line if 0 < line < len(data) else begin :]
    return kept.decode(errors="ignore"), len(data) - len(kept)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def _pipe_size(fd: int) -> int:
    with contextlib.suppress(OSError):
        return max(fcntl.fcntl(fd, _GET_PIPE_SIZE), CHUNK)
    return 1 << 20


class Papers:
    """All that is kept of one command's output, whoever reads it afterwards."""

    def __init__(self, cap: int, scrub: Scrub, on_line: Callable[[str], None] | None) -> None:
        self.log = Log(cap, scrub)
        self._scrub = scrub
        self._on_line = on_line
        self._merged, self._stderr = Tail(2 * TAIL), Tail(2 * TAIL)

    def streams(self, stdout: int, stderr: int) -> list[Stream]:
        """The two pipes, given as file descriptors."""
        parser = [each(self._on_line)] if self._on_line else []
        return [Stream(stdout, [*parser, self._merge]), Stream(stderr, [self._merge, self.complain])]

    def _merge(self, lines: list[str]) -> None:
        block = "\n".join(lines) + "\n"
        self.log.add(block)
        self._merged.add(block)

    def complain(self, lines: list[str]) -> None:
        """Lines of stderr."""
        self._stderr.add("\n".join(lines) + "\n")

    def refuse(self, reason: str) -> None:
        """Why the command could not be started, told where its own words would be."""
        self._merge([reason])
        self.complain([reason])

    def last_words(self) -> tuple[str, str]:
        """About 4 KB from the end of both streams together, and of stderr alone; scrubbed, then cut."""
        merged, stderr = (
            last_lines(self._scrub(tail.text()), TAIL)[0] for tail in (self._merged, self._stderr)
        )
        return merged, stderr
