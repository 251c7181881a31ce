"""init, check, doctor, demo; missions, folders and environments of many kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from user import Project

NAMED = ("--metric-name", "score")


def test_init_from_flags_gives_a_mission_that_runs(project: Project) -> None:
    flags = (
        "--goal",
        "Lower it",
        "--file",
        "f.txt",
        "--metric",
        "./eval",
        *NAMED,
        "--direction",
        "lower",
        "--maker",
        "command:./maker",
        "--iterations",
        "2",
    )
    made = project.jumar("init", *flags, "--json").json
    assert made == {"path": "mission.md", "open": []}
    assert project.jumar("check", "--json").json["ok"] is True
    assert project.jumar("run", "--json").end["kept"] == 2
    error = project.jumar("init", *flags, "--json", code=5).json
    assert "--force" in error["hint"]
    project.jumar("init", *flags, "--force")


def test_init_words_the_goal_where_the_flags_say_all_of_it(project: Project) -> None:
    made = project.jumar("init", *project.mission(*NAMED), "--json").json
    assert made["open"] == []
    assert "goal: A lower score for f.txt" in (project.root / "mission.md").read_text()


def test_init_says_what_is_open(project: Project) -> None:
    project.write("bench.py", "print('score: 1')\n")
    project.write("tests/test_x.py", "")
    project.write("pyproject.toml", "")
    made = project.jumar("init", "--json").json
    assert made["open"]
    text = (project.root / "mission.md").read_text()
    assert "bench.py" in text
    assert "pytest" in text
    project.jumar("run", "--json", code=2)


def test_check(project: Project) -> None:
    found = project.jumar("check", *project.mission(*NAMED), "--json").json
    assert found["ok"] is True
    assert found["baseline"] == 10.0
    topics = {finding["topic"] for finding in found["findings"]}
    assert {"mission", "git", "integrity", "baseline", "noise", "probe", "budget", "sandbox"} <= topics
    assert any("score: 10" in finding["message"] for finding in found["findings"])
    text = project.jumar("check", *project.mission(*NAMED)).out
    assert "baseline" in text
    assert project.git("for-each-ref", "refs/jumar", "refs/heads/jumar") == ""
    project.program("eval", "echo score: 1")
    project.commit()
    blind = project.jumar("check", *project.mission(*NAMED), "--json", code=3).json
    assert blind["ok"] is False
    assert any("does not read the target" in finding["message"] for finding in blind["findings"])


def test_doctor_and_the_list_of_demos(project: Project) -> None:
    assert project.jumar("doctor", "--json").json
    assert "git" in project.jumar("doctor").out
    demos = project.jumar("demo", "--list", "--json").json
    assert {demo["name"] for demo in demos} >= {"compress", "digits"}
    assert "compress" in project.jumar("demo", "--list").out
    error = project.jumar("demo", "compres", "--json", code=2).json
    assert "compress" in error["hint"]
    assert not (project.root / "jumar-demo-compres").exists()


MISSION = """---
goal: Make the number small
style: plain
file: [src/*.txt]
metric: ./eval
metric_name: score
direction: lower
unit: points
parser: named
guard: ["ls src", "true"]
protect: [data/**]
maker: ["command:./maker"]
policy: strict
repeats: 2
min_gain: 0.5
iterations: 4
time: 10m
target_score: -100
target_repeats: 2
stagnation: 10
timeout: 30s
maker_timeout: 1m
memory: 1G
carry: {data/big: copy}
setup: touch made-by-setup
base: working
seed: 7
probe: true
on_tie: revert
---
Keep **it** a number. café
"""


def test_a_mission_with_everything_in_it(project: Project) -> None:
    project.write("src/f.txt", "10\n")
    project.write("data/judge.txt", "1\n")
    project.write(".gitignore", "big/\nmade-by-setup\n")
    project.program(
        "eval", '[ -f data/big/x ] && [ -f made-by-setup ] && echo "score: $(cat src/f.txt) points"'
    )
    project.program(
        "maker",
        'grep -q "Keep \\*\\*it\\*\\* a number" "$JUMAR_BRIEF" || exit 9; case $JUMAR_TRIAL in 2) : > src/f.txt;; 3) echo 8.9 > src/f.txt;; *) v=$(cat src/f.txt); echo $((${v%.*} - 1)) > src/f.txt;; esac',
    )
    project.write("mission.md", MISSION)
    project.commit()
    project.write("data/big/x", "carried\n")
    done = project.jumar("run", "--json")
    assert done.column("outcome") == ["keep", "error", "discard", "keep"]
    assert done.trials[0]["samples"] == [9.0, 9.0]
    assert done.baseline["unit"] == "points"
    assert done.events[0]["branch"].startswith("jumar/make-the-number-small-")
    assert (project.root / "src/f.txt").read_text() == "10\n"
    assert not (project.root / "made-by-setup").exists()


def test_flags_win_over_the_mission_and_the_environment_names_a_maker(project: Project) -> None:
    project.write(
        "mission.md",
        "---\nfile: f.txt\nmetric: ./eval\nmetric_name: score\ndirection: lower\niterations: 3\n---\n",
    )
    done = project.jumar("run", "--iterations", "1", "--json", JUMAR_MAKER="command:./maker")
    assert done.column("score") == [9.0]
    project.program("other", "echo 2 > f.txt")
    project.commit()
    done = project.jumar(
        "run", "--maker", "command:./other", "--iterations", "1", "--json", JUMAR_MAKER="command:./maker"
    )
    assert done.column("score") == [2.0]


def test_from_a_subfolder(project: Project) -> None:
    project.write("sub/dir/g.txt", "10\n")
    project.program("sub/dir/measure", 'pwd >&2; echo "score: $(cat g.txt)"')
    project.program("sub/dir/make", "[ -f g.txt ] || exit 8; v=$(cat g.txt); echo $((v - 1)) > g.txt")
    project.commit()
    below = project.root / "sub/dir"
    words = (
        "run",
        "--file",
        "g.txt",
        "--metric",
        "./measure",
        *NAMED,
        "--direction",
        "lower",
        "--maker",
        "command:./make",
        "--iterations",
        "2",
    )
    done = project.jumar(*words, "--json", cwd=below)
    assert done.end["kept"] == 2
    assert project.kept_file(done.end["branch"], "sub/dir/g.txt") == "8"
    assert (project.root / ".jumar").is_dir()
    assert not (below / ".jumar").exists()
    log = (project.folder() / "trials/0001/evaluation-1.log").read_text()
    assert log.splitlines()[0].endswith("/sub/dir")
    for command in (["status", "--json"], ["log", "--json"], ["verify", "--json"]):
        assert project.jumar(*command, cwd=below).json
    project.jumar("accept", "--patch", "here.patch", cwd=below)
    assert (below / "here.patch").exists()
    project.jumar("accept", "--squash", "--yes", cwd=below)
    assert (below / "g.txt").read_text() == "8\n"


@pytest.mark.parametrize(
    "name", ["with space", "quo'te", "caf\u00e9", "new\nline", "-dash", "not-utf8-\udcff", "do$lar"]
)
def test_a_checkout_with_an_odd_path(project: Project, name: str) -> None:
    moved = project.root.rename(project.root.parent / name)
    odd = Project(moved)
    done = odd.run(*NAMED, "--iterations", "1")
    assert done.end["kept"] == 1
    odd.jumar("verify")
    odd.jumar("status")
    odd.jumar("accept", "--yes")
    assert (moved / "f.txt").read_text() == "9\n"
    odd.jumar("clean", "--yes")
    assert len(odd.git("worktree", "list").splitlines()) <= 2


def test_a_home_inside_a_repository(project: Project, tmp_path: Path, home: Path) -> None:
    nested = tmp_path / "house"
    nested.mkdir()
    project.git("init", "-q", cwd=nested)
    (nested / ".gitconfig").write_text((home / ".gitconfig").read_text())
    env = {
        "HOME": str(nested),
        "XDG_STATE_HOME": "",
        "XDG_CACHE_HOME": "",
        "XDG_CONFIG_HOME": "",
        "XDG_DATA_HOME": "",
    }
    done = project.run(*NAMED, "--iterations", "1", **env)
    worktree = Path(done.events[0]["worktree"])
    assert not worktree.is_relative_to(nested)
    assert project.git("status", "--porcelain", cwd=nested) == "?? .gitconfig"
    project.jumar("clean", "--yes", "--branch", **env)
    assert not worktree.exists()


def test_a_home_that_cannot_be_written(project: Project) -> None:
    env = {
        "HOME": "/proc",
        "XDG_STATE_HOME": "",
        "XDG_CACHE_HOME": "",
        "XDG_CONFIG_HOME": "",
        "XDG_DATA_HOME": "",
    }
    done = project.run(*NAMED, "--iterations", "1", **env)
    assert done.end["kept"] == 1
    project.jumar("verify", **env)
    project.jumar("clean", "--yes", "--branch", **env)


def test_the_state_folder_is_where_the_environment_says(project: Project, tmp_path: Path) -> None:
    state = tmp_path / "my state"
    done = project.run(*NAMED, "--iterations", "1", XDG_STATE_HOME=str(state))
    assert Path(done.events[0]["worktree"]).is_relative_to(state)
    # It is found again by a process that does not know of it.
    assert project.run(*NAMED, "--iterations", "2").end["run"] == done.end["run"]


def test_a_linked_worktree_of_the_users(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", "-b", "elsewhere", str(tmp_path / "second"))
    second = Project(tmp_path / "second")
    done = second.run(*NAMED, "--iterations", "2")
    assert done.end["kept"] == 2
    assert second.git("status", "--porcelain") == ""
    second.jumar("accept", "--yes")
    assert (second.root / "f.txt").read_text() == "8\n"
    assert (project.root / "f.txt").read_text() == "10\n"
    assert second.git("symbolic-ref", "--short", "HEAD") == "elsewhere"


def test_a_detached_head(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    before = project.git("rev-parse", "HEAD")
    assert project.run(*NAMED, "--iterations", "1").end["kept"] == 1
    assert project.git("rev-parse", "HEAD") == before
    project.jumar("accept", "--yes")
    assert (project.root / "f.txt").read_text() == "9\n"


def test_guards(project: Project) -> None:
    done = project.run(
        *NAMED, "--guard", '[ "$(cat f.txt)" != 9 ]', "--guard", "true", "--iterations", "2", code=1
    )
    assert done.column("reason") == ["guard", "duplicate"]
    assert "guard" in done.trials[0]["sentence"]


def test_the_constants_are_tuned_without_any_maker_named(project: Project) -> None:
    project.write("conf.py", "SIZE = 40\nNAME = 'x'\n")
    project.write("bench.py", "import conf\nprint('score:', abs(conf.SIZE - 25) + 1)\n")
    project.commit()
    done = project.jumar(
        "run",
        "--file",
        "conf.py",
        "--metric",
        "python bench.py",
        *NAMED,
        "--direction",
        "lower",
        "--iterations",
        "6",
        "--json",
    )
    assert done.end["kept"] >= 1
    assert all(trial["description"] for trial in done.trials)
