from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from jumar.core.constraints import facts_of
from jumar.core.model import Change, Refusal, TextFacts

if TYPE_CHECKING:
    from tests.workspace.conftest import Repo, Run

TEXT = "# Rules\n\n- NEVER push\n- be kind\n"


@pytest.fixture
def guarded(repo: Repo, start: object) -> Run:
    repo.commit(**{"rules.md": TEXT, "more.md": "MANDATORY: a token=hunter2hunter2\n", "link.md": "x\n"})
    return start(targets=("*.md",), protect_lines=("NEVER", "MANDATORY"))  # type: ignore[operator, no-any-return]


def seal(run: Run) -> Change | Refusal | None:
    return run.space.seal(run.trial())


@pytest.mark.rule("000-077", "000-088")
def test_an_edit_of_a_protected_line_is_refused_and_leaves_no_object(guarded: Run) -> None:
    guarded.begin()
    guarded.write("rules.md", TEXT.replace("push", "shove"))
    found = seal(guarded)
    assert isinstance(found, Refusal)
    assert (found.reason, found.paths) == ("protected", ("rules.md",))
    assert found.message == (
        "rules.md:3: the line `- NEVER push` has to stay as it is (`protect_lines: NEVER`); it may be moved."
    )


def test_several_lines_and_a_deleted_file(guarded: Run) -> None:
    guarded.begin()
    (guarded.tree / "more.md").unlink()
    guarded.write("rules.md", "")
    found = seal(guarded)
    assert isinstance(found, Refusal)
    assert found.message.endswith("it may be moved. The same holds for 1 other line.")
    assert set(found.paths) == {"rules.md", "more.md"}


@pytest.mark.rule("000-087")
def test_moving_and_adding_are_allowed(guarded: Run) -> None:
    guarded.begin()
    guarded.write("rules.md", "# Rules\n")
    guarded.write("new.md", "- NEVER push\nand more\n")
    assert isinstance(seal(guarded), Change)


def test_a_link_in_the_place_of_the_file_holds_no_line(guarded: Run) -> None:
    guarded.begin()
    file: Path = guarded.tree / "rules.md"
    file.unlink()
    file.symlink_to("link.md")
    found = seal(guarded)
    assert isinstance(found, Refusal)
    assert found.reason == "protected"


def test_facts_of_the_targets_are_part_of_the_change(guarded: Run) -> None:
    wanted = msgspec.structs.replace(guarded.settings, facts=lambda texts: facts_of(texts, ["kind"]))
    guarded.settings = wanted
    space = guarded.reopen()
    assert space.facts(space.base) == TextFacts(size=68, words=12, lines=6, holds=("kind",))
    guarded.begin()
    guarded.write("link.md", "x y\n")
    found = seal(guarded)
    assert isinstance(found, Change)
    assert found.text == TextFacts(size=70, words=13, lines=6, holds=("kind",))


def test_without_patterns_nothing_is_read(guarded: Run) -> None:
    free = msgspec.structs.replace(guarded.settings, protect_lines=())
    guarded.settings = free
    guarded.reopen()
    guarded.begin()
    guarded.write("rules.md", "")
    assert isinstance(seal(guarded), Change)
