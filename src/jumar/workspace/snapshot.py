"""Walking a tree and telling what is in it, by content. Paths are bytes, relative to the tree's root."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

Signature = tuple[int, int, int, int, int]  # st_mode, st_size, st_mtime_ns, st_ctime_ns, st_ino
RACY_NS = 100_000_000  # a write this close to the walk may leave the same times behind
CHUNK = 1 << 20

FILE, EXECUTABLE, SYMLINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000


class Known(NamedTuple):
    """A file whose content was hashed: the blob id of its raw bytes. `sure` = its times prove a later change.

    `mode` is git's; 0 for what git cannot hold (a pipe, a socket, a device).
    """

    signature: Signature
    oid: str
    sure: bool
    mode: int


class Observed(NamedTuple):
    """One walk. `files` holds everything that is no folder; `nested` the folders that hold a `.git` of their own.

    `taken` is the time at which it began, in nanoseconds.
    """

    files: dict[bytes, Signature]
    folders: set[bytes]
    nested: set[bytes]
    taken: int


def git_mode(mode: int) -> int:
    """The mode that git records for a file of this st_mode, 0 where it can record none."""
    if stat.S_ISREG(mode):
        return EXECUTABLE if mode & 0o100 else FILE
    return SYMLINK if stat.S_ISLNK(mode) else 0


def walk(root: Path) -> Observed:
    """Everything under `root`, without following links and without entering any `.git`.

    The root's own `.git` is left out, whatever it is.
    """
    seen = Observed({}, set(), set(), time.time_ns())
    top = os.fsencode(root) + b"/"
    stack = [b""]
    while stack:
        _walk_folder(top, stack.pop(), stack, seen)
    return seen


def _walk_folder(top: bytes, prefix: bytes, stack: list[bytes], seen: Observed) -> None:
    files = seen.files
    with _scan(top + prefix) as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.name == b".git":
                if prefix:
                    seen.nested.add(prefix[:-1])
            elif entry.is_dir(follow_symlinks=False):
                seen.folders.add(path)
                stack.append(path + b"/")
            else:
                s = entry.stat(follow_symlinks=False)
                files[path] = (s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)


def _scan(folder: bytes) -> os._ScandirIterator[bytes]:
    # A maker may have locked a folder. Unlocked here, no later step meets one.
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        os.chmod(folder, 0o755)
    return os.scandir(folder)


def identify(root: Path, seen: Observed, known: Mapping[bytes, Known], algorithm: str) -> dict[bytes, Known]:
    """The content of every file of a walk; only files whose signature differs from `known` are read."""
    result: dict[bytes, Known] = {}
    limit = seen.taken - RACY_NS
    top = os.fsencode(root) + b"/"
    for path, signature in seen.files.items():
        old = known.get(path)
        if old is not None and old.sure and old.signature == signature:
            result[path] = old
            continue
        oid = hash_path(top + path, signature[0], algorithm)
        if oid is not None:
            result[path] = Known(
                signature, oid, max(signature[2], signature[3]) < limit, git_mode(signature[0])
            )
    return result


def hash_path(path: bytes, mode: int, algorithm: str) -> str | None:
    """The blob id of a file's raw bytes or a link's text; "" for a special file, None when it is gone."""
    try:
        if stat.S_ISLNK(mode):
            return hash_bytes(os.readlink(path), algorithm)
        return hash_file(path, algorithm) if stat.S_ISREG(mode) else ""
    except FileNotFoundError:
        return None
    except PermissionError:
        os.chmod(path, stat.S_IMODE(mode) | 0o600)
        return hash_file(path, algorithm)


def hash_bytes(data: bytes, algorithm: str) -> str:
    """The id git gives to a blob of these bytes."""
    digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def hash_file(path: bytes, algorithm: str) -> str:
    """The id git gives to a blob of this file's bytes, read in pieces."""
    with open(path, "rb", opener=_no_follow) as file:
        size = os.fstat(file.fileno()).st_size
        digest = hashlib.new(algorithm, b"blob %d\0" % size, usedforsecurity=False)
        while piece := file.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _no_follow(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC)


def parents(path: bytes) -> Iterator[bytes]:
    """The folders above a path, nearest first, without the root."""
    while (cut := path.rfind(b"/")) > 0:
        path = path[:cut]
        yield path


def text(path: bytes) -> str:
    """A path for people and for the journal."""
    return os.fsdecode(path)
