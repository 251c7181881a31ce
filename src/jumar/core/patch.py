"""What an edit may touch, and what kind of edit it is. Paths are relative to the tree's root, with `/`."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from jumar.core.model import Reason

MAX_FILE = 10 * 1024 * 1024  # bytes of one changed file

# Python, pytest and friends run these without being asked to, so an edit of one can reach the judge's process.
SELF_LOADING = frozenset(
    {"conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", "tox.ini", "pyvenv.cfg"}
)
LITTER_FOLDERS = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
LITTER_ENDINGS = (".pyc", ".pyo", ".swp", "~")
NUMERAL = re.compile(r"(?<![A-Za-z_])[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SEED_WORD = re.compile(r"seed|random_state|(?<![a-z])rng(?![a-z])", re.IGNORECASE)
HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern names a path.

    A name without wildcards is that file, or everything below that folder. `*` and `?` stay within one name, `**`
    crosses folders, so `*.py` means the files at the root and `**/*.py` those at any depth. A path that equals the
    pattern letter by letter always matches (`app/[id]/page.tsx`). Unicode is compared in its composed form.
    """
    wanted, given = _composed(pattern.removeprefix("./").rstrip("/")), _composed(path)
    if given == wanted or (not has_wildcard(wanted) and given.startswith(wanted + "/")):
        return True
    return _compiled(wanted).fullmatch(given) is not None or wanted in ("", ".")


def has_wildcard(pattern: str) -> bool:
    """Whether a pattern can stand for more than one path."""
    return any(letter in pattern for letter in "*?[")


def matches_any(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the patterns names the path."""
    return any(matches(pattern, path) for pattern in patterns)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_translate(pattern)), re.DOTALL)


TOKEN = re.compile(
    r"(?P<folders>(?<![^/])\*\*/)|(?P<rest>\*\*)|(?P<star>\*)|(?P<one>\?)|\[(?P<set>[!^]?\]?[^\]]*)\]|.",
    re.DOTALL,
)


def _translate(pattern: str) -> Iterator[str]:
    simple = {"folders": "(?:[^/]+/)*", "rest": ".*", "star": "[^/]*", "one": "[^/]"}
    for token in TOKEN.finditer(pattern):
        kind = token.lastgroup
        if kind is None:
            yield re.escape(token.group())
        elif kind == "set":
            yield _translate_set(token.group("set"))
        else:
            yield simple[kind]


def _translate_set(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    letters = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[1:] if negated else inside)
    return f"(?!/)[{'^' if negated else ''}{letters}]" if letters else re.escape(f"[{inside}]")


class Scope(NamedTuple):
    """What may be edited: `targets` and not `protect`. `pinned` files are those the evaluator names."""

    targets: tuple[str, ...]
    protect: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()

    def verdict(self, path: str) -> Reason | None:
        """None where the path may be edited, else the reason why not."""
        if self.guarded(path):
            return "protected"
        return None if matches_any(self.targets, path) else "out_of_scope"

    def guarded(self, path: str) -> bool:
        """Whether the path belongs to the judge; a pinned file that is a target by its own name does not."""
        if matches_any(self.protect, path):
            return True
        return matches_any(self.pinned, path) and not self.named(path)

    def named(self, path: str) -> bool:
        """Whether a target is this very path, so that no ignore rule can take it away."""
        return any(_composed(path) == _composed(target.removeprefix("./")) for target in self.targets)


def is_self_loading(path: str) -> bool:
    """Whether a file of this name is run or read by an interpreter or test runner without being asked for."""
    name = path.rpartition("/")[2]
    return name in SELF_LOADING or name.endswith(".pth")


def is_litter(path: str) -> bool:
    """Whether a new file is a cache that tools leave behind, to be treated as ignored."""
    parts = path.split("/")
    return (
        not LITTER_FOLDERS.isdisjoint(parts[:-1]) or path.endswith(LITTER_ENDINGS) or parts[-1] == ".DS_Store"
    )


def symlink_destination(path: str, target: str) -> str | None:
    """Where a symbolic link at `path` leads within the tree, by its text alone; None when it leaves the tree."""
    if target.startswith("/"):
        return None
    parts = path.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


class Hunk(NamedTuple):
    """The lines that one hunk of a patch takes away and puts in, without their line ends."""

    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]


def hunks(patch: bytes) -> Iterator[Hunk]:
    """The hunks of a unified diff without context lines (`-U0`), all files in a row.

    The counts of a hunk's header say which lines are its own: a line of content may itself begin like a header.
    """
    lines = iter(patch.split(b"\n"))
    for line in lines:
        if header := HUNK.match(line):
            removed, added = (1 if count is None else int(count) for count in header.groups())
            yield Hunk(_take(lines, removed), _take(lines, added))


def _take(lines: Iterator[bytes], count: int) -> tuple[bytes, ...]:
    taken: list[bytes] = []
    while len(taken) < count:
        line = next(lines)
        if not line.startswith(b"\\"):  # "\ No newline at end of file"
            taken.append(line[1:])
    return tuple(taken)


def count_lines(parts: Sequence[Hunk]) -> tuple[int, int]:
    """Lines added and lines removed."""
    return sum(len(hunk.added) for hunk in parts), sum(len(hunk.removed) for hunk in parts)


def is_seed_only(parts: Sequence[Hunk]) -> bool:
    """Whether nothing but the numbers of lines that name a seed was changed: luck, more than improvement."""
    return bool(parts) and all(_same_but_seed(hunk) for hunk in parts)


def _same_but_seed(hunk: Hunk) -> bool:
    if len(hunk.removed) != len(hunk.added):
        return False
    return all(
        _seed_line(old) == _seed_line(new) is not None
        for old, new in zip(hunk.removed, hunk.added, strict=True)
    )


def _seed_line(line: bytes) -> str | None:
    text = line.decode("utf-8", "replace")
    return NUMERAL.sub("0", text) if SEED_WORD.search(text) else None


class LostLine(NamedTuple):
    """A protected line that is not there as often as before: where it stood (lines from 1), and what protects it."""

    path: str
    number: int
    line: str
    pattern: str


def lost_lines(
    patterns: Sequence[str], before: Mapping[str, bytes], after: Iterable[bytes]
) -> list[LostLine]:
    """The protected lines of `before` (contents by path) that do not survive in `after`, byte for byte and as often.

    A pattern is a regular expression and counts where it matches at a word's start: `CR-` protects `CR-7` and not
    `OCR-7`. Lines may move, from one file to another too.
    """
    left = Counter(line for content in after for line in content.split(b"\n"))
    lost = []
    for path, content in before.items():
        for number, line in enumerate(content.split(b"\n"), 1):
            text = line.decode("utf-8", "surrogateescape")
            pattern = next((pattern for pattern in patterns if _begins_a_word(pattern, text)), None)
            if pattern is None:
                continue
            left[line] -= 1
            if left[line] < 0:
                lost.append(LostLine(path, number, text.strip(), pattern))
    return lost


def _begins_a_word(pattern: str, line: str) -> bool:
    expression, start = _expression(pattern), 0
    while found := expression.search(line, start):
        if not re.match(r"\w", line[found.start() - 1 : found.start()]):
            return True
        start = found.start() + 1
    return False


@lru_cache(maxsize=256)
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
