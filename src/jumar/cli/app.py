"""The commands by name, and what happens to an error on its way out."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from jumar.cli import console, drive, finish, look, start
from jumar.errors import JumarError

app = typer.Typer(
    name="jumar",
    help="Improve files against a measure, alone and overnight: propose, measure, keep or put back, write down why.",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def version(value: bool) -> None:
    """Print the version and leave."""
    if value:
        from jumar.version import VERSION

        typer.echo(f"jumar {VERSION}")
        raise typer.Exit


@app.callback()
def jumar(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Improve files against a measure, alone and overnight: propose, measure, keep or put back, write down why."""


for module in (start, drive, look, finish):
    for name, command in module.COMMANDS.items():
        app.command(name, hidden=name.startswith("_"))(command)


def run(arguments: list[str]) -> int:
    """Run one command and turn every error into a sentence, a hint and an exit code."""
    try:
        code = app(arguments, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.Exit as leave:
        return leave.exit_code
    except JumarError as error:
        console.show_error(error, as_json="--json" in arguments)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        console.say("Interrupted.")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # the edge of the process
        if hasattr(error, "format_message") and hasattr(error, "show"):
            error.show()
            return 2
        raise


def main() -> None:
    """The program: run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))
