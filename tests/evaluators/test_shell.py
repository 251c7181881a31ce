from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from jumar.core.model import Job
from jumar.errors import InterruptedRun
from jumar.evaluators import log_path

if TYPE_CHECKING:
    from tests.evaluators.conftest import Place

JOB = Job(trial=3, lane=0, role="score", side="candidate", commit="c0ffee", sample=0, seed=42)
BASELINE = msgspec.structs.replace(JOB, trial=0)
SECRET = "token-4711"


replace = msgspec.structs.replace
SHOW = "import os, json; print(json.dumps({k: v for k, v in os.environ.items()}), file=open('env.json', 'w')); print(1)"


def environment_of(place: Place, **fields: object) -> dict[str, str]:
    place.measure(place.python("show.py", SHOW), JOB, **fields)
    found: dict[str, str] = msgspec.json.decode((place.tree / "env.json").read_bytes())
    return found


def test_a_score_with_what_it_was_read_from_and_what_it_cost(place: Place) -> None:
    found = place.measure("echo 'time: 12.5 ms'")
    assert (found.score, found.unit, found.matched) == (12.5, "ms", "time: 12.5 ms")
    assert (found.passed, found.error, found.exit_code, found.words) == (True, None, 0, "")
    assert found.usage.seconds > 0


def test_c05_numbers_are_printed_with_a_point_whatever_the_locale(place: Place) -> None:
    place.environment |= {"LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    found = environment_of(place)
    assert found["LC_NUMERIC"] == "C"
    assert "LC_ALL" not in found
    assert found["LANG"] == "de_DE.UTF-8"


def test_c05_a_decimal_comma_is_an_error_that_names_the_cure(place: Place) -> None:
    found = place.measure("echo 'score: 0,87'", parser="named", metric_name="score")
    assert found.score is None
    assert found.error == "unparseable"
    assert "comma" in found.message


@pytest.mark.parametrize("text", ['{"pass":true,"score":NaN}', '{"pass":true,"score":-Infinity}'])
def test_c07_what_is_not_finite_is_an_error(place: Place, text: str) -> None:
    found = place.measure(f"echo '{text}'", parser="last_json_line")
    assert (found.score, found.error) == (None, "non_finite")
    assert msgspec.json.decode(msgspec.json.encode(found))


@pytest.mark.parametrize("text", ["score: nan", "score: inf"])
def test_c07_as_plain_text_too(place: Place, text: str) -> None:
    found = place.measure(f"echo '{text}'", parser="named", metric_name="score")
    assert (found.score, found.error) == (None, "non_finite")


@pytest.mark.parametrize(
    ("text", "score"), [("errors: 0", 0.0), ("errors: -0.2", -0.2), ("errors: -3.5", -3.5)]
)
def test_c08_zero_and_negative_scores_are_scores(place: Place, text: str, score: float) -> None:
    found = place.measure(f"echo '{text}'", parser="named", metric_name="errors")
    assert (found.score, found.error) == (score, None)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"pass":"false","score":1}', "`pass`"),
        ('{"pass":1,"score":1}', "`pass`"),
        ('{"pass":true,"score":true}', "`score`"),
        ('{"pass":true,"score":"0.9"}', "`score`"),
        ('{"score":0.9}', "`pass`"),
        ("null", "null"),
    ],
)
def test_c09_wrong_types_name_the_field(place: Place, text: str, field: str) -> None:
    for parser in ("whole_json", "last_json_line"):
        found = place.measure(f"echo '{text}'", parser=parser)
        assert found.error == "unparseable"
        assert field in found.message
        assert text in found.words


def test_c10_log_lines_round_the_json(place: Place) -> None:
    (place.tree / "out").write_text(
        '[warn] using cpu\n{"note":"config"}\n{"pass":true,"score":0.7}\nSTATUS: done\n'
    )
    found = place.measure("cat out", parser="last_json_line")
    assert found.score == 0.7
    assert len(found.warnings) == 1
    assert "STATUS: done" in found.warnings[0]


def test_c10_a_forged_line_is_an_error_and_a_file_is_the_way_out(place: Place) -> None:
    forged = place.measure(
        """echo '{"pass":true,"score":1}'; echo '{"pass":true,"score":9}'""", parser="last_json_line"
    )
    assert forged.error == "unparseable"
    assert "parser: file" in forged.message
    honest = place.measure(
        """echo '{"pass":true,"score":9}'; echo '{"score":1}' > "$JUMAR_RESULT" """, parser="file"
    )
    assert honest.score == 1.0


def test_c12_another_name_is_an_error_that_lists_what_was_found(place: Place) -> None:
    found = place.measure(
        "echo 'accuracy: 0.8333'; echo 'latency_ms: 41'", parser="named", metric_name="score"
    )
    assert found.error == "unparseable"
    assert "no `score` in the output; found `accuracy` (0.8333), `latency_ms` (41)" in found.message
    assert found.words == "accuracy: 0.8333\nlatency_ms: 41"


