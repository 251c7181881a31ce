"""A small repository, and missions that are read in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jumar.core.mission import Mission
from jumar.mission import MissionProblems, Problem, load_mission

GOOD = {"file": "src/parser.py", "metric": "python bench.py", "direction": "lower"}


class Desk:
    """Reads missions in `root`: `good` gives the mission, `problems` what is wrong with it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, text: str, name: str = "mission.md") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def good(self, *lines: str, start: str = "", **flags: object) -> Mission:
        """A mission of the three required keys, these lines, and these flags."""
        written = [line for line in lines if line]
        named = {line.partition(":")[0] for line in written}
        base = [f"{key}: {value}" for key, value in GOOD.items() if key not in named]
        self.write("\n".join(["---", *written, *base, "---", "Be kind."]))
        return load_mission(self.root / "mission.md", flags, start=self.root / start, root=self.root)

    def problems(self, *lines: str, start: str = "", **flags: object) -> tuple[Problem, ...]:
        with pytest.raises(MissionProblems) as caught:
            self.good(*lines, start=start, **flags)
        return caught.value.problems

    def problem(self, *lines: str, start: str = "", **flags: object) -> Problem:
        """The only problem of these lines; the first of them is line 2."""
        (only,) = self.problems(*lines, start=start, **flags)
        assert only.hint.endswith((".", "?", "!")), only.hint
        return only

    def text_problems(self, text: str) -> tuple[Problem, ...]:
        path = self.write(text)
        with pytest.raises(MissionProblems) as caught:
            load_mission(path, {}, start=self.root, root=self.root)
        return caught.value.problems


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    for name in ("src/parser.py", "src/lexer.py", "bench.py", "tests/test_parser.py", "notes.md"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("x = 1\n", "utf-8")
    return Desk(tmp_path)
