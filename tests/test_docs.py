"""Runs the commands of the pages.

A fenced block that opens with ```` ```console run ```` is run: the blocks of one page in order, in one new folder, each
command by bash. `$ ` starts a command, `> ` continues it, what follows is what it prints: every line must appear in the
output, in that order; a line `…` stands for any lines. A command that ends with anything but 0 fails, unless its last
line says so: `# exit 1`. A block that opens with ```` ```python file NAME ```` is written to the file NAME.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?:console run|\w+ file (\S+))\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\s*# exit (\d+)$")


class Command(NamedTuple):
    """What a page says is typed, what it then prints, and how it ends."""

    text: str
    prints: list[str]
    code: int


def commands(block: str) -> list[Command]:
    """The commands of one block."""
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], [], 0))
        elif line.startswith("> ") or line == ">":
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line[2:]}")
        elif line.strip() not in ("", "…"):
            found[-1].prints.append(line.strip())
    return [with_code(command) for command in found]


def with_code(command: Command) -> Command:
    """The command with the exit code that its last line names."""
    said = EXIT.search(command.text)
    return command._replace(text=EXIT.sub("", command.text), code=int(said[1])) if said else command


def run(command: Command, folder: Path) -> Path:
    """Run it and compare; the folder in which the next one runs."""
    after = folder.parent / "folder-after"
    script = f"trap 'pwd > {after}' EXIT\n{command.text}\n"
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == command.code, f"$ {command.text}\n{output}"
    rest = output
    for line in command.prints:
        assert line in rest, f"$ {command.text}\nprints no {line!r} (in that place):\n{output}"
        rest = rest.partition(line)[2]
    return Path(after.read_text(encoding="utf-8").rstrip("\n"))


RUNNABLE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    for file, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if file:
            (folder / file).write_text(block, encoding="utf-8")
            continue
        for command in commands(block):
            folder = run(command, folder)


def test_a_block_is_read_as_commands_and_what_they_print() -> None:
    block = "$ printf 'a\\nb\\n'\na\n…\nb\n$ for x in 1 2; do\n> echo $x; done\n1\n$ false  # exit 1\n"
    assert commands(block) == [
        Command("printf 'a\\nb\\n'", ["a", "b"], 0),
        Command("for x in 1 2; do\necho $x; done", ["1"], 0),
        Command("false", [], 1),
    ]


def test_a_command_moves_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    assert run(Command("mkdir sub && cd sub && echo done", ["done"], 0), tmp_path / "page").name == "sub"


@pytest.mark.parametrize("command", [Command("false", [], 0), Command("echo b; echo a", ["a", "b"], 0)])
def test_a_command_that_does_otherwise_fails(command: Command, tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    with pytest.raises(AssertionError):
        run(command, tmp_path / "page")
