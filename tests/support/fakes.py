"""The ports over plain memory: real, small implementations that many tests drive a session with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jumar.core.events import AnyEvent, Record, Resumed, Started
from jumar.core.mission import Mission
from jumar.core.model import Brief, Change, Job, Measurement, Proposal, Refusal, Trial
from jumar.journal import FIRST, digest, line_of, parse
from jumar.session import Observer, Session

TARGET = "a.txt"
RUN = "fake-20260101-000000"


class FakeClock:
    """Seconds that pass when they are asked for, one a look."""

    def __init__(self, now: float = 1000.0, step: float = 1.0) -> None:
        self.now = now
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class MemoryJournal:
    """Whole journal lines, in a list that outlives the sessions on it."""

    def __init__(self, clock: Callable[[], float], lines: list[bytes] | None = None) -> None:
        self.lines = [] if lines is None else lines
        self.clock = clock

    def append(self, event: AnyEvent) -> Record:
        prev = digest(self.lines[-1]) if self.lines else FIRST
        self.lines.append(line_of(Record(len(self.lines), self.clock(), prev, event)))
        return parse(self.lines[-1])

    def replay(self) -> Iterator[Record]:
        yield from map(parse, self.lines)

    def close(self) -> None:
        """Nothing is held."""


def hashed(text: str) -> str:
    """A name for content, as git gives one."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class DictWorkspace:
    """One file, `a.txt`, whose commits are entries of a dictionary. `boom` is called before every step."""

    def __init__(self, folder: Path, content: str, boom: Callable[[str], None] = lambda step: None) -> None:
        self.folder = folder
        self.boom = boom
        self.base = hashed(f"commit:{content}:")
        self.commits = {self.base: content}
        self.branch = self.base
        self.refusals: dict[str, Refusal] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self.put(self.base)

    @property
    def file(self) -> Path:
        return self.folder / TARGET

    def put(self, commit: str) -> None:
        self.file.write_text(self.commits[commit])

    def tree(self, trial: Trial) -> Path:
        return self.folder

    def checkout(self, trial: Trial) -> None:
        self.boom("checkout")
        self.put(trial.start)

    def seal(self, trial: Trial) -> Change | Refusal | None:
        self.boom("seal")
        content, before = self.file.read_text(), self.commits[trial.parent]
        if content in self.refusals:
            return self.refusals[content]
        if content == before:
            return None
        commit = hashed(f"commit:{content}:{trial.parent}")
        self.commits[commit] = content
        excerpt = f"-{before}\n+{content}\n"
        return Change(
            commit,
            hashed(f"tree:{content}"),
            trial.parent,
            (TARGET,),
            len(content.splitlines()),
            len(before.splitlines()),
            excerpt,
        )

    def settle(self, trial: Trial) -> None:
        self.boom("settle")
        if trial.decision and trial.decision.verdict == "KEEP" and trial.change:
            self.branch = trial.change.commit
        self.put(self.branch)


@dataclass
class ScriptedMaker:
    """Writes the text that stands for the trial's number; an entry may be a proposal or an error instead.

    The last entry stands for every later trial.
    """

    script: Sequence[str | Proposal | Exception]
    boom: Callable[[str], None] = lambda step: None
    briefs: list[Brief] = field(default_factory=list)

    def propose(self, brief: Brief, tree: Path) -> Proposal:
        self.boom("propose")
        self.briefs.append(brief)
        entry = self.script[min(brief.trial, len(self.script)) - 1]
        if isinstance(entry, Exception):
            raise entry
        if isinstance(entry, Proposal):
            return entry
        (tree / TARGET).write_text(entry)
        return Proposal(summary=f"write {entry}")


Answer = Measurement | float


@dataclass
class TableExecutor:
    """Measures a commit by its content: the table's answers for it in order of the samples, the last one again and again."""

    workspace: DictWorkspace
    table: Mapping[str, Answer | Sequence[Answer]]
    boom: Callable[[str], None] = lambda step: None
    jobs: list[Job] = field(default_factory=list)

    def run(self, job: Job) -> Measurement:
        self.boom("evaluate")
        self.jobs.append(job)
        content = "" if job.role == "probe" else self.workspace.commits[job.commit]
        key = f"{job.role}:{content}" if job.role != "score" else content
        answers = self.table[key] if key in self.table else self.table[content]
        if isinstance(answers, Sequence):
            answers = answers[min(job.sample, len(answers) - 1)]
        return Measurement(score=answers) if isinstance(answers, float) else answers


@dataclass
class FakeControls:
    """What a person asks for: nothing, until a test says so."""

    asked: str | None = None
    said: str | None = None

    def stop_requested(self) -> str | None:
        return self.asked

    def hint(self) -> str | None:
        return self.said

    def heard(self) -> None:
        self.said = None


class World:
    """A run in memory: trees, journal lines and controls outlive the processes (sessions) that open it."""

    def __init__(
        self,
        folder: Path,
        mission: Mission,
        table: Mapping[str, Answer | Sequence[Answer]],
        content: str = "base",
        boom: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.mission = mission
        self.boom = boom
        self.clock = FakeClock()
        self.lines: list[bytes] = []
        self.controls = FakeControls()
        self.workspace = DictWorkspace(folder, content, boom)
        self.executor = TableExecutor(self.workspace, table, boom)
        self.observers: list[Observer] = []

    def open(self, *, announce: bool = True) -> Session:
        """A session as a new process would have it. Opening is resuming."""
        session = Session(
            self.mission,
            MemoryJournal(self.clock, self.lines),
            self.workspace,
            self.executor,
            clock=self.clock,
            controls=self.controls,
            observers=self.observers,
        )
        if not self.lines:
            session.log(Started(RUN, self.workspace.base, "jumar/fake", "hash"))
        elif announce:
            session.log(Resumed("hash"))
        return session

    def records(self) -> list[Record]:
        return list(map(parse, self.lines))


def story(session: Session) -> list[tuple[object, ...]]:
    """What must be the same however a run was driven: everything but times."""
    return [
        (t.number, t.kind, t.parent, t.level, t.proposal, t.change, t.refusal, t.repeat_of, t.samples,
         t.decision, t.best, t.delta_baseline, t.delta_previous)
        for t in session.state.history
    ]  # fmt: skip
