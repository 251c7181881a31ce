"""Lines from chunks: the same lines however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.text import MARK, LineSplitter, clip, strip_controls


def lines_of(*chunks: bytes, limit: int = 1 << 16) -> list[str]:
    splitter = LineSplitter(limit)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return lines + splitter.flush()


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;32mscore: 3\x1b[0m", "score: 3"),
        ("\x1b[2K\x1b[1Gdone", "done"),
        ("\x1b[?25lhidden", "hidden"),
        ("\x1b]0;a title\x07score: 3", "score: 3"),
        ("\x1b]8;;http://x.test/1\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1$r0m\x1b\\x", "x"),
        ("\x1b(B\x1b=\x1b>text\x1b7", "text"),
        ("\x9b31mred", "red"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("end\x1b", "end"),
        ("end\x1b[31", "end"),
        ("\x1b]0;never closed 7\nscore: 3", "\nscore: 3"),
        ("\x1b\x1b[31mx", "x"),
        ("bell\rreturn", "bellreturn"),
        ("größe 日本", "größe 日本"),
    ],
)
def test_strip_controls(raw: str, clean: str) -> None:
    assert strip_controls(raw) == clean


@given(st.text())
def test_strip_controls_leaves_no_control_and_changes_nothing_twice(text: str) -> None:
    clean = strip_controls(text)
    assert all(character in "\n\t" or ord(character) >= 32 for character in clean)
    assert strip_controls(clean) == clean


def test_lines_end_at_lf_crlf_and_cr() -> None:
    assert lines_of(b"a\nb\r\nc\rd") == ["a", "b", "c", "d"]
    assert lines_of(b"a\r\r\n\nb\n") == ["a", "", "", "b"]
    assert lines_of(b"") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("50%\r100%\n", ["50%", "100%"]),
        ("größe: 日本 🧗\n", ["größe: 日本 🧗"]),
        ("\x1b[1;31mscore\x1b[0m: 3\n", ["score: 3"]),
        ("\x1b]0;title\x1b\\x\n\x1b]0;title\x07y", ["x", "y"]),
        ("\n\n", ["", ""]),
    ],
)
def test_every_cut_gives_the_same_lines(text: str, expected: list[str]) -> None:
    data = text.encode()
    assert lines_of(*(bytes([byte]) for byte in data)) == expected
    for cut in range(len(data) + 1):
        assert lines_of(data[:cut], data[cut:]) == expected


PIECES = st.sampled_from(
    ["a", "é", "🧗", "\r", "\n", "\r\n", "\x1b[3", "1m", "\x1b]0;t", "\x07", "\x1b\\", " ", "7"]
)


@given(st.lists(PIECES, max_size=40), st.data())
def test_chunks_do_not_matter(pieces: list[str], data: st.DataObject) -> None:
    stream = "".join(pieces).encode() + data.draw(st.binary(max_size=6))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert lines_of(*chunks) == lines_of(stream)


def test_invalid_utf8_is_replaced_also_at_the_end() -> None:
    assert lines_of(b"a\xffb\n\xe6\x97") == ["a\ufffdb", "\ufffd"]


def test_a_cr_at_the_end_completes_its_line_at_once() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"10%\r") == ["10%"]
    assert splitter.feed(b"") == []
    assert splitter.feed(b"\n20%\r") == ["20%"]
    assert splitter.flush() == []


@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_a_long_line_keeps_head_and_tail(size: int) -> None:
    line = b"begin " + b"middle " * 60 + b"the end"
    stream = b"before\n" + line + b"\nafter\n"
    lines = lines_of(*(stream[at : at + size] for at in range(0, len(stream), size)), limit=60)
    assert lines[0] == "before"
    assert lines[1] == "begin middle middle middle " + MARK + " middle middle middle the end"
    assert lines[2:] == ["after"]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_line_of_just_the_limit_is_whole(size: int) -> None:
    line = b"\x1b[31m" + b"x" * 60 + b"\x1b[0m"
    assert lines_of(*(line[at : at + size] for at in range(0, len(line), size)), limit=60) == ["x" * 60]


def test_a_long_line_that_nothing_ends_is_flushed() -> None:
    assert lines_of(b"x" * 50, b"y" * 50, limit=40) == ["x" * 10 + MARK + "y" * 10]


def test_the_cut_of_a_long_line_leaves_no_half_secret() -> None:
    line = "key=sk-0123456789abcdef0123456789 " + "z" * 400
    for shift in range(150, 210):
        (cut,) = lines_of((" " * shift + line).encode(), limit=400)
        assert "sk-0123456789abcdef0123456789" in cut or "sk-" not in cut


def test_the_mark_holds_no_number() -> None:
    assert not any(character.isdigit() for character in MARK)


def test_memory_is_bounded_for_a_line_without_end() -> None:
    splitter = LineSplitter(1000)
    for _ in range(200):
        assert splitter.feed(b"\x1b]0;" + b"x" * 5000) == []
    held = sum(len(value) for value in vars(splitter).values() if isinstance(value, str))
    assert held < 10_000
    (line,) = splitter.feed(b" end\n")
    assert len(line) <= 1000 + len(MARK)


def test_many_short_lines_in_one_chunk_larger_than_the_limit() -> None:
    assert lines_of(b"abc\n" * 100, limit=10) == ["abc"] * 100


@given(st.text(max_size=60), st.integers(0, 60))
def test_clip_keeps_head_and_tail(text: str, limit: int) -> None:
    short = clip(text, limit)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
    elif limit > len(MARK) + 1:
        head, tail = short.split(MARK, 1)
        assert text.startswith(head)
        assert text.endswith(tail)
