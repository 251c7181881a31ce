from __future__ import annotations

import pytest
from built import change
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.history import History, judged_as
from jumar.core.model import Decision, Reason, Trial


def trial(number: int, reason: Reason = "regressed", repeat_of: int | None = None, edit: int = 0) -> Trial:
    return Trial(
        number,
        "change",
        "p",
        change=change(edit or number),
        repeat_of=repeat_of,
        decision=Decision("DISCARD", reason, score=float(number)),
    )


def test_it_is_a_sequence() -> None:
    history = History([trial(n) for n in range(5)])
    assert [t.number for t in history] == [0, 1, 2, 3, 4]
    assert history[-1].number == 4
    assert [t.number for t in history[1:3]] == [1, 2]
    assert [t.number for t in history[-2:]] == [3, 4]
    assert len(history[9:]) == 0
    with pytest.raises(IndexError):
        history[5]
    with pytest.raises(TypeError):
        hash(history)
    assert history == History(list(history))
    assert history != History()
    assert history != [trial(n) for n in range(5)]


@given(st.lists(st.integers(0, 20), max_size=30))
def test_adding_never_changes_an_instance_that_exists(parents: list[int]) -> None:
    """Each step adds to any earlier instance; all of them stay what they were."""
    made: list[tuple[History, list[int]]] = [(History(), [])]
    for number, parent in enumerate(parents):
        history, content = made[parent % len(made)]
        made.append((history.added(trial(number)), [*content, number]))
    for history, content in made:
        assert [t.number for t in history] == content
        for number in range(len(parents)):
            key = judged_as(trial(number))
            assert key is not None
            found = history.judged(*key)
            assert (found.number if found else None) == (number if number in content else None)


def test_the_first_judgement_of_a_tree_counts() -> None:
    history = History([trial(1, edit=7), trial(2, edit=7, repeat_of=1)])
    assert history.judged(*judged_as(trial(1, edit=7)) or ("", "")) == trial(1, edit=7)
    assert history.judged("p", "unknown") is None


def test_what_was_not_judged_is_no_precedent() -> None:
    assert judged_as(trial(1, "environment")) is None
    assert judged_as(trial(1, "interrupted")) is None
    assert judged_as(trial(2, repeat_of=1)) is None
    assert judged_as(Trial(1, "change", "p", change=change(1))) is None
    assert judged_as(Trial(1, "change", "p", decision=Decision("NOOP"))) is None
    assert judged_as(trial(1, "crash")) == (change(1).parent, change(1).tree)
