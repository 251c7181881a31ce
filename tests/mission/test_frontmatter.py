from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jumar.mission import MissionProblems, load_mission
from jumar.mission.frontmatter import read_mapping
from jumar.mission.nodes import Text

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


KEYS = "file: src/parser.py\nmetric: python bench.py\ndirection: lower\n"


def test_the_text_below_goes_to_the_maker(desk: Desk) -> None:
    path = desk.write(f"---\n{KEYS}---\n\nBe kind.\n---\nA rule is no fence.\n")
    mission = load_mission(path, {}, start=desk.root, root=desk.root)
    assert mission.notes == "Be kind.\n---\nA rule is no fence."


@pytest.mark.parametrize(
    "text", [f"\ufeff---\n{KEYS}---\nBe kind.", f"---\r\n{KEYS}---\r\nBe kind.\r\n", f"\n\n--- \n{KEYS}---"]
)
def test_marks_line_ends_and_blank_lines_do_not_matter(desk: Desk, text: str) -> None:
    path = desk.root / "mission.md"
    path.write_bytes(text.replace("\n", "\r\n").encode() if "\r" in text else text.encode())
    mission = load_mission(path, {}, start=desk.root, root=desk.root)
    assert mission.direction == "lower"
    assert mission.metric == "python bench.py"


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("", 1, "mission.md is empty", "jumar init"),
        (" \n\n", 1, "mission.md is empty", "jumar init"),
        ("# Mission\nGo.", 1, "no front matter: the first line is `# Mission`", "two lines `---`"),
        ("\n\nGo.", 3, "no front matter", "two lines `---`"),
        (f"---\n{KEYS}", 1, "never closed", "Put a line `---` below"),
        (f"---\n{KEYS}file: b.py\n---\n", 5, "the key `file` stands here a second time; the first is in line 2", "Keep one"),
        ("---\nfile: [*.py]\n---\n", 2, "in `file: [*.py]`", "in quotes"),
        ("---\nfile: *.py\n---\n", 2, "in `file: *.py`", "in quotes"),
        ("---\nmetric: grep -c : x: y\n---\n", 2, "mapping values are not allowed here", "in quotes"),
        ("---\nfile: a\n\tmetric: b\n---\n", 3, "YAML cannot be read", "not with tabs"),
        ("---\nmetric: `x`\n---\n", 2, "YAML cannot be read", "in quotes"),
        ("---\nmetric: 'x\n---\n", 2, "YAML cannot be read", "in quotes"),
        ("---\nfile: [a\n---\n", 2, "YAML cannot be read", "in quotes"),
        ("---\n- a\n---\n", 2, "no list of keys", "one `key: value` a line"),
        ("---\nhello\n---\n", 2, "no list of keys", "one `key: value` a line"),
        ('---\nmetric: "\\U99999999"\n---\n', None, "YAML cannot be read", "in quotes"),
        ("---\nunit: \x07\n---\n", 2, "special characters", "control character"),
        (f"---\nunit: {'[' * 60}{']' * 60}\n---\n", 2, "nested too deeply", "documentation"),
    ],
)  # fmt: skip
def test_files_that_are_no_missions(desk: Desk, text: str, line: int | None, message: str, hint: str) -> None:
    (found,) = [problem for problem in desk.text_problems(text) if "missing" not in problem.message]
    assert found.where.source == "mission.md"
    assert found.where.line == line
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("metric: ! grep x notes.md", "YAML reads `!` as a type"),
        ("unit: !!int 5", "as a type"),
        ("unit: &a x", "YAML reads `&a` as a reference"),
        ('unit: "\\e[1m"', "a control character"),
        ('unit: "\\0"', "a control character"),
        ("? [a, b]\n: c", "a list or mapping stands where a key should"),
    ],
)
def test_what_yaml_would_take_for_something_else(desk: Desk, line: str, message: str) -> None:
    found = desk.problem(line)
    assert str(found.where) == "mission.md:2"
    assert message in found.message
    assert found.hint


def test_an_alias_is_refused(desk: Desk) -> None:
    found = desk.problems("unit: &a x", "goal: *a")
    assert [str(problem.where) for problem in found] == ["mission.md:2", "mission.md:3"]
    assert "`*a`" in found[1].message


def test_a_second_document_is_refused(desk: Desk) -> None:
    (found,) = read_mapping("a: b\n--- \nc: d", "f")[1]
    assert (str(found.where), found.message) == ("f:2", "a second document begins here.")


def test_scalars_stay_letters() -> None:
    entries, problems = read_mapping(
        "a: yes\nb: 1:30\nc: 2024-01-01\nd: 007\ne: 1_000\nf:\ng: ''\nh: ~\n", "f"
    )
    texts = {key: node for key, node in entries.items() if isinstance(node, Text)}
    assert [node.text for node in texts.values()] == [
        "yes",
        "1:30",
        "2024-01-01",
        "007",
        "1_000",
        "",
        "",
        "~",
    ]
    assert [key for key, node in texts.items() if node.empty] == ["f", "h"]
    assert not problems


def test_bytes_that_are_no_text(desk: Desk) -> None:
    path = desk.root / "mission.md"
    path.write_bytes(b"---\nmetric: x\nunit: \xff\n---\n")
    with pytest.raises(MissionProblems) as caught:
        load_mission(path, {}, start=desk.root, root=desk.root)
    assert str(caught.value) == "mission.md:3: byte 0xff is not UTF-8."
    assert caught.value.hint == "Save the file as UTF-8."


@pytest.mark.parametrize(
    ("name", "message"),
    [("absent.md", "no such file"), ("src", "a folder"), ("bench.py/x", "cannot be read")],
)
def test_paths_that_are_no_files(desk: Desk, name: str, message: str) -> None:
    with pytest.raises(MissionProblems, match=message) as caught:
        load_mission(desk.root / name, {}, start=desk.root, root=desk.root)
    assert caught.value.hint


def test_a_file_too_large_for_a_mission(desk: Desk) -> None:
    path = desk.write("x" * (1 << 20) + "y")
    with pytest.raises(MissionProblems, match="more than a mission can have"):
        load_mission(path, {}, start=desk.root, root=desk.root)


def test_the_pair_of_another_style_is_refused_with_a_sentence(desk: Desk) -> None:
    desk.write("---\nevaluator: {command: x}\n---\n", "sandbox.md")
    (found,) = desk.text_problems("# Mission\nGo.")
    assert "not in this version yet" in found.message
