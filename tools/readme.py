"""Runs the demos and writes what they printed into README.md: `python tools/readme.py [DEMO…]`.

Between `<!-- NAME -->` and `<!-- /NAME -->` stands what the demo NAME printed, and docs/images/NAME.svg is the picture that it made.
The output is shortened by rule: of trials that were not kept, one in a row is shown; lines end at 110 characters. The home
folder is `~`.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
JUMAR = Path(sys.executable).parent / "jumar"
WIDTH = 110
TRIAL = re.compile(r" *\d+/\d+ (\w+)")
LEFT_OUT = ("The demo ", "Working in ", "Report: ", "Look around: ", "Measuring ")


def main(names: list[str]) -> None:
    """Run each demo, and put its output in its place."""
    readme = ROOT / "README.md"
    for name in names or ["compress", "digits"]:
        with tempfile.TemporaryDirectory(prefix="jumar-readme-") as folder:
            printed, picture = run(name, Path(folder) / f"jumar-demo-{name}")
        text = readme.read_text(encoding="utf-8")
        (ROOT / "docs" / "images").mkdir(exist_ok=True)
        (ROOT / "docs" / "images" / f"{name}.svg").write_text(picture, encoding="utf-8")
        readme.write_text(between(name, section(name, printed), text), encoding="utf-8")


def run(name: str, folder: Path) -> tuple[str, str]:
    """What one demo says, and the picture that it leaves."""
    command = [JUMAR, "demo", name, "--to", folder]
    plain = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, env=plain, cwd=folder.parent, check=True, capture_output=True, text=True)
    (picture,) = folder.glob(".jumar/runs/*/progress.svg")
    drawn = picture.read_text(encoding="utf-8")
    remove = subprocess.run(
        [JUMAR, "clean", "--all", "--branch", "--yes"], cwd=folder, check=False, capture_output=True
    )
    if remove.returncode:
        shutil.rmtree(folder)
    return without_paths(done.stderr, folder), without_paths(drawn, folder)


def without_paths(text: str, folder: Path) -> str:
    """Text that names nothing of this machine but what is below `~`."""
    return text.replace(str(folder.resolve()), folder.name).replace(str(Path.home()), "~")


def section(name: str, printed: str) -> str:
    """Picture, output and circumstances."""
    picture = f"![Every trial of the demo {name}: dots are scores, the line is what was kept](docs/images/{name}.svg)"
    shown = "\n".join(shorten(printed.splitlines()))
    when = time.strftime("%Y-%m-%d", time.gmtime())
    return f"{picture}\n\n```console\n$ jumar demo {name}\n{shown}\n```\n\nMade by `./dev readme` on {when}, {machine()}."


def machine() -> str:
    """What it ran on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"


def shorten(lines: list[str]) -> list[str]:
    """The lines by the rule above."""
    kept: list[str] = []
    told = [line for line in lines if not line.startswith(LEFT_OUT)]
    for outcome, group in groupby(told, key=outcome_of):
        found = list(group)
        if outcome in ("", "keep") or len(found) <= 2:
            kept += found
        else:
            kept += [found[0], f"       … {len(found) - 1} more that were put back"]
    return [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in kept]


def outcome_of(line: str) -> str:
    """What a line tells of: "keep", "other" for a trial that was not kept, or "" where it is no trial."""
    trial = TRIAL.match(line)
    return "" if not trial else "keep" if trial[1] == "keep" else "other"


def between(name: str, body: str, text: str) -> str:
    """The text with another body between the markers of this name."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    head, found, rest = text.partition(start)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        sys.exit(f"the page has no {start} … {end}")
    return f"{head}{start}\n{body}\n{end}{tail}"


if __name__ == "__main__":
    main(sys.argv[1:])
