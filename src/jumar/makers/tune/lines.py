"""Constants of formats that are read by line: INI, KEY=value, CSS, and any text with markers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jumar.makers.tune.literals import NUMBER, is_quoted, is_setting, read
from jumar.makers.tune.markers import Lines, Marker, family
from jumar.makers.tune.spots import Spot

HEAD = re.compile(
    r"^[ \t\ufeff]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?(?P<name>[\w.$-]+|\"[^\"\r\n]+\")(?:[ \t]*:[ \t]*[\w.\[\]]+)?[ \t]*[=:][ \t]*",
    re.MULTILINE,
)
VALUE = re.compile(
    r"(?P<value>\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\r\n]*?)[ \t]*,?[ \t]*(?:$|(?=[\r\n])|(?<=[ \t,])(?:[#;%]|--)|//|/\*|<!--)"
)
SECTION = re.compile(r"^[ \t\ufeff]*\[([^\]\r\n]+)\]", re.MULTILINE)
LITERAL = re.compile(rf"\"[^\"\r\n]*\"|'[^'\r\n]*'|(?<![\w.])(?:{NUMBER.pattern})(?![\w])|[A-Za-z][\w-]*")

CSS_HIDDEN = re.compile(r"/\*.*?\*/|\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*'|url\([^)]*\)", re.DOTALL)
DECLARATION = re.compile(r"(?P<name>[-$@\w]+)[ \t]*:(?P<value>[^;{}]*)(?=[;}])")
CSS_NUMBER = re.compile(r"(?<![\w#.\-+])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=%|[a-zA-Z]+\b|[^\w.%]|$)")


def find_assignments(text: str) -> list[Spot]:
    """`name = literal` and `name: literal`, one a line, below `[section]` headings."""
    sections = [(hit.start(), hit[1].strip()) for hit in SECTION.finditer(text)]
    spots = []
    for head in HEAD.finditer(text):
        hit = VALUE.match(text, head.end())
        literal = hit["value"] if hit else ""
        if hit and literal:
            section = next((name for start, name in reversed(sections) if start < head.start()), "")
            name = ".".join(filter(None, [section, head["name"].strip('"')]))
            spots.append(Spot(hit.start("value"), hit.end("value"), name, shy=not is_setting(literal)))
    return spots


def find_css(text: str) -> list[Spot]:
    """Numbers of declarations, without their unit; zeros often have none to grow into, so these are shy."""
    shown = CSS_HIDDEN.sub(lambda hidden: re.sub(r"[^\r\n]", " ", hidden.group()), text)
    return [
        Spot(hit.start(), hit.end(), declaration["name"], shy=not float(hit.group()))
        for declaration in DECLARATION.finditer(shown)
        for hit in CSS_NUMBER.finditer(shown, declaration.start("value"), declaration.end("value"))
    ]


def find_beside_markers(text: str, markers: Iterable[Marker]) -> list[Spot]:
    """For each marker, the literal of its own kind that stands nearest before it on the line."""
    lines = Lines(text)
    spots = []
    for marker in markers:
        begin = lines.starts[marker.line - 1]
        hits = [hit for hit in LITERAL.finditer(text, begin, marker.start) if fits(hit.group(), marker)]
        if hits:
            label = re.findall(r"[^\W\d]\w*", text[begin : hits[-1].start()])
            spots.append(Spot(hits[-1].start(), hits[-1].end(), label[-1] if label else "value", shy=True))
    return spots


def fits(literal: str, marker: Marker, *, bare: bool = False) -> bool:
    """Whether a marker can speak of this literal; of bare words only one of its own choices, unless any may be a value."""
    value = read(literal)
    if value is None:
        return False
    if not marker.choices:
        return family(value) is float
    if isinstance(value, str) and not is_quoted(literal) and not bare:
        return value in marker.choices
    return family(value) is family(marker.choices[0])
