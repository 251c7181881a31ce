from __future__ import annotations

from user import Project


def test_a_share_of_the_lines_is_counted_over_what_was_kept(project: Project) -> None:
    project.write("f.txt", "10\n" * 4)
    project.program("eval", 'test -f f.txt && echo "score: $(sort -u f.txt | wc -l)"')
    project.program("maker", 'sed -i "1,${JUMAR_TRIAL}s/.*/&$JUMAR_TRIAL/" f.txt')
    project.commit("four lines")
    done = project.run(
        "--max-change", "50%", "--iterations", "3", "--direction", "higher", "--policy", "strict"
    )
    assert done.column("reason") == ["improved", "improved", "complexity"]
    assert done.trials[2]["evaluations"] == 0
    assert done.trials[2]["sentence"] == "It changes 3 lines, and `max_change` allows 2 (50 % of 4 lines)."
