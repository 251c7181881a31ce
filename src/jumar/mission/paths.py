"""The paths of a mission: from what was written to paths and globs relative to the repository's root."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from jumar.core.patch import has_wildcard, matches, matches_any
from jumar.mission.nodes import Where, quote
from jumar.mission.settings import Layer, Settings

LOOKED_AT = 20_000  # files, when a name is searched that may have been meant
OWN = ".jumar"


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that paths are written from. `folder` is that of the mission file."""

    root: Path
    start: Path
    folder: Path

    def base(self, layer: int) -> Path:
        """What the paths of a layer are relative to."""
        if layer == Layer.FLAG:
            return self.start
        inside = self.folder.is_relative_to(self.root)
        return self.root if layer == Layer.STYLE else self.folder if inside else self.start

    def relative(self, text: str, layer: int) -> str | None:
        """A path or glob relative to the root, with `/`; None where it leaves the repository."""
        written = os.path.normpath(self.base(layer) / text)
        for candidate in (written, os.path.realpath(written)):
            relative = os.path.relpath(candidate, self.root)
            if relative.split(os.sep, 1)[0] != "..":
                return "" if relative == "." else relative.replace(os.sep, "/")
        return None


def scope(settings: Settings, places: Places) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The targets and the protected patterns; what is wrong with them goes to the settings."""
    protect = tuple(path for _, path, _ in _relative(settings, "protect", places))
    targets = []
    for _, path, where in _relative(settings, "file", places):
        if not _forbidden(settings, path, where) and not _missing(
            settings, path, where, protect, places.root
        ):
            targets.append(path)
    return tuple(dict.fromkeys(targets)), protect


def carried(settings: Settings, places: Places) -> dict[str, object]:
    """What is carried, by path; what cannot be goes to the problems."""
    carry = settings["carry"]
    modes = carry if isinstance(carry, dict) else {}
    found: dict[str, object] = {}
    for text, path, where in _relative(settings, "carry", places):
        # os.path answers no where pathlib raises: a name may be too long to exist
        if not os.path.exists(places.root / path):  # noqa: PTH110
            message = f"{quote(text)} does not exist in your checkout, and so cannot be carried."
            settings.complain(where, "carry", message, f"Create {quote(text)}, or take it out of `carry`.")
        elif not path or _owner(path):
            message = (
                f"{quote(text)} cannot be carried: it is {_owner(path) or 'the whole repository'}'s own."
            )
            settings.complain(
                where, "carry", message, "Name what the evaluator needs and git does not carry."
            )
        else:
            found[path] = modes[text]
    return found


def _relative(settings: Settings, key: str, places: Places) -> Iterator[tuple[str, str, Where]]:
    """Each entry as it is written, relative to the root, and its place."""
    for text, where in settings.places(key):
        path = None if "\0" in text else places.relative(text, settings.layer(key))
        if path is None:
            message = f"{quote(text)} leads out of the repository {places.root}."
            settings.complain(where, key, message, "Name a path inside the repository.")
        elif not _readable(path):
            message = f"{quote(text)} is not a pattern that can be read."
            hint = "Use `*`, `?`, `**` and `[…]` only, with ranges in order, such as `[a-z]`."
            settings.complain(where, key, message, hint)
        else:
            yield text, path, where


def _readable(pattern: str) -> bool:
    try:
        matches(pattern, "a")
    except re.error:
        return False
    return True


def _owner(path: str) -> str:
    parts = path.split("/")
    return "git" if ".git" in parts else "jumar" if parts[0] == OWN else ""


def _forbidden(settings: Settings, path: str, where: Where) -> bool:
    if owner := _owner(path):
        message = f"{quote(path)} belongs to {owner}, and cannot be edited by a run."
        settings.complain(where, "file", message, "Name the files that should be improved.")
    return bool(owner)


def _missing(settings: Settings, path: str, where: Where, protect: tuple[str, ...], root: Path) -> bool:
    """Whether a target names nothing that may be edited; the reason goes to the problems."""
    on_disk = root / path
    if os.path.isdir(on_disk):  # noqa: PTH112 - no, where pathlib raises
        glob = f"{path}/**" if path else "**"
        settings.complain(
            where, "file", f"{quote(path or '.')} is a folder.", f"Write {quote(glob)} for everything in it."
        )
        return True
    if os.path.lexists(on_disk):
        return _exact_problem(settings, path, where, protect, root)
    found = [
        name for name in [next(_found(root, path, ()), None), next(_found(root, path, protect), None)] if name
    ]
    if not found:
        _complain_of_nothing(settings, path, where, root)
    elif len(found) == 1:
        _complain_of_protection(settings, path, where)
    return len(found) < 2


def _exact_problem(settings: Settings, path: str, where: Where, protect: tuple[str, ...], root: Path) -> bool:
    real = (root / path).resolve()
    if not real.is_relative_to(root) or not real.is_file():
        seen = f"a link to {real}" if (root / path).is_symlink() else "no regular file"
        settings.complain(
            where, "file", f"{quote(path)} is {seen}.", "Name a regular file inside the repository."
        )
        return True
    if matches_any(protect, path):
        _complain_of_protection(settings, path, where)
        return True
    return False


def _complain_of_protection(settings: Settings, path: str, where: Where) -> None:
    message = f"{quote(path)} is to be edited, but `protect` ({settings.where('protect')}) covers all of it."
    settings.complain(where, "file", message, "Take it out of `file`, or narrow `protect`.")


def _complain_of_nothing(settings: Settings, path: str, where: Where, root: Path) -> None:
    if has_wildcard(path):
        hint = "Write `**` to cross folders: `src/**/*.py`."
        settings.complain(where, "file", f"{quote(path)} matches no file.", hint)
        return
    close = nearest_files(root, path)
    hint = f"Did you mean {' or '.join(map(quote, close))}?" if close else "Name a file that exists."
    settings.complain(where, "file", f"{quote(path)} does not exist in {root}.", hint)


def nearest_files(root: Path, path: str) -> list[str]:
    """Up to three files whose path or name is like a path that does not exist."""
    files = list(islice(walk(root), LOOKED_AT))
    name = path.rpartition("/")[2]
    if same_name := [file for file in files if file.rpartition("/")[2] == name]:
        return same_name[:3]
    names = {file.rpartition("/")[2]: file for file in reversed(files)}
    like = [names[close] for close in get_close_matches(name, names, n=3, cutoff=0.6)]
    return list(dict.fromkeys(get_close_matches(path, files, n=3, cutoff=0.7) + like))[:3]


def _found(root: Path, pattern: str, protect: tuple[str, ...]) -> Iterator[str]:
    literal = []
    for part in pattern.split("/")[:-1]:
        if has_wildcard(part):
            break
        literal.append(part)
    below = walk(root, "/".join(literal))
    return (path for path in below if matches(pattern, path) and not matches_any(protect, path))


def walk(root: Path, below: str = "") -> Iterator[str]:
    """Every file below a folder, relative to the root; git's and jumar's own left out, links not followed."""
    for folder, folders, files in os.walk(root / below):
        prefix = os.path.relpath(folder, root).replace(os.sep, "/")
        prefix = "" if prefix == "." else prefix + "/"
        folders[:] = sorted(name for name in folders if name != ".git" and prefix + name != OWN)
        yield from (prefix + name for name in sorted(files))
