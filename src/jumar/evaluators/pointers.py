"""What leads an evaluator past the tree it should measure: paths and installs that point into the user's checkout.

An evaluator that reads the checkout gives every candidate the same score, all night. Nothing here is run; files are
read and compared.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

LARGEST = 1 << 20
SHOWN = 3
_NAME = re.compile(r"__editable__[._]+(.+?)[-_]\d.*")


@dataclass(frozen=True)
class Surroundings:
    """Where an evaluation runs (`folder` of `tree`), and the `checkout` that it should not look at."""

    checkout: Path
    folder: str
    tree: Path
    environment: Mapping[str, str]

    @property
    def cwd(self) -> Path:
        """The evaluation's working directory."""
        return self.tree / self.folder


@dataclass(frozen=True)
class Install:
    """An editable install: `file` in a site-packages folder makes Python import `package` from `target`."""

    package: str
    file: Path
    target: Path


def explain_blindness(
    command: str, targets: tuple[str, ...], carried: tuple[str, ...], around: Surroundings
) -> str:
    """What could explain that a score does not depend on the targets, and the cure; one sentence each."""
    found = [
        *_named_in_command(command, around),
        *_named_in_files(command, around),
        *_python_path(around),
        *(_install_sentence(install, around) for install in editable_installs(command, carried, around)),
    ]
    if found:
        return " ".join(list(dict.fromkeys(found))[:SHOWN])
    return (
        f"Nothing was found in `{command}` that points to your checkout; see that it reads {', '.join(targets)} "
        "and not an installed or cached copy. `--no-probe` starts without this check."
    )


def _named_in_command(command: str, around: Surroundings) -> Iterator[str]:
    expanded = command
    if home := around.environment.get("HOME"):
        expanded = re.sub(r"(?<![^\s=:'\"])~(?=/)|\$HOME\b|\$\{HOME\}", lambda _: home, command)
    for path in _paths_in(expanded, around.checkout):
        yield f"The command names `{path}`, which is in your checkout: {_relative(path, around)}"


def _named_in_files(command: str, around: Surroundings) -> Iterator[str]:
    for word in _words(command):
        text = _text(around.cwd / word)
        if text is None:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for path in _paths_in(line, around.checkout):
                yield f"Line {number} of `{word}` names `{path}`, which is in your checkout: {_relative(path, around)}"


def _python_path(around: Surroundings) -> Iterator[str]:
    for entry in around.environment.get("PYTHONPATH", "").split(os.pathsep):
        if Path(entry).is_absolute() and _inside(Path(entry), around.checkout):
            yield f"PYTHONPATH in your environment holds `{entry}`, which is in your checkout: unset it or make it relative."


def editable_installs(command: str, carried: Iterable[str], around: Surroundings) -> list[Install]:
    """The editable installs of the checkout in every virtual environment that the evaluation may use."""
    found: dict[Path, Install] = {}
    for site in dict.fromkeys(_site_packages(command, carried, around)):
        for install in (*_path_files(site), *_finders(site, around.checkout), *_direct_urls(site)):
            if _inside(install.target, around.checkout):
                found.setdefault(site / install.package, install)
    return list(found.values())


def _install_sentence(install: Install, around: Surroundings) -> str:
    file = install.file
    shown = file.relative_to(around.tree) if file.is_relative_to(around.tree) else file
    source = os.path.relpath(install.target, around.checkout.resolve() / around.folder)
    return (
        f"`{shown}` is an editable install of {install.package} that points to your checkout (`{install.target}`), so Python "
        f"imports it from there: write `PYTHONPATH={shlex.quote(source)}` before the command, or install it anew with `setup:`."
    )


def _site_packages(command: str, carried: Iterable[str], around: Surroundings) -> Iterator[Path]:
    for root in _environments(command, carried, around):
        yield from sorted(root.glob("lib*/python*/site-packages"))


def _environments(command: str, carried: Iterable[str], around: Surroundings) -> Iterator[Path]:
    """The roots of virtual environments: carried, in the tree, active, or behind a word of the command."""
    yield from (around.tree / path for path in carried)
    for folder in dict.fromkeys([around.tree, around.cwd]):
        yield from (path.parent for path in sorted(folder.glob("*/pyvenv.cfg")))
    if active := around.environment.get("VIRTUAL_ENV"):
        yield Path(active)
    for word in _words(command):
        program = str(around.cwd / word) if os.sep in word else word
        if found := shutil.which(program, path=around.environment.get("PATH", os.defpath)):
            root = Path(found).parent.parent
            if (root / "pyvenv.cfg").is_file():
                yield root


def _path_files(site: Path) -> Iterator[Install]:
    """`*.pth` and `*.egg-link`: a line that is a path."""
    for file in sorted((*site.glob("*.pth"), *site.glob("*.egg-link"))):
        for line in (_text(file) or "").splitlines():
            path = Path(line.strip())
            if path.is_absolute():
                yield Install(_package(file), file, path)


def _finders(site: Path, checkout: Path) -> Iterator[Install]:
    """`__editable___*_finder.py`: a mapping from packages to their folders, written as Python."""
    for file in sorted(site.glob("__editable__*.py")):
        for path in _paths_in(_text(file) or "", checkout):
            # The finder names the package's own folder, and what is imported from is the one above.
            yield Install(_package(file), file, Path(path).parent)


def _direct_urls(site: Path) -> Iterator[Install]:
    """`direct_url.json`: what the installer noted about an editable install."""
    for file in sorted(site.glob("*.dist-info/direct_url.json")):
        note = _json(_text(file) or "")
        url = urlsplit(str(note.get("url", "")))
        if (
            url.scheme == "file"
            and isinstance(info := note.get("dir_info"), dict)
            and info.get("editable") is True
        ):
            yield Install(file.parent.name.partition("-")[0], file, Path(unquote(url.path)))


def _package(file: Path) -> str:
    match = _NAME.fullmatch(file.stem)
    return match[1] if match else file.stem


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _paths_in(text: str, checkout: Path) -> list[str]:
    """Every absolute path in a text that is the checkout or in it, however the checkout itself was reached."""
    roots = {str(checkout), str(checkout.resolve())} - {os.sep}
    pattern = "|".join(map(re.escape, sorted(roots, key=len, reverse=True)))
    found = (
        re.findall(rf"(?<![\w.\-/])((?:{pattern})(?:/[^\s'\"`;:,|&()<>]*)?)(?![\w.\-])", text)
        if pattern
        else []
    )
    return list(dict.fromkeys(path.rstrip("/") for path in found))


def _relative(path: str, around: Surroundings) -> str:
    """How to write a path of the checkout so that it means the tree."""
    root = around.checkout.resolve() / around.folder
    return f"write `{os.path.relpath(Path(path).resolve(), root)}` instead."


def _inside(path: Path, checkout: Path) -> bool:
    return path.resolve().is_relative_to(checkout.resolve())


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _text(path: Path) -> str | None:
    """The text of a small regular file; None for anything else, and for what cannot be read."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
