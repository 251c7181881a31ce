"""Single files and folders, also those that a maker has locked: run as an ordinary user, since root meets no lock."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jumar.workspace.files import clone_file, copy_into, put, remove, remove_folder
from jumar.workspace.snapshot import EXECUTABLE, FILE, SYMLINK, hash_bytes, hash_path, identify, walk

NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that an ordinary user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def as_user(action: Callable[[], None]) -> None:
    """Run in a process of its own that is not root; a failure there is an exit code other than 0."""
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        return
    with contextlib.ExitStack() as stack:
        stack.callback(os._exit, 1)
        if not os.getuid():
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        action()
        os._exit(0)


def test_locked_folders_and_files_are_unlocked_by_a_walk(open_folder: Path) -> None:
    def action() -> None:
        top = open_folder / "tree"
        for name, rights in (("none", 0), ("read", 0o444), ("shut", 0o555)):
            (top / name / "deep").mkdir(parents=True)
            (top / name / "file").write_text("x")
            (top / name / "file").chmod(0)
            (top / name).chmod(rights)
        found = identify(top, walk(top), {}, "sha1")
        assert {path: entry.oid for path, entry in found.items()} == dict.fromkeys(
            (b"none/file", b"read/file", b"shut/file"), hash_bytes(b"x", "sha1")
        )
        put(bytes(top) + b"/shut/deep/new", FILE, b"y")
        remove(bytes(top) + b"/read/file")

    as_user(action)


def test_locked_folders_can_be_removed(open_folder: Path) -> None:
    def action() -> None:
        top = open_folder / "tree"
        (top / "a/b/c").mkdir(parents=True)
        (top / "a/b/file").write_text("x")
        (top / "other").mkdir()
        for name in ("a/b/c", "a/b", "a"):
            (top / name).chmod(0o500 if name == "a" else 0)
        remove_folder(top)
        assert not top.exists()

    as_user(action)


def test_a_link_is_replaced_and_never_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    link = tmp_path / "link"
    link.symlink_to(victim)
    put(os.fsencode(link), EXECUTABLE, b"new")
    assert victim.read_text() == "mine"
    assert link.stat().st_mode & 0o100
    put(os.fsencode(link), SYMLINK, b"victim")
    assert link.readlink() == Path("victim")
    folder = tmp_path / "folder"
    folder.symlink_to(tmp_path)
    remove_folder(folder)
    assert victim.exists()
    remove(os.fsencode(tmp_path / "nothing/there"))
    remove_folder(tmp_path / "nothing")


def test_a_hard_link_to_something_else_is_cut(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "file").hardlink_to(tmp_path / "victim")
    put(os.fsencode(tmp_path / "file"), FILE, b"new")
    assert (tmp_path / "victim").read_text() == "mine"


def test_copies_keep_rights_and_times_and_leave_git_out(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / ".git").mkdir(parents=True)
    (source / "a").write_text("x")
    (source / "a").chmod(0o750)
    os.utime(source / "a", (5, 5))
    (source / "link").symlink_to("a")
    os.mkfifo(source / "pipe")
    copy_into(source, tmp_path / "target")
    assert sorted(entry.name for entry in (tmp_path / "target").iterdir()) == ["a", "link"]
    assert (tmp_path / "target/a").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "target/a").stat().st_mtime == 5
    clone_file(os.fsencode(source / "link"), os.fsencode(tmp_path / "target/deep/link"))
    assert (tmp_path / "target/deep/link").is_symlink()


def test_what_is_gone_or_special_has_no_content(tmp_path: Path) -> None:
    assert hash_path(os.fsencode(tmp_path / "gone"), 0o100644, "sha1") is None
    assert hash_path(os.fsencode(tmp_path / "gone"), 0o010644, "sha1") == ""
    assert hash_bytes(b"", "sha1") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
