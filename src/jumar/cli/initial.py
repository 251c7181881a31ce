"""`jumar init`: a mission file, from flags, from what lies in the repository, and from a person on a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from jumar.cli import console, place
from jumar.errors import RefusedError
from jumar.mission import load_mission, scaffold
from jumar.mission.problems import MissionProblems

QUESTIONS = (
    ("goal", "What should become better, in a sentence?"),
    ("file", "Which file may be edited (a path or glob)?"),
    ("metric", "Which command prints the score?"),
    ("metric_name", "Which word stands before the number (empty: the only number in the output)?"),
    ("direction", "Is a lower or a higher score better?"),
)


def write_mission(to: Path, flags: dict[str, Any], *, force: bool, as_json: bool) -> int:
    """Write the file; what is still missing is a placeholder, and is named."""
    root = place.root()
    if to.exists() and not force:
        raise RefusedError(f"{to} is there already.", hint="Edit it, or replace it with `--force`.")
    values = {**proposed(root), **flags}
    if sys.stdin.isatty() and not as_json:
        values |= asked(values)
    to.write_text(scaffold({**goal_of(values), **values}), encoding="utf-8")
    left = open_questions(to, root)
    if as_json:
        console.give_json({"path": str(to), "open": left})
    else:
        console.say(f"Wrote {to}.")
        for sentence in left:
            console.say(f"  {sentence}")
        console.say(
            "Next: " + ("fill that in, then `jumar check`." if left else "`jumar check`, then `jumar run`.")
        )
    return 0


def proposed(root: Path) -> dict[str, Any]:
    """Keys that the repository itself suggests."""
    found: dict[str, Any] = {}
    benches = sorted(path.name for path in root.glob("bench*.py"))
    if benches:
        found["metric"] = f"python3 {benches[0]}"
    if (root / "tests").is_dir() and any(
        (root / name).exists() for name in ("pyproject.toml", "pytest.ini", "tox.ini")
    ):
        found["guard"] = ["python3 -m pytest -q"]
        found["protect"] = ["tests/**"]
    return found


def goal_of(values: dict[str, Any]) -> dict[str, Any]:
    """A goal in words, where the rest says what it is."""
    if not all(values.get(key) for key in ("file", "metric", "direction")):
        return {}
    score = values.get("metric_name") or "the score"
    return {"goal": f"A {values['direction']} {score} for {', '.join(values['file'])}"}


def asked(values: dict[str, Any]) -> dict[str, Any]:
    """The answers of a person; an empty one leaves what was proposed."""
    answers: dict[str, Any] = {}
    for key, question in QUESTIONS:
        if key in values and key != "metric":
            continue
        known = f" [{values[key]}]" if key in values else ""
        console.say(f"{question}{known}")
        if answer := sys.stdin.readline().strip():
            answers[key] = [answer] if key == "file" else answer
    return answers


def open_questions(file: Path, root: Path) -> list[str]:
    """What still stands between the file and a run."""
    try:
        load_mission(file, {}, start=Path.cwd(), root=root)
    except MissionProblems as problems:
        return problems.message.splitlines()
    return []
