"""Constants of YAML, JSON and TOML files, by position."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from jumar.makers.tune.literals import is_quoted, is_setting
from jumar.makers.tune.spots import Spot

# PyYAML composes about 50 kB a second; a larger file is read by line.
YAML_LIMIT = 200_000
# A longer list of numbers is data, not a setting.
LIST_LIMIT = 8

JSON_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<comment>//[^\r\n]*|/\*.*?\*/)|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"/]+)',
    re.DOTALL,
)
TOML_TOKEN = re.compile(
    r'(?P<long>"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\')'
    r'|(?P<string>"(?:[^"\\\r\n]|\\.)*"|\'[^\'\r\n]*\')|(?P<comment>\#[^\r\n]*)'
    r"|(?P<table>^[ \t]*\[\[?[^\]\r\n]+\]\]?)|(?P<mark>[={}\[\],\n])|(?P<word>[^\s={}\[\],\"'#]+)",
    re.DOTALL | re.MULTILINE,
)


def find_yaml(text: str) -> list[Spot]:
    """Plain and quoted scalars that are values. Raises ValueError for what cannot be composed."""
    if len(text) > YAML_LIMIT:
        raise ValueError("too large to compose")
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
        seen: set[int] = set()
        return [
            s for document in documents for s in walk_yaml(text, document, "", seen) if not is_long_list(s)
        ]
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from error


def is_long_list(spot: Spot) -> bool:
    """Whether this is an item beyond the size of a list that somebody sets by hand."""
    index = re.search(r"\[(\d+)\]$", spot.name)
    return index is not None and int(index[1]) >= LIST_LIMIT


def walk_yaml(text: str, node: yaml.Node | None, name: str, seen: set[int]) -> Iterator[Spot]:
    """The scalars below a node; an aliased one once."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield from walk_yaml(text, value, f"{name}.{key.value}".lstrip("."), seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from walk_yaml(text, item, f"{name}[{index}]", seen)
    elif isinstance(node, yaml.ScalarNode):
        start, end = node.start_mark.index, node.end_mark.index
        literal = text[start:end]
        if name and is_scalar(literal):
            yield Spot(start, end, name, shy=not is_setting(literal) or name.endswith("]"))


def is_scalar(literal: str) -> bool:
    """A literal on one line, without escapes."""
    return (
        is_setting(literal)
        or is_quoted(literal)
        or re.fullmatch(r"[^\s\"'|>&*!](?:[^\r\n#]*[^\s#])?", literal) is not None
    )


def find_json(text: str) -> list[Spot]:
    """Values of a JSON text, comments and trailing commas allowed; what is broken is passed by."""
    path: list[str] = []
    spots: list[Spot] = []
    key = ""
    tokens = [t for t in JSON_TOKEN.finditer(text) if t.lastgroup != "comment"]
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        word = token.group()
        if word in ("{", "["):
            path.append(f"{key}[]" if word == "[" else key)
            key = ""
        elif word in ("}", "]"):
            key = path.pop() if path else ""
            key = key.removesuffix("[]")
        elif token.lastgroup == "string" and after is not None and after.group() == ":":
            key = word[1:-1]
        elif token.lastgroup in ("string", "word") and (is_quoted(word) or is_setting(word)):
            name = ".".join(filter(None, [*path, key]))
            in_list = bool(path) and path[-1].endswith("[]")
            spots.append(Spot(token.start(), token.end(), name or "value", in_list or not is_setting(word)))
    return spots


def find_toml(text: str) -> list[Spot]:
    """`key = literal` of tables and inline tables, wherever it is not inside a string or a comment."""
    spots: list[Spot] = []
    table = ""
    depth = 0
    before: list[str] = ["", ""]
    for token in TOML_TOKEN.finditer(text):
        word = token.group()
        if token.lastgroup == "table" and not depth:
            table = word.strip().strip("[]").strip()
        depth += (word == "[") - (word == "]")
        literal = token.lastgroup in ("string", "word") and (is_quoted(word) or is_setting(word))
        if literal and before[1] == "=" and not follows_on(text, token.end()):
            name = ".".join(filter(None, [table, before[0].strip("\"'")]))
            spots.append(Spot(token.start(), token.end(), name, shy=not is_setting(word)))
        if token.lastgroup != "comment":
            before = [before[1], word]
    return spots


def follows_on(text: str, end: int) -> bool:
    """Whether more than a comment follows a literal on its line: the time of a date, say."""
    rest = re.match(r"[ \t]*([^\r\n]?)", text[end:])
    return rest is not None and rest[1] not in ("", "#", ",", "}", "]")
