from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from jumar.core.model import Job
from jumar.evaluators import explain_failing_baseline, log_path
from jumar.evaluators.diagnose import differences

if TYPE_CHECKING:
    from tests.evaluators.conftest import Place

JOB = Job(trial=3, lane=0, role="score", side="candidate", commit="c0ffee", sample=0, seed=42)
BASELINE = msgspec.structs.replace(JOB, trial=0)


def explain(place: Place, metric: str, **limits: int) -> str:
    evaluator = place.evaluator(metric)
    failed = evaluator.evaluate(BASELINE, place.tree)
    assert failed.error
    return explain_failing_baseline(
        failed,
        lambda copy: evaluator.rehearse(BASELINE, copy),
        tree=place.tree,
        checkout=place.checkout,
        **limits,
    )


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in sorted(folder.rglob("*"))}


@pytest.fixture
def carried(place: Place) -> Place:
    """A program that only the checkout has, beside what git carries."""
    for root in (place.tree, place.checkout):
        (root / "src").mkdir()
        (root / "src" / "main.py").write_text("x = 1\n")
    tools = place.checkout / ".venv" / "bin"
    tools.mkdir(parents=True)
    (tools / "pytst").write_text("#!/bin/sh\necho 12\necho touched >> written\n")
    (tools / "pytst").chmod(0o755)
    (place.checkout / "src" / "__pycache__").mkdir()
    (place.checkout / ".git").mkdir()
    return place


def test_c15_it_works_in_the_checkout_but_not_here(carried: Place) -> None:
    before = snapshot(carried.checkout)
    said = explain(carried, ".venv/bin/pytst")
    for part in (
        "`.venv/bin/pytst`",
        "exit code 127",
        "pytst: not found",
        str(carried.tree),
        "It works in your checkout but not here",
        "lacks `.venv`",
        "`carry: {.venv: copy}`",
        "`setup: <command>`",
    ):
        assert part in said
    assert snapshot(carried.checkout) == before
    assert "pytst: not found" in log_path(carried.run, BASELINE).read_text()
    assert (carried.run / "trials" / "0000" / "checkout.log").read_text() == "12\n"


def test_c15_it_fails_there_too(carried: Place) -> None:
    said = explain(carried, "pytst -q")
    assert "pytst: not found" in said
    assert "It fails in a copy of your checkout too." in said
    assert "carry" not in said


def test_c15_a_checkout_that_is_too_large_is_only_compared(carried: Place) -> None:
    for limits in ({"largest": 10}, {"most": 2}):
        said = explain(carried, ".venv/bin/pytst", **limits)
        assert "too large" in said
        assert "lacks `.venv`" in said
        assert not (carried.run / "trials" / "0000" / "checkout.log").exists()


def test_c15_what_the_failure_names_comes_first(carried: Place) -> None:
    for name in ("aaa", "data", "zeta.bin"):
        (carried.checkout / name).write_text("1\n")
    said = explain(carried, "cat zeta.bin")
    assert "lacks `zeta.bin`, `.venv`, `data`, `aaa`" in said
    assert "carry: {zeta.bin: copy, .venv: copy}" in said


def test_c15_a_change_that_is_not_committed(carried: Place) -> None:
    (carried.checkout / "src" / "main.py").write_text("print(3)\n")
    said = explain(carried, "python3 src/main.py")
    assert "It works in your checkout but not here" in said
    assert "committed state of `src/main.py`" in said


def test_c15_a_link_back_into_the_checkout_leads_into_the_copy(carried: Place) -> None:
    (carried.checkout / "cache").mkdir()
    (carried.checkout / "link").symlink_to(carried.checkout / "cache")
    before = snapshot(carried.checkout)
    assert "It works" in explain(carried, "echo 1 > link/score && cat link/score")
    assert snapshot(carried.checkout) == before


def test_c15_special_files_and_loops_do_not_stop_it(carried: Place) -> None:
    os.mkfifo(carried.checkout / "pipe")
    (carried.checkout / "loop").symlink_to(".")
    (carried.checkout / "dangling").symlink_to("nowhere")
    assert "It works" in explain(carried, ".venv/bin/pytst")


def test_c15_a_command_that_needs_git(carried: Place) -> None:
    said = explain(carried, "git log -1 --format=%ct")
    assert "the evaluation tree is no repository" in said


def test_topmost_entries_only(carried: Place) -> None:
    (carried.tree / "only-here").write_text("x")
    (carried.checkout / "src" / "local").mkdir()
    (carried.checkout / "src" / "local" / "f").write_text("x")
    found = differences(carried.checkout, carried.tree)
    assert (found.missing, found.changed) == ([".venv", "src/local"], [])
