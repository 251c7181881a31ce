"""What someone reads who is here for the first time."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jumar.cli.app import run


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "number.txt").write_text("8\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FLAGS = ["--file", "number.txt", "--metric", "cat number.txt", "--direction", "lower"]


def test_a_missing_mission_is_one_sentence_and_a_way_on(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"error: There is no mission.md in {repository}.",
        "hint: Write one with `jumar init`, or give --file, --metric and --direction. `jumar demo` needs neither.",
    ]


def test_flags_that_are_not_enough_are_named_one_by_one(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", *FLAGS[:2]]) == 2
    said = capsys.readouterr().err
    assert "`metric` is missing" in said
    assert "`direction` is missing" in said
    assert "`file` is missing" not in said


def test_the_summary_counts_every_trial(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maker = "command:case $JUMAR_TRIAL in 1) echo 7 > number.txt;; 2) echo none > number.txt;; esac"
    assert run(["run", *FLAGS, "--maker", maker, "--iterations", "3"]) == 0
    assert "1 kept, 0 discarded, 1 error, 1 without a change." in capsys.readouterr().err
    assert run(["status"]) == 0
    assert "trials    3: 1 kept, 0 discarded, 1 error, 1 without a change" in capsys.readouterr().out


def test_a_stop_says_what_it_did(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", *FLAGS]) == 0
    assert run(["stop"]) == 0
    assert "is stopped; `jumar run` goes on with it later." in capsys.readouterr().err


def test_check_does_not_miss_the_mission_itself(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mission.md").write_text("---\nfile: [number.txt]\nmetric: cat number.txt\ndirection: lower\n---\n")
    assert run(["check"]) == 0
    assert "Git does not carry" not in capsys.readouterr().out
