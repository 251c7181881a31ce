from __future__ import annotations

import pytest
from built import baseline, change, mission, state_of, trial

from jumar.core.brief import compose
from jumar.core.mission import Gain
from jumar.core.model import TextFacts
from jumar.core.policy import decide

TEXT = TextFacts(size=100, words=20, lines=9)


@pytest.mark.parametrize(
    ("most", "added", "removed", "sentence"),
    [
        (None, 500, 500, None),
        (Gain(5), 5, 5, None),
        (Gain(5), 0, 6, "It changes 6 lines, and `max_change` allows 5."),
        (Gain(5), 6, 0, "It changes 6 lines, and `max_change` allows 5."),
        (Gain(0.5, relative=True), 4, 0, None),
        (Gain(0.5, relative=True), 5, 5, "It changes 5 lines, and `max_change` allows 4 (50 % of 9 lines)."),
    ],
)
def test_a_larger_change_is_put_back_unmeasured(
    most: Gain | None, added: int, removed: int, sentence: str | None
) -> None:
    aim = mission(max_change=most)
    edit = change(1, added=added, removed=removed)
    state = state_of(aim, baseline(1.0), trial(1, sealed=edit), text=TEXT)
    decision = decide(state.open[1], state, aim)
    if sentence is None:
        assert decision.verdict == "MEASURE"
    else:
        assert (decision.verdict, decision.reason, decision.sentence) == ("DISCARD", "complexity", sentence)
        assert decision.score is None


@pytest.mark.parametrize(
    ("most", "words"),
    [(Gain(1), "At most 1 line may"), (Gain(0.25, relative=True), "At most 25 % of the lines may")],
)
def test_the_brief_says_how_much_may_change(most: Gain, words: str) -> None:
    aim = mission(max_change=most)
    state = state_of(aim, baseline(1.0), trial(1))
    assert words in compose(state.open[1], state, aim).text
