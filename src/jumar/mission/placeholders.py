"""Text that was meant to be replaced: `<your metric>`, TODO, CHANGEME; a redirection is none."""

from __future__ import annotations

import re

ALWAYS = re.compile(r"\b(?:REPLACE_ME|CHANGE_?ME|your-command-here)\b", re.IGNORECASE)
MARKS = re.compile(r"(?<![\w.-])(?:TODO|TBD)(?![\w.-])")
BRACKETS = re.compile(r"(?<![\w<(?])<([A-Za-z…][^<>\n]*)>")
ELLIPSIS = re.compile(r"<(?:…|\.\.\.)>")
CODE = re.compile(r"`[^`]*`")
QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
SEARCH = re.compile(r"(?:^|[\s/|;&(])(?:[ef]?grep|rg|ag|ack|sed|awk|wc|git)\b")
SHELL = re.compile(r"[&|;$\"'`(){}]")
FILE_NEXT = re.compile(r">?\s*[\w./~$&\"']")


def placeholder(text: str, content: str) -> str | None:
    """The first placeholder in a value, as it is written; None where there is none.

    `content` is "prose", "command", "path" or "name". In prose, backticks say that something is meant as it
    stands.
    """
    if found := ALWAYS.search(text) or ELLIPSIS.search(text):
        return found[0]
    if content == "command":
        return _in_command(text)
    bare = CODE.sub(" ", text) if content == "prose" else text
    # A file may well be called TODO; where there is none, it is reported as missing.
    marks = MARKS.search(bare) if content != "path" else None
    brackets = next((found for found in BRACKETS.finditer(bare) if not re.search(r"://|@", found[1])), None)
    return marks[0] if marks else brackets[0] if brackets else None


def _in_command(text: str) -> str | None:
    bare = QUOTED.sub(lambda quoted: "q" * len(quoted[0]), text)
    for found in BRACKETS.finditer(bare):
        if not _redirection(found[1], bare[found.end() :]):
            return found[0]
    marks = MARKS.search(bare)
    return marks[0] if marks and not SEARCH.search(bare[: marks.start()]) else None


def _redirection(inside: str, after: str) -> bool:
    """Whether `<inside>` reads one file and writes another: the shell wants a file's name behind `>`."""
    if SHELL.search(inside) or inside != inside.strip():
        return True
    looks_like_file = "." in inside or "/" in inside or not after[:1].isspace()
    return " " not in inside and looks_like_file and FILE_NEXT.match(after) is not None
