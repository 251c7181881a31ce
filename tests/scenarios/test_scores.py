"""Reading the score, through the whole program: the cases C01 to C12."""

from __future__ import annotations

from pathlib import Path

import pytest
from user import Project, strict

NAMED = ("--metric-name", "score")


def nothing_escaped(project: Project, said: str) -> None:
    """No escape byte in what was said, nor in any file of the run but the logs of git itself."""
    assert "\x1b" not in said
    for file in project.folder().rglob("*"):
        if file.is_file() and "workspace" not in file.parts:
            assert b"\x1b" not in file.read_bytes(), file
            assert b"\\u001b" not in file.read_bytes(), file


def test_c01_colour_codes(project: Project) -> None:
    project.outputs(
        "\x1b[1mscore\x1b[0m: \x1b[32m0.5000\x1b[0m\x1b[K\n",
        "\x1b[1mscore\x1b[0m: \x1b[32m0.8125\x1b[0m\x1b[K\n",
        "\x1b]0;a title\x07\x1b[38;5;1mscore\x1b[m\x1b[1;32m = 0.9\x1b(B\x1b[m\n",
    )
    done = project.run(*NAMED, "--direction", "higher", "--iterations", "2")
    assert done.baseline["matched"] == "score: 0.5000"
    assert done.column("score") == [0.8125, 0.9]
    nothing_escaped(project, done.out + done.err)
    shown = project.jumar("show", "1")
    assert "\x1b" not in shown.out
    assert "score: 0.8125" in shown.out


def test_c02_scientific_notation(project: Project) -> None:
    texts = ["0.01", "7.3e-05", "7.3E-5", "+1.2e+03", "-7.2e-05", ".5", "5."]
    project.outputs(*(f"val_loss: {text}\n" for text in texts))
    done = project.run("--metric-name", "val_loss", "--iterations", "6")
    assert done.column("score") == [0.000073, 0.000073, 1200.0, -7.2e-05, 0.5, 5.0]
    assert done.column("outcome") == ["keep", "discard", "discard", "keep", "discard", "discard"]


def test_c03_progress_bars(project: Project) -> None:
    bar = "epoch 1/3 acc=0.{0}0\repoch 2/3 acc=0.{0}5\repoch 3/3 acc=0.{0}9\ndone in 12.5s\n"
    project.outputs(bar.format(5), bar.format(9))
    pattern = ("--pattern", r"^epoch .* acc=([0-9.]+)", "--direction", "higher")
    done = project.run(*pattern, "--iterations", "1")
    assert (done.baseline["score"], done.column("score")) == (0.59, [0.99])

    refused = project.run("--direction", "higher", code=3)
    assert "12.5" in refused.end["message"]
    assert "0.59" in refused.end["message"]

    last = project.run("--parser", "last_number", "--no-probe", "--direction", "higher", "--iterations", "0")
    assert last.baseline["score"] == 12.5
    assert "12.5s" in last.baseline["matched"]


def test_c03_crlf(project: Project) -> None:
    project.outputs("score: 2\r\nother: 3\r\n", "score: 1\r\n")
    done = project.run(*NAMED, "--iterations", "1")
    assert (done.baseline["score"], done.column("score")) == (2.0, [1.0])
    assert "\\r" not in done.out


def test_c04_thousands_separators(project: Project) -> None:
    project.outputs(
        "v: 99 req/s\n",
        "v: 12,480.50 req/s\n",
        "v: 1,234,567 req/s\n",
        "v: 1,234 req/s\n",
        "v: 1_000 req/s\n",
    )
    done = project.run("--metric-name", "v", "--direction", "higher", "--iterations", "4")
    assert done.column("score") == [12480.5, 1234567.0, None, None]
    assert done.column("outcome") == ["keep", "keep", "error", "error"]
    assert done.column("reason")[2:] == ["unparseable"] * 2
    sentence = done.trials[2]["sentence"]
    assert "1234" in sentence
    assert "1.234" in sentence
    assert done.end["best"] == 1234567.0


