"""What a jumar that was killed leaves is ended at the next start, and a stranger never is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from jumar.process import end_survivors, registry
from jumar.process.registry import Owner, Process
from jumar.process.table import Procfs, Seen, send, table

DRIVER = """
import sys
from pathlib import Path
from jumar.process import Command, Supervisor, child_environment
import os
line, folder, record = sys.argv[1:]
supervisor = Supervisor(Path(record), str, lambda: False)
supervisor.run(Command(line, Path(folder), child_environment(os.environ)))
"""
DEAD = Owner(pid=2**22 + 1, start=1.0, boot=registry._boot())

Drive = Callable[[str], subprocess.Popen[bytes]]


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return tmp_path / "registry"


@pytest.fixture
def drive(tmp_path: Path, records: Path, env: dict[str, str]) -> Iterator[Drive]:
    """Another jumar that runs a line; it is in a group of its own, and its orphans come to no one here."""
    started = []

    def start(line: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", DRIVER, line, str(tmp_path), str(records)]
        paths = os.pathsep.join(path for path in sys.path if path)
        started.append(subprocess.Popen(command, env={**env, "PYTHONPATH": paths}, start_new_session=True))
        wait_for((tmp_path / "ready").exists)
        return started[-1]

    yield start
    for driver in started:
        driver.kill()
        driver.wait()


def tree_of(driver: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(driver.pid).children(recursive=True)


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


@pytest.mark.parametrize("how", ["group", "alone"])
@pytest.mark.parametrize(
    "line",
    [
        "sleep 300 & touch ready; sleep 300",
        "(setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' &); touch ready; sleep 300",
        "env -i sleep 300 & touch ready; sleep 300",
        "env -i setsid sleep 300 & touch ready; sleep 300",
    ],
    ids=["children", "daemon", "no environment", "no environment, own session"],
)
def test_survivors_of_a_killed_jumar_are_ended(
    drive: Drive, records: Path, how: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_GRACE", 0.2)
    driver = drive(line)
    assert end_survivors(records) == [], "its owner lives"
    tree = tree_of(driver)
    if how == "group":
        os.killpg(driver.pid, signal.SIGKILL)
    else:
        driver.kill()
    driver.wait()
    words = end_survivors(records)
    assert any("sleep 300" in sentence for sentence in words)
    assert all(sentence.endswith("was left by an earlier jumar and was ended.") for sentence in words)
    assert gone(tree)
    assert list(records.iterdir()) == []
    assert end_survivors(records) == []


def test_a_process_that_was_not_recorded_in_time_is_found_by_its_token(drive: Drive, records: Path) -> None:
    driver = drive("touch ready; sleep 300")
    tree = tree_of(driver)
    (record,) = records.iterdir()
    record.write_bytes(record.read_bytes().splitlines()[0][:-5])
    driver.kill()
    driver.wait()
    assert any("sleep 300" in sentence for sentence in end_survivors(records))
    assert gone(tree)


@pytest.fixture
def stranger(env: dict[str, str]) -> Iterator[psutil.Process]:
    child = subprocess.Popen(["sleep", "300"], env=env, start_new_session=True)
    yield psutil.Process(child.pid)
    assert child.poll() is None, "a stranger was ended"
    child.kill()
    child.wait()


def seen(pid: int) -> Seen:
    process = table().look(pid)
    assert process
    return process


def write(records: Path, owner: Owner, process: Process) -> None:
    records.mkdir()
    lines = [msgspec.json.encode(owner), msgspec.json.encode(process), b""]
    (records / "0123456789abcdef").write_bytes(b"\n".join(lines))


def test_a_stranger_with_a_recorded_number_lives(stranger: psutil.Process, records: Path) -> None:
    write(records, DEAD, Process(stranger.pid, seen(stranger.pid).start - 1))
    assert end_survivors(records) == []
    assert list(records.iterdir()) == []


def test_records_of_an_earlier_boot_mean_nothing(stranger: psutil.Process, records: Path) -> None:
    write(
        records, Owner(DEAD.pid, DEAD.start, "another boot"), Process(stranger.pid, seen(stranger.pid).start)
    )
    assert end_survivors(records) == []
    assert list(records.iterdir()) == []


def test_the_caller_is_never_ended_as_a_survivor(records: Path) -> None:
    """A maker that outlived its jumar may start the next one."""
    write(records, DEAD, Process(os.getpid(), seen(os.getpid()).start))
    assert end_survivors(records) == []


def test_no_registry_no_survivors(records: Path) -> None:
    assert end_survivors(records) == []


def test_send_spares_who_took_over_a_number(stranger: psutil.Process) -> None:
    before = seen(stranger.pid)
    send(before._replace(start=before.start - 1), signal.SIGKILL)


def test_the_record_is_there_before_the_process(
    tmp_path: Path, records: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from jumar.process import Command, Supervisor, supervisor

    class Killed(BaseException):
        pass

    tokens: list[str] = []

    def spawn(*_: object) -> None:
        tokens.extend(path.name for path in records.iterdir())
        raise Killed

    monkeypatch.setattr(supervisor, "_spawn", spawn)
    with pytest.raises(Killed):
        Supervisor(records, str, lambda: False).run(Command("true", tmp_path, env))
    assert len(tokens) == 1
    assert list(records.iterdir()) == []


def test_a_jumar_in_a_jumar_is_found_by_both_tokens(tmp_path: Path, env: dict[str, str]) -> None:
    from jumar.process import Command, Supervisor

    result = Supervisor(None, str, lambda: False).run(
        Command("echo $JUMAR_PROCESS", tmp_path, {**env, "JUMAR_PROCESS": "outer"})
    )
    outer, inner = result.tail.strip().split(":")
    assert (outer, len(inner)) == ("outer", 32)


def test_procfs_tells_what_it_sees() -> None:
    here = Procfs().look(os.getpid())
    assert here
    assert (here.pid, here.parent, here.session, here.zombie) == (
        os.getpid(),
        os.getppid(),
        os.getsid(0),
        False,
    )
    assert here.rss > 1_000_000
    assert Procfs().look(2**22 + 1) is None
    assert Procfs().children(2**22 + 1) == []
    assert Procfs().words(2**22 + 1) == ""
