"""Tries an installed jumar. Standard input lists the files that the package must hold, relative to where packages are."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path


def main() -> int:
    """Exit code 0 when the installed package is whole and answers."""
    import jumar

    home = Path(jumar.__file__).resolve().parents[1]
    assert home.is_relative_to(Path(sys.prefix).resolve()), (
        f"jumar was imported from {home}, not from {sys.prefix}"
    )
    missing = [name for name in sys.stdin.read().splitlines() if name and not (home / name).is_file()]
    assert not missing, f"the wheel lacks {', '.join(missing)}"
    assert (home / "jumar" / "py.typed").is_file(), "the wheel lacks py.typed"
    program = str(Path(sys.executable).parent / "jumar")
    version = answer(program, "--version")
    assert metadata.version("jumar") in version, f"`jumar --version` printed {version!r}"
    assert "demo" in answer(program, "--help"), "`jumar --help` does not name the demo"
    print(f"the wheel works: {version.strip()}, {home}", file=sys.stderr)
    return 0


def answer(*command: str) -> str:
    """What a command prints on stdout; its exit code must be 0."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}: {done.stderr}"
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
