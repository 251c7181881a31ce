"""The morning report, in Markdown: what was gained, what was kept, what failed, what to do next."""

from __future__ import annotations

import re

from jumar.core.model import Trial
from jumar.core.records import errors, warnings
from jumar.core.text import clip
from jumar.core.views import Page
from jumar.core.words import count, duration, number, share

LAST = 60
WIDE = 160  # characters of a table's cell
TAG = re.compile(r"<(?=[a-zA-Z/!?])")


def render(page: Page) -> bytes:
    """The report of a run, finished or not."""
    parts = [
        headline(page),
        standing(page),
        picture(page),
        kept(page),
        table(page),
        set_up(page),
        following(page),
    ]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def headline(page: Page) -> str:
    """What the run was for, and what came of it."""
    state = page.state
    goal = (
        page.mission.goal or f"{page.mission.metric_name or 'the score'}, {page.mission.direction} is better"
    )
    end = line(state.ended.message) if state.ended else "The run is not over."
    return f"# {line(goal)}\n\n{result(page)}\n\n{end}"


def line(text: str) -> str:
    """Text that is not ours on one line, without what Markdown would take for HTML."""
    return TAG.sub("&lt;", " ".join(text.split()))


def result(page: Page) -> str:
    """One sentence on the outcome; a gain is called unverified until it was measured again."""
    state, mission = page.state, page.mission
    if state.baseline is None and state.best is None:
        return "**There is no score:** the baseline could not be measured."
    if state.best is None or not state.outcomes.get("keep"):
        return f"**Nothing was kept.** The baseline is {number(state.baseline, state.unit)}."
    if state.baseline is None:
        return f"**{number(state.best, state.unit)}**, from a baseline that failed."
    gain = mission.gain(state.best, state.baseline)
    percent = share(gain if mission.direction == "higher" else -gain, state.baseline)
    before, after = number(state.baseline, state.unit), number(state.best, state.unit)
    exact = "on an exact measure" if state.noise == 0 else "not yet measured again side by side"
    return f"**{before} → {after}** ({percent or number(gain, state.unit)}), {exact}."


def standing(page: Page) -> str:
    """The figures of the run."""
    state = page.state
    counts = state.outcomes
    rows = [
        ("run", f"`{state.run}`"),
        ("branch", f"`{state.branch}`"),
        ("trials", ", ".join([f"{state.used}: {counts.get('keep', 0)} kept", f"{counts.get('discard', 0)} discarded",
                              count(errors(state), "error"), f"{counts.get('noop', 0)} without a change"])),
        ("evaluations", str(state.evaluations)),
        ("time", duration(state.elapsed(state.last))),
        ("noise", "exact" if state.noise == 0 else f"about {number(state.noise, state.unit)}" if state.noise else "not measured"),
        ("integrity", page.integrity),
    ]  # fmt: skip
    return "\n".join(["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)])


def picture(page: Page) -> str:
    """The progress picture, where it was made."""
    return f"![Progress]({page.files['progress']})" if "progress" in page.files else ""


def kept(page: Page) -> str:
    """The kept changes with what each brought."""
    found = [trial for trial in page.state.history if trial.outcome == "keep"]
    more = [f"The last {LAST} of {count(len(found), 'kept change')}.", ""] if len(found) > LAST else []
    rows = [
        f"- trial {trial.number}: {line(trial.description) or 'no description'} — {line(_sentence(trial))}"
        for trial in found[-LAST:]
    ]
    return "\n".join(["## Kept", "", *more, *rows]) if rows else ""


def _sentence(trial: Trial) -> str:
    return trial.decision.sentence if trial.decision else ""


def table(page: Page) -> str:
    """The trials, newest last."""
    shown = page.state.history[-LAST:]
    left_out = len(page.state.history) - len(shown)
    more = (
        [f"The last {LAST} of {count(len(page.state.history), 'trial')}; all of them: `jumar log`.", ""]
        if left_out
        else []
    )
    rows = [_row(trial, page.state.unit) for trial in shown]
    return "\n".join(
        [
            "## Trials",
            "",
            *more,
            "| trial | outcome | score | what | why |",
            "| --- | --- | --- | --- | --- |",
            *rows,
        ]
    )


def _row(trial: Trial, unit: str | None) -> str:
    decision = trial.decision
    score = number(decision.score, unit) if decision and decision.score is not None else "–"
    cells = (str(trial.number), trial.outcome or "", score, trial.description, _sentence(trial))
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    # A backslash before the bar would escape the bar's own backslash, so it is doubled.
    return re.sub(r"(\\*)\|", r"\1\1\\|", line(clip(text, WIDE)))


def set_up(page: Page) -> str:
    """How the run was set up, and what that means."""
    odd = [words for trial in page.state.history for words in warnings(trial)]
    notes = [*page.notes, *list(dict.fromkeys(odd))[:LAST]]
    return "\n".join(["## Set-up and remarks", "", *(f"- {line(note)}" for note in notes)]) if notes else ""


def following(page: Page) -> str:
    """The commands that come next."""
    state = page.state
    lines = ["- `jumar log` shows every trial, `jumar show N` one of them, `jumar diff` the whole change."]
    if state.outcomes.get("keep"):
        lines.append(
            "- `jumar accept` hands the branch over; `jumar accept --patch FILE` writes it as a patch."
        )
    lines.append("- `jumar clean` removes the run's trees, references and files.")
    return "\n".join(["## Next", "", *lines])
