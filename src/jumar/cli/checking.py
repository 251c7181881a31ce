"""`jumar check`: the baseline of a run that leaves no trace, and what it tells before money is spent."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from typing import Any

from jumar.cli import console
from jumar.cli.finishing import clean_run
from jumar.cli.running import interruptible
from jumar.compose import CONTAINED, Opening, Run, open_run
from jumar.core.cautions import after_baseline
from jumar.core.mission import Mission
from jumar.core.state import State
from jumar.core.words import count, duration, number, share
from jumar.evaluators.diagnose import differences
from jumar.mission.discover import NAME
from jumar.workspace import Repository

MARKS = {"ok": ("ok", "32"), "note": ("note", "33"), "wrong": ("wrong", "31")}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: "ok", "note" or "wrong"; what was seen, and what to do about it."""

    level: str
    topic: str
    message: str
    hint: str = ""


def check_mission(mission: Mission, repository: Repository, *, as_json: bool) -> int:
    """Measure the base in trees of its own, remove them, and print the findings; exit 3 when the baseline fails."""
    import msgspec

    alone = msgspec.structs.replace(mission, iterations=0)
    opening = Opening(fresh=True, purpose="check")
    with open_run(alone, repository, opening) as run, interruptible(run):
        state = run.session.run(run.maker())
        findings = [*setting(run, mission), *measured(run, state, mission), *lacking(run)]
    clean_run(run.folder, branch=True)
    if not any((repository.root / ".jumar" / "runs").iterdir()):
        shutil.rmtree(repository.root / ".jumar")
    show(findings, state, as_json=as_json)
    if state.ended and state.ended.reason == "interrupted":
        return 130
    return 3 if any(f.level == "wrong" for f in findings) else 0


def setting(run: Run, mission: Mission) -> list[Finding]:
    """The mission and the repository as jumar understands them."""
    repository = run.repository
    where = f"branch {repository.branch}" if repository.branch else "a detached HEAD"
    better = f"{mission.direction} is better"
    judge = f"{mission.metric}, parser {mission.parser}, {better}"
    pinned = ", ".join(run.manifest.pinned) or "nothing"
    return [
        Finding(
            "ok",
            "mission",
            f"Edits {', '.join(mission.file)} by {', '.join(mission.maker)}; judged by `{judge}`.",
        ),
        Finding(
            "ok", "git", f"Starts from {where} at {repository.head[:12]}; works in {run.workspace.worktree}."
        ),
        *(Finding("note", "set-up", note) for note in run.notes),
        Finding("note", "sandbox", CONTAINED),
        Finding("ok", "integrity", f"{run.integrity}: pinned for the judge: {pinned}."),
    ]


def measured(run: Run, state: State, mission: Mission) -> list[Finding]:
    """What the evaluator said of the base."""
    trial = state.last_trial
    if trial is None or trial.decision is None:
        return [Finding("wrong", "baseline", state.ended.message if state.ended else "It was not measured.")]
    if trial.outcome == "error":
        return [
            Finding(
                "wrong", "baseline", trial.decision.sentence, "Mend the evaluator, or what it needs, first."
            )
        ]
    runs = trial.runs()
    seconds = sum(m.usage.seconds for m in runs) / len(runs)
    matched = f", read from {runs[-1].matched!r}" if runs[-1].matched else ""
    message = f"{number(state.baseline, state.unit)}{matched}; {count(len(runs), 'run')} of {duration(seconds)} each."
    return [
        Finding("ok", "baseline", message),
        noise(state),
        *(Finding("note", "noise", caution) for caution in after_baseline(state, mission)),
        *probed(mission),
        Finding("ok", "budget", budget(mission, seconds)),
    ]


def noise(state: State) -> Finding:
    """How much two runs of the same content differ, and the smallest gain that can be told from it."""
    if state.noise is None:
        return Finding("note", "noise", "It was measured once, so its noise is not known.")
    if state.noise == 0:
        return Finding("ok", "noise", "Every run gave the same number: the measure is exact so far.")
    least = number(2 * state.noise, state.unit)
    percent = share(2 * state.noise, state.baseline or 0.0).lstrip("+")
    seen = f"About {number(state.noise, state.unit)} from run to run; a gain above {least}"
    return Finding("ok", "noise", f"{seen}{f' ({percent})' if percent else ''} can be told from luck.")


def probed(mission: Mission) -> list[Finding]:
    """The probe passed, or was switched off."""
    if mission.probe:
        return [Finding("ok", "probe", "Without the target the evaluator answers otherwise, so it reads it.")]
    return [
        Finding("note", "probe", "It was not checked that the evaluator reads the target (`--no-probe`).")
    ]


def budget(mission: Mission, seconds: float) -> str:
    """About how many proposals the budget buys, the maker's own time aside."""
    each = max(1, mission.repeats) * seconds
    parts = []
    if mission.iterations is not None:
        parts.append(
            f"{count(mission.iterations, 'trial')}, about {duration(mission.iterations * each)} of measuring"
        )
    if mission.time is not None:
        parts.append(
            f"{duration(mission.time)}, at most about {int(mission.time / each) if each else 0} trials"
        )
    return (
        f"{'; '.join(parts) or 'No limit: it runs until it is stopped'}; the maker's own time comes on top."
    )


def lacking(run: Run) -> list[Finding]:
    """What is in the checkout and not in the trees."""
    lacks = differences(run.repository.root, run.workspace.evaluation_tree(0, run.workspace.base))
    missing = sorted(set(lacks.missing) - {NAME})
    if not missing:
        return []
    names = ", ".join(missing[:8])
    more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
    hint = f"If the evaluator needs it: `carry: {{{missing[0]}: copy}}` or `setup: <command>`."
    return [Finding("note", "worktree", f"Git does not carry {names}{more}.", hint)]


def show(findings: list[Finding], state: State, *, as_json: bool) -> None:
    """All findings, as lines or as one object."""
    if as_json:
        console.give_json(summary(findings, state))
        return
    for finding in findings:
        mark, colour = MARKS[finding.level]
        console.give(f"{console.paint(f'{mark:<6}', colour)} {finding.topic:<10} {finding.message}")
        if finding.hint:
            console.give(f"{'':17} hint: {finding.hint}")


def summary(findings: list[Finding], state: State) -> dict[str, Any]:
    """What programs read."""
    return {
        "ok": all(f.level != "wrong" for f in findings),
        "baseline": state.baseline,
        "unit": state.unit,
        "noise": state.noise,
        "findings": [asdict(finding) for finding in findings],
    }
