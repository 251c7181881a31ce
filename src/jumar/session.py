"""The shell of the loop: asks the machine what is next, does it through the ports, and logs what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jumar.core.events import (
    AnyEvent,
    Decided,
    Ended,
    Measured,
    Proposed,
    Record,
    Sealed,
    Settled,
    Steered,
    StopAsked,
)
from jumar.core.machine import (
    Decide,
    Evaluate,
    Experiment,
    Hypothesize,
    SendBack,
    Settle,
    next_action,
    next_trial,
)
from jumar.core.mission import Mission
from jumar.core.model import Change, Decision, EndReason, Proposal
from jumar.core.ports import Controls, Executor, Journal, Maker, Workspace
from jumar.core.state import State, evolve, fold
from jumar.core.stats import sound
from jumar.core.stopping import stop_reason
from jumar.errors import InterruptedRun, MakerError, RefusedError

Observer = Callable[[State, Record], None]


class Session:
    """One run. `run` drives a maker; `ask` and `tell` let an outside agent drive. Both walk the same machine.

    clock gives seconds since the epoch; observers see every record once it is written, with the state after it.
    """

    def __init__(
        self,
        mission: Mission,
        journal: Journal,
        workspace: Workspace,
        executor: Executor,
        *,
        clock: Callable[[], float],
        controls: Controls,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.mission = mission
        self.journal = journal
        self.workspace = workspace
        self.executor = executor
        self.clock = clock
        self.controls = controls
        self.observers = observers
        self.state = fold(journal.replay(), mission)

    def run(self, maker: Maker) -> State:
        """The loop until it ends. A stop or an interruption leaves the open trial for the next start."""
        try:
            while waiting := self.ask():
                self.workspace.checkout(waiting.trial)  # drops a killed maker's half edit
                self.tell(maker.propose(waiting.brief, self.workspace.tree(waiting.trial)))
        except InterruptedRun as interruption:
            asked = self.controls.stop_requested() == "now"
            self.end("stopped" if asked else "interrupted", interruption.message)
        except MakerError as broken:
            self.end("maker_broken", f"{broken.message} {broken.hint}".strip())
        return self.state

    def ask(self) -> Hypothesize | None:
        """The trial that waits for its maker, and its brief; None when the run is over. Asking again gives the same."""
        while not self.state.ended:
            if waiting := self.advance():
                return waiting
            self.look()
            self.listen()
            if end := stop_reason(self.state, self.mission, self.clock()):
                self.log(end)
            else:
                self.log(next_trial(self.state, self.mission))
        return None

    def tell(self, proposal: Proposal) -> Decision:
        """The maker is done with the open trial: seal, measure, decide, settle. Raises RefusedError when no trial is open."""
        number = self.waiting()
        self.log(Proposed(number, proposal))
        return self.conclude(number)

    def waiting(self) -> int:
        """The number of the trial that waits for its maker."""
        for trial in self.state.open.values():
            if trial.kind == "change" and trial.proposal is None:
                return trial.number
        raise RefusedError("No trial is waiting for a proposal.", hint="`jumar ask` opens one.")

    def conclude(self, number: int) -> Decision:
        """Carry a told trial to its end, also when an earlier process began that; RETRY where its maker has to mend it."""
        self.advance()
        if trial := self.state.open.get(number):
            return Decision("RETRY", "guard", trial.reworks[-1].message, trial.reworks[-1].score)
        told = next(trial for trial in reversed(self.state.history) if trial.number == number)
        assert told.decision is not None
        return told.decision

    def advance(self) -> Hypothesize | None:
        """Move every open trial as far as it goes without a maker; what waits for its maker, if something does."""
        while action := next_action(self.state, self.mission):
            match action:
                case Hypothesize():
                    return action
                case Experiment(trial):
                    self.log(self.sealed(trial.number))
                case Evaluate(job):
                    self.look()
                    self.log(Measured(job.trial, job.role, job.side, sound(self.executor.run(job))))
                case SendBack(event):
                    self.log(event)
                case Decide(trial, decision):
                    self.log(Decided(trial.number, decision))  # on disk before git moves
                case Settle(trial):
                    self.workspace.settle(trial)
                    self.log(Settled(trial.number))
        return None

    def sealed(self, number: int) -> Sealed:
        """The edit of a trial as a commit, or why it is none."""
        found = self.workspace.seal(self.state.open[number])
        if isinstance(found, Change):
            return Sealed(number, change=found)
        return Sealed(number, refusal=found)

    def look(self) -> None:
        """Heed what a person asked for. Raises InterruptedRun for a stop that cannot wait."""
        match self.controls.stop_requested():
            case "now" | "interrupt":
                raise InterruptedRun("The run was ended before this trial was done.")
            case "after" if not self.state.stop_asked:
                self.log(StopAsked())

    def listen(self) -> None:
        """Take up a hint of a person's between two trials, so that a brief once given stays as it was."""
        if (hint := self.controls.hint()) is not None:
            if hint != self.state.hint:  # a process that was killed may have come so far
                self.log(Steered(hint))
            self.controls.heard()

    def end(self, reason: EndReason, message: str) -> None:
        """End the run here, whatever is open."""
        self.log(Ended(reason, message))

    def log(self, event: AnyEvent) -> None:
        """The journal is the truth: write, then fold, then show."""
        record = self.journal.append(event)
        self.state = evolve(self.state, record, self.mission)
        for observe in self.observers:
            observe(self.state, record)
