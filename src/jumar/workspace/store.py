"""Writing a commit out of bytes: one git process, no index, no hook, no filter, nothing of the user's refs or config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from jumar.workspace.files import remove_folder
from jumar.workspace.git import Git


class Edit(NamedTuple):
    """One changed path: its new bytes, or the blob that already holds them, or neither when it is deleted."""

    path: bytes
    mode: int = 0
    data: bytes | None = None
    blob: str = ""


class Store:
    """Imports commits into the objects of a repository.

    It works through a repository of its own (`shim`) that borrows only the object folder, so that a call that is cut
    can leave neither a lock nor a half-made reference in the user's repository.
    """

    def __init__(self, shim: Path, common_dir: Path, object_format: str) -> None:
        self.shim = shim
        self.object_format = object_format
        self.git = Git(shim, env={"GIT_OBJECT_DIRECTORY": str(common_dir / "objects")})

    def prepare(self) -> None:
        """Make the shim, if it is not there yet."""
        if not (self.shim / "HEAD").exists():
            part = self.shim.with_name(self.shim.name + ".part")
            Git().run(
                "init", "--quiet", "--bare", f"--object-format={self.object_format}", "--template=", part
            )
            # A cut `init` leaves a HEAD and nothing behind it, so only a whole one bears the name.
            remove_folder(self.shim)
            part.replace(self.shim)

    def commit(
        self, parent: str, edits: Iterable[Edit], message: str, identity: str, when: int
    ) -> tuple[str, str]:
        """Write blobs, trees and a commit; the ids of commit and tree. The same arguments give the same ids.

        `when` is in seconds since the epoch; `identity` is `Name <mail>`.
        """
        stream = b"".join(_stream(parent, edits, message, f"{identity} {when} +0000"))
        out = self.git.run(
            "fast-import", "--quiet", "--force", "--done", "--date-format=raw-permissive", input=stream
        )
        commit, root = out.decode().split("\n", 1)
        return commit, root.split()[2]


def _stream(parent: str, edits: Iterable[Edit], message: str, stamp: str) -> Iterator[bytes]:
    who = stamp.encode("utf-8", "surrogateescape")
    yield b"commit refs/jumar/sealed\nmark :1\nauthor %s\ncommitter %s\n" % (who, who)
    yield _data(message.encode("utf-8", "replace")) + b"from %s\n" % parent.encode()
    # Deletions first: a file may come where a folder was.
    ordered = sorted(edits, key=lambda edit: (edit.mode != 0, edit.path))
    for edit in ordered:
        if not edit.mode:
            yield b"D %s\n" % quote(edit.path)
        elif edit.data is None:
            yield b"M %o %s %s\n" % (edit.mode, edit.blob.encode(), quote(edit.path))
        else:
            yield b"M %o inline %s\n" % (edit.mode, quote(edit.path)) + _data(edit.data)
    yield b'\nget-mark :1\nls :1 ""\ndone\n'


def _data(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data + b"\n"


def quote(path: bytes) -> bytes:
    """A path as git's own streams write it when it holds odd bytes."""
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
