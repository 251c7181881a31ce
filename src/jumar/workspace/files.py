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
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        remove(path)
    except PermissionError:
        os.chmod(folder, 0o755)
        remove(path)


def remove(path: bytes) -> None:
    """Take a file, link or folder away; nothing there is fine. A link is removed, never what it leads to."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        if os.path.isdir(path) and not os.path.islink(path):
            remove_folder(Path(os.fsdecode(path)))
            return
        os.chmod(os.path.dirname(path), 0o755)
        os.unlink(path)


def remove_folder(folder: Path) -> None:
    """Take a folder away with all that is in it, or the file or link of that name."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        with contextlib.suppress(PermissionError):
            shutil.rmtree(folder)
            return
        folder.chmod(0o755)
        for place, inner, _ in os.walk(folder):
            for name in inner:
                if not os.path.islink(os.path.join(place, name)):
                    os.chmod(os.path.join(place, name), 0o755)
        shutil.rmtree(folder)


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
