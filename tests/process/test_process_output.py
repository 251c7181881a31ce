"""What a command prints: every line to the parser, a capped and scrubbed log, bounded memory."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumar.process import Command, Limits, Supervisor, child_environment
from jumar.process.output import Log, Tail, first_lines, last_lines

Shell = Callable[[str], Command]
SECRET = "sk-0123456789abcdef"
LEFT_OUT = re.compile(r"^\[(\d+) bytes left out\]$", re.MULTILINE)


def scrub(text: str) -> str:
    return text.replace(SECRET, "[secret]")


@pytest.fixture
def scrubbing() -> Supervisor:
    return Supervisor(None, scrub, lambda: False)


def test_c23_very_large_and_binary_output(
    supervisor: Supervisor, env: dict[str, str], tmp_path: Path
) -> None:
    script = (
        "import sys\n"
        "block = (b'x' * 999 + b'\\n') * 1000\n"
        "for _ in range(300): sys.stdout.buffer.write(block)\n"
        "sys.stdout.buffer.write(b'\\xff\\xfe\\x90\\nscore: 0.5\\n')\n"
    )
    last: list[str] = ["", ""]
    count = 0

    def on_line(line: str) -> None:
        nonlocal count
        count += 1
        last[:] = [last[1], line]

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = supervisor.run(
        Command((sys.executable, "-c", script), tmp_path, env), None, tmp_path / "log", on_line
    )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (result.code, count, last) == (0, 300_002, ["\ufffd\ufffd\ufffd", "score: 0.5"])
    assert grown < 30_000, "KiB"
    log = (tmp_path / "log").read_bytes()
    assert len(log) <= 2 * 256 * 1024 + 40
    assert log.startswith(b"x" * 999 + b"\n")
    assert log.endswith("\ufffd\ufffd\ufffd\nscore: 0.5\n".encode())
    (left_out,) = LEFT_OUT.findall(log.decode())
    kept = len(log) - len(f"[{left_out} bytes left out]\n")
    assert int(left_out) + kept == 300_000_000 + len("\ufffd\ufffd\ufffd\nscore: 0.5\n".encode())
    assert len(result.tail) <= 4096


def test_c23_one_line_without_end(supervisor: Supervisor, shell: Shell, tmp_path: Path) -> None:
    lines: list[str] = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo score: 0.5"
    result = supervisor.run(shell(line), None, tmp_path / "log", lines.append)
    assert result.code == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert len(lines) == 2
    assert lines[1] == "score: 0.5"
    assert (tmp_path / "log").stat().st_size < 600_000


def test_a_json_line_of_a_megabyte_reaches_the_parser_whole(
    supervisor: Supervisor, env: dict[str, str], tmp_path: Path
) -> None:
    lines: list[str] = []
    command = Command((sys.executable, "-c", "print('[' + '1,' * 500_000 + '1]')"), tmp_path, env)
    supervisor.run(command, on_line=lines.append)
    assert lines == ["[" + "1," * 500_000 + "1]"]


def test_the_parser_gets_stdout_stripped_and_not_scrubbed(
    scrubbing: Supervisor, shell: Shell, tmp_path: Path
) -> None:
    lines: list[str] = []
    line = f"printf '\\033[32mscore\\033[0m: 3 {SECRET}\\r\\n'; echo oops {SECRET} >&2"
    result = scrubbing.run(shell(line), None, tmp_path / "log", lines.append)
    assert lines == [f"score: 3 {SECRET}"]
    assert sorted((tmp_path / "log").read_text().splitlines()) == ["oops [secret]", "score: 3 [secret]"]
    assert sorted(result.tail.splitlines()) == ["oops [secret]", "score: 3 [secret]"]
    assert result.stderr_tail == "oops [secret]\n"


def test_streams_are_merged_as_they_arrive(supervisor: Supervisor, shell: Shell, tmp_path: Path) -> None:
    line = "echo 1; sleep 0.05; echo 2 >&2; sleep 0.05; printf 3; sleep 0.05; echo 4 >&2; sleep 0.05; echo"
    supervisor.run(shell(line), None, tmp_path / "deep" / "log")
    assert (tmp_path / "deep" / "log").read_text() == "1\n2\n4\n3\n"


def test_a_secret_in_two_chunks_is_scrubbed(scrubbing: Supervisor, shell: Shell, tmp_path: Path) -> None:
    half = len(SECRET) // 2
    line = f"printf 'key {SECRET[:half]}'; sleep 0.05; printf '\\033[0m{SECRET[half:]}'"
    result = scrubbing.run(shell(line), None, tmp_path / "log")
    assert (tmp_path / "log").read_text() == result.tail == "key [secret]\n"


def test_no_cut_leaves_half_a_secret(scrubbing: Supervisor, shell: Shell, tmp_path: Path) -> None:
    line = f"i=0; while [ $i -lt 200 ]; do echo $i {SECRET} {SECRET}; i=$((i+1)); done"
    for cap in (1000, 1007, 1013):
        result = scrubbing.run(shell(line), Limits(log_bytes=cap), tmp_path / "log")
        log = (tmp_path / "log").read_text()
        assert "sk-" not in log + result.tail
        assert "0123" not in log + result.tail
        assert len(log) <= 2 * cap + 40
        assert log.startswith("0 [secret] [secret]\n")
        assert log.endswith("199 [secret] [secret]\n")


def test_a_warning_is_scrubbed(scrubbing: Supervisor, shell: Shell) -> None:
    result = scrubbing.run(shell(f"sh -c 'sleep 300; :' {SECRET} & exit 0"))
    assert result.warnings
    assert SECRET not in result.warnings[0]
    assert "[secret]" in result.warnings[0]


def test_the_log_is_whole_or_absent(shell: Shell, tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def look() -> bool:
        seen.append([path.name for path in tmp_path.iterdir()])
        return False

    Supervisor(None, scrub, look).run(shell(f"echo {SECRET}; sleep 0.1"), None, tmp_path / "log")
    assert not any(seen)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_a_command_that_prints_nothing_has_an_empty_log(
    supervisor: Supervisor, shell: Shell, tmp_path: Path
) -> None:
    result = supervisor.run(shell(":"), None, tmp_path / "log")
    assert ((tmp_path / "log").read_text(), result.tail) == ("", "")


@given(
    st.lists(st.text("ab é", max_size=12), min_size=1, max_size=60), st.integers(20, 200), st.integers(1, 7)
)
def test_the_log_accounts_for_every_byte(lines: list[str], cap: int, batch: int) -> None:
    log = Log(cap, str)
    for at in range(0, len(lines), batch):
        log.add("".join(line + "\n" for line in lines[at : at + batch]))
    whole = "".join(line + "\n" for line in lines)
    text = log.render()
    match = LEFT_OUT.search(text)
    if match is None:
        assert text == whole
        return
    head, tail = text[: match.start()], text[match.end() + 1 :]
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert max(len(head.encode()), len(tail.encode())) <= cap
    assert len(head.encode()) + int(match[1]) + len(tail.encode()) == len(whole.encode())


def test_a_log_line_longer_than_the_log_keeps_its_end() -> None:
    log = Log(10, str)
    log.add("x" * 50 + "the end\n")
    assert log.render() == "[48 bytes left out]\nxxthe end\n"


def test_a_very_long_log_line_is_scrubbed_before_it_is_cut() -> None:
    log = Log(1 << 20, scrub)
    for shift in range(40):
        log.add("short\n" + " " * shift + SECRET * 8000 + "\n")
    assert "sk-" not in log.render().replace("[secret]", "")


def test_first_and_last_lines_are_whole() -> None:
    assert first_lines("one\ntwo\nthree\n", 9) == ("one\ntwo\n", 6)
    assert last_lines("one\ntwo\nthree\n", 11) == ("two\nthree\n", 4)
    assert last_lines("one\ntwo\nthree\n", 10) == ("two\nthree\n", 4)
    assert last_lines("one\ntwo\nthree\n", 9) == ("three\n", 8)
    assert first_lines("one\n", 9) == ("one\n", 0)
    assert last_lines("one\n", 9) == ("one\n", 0)


def test_a_tail_holds_little_more_than_its_cap() -> None:
    tail = Tail(1000)
    for number in range(10_000):
        tail.add(f"{number}\n")
    assert 1000 <= len(tail.text()) < 1000 + 5000
    assert tail.text().endswith("9998\n9999\n")
    assert tail.dropped + len(tail.text()) == sum(len(f"{number}\n") for number in range(10_000))


BASE = {"PATH": "/bin", "GIT_DIR": "/x", "GIT_CEILING_DIRECTORIES": "/y", "LANG": "de_DE.UTF-8"}


@pytest.mark.parametrize(
    ("base", "extra", "expected"),
    [
        (BASE, {}, {"PATH": "/bin", "LANG": "de_DE.UTF-8", "LC_NUMERIC": "C"}),
        (
            {"LC_ALL": "fr_FR.UTF-8", "LC_CTYPE": "C", "LANG": "C"},
            {},
            {"LANG": "fr_FR.UTF-8", "LC_NUMERIC": "C"},
        ),
        ({"LC_ALL": "", "LC_CTYPE": "C.UTF-8"}, {}, {"LC_CTYPE": "C.UTF-8", "LC_NUMERIC": "C"}),
        (
            {},
            {"GIT_CEILING_DIRECTORIES": "/t", "A": "b"},
            {"GIT_CEILING_DIRECTORIES": "/t", "A": "b", "LC_NUMERIC": "C"},
        ),
    ],
)
def test_child_environment(
    base: Mapping[str, str], extra: Mapping[str, str], expected: dict[str, str]
) -> None:
    assert child_environment(base, extra) == expected


def test_no_git_variable_reaches_a_child(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    outer = {**env, "GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_CEILING_DIRECTORIES": "/z"}
    result = supervisor.run(Command("env | grep ^GIT_", tmp_path, outer))
    assert result.tail == "GIT_CEILING_DIRECTORIES=/z\n"
