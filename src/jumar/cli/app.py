"""The commands by name, and what happens to an error on its way out."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any

import typer

from jumar.cli import console, drive, finish, look, start
from jumar.cli.help import Commands, Grouped
from jumar.cli.options import expanded
from jumar.errors import JumarError, RefusedError, UsageError

COMMANDS = {
    name: command for module in (start, drive, look, finish) for name, command in module.COMMANDS.items()
}


def version(value: bool) -> None:
    """Print the version and leave."""
    if value:
        from jumar.version import VERSION

        typer.echo(f"jumar {VERSION}")
        raise typer.Exit


def jumar(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Improve files against a measure, alone and overnight: propose, measure, keep or put back, write down why."""


def application(wanted: str | None = None) -> typer.Typer:
    """The whole command line; or, where one command is wanted, that one whole and the others by their names.

    Options take most of the time that `jumar --help` needs, and it shows none of them.
    """
    app = typer.Typer(
        name="jumar",
        cls=Commands,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(jumar)
    for name, command in COMMANDS.items():
        whole = wanted in (None, name)
        register = app.command(name, cls=Grouped, help=command.__doc__, hidden=name.startswith("_"))
        register(expanded(command) if whole else nothing)
    return app


def nothing() -> int:
    """Stands for a command that was not called."""
    return 0


def wanted(arguments: list[str]) -> str | None:
    """The command that these arguments name, "" for none; None where a shell asks how to complete them."""
    if "_JUMAR_COMPLETE" in os.environ:
        return None
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def in_our_words(arguments: list[str]) -> list[str]:
    """The arguments without the options that only a style's own document has."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if not hasattr(command, "takes_mission"):
        return arguments
    from jumar.cli.aliases import translated

    return translated(arguments)


def run(arguments: list[str]) -> int:
    """Run one command and turn every error into a sentence, a hint and an exit code."""
    try:
        arguments = in_our_words(arguments)
        code = application(wanted(arguments))(arguments, standalone_mode=False)
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
    except OSError as error:
        console.show_error(unusable(error), as_json="--json" in arguments)
        return unusable(error).exit_code
    except Exception as error:  # the edge of the process
        if not hasattr(error, "format_message"):
            raise
        if not arguments:
            console.say(error.format_message())  # the help
        else:
            console.show_error(misread(error), as_json="--json" in arguments)
        return 2


def misread(error: Any) -> UsageError:
    """What is wrong with the command line, and where its words are listed."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "jumar"
    return UsageError(error.format_message(), hint=f"`{command} --help` lists what there is.")


def unusable(error: OSError) -> RefusedError:
    """What the system refused, as a sentence: the file and its reason."""
    seen = error.strerror or str(error)
    where = f" for {error.filename}" if error.filename is not None else ""
    return RefusedError(
        f"The system answered: {seen}{where}.",
        hint="Look at the path, its permissions and the free space, then try again.",
    )


def main() -> None:
    """The program: run the command line and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal that lacks a letter is no reason to fall over
    sys.exit(run(sys.argv[1:]))
