from __future__ import annotations

import re
from typing import Any

import pytest
from built import BASE, baseline, change, long_run, mission, score, state_of, trial
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.events import AnyEvent, Decided, Ended, Settled, TrialOpened
from jumar.core.model import Decision
from jumar.core.state import State, fold
from jumar.core.views import Page
from jumar.views import VIEWS

FILE, RENDER = VIEWS["report"].path, VIEWS["report"].render
KEEP = Decision("KEEP", "improved", "8 ms is better than 10 ms by 20.00 %.", 8.0)
WORSE = Decision("DISCARD", "regressed", "12 ms is worse than 10 ms.", 12.0)
CRASH = Decision("ERROR", "crash", "It crashed.")
DONE: list[AnyEvent] = [Ended("iterations", "All is done.")]


def report(*parts: list[AnyEvent], aim: dict[str, Any] | None = None, **page: Any) -> str:
    wanted = mission(**(aim or {}))
    return RENDER(Page(wanted, state_of(wanted, *parts), **page)).decode()


def rows(text: str) -> list[list[str]]:
    """The cells of the table of trials, as a Markdown reader splits them."""
    table = text.partition("| --- | --- | --- | --- | --- |\n")[2].partition("\n\n")[0]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]] for line in table.splitlines()
    ]


GOLDEN = """\
# Make it fast

**10 ms → 8 ms** (-20.00 %), on an exact measure.

All is done.

| | |
| --- | --- |
| run | `parser-20260101-000000` |
| branch | `jumar/parser` |
| trials | 3: 1 kept, 1 discarded, 1 error, 0 without a change |
| evaluations | 3 |
| time | 22.0 s |
| noise | exact |
| integrity | L1 |

![Progress](progress.svg)

## Kept

- trial 1: cache the table — 8 ms is better than 10 ms by 20.00 %.

## Trials

| trial | outcome | score | what | why |
| --- | --- | --- | --- | --- |
| 0 | baseline | 10 ms | baseline | The baseline. |
| 1 | keep | 8 ms | cache the table | 8 ms is better than 10 ms by 20.00 %. |
| 2 | discard | 12 ms | idea 2 | 12 ms is worse than 10 ms. |
| 3 | error | – | idea 3 | It crashed. |

## Set-up and remarks

- Maker and evaluator ran without a sandbox.
- A large file was left out.

## Next

- `jumar log` shows every trial, `jumar show N` one of them, `jumar diff` the whole change.
- `jumar accept` hands the branch over; `jumar accept --patch FILE` writes it as a patch.
- `jumar clean` removes the run's trees, references and files.
"""


def test_a_run_as_a_report() -> None:
    edit = change(1, warnings=("A large file was left out.",))
    text = report(
        baseline(10.0, noise=0.0, unit="ms"),
        trial(1, score(8.0, unit="ms"), said="cache the table", sealed=edit, decision=KEEP),
        trial(2, score(12.0, unit="ms"), decision=WORSE),
        trial(3, decision=CRASH),
        DONE,
        aim={"goal": "Make it\nfast"},
        notes=("Maker and evaluator ran without a sandbox.",),
        files={"progress": "progress.svg"},
    )
    assert text == GOLDEN
    assert FILE == "report.md"


def failed(number: int = 0) -> list[AnyEvent]:
    return [TrialOpened(number, "baseline", BASE), Decided(number, CRASH), Settled(number)]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "**There is no score:** the baseline could not be measured."),
        ([failed(), DONE], "**There is no score:**"),
        ([baseline(10.0)], "**Nothing was kept.** The baseline is 10."),
        ([baseline(10.0), trial(1, decision=WORSE)], "**Nothing was kept.**"),
        ([baseline(), trial(1, score(8.0), decision=KEEP)], "**8**, from a baseline that failed."),
        (
            [baseline(10.0, noise=0.3), trial(1, score(8.0), decision=KEEP)],
            "(-20.00 %), not yet measured again",
        ),
        (
            [baseline(0.0), trial(1, score(-1.0), decision=Decision("KEEP", "improved", "", -1.0))],
            "**0 → -1** (1),",
        ),
    ],
)
def test_what_came_of_it(parts: list[list[AnyEvent]], words: str) -> None:
    assert words in report(*parts)


def test_higher_is_a_gain_upwards() -> None:
    better = Decision("KEEP", "improved", "", 12.0)
    assert "**10 → 12** (+20.00 %)" in report(
        baseline(10.0), trial(1, score(12.0), decision=better), aim={"direction": "higher"}
    )


def test_a_run_that_is_not_over_says_so() -> None:
    text = report(baseline(10.0), aim={"metric_name": "ms"})
    assert text.startswith("# ms, lower is better\n")
    assert "The run is not over." in text
    assert "![Progress]" not in text
    assert "## Set-up" not in text
    assert "jumar accept" not in text


@pytest.mark.parametrize(
    ("noise", "words"), [(None, "not measured"), (0.0, "exact"), (0.25, "about 0.25 ms")]
)
def test_noise_is_owned_up_to(noise: float | None, words: str) -> None:
    assert f"| noise | {words} |" in report(baseline(1.0, noise=noise, unit="ms"))


@pytest.mark.parametrize(
    "said", ["a|b", "a\\|b", "a\\\\|b", "||", "`a | b`", "a\nb\r\nc\u2028d", "tab\there", "\\"]
)
def test_a_cell_stays_one_cell(said: str) -> None:
    decision = Decision("DISCARD", "guard", f"The guard failed: {said}\n{said}")
    text = report(baseline(1.0), trial(1, decision=decision, said=said))
    found = rows(text)
    assert [len(cells) for cells in found] == [5, 5]
    assert found[1][:3] == ["1", "discard", "–"]


@given(st.text(max_size=400), st.text(max_size=400))
def test_no_words_break_the_table(said: str, why: str) -> None:
    decision = Decision("KEEP", "improved", why, 0.5)
    text = report(
        baseline(1.0), trial(1, decision=decision, said=said), [Ended("aborted", why)], aim={"goal": said}
    )
    assert [len(cells) for cells in rows(text)] == [5, 5]
    assert text.count("\n## ") == 3
    assert not re.search(r"<[a-zA-Z/!?]", text)


def test_no_tag_reaches_a_page() -> None:
    tag = "<script>alert(1)</script>"
    decision = Decision("KEEP", "improved", f"{tag} 1 < 2", 0.5)
    text = report(
        baseline(1.0),
        trial(1, decision=decision, said=tag),
        [Ended("aborted", tag)],
        aim={"goal": tag},
        notes=(tag,),
    )
    assert "<script" not in text
    assert "</script" not in text
    assert text.count("&lt;script>") == 7
    assert "1 < 2" in text


def test_long_words_are_cut_in_the_table() -> None:
    text = report(baseline(1.0), trial(1, decision=WORSE, said="x" * 5000))
    assert max(map(len, text.splitlines())) < 500


def test_a_long_night_stays_small() -> None:
    state = fold(long_run(mission(), 10_000, keep_every=2), mission())
    text = RENDER(Page(mission(), state)).decode()
    assert len(text) < 30_000
    assert "The last 60 of 10001 trials; all of them: `jumar log`." in text
    assert "The last 60 of 5000 kept changes." in text
    assert len(rows(text)) == 60
    assert rows(text)[-1][0] == "10000"


def test_a_state_of_nothing_has_a_report() -> None:
    assert "no score" in RENDER(Page(mission(), State())).decode()
