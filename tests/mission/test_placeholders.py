from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jumar.mission.placeholders import placeholder

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


@pytest.mark.parametrize(
    ("text", "content", "found"),
    [
        ("<what you want>", "prose", "<what you want>"),
        ("Improve <metric> of the parser", "prose", "<metric>"),
        ("TODO", "prose", "TODO"),
        ("Make it faster. TBD", "prose", "TBD"),
        ("<…>", "prose", "<…>"),
        ("<...>", "command", "<...>"),
        ("REPLACE_ME", "name", "REPLACE_ME"),
        ("changeme", "name", "changeme"),
        ("your-command-here", "command", "your-command-here"),
        ("TODO", "command", "TODO"),
        ("TODO: the command", "command", "TODO"),
        ("python <script>", "command", "<script>"),
        ("python <script> --fast", "command", "<script>"),
        ("python <script.py>", "command", "<script.py>"),
        ("python <path/to/bench.py>", "command", "<path/to/bench.py>"),
        ("<your command>", "command", "<your command>"),
        ("./run '<your command>' CHANGEME", "command", "CHANGEME"),
        ("src/<name>.py", "path", "<name>"),
        ("<path or glob>", "path", "<path or glob>"),
        ("CHANGE_ME.py", "path", "CHANGE_ME"),
    ],
)
def test_placeholders(text: str, content: str, found: str) -> None:
    assert placeholder(text, content) == found


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Speed up Vec<T> and List<String>", "prose"),
        ("Fewer words in `<summary>` and fewer `TODO` comments", "prose"),
        ("See <https://example.com> or <someone@example.com>", "prose"),
        ("a < b and c > d", "prose"),
        ("Handle todos; the TODO.md file too", "prose"),
        ("python x.py < in.txt > out", "command"),
        ("python x.py <in.txt >out", "command"),
        ("python x.py <in.txt> out.txt", "command"),
        ("sort <in>out", "command"),
        ("cat <<EOF > out\nx\nEOF", "command"),
        ("diff <(sort a) <(sort b) > out", "command"),
        ("grep -c '<li>' page.html", "command"),
        ("python -c \"print('<b>')\"", "command"),
        ("grep -c TODO src/parser.py", "command"),
        ("git grep -c TODO | wc -l", "command"),
        ("[[ $a <b && c> d ]]", "command"),
        ("cat TODO.md", "command"),
        ("TODO", "path"),
        ("docs/TODO.md", "path"),
        ("app/[id]/page.tsx", "path"),
    ],
)
def test_what_only_looks_like_one(text: str, content: str) -> None:
    assert placeholder(text, content) is None


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("goal: <what>", "<what>"),
        ("goal: TODO", "TODO"),
        ("metric: <command>", "<command>"),
        ("metric: CHANGEME", "CHANGEME"),
        ("file: [<path>]", "<path>"),
        ("guard: [TBD]", "TBD"),
        ("protect: REPLACE_ME", "REPLACE_ME"),
        ("maker: command:your-command-here", "your-command-here"),
        ("metric_name: <name>", "<name>"),
        ("setup: TODO", "TODO"),
    ],
)
def test_a_placeholder_refuses_the_start_by_word_and_line(desk: Desk, line: str, word: str) -> None:
    found = desk.problem(line)
    assert (str(found.where), found.key) == ("mission.md:2", line.partition(":")[0])
    assert f"the placeholder `{word}`" in found.message
    assert word in found.hint


def test_a_pattern_may_hold_angle_brackets(desk: Desk) -> None:
    assert desk.good("pattern: '^<score>([0-9.]+)</score>'").parser == "pattern"
