from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from jumar.core.model import Brief, Change, Decision, Proposal, Trial
from jumar.errors import InterruptedRun
from jumar.makers.command import CommandMaker, resolve
from jumar.process import Supervisor

SECRET = "token-4711"
FINISHED = Trial(
    number=1,
    kind="change",
    parent="c0",
    proposal=Proposal(hypothesis="larger is faster", summary="double the buffer"),
    change=Change("c1", "t1", "c0", files=("a.txt",)),
    decision=Decision("DISCARD", "regressed", "12 is worse than 10.", 12.0),
    best=10.0,
)


def brief(**fields: Any) -> Brief:
    given: dict[str, Any] = {
        "run": "faster-20260101-000000", "trial": 4, "goal": "faster", "direction": "lower", "targets": ("a.txt",),
        "folder": "", "seed": 9, "level": 0, "baseline": 11.0, "best": 10.0, "unit": "ms", "text": "# Trial 4\n",
        "history": [],
    }  # fmt: skip
    return Brief(**{**given, **fields})


class Place:
    def __init__(self, root: Path) -> None:
        self.tree, self.run, self.start = root / "tree", root / "run", root / "start"
        for folder in (self.tree, self.run, self.start):
            folder.mkdir()
        self.environment = dict(os.environ)
        self.interrupted: Callable[[], bool] = lambda: False

    def propose(self, command: str, given: Brief | None = None, timeout: float | None = 20.0) -> Proposal:
        scrub = lambda text: text.replace(SECRET, "[secret]")  # noqa: E731
        maker = CommandMaker(
            command,
            Supervisor(None, scrub, self.interrupted),
            self.run,
            start=self.start,
            environment=self.environment,
            scrub=scrub,
            timeout=timeout,
        )
        return maker.propose(given or brief(), self.tree)

    @property
    def trial(self) -> Path:
        return self.run / "trials" / "0004"

    def tell(self, text: str, after: str = "") -> Proposal:
        """A maker that writes this proposal."""
        (self.start / "told").write_text(text)
        return self.propose(f"cat {self.start / 'told'} > $JUMAR_PROPOSAL; echo my words{after}")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_edit_without_a_word_is_a_candidate(place: Place) -> None:
    proposal = place.propose("echo new > a.txt; echo done")
    assert (place.tree / "a.txt").read_text() == "new\n"
    assert (proposal.status, proposal.summary, proposal.words) == ("candidate", "", "done")
    assert proposal.usage.seconds > 0
    assert (place.trial / "maker.log").read_text() == "done\n"


def test_the_brief_in_words_and_as_data(place: Place) -> None:
    trials = [msgspec.structs.replace(FINISHED, number=number) for number in range(30)]
    place.propose("cp $JUMAR_BRIEF words; cp $JUMAR_BRIEF_JSON data", brief(history=trials))
    assert (place.tree / "words").read_text() == "# Trial 4\n"
    data = msgspec.json.decode((place.tree / "data").read_bytes())
    assert data.pop("history")[0] == {
        "trial": 10, "kind": "change", "outcome": "discard", "reason": "regressed", "sentence": "12 is worse than 10.",
        "score": 12.0, "best": 10.0, "delta_baseline": None, "delta_previous": None,
        "description": "double the buffer", "hypothesis": "larger is faster", "files": ["a.txt"],
    }  # fmt: skip
    assert data == {
        "run": "faster-20260101-000000", "trial": 4, "goal": "faster", "direction": "lower", "targets": ["a.txt"],
        "folder": "", "seed": 9, "level": 0, "baseline": 11.0, "best": 10.0, "unit": "ms", "protect": [], "rework": 0,
    }  # fmt: skip


def test_the_environment(place: Place) -> None:
    place.environment |= {"JUMAR_RESULT": "x", "JUMAR_SEED": "1"}
    (place.tree / "sub").mkdir()
    given = brief(folder="sub")
    proposal = place.propose(
        'echo $JUMAR_TRIAL $JUMAR_RUN; test "$PWD" = "$(pwd -P)" && env | grep -c JUMAR_[RS]', given
    )
    assert proposal.words == "4 faster-20260101-000000\n1"
    assert place.propose("pwd", given).words == str(place.tree / "sub")


