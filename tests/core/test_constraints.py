from __future__ import annotations

from math import nan
from typing import Any

import pytest
from built import change, failure, mission, score, state_of

from jumar.core.brief import compose
from jumar.core.cautions import after_baseline
from jumar.core.constraints import (
    Bound,
    Malformed,
    Phrase,
    compute,
    facts_of,
    measured,
    names_of,
    parse,
    phrases,
    reads_text,
    violated,
    wanted_names,
)
from jumar.core.events import AnyEvent, Decided, Measured, Proposed, Sealed, Settled, TrialOpened
from jumar.core.mission import Mission
from jumar.core.model import Decision, Measurement, Proposal, TextFacts
from jumar.core.policy import decide
from jumar.core.state import State

BASE = "0" * 40
TEXT = TextFacts(size=1000, words=100, lines=20, holds=("Summary",))


def value(right: str, baseline: float = 100.0, **values: float) -> float:
    parsed = parse(f"x <= {right}")
    assert isinstance(parsed, Bound)
    return compute(parsed.right, values, baseline)


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("400", 400), ("1e3", 1000), (".5", 0.5), ("baseline * 1.05", 105), ("baseline*1.05+1", 106), ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9), ("10 - 2 - 3", 5), ("8 / 2 / 2", 2), ("-5", -5), ("- (2 - 3)", 1), ("3 - -4", 7), ("ms * 2", 14),
    ],
)  # fmt: skip
def test_the_right_side_is_arithmetic(right: str, expected: float) -> None:
    assert value(right, ms=7.0) == pytest.approx(expected)


@pytest.mark.parametrize("right", ["1 / 0", "baseline / (2 - 2)", "unknown + 1"])
def test_what_has_no_value_is_no_number(right: str) -> None:
    assert value(right) != value(right)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Begin with a name"), ("400 >= words", "Begin with a name"), ("size = 4", "Begin with a name"),
        ("size == 4", "Begin with a name"), ("size <== 4", "Begin with a name"), ("size", "Begin with a name"),
        ("size <=", "missing before the end"), ("size <= 4 +", "missing before the end"), ("size <= * 4", "missing before `*`"),
        ("size <= )", "missing before `)`"), ("size <= (4", "not closed"), ("size <= 4 5", "`5.0` is one too many"),
        ("size <= baseline 2", "one too many"), ("size <= 105%", "as a factor"), ("size <= 4 ** 2", "missing before `*`"),
        ("size <= __import__('os')", "cannot be read"), ("size <= a[0]", "`[0]` cannot be read"), ("size <= ²", "cannot be read"),
        ("size <= " + "(" * 99, "too many brackets"), ("must_contain:", "Write after `must_contain:`"),
        ("must_not_contain:  ", "Write after `must_not_contain:`"), ("must_containn: x", "Begin with a name"),
    ],
)  # fmt: skip
def test_what_is_no_constraint_says_what_to_do(text: str, why: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse(text)
    assert why in str(caught.value)


def test_names_and_phrases() -> None:
    assert parse("must_contain: ## A: b") == Phrase("## A: b", wanted=True)
    assert parse("must_not_contain: x") == Phrase("x", wanted=False)
    bound = parse("ms <= other * 2 + baseline + ms")
    assert isinstance(bound, Bound)
    assert bound.names == ("ms", "other")
    assert names_of(bound.right) == ("other", "baseline", "ms")
    assert wanted_names(["ms <= 3", "must_contain: x", "words < ms"]) == ("ms", "words")
    assert phrases(["ms <= 3", "must_contain: x"]) == ("x",)
    assert [reads_text([one]) for one in ("ms <= 3", "must_contain: x", "lines < 4", "ms < size")] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.rule("002-036", "002-037", "002-038")
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("size <= baseline * 1.05", None),
        ("size < baseline", "`size < baseline` is violated: size is 1000, and the bound is 1000."),
        ("size >= 1e4 / 2", "`size >= 1e4 / 2` is violated: size is 1000, and the bound is 5000."),
        ("words > 99", None),
        ("ms <= 2", "`ms <= 2` is violated: ms is not known, and the bound is 2."),
        ("size <= 1 / 0", "`size <= 1 / 0` is violated: size is 1000, and the bound is no number."),
        ("must_contain: Summary", None),
        ("must_contain: Sources", "`must_contain: Sources` is violated: the text does not hold it."),
        ("must_not_contain: Sources", None),
        ("must_not_contain: Summary", "`must_not_contain: Summary` is violated: it is in the text."),
    ],
)  # fmt: skip
def test_a_violation_gives_both_numbers(text: str, sentence: str | None) -> None:
    values = measured([], TEXT)
    assert violated(text, values, values, TEXT) == sentence


def test_without_facts_no_phrase_is_there() -> None:
    assert violated("must_contain: x", {}, {}, None) is not None
    assert violated("must_not_contain: x", {}, {}, None) is None


def test_the_facts_of_all_texts_together() -> None:
    found = facts_of(
        [b"one two\nthree", "\u00e4 Summary\n".encode(), b"\xff"], ["Summary", "three\n", "none"]
    )
    assert found == TextFacts(size=25, words=6, lines=4, holds=("Summary",))


def test_the_median_of_the_runs_counts_and_the_text_more_than_a_metric() -> None:
    runs = [
        score(1.0, metrics={"ms": 3.0, "size": 1.0}),
        score(2.0, metrics={"ms": 5.0}),
        Measurement(metrics={"ms": 4.0}),
    ]
    assert measured(runs, TEXT) == {"ms": 4.0, "size": 1000.0, "score": 1.5, "words": 100.0, "lines": 20.0}
    assert measured([Measurement()], None) == {}


