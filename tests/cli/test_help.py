from __future__ import annotations

import subprocess
import sys

import pytest

from jumar.cli.app import COMMANDS, application, run, wanted
from jumar.cli.help import COMMANDS as HEADINGS
from jumar.mission.keys import ROWS


def test_every_command_stands_under_a_heading() -> None:
    placed = [name for names in HEADINGS.values() for name in names]
    assert sorted(placed) == sorted(name for name in COMMANDS if not name.startswith("_"))


def test_help_names_every_command_and_cuts_nothing_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "..." not in shown.replace("[ARGS]...", "")
    assert all(f"\n  {name} " in shown for name in COMMANDS if not name.startswith("_"))


def test_help_of_run_has_the_groups_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--help"]) == 0
    shown = capsys.readouterr().out
    groups = dict.fromkeys(row.group for row in ROWS if not row.later)
    places = [shown.index(f"\n{group}:\n") for group in groups]
    assert places == sorted(places)
    assert all(f"  {row.flag}" in shown for row in ROWS if not row.later)
    assert "--lanes" not in shown  # of a later version


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from jumar.cli.app import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"rich", "optuna", "msgspec", "yaml", "psutil", "numpy"} & set(done.stderr.split())


@pytest.mark.parametrize(("words", "command"), [(["run", "--fresh"], "run"), (["--help"], ""), ([], "")])
def test_only_the_command_that_is_wanted_is_made_whole(words: list[str], command: str) -> None:
    assert wanted(words) == command


def test_a_shell_that_completes_gets_every_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_JUMAR_COMPLETE", "complete_bash")
    assert wanted(["run", "--fr"]) is None
    names = {info.name: info.callback for info in application().registered_commands}
    assert set(names) == set(COMMANDS)


def test_a_wrong_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stat"]) == 2
    assert "status" in capsys.readouterr().err
