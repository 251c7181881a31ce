from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from built import baseline, change, long_run, mission, score, state_of, trial
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.events import TrialOpened
from jumar.core.model import Decision
from jumar.core.state import State, fold
from jumar.core.views import Page
from jumar.views import VIEWS

SVG = "{http://www.w3.org/2000/svg}"
FILE, RENDER = VIEWS["progress"].path, VIEWS["progress"].render


def drawn(state: State, **changes: Any) -> ET.Element:
    """The picture as an XML reader sees it: well formed, with finite numbers only."""
    data = RENDER(Page(mission(**changes), state)).decode()
    free = re.sub(r'<title>.*?</title>|<text[^>]*>.*?</text>|aria-label="[^"]*"', "", data, flags=re.DOTALL)
    assert not re.search(r"\b(nan|inf)\b", free, re.IGNORECASE)
    return ET.fromstring(data)  # noqa: S314 our own bytes


def kinds(picture: ET.Element) -> list[str]:
    return [dot.get("class", "") for dot in picture.iter(f"{SVG}circle")]


def keep(value: float) -> Decision:
    return Decision("KEEP", "improved", "Better.", value)


def drop(value: float | None) -> Decision:
    return Decision("DISCARD", "regressed", "Worse.", value)


def run(*values: float, said: str = "an idea") -> State:
    """A baseline and then trials, kept where they are the lowest so far."""
    events, best = [], values[0]
    for number, value in enumerate(values[1:], 1):
        decision = keep(value) if value < best else drop(value)
        best = min(best, value)
        events.append(trial(number, score(value), decision=decision, said=said))
    return state_of(mission(), baseline(values[0]), *events)


def test_a_run_as_a_picture() -> None:
    picture = drawn(run(10.0, 8.0, 9.0, 7.0), metric_name="ms")
    assert kinds(picture) == ["keep", "keep", "discard", "keep"]
    title, *_ = picture.iter(f"{SVG}text")
    assert title.text == "ms, lower is better: 3 trials"
    [path] = picture.iter(f"{SVG}path")
    # A step line: along to each keep, then up or down to it, then along to the end.
    assert re.fullmatch(r"M[\d.]+,[\d.]+H[\d.]+V[\d.]+H[\d.]+V[\d.]+H836\.0", path.get("d", ""))
    dots = list(picture.iter(f"{SVG}circle"))
    assert [float(dot.get("cx", "0")) for dot in dots] == [84.0, 334.7, 585.3, 836.0]
    heights = [float(dot.get("cy", "0")) for dot in dots]
    assert heights[0] < heights[2] < heights[1] < heights[3]
    assert all(44 <= height <= 316 for height in heights)
    labels = [text.text for text in picture.iter(f"{SVG}text") if text.get("class") == "label"]
    assert labels == ["an idea", "an idea"]


def test_the_same_run_is_the_same_picture() -> None:
    page = Page(mission(), run(10.0, 8.0))
    assert RENDER(page) == RENDER(page)
    assert FILE == "progress.svg"


@pytest.mark.parametrize(
    "state",
    [State(), state_of(mission(), [TrialOpened(0, "baseline", "c0")]), state_of(mission(), baseline())],
)
def test_a_run_without_a_score_says_so(state: State) -> None:
    words = [text.text for text in drawn(state).iter(f"{SVG}text")]
    assert words == ["score, lower is better: 0 trials", "There is no score to show yet."]


def test_one_trial_alone() -> None:
    picture = drawn(run(10.0))
    assert kinds(picture) == ["keep"]


def test_scores_without_any_keep_have_no_steps() -> None:
    lost = Decision("ERROR", "guard", "The guard failed.", None)
    state = state_of(
        mission(),
        [TrialOpened(0, "baseline", "c0")],
        trial(1, score(1.0), decision=drop(1.0)),
        trial(2, decision=lost),
    )
    picture = drawn(state)
    assert kinds(picture) == ["discard"]
    assert list(picture.iter(f"{SVG}path")) == []


@pytest.mark.parametrize(
    "values",
    [
        (0.0, 0.0),
        (0.0, -0.0, 5e-324),
        (1e308, -1.7e308, 1.7e308),
        (1e16, 1e16 + 2),
        (-5.0, -5.0),
        (7e-05, 6.9e-05),
    ],
)
def test_no_scale_is_too_wide_or_too_narrow(values: tuple[float, ...]) -> None:
    assert len(kinds(drawn(run(*values)))) == len(values)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_every_score_lies_in_the_picture(values: list[float]) -> None:
    for dot in drawn(run(*values)).iter(f"{SVG}circle"):
        assert 84 <= float(dot.get("cx", "nan")) <= 836
        assert 43.9 <= float(dot.get("cy", "nan")) <= 316.1


NASTY = '<script>alert(1)</script> & "it\'s" \x00\x1b[31m\ud800\ufffe 𝛑'


def test_words_of_others_stay_words() -> None:
    picture = drawn(run(10.0, 8.0, said=NASTY), metric_name="a<b>&\x07")
    assert list(picture.iter(f"{SVG}script")) == []
    said = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert '<script>alert(1)</script> & "it\'s"' in said[1]
    assert "𝛑" in said[1]


@given(st.text(max_size=200))
def test_no_words_break_the_picture(words: str) -> None:
    assert kinds(drawn(run(10.0, 8.0, said=words), metric_name=words)) == ["keep", "keep"]


def test_long_words_are_cut() -> None:
    assert len(RENDER(Page(mission(), run(10.0, 8.0, said="x" * 100_000)))) < 5000


def test_a_long_night_stays_small() -> None:
    state = fold(long_run(mission(), 10_000), mission())
    data = RENDER(Page(mission(), state))
    assert len(data) < 400_000
    picture = ET.fromstring(data)  # noqa: S314 our own bytes
    assert len(kinds(picture)) == 1000
    crowd = [path for path in picture.iter(f"{SVG}path") if path.get("class") == "crowd"]
    assert len(crowd) == 1
    assert len([t for t in picture.iter(f"{SVG}text") if t.get("class") == "label"]) == 12
    assert "10000 trials" in data.decode()


def test_a_unit_stands_in_the_title() -> None:
    state = state_of(mission(), baseline(1.0, unit="ms"), trial(1, sealed=change(1), decision=drop(None)))
    assert next(drawn(state).iter(f"{SVG}text")).text == "score (ms), lower is better: 1 trial"
