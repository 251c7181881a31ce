from __future__ import annotations

import pytest
from user import Project

FLAGS = ("--guard", "./guard", "--rework", "2", "--iterations", "1", "--policy", "strict", "--no-probe")


@pytest.fixture
def guarded(project: Project) -> Project:
    """Lines of words; the guard wants the word `safe`, which the maker only writes when it was told so."""
    project.program("eval", 'echo "score: $(head -n1 f.txt)"')
    project.program("guard", "grep -q safe f.txt || { echo the word safe is missing; exit 1; }")
    project.program("maker", 'grep -q "safe is missing" $JUMAR_BRIEF && echo safe >> f.txt || echo 5 > f.txt')
    project.write("f.txt", "10\nsafe\n")
    project.commit("guarded")
    return project


@pytest.mark.rule("001-051")
def test_a_run_sends_an_edit_back_and_keeps_what_was_mended(guarded: Project) -> None:
    done = guarded.run(*FLAGS)
    assert (done.column("outcome"), done.column("flags")) == (["keep"], [["rework"]])
    assert guarded.kept_file(done.end["branch"]) == "5\nsafe"
    names = {path.name for path in (guarded.folder() / "trials/0001").iterdir()}
    assert {"evaluation-1.log", "guard-1.log", "rework-1-evaluation-1.log", "rework-1-guard-1.log"} <= names
    assert "side/1-" in guarded.git("for-each-ref", "--format=%(refname)", "refs/jumar")
    guarded.jumar("verify")


@pytest.mark.rule("001-051")
def test_an_agent_is_told_to_mend_and_tells_again(guarded: Project) -> None:
    flags = [*guarded.mission(*FLAGS)]
    asked = guarded.jumar("ask", *flags, "--json").json
    tree = asked["worktree"]
    guarded.write(f"{tree}/f.txt", "5\n")
    told = guarded.jumar("tell", "--summary", "half", "--json").json
    assert (told["state"], told["trial"]) == ("rework", 1)
    assert "The guard `./guard` failed" in told["message"]
    again = guarded.jumar("ask", *flags, "--json").json
    assert "the word safe is missing" in again["brief"]
    assert guarded.root.joinpath(tree, "f.txt").read_text() == "5\n"
    guarded.write(f"{tree}/f.txt", "5\nsafe\n")
    trial = guarded.jumar("tell", "--summary", "half, safe", "--json").json
    assert (trial["outcome"], trial["flags"], trial["trial"]) == ("keep", ["rework"], 1)
