"""Mission keys as command-line options, generated from the table of keys."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from jumar.mission.keys import Option, options

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
RunName = Annotated[
    str | None, typer.Option("--run", help="A run by its id, or a part of it; the newest by default.")
]
MissionFile = Annotated[
    Path | None,
    typer.Argument(help="The mission file; mission.md of this folder or of the repository by default."),
]

TYPES: dict[str, Any] = {"text": str | None, "list": list[str] | None, "bool": bool | None}


def parameter(option: Option) -> inspect.Parameter:
    """One option as a parameter of a command."""
    declared = typer.Option(option.declaration, help=option.help, hidden=option.hidden, show_default=False)
    return inspect.Parameter(
        option.parameter,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[TYPES[option.kind], declared],
    )


def with_mission_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command all mission keys as options; they arrive in its argument `flags`."""
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