def state_for(
    aim: Mission, *measurements: Measurement, text: TextFacts | None, base: Measurement | None = None
) -> State:
    """A baseline of 10, and a change that is measured and not decided."""
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE), Measured(0, "score", "candidate", base or score(10.0, metrics={"mb": 100.0})),
        Decided(0, Decision("KEEP", "baseline", "", 10.0)), Settled(0),
        TrialOpened(1, "change", BASE), Proposed(1, Proposal()), Sealed(1, change(1, text=text)),
        *(Measured(1, "score", "candidate", one) for one in measurements),
    ]  # fmt: skip
    return state_of(aim, events, text=TEXT)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (("mb <= baseline * 1.1",), ("KEEP", "improved")),
        (("mb < baseline",), ("DISCARD", "constraint")),
        (("words <= baseline",), ("DISCARD", "constraint")),
        (("score <= baseline - 1", "size <= 2000"), ("KEEP", "improved")),
        ((), ("KEEP", "improved")),
    ],
)
def test_the_gate(bounds: tuple[str, ...], expected: tuple[str, str]) -> None:
    aim = mission(policy="strict", constraint=bounds)
    longer = TextFacts(size=1500, words=150, lines=20)
    state = state_for(aim, score(9.0, metrics={"mb": 105.0}), text=longer)
    decision = decide(state.open[1], state, aim)
    assert (decision.verdict, decision.reason) == expected
    assert decision.score == 9.0


def test_a_pass_without_a_score_can_violate_too() -> None:
    aim = mission(policy="pass", constraint=("words <= 4",))
    state = state_for(aim, Measurement(), text=TEXT)
    decision = decide(state.open[1], state, aim)
    assert (decision.reason, decision.score) == ("constraint", None)


def baseline_state(aim: Mission, *runs: Measurement) -> State:
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE),
        *(Measured(0, "score", "candidate", run) for run in runs),
    ]
    return state_of(aim, events, text=TEXT)


def decided_baseline(aim: Mission, *runs: Measurement) -> tuple[Decision, State]:
    state = baseline_state(aim, *runs)
    decision = decide(state.open[0], state, aim)
    return decision, state


def test_a_name_that_is_never_printed_is_found_at_the_baseline() -> None:
    aim = mission(policy="strict", constraint=("mbb <= 3",))
    decision, _ = decided_baseline(aim, score(1.0, metrics={"mb": 2.0}))
    assert (decision.verdict, decision.reason) == ("ERROR", "constraint")
    assert "names `mbb`" in decision.sentence
    assert (
        decision.sentence.endswith("it gives `mb`, `size`, `words`, `lines`, `score`.")
        or "`mb`" in decision.sentence
    )


@pytest.mark.parametrize("how", ["note", "no_anchor"])
def test_a_baseline_that_violates(how: Any) -> None:
    aim = mission(policy="strict", constraint=("words <= 50",), violating_baseline=how)
    decision, _ = decided_baseline(aim, score(1.0))
    assert (decision.verdict, decision.score) == ("KEEP", 1.0 if how == "note" else None)
    assert ("It is no anchor: `words <= 50` is violated: words is 100" in decision.sentence) == (
        how == "no_anchor"
    )
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE), Measured(0, "score", "candidate", score(1.0)), Decided(0, decision), Settled(0),
    ]  # fmt: skip
    state = state_of(aim, events, text=TEXT)
    (caution,) = after_baseline(state, aim)
    assert (
        caution
        == "The baseline: `words <= 50` is violated: words is 100, and the bound is 50. Only a change that mends this is kept."
    )


@pytest.mark.rule("002-040")
def test_after_a_violating_baseline_the_first_clean_candidate_is_the_anchor() -> None:
    aim = mission(policy="strict", constraint=("words <= 50",), violating_baseline="no_anchor")
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE), Measured(0, "score", "candidate", score(1.0)),
        Decided(0, Decision("KEEP", "baseline", "")), Settled(0),
        TrialOpened(1, "change", BASE), Proposed(1, Proposal()), Sealed(1, change(1, text=TextFacts(1, 2, 3))),
        Measured(1, "score", "candidate", score(3.0)),
    ]  # fmt: skip
    state = state_of(aim, events, text=TEXT)
    decision = decide(state.open[1], state, aim)
    assert (decision.verdict, decision.reason, decision.score) == ("KEEP", "bootstrap", 3.0)


def test_a_baseline_that_failed_is_not_told_about_constraints() -> None:
    aim = mission(constraint=("words <= 50",))
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE), Measured(0, "score", "candidate", failure()),
        Decided(0, Decision("ERROR", "crash", "It crashed.")), Settled(0),
    ]  # fmt: skip
    assert after_baseline(state_of(aim, events, text=TEXT), aim) == []


def test_a_keep_makes_its_text_the_incumbents() -> None:
    aim = mission(policy="strict")
    short = TextFacts(1, 1, 1)
    state = state_for(aim, score(9.0), text=short)
    assert (state.text, state.base_text) == (TEXT, TEXT)
    assert compute("gone", {}, nan) != 0


def test_the_brief_names_the_bounds() -> None:
    aim = mission(constraint=("words <= 50",))
    state = state_for(aim, text=TEXT)
    assert "- Must hold: `words <= 50`" in compose(state.open[1], state, aim).text
