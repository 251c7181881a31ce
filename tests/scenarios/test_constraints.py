from __future__ import annotations

from user import Project


def test_a_change_that_breaks_a_bound_on_the_text_is_reverted(project: Project) -> None:
    project.outputs("score: 10\n", "score: 9\n", "score: 8\n")
    project.program("maker", "echo $JUMAR_TRIAL > f.txt; test $JUMAR_TRIAL = 2 || echo more words >> f.txt")
    project.program("eval", "cat out/$(head -n1 f.txt 2>/dev/null || echo none)")
    project.commit("bounds")
    done = project.run(
        "--constraint", "words <= baseline * 2", "--constraint", "must_contain: 2", "--iterations", "2", "--policy", "strict"
    )  # fmt: skip
    assert done.column("reason") == ["constraint", "improved"]
    assert (
        done.trials[0]["sentence"] == "`words <= baseline * 2` is violated: words is 3, and the bound is 2."
    )
    warning = next(
        event for event in done.events if event["event"] == "warning" and "baseline" in event["message"]
    )
    assert "`must_contain: 2` is violated: the text does not hold it" in warning["message"]


def test_a_metric_and_a_baseline_that_lacks_it(project: Project) -> None:
    project.outputs(
        '{"pass": true, "score": 5, "metrics": {"mb": 10}}\n',
        '{"pass": true, "score": 4, "metrics": {"mb": 12}}\n',
    )
    flags = ("--parser", "last_json_line", "--policy", "strict", "--iterations", "1", "--no-probe")
    done = project.run("--constraint", "mb <= baseline", *flags, code=1)
    assert done.trials[0]["sentence"] == "`mb <= baseline` is violated: mb is 12, and the bound is 10."
    done = project.run("--constraint", "gb <= 1", *flags, "--fresh", code=3)
    assert "names `gb`" in done.end["message"]


def test_a_malformed_bound_is_refused_with_its_line_and_its_cure(project: Project) -> None:
    project.write(
        "mission.md",
        "---\nfile: f.txt\nmetric: ./eval\ndirection: lower\nconstraint:\n  - words <= 400\n  - size <= 105%\n---\n",
    )
    done = project.jumar("check", code=2)
    assert "mission.md:7" in done.err
    assert "Write a share as a factor: `baseline * 1.05`." in done.err