def test_s32_no_git_variable_reaches_the_maker(place: Place, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "victim")], check=True)
    place.environment |= {
        "GIT_DIR": str(tmp_path / "victim" / ".git"),
        "GIT_INDEX_FILE": "/x",
        "GIT_WORK_TREE": "/y",
    }
    subprocess.run(["git", "init", "-q", str(place.tree)], check=True)
    assert (
        place.propose("env | grep -c ^GIT_; git rev-parse --absolute-git-dir").words
        == f"0\n{place.tree}/.git"
    )


def test_a_whole_proposal(place: Place) -> None:
    proposal = place.tell(
        '{"hypothesis": "h", "summary": "s", "expected": "e", "self_score": 7, "edit_type": "t", "targets": ["a.txt"],'
        ' "confidence": "HIGH", "diagnosis": "d", "notes": "n", "status": "candidate"}'
    )
    wanted = Proposal("h", "s", "e", 7.0, "t", ("a.txt",), "HIGH", "d", "n", words="my words")
    assert msgspec.structs.replace(proposal, usage=wanted.usage) == wanted


def test_c16_a_maker_that_does_nothing_leaves_its_words(place: Place) -> None:
    proposal = place.propose("echo 'cannot write: read-only sandbox' >&2")
    assert (proposal.status, proposal.words) == ("candidate", "cannot write: read-only sandbox")


@pytest.mark.parametrize("status", ["noop", "abort"])
def test_a_status_with_its_reason(place: Place, status: str) -> None:
    proposal = place.tell(f'{{"status": "{status}", "notes": "there is nothing to do"}}')
    assert (proposal.status, proposal.words) == (status, "there is nothing to do")
    assert place.tell(f'{{"status": "{status}"}}').words == "my words"


def test_unknown_keys_are_ignored_and_named(place: Place) -> None:
    proposal = place.tell('{"hypotesis": "x", "summary": "s", "extra": 1, "notes": null}')
    assert (proposal.status, proposal.summary) == ("candidate", "s")
    assert "`extra`, `hypotesis`" in proposal.words


def test_a_confidence_in_numbers(place: Place) -> None:
    assert place.tell('{"confidence": 0.8}').confidence == "0.8"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"summary": 3}', "`summary` is `3`"),
        ('{"self_score": "7"}', "`self_score` is `7`"),
        ('{"self_score": true}', "`self_score` is `true`"),
        ('{"self_score": NaN}', "`self_score`"),
        ('{"self_score": 1e999}', "`self_score`"),
        ('{"targets": "a.txt"}', "`targets` is `a.txt`"),
        ('{"targets": [1]}', "`targets` is an array"),
        ('{"status": "done"}', "`status` is `done`"),
        ('{"status": ["noop"]}', "one of candidate, noop, abort"),
        ('{"summary": "a", "summary": "b"}', "`summary` twice"),
        ("[]", "an array"),
        ("null", "`null`"),
        ('{"summary": ', "not valid JSON"),
        ('{"summary": "' + "x" * 1_000_001 + '"}', "larger than 1 MB"),
    ],
)
def test_a_proposal_that_is_wrong_names_the_field(place: Place, text: str, part: str) -> None:
    proposal = place.tell(text)
    assert proposal.status == "failed"
    assert part in proposal.words
    assert "my words" in proposal.words


@pytest.mark.parametrize(
    "line", ["mkfifo $JUMAR_PROPOSAL", "ln -s /etc/passwd $JUMAR_PROPOSAL", "mkdir $JUMAR_PROPOSAL"]
)
def test_a_proposal_that_is_no_file(place: Place, line: str) -> None:
    assert place.propose(line).status == "failed"
    assert place.propose("true").status == "candidate"


def test_an_empty_proposal_says_nothing(place: Place) -> None:
    assert place.tell("\n").status == "candidate"


def test_the_proposal_of_an_earlier_attempt_is_gone(place: Place) -> None:
    place.tell('{"summary": "first"}')
    assert place.propose("true").summary == ""