def test_c05_decimal_comma(project: Project) -> None:
    project.outputs("score: 0.5\n", "score: 0,87\n")
    project.program("eval", 'echo "locale $LC_NUMERIC" >&2; cat out/$(cat f.txt 2>/dev/null || echo none)')
    project.commit()
    done = project.run(
        *NAMED,
        "--direction",
        "higher",
        "--iterations",
        "1",
        code=1,
        LC_NUMERIC="de_DE.UTF-8",
        LANG="de_DE.UTF-8",
    )
    (trial,) = done.trials
    assert (trial["outcome"], trial["score"], trial["reason"]) == ("error", None, "unparseable")
    assert "comma" in trial["sentence"]
    assert "LC_NUMERIC=C" in trial["sentence"]
    log = (project.folder() / "trials/0001/evaluation-1.log").read_text()
    assert "locale C" in log


def test_c05_locale_of_everything_else_stays(project: Project) -> None:
    project.program(
        "eval", 'echo "LC_ALL=[$LC_ALL] LANG=[$LANG] LC_NUMERIC=[$LC_NUMERIC]"; echo "score: $(cat f.txt)"'
    )
    project.commit()
    project.run(*NAMED, "--iterations", "0", LC_ALL="de_DE.UTF-8", LANG="fr_FR.UTF-8")
    log = (project.folder() / "trials/0000/evaluation-1.log").read_text()
    assert "LC_NUMERIC=[C]" in log
    assert "LC_ALL=[]" in log  # it would win over LC_NUMERIC
    assert "LC_ALL=[C]" not in log


def test_c06_units(project: Project) -> None:
    project.outputs("TOTAL    412     37    91.0%\n", "TOTAL 0.915\n", "TOTAL    412     37    92.5%\n")
    done = project.run("--pattern", r"^TOTAL.*?([0-9.]+%?)$", "--direction", "higher", "--iterations", "2")
    assert (done.baseline["score"], done.baseline["unit"]) == (91.0, "%")
    assert done.column("outcome") == ["error", "keep"]
    assert done.column("reason") == ["unit_changed", "improved"]
    assert "%" in done.trials[0]["sentence"]
    assert done.end["best"] == 92.5


def test_c06_milliseconds_then_seconds(project: Project) -> None:
    project.outputs("took: 12ms\n", "took: 0.011s\n", "took: 11 ms\n")
    done = project.run("--metric-name", "took", "--iterations", "2")
    assert done.baseline["unit"] == "ms"
    assert done.column("reason") == ["unit_changed", "improved"]
    assert "before" in done.trials[0]["sentence"]


@pytest.mark.parametrize("parser", ["last_json_line", "named"])
def test_c07_nan_and_infinity(project: Project, parser: str) -> None:
    values = ["0.50", "NaN", "-Infinity", "1e400", "-inf", "0.45"]
    form = '{{"pass":true,"score":{}}}\n' if parser == "last_json_line" else "score: {}\n"
    project.outputs(*(form.format(value) for value in values))
    how = ("--parser", parser) if parser == "last_json_line" else NAMED
    done = project.run(*how, "--iterations", "5")
    assert done.column("outcome") == ["error"] * 4 + ["keep"]
    assert set(done.column("best")[:4]) == {0.5}
    assert done.end["best"] == 0.45
    for line in (project.folder() / "journal.jsonl").read_text().splitlines():
        strict(line.partition(" ")[2])
    project.jumar("verify")


def test_c08_zero_is_a_score_and_a_target(project: Project) -> None:
    project.outputs("errors: 0\n", "errors: 1\n", "errors: -1\n")
    done = project.run("--metric-name", "errors", "--target-score", "0", "--no-probe")
    assert (done.baseline["score"], done.trials, done.end["reason"]) == (0.0, [], "target")


