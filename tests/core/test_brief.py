from __future__ import annotations

import pytest
from built import BASE, baseline, change, failure, long_run, mission, score, state_of, trial

from jumar.core.brief import compose, fenced
from jumar.core.events import Steered, TrialOpened
from jumar.core.mission import Mission
from jumar.core.model import Brief, Decision, Proposal
from jumar.core.state import State, fold

WORSE = Decision("DISCARD", "regressed", "2 is worse than 1 by 100.00 %.", 2.0)
KEEP = Decision("KEEP", "improved", "Better.", 0.5)


def brief(aim: Mission, state: State, level: int = 0) -> Brief:
    from jumar.core.model import Trial

    return compose(Trial(state.next_number, "change", state.head, level=level), state, aim)


def test_the_first_brief_says_what_to_do() -> None:
    aim = mission(
        goal="Be fast", notes="Keep the output.", guard=("pytest -q",), target_score=0.5, folder="app"
    )
    found = brief(aim, state_of(aim, baseline(1.0, noise=0.1, unit="ms")))
    for words in (
        "# Trial 1 of parser-20260101-000000", "Be fast\n\nKeep the output.", "- May be edited: `a.txt`",
        "- Measure: `python measure.py`, lower is better", "- Must still pass: `pytest -q`", "- Baseline: 1 ms",
        "- Best so far: 1 ms", "Noise of one evaluation: about 0.1 ms", "- Target: 0.5 ms",
    ):  # fmt: skip
        assert words in found.text
    for words in ("## The last trials", "## Tried and put back", "printed last", "Level"):
        assert words not in found.text
    assert (found.run, found.trial, found.folder, found.unit) == ("parser-20260101-000000", 1, "app", "ms")
    assert (found.baseline, found.best, found.direction, found.targets) == (1.0, 1.0, "lower", ("a.txt",))
    assert len(found.history) == 1


def test_a_brief_repeats_what_its_owner_said_last() -> None:
    aim = mission()
    said = [Steered("Mind the cache."), Steered("Mind the disk.")]
    text = brief(aim, state_of(aim, baseline(1.0), said)).text
    assert "## A word from the person whose run this is\n\nMind the disk.\n" in text
    assert "cache" not in text
    assert "A word from" not in brief(aim, state_of(aim, baseline(1.0), said, [Steered("")])).text


def test_a_later_brief_says_what_was_tried() -> None:
    aim = mission()
    crash = Decision("ERROR", "crash", "It crashed.")
    state = state_of(
        aim,
        baseline(1.0),
        trial(1, score(0.5), decision=KEEP, said="good"),
        trial(2, score(2.0), decision=WORSE, said="bad"),
        trial(3, failure(words="Traceback: boom"), decision=crash, said=""),
    )
    found = brief(aim, state, level=2)
    for words in (
        "Best so far: 0.5 (trial 1)", "- Level 2: 2 trials in a row brought no gain",
        "- 1: good: keep (improved), 0.5", "- 2: bad: discard (regressed), 2", "- 3: idea 3: error (crash), none",
        "2. bad: 2 is worse than 1 by 100.00 %.\n\n```text\n-old 2\n+new 2\n```", "printed last\n\n```text\nTraceback: boom",
    ):  # fmt: skip
        assert words in found.text
    assert "+new 1" not in found.text
    assert found.level == 2


def test_a_trial_without_words_has_a_line_too() -> None:
    aim = mission()
    events = trial(1, decision=WORSE)
    events[1] = type(events[1])(1, Proposal())  # type: ignore[call-arg]
    found = brief(aim, state_of(aim, baseline(1.0), events))
    assert "- 1: no description: discard" in found.text
    assert "1. no description: 2 is worse" in found.text


def test_a_brief_before_the_baseline() -> None:
    aim = mission(direction="higher")
    found = brief(aim, state_of(aim, [TrialOpened(0, "baseline", BASE)]))
    assert "- Baseline: none" in found.text
    assert "higher is better" in found.text


@pytest.mark.parametrize("inside", ["plain", "```", "````\nx\n```", ""])
def test_text_of_others_cannot_close_its_fence(inside: str) -> None:
    lines = fenced(inside).splitlines()
    fence = lines[-1]
    assert set(fence) == {"`"}
    assert lines[0] == f"{fence}text"
    assert all(fence not in line for line in lines[1:-1])


def test_a_brief_stays_as_small_as_it_began() -> None:
    aim = mission()
    sizes = []
    for trials in (60, 3000):
        state = fold(long_run(aim, trials), aim)
        sizes.append(len(brief(aim, state).text))
    assert sizes[1] < sizes[0] * 1.2


def test_long_words_are_cut() -> None:
    aim = mission(metric="x" * 5000)
    events = trial(1, decision=WORSE, said="w" * 5000, sealed=change(1, excerpt="d" * 800))
    assert len(brief(aim, state_of(aim, baseline(1.0), events)).text) < 4000
