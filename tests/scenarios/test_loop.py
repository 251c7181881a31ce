"""Keeping, reverting, stopping: the cases C13 to C24 through the whole program."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import psutil
import pytest
from user import Project, strict, wait_for

NAMED = ("--metric-name", "score")
CONTRACT = ("--evaluator", "contract", "--direction", "higher")


def test_c13_a_failing_baseline_that_is_allowed(project: Project) -> None:
    project.outputs(
        '{"pass":false}\n',
        '{"pass":false,"score":0.9}\n',
        '{"pass":true,"score":0.62}\n',
        '{"pass":true,"score":0.60}\n',
        '{"pass":true,"score":0.63}\n',
    )
    done = project.run(*CONTRACT, "--allow-failing-baseline", "--policy", "strict", "--iterations", "4")
    assert done.baseline["score"] is None
    assert done.column("outcome") == ["discard", "keep", "discard", "keep"]
    assert done.column("reason") == ["evaluator_fail", "bootstrap", "regressed", "improved"]
    assert done.column("best") == [None, 0.62, 0.62, 0.63]


def test_c13_a_failing_baseline_that_is_not_allowed(project: Project) -> None:
    project.outputs('{"pass":false}\n', '{"pass":true,"score":0.62}\n')
    done = project.run(*CONTRACT, code=3)
    assert done.end["reason"] == "evaluator_broken"
    assert done.trials == []


def test_c13_a_pass_without_a_score_is_refused_by_a_rule(project: Project) -> None:
    project.outputs('{"pass":true,"score":0.5}\n', '{"pass":true}\n', '{"pass":true,"score":0.7}\n')
    done = project.run(*CONTRACT, "--policy", "strict", "--iterations", "2")
    assert done.trials[0]["outcome"] in ("discard", "error")
    assert "score" in done.trials[0]["sentence"]
    assert done.trials[1]["outcome"] == "keep"


def test_c13_pass_only_keeps_what_passes(project: Project) -> None:
    project.outputs('{"pass":false}\n', '{"pass":true}\n', '{"pass":false}\n', '{"pass":true}\n')
    done = project.run(*CONTRACT, "--keep", "pass_only", "--allow-failing-baseline", "--iterations", "3")
    assert done.column("outcome") == ["keep", "discard", "keep"]


def test_c14_the_limit_of_the_score(project: Project) -> None:
    project.counting(0.5, 0.4, 0.7, 1.0, 1.0, 1.0, 0.2)
    flags = (*NAMED, "--direction", "higher", "--target-score", "1.0")
    done = project.run(*flags, "--iterations", "6")
    assert (done.end["reason"], len(done.trials), done.end["best"]) == ("target", 3, 1.0)
    on = project.run(
        *flags, "--continue-after-target", "--iterations", "6", "--stagnation", "2", "--fresh", code=0
    )
    assert on.column("reason")[3:5] == ["tie", "tie"]
    assert on.column("outcome")[3:] == ["discard"] * 3
    assert on.end["reason"] == "iterations"  # ties do not count as stagnation


def test_c14_a_tie_that_is_smaller_may_be_kept(project: Project) -> None:
    project.write("f.txt", "a\nb\nc\n")
    project.program("eval", "[ -f f.txt ] && echo score: 1")
    project.program("maker", "sed -i '$d' f.txt; [ $JUMAR_TRIAL = 2 ] && printf 'x\\ny\\nz\\n' > f.txt; true")
    project.commit()
    done = project.run(*NAMED, "--on-tie", "keep_smaller", "--iterations", "2")
    assert done.column("outcome") == ["keep", "discard"]
    assert done.column("reason") == ["simplified", "tie"]
    assert project.run(*NAMED, "--iterations", "1", "--fresh", code=1).column("reason") == ["tie"]


def test_c15_the_baseline_fails(project: Project, tmp_path: Path) -> None:
    called = tmp_path / "called"
    project.program("maker", f"touch {shlex.quote(str(called))}")
    project.commit()
    done = project.run("--metric", "pytst -q", *NAMED, code=3)
    for seen in ("pytst", "127", "not found"):
        assert seen in done.end["message"]
    assert (
        project.folder().name not in done.end["message"] or "tree" in done.end["message"]
    )  # the folder it ran in
    assert not called.exists()
    assert done.end["reason"] == "evaluator_broken"


def test_c15_it_works_in_the_checkout(project: Project) -> None:
    project.write(".gitignore", "data/\n")
    project.program("eval", 'cat data/values >/dev/null && echo "score: $(cat f.txt)"')
    project.commit()
    project.write("data/values", "1\n")
    done = project.jumar("run", *project.mission(*NAMED), code=3)
    assert "data/values" in done.err
    assert "works in your checkout" in done.err
    assert "carry" in done.err
    assert done.out == ""


def test_c16_a_maker_that_changes_nothing(project: Project, tmp_path: Path) -> None:
    project.program("maker", "echo 'cannot write: sandbox is read-only' >&2")
    project.commit()
    done = project.run(*NAMED, code=4)
    assert done.column("outcome") == ["noop"] * 3
    assert done.column("evaluations") == [0] * 3
    assert (done.end["reason"], done.end["noops"]) == ("maker_broken", 3)
    assert "changed nothing 3 times" in done.end["message"]
    assert "sandbox is read-only" in done.end["message"]


def test_c16_what_counts_as_a_change(project: Project) -> None:
    project.write(".gitignore", "*.log\n")
    project.write("f.txt", "10\n")
    project.program("eval", 'echo "score: $(cat f.txt | tr -d " ")"')
    project.program(
        "maker",
        "case $JUMAR_TRIAL in 1) chmod +x f.txt;; 2) echo ' 10' > f.txt;; 3) echo x > my.log;; 4) echo 9 > f.txt;; esac",
    )
    project.commit()
    done = project.run(*NAMED, "--iterations", "4")
    assert done.column("outcome") == ["discard", "discard", "noop", "keep"]
    assert done.column("reason")[:3] == ["tie", "tie", "empty_diff"]
    shown = project.jumar("show", "3", "--json").json
    assert "my.log" in shown["sentence"] + " ".join(shown["warnings"])


def test_c21_old_bytecode_never_answers_for_new_source(project: Project) -> None:
    project.write("m.py", "VALUE = 5\n")
    project.write("eval.py", "import m\nprint(f'score: {m.VALUE}')\n")
    project.program(
        "maker",
        'test $JUMAR_TRIAL = 2 && echo "VALUE = 7" > m.py || echo "VALUE = $((5 - $JUMAR_TRIAL))" > m.py; touch -d @1700000000 m.py',
    )
    os.utime(project.root / "m.py", (1_700_000_000, 1_700_000_000))
    project.commit()
    done = project.run(
        "--file",
        "m.py",
        "--metric",
        "python eval.py",
        *NAMED,
        "--iterations",
        "3",
        PYTHONDONTWRITEBYTECODE="",
    )
    assert done.column("score") == [4.0, 7.0, 2.0]
    assert done.column("outcome") == ["keep", "discard", "keep"]
    assert not list(project.root.rglob("__pycache__"))


def gone(mark: str) -> bool:
    found = []
    for process in psutil.process_iter():
        try:
            if mark in " ".join(process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return not found


def test_c22_hangs_orphans_and_open_stdin(project: Project) -> None:
    project.program(
        "eval",
        "case $(cat f.txt 2>/dev/null) in\n"
        "1) sleep 301.25 & sleep 301.25;;\n"
        "2) echo score: 3; sleep 301.25 &\n;;\n"
        "3) trap '' TERM; while :; do sleep 301.25; done;;\n"
        "4) cat; echo score: 2;;\n"
        "5) setsid sleep 301.25 & echo score: 1;;\n"
        "*) echo score: 10;;\n"
        "esac",
    )
    project.program("maker", "echo $JUMAR_TRIAL > f.txt")
    project.commit()
    begun = time.monotonic()
    done = project.run(*NAMED, "--timeout", "0.5s", "--no-probe")
    assert time.monotonic() - begun < 60
    assert done.column("reason") == ["timeout", "improved", "timeout", "improved", "improved"]
    assert done.column("score") == [None, 3.0, None, 2.0, 1.0]
    assert gone("301.25")
    warned = project.jumar("show", "2", "--json").json
    assert any("sleep" in text for text in warned["warnings"])


@pytest.mark.parametrize("point", ["maker", "evaluator"])
def test_c24_killed_in_the_middle(project: Project, tmp_path: Path, point: str) -> None:
    flag, ready = tmp_path / "hang", tmp_path / "ready"
    hang = f'if [ -f "{flag}" ] && [ "$(cat f.txt)" = 8 ]; then touch "{ready}"; sleep 300; fi'
    project.program("eval", f'{hang if point == "evaluator" else ":"}; echo "score: $(cat f.txt)"')
    project.program("maker", f"v=$(cat f.txt); echo $((v - 1)) > f.txt; {hang if point == 'maker' else ':'}")
    project.commit()
    flag.touch()
    command = ("run", *project.mission(*NAMED, "--iterations", "4"), "--json")
    killed = project.start(*command)
    wait_for(ready.exists)
    killed.kill()
    killed.communicate()
    flag.unlink()
    assert project.jumar("status", "--json").json["state"] in ("crashed", "waiting")
    done = project.jumar(*command)
    assert done.events[0]["resumed"] is True
    assert done.column("trial") == [2, 3, 4]
    assert done.end["kept"] == 4
    log = project.jumar("log", "--json").json
    assert [trial["trial"] for trial in log] == [0, 1, 2, 3, 4]
    assert [trial["score"] for trial in log] == [10.0, 9.0, 8.0, 7.0, 6.0]
    assert gone("sleep 300")
    assert len(list((project.root / ".jumar/runs").iterdir())) == 1


def test_c24_a_torn_last_row_is_set_aside(project: Project) -> None:
    project.run(*NAMED, "--iterations", "2")
    journal = project.folder() / "journal.jsonl"
    whole = journal.read_bytes().splitlines(keepends=True)
    # The end and the last settlement are lost, and a part of a row is there.
    journal.write_bytes(b"".join(whole[:-2]) + b'0123abcd {"seq":99,"bo')
    project.jumar("status")
    done = project.run(*NAMED, "--iterations", "3")
    assert done.end["kept"] == 3
    assert [trial["trial"] for trial in project.jumar("log", "--json").json] == [0, 1, 2, 3]
    for line in journal.read_text().splitlines():
        strict(line.partition(" ")[2])
    project.jumar("verify")


def test_c24_a_damaged_row_in_the_middle_is_refused(project: Project) -> None:
    project.run(*NAMED, "--iterations", "2")
    journal = project.folder() / "journal.jsonl"
    rows = journal.read_bytes().splitlines(keepends=True)
    rows[2] = b"garbage\n"
    journal.write_bytes(b"".join(rows))
    for command in (
        ["run", *project.mission(*NAMED, "--iterations", "9"), "--json"],
        ["status", "--json"],
        ["log", "--json"],
    ):
        error = project.jumar(*command, code=5).events[-1]
        assert (error["event"], error["kind"]) == ("error", "journal")
        assert "Line 3 " in error["message"]
        assert error["hint"]
    assert "Line 3 " in project.jumar("verify", "--json", code=5).json["problems"][0]
    assert journal.read_bytes() == b"".join(rows)
    assert project.run(*NAMED, "--iterations", "1", "--fresh").end["kept"] == 1
