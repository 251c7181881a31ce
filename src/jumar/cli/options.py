"""Mission keys as command-line options, generated from the table of keys."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from jumar.mission.keys import Option

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
RunName = Annotated[
    str | None, typer.Option("--run", help="A run by its id, or a part of it; the newest by default.")
]
MissionFile = Annotated[
    Path | None,
    typer.Argument(help="The mission file; mission.md of this folder or of the repository by default."),
]

# What stands for a value in the help, by the first words of what the key expects.
STANDS_FOR = {"a whole": "N", "a number": "X", "a time": "TIME", "a size": "SIZE", "a mapping": "NAME=VALUE"}
TYPES: dict[str, Any] = {"text": str | None, "list": list[str] | None, "bool": bool | None}


def parameter(option: Option) -> inspect.Parameter:
    """One option as a parameter of a command."""
    declared = typer.Option(
        option.declaration,
        help=option.help + (" May be repeated." if option.kind == "list" else ""),
        hidden=option.hidden,
        show_default=False,
        metavar=None if option.kind == "bool" else stands_for(option),
        rich_help_panel=option.group,
    )
    return inspect.Parameter(
        option.parameter,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[TYPES[option.kind], declared],
    )


def stands_for(option: Option) -> str:
    """The word in capitals that stands for the value."""
    words = (short for start, short in STANDS_FOR.items() if option.expects.startswith(start))
    return next(words, "WORD" if "One of:" in option.help else "TEXT")


def with_mission_options(command: Callable[..., int]) -> Callable[..., int]:
    """Note that a command takes all mission keys as options; they are made when the command is called for."""
    command.takes_mission = True  # type: ignore[attr-defined]
    return command


def expanded(command: Callable[..., int]) -> Callable[..., int]:
    """The command with the mission keys as options, which arrive in its argument `flags`; any other as it is."""
    if not hasattr(command, "takes_mission"):
        return command
    from jumar.mission.keys import options

    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "flags"]
    generated = [parameter(option) for option in options()]
    names = [p.name for p in generated]

    @functools.wraps(command)
    def wrapped(**values: Any) -> int:
        flags = {name: values.pop(name) for name in names}
        return command(**values, flags=given(flags))

    wrapped.__signature__ = inspect.Signature([*own, *generated])  # type: ignore[attr-defined]
    del wrapped.__wrapped__  # or the signature would be looked for there
    return wrapped


def given(flags: dict[str, Any]) -> dict[str, Any]:
    """The flags that were given, and the maker that the environment names where no flag does."""
    found = {name: value for name, value in flags.items() if value not in (None, [])}
    if "maker" not in found and (maker := os.environ.get("JUMAR_MAKER")):
        found["maker"] = [maker]
    return found
