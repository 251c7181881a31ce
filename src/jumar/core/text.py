"""Text from programs: escapes taken out, lines cut from chunks, long texts shortened."""

from __future__ import annotations

import codecs
import re
from typing import Any

LINE_LIMIT = 1 << 16
# No digit: a score parser must never read a number out of the mark.
MARK = " [...] "
_LONGEST_ESCAPE = 4096
_LONGEST_SECRET = 4096

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# No sequence crosses a line's end, and each may lack its terminator: what a broken one hides ends with its
# line.
_ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]"  # the short ones
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_BROKEN_AT_END = re.compile(r"[\w\-./+=~%:@]+\Z")
_BROKEN_AT_START = re.compile(r"[\w\-./+=~%:@]+")


def strip_controls(text: str) -> str:
    """`text` without terminal escape sequences and control characters, except line feed and tab."""
    return _ESCAPE.sub("", text) if _CONTROL.search(text) else text


def printable(text: str) -> str:
    """`text` as it can be written anywhere: what Python keeps of bytes that are no UTF-8, as in a file's name, becomes an escape."""
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # halves of pairs that come from JSON's own escapes
        raw = text.encode("utf-8", "backslashreplace")
    return raw.decode("utf-8", "backslashreplace")


def all_printable(value: Any) -> Any:
    """`value` with every text in it made printable, at any depth of lists and dictionaries."""
    match value:
        case str():
            return printable(value)
        case dict():
            return {all_printable(key): all_printable(item) for key, item in value.items()}
        case list() | tuple():
            return [all_printable(item) for item in value]
    return value


def clip(text: str, limit: int) -> str:
    """`text` in at most `limit` characters: head and tail, and a mark where the middle was."""
    if len(text) <= limit:
        return text
    room = limit - len(MARK)
    if room < 2:
        return text[: max(limit, 0)]
    tail = room // 2
    return text[: room - tail] + MARK + text[-tail:]


class LineSplitter:
    """Cuts a stream of bytes into lines; it never holds more than about two lines of `limit` characters.

    A line ends at LF, CRLF or CR. Bytes that are not UTF-8 are replaced, escapes are stripped, and a line
    longer than `limit` keeps head and tail. How the stream was cut into chunks does not change the lines.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._long: _LongLine | None = None
        self._after_cr = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without their ends."""
        return self._take(self._decoder.decode(data))

    def flush(self) -> list[str]:
        """What is left at the end of the stream: a last line without an end, or nothing."""
        lines = self._take(self._decoder.decode(b"", final=True))
        if self._rest or self._long:
            lines.append(self._finish(""))
        return lines

    def _take(self, text: str) -> list[str]:
        done, newline, rest = self._with_line_feeds(text).rpartition("\n")
        if not newline:
            self._hold(rest)
            return []
        lines = self._complete(done)
        self._hold(rest)
        return lines

    def _with_line_feeds(self, text: str) -> str:
        if self._after_cr and text:
            self._after_cr = False
            text = text.removeprefix("\n")
        if "\r" in text:
            self._after_cr = text.endswith("\r")
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text

    def _complete(self, done: str) -> list[str]:
        if not self._long:
            text, self._rest = self._rest + done, ""
            return self._split(text)
        first, newline, others = done.partition("\n")
        line = self._finish(first)
        return [line, *self._split(others)] if newline else [line]

    def _split(self, text: str) -> list[str]:
        lines = strip_controls(text).split("\n")
        if len(text) <= self._limit:
            return lines
        return [self._shortened(line) for line in lines]

    def _shortened(self, line: str) -> str:
        if len(line) <= self._limit:
            return line
        long = _LongLine(self._limit)
        long.add(line)
        return long.text()

    def _finish(self, text: str) -> str:
        text, self._rest = strip_controls(self._rest + text), ""
        line, self._long = self._long or _LongLine(self._limit), None
        line.add(text)
        return line.text()

    def _hold(self, text: str) -> None:
        self._rest += text
        if len(self._rest) <= self._limit:
            return
        self._long = self._long or _LongLine(self._limit)
        end = _start_of_open_escape(self._rest)
        self._long.add(strip_controls(self._rest[:end]))
        self._rest = self._rest[end:]


class _LongLine:
    """Head and tail of one line whose length is not known yet."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = ""
        self._tail = ""
        self._cut = False

    def add(self, text: str) -> None:
        room = self._limit - len(self._kept)
        self._kept += text[:room]
        half = self._limit // 2
        tail = self._tail + text[room:]
        self._cut = self._cut or len(tail) > half
        self._tail = tail[-half:] if half else ""

    def text(self) -> str:
        if not self._tail and not self._cut:
            return self._kept
        half = self._limit // 2
        whole_tail = self._tail if self._cut else (self._kept + self._tail)[-half:]
        return (
            _without_broken_word_at_end(self._kept[:half]) + MARK + _without_broken_word_at_start(whole_tail)
        )


def _start_of_open_escape(text: str) -> int:
    """Where an escape begins that may go on in the next chunk; the text's length when there is none."""
    start = text.rfind("\x1b", -_LONGEST_ESCAPE)
    if start < 0:
        return len(text)
    match = _ESCAPE.match(text, start)
    return start if match and match.end() == len(text) else len(text)


# A cut may go through a secret, and half a secret is not recognised any more: the word that the cut broke
# goes too.
def _without_broken_word_at_end(text: str) -> str:
    match = _BROKEN_AT_END.search(text, max(len(text) // 2, len(text) - _LONGEST_SECRET))
    return text[: match.start()] if match else text


def _without_broken_word_at_start(text: str) -> str:
    match = _BROKEN_AT_START.match(text, 0, min(len(text) // 2, _LONGEST_SECRET))
    return text[match.end() :] if match else text
