"""`jumar demo`: a bundled example, copied, made a repository, and run."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from jumar.cli import console, place
from jumar.cli.running import run_mission
from jumar.compose import Opening
from jumar.demos import files, names
from jumar.errors import MissionError, RefusedError
from jumar.mission import load_mission
from jumar.workspace.git import Git


def list_demos(*, as_json: bool) -> int:
    """The demos with a line on each."""
    goals = {name: goal(name) for name in names()}
    if as_json:
        console.give_json([{"name": name, "goal": text} for name, text in goals.items()])
    else:
        for name, text in goals.items():
            console.give(f"{name:<10} {text}")
    return 0


def goal(name: str) -> str:
    """The goal line of a demo's mission."""
    lines = files(name)["mission.md"].decode().splitlines()
    return next(line.removeprefix("goal:").strip() for line in lines if line.startswith("goal:"))


def run_demo(name: str, folder: Path, flags: dict[str, Any], *, as_json: bool) -> int:
    """Make the folder and run its mission there; the folder stays for the user to look at."""
    if name not in names():
        raise MissionError(f"There is no demo called `{name}`.", hint=f"There are: {', '.join(names())}.")
    make(name, folder)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    os.chdir(folder)
    repository = place.repository()
    mission = load_mission(Path("mission.md"), flags, start=Path.cwd(), root=repository.root)
    if not as_json:
        console.say(f"The demo `{name}` is in {Path.cwd()}.")
    code = run_mission(mission, repository, as_json=as_json, opening=Opening())
    if not as_json:
        report = next(iter(sorted(Path(".jumar/runs").glob("*/report.md"))), None)
        if report:
            console.give(report.read_text(encoding="utf-8"))
        console.say(f"Look around: `cd {folder}`, then `jumar log`, `jumar show 1`, `jumar diff`.")
    return code


def make(name: str, folder: Path) -> None:
    """A new repository that holds the demo's files in one commit."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RefusedError(
            f"{folder} is there already.", hint="Name another folder with `--to`, or remove it."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files(name).items():
        (folder / file).write_bytes(content)
    git = Git(cwd=folder)
    git.run("init", "--quiet", "--initial-branch=main")
    git.run("add", "--all")
    git.run(
        "-c",
        "user.name=jumar demo",
        "-c",
        "user.email=demo@localhost",
        "commit",
        "--quiet",
        "-m",
        f"The demo {name}",
    )
