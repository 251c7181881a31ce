"""The programs in tools/ that write pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import readme  # noqa: E402 - a program of the repository, not a package
import rules  # noqa: E402

PRINTED = """\
The demo `x` is in /home/someone/x.
Starting x-1 on the branch jumar/x.
Baseline: 3 (1 run)
  1/9 keep    2  a  [improved: better]
  2/9 discard 4  b  [regressed: worse]
  3/9 error   –  c  [crash: it ended]
  4/9 discard 5  d  [regressed: worse]
  5/9 keep    1  e  [improved: better]
  6/9 discard 6  f  [tie: equal]
The budget of 6 trials is used up.
Report: /home/someone/x/report.md
"""


def test_output_is_shortened_by_rule() -> None:
    assert readme.shorten(PRINTED.splitlines()) == [
        "Starting x-1 on the branch jumar/x.",
        "Baseline: 3 (1 run)",
        "  1/9 keep    2  a  [improved: better]",
        "  2/9 discard 4  b  [regressed: worse]",
        "       … 2 more that were put back",
        "  5/9 keep    1  e  [improved: better]",
        "  6/9 discard 6  f  [tie: equal]",
        "The budget of 6 trials is used up.",
    ]


def test_long_lines_are_cut() -> None:
    (line,) = readme.shorten(["x" * 300])
    assert (len(line), line[-1]) == (readme.WIDTH, "…")


def test_paths_of_the_machine_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    folder = tmp_path / "jumar-demo-x"
    text = f"{folder.resolve()}/report.md and /home/someone/.local/state"
    assert readme.without_paths(text, folder) == "jumar-demo-x/report.md and ~/.local/state"


def test_a_section_goes_between_its_markers() -> None:
    text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
    assert readme.between("x", "new", text) == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    with pytest.raises(SystemExit, match="has no <!-- y -->"):
        readme.between("y", "new", text)


def test_a_page_that_has_drifted_fails_the_check(tmp_path: Path) -> None:
    """The pages themselves are compared by `./dev lint`; here, that a comparison sees a difference."""
    script = "import sys, pathlib; sys.path.insert(0, 'tools'); import reference\n"
    script += f"reference.ROOT = reference.FOLDER = pathlib.Path({str(tmp_path)!r}); sys.exit(reference.main(['--check']))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "commands.md is out of date: run `./dev docs`." in done.stderr


def test_markers_name_rules_that_exist_and_no_rule_is_both_shown_and_excused() -> None:
    known, shown, excused = set(rules.rules()), set(rules.shown()), set(rules.excused())
    assert len(known) == 618
    assert shown - known == set()
    assert excused - known == set()
    assert shown & excused == set()
