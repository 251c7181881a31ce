from __future__ import annotations

import pytest
from built import baseline, mission, state_of, trial

from jumar.core.brief import compose
from jumar.core.events import Decided, Proposed, Sealed, Settled, TrialOpened
from jumar.core.model import Decision, Proposal, Refusal
from jumar.core.patch import LostLine, lost_lines

BASE = "0" * 40
# What the first of the documents protects.
PATTERNS = ("CR-", "VR-", "NON-NEGOTIABLE", "MANDATORY", "FORBIDDEN", "MUST NOT", "NEVER")


def lost(before: str, after: str, *patterns: str) -> list[str]:
    found = lost_lines(patterns or PATTERNS, {"a.md": before.encode()}, [after.encode()])
    return [one.line for one in found]


@pytest.mark.parametrize(
    ("line", "edited"),
    [
        pytest.param("See CR-12 first.", "See rule 12 first.", marks=pytest.mark.rule("000-077")),
        pytest.param("VR-3 holds", "VR-3 held", marks=pytest.mark.rule("000-078")),
        pytest.param("## NON-NEGOTIABLE", "", marks=pytest.mark.rule("000-079")),
        pytest.param("This is MANDATORY.", "This is mandatory.", marks=pytest.mark.rule("000-080")),
        pytest.param("FORBIDDEN: to guess at all", "FORBIDDEN: to guess", marks=pytest.mark.rule("000-081")),
        pytest.param("It MUST NOT fail", "It should not fail", marks=pytest.mark.rule("000-082")),
        pytest.param("NEVER commit keys", "NEVER commit", marks=pytest.mark.rule("000-083")),
        pytest.param("- NEVER x", "- NEVER y", marks=pytest.mark.rule("000-084")),
        pytest.param("* NEVER x", "* NEVER y", marks=pytest.mark.rule("000-084")),
        pytest.param("Agents: NEVER use eval", "Agents: use eval", marks=pytest.mark.rule("000-085")),
    ],
)
def test_a_protected_line_may_not_change(line: str, edited: str) -> None:
    assert lost(f"one\n{line}\ntwo\n", f"one\n{edited}\ntwo\n") == [line]


@pytest.mark.parametrize(
    ("line", "edited"),
    [
        pytest.param("it should never matter", "it matters", marks=pytest.mark.rule("000-086")),
        ("OCR-7 reads it", "OCR-8 reads it"),
        ("free", ""),
    ],
)
def test_other_lines_are_free(line: str, edited: str) -> None:
    assert lost(f"one\n{line}\n", f"one\n{edited}\n") == []


@pytest.mark.rule("000-087")
def test_lines_may_be_added_beside_it_and_it_may_move() -> None:
    assert lost("a\nNEVER x\nb\n", "NEVER x\nnew\na\nb\n") == []


def test_a_line_may_move_to_another_file() -> None:
    assert lost_lines(["KEEP"], {"a": b"KEEP it\nx", "b": b""}, [b"x", b"KEEP it"]) == []


def test_it_survives_as_often_as_it_was_there() -> None:
    before = {"a.md": b"x\nNEVER x\ny\nNEVER x\n"}
    assert lost_lines(["NEVER"], before, [b"NEVER x\n"]) == [LostLine("a.md", 4, "NEVER x", "NEVER")]
    assert lost_lines(["NEVER"], before, [b"NEVER x\n" * 3]) == []


def test_bytes_count_not_looks() -> None:
    assert lost("NEVER x\n", "NEVER x \n") == ["NEVER x"]
    assert lost_lines(["NEVER"], {"a": b"NEVER \xff"}, [b"NEVER \xfe"])


def test_the_match_at_a_words_start_is_found_behind_one_that_is_none() -> None:
    assert lost("OCR-7 and CR-7", "x", "CR-") == ["OCR-7 and CR-7"]
    assert lost("Now: never", "x", "(?i)NEVER") == ["Now: never"]


@pytest.mark.rule("000-088")
def test_the_brief_says_what_is_protected_and_what_was_refused() -> None:
    aim = mission(protect_lines=("NEVER", "CR-"))
    message = "a.txt:3: the line `NEVER x` has to stay as it is (`protect_lines: NEVER`); it may be moved."
    state = state_of(
        aim,
        baseline(1.0),
        [
            TrialOpened(1, "change", BASE), Proposed(1, Proposal(summary="cut")),
            Sealed(1, refusal=Refusal("protected", message, ("a.txt",))),
            Decided(1, Decision("ERROR", "protected", message)), Settled(1),
        ],
        trial(2),
    )  # fmt: skip
    text = compose(state.open[2], state, aim).text
    assert "has to stay as it is; it may be moved: `NEVER`, `CR-`" in text
    assert f"- 1: cut: error (protected: {message}), none" in text


def test_a_plain_mission_protects_nothing() -> None:
    aim = mission()
    state = state_of(aim, baseline(1.0), trial(1))
    assert "has to stay" not in compose(state.open[1], state, aim).text
