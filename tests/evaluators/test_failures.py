from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from jumar.core.model import Job, Measurement

if TYPE_CHECKING:
    from tests.evaluators.conftest import Place

JOB = Job(trial=3, lane=0, role="score", side="candidate", commit="c0ffee", sample=0, seed=42)
BASELINE = msgspec.structs.replace(JOB, trial=0)


INCUMBENT = msgspec.structs.replace(JOB, side="incumbent")


def test_c15_a_command_that_is_not_there(place: Place) -> None:
    found = place.measure("pytst -q", BASELINE)
    assert (found.error, found.exit_code) == ("environment", 127)
    for part in ("`pytst -q`", "exit code 127", "pytst: not found", str(place.tree)):
        assert part in found.message


def test_a_command_that_a_candidate_lost_is_its_own_crash(place: Place) -> None:
    assert place.measure("./bench.sh").error == "crash"
    assert place.measure("./bench.sh", INCUMBENT).error == "environment"


def test_a_file_that_may_not_be_run(place: Place) -> None:
    (place.tree / "bench.sh").write_text("echo 1\n")
    found = place.measure("./bench.sh", BASELINE)
    assert (found.error, found.exit_code) == ("environment", 126)
    assert "ermission denied" in found.message


def test_a_missing_command_behind_another(place: Place) -> None:
    found = place.measure("sh -c 'pytst; exit 2'", BASELINE)
    assert (found.error, found.exit_code) == ("environment", 2)
    assert "pytst" in found.message


@pytest.mark.parametrize("job", [BASELINE, JOB])
def test_python_that_does_not_parse(place: Place, job: Job) -> None:
    for text in ("def f(:\n", "if 1:\nx = 1\n"):
        found = place.measure(place.python("bad.py", text), job)
        assert found.error == "syntax"
        assert "Error: " in found.message
    assert "IndentationError" in found.message


def test_an_import_of_what_does_not_parse(place: Place) -> None:
    place.python("bad.py", "x = = 1\n")
    found = place.measure(place.python("run.py", "import bad\nprint(1)\n"))
    assert found.error == "syntax"
    assert "bad.py" in found.words


def test_a_handled_syntax_error_is_not_the_failure(place: Place) -> None:
    text = (
        "try:\n    compile('x = = 1', 'x', 'exec')\nexcept SyntaxError:\n    raise ValueError('no config')\n"
    )
    found = place.measure(place.python("run.py", text))
    assert found.error == "crash"
    assert found.message.endswith("ValueError: no config")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("main.c:12:5: error: expected ‘;’ before ‘return’", "syntax"),
        ("main.c:12:5: error: use of undeclared identifier 'x'", "crash"),
        ("./main.go:3:1: syntax error: non-declaration statement outside function body", "syntax"),
        ("error: this file contains an unclosed delimiter", "syntax"),
        ("Main.java:5: error: ';' expected", "syntax"),
        ("a.ts(3,7): error TS1005: ';' expected.", "syntax"),
        ("SyntaxError: Unexpected token '}'", "syntax"),
        ("SyntaxError: Unexpected token < in JSON at position 0", "crash"),
        ("tomllib.TOMLDecodeError: Invalid value (at line 1, column 5)", "syntax"),
        ("E   SyntaxError: invalid syntax", "syntax"),
        ("MemoryError", "oom"),
        ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "oom"),
        ("RuntimeError: CUDA out of memory.", "oom"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "oom"),
        ("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "oom"),
        ("OSError: [Errno 28] No space left on device", "environment"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "environment"),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "environment"),
        ("AssertionError: 3 != 4", "crash"),
        ("ValueError: math domain error", "crash"),
    ],
)
def test_what_the_last_words_say(place: Place, said: str, reason: str) -> None:
    (place.tree / "said").write_text(said + "\n")
    for stream in ("", " >&2"):
        found = place.measure(f"cat said{stream}; exit 1")
        assert (found.error, found.exit_code) == (reason, 1)
        assert said in found.message


def test_what_a_log_said_before_the_exception_does_not_count(place: Place) -> None:
    text = "import sys\nprint('Connection refused, trying again', file=sys.stderr)\nassert 0, 'wrong'\n"
    assert place.measure(place.python("run.py", text)).error == "crash"


def test_a_missing_module_is_the_environments_on_the_base_and_a_candidates_own_doing(place: Place) -> None:
    command = place.python("run.py", "import no_such_module_here\n")
    assert place.measure(command, BASELINE).error == "environment"
    assert place.measure(command, INCUMBENT).error == "environment"
    found = place.measure(command)
    assert found.error == "crash"
    assert "No module named 'no_such_module_here'" in found.message


@pytest.mark.parametrize("line", ["kill -9 $$", "sh -c 'kill -9 $$'; exit 137"])
def test_a_kill_that_was_not_ours_is_memory(place: Place, line: str) -> None:
    found = place.measure(line)
    assert found.error == "oom"
    assert "SIGKILL" in found.message


def test_another_signal_is_named(place: Place) -> None:
    found = place.measure("echo last; kill -11 $$")
    assert found.error == "crash"
    assert "signal 11 (SIGSEGV)" in found.message
    assert found.exit_code is None


def test_an_exit_without_a_word(place: Place) -> None:
    found = place.measure("exit 4")
    assert found.message.endswith("and printed nothing.")


def same(one: Measurement, other: Measurement) -> bool:
    return (one.error, one.message, one.words) == (other.error, other.message, other.words)


def test_the_same_failure_is_told_in_the_same_words(place: Place) -> None:
    command = place.python("run.py", "print('score: 1')\n1/0\n")
    assert same(place.measure(command), place.measure(command))
