"""How help reads: options in the groups of the table of keys, commands in the order of a run, nothing cut off."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "Start": ("demo", "init", "check", "run"),
    "Bring your own ideas": ("ask", "tell", "steer", "extend"),
    "Look": ("status", "log", "show", "diff"),
    "Finish": ("stop", "accept", "verify", "clean"),
    "The machine": ("doctor",),
}


class Grouped(TyperCommand):
    """A command whose options stand under the headings that they name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, the command's own options, then each group."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                own = "Arguments" if param.param_type_name == "argument" else "Options"
                groups.setdefault(getattr(param, "rich_help_panel", None) or own, []).append(record)
        write(formatter, groups)


class Commands(TyperGroup):
    """All commands, under the headings above."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command with the whole first sentence of its help."""
        known = {name: command for name, command in self.commands.items() if not command.hidden}
        placed = {name for names in COMMANDS.values() for name in names}
        headings = {**COMMANDS, "More": tuple(name for name in known if name not in placed)}
        write(
            formatter,
            {
                heading: [(name, sentence(known[name].help or "")) for name in names if name in known]
                for heading, names in headings.items()
            },
        )


def write(formatter: Any, groups: dict[str, list[tuple[str, str]]]) -> None:
    """The groups that have rows, each under its heading."""
    for heading, rows in groups.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl(rows)


def sentence(text: str) -> str:
    """The first sentence of a text, on one line."""
    return re.split(r"(?<=[.?])\s", " ".join(text.split()), maxsplit=1)[0]
