"""The files that belong to the judge: those its commands name and those the mission protects, by what they hold."""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path

from jumar.core.mission import Mission
from jumar.core.patch import Scope, matches_any
from jumar.workspace import Repository
from jumar.workspace.git import fields


def named_files(mission: Mission, repository: Repository) -> list[str]:
    """Files of the repository that the metric or a guard names, relative to its root; targets are none of them.

    A file that only a glob makes a target belongs to the judge, unless nothing would be left to edit.
    """
    scope = Scope(mission.file)
    found = [path for path in mentioned(mission, repository) if not scope.named(path)]
    both = [path for path in found if scope.verdict(path) is None]
    if both and not set(matched(scope, repository)) - set(both):
        return [path for path in found if path not in both]
    return found


def kept_from_makers(mission: Mission) -> list[str]:
    """Protected files that a target's glob matches: what the user may be surprised about."""
    scope = Scope(mission.file)
    return [path for path in mission.protect if scope.verdict(path) is None]


def matched(scope: Scope, repository: Repository) -> list[str]:
    """The files of the checkout that git does not ignore and that may be edited."""
    found = fields(repository.checkout.run("ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    return [path for path in map(os.fsdecode, found) if scope.verdict(path) is None]


def mentioned(mission: Mission, repository: Repository) -> list[str]:
    """The files whose path is a word of the metric or of a guard."""
    start = repository.root / mission.folder
    found = set()
    for command in (mission.metric, *mission.guard):
        for word in words_of(command):
            path = Path(os.path.normpath(start / word))
            if path.is_file() and path.is_relative_to(repository.root):
                found.add(path.relative_to(repository.root).as_posix())
    return sorted(found)


def words_of(command: str) -> list[str]:
    """The words of a shell command; of one that a shell could not read either, none."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def pinned(mission: Mission, repository: Repository) -> dict[str, str]:
    """The files that belong to the judge, and the SHA-256 of what they hold at the start."""
    tracked = fields(repository.checkout.run("ls-files", "-z")) if mission.protect else []
    names = [os.fsdecode(name) for name in tracked]
    protected = [name for name in names if matches_any(mission.protect, name)]
    paths = sorted({*named_files(mission, repository), *protected})
    return {path: digest for path in paths if (digest := content_hash(repository.root / path))}


def content_hash(path: Path) -> str | None:
    """The SHA-256 of a file; None where there is no regular file."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
