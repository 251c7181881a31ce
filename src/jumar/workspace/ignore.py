"""What the base's ignore rules say of a path, whatever a maker wrote into its own `.gitignore`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jumar.workspace.contents import Contents
from jumar.workspace.files import put, remove_folder
from jumar.workspace.git import Git, fields


class Ignore:
    """The ignore rules of the base, laid out in a folder that holds nothing else."""

    def __init__(self, git: Git, folder: Path) -> None:
        self.folder = folder
        self.git = git.at(work_tree=folder)

    def prepare(self, contents: Contents) -> None:
        """Lay the base's rules out."""
        remove_folder(self.folder)
        self.folder.mkdir(parents=True)
        rules = [entry for entry in contents.of_base.items() if entry[0].rpartition(b"/")[2] == b".gitignore"]
        for path, mode, data in contents.read(rules):
            put(bytes(self.folder) + b"/" + path, mode, data)

    def ignored(self, paths: Iterable[bytes]) -> set[bytes]:
        """Those of the paths that the rules name, were they files."""
        # `./` in front, since a name that begins with a colon would be read as a pattern.
        names = b"".join(b"./" + path + b"\0" for path in paths)
        if not names:
            return set()
        _, out = self.git.call("check-ignore", "--no-index", "-z", "--stdin", input=names, ok=(0, 1))
        return {name.removeprefix(b"./") for name in fields(out)}
