"""Files that a command was asked to write for us."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_handed(path: Path, limit: int) -> bytes | None:
    """At most `limit` bytes of a file that a command may have written; None when there is none.

    What else may stand in its place is refused with an OSError: a pipe would block us, a link lead us elsewhere.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path.name} is not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(handle)
