from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jumar.mission import MissionProblems, load_mission

if TYPE_CHECKING:
    from tests.mission.conftest import Desk


def test_paths_are_relative_to_the_file_that_names_them(desk: Desk) -> None:
    path = desk.write(
        "---\nfile: [parser.py, ../bench.py]\nprotect: ../tests/**\ncarry: {lexer.py: copy}\nmetric: x\ndirection: lower\n---",
        "src/mission.md",
    )
    mission = load_mission(path, {}, start=desk.root / "tests", root=desk.root)
    assert (mission.file, mission.protect) == (("src/parser.py", "bench.py"), ("tests/**",))
    assert mission.carry == {"src/lexer.py": "copy"}
    assert mission.folder == "tests"


def test_paths_of_flags_are_relative_to_where_one_stands(desk: Desk) -> None:
    mission = desk.good(start="src", file=["parser.py", "../notes.md"], protect=["../tests"])
    assert (mission.file, mission.protect, mission.folder) == (
        ("src/parser.py", "notes.md"),
        ("tests",),
        "src",
    )


def test_at_the_root_the_folder_is_empty(desk: Desk) -> None:
    assert desk.good("").folder == ""


def test_a_mission_outside_the_repository_speaks_of_where_one_stands(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "night.md"
    other.write_text("---\nfile: parser.py\nmetric: x\ndirection: lower\n---\n", "utf-8")
    assert load_mission(other, {}, start=desk.root / "src", root=desk.root).file == ("src/parser.py",)


def test_a_repository_reached_through_a_link(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("links") / "here"
    link.symlink_to(desk.root)
    desk.write(f"---\nfile: [{link}/bench.py, {desk.root}/notes.md]\nmetric: x\ndirection: lower\n---\n")
    mission = load_mission(link / "mission.md", {}, start=link / "src", root=link)
    assert (mission.file, mission.folder) == (("bench.py", "notes.md"), "src")


def test_odd_names(desk: Desk) -> None:
    for name in ("café notes.txt", "a\tb.txt", "app/[id]/page.tsx", "TODO", "-x", "a, b"):
        (desk.root / name).parent.mkdir(parents=True, exist_ok=True)
        (desk.root / name).write_text("", "utf-8")
        assert desk.good(file=[name]).file == (name,)
    assert desk.good('file: ["café notes.txt", "a\\tb.txt", "app/[id]/page.tsx", ./bench.py, bench.py]').file == (
        "café notes.txt", "a\tb.txt", "app/[id]/page.tsx", "bench.py",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("file: ../x.py", "`../x.py` leads out of the repository", "inside the repository"),
        ("file: /etc/passwd", "`/etc/passwd` leads out of the repository", "inside the repository"),
        ("file: src/../../x", "leads out of the repository", "inside the repository"),
        ('file: ["../**"]', "leads out of the repository", "inside the repository"),
        ("file: src/parsr.py", "`src/parsr.py` does not exist", "Did you mean `src/parser.py`"),
        ("file: parser.py", "`parser.py` does not exist", "Did you mean `src/parser.py`"),
        ("file: zzzzz", "`zzzzz` does not exist", "Name a file that exists."),
        ("file: TODO", "`TODO` does not exist", "Name a file that exists."),
        ("file: src", "`src` is a folder", "Write `src/**`"),
        ("file: src/", "`src` is a folder", "Write `src/**`"),
        ("file: .", "`.` is a folder", "Write `**`"),
        ('file: ["*.rs"]', "`*.rs` matches no file", "**"),
        ('file: ["nowhere/**"]', "`nowhere/**` matches no file", "**"),
        ('file: ["[z-a].py"]', "is not a pattern that can be read", "`[a-z]`"),
        ('file: [".git/config"]', "`.git/config` belongs to git", "should be improved"),
        ('file: ["sub/.git/**"]', "belongs to git", "should be improved"),
        ('file: [".jumar/**"]', "belongs to jumar", "should be improved"),
        ("protect: ../x", "leads out of the repository", "inside the repository"),
        ("carry: {../x: copy}", "`../x` leads out of the repository", "inside the repository"),
        ("carry: {.venv: link}", "`.venv` does not exist in your checkout", "Create `.venv`"),
        ("carry: {.: link}", "the whole repository", "Name what the evaluator needs"),
    ],
)
def test_paths_that_cannot_be_used(desk: Desk, line: str, message: str, hint: str) -> None:
    found = desk.problem(line)
    assert (str(found.where), found.key) == ("mission.md:2", line.partition(":")[0])
    assert message in found.message
    assert hint in found.hint


def test_each_entry_has_its_own_line(desk: Desk) -> None:
    found = desk.problems(
        "file:", "  - bench.py", "  - absent.py", "carry:", "  notes.md: copy", "  data: link"
    )
    assert [(str(problem.where), problem.key) for problem in found] == [
        ("mission.md:4", "file"),
        ("mission.md:7", "carry"),
    ]


@pytest.mark.parametrize(
    ("file", "protect"),
    [("bench.py", "bench.py"), ("tests/test_parser.py", "tests"), ("tests/*.py", "tests/**")],
)
def test_a_target_that_is_protected(desk: Desk, file: str, protect: str) -> None:
    found = desk.problem(f"file: '{file}'", f"protect: '{protect}'")
    assert str(found.where) == "mission.md:2"
    assert found.message == f"`{file}` is to be edited, but `protect` (mission.md:3) covers all of it."


def test_a_target_may_overlap_what_is_protected(desk: Desk) -> None:
    assert desk.good('file: ["**/*.py"]', "protect: tests").file == ("**/*.py",)


def test_links(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.py"
    outside.write_text("", "utf-8")
    (desk.root / "out.py").symlink_to(outside)
    (desk.root / "in.py").symlink_to("bench.py")
    (desk.root / "dead.py").symlink_to("gone.py")
    assert desk.good("file: in.py").file == ("in.py",)
    assert f"`out.py` is a link to {outside}" in desk.problem("file: out.py").message
    assert "`dead.py` is a link to" in desk.problem("file: dead.py").message


def test_what_belongs_to_git_is_never_found(desk: Desk) -> None:
    (desk.root / ".git").mkdir()
    (desk.root / ".git/x.rs").write_text("", "utf-8")
    (desk.root / ".jumar").mkdir()
    (desk.root / ".jumar/x.rs").write_text("", "utf-8")
    assert "matches no file" in desk.problem('file: ["**/*.rs"]').message


@pytest.mark.parametrize("key", ["file", "carry"])
def test_names_that_no_file_can_have(desk: Desk, key: str) -> None:
    for name in ("x" * 5000, "a\0b"):
        with pytest.raises(MissionProblems):
            desk.good(**{key: [name] if key == "file" else {name: "copy"}})