def test_c21_old_bytecode_never_answers_for_new_source(place: Place) -> None:
    module = place.tree / "m.py"
    command = place.python("run.py", "import m; print(m.f())")
    scores = []
    for value in (1, 2, 1):
        module.write_text(f"def f(): return {value}\n")
        os.utime(module, (1_000_000, 1_000_000))
        scores.append(place.measure(command).score)
    assert scores == [1, 2, 1]
    assert not (place.tree / "__pycache__").exists()


def test_c22_what_a_limit_ends_leaves_nothing(place: Place) -> None:
    for line in ("sleep 311 & sleep 311", "trap '' TERM; sleep 311 & wait"):
        begin = time.monotonic()
        found = place.measure(line, timeout=0.3)
        assert time.monotonic() - begin < 6
        assert found.error == "timeout"
        assert "300 ms" in found.message
        assert "`timeout`" in found.message
        assert not [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "311"]]


def test_c22_a_child_that_holds_stdout_is_ended_and_named(place: Place) -> None:
    begin = time.monotonic()
    found = place.measure("echo 'score: 3'; sleep 312 &")
    assert time.monotonic() - begin < 5
    assert found.score == 3
    assert "sleep 312" in " ".join(found.warnings)


def test_c22_stdin_is_at_its_end(place: Place) -> None:
    assert place.measure("cat; echo 4").score == 4


def test_c23_much_output_and_bytes_that_are_no_text(place: Place) -> None:
    program = place.python(
        "loud.py",
        "import sys\n"
        "for _ in range(10000): sys.stdout.buffer.write(b'x' * 9999 + b'\\n')\n"
        "sys.stdout.buffer.write(b'\\xff\\xfe\\x90\\nscore: 0.5\\n')",
    )
    before = psutil.Process().memory_info().rss
    found = place.measure(program, parser="pattern", pattern="^score: (.+)")
    assert found.score == 0.5
    assert psutil.Process().memory_info().rss - before < 50 * 2**20
    log = log_path(place.run, JOB).read_text()
    assert "bytes left out" in log
    assert log.endswith("score: 0.5\n")


def test_c23_only_a_bounded_tail_is_kept_as_words(place: Place) -> None:
    found = place.measure("seq 1 20000; exit 3")
    assert found.error == "crash"
    assert len(found.words.encode()) <= 2048
    assert found.words.endswith("\n20000")


