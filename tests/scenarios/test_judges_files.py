"""Files that the evaluator's command names: whose are they?"""

from __future__ import annotations

from user import Project


def test_a_glob_whose_only_file_the_command_names_is_a_target(project: Project) -> None:
    project.program("maker", "v=$(cat f.txt); echo $((v - 1)) > f.txt")
    project.commit()
    done = project.jumar(
        "run", "--file", "f*.txt", "--metric", "cat f.txt", "--direction", "lower", "--maker", "command:./maker",
        "--iterations", "1", "--json",
    )  # fmt: skip
    assert done.column("outcome") == ["keep"]


def test_a_file_of_the_judge_stays_where_a_glob_matches_others_too(project: Project) -> None:
    project.write("src/a.py", "A = 3\n")
    project.write("src/bench.py", "import a\nprint(a.A)\n")
    project.program("maker", "echo 'print(0)' > src/bench.py")
    project.commit()
    flags = ("--file", "src/*.py", "--metric", "python3 src/bench.py", "--direction", "lower")
    done = project.jumar("run", *flags, "--maker", "command:./maker", "--iterations", "1", "--json", code=1)
    assert done.column("reason") == ["protected"]
    assert "`src/bench.py` stays as it is" in project.jumar("run", *flags, "--iterations", "0", "--fresh").err
