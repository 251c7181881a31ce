"""What a view is: where its files go, and when they are made anew."""

from __future__ import annotations

import pytest
from built import mission

from jumar.core.state import State
from jumar.core.views import Content, Page, View, due_after

PAGE = Page(mission(), State(), names={"slug": "fast", "date": "2026-01-01"})


@pytest.mark.parametrize(
    ("content", "files"),
    [
        (b"text", {"views/fast/log.md": b"text"}),
        ({"a": b"1", "b/c": b"2"}, {"views/fast/log.md/a": b"1", "views/fast/log.md/b/c": b"2"}),
        (None, {}),
    ],
)
def test_a_view_is_a_file_or_several_or_none(content: Content, files: dict[str, bytes]) -> None:
    view = View("views/{slug}/log.md", lambda page: content)
    assert dict(view.files(PAGE)) == files


def test_views_are_made_anew_less_often_as_a_run_grows() -> None:
    made = [trials for trials in range(1, 10_001) if due_after(trials)]
    assert made[:200] == [*range(1, 201)]
    assert sum(made) / 10_000 < 500  # the rows written a trial, in the mean
