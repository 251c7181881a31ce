"""The command line. Importing it is cheap: each command imports what it needs when it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code, which is also the process's."""
    from jumar.cli.app import run

    code = run(list(sys.argv[1:] if arguments is None else arguments))
    if arguments is None:
        sys.exit(code)
    return code
