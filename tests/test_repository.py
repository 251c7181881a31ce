"""The repository itself: what is promised of its files."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jumar.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "jumar"
MODULES = sorted(SOURCE.rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
sys.path.insert(0, str(ROOT / "tools"))
import shape  # noqa: E402 - a program of the repository, not a package

trees = {path: ast.parse(path.read_bytes()) for path in MODULES}


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize(
    "name", ["LICENSE", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
)
def test_the_pages_that_people_look_for_are_there(name: str) -> None:
    assert (ROOT / name).stat().st_size > 300


@pytest.mark.parametrize("program", ["dev", ".ci/run"])
def test_programs_can_be_started(program: str) -> None:
    assert os.access(ROOT / program, os.X_OK)


def test_dev_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse((ROOT / "dev").read_bytes())
    names = {name.partition(".")[0] for name in shape.targets(tree)}
    assert names <= sys.stdlib_module_names


@pytest.fixture(scope="module")
def commands() -> set[str]:
    done = subprocess.run([ROOT / "dev", "--help"], capture_output=True, text=True, check=True)
    return set(re.findall(r"^  ([a-z]+) ", done.stdout.partition("commands:")[2], re.MULTILINE))


def test_dev_lists_its_commands(commands: set[str]) -> None:
    assert {"demo", "test", "lint", "wheel", "docs", "shape", "ci"} <= commands


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_the_commands_of_dev_that_pages_name_exist(page: Path, commands: set[str]) -> None:
    assert set(re.findall(r"\./dev ([a-z]+)", page.read_text(encoding="utf-8"))) <= commands


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text)
    broken = [link for link in links if not leads(page, link)]
    assert not broken


def leads(page: Path, link: str) -> bool:
    """Whether a relative link names a file, and its fragment a heading of that file."""
    name, _, fragment = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return False
    return not fragment or fragment in anchors(target.read_text(encoding="utf-8"))


def anchors(text: str) -> set[str]:
    """The fragments of a page's headings."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} - {"index.md"}
    assert {page for page in pages if f"({page})" not in index} == set()


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs" / "adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "adr").glob("*.md")), ids=short)
def test_a_decision_has_context_decision_and_consequences(path: Path) -> None:
    titles = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert titles == ["Context", "Decision", "Consequences"]


def test_the_changelog_has_the_version_or_an_unreleased_part() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text or f"## [{VERSION}]" in text


def test_no_import_cycle() -> None:
    assert shape.cycle(shape.imports(SOURCE, trees)) is None


def test_functions_are_small() -> None:
    lengths = sorted(shape.length(node) for tree in trees.values() for node in shape.functions(tree))
    assert shape.quantile(lengths, 0.5) <= 9
    assert shape.quantile(lengths, 0.95) <= 35
    assert lengths[-1] <= 60


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_files_are_small_and_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    assert ast.get_docstring(trees[path])


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_everything_is_typed(path: Path) -> None:
    bare = [node.name for node in shape.functions(trees[path]) if not all(shape.marks(node))]
    assert not bare


@pytest.mark.parametrize("test", sorted(ROOT.glob("tests/**/test_*.py")), ids=short)
def test_a_test_mirrors_a_source_or_stands_in_a_folder_of_stories(test: Path) -> None:
    inner = test.relative_to(ROOT / "tests")
    if len(inner.parts) == 1 or inner.parts[0] in {"scenarios", "styles", "crash", "agents", "web"}:
        return
    assert (SOURCE / inner.parts[0]).is_dir() or (SOURCE / f"{inner.parts[0]}.py").is_file()


def test_no_test_is_skipped_in_the_text() -> None:
    """A missing part is a failure. What a system lacks is said by a marker with a condition."""
    texts = {short(path): path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/*.py")}
    pattern = re.compile(r"pytest\.(importorskip|mark\.skip\b)\(|@pytest\.mark\.skip$", re.MULTILINE)
    assert not [
        name for name, text in texts.items() if pattern.search(text) and name != short(Path(__file__))
    ]
