"""Writing and removing single files of a tree. Links are replaced, never written through."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from pathlib import Path

from jumar.workspace.snapshot import EXECUTABLE, SYMLINK

FICLONE = 0x40049409  # share the blocks of a file where the file system can


def put(path: bytes, mode: int, data: bytes) -> None:
    """Make a file or link of this git mode and content, in place of whatever is there."""
    make_room(path)
    if mode == SYMLINK:
        os.symlink(data, path)
        return
    rights = 0o777 if mode == EXECUTABLE else 0o666
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, rights)
    with open(handle, "wb") as file:
        file.write(data)


def make_room(path: bytes) -> None:
    """Take away what is at a path, and make the folder that it goes into."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    remove(path)


def remove(path: bytes) -> None:
    """Take a file or link away; nothing there is fine. A link is removed, never what it leads to."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)


def remove_folder(folder: Path) -> None:
    """Take a folder away with all that is in it, or the file or link of that name."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        try:
            shutil.rmtree(folder)
        except PermissionError:
            unlock(folder)
            shutil.rmtree(folder)


def unlock(folder: Path) -> None:
    """Give the owner the rights to a folder, and to those in it, that a removal needs."""
    folder.chmod(0o755)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            unlock(Path(entry.path))


def clone_file(source: bytes, target: bytes) -> None:
    """Copy a file or link with its rights and times; blocks are shared where the file system can do that."""
    make_room(target)
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
        return
    with open(source, "rb") as old, open(target, "xb") as new:
        try:
            fcntl.ioctl(new, FICLONE, old.fileno())
        except OSError:
            shutil.copyfileobj(old, new, 1 << 20)
    shutil.copystat(source, target, follow_symlinks=False)


def copy_into(source: Path, target: Path) -> None:
    """Copy a file or a folder, leaving out `.git` and what is neither file, folder nor link."""
    mode = source.lstat().st_mode
    if not stat.S_ISDIR(mode):
        if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            clone_file(os.fsencode(source), os.fsencode(target))
        return
    target.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(source):
        if entry.name != ".git":
            copy_into(Path(entry.path), target / entry.name)
