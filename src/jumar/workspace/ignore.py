"""The base's own ignore rules and attributes, whatever a maker writes into its `.gitignore` or `.gitattributes`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jumar.workspace.contents import Contents
from jumar.workspace.files import put, remove_folder
from jumar.workspace.git import Git, fields

RULES = (b".gitignore", b".gitattributes")


def lay_out_rules(contents: Contents, folder: Path) -> None:
    """Make a folder that holds the base's rules and nothing else: a work tree in which git finds only them."""
    part = folder.with_name(folder.name + ".part")
    remove_folder(part)
    part.mkdir(parents=True)
    found = [(path, item) for path, item in contents.of_base.items() if path.rpartition(b"/")[2] in RULES]
    for (path, (mode, _)), data in zip(found, contents.blobs([item[1] for _, item in found]), strict=True):
        put(bytes(part) + b"/" + path, mode, data)
    remove_folder(folder)
    part.replace(folder)


class Ignore:
    """The ignore rules of the base, as laid out in a folder."""

    def __init__(self, git: Git, folder: Path) -> None:
        self.git = git.at(work_tree=folder)

    def ignored(self, paths: Iterable[bytes]) -> set[bytes]:
        """Those of the paths that the rules name, were they files."""
        # `./` in front, since a name that begins with a colon would be read as a pattern.
        names = b"".join(b"./" + path + b"\0" for path in paths)
        if not names:
            return set()
        _, out = self.git.call("check-ignore", "--no-index", "-z", "--stdin", input=names, ok=(0, 1))
        return {name.removeprefix(b"./") for name in fields(out)}
