"""The folders of runs: names, manifests, which one is meant, and who may start."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from built import BASE, baseline, mission, started
from fakes import FakeClock
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.mission import Gain
from jumar.core.state import State
from jumar.errors import LockedError, RefusedError
from jumar.journal import Journal
from jumar.runs import Manifest, RunFolder, find_run, new_run, runs, slug, start_lock

NOW = 1_767_225_600.0  # the first second of 2026, in UTC


def manifest(run: str, **fields: object) -> Manifest:
    given = {"identity": "i", "mission": mission(), "version": "1", "origin": "main", "start": BASE}
    return Manifest(run=run, **(given | fields))  # type: ignore[arg-type]


def made(root: Path, name: str = "parser", now: float = NOW) -> RunFolder:
    """A new run with its manifest on disk."""
    folder = new_run(root, name, now)
    folder.path.mkdir(parents=True)
    folder.write_manifest(manifest(folder.id))
    return folder


def test_everything_of_a_run_is_in_its_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "r")
    home = tmp_path / ".jumar" / "runs" / "r"
    assert folder.path == home
    files = (folder.journal, folder.manifest, folder.stop, folder.processes, folder.report, folder.trial(7))
    assert [str(file.relative_to(home)) for file in files] == [
        "journal.jsonl", "mission.json", "stop", "processes", "report.md", "trials/0007",
    ]  # fmt: skip


def test_a_manifest_comes_back_as_it_was(tmp_path: Path) -> None:
    folder = made(tmp_path)
    aim = mission(
        min_gain=Gain(0.02, relative=True),
        time=60.0,
        carry={"data": "link"},
        goal="caf\udce9 ☕",
        file=("a\udcff.txt",),
        target_score=0.0,
    )
    wanted = manifest(
        folder.id, mission=aim, pinned={"bench.py": "f00"}, allowed=("--no-probe",), maker=("tune",)
    )
    folder.write_manifest(wanted)
    assert folder.read_manifest() == wanted
    assert [file.name for file in folder.path.iterdir()] == ["mission.json"]


@pytest.mark.parametrize("content", [None, b"", b"{", b"{}", b"[]", b'{"run": 1}', b"\xff\xfe"])
def test_a_damaged_manifest_is_refused_with_a_way_out(tmp_path: Path, content: bytes | None) -> None:
    folder = made(tmp_path)
    if content is None:
        folder.manifest.unlink()
    else:
        folder.manifest.write_bytes(content)
    with pytest.raises(RefusedError, match=r"mission\.json cannot be read") as caught:
        folder.read_manifest()
    assert "jumar clean" in caught.value.hint


def test_ids_carry_name_and_time_and_never_meet(tmp_path: Path) -> None:
    assert [made(tmp_path).id for _ in range(3)] == [
        "parser-20260101-000000", "parser-20260101-000000-2", "parser-20260101-000000-3",
    ]  # fmt: skip
    made(tmp_path, now=NOW + 1)
    ids = [run.id for run in runs(tmp_path)]
    assert ids[0] == "parser-20260101-000000"
    assert ids[-1] == "parser-20260101-000001"


def test_runs_are_listed_by_age_and_only_with_a_manifest(tmp_path: Path) -> None:
    assert runs(tmp_path) == []
    for name, now in (("b", NOW), ("a", NOW + 5), ("c", NOW - 5)):
        made(tmp_path, name, now)
    new_run(tmp_path, "half", NOW + 9).path.mkdir(parents=True)
    odd = RunFolder(tmp_path, "mine")
    odd.path.mkdir()
    odd.write_manifest(manifest("mine"))
    assert [run.id.partition("-")[0] for run in runs(tmp_path)] == ["mine", "c", "b", "a"]


def test_more_than_nine_runs_in_a_second_stay_in_order(tmp_path: Path) -> None:
    ids = [made(tmp_path).id for _ in range(12)]
    assert [run.id for run in runs(tmp_path)] == ids


def test_a_run_is_found_by_a_part_of_its_name(tmp_path: Path) -> None:
    first, second = made(tmp_path, "parser"), made(tmp_path, "lexer", NOW + 5)
    same = made(tmp_path, "parser")
    assert find_run(tmp_path, "lexer") == second
    assert find_run(tmp_path, second.id) == second
    assert find_run(tmp_path, first.id) == first, "an exact name is meant, though it begins another one"
    assert find_run(tmp_path, same.id) == same
    for name, words in (("parser", "names several runs"), ("nothing", "names no run")):
        with pytest.raises(RefusedError, match=words) as caught:
            find_run(tmp_path, name)
        assert first.id in caught.value.hint


def test_without_a_name_the_run_that_was_written_last_is_meant(tmp_path: Path) -> None:
    first, second = made(tmp_path), made(tmp_path, now=NOW + 5)
    made(tmp_path, now=NOW + 9)
    for folder, at in ((first, 2000), (second, 1000)):
        folder.journal.write_bytes(b"")
        os.utime(folder.journal, (at, at))
    assert find_run(tmp_path) == first


def test_where_there_is_no_run_the_way_to_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="There is no run") as caught:
        find_run(tmp_path)
    assert caught.value.hint == "Start one with `jumar run`."


def test_a_state_is_read_beside_its_writer(tmp_path: Path) -> None:
    folder = made(tmp_path)
    assert folder.read_state() == State()
    assert not folder.is_live()
    journal = Journal(folder.journal, FakeClock())
    assert folder.is_live()
    for event in [started(), *baseline(3.0)]:
        journal.append(event)
    assert folder.read_state().baseline == 3.0
    with folder.journal.open("ab") as file:
        file.write(b'deadbeef {"half')
    assert folder.read_state().baseline == 3.0
    journal.close()
    assert not folder.is_live()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Make the parser faster", "make-the-parser-faster"),
        ("Café ☕ Straße", "cafe-strae"),
        ("../../etc/passwd", "etc-passwd"),
        ("☕", "run"),
        ("", "run"),
        ("one two three four five six seven", "one-two-three-four-five-six"),
        ("x" * 50, "x" * 32),
        ("a.lock", "a-lock"),
    ],
)
def test_a_slug_is_short_and_plain(text: str, name: str) -> None:
    assert slug(text) == name


@given(st.text(max_size=80))
def test_every_slug_is_a_path_and_a_branch(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(text))
    assert len(slug(text)) <= 32


def test_only_one_start_of_a_mission_at_a_time(tmp_path: Path) -> None:
    with start_lock(tmp_path, "a"):
        with start_lock(tmp_path, "b"):
            pass
        with (
            pytest.raises(LockedError, match="Another process is running this mission") as caught,
            start_lock(tmp_path, "a"),
        ):
            pass
        assert "jumar status" in caught.value.hint
    with start_lock(tmp_path, "a"):
        pass


def test_the_time_of_a_run_is_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "XYZ-2")
        time.tzset()
        assert new_run(tmp_path, "r", NOW).id == "r-20260101-020000"
    time.tzset()
