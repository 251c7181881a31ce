"""`ask`, `tell` and `stop`: one step of a run each, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

from jumar.cli import console, place
from jumar.cli.live import trial_line
from jumar.cli.running import interruptible
from jumar.compose import Opening, Run, choose, open_run
from jumar.core.events import Ended, Proposed, StopAsked
from jumar.core.mission import Mission
from jumar.core.model import Proposal, Trial
from jumar.core.records import end_object, exit_code, trial_object
from jumar.core.state import State, evolve
from jumar.errors import InterruptedRun, LockedError, RefusedError
from jumar.journal import Journal
from jumar.keeping import KEEPERS, render
from jumar.makers.papers import Papers, read_proposal
from jumar.mission import identity
from jumar.mission.nodes import from_flag
from jumar.mission.problems import MissionProblems, WrongError
from jumar.mission.values import duration
from jumar.runs import RunFolder
from jumar.workspace import Repository

POLL = 0.05


def ask_run(mission: Mission, repository: Repository, *, as_json: bool) -> int:
    """The brief of the trial that waits for its maker."""
    folder = choose(mission, repository, Opening(), identity(mission))
    again = folder.journal.exists() and folder.read_state().ended is None
    opening = Opening(observers=KEEPERS, resume=not again)
    with open_run(mission, repository, opening) as run, interruptible(run):
        try:
            waiting = run.session.ask()
        except InterruptedRun as interruption:
            run.session.end("interrupted", interruption.message)
            return exit_code(run.session.state)
        if waiting is None:
            return show_end(run, as_json=as_json)
        papers = Papers(run.folder.trial(waiting.trial.number))
        if not papers.markdown.exists() or papers.markdown.read_text("utf-8") != run.scrub(
            waiting.brief.text
        ):
            papers.lay_out(waiting.brief, run.scrub)
        answer = {
            "run": run.folder.id,
            "trial": waiting.trial.number,
            "brief": run.scrub(waiting.brief.text),
            "brief_path": str(papers.markdown),
            "worktree": str(run.workspace.tree(waiting.trial)),
            "proposal_path": str(papers.proposal),
        }
        if as_json:
            console.give_json(answer)
        else:
            console.give(run.scrub(waiting.brief.text))
            console.say(f"Edit the files in {answer['worktree']}, then run `jumar tell`.")
    return 0


def show_end(run: Run, *, as_json: bool) -> int:
    """The run is over: its views, and how it ended."""
    state = run.session.state
    render(run, state)
    if as_json:
        console.give_json({"state": "ended", **{k: v for k, v in end_object(state).items() if k != "event"}})
    else:
        console.say(f"The run is over: {state.ended.message if state.ended else ''}")
    return 0


def tell_run(name: str | None, said: dict[str, Any], wait: str | None, *, as_json: bool) -> int:
    """Take the proposal, measure it, and print what became of it."""
    patience = None if wait is None else seconds("--wait", wait)
    repository = place.repository()
    folder = place.run_folder(name)
    live, state = folder.is_live(), folder.read_state()
    number = pending(state)
    if number is None and (owed := promised(folder, state)) is not None:
        return show_trial(folder, state, owed, as_json=as_json)
    if live:
        return watch(folder, number, patience, as_json=as_json)
    if number is None:
        number = propose(folder, repository, said)
    if patience is None:
        advance_run(folder.id)
    else:
        start_worker(folder)
    return watch(folder, number, patience, as_json=as_json)


def propose(folder: RunFolder, repository: Repository, said: dict[str, Any]) -> int:
    """Log the proposal of the trial that waits for one; its number."""
    manifest = folder.read_manifest()
    with open_run(manifest.mission, repository, Opening(run=folder.id, resume=False)) as run:
        number = run.session.waiting()
        run.session.log(Proposed(number, proposal_of(run, number, said)))
    return number


def proposal_of(run: Run, number: int, said: dict[str, Any]) -> Proposal:
    """What the options and the proposal file say; the options count more."""
    import msgspec

    found = read_proposal(Papers(run.folder.trial(number)).proposal, run.scrub)
    if found.problem:
        raise RefusedError(
            f"The proposal was refused: {found.problem}", hint="Mend the file, or remove it, and tell again."
        )
    given = {
        key: run.scrub(value) if isinstance(value, str) else value
        for key, value in said.items()
        if value not in ("", None)
    }
    return msgspec.structs.replace(found.proposal, **given)


def pending(state: State) -> int | None:
    """The number of the trial that was told and is not finished."""
    return next((t.number for t in state.open.values() if t.kind == "change" and t.proposal), None)


def promised(folder: RunFolder, state: State) -> int | None:
    """The number of a finished trial that an earlier call left measuring, so that its end was told to nobody yet."""
    try:
        number = int(folder.promise.read_text())
    except (OSError, ValueError):
        return None
    return number if number < len(state.history) and not state.open else None


def seconds(flag: str, text: str) -> float:
    """The seconds of a duration given as an option; 0 looks once."""
    if text.strip() in ("0", "0s"):
        return 0.0
    try:
        return duration(from_flag(flag, text))
    except WrongError as error:
        raise MissionProblems([error.problem(flag)]) from error


def start_worker(folder: RunFolder) -> None:
    """A process of its own that carries the trial to its end, also when this one is gone."""
    command = [sys.executable, "-m", "jumar", "_advance", folder.id]
    subprocess.Popen(
        command,
        cwd=folder.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(folder.path / "advance.log").open("ab"),
        start_new_session=True,
    )


def advance_run(name: str) -> int:
    """Carry the told trial to its end, in this process."""
    repository = place.repository()
    manifest = place.run_folder(name).read_manifest()
    opening = Opening(run=manifest.run, resume=False, observers=KEEPERS)
    with open_run(manifest.mission, repository, opening) as run, interruptible(run):
        try:
            run.session.advance()
        except InterruptedRun as interruption:
            run.session.end("interrupted", interruption.message)
            return exit_code(run.session.state)
    return 0


def watch(folder: RunFolder, number: int | None, patience: float | None, *, as_json: bool) -> int:
    """Wait until a trial is finished, or the time is over; print what is known then."""
    if number is None:
        raise RefusedError(
            "Another process is driving this run.", hint="`jumar status` shows where it stands."
        )
    until = time.monotonic() + (float("inf") if patience is None else patience)
    seen_live = time.monotonic()
    while True:
        state = folder.read_state()
        if number < len(state.history):
            return show_trial(folder, state, number, as_json=as_json)
        trial = state.open.get(number)
        if trial and trial.reworks and trial.proposal is None:
            return show_rework(folder, trial, as_json=as_json)
        if state.ended or time.monotonic() >= until:
            break
        if folder.is_live():
            seen_live = time.monotonic()
        elif time.monotonic() - seen_live > 10:
            log = folder.path / "advance.log"
            raise RefusedError(
                f"The measurement of trial {number} ended early; see {log}.", hint="Tell again to go on."
            )
        time.sleep(POLL)
    folder.promise.write_text(f"{number}\n")
    if as_json:
        console.give_json({"state": "measuring", "run": folder.id, "trial": number})
    else:
        console.say(f"Trial {number} is still being measured; tell again to go on waiting.")
    return 0


def show_trial(folder: RunFolder, state: State, number: int, *, as_json: bool) -> int:
    """One finished trial."""
    folder.promise.unlink(missing_ok=True)
    trial = state.history[number]
    if as_json:
        console.give_json(trial_object(trial, state))
    else:
        console.give(trial_line(trial, state, folder.read_manifest().mission.iterations))
    return 0


def show_rework(folder: RunFolder, trial: Trial, *, as_json: bool) -> int:
    """A trial whose edit its maker has to mend."""
    message = trial.reworks[-1].message
    if as_json:
        console.give_json({"state": "rework", "run": folder.id, "trial": trial.number, "message": message})
    else:
        console.say(f"Trial {trial.number} has to be mended: {message}")
        console.say("hint: `jumar ask` prints what is wrong; mend the edit in the worktree, and tell again.")
    return 0


def stop_run(folder: RunFolder, *, now: bool, as_json: bool) -> int:
    """Ask the process that drives the run to end it; end it here when there is none."""
    state = folder.read_state()
    if state.ended:
        console.say(f"{folder.id} is over already: {state.ended.message}")
    else:
        folder.stop.write_text("now\n" if now else "after\n")
        live = folder.is_live()
        if not live:
            end_here(folder)
        ends = f"ends {'now' if now else 'after its current trial'}" if live else "is stopped"
        console.say(f"{folder.id} {ends}; `jumar run` goes on with it later.")
    if as_json:
        console.give_json({"run": folder.id, "state": "stopped" if folder.read_state().ended else "stopping"})
    return 0


def end_here(folder: RunFolder) -> None:
    """No process drives the run: write the end into its journal."""
    mission = folder.read_manifest().mission
    try:
        journal = Journal(folder.journal, time.time)
    except LockedError:
        return  # one came in between, and heeds the request
    state = State()
    for record in journal.replay():
        state = evolve(state, record, mission)
    journal.append(StopAsked())
    journal.append(Ended("stopped", "A stop was asked for."))
    journal.close()
    folder.stop.unlink(missing_ok=True)
