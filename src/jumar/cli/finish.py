"""Commands after a run: accept, verify, clean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from jumar.cli import place
from jumar.cli.options import Json, RunName

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def accept(
    merge: Annotated[bool, typer.Option("--merge", help="Merge the run's branch (the default).")] = False,
    squash: Annotated[
        bool, typer.Option("--squash", help="One commit with everything that was kept.")
    ] = False,
    pick: Annotated[str | None, typer.Option("--pick", help="Only these trials, such as 3,7.")] = None,
    patch: Annotated[
        Path | None, typer.Option("--patch", help="Write a patch file; your branch stays.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="Copy the result there; your branch stays.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="With --to: write over files that are there.")
    ] = False,
    yes: Yes = False,
    run: RunName = None,
    as_json: Json = False,
) -> int:
    """Hand the result over. The only command that writes to your branch or files."""
    from jumar.cli.finishing import Form, accept_run

    form = Form(merge=merge, squash=squash, pick=pick, patch=patch, to=to, force=force)
    return accept_run(place.run_folder(run), form, yes=yes, as_json=as_json)


def verify(
    run: Annotated[str | None, typer.Argument(help="A run; the newest by default.")] = None,
    as_json: Json = False,
) -> int:
    """Is the journal whole, and do references, trees and pinned files agree with it?"""
    from jumar.cli.finishing import verify_run

    return verify_run(place.run_folder(run), as_json=as_json)


def clean(
    run: RunName = None,
    every: Annotated[bool, typer.Option("--all", help="Every run of this repository.")] = False,
    branch: Annotated[
        bool, typer.Option("--branch", help="The run's branch too, handed over or not.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> int:
    """Remove a run: its worktree, evaluation trees, references and files."""
    from jumar.cli.finishing import clean_runs

    root = place.root()
    return clean_runs(root, run, every=every, branch=branch, yes=yes, as_json=as_json)


COMMANDS: dict[str, Callable[..., int]] = {"accept": accept, "verify": verify, "clean": clean}
