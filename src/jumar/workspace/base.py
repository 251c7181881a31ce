"""The commit that a run starts from: the user's HEAD, and what the user has not committed of the files that matter."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from jumar.core.patch import has_wildcard, is_litter, matches_any
from jumar.core.secrets import secret_name
from jumar.errors import RefusedError
from jumar.workspace.git import Git, fields
from jumar.workspace.repository import Repository
from jumar.workspace.settings import Settings, listed
from jumar.workspace.snapshot import hash_path, text


class Base(NamedTuple):
    """The base commit, and in words what it holds beyond HEAD."""

    commit: str
    notes: list[str]


def make_base(repository: Repository, settings: Settings, identity: str) -> Base:
    """The base of a run. Reads the user's checkout; writes objects only, and never its index, HEAD or stash."""
    if settings.base == "head":
        return Base(repository.head, [])
    found = sorted(set(_uncommitted(repository, settings)))
    secret = [path for path in found if secret_name(text(path))]
    if secret:
        raise RefusedError(
            f"{text(secret[0])} has a name that holds secrets, so its content is not put into a commit.",
            hint="Take it out of the targets; a file that the evaluator only reads comes with `carry: {…: copy}`.",
        )
    if not found:
        return Base(repository.head, [])
    settings.state.mkdir(parents=True, exist_ok=True)
    commit = _commit(repository, settings, found, identity)
    if commit is None:
        return Base(repository.head, [])
    return Base(
        commit,
        [f"The base is HEAD with your uncommitted content of {listed([text(path) for path in found])}."],
    )


def _commit(repository: Repository, settings: Settings, paths: list[bytes], identity: str) -> str | None:
    index = settings.state / "make-base"
    index.unlink(missing_ok=True)
    git = repository.checkout.at(index=index)
    try:
        git.run("read-tree", repository.head)
        git.run(
            "update-index",
            "--add",
            "--remove",
            "-z",
            "--stdin",
            input=b"".join(path + b"\0" for path in paths),
        )
        tree = git.line("write-tree")
        if tree == git.line("rev-parse", f"{repository.head}^{{tree}}"):
            return None
        return commit_tree(
            git, tree, repository.head, f"jumar: the base of {settings.run}", identity, int(settings.started)
        )
    finally:
        index.unlink(missing_ok=True)


def commit_tree(git: Git, tree: str, parent: str, message: str, identity: str, when: int) -> str:
    """Commit a tree on top of a parent; the same arguments give the same id."""
    who = f"{identity} {when} +0000"
    lines = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{message}\n"
    out = git.run(
        "hash-object", "-t", "commit", "-w", "--stdin", input=lines.encode("utf-8", "surrogateescape")
    )
    return out.decode().strip()


def _uncommitted(repository: Repository, settings: Settings) -> Iterator[bytes]:
    wanted = (*settings.targets, *settings.named)
    out = repository.checkout.run(
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=all",
        "--no-renames",
        "--no-ahead-behind",
    )
    for entry in fields(out):
        kind = entry[:1]
        path = entry.split(b" ", {b"1": 8, b"u": 10}.get(kind, 1))[-1]
        if path.endswith(b"/") or not matches_any(wanted, text(path)):
            continue
        if kind == b"u":
            raise RefusedError(
                f"{text(path)} is in the middle of a merge.",
                hint="Finish the merge, or abort it, and start again.",
            )
        if kind != b"1" or not _only_looks_changed(repository, entry, path):
            yield path
    yield from _ignored_by_name(repository, wanted)


def _only_looks_changed(repository: Repository, entry: bytes, path: bytes) -> bool:
    """Whether the file has the very bytes of HEAD, and git would only write its line ends another way."""
    _, _, _, mode_head, _, mode_file, blob = entry.split(b" ")[:7]
    if mode_head != mode_file:
        return False
    found = hash_path(os.fsencode(repository.root) + b"/" + path, int(mode_file, 8), repository.object_format)
    return found == blob.decode()


def _ignored_by_name(repository: Repository, wanted: tuple[str, ...]) -> Iterator[bytes]:
    exact = [os.fsencode(name.removeprefix("./")) for name in wanted if not has_wildcard(name)]
    files = [name for name in exact if _is_file(repository.root, name)]
    if files:
        literal = repository.checkout.at(env={"GIT_LITERAL_PATHSPECS": "1"})
        tracked = set(fields(literal.run("ls-files", "-z", "--cached", "--", *files)))
        yield from (name for name in files if name not in tracked)


def left_behind(repository: Repository, carry: Iterable[str]) -> list[str]:
    """What the user's checkout has and the trees of a run will not: ignored files and folders that nothing carries."""
    form = ("--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory", "-z")
    found = [text(path).rstrip("/") for path in fields(repository.checkout.run("ls-files", *form))]
    return [
        path
        for path in found
        if path != ".jumar" and not is_litter(path + "/x") and not matches_any(carry, path)
    ]


def _is_file(root: Path, name: bytes) -> bool:
    path = os.fsencode(root) + b"/" + name
    return os.path.lexists(path) and (os.path.islink(path) or os.path.isfile(path))


def find_identity(git: Git) -> str:
    """The user's name and mail, or jumar's own where they have set none: nothing is guessed from the machine."""
    parts = [git.call("config", "--get", key, ok=(0, 1))[1] for key in ("user.name", "user.email")]
    name, mail = (part.decode("utf-8", "replace").strip() for part in parts)
    if not name or not mail:
        return "jumar <jumar@localhost>"
    strip = str.maketrans("", "", "<>\n\0")
    return f"{name.translate(strip)} <{mail.translate(strip)}>"