def test_c17_a_failure_is_told_in_the_makers_own_words(place: Place) -> None:
    proposal = place.propose("echo 'usage window spent; opens again 02:15 (Europe/Paris)'; exit 1")
    assert proposal.status == "failed"
    assert "usage window spent; opens again 02:15 (Europe/Paris)" in proposal.words
    assert "exit code 1" in proposal.words
    assert "It printed nothing." in place.propose("exit 1").words


def test_a_failure_counts_unless_the_proposal_names_a_status(place: Place) -> None:
    assert place.tell('{"summary": "s"}', "; exit 2").status == "failed"
    assert place.tell('{"summary": "s", "status": "candidate"}', "; exit 2").status == "candidate"
    assert place.tell('{"status": "abort"}', "; exit 2").status == "abort"


def test_c22_a_maker_over_its_time_fails_and_leaves_nothing(place: Place) -> None:
    proposal = place.propose(
        """echo '{"status":"candidate"}' > $JUMAR_PROPOSAL; echo thinking; sleep 321 & sleep 321""",
        timeout=0.3,
    )
    assert proposal.status == "failed"
    assert "300 ms" in proposal.words
    assert "`maker_timeout`" in proposal.words
    assert "thinking" in proposal.words
    assert not [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "321"]]


def test_a_stop_ends_the_maker(place: Place) -> None:
    place.interrupted = lambda: True
    with pytest.raises(InterruptedRun):
        place.propose("sleep 322")


def test_secrets_are_scrubbed_from_all_that_is_kept(place: Place) -> None:
    given = brief(text=f"use {SECRET}\n", goal=SECRET)
    (place.start / "told").write_text(f'{{"summary": "{SECRET}"}}')
    proposal = place.propose(f"cat {place.start / 'told'} > $JUMAR_PROPOSAL; echo {SECRET}", given)
    assert (proposal.summary, proposal.words) == ("[secret]", "[secret]")
    for path in place.trial.iterdir():
        assert SECRET not in path.read_text()


def test_many_words_are_cut(place: Place) -> None:
    words = place.propose("seq 1 100000; exit 1").words
    assert len(words) < 2300
    assert words.endswith("100000")


def script(folder: Path, name: str, line: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


def test_an_untracked_program_runs_from_where_jumar_was_started(place: Place) -> None:
    script(place.start, "m.sh", "pwd; echo $0")
    assert place.propose("./m.sh").words == f"{place.tree}\n{place.start}/m.sh"


def test_a_tracked_program_runs_in_the_worktree(place: Place) -> None:
    script(place.start, "m.sh", "echo $0")
    script(place.tree, "m.sh", "echo $0")
    assert place.propose("./m.sh").words == "./m.sh"


def test_a_program_that_edited_itself_does_not_run(place: Place) -> None:
    script(place.start, "tools/m.sh", "echo the user sees this")
    script(place.tree, "tools/m.sh", "echo something else")
    assert place.propose("tools/m.sh").words == "the user sees this"


def test_the_script_of_an_interpreter_is_found_too(place: Place) -> None:
    (place.start / "m.py").write_text("import sys; print(sys.argv[1:])")
    assert place.propose("python3 m.py a 'b c'").words == "['a', 'b c']"
    assert place.propose("X=1 python3 m.py a").words == "['a']"


@pytest.mark.parametrize(
    "command",
    [
        "echo out > m.sh",
        "m.sh",
        "cat m.sh",
        "sh -c ./m.sh",
        "'./m.sh'",
        './m"".sh',
        "./none.sh",
        "$X/m.sh",
        "",
        "(./m.sh)",
    ],
)
def test_nothing_else_of_a_command_is_touched(place: Place, command: str) -> None:
    script(place.start, "m.sh", "true")
    assert resolve(command, place.start, place.tree) == command


def test_a_folder_with_a_space_is_quoted(tmp_path: Path) -> None:
    start = tmp_path / "my work"
    script(start, "m.sh", "true")
    assert resolve("./m.sh -v && echo ok", start, tmp_path) == f"'{start}/m.sh' -v && echo ok"
    assert resolve("  A=1 ./m.sh;echo", start, tmp_path) == f"  A=1 '{start}/m.sh';echo"
