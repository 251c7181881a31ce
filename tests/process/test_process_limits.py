"""However a command ends, nothing of it stays, and the end is told as it was."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from jumar.errors import JumarError
from jumar.process import Command, Limits, Supervisor, end_survivors, table, tree, watch
from jumar.process import supervisor as supervising
from jumar.process.table import Portable, Procfs

Shell = Callable[[str], Command]
Fresh = Callable[[], list[psutil.Process]]
SOON = 2.0
ENDED = r"^\d+ process(es were| was) still running and (was|were) ended: .*"
WAIT_FOR = "while [ ! -e ready ]; do sleep 0.01; done"


def deaf(seconds: int) -> str:
    """A shell line that TERM does not end."""
    return f"trap '' TERM; while :; do sleep {seconds}; done"


def test_exit_code_and_usage(supervisor: Supervisor, shell: Shell) -> None:
    result = supervisor.run(shell("echo out; echo err >&2; exit 3"))
    assert (result.code, result.signal, result.ended, result.warnings) == (3, None, "exit", ())
    assert result.tail.splitlines() == ["out", "err"]
    assert result.stderr_tail == "err\n"
    assert 0 < result.usage.seconds < SOON
    assert result.usage.cpu > 0


def test_a_signal_is_not_an_exit_code(supervisor: Supervisor, shell: Shell) -> None:
    result = supervisor.run(shell("kill -SEGV $$"))
    assert (result.code, result.signal, result.ended) == (None, signal.SIGSEGV, "exit")


def test_cpu_counts_the_whole_tree(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.15: pass"
    script = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])"
    result = supervisor.run(Command((sys.executable, "-c", script), tmp_path, env))
    assert result.usage.cpu >= 0.15


def test_peak_memory_is_in_bytes(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    script = "import time\nx = b'x' * 120_000_000\ntime.sleep(0.15)"
    result = supervisor.run(Command((sys.executable, "-c", script), tmp_path, env))
    assert 120_000_000 < result.usage.memory < 400_000_000


def test_peak_memory_is_not_that_of_this_process(supervisor: Supervisor, shell: Shell) -> None:
    ballast = b"x" * 100_000_000
    result = supervisor.run(shell("sleep 0.02"))
    assert 0 < result.usage.memory < 50_000_000 < len(ballast)


@pytest.mark.parametrize("line", ["sleep 300 & sleep 300", f"({deaf(300)}) & sleep 300"])
def test_c22_a_timeout_ends_grandchildren(supervisor: Supervisor, shell: Shell, line: str) -> None:
    began = time.monotonic()
    result = supervisor.run(shell(line), Limits(timeout=0.2, grace=0.1))
    assert result.ended == "timeout"
    assert result.signal == signal.SIGTERM
    assert 0.2 <= time.monotonic() - began < SOON


def test_c22_b_a_child_that_holds_stdout_is_not_waited_for(supervisor: Supervisor, shell: Shell) -> None:
    lines: list[str] = []
    began = time.monotonic()
    result = supervisor.run(
        shell("echo score: 3; sleep 300 & exit 0"), Limits(timeout=60), on_line=lines.append
    )
    assert time.monotonic() - began < SOON
    assert (result.code, result.ended, lines) == (0, "exit", ["score: 3"])
    (warning,) = result.warnings
    assert re.match(ENDED + "sleep 300", warning)
    assert result.usage.seconds < SOON


def test_c22_b_a_child_that_goes_on_writing(supervisor: Supervisor, shell: Shell, tmp_path: Path) -> None:
    line = "echo score: 3; trap '' TERM; yes noise & exit 0"
    result = supervisor.run(shell(line), Limits(timeout=60), tmp_path / "log")
    assert result.code == 0
    (warning,) = result.warnings
    assert re.match(ENDED + "yes noise", warning)
    assert (tmp_path / "log").read_text().startswith("score: 3\n")


def test_c22_c_a_command_that_ignores_term_is_killed(supervisor: Supervisor, shell: Shell) -> None:
    began = time.monotonic()
    result = supervisor.run(shell(deaf(300)), Limits(timeout=0.4, grace=0.2))
    assert (result.code, result.signal, result.ended) == (None, signal.SIGKILL, "timeout")
    assert 0.6 <= time.monotonic() - began < SOON


def test_c22_d_stdin_is_at_its_end(supervisor: Supervisor, shell: Shell) -> None:
    result = supervisor.run(shell("cat; echo done"), Limits(timeout=10))
    assert (result.ended, result.tail) == ("exit", "done\n")


def test_the_grace_is_for_cleaning_up(shell: Shell, tmp_path: Path) -> None:
    line = "trap 'echo bye; exit 7' TERM; touch ready; while :; do sleep 0.01; done"
    stoppable = Supervisor(None, str, (tmp_path / "ready").exists)
    result = stoppable.run(shell(line), Limits(grace=60), tmp_path / "log")
    assert (result.code, result.signal, result.ended) == (7, None, "stopped")
    assert (tmp_path / "log").read_text().endswith("bye\n")


@pytest.mark.parametrize(
    "line",
    [
        "setsid sleep 300 & exit 0",
        "(setsid sh -c \"trap '' TERM; sleep 300 & sleep 300\" >/dev/null 2>&1 &) & exit 0",
        "env -i setsid sleep 300 & exit 0",
        "(env -i setsid sh -c \"(trap '' TERM; sleep 300) & exit 0\" &) & exit 0",
    ],
    ids=["setsid", "daemon", "no environment", "daemon without environment"],
)
def test_what_left_the_session_is_ended(
    supervisor: Supervisor, shell: Shell, fresh: Fresh, line: str
) -> None:
    result = supervisor.run(shell(line + "; :"), Limits(timeout=60))
    assert result.code == 0
    assert len(result.warnings) == 1
    assert "sleep 300" in result.warnings[0]
    assert [child for child in fresh() if child.status() != psutil.STATUS_ZOMBIE] == []


def test_a_daemon_is_ended_by_the_limit_too(supervisor: Supervisor, shell: Shell) -> None:
    line = f'setsid sh -c "{deaf(300)}" & setsid sleep 300 & sleep 300'
    assert supervisor.run(shell(line), Limits(timeout=0.2, grace=0.1)).ended == "timeout"


def test_what_ends_by_itself_at_once_is_no_warning(supervisor: Supervisor, shell: Shell) -> None:
    lines: list[str] = []
    result = supervisor.run(shell("(sleep 0.03; echo late) & exit 0"), on_line=lines.append)
    assert (result.warnings, lines) == ((), ["late"])


def test_orphans_are_waited_for_while_the_command_runs(shell: Shell, fresh: Fresh) -> None:
    children: list[int] = []

    def seen_and_gone() -> bool:
        children.append(len(fresh()))
        return children[-1] == 1 and max(children) > 10

    line = "i=0; while [ $i -lt 20 ]; do (sleep 0.2 &) ; i=$((i+1)); done; sleep 300"
    assert Supervisor(None, str, seen_and_gone).run(shell(line), Limits(timeout=60)).ended == "stopped"


def test_memory_limit(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    script = "import time\nx = b'x' * 200_000_000\ntime.sleep(300)"
    command = Command((sys.executable, "-c", script), tmp_path, env)
    result = supervisor.run(command, Limits(memory=100_000_000, grace=0.2))
    assert result.ended == "oom"
    assert result.usage.memory > 100_000_000


def test_memory_limit_is_of_the_tree(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    hold = "x = b'x' * 60_000_000\nimport time\ntime.sleep(300)"
    start = f"subprocess.Popen([sys.executable, '-c', {hold!r}])"
    script = f"import subprocess, sys\nfor held in [{start} for _ in range(3)]: held.wait()"
    command = Command((sys.executable, "-c", script), tmp_path, env)
    assert supervisor.run(command, Limits(memory=150_000_000, grace=0.2)).ended == "oom"


def test_interrupted_ends_the_tree_soon(shell: Shell, tmp_path: Path) -> None:
    began = time.monotonic()
    stoppable = Supervisor(None, str, (tmp_path / "ready").exists)
    result = stoppable.run(shell("sleep 300 & touch ready; sleep 300"), Limits(grace=0.2))
    assert (result.ended, result.signal) == ("stopped", signal.SIGTERM)
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_exception_ends_the_tree_first(
    supervisor: Supervisor, shell: Shell, marker: str, error: type[BaseException]
) -> None:
    def stop(line: str) -> None:
        raise error(line)

    with pytest.raises(error, match="go"):
        supervisor.run(
            shell(f'(setsid sh -c "{deaf(300)}" &); echo go; sleep 300'), Limits(grace=0.1), None, stop
        )


def test_a_second_interrupt_only_shortens_the_grace(shell: Shell) -> None:
    def stop(line: str) -> None:
        if line == "go":
            raise KeyboardInterrupt
        raise ZeroDivisionError  # while the tree has its grace

    line = "trap 'echo not yet' TERM; echo go; while :; do sleep 0.01; done"
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        Supervisor(None, str, lambda: False).run(shell(line), Limits(grace=60), None, stop)
    assert time.monotonic() - began < SOON


def test_a_real_ctrl_c(supervisor: Supervisor, shell: Shell) -> None:
    started = threading.Event()

    def press() -> None:
        started.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        supervisor.run(shell("echo go; sleep 300"), Limits(grace=0.5), on_line=lambda _: started.set())
    thread.join()


def test_command_not_found(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    result = supervisor.run(Command(("no-such-program", "x"), tmp_path, env), log=tmp_path / "log")
    assert (result.code, result.ended) == (127, "exit")
    assert result.tail == result.stderr_tail == (tmp_path / "log").read_text()
    assert result.tail == "no-such-program: command not found\n"
    assert supervisor.run(Command("no-such-program", tmp_path, env)).code == 127


def test_a_file_that_is_no_program(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    result = supervisor.run(Command((str(tmp_path / "notes.txt"),), tmp_path, env))
    assert result.code == 126
    assert "cannot be run: Permission denied" in result.tail


def test_a_folder_that_is_not_there(supervisor: Supervisor, env: dict[str, str], tmp_path: Path) -> None:
    result = supervisor.run(Command(("true",), tmp_path / "gone", env))
    assert result.code == 127
    assert "gone does not exist" in result.tail


def test_lanes_do_not_end_each_others_children(supervisor: Supervisor, shell: Shell, tmp_path: Path) -> None:
    """One lane runs on with children of every kind while the other ends many commands beside it."""
    busy = "sleep 300 & setsid sleep 300 & (setsid sleep 300 &); touch ready; "
    busy += "while [ ! -e stop ]; do sleep 0.01; done; exit 5"
    results = []
    lane = threading.Thread(target=lambda: results.append(supervisor.run(shell(busy), Limits(timeout=60))))
    lane.start()
    supervisor.run(shell(WAIT_FOR))
    for _ in range(5):
        other = supervisor.run(shell("setsid sleep 301 & (setsid sleep 301 &); exit 4"), Limits(timeout=60))
        assert other.code == 4
        assert re.match(ENDED + "sleep 301", other.warnings[0])
        assert "300" not in other.warnings[0]
        assert supervisor.run(shell("sleep 302"), Limits(timeout=0.02, grace=0.2)).ended == "timeout"
    (tmp_path / "stop").touch()
    lane.join()
    assert results[0].code == 5
    assert re.match("3 processes .*: sleep 300; sleep 300; sleep 300$", results[0].warnings[0])


def test_many_lanes_at_once(shell: Shell, tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path / "registry", str, lambda: False)
    codes: dict[int, set[int | None]] = {lane: set() for lane in range(4)}

    def run(lane: int) -> None:
        for _ in range(5):
            codes[lane].add(
                supervisor.run(shell(f"(setsid sleep 300 &); exit {lane}"), Limits(timeout=60)).code
            )

    threads = [threading.Thread(target=run, args=(lane,)) for lane in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == {lane: {lane} for lane in codes}
    assert end_survivors(tmp_path / "registry") == []


def test_a_process_is_known_although_it_shows_no_environment_while_it_starts_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = tree.Tree()
    looks = iter([b"", b"", b"", ours.token.encode(), ours.token.encode()])
    monkeypatch.setattr(Procfs, "environ", lambda *_: next(looks))
    child = table.Seen(1, 0.0, os.getpid(), 1, zombie=False, rss=0)
    assert ours._claims(child, alone=False)


def test_a_child_of_the_host_program_is_not_ours(
    supervisor: Supervisor, shell: Shell, tmp_path: Path
) -> None:
    """A program that uses jumar as a library starts processes too, in its session or in one of their own."""
    children: list[subprocess.Popen[bytes]] = []

    def start(_: str) -> None:
        children.append(subprocess.Popen(["sleep", "300"]))
        children.append(subprocess.Popen(["sleep", "300"], start_new_session=True))

    supervisor.run(shell("echo go; sleep 0.1"), on_line=start)
    codes = [child.poll() for child in children]
    for child in children:
        child.kill()
        child.wait()
    assert codes == [None, None]


def test_the_subreaper_is_put_back(supervisor: Supervisor, shell: Shell) -> None:
    assert tree._subreaper() == 0
    supervisor.run(shell("true"))
    assert tree._subreaper() == 0


def test_the_fast_path_looks_at_no_stranger(
    supervisor: Supervisor, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Procfs) -> list[int]:
        raise AssertionError("the whole process list was read")

    monkeypatch.setattr(Procfs, "everyone", refuse)
    monkeypatch.setattr(psutil, "process_iter", refuse)
    monkeypatch.setattr(psutil, "pids", refuse)
    assert supervisor.run(Command(("true",), tmp_path, env)).code == 0
    monkeypatch.undo()  # the check that nothing is left reads it


def test_a_short_command_is_not_made_long(
    supervisor: Supervisor, env: dict[str, str], tmp_path: Path
) -> None:
    command = Command(("true",), tmp_path, env)

    def seconds(run: Callable[[], object]) -> float:
        began = time.perf_counter()
        run()
        return time.perf_counter() - began

    plain = min(seconds(lambda: subprocess.run(["true"], check=True)) for _ in range(20))
    assert min(seconds(lambda: supervisor.run(command)) for _ in range(20)) < plain + 0.02


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system without /proc, process handles and subreapers."""
    table.table.cache_clear()
    monkeypatch.setattr(table, "Procfs", Portable)
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.setattr(tree, "_become_subreaper", lambda _: False)
    yield
    table.table.cache_clear()


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("line", "limits", "expected"),
    [
        ("echo hello; exit 3", Limits(timeout=60), (3, "exit", 0)),
        ("trap '' TERM; sleep 300 & sleep 300", Limits(timeout=0.3, grace=0.2), (None, "timeout", 0)),
        ("sleep 300 & exit 0", Limits(timeout=60), (0, "exit", 1)),
        ("setsid sleep 300 & exit 0", Limits(timeout=60), (0, "exit", 1)),
    ],
)
def test_another_system_gets_the_same(
    supervisor: Supervisor, shell: Shell, line: str, limits: Limits, expected: tuple[object, ...]
) -> None:
    result = supervisor.run(shell(line), limits)
    assert (result.code, result.ended, len(result.warnings)) == expected


