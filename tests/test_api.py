from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import jumar
from jumar.errors import MissionError

MISSION = """---
goal: A smaller number
file: [number.txt]
metric: cat number.txt
direction: lower
policy: strict
iterations: {iterations}
---
"""


class Halver:
    """Halves the number, and remembers the briefs that it was given."""

    def __init__(self) -> None:
        self.briefs: list[jumar.Brief] = []

    def propose(self, brief: jumar.Brief, tree: Path) -> jumar.Proposal:
        self.briefs.append(brief)
        target = tree / "number.txt"
        target.write_text(f"{int(target.read_text()) // 2}\n")
        return jumar.Proposal(hypothesis="half is less", summary=f"halve, trial {brief.trial}")


class Ruler:
    """Measures how long the target is."""

    def evaluate(self, job: jumar.Job, tree: Path) -> jumar.Measurement:
        return jumar.Measurement(score=float(len((tree / "number.txt").read_text())), unit="characters")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small repository with a mission, and the folder that one stands in."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "number.txt").write_text("1000\n")
    (folder / "mission.md").write_text(MISSION.format(iterations=2))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


def test_a_maker_is_an_object(repository: Path) -> None:
    maker = Halver()
    state = jumar.run("mission.md", maker=maker)
    assert (state.baseline, state.best) == (1000.0, 250.0)
    assert state.ended is not None
    assert state.ended.reason == "iterations"
    assert [brief.best for brief in maker.briefs] == [1000.0, 500.0]
    assert [trial.outcome for trial in state.history] == ["baseline", "keep", "keep"]
    assert (repository / "number.txt").read_text() == "1000\n"


def test_a_run_from_python_leaves_what_the_command_line_leaves(repository: Path) -> None:
    state = jumar.run(maker=Halver())
    folder = repository / ".jumar" / "runs" / state.run
    for name in (
        "report.md",
        "progress.svg",
        "trials/0001/brief.md",
        "trials/0001/patch.diff",
        "trials/0002/proposal.json",
    ):
        assert (folder / name).stat().st_size > 0, name
    assert json.loads((folder / "mission.json").read_text())["maker"] == ["python:Halver"]


def test_a_larger_budget_goes_on_with_the_same_run(repository: Path) -> None:
    first = jumar.run(maker=Halver())
    more = jumar.load_mission("mission.md", {"iterations": "3"})
    again = jumar.run(more, maker=Halver())
    assert (again.run, again.best, len(again.history)) == (first.run, 125.0, 4)
    assert jumar.run(more, maker=Halver(), fresh=True).run != first.run


def test_a_maker_that_raises_leaves_the_trial_for_the_next_call(repository: Path) -> None:
    class Breaking(Halver):
        def propose(self, brief: jumar.Brief, tree: Path) -> jumar.Proposal:
            (tree / "number.txt").write_text("7\n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        jumar.run(maker=Breaking())
    state = jumar.run(maker=Halver())
    assert (len(state.history), state.best) == (3, 250.0)


def test_a_maker_may_be_named(repository: Path) -> None:
    state = jumar.run(maker="command:echo 5 > number.txt")
    assert state.best == 5.0


def test_without_a_maker_the_mission_names_it(repository: Path) -> None:
    mission = jumar.load_mission(flags={"file": ["number.txt"], "maker": ["command:echo 4 > number.txt"]})
    assert jumar.run(mission).best == 4.0


def test_an_evaluator_is_an_object(repository: Path) -> None:
    mission = jumar.load_mission("mission.md", {"guard": ["test -s number.txt"]})
    state = jumar.run(mission, maker=Halver(), evaluator=Ruler())
    assert (state.baseline, state.best, state.unit) == (5.0, 4.0, "characters")


def test_an_evaluator_that_raises_gives_no_score(repository: Path) -> None:
    class Broken(Ruler):
        def evaluate(self, job: jumar.Job, tree: Path) -> jumar.Measurement:
            raise ValueError("no ruler")

    state = jumar.run(maker=Halver(), evaluator=Broken())
    assert state.ended is not None
    assert (state.ended.reason, state.ended.message) == (
        "evaluator_broken",
        "Broken raised ValueError: no ruler",
    )


def test_ask_and_tell(repository: Path) -> None:
    with jumar.open_run() as run:
        waiting = run.session.ask()
        assert waiting is not None
        (run.workspace.tree(waiting.trial) / "number.txt").write_text("3\n")
        decision = run.session.tell(jumar.Proposal(summary="three"))
        assert (decision.verdict, decision.score) == ("KEEP", 3.0)
    assert jumar.run(maker=Halver()).best == 1.0


def test_a_folder_may_be_named(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert jumar.run(maker=Halver(), folder=repository).best == 250.0


def test_a_wrong_mission_is_an_error_of_ours(repository: Path) -> None:
    with pytest.raises(MissionError, match="direction"):
        jumar.load_mission("mission.md", {"direction": "sideways"})


def test_public_names() -> None:
    assert dir(jumar) == sorted(jumar.__all__)
    assert all(getattr(jumar, name) for name in jumar.__all__)
    with pytest.raises(AttributeError, match="no attribute 'climb'"):
        _ = jumar.climb  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = (
        "import jumar, sys; print(jumar.__version__, 'msgspec' in sys.modules, 'jumar.api' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == ["False", "False"]
