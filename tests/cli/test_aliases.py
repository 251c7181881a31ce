"""A style's own words on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from jumar.cli import place
from jumar.cli.aliases import rewritten, translated
from jumar.cli.app import application
from jumar.core.mission import Style

STYLE = """\
summary: One with words of its own.
rules: [policy]
gates: []
baseline: [evaluation_error]
stops: [iterations]
argument: goal
aliases:
  no-limit: {iterations: unlimited, stagnation: none}
  time-budget: time
  mission-dir: mission
  resume: --run
  dry: "command:check"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "config/jumar/styles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(STYLE)
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(place, "root", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("--no-limit --json", "--iterations unlimited --stagnation none --json"),
        ("--time-budget 30m", "--time 30m"),
        ("--time-budget=30m", "--time 30m"),
        ("--mission-dir m", "m"),
        ("--mission-dir=m", "m"),
        ("--resume ID", "--run ID"),
        ("--file x", "--file x"),
    ],
)
def test_an_alias_is_the_option_that_it_stands_for(here: Path, given: str, meant: str) -> None:
    words = ["run", "--style", "mine"]
    assert translated([*words, *given.split()]) == [*words, *meant.split()]


def test_an_alias_may_be_another_command(here: Path) -> None:
    assert translated(["run", "--style=mine", "--dry", "--json"]) == ["check", "--style=mine", "--json"]


@pytest.mark.parametrize("words", [["run"], ["run", "my.md"], ["run", "--json", "sub/my.md"]])
def test_the_style_may_stand_in_the_mission(here: Path, words: list[str]) -> None:
    (here / "sub").mkdir()
    for name in ("mission.md", "my.md", "sub/my.md"):
        (here / name).write_text("---\nstyle: mine\n---\n")
    assert translated([*words, "--time-budget", "1h"]) == [*words, "--time", "1h"]


@pytest.mark.parametrize("style", ["plain", "none-such"])
def test_words_that_the_style_does_not_have_stay_as_they_are(here: Path, style: str) -> None:
    words = ["run", "--style", style, "--time-budget", "1h"]
    assert translated(words) == words


def test_a_first_argument_that_is_no_file_is_what_the_style_says(here: Path) -> None:
    flags = {"style": "mine"}
    assert place.argument(Path("Sort faster!"), flags) is None
    assert flags["goal"] == "Sort faster!"
    assert place.argument(Path("gone.md"), {"style": "mine"}) == Path("gone.md")
    assert place.argument(Path("gone"), {"style": "plain"}) == Path("gone")


def test_every_alias_of_the_package_stands_for_an_option_that_is_there() -> None:
    from jumar.mission.styles import read_style, style_files

    for name, file in style_files():
        style = read_style(name, file).style
        for alias, meaning in style.aliases.items():
            written = list(rewritten(["run", f"--{alias}"], style))
            options = {
                option
                for param in command(written[0]).params
                for option in (*param.opts, *param.secondary_opts)
            }
            assert {word for word in written[1:] if word.startswith("--")} <= options, (name, alias, meaning)


def command(name: str) -> object:
    import typer.main

    return typer.main.get_command(application(name)).commands[name]  # type: ignore[attr-defined]


def test_a_style_without_words_of_its_own_changes_nothing() -> None:
    style = Style("s", "", (), (), (), ())
    assert list(rewritten(["run", "--x=1"], style)) == ["run", "--x=1"]