def test_a_kernel_without_process_handles(
    supervisor: Supervisor, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    result = supervisor.run(shell("sleep 300 & exit 3"))
    assert (result.code, len(result.warnings)) == (3, 1)


def test_what_will_not_die_is_named_and_stays_on_record(
    shell: Shell, fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "send", lambda *_: None)
    monkeypatch.setattr(watch, "_KILL_PATIENCE", 0.05)
    result = Supervisor(tmp_path / "registry", str, lambda: False).run(shell("setsid sleep 300 & exit 0"))
    assert re.match("1 process was killed and is still there: .*sleep 300", result.warnings[0])
    assert len(list((tmp_path / "registry").iterdir())) == 1
    (left,) = fresh()
    left.kill()
    left.wait()


def test_a_system_short_of_processes_is_an_error(
    supervisor: Supervisor, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(supervising, "_spawn", refuse)
    with pytest.raises(JumarError, match=r"^/bin/sh could not be started: Resource temporarily") as caught:
        supervisor.run(shell("true"))
    assert "ulimit" in caught.value.hint


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (["sleep 300"], "1 process was still running and was ended: sleep 300"),
        (["a", "b"], "2 processes were still running and were ended: a; b"),
        (["a", "b", "c", "d", "e"], "5 processes were still running and were ended: a; b; c; and 2 more"),
    ],
)
def test_leftovers_are_named(supervisor: Supervisor, ended: list[str], expected: str) -> None:
    assert supervisor._warnings(ended, []) == (expected,)


def test_a_lost_exit_status_is_an_error_and_not_a_success(supervisor: Supervisor, shell: Shell) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(JumarError, match="exit status of a command was lost"):
            supervisor.run(shell("exit 3"))
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_output_that_is_closed_early(supervisor: Supervisor, shell: Shell) -> None:
    result = supervisor.run(shell("echo before; exec >&- 2>&-; sleep 0.1; exit 3"))
    assert (result.code, result.tail) == (3, "before\n")


def test_an_interrupt_before_the_process_is_known(
    supervisor: Supervisor, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the fork and its record only the token tells whose the process is."""
    spawn = supervising._spawn
    children: list[subprocess.Popen[bytes]] = []

    def interrupted(command: Command, of: tree.Tree) -> None:
        children.append(spawn(command, of))
        raise KeyboardInterrupt

    monkeypatch.setattr(supervising, "_spawn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        supervisor.run(shell("sleep 300 & sleep 300"), Limits(grace=0.5))
    with pytest.raises(ChildProcessError):
        os.waitpid(children[0].pid, 0)
    with children[0]:
        pass