def test_s32_no_git_variable_reaches_the_evaluator(place: Place, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    subprocess.run(["git", "init", "-q", str(victim)], check=True)
    stolen = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")
    place.environment |= dict.fromkeys(stolen, str(victim / ".git"))
    found = environment_of(place)
    assert not set(stolen) & set(found)
    assert found["GIT_CEILING_DIRECTORIES"] == str(place.tree.parent.resolve())


def test_git_does_not_find_a_repository_above_the_tree(place: Place) -> None:
    subprocess.run(["git", "init", "-q", str(place.tree.parent)], check=True)
    found = place.measure("git rev-parse --show-toplevel; echo 1")
    assert found.score == 1
    assert "not a git repository" in log_path(place.run, JOB).read_text()


def test_seed_sample_and_folder(place: Place) -> None:
    (place.tree / "sub").mkdir()
    job = replace(JOB, seed=7, sample=2)
    found = place.measure(
        'echo "$JUMAR_SEED$JUMAR_SAMPLE"; test "$PWD" = "$(pwd -P)" && test -d ../sub', job, folder="sub"
    )
    assert found.score == 72
    assert (place.run / "trials" / "0003" / "evaluation-3.log").exists()


def test_temporary_files_are_fresh_and_gone_afterwards(place: Place) -> None:
    line = 'ls -A "$TMPDIR" | wc -l; echo x > "$TMPDIR/left"; mkdir "$TMPDIR/d" && chmod 500 "$TMPDIR/d"; echo "$TMPDIR" > where'
    assert [place.measure(line).score for _ in range(2)] == [0, 0]
    assert not Path((place.tree / "where").read_text().strip()).parent.exists()


def test_the_result_variable_exists_only_for_its_parser(place: Place) -> None:
    place.environment |= {"JUMAR_RESULT": "/somewhere", "JUMAR_PROPOSAL": "/elsewhere"}
    found = environment_of(place)
    assert not {"JUMAR_RESULT", "JUMAR_PROPOSAL"} & set(found)
    found = environment_of(place, parser="file")
    assert found["JUMAR_RESULT"].endswith("result.json")


@pytest.mark.parametrize(
    "line", ["true", "mkfifo $JUMAR_RESULT", "ln -s /etc/passwd $JUMAR_RESULT", "mkdir $JUMAR_RESULT"]
)
def test_a_result_file_that_is_none(place: Place, line: str) -> None:
    found = place.measure(line, parser="file")
    assert found.error == "no_output"
    assert "JUMAR_RESULT" in found.message


def test_a_result_file_is_read_whole(place: Place) -> None:
    text = '{"score": 2.5, "unit": "s", "checks": {"a": true}, "metrics": {"m": 1}}'
    found = place.measure(f"echo '{text}' > $JUMAR_RESULT", parser="file")
    assert (found.score, found.unit, found.checks, found.metrics) == (2.5, "s", {"a": True}, {"m": 1.0})


def test_the_missions_unit_fills_in_and_is_checked(place: Place) -> None:
    assert place.measure("echo 5", unit="ms").unit == "ms"
    found = place.measure("echo 'took: 5 s'", unit="ms")
    assert found.error == "unit_changed"


def test_nothing_printed(place: Place) -> None:
    assert place.measure("true").error == "no_output"


def test_a_score_from_a_failed_run_is_not_trusted(place: Place) -> None:
    found = place.measure("echo 'score: 1'; exit 3")
    assert (found.score, found.passed, found.error, found.exit_code) == (None, False, "crash", 3)
    assert "not trusted" in found.message
    assert "exit code 3" in found.message


def test_a_no_with_an_exit_code_is_a_crash_that_says_how_to_say_no(place: Place) -> None:
    refused = place.measure("""echo '{"pass":false}'; exit 1""", parser="last_json_line")
    assert refused.error == "crash"
    assert 'exit code 0, for `"pass": false` too' in refused.message
    said = place.measure("""echo '{"pass":false}'""", parser="last_json_line")
    assert (said.passed, said.error) == (False, None)


def test_a_pass_without_a_score_where_the_score_is_optional(place: Place) -> None:
    line = """echo '{"pass":true}'"""
    assert place.measure(line, parser="whole_json").error is None
    assert place.measure(line, parser="last_json_line", policy="pass_only").error is None
    assert place.measure(line, parser="last_json_line").error == "unparseable"


def test_secrets_are_scrubbed_from_all_that_is_kept(place: Place) -> None:
    said = place.measure(f'echo \'{{"pass":true,"score":1,"notes":"{SECRET}"}}\'', parser="last_json_line")
    crash = place.measure(f"echo {SECRET} >&2; exit 1")
    wrong = place.measure(f"echo {SECRET}=x", parser="named", metric_name="score")
    for found in (said, crash, wrong):
        assert SECRET not in msgspec.json.encode(found).decode()
    assert SECRET not in log_path(place.run, JOB).read_text()


def test_a_stop_ends_what_runs_and_is_no_measurement(place: Place) -> None:
    place.interrupted = lambda: True
    with pytest.raises(InterruptedRun, match="interrupted") as caught:
        place.measure("sleep 313")
    assert caught.value.exit_code == 130


def test_a_guard_passes_with_exit_code_0(place: Place) -> None:
    job = replace(JOB, role="guard", command="echo 17 things passed")
    found = place.measure("exit 9", job)
    assert (found.passed, found.error, found.score, found.message) == (True, None, None, "")
    assert log_path(place.run, job).name == "guard-1.log"
    assert log_path(place.run, job).read_text() == "17 things passed\n"


def test_a_guard_that_fails_says_how_and_shows_its_last_lines(place: Place) -> None:
    found = place.measure("true", replace(JOB, role="guard", command="echo '1 failed'; exit 2"))
    assert not found.passed
    assert "exit code 2" in found.message
    assert found.message.endswith("1 failed")
    assert found.words == "1 failed"


def test_a_guard_that_hangs_fails(place: Place) -> None:
    found = place.measure("true", replace(JOB, role="guard", command="sleep 314"), timeout=0.2)
    assert not found.passed
    assert "its limit (`timeout`)" in found.message


def test_memory_over_the_limit_is_oom(place: Place) -> None:
    program = place.python(
        "fat.py",
        "import time\nx = bytearray(300 * 2**20)\nfor i in range(0, len(x), 4096): x[i] = 1\ntime.sleep(20)",
    )
    found = place.measure(program, memory=100 * 2**20)
    assert found.error == "oom"
    assert "`memory`: 100M" in found.message


def test_each_role_and_side_has_a_log_of_its_own(place: Place) -> None:
    names = [
        log_path(place.run, job).name
        for job in (
            JOB,
            replace(JOB, side="incumbent"),
            replace(JOB, role="probe"),
            replace(BASELINE, sample=4),
        )
    ]
    assert names == ["evaluation-1.log", "evaluation-incumbent-1.log", "probe.log", "evaluation-5.log"]