def test_c08_negative_scores(project: Project) -> None:
    results = [0, -0.2, 0.1]
    project.outputs(*(f'{{"pass":true,"score":{value}}}\n' for value in results))
    done = project.run(
        "--parser", "last_json_line", "--direction", "higher", "--iterations", "2", "--min-gain", "1%"
    )
    assert done.baseline["score"] == 0
    assert done.column("outcome") == ["discard", "keep"]
    assert done.end["best"] == 0.1

    project.counting(-3.5, -3.6, -3.61)
    done = project.run("--metric-name", "score", "--min-gain", "1%", "--iterations", "2")
    assert done.column("outcome") == ["keep", "discard"]
    assert done.column("delta_baseline")[0] == pytest.approx(-0.1)


def test_c09_wrong_types(project: Project) -> None:
    wrong = {
        '{"pass":"false","score":1}': "false",
        '{"pass":1,"score":1}': "pass",
        '{"pass":true,"score":true}': "true",
        '{"pass":true,"score":"0.9"}': "0.9",
        '{"score":0.9}': "pass",
        "null": "null",
        '{"pass":true,"score":1,"score":2}': "score",
        "[1]": "[1]",
    }
    project.outputs('{"pass":true,"score":0.5}\n', *wrong)
    done = project.run(
        "--evaluator", "contract", "--direction", "higher", "--iterations", str(len(wrong)), code=1
    )
    assert set(done.column("outcome")) == {"error"}
    for trial, seen in zip(done.trials, wrong.values(), strict=True):
        assert seen in trial["sentence"], trial
        assert trial["score"] is None


def test_c10_log_lines_round_the_json(project: Project) -> None:
    log = '[warn] using cpu\n{"note":"config"}\n%s\nSTATUS: done\n'
    good = '{"pass":true,"score":0.7}'
    project.outputs(
        log % '{"pass":true,"score":0.5}',
        log % good,
        '{"pass":true,"score":0.8,"notes":"STATUS: {\\"pass\\":true,\\"score\\":99}"}\n',
        good + "\n" + '{"pass":true,"score":9}\n',
    )
    done = project.run("--evaluator", "contract", "--direction", "higher", "--iterations", "3")
    assert done.column("score") == [0.7, 0.8, None]
    assert done.column("outcome") == ["keep", "keep", "error"]
    (warning,) = done.trials[0]["warnings"]
    assert "follows the result" in warning
    assert done.trials[1]["warnings"] == []
    assert warning in project.jumar("show", "1").out
    assert "parser: file" in done.trials[2]["sentence"]


def test_c10_the_result_file_is_a_channel_of_its_own(project: Project) -> None:
    project.program(
        "eval", 'echo \'{"pass":true,"score":-99}\'; echo "{\\"score\\": $(cat f.txt)}" > "$JUMAR_RESULT"'
    )
    project.commit()
    done = project.run("--parser", "file", "--iterations", "2")
    assert done.column("score") == [9.0, 8.0]


def test_c12_the_name_is_not_in_the_output(project: Project, tmp_path: Path) -> None:
    called = tmp_path / "called"
    project.outputs("accuracy: 0.8333\nlatency_ms: 41\n")
    project.program("maker", f"touch '{called}'")
    project.commit()
    done = project.run(*NAMED, code=3)
    assert done.end["reason"] == "evaluator_broken"
    for seen in ("score", "accuracy", "0.8333", "latency_ms", "41"):
        assert seen in done.end["message"]
    assert not called.exists()


def test_c12_in_mid_run(project: Project) -> None:
    project.outputs("score: 3\n", *["accuracy: 0.8\n"] * 9)
    done = project.run(*NAMED, "--iterations", "9", code=3)
    assert done.end["reason"] == "evaluator_broken"
    assert "accuracy" in done.end["message"]
    assert len(done.trials) == 5


def test_c09_half_a_character_in_the_notes(project: Project) -> None:
    project.outputs(
        '{"pass":true,"score":2}\n', '{"pass":true,"score":1,"notes":"half \\ud83d","\\udcff":3}\n'
    )
    done = project.run("--evaluator", "contract", "--iterations", "1")
    assert done.column("outcome") == ["keep"]
    project.jumar("verify")
