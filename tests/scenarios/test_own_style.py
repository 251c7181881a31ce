"""A sixth style: one data file in the user's own folder, and the program does what it says."""

from __future__ import annotations

from pathlib import Path

from user import Project

MINE = """\
summary: Keeps what passes, calls its branch after the ticket, and gives up early.
rules: [refused, maker_failed, empty, duplicate, evaluation_error, unit, evaluator_fail, policy]
gates: [constraint, guard]
baseline: [evaluation_error, baseline_runs]
baseline_runs: 2
noisy_baseline_runs: 3
stops: [stop_asked, aborted, evaluator_broken, maker_broken, stagnation, iterations]
branch: tickets/{slug}
commit: "[loop] {summary}"
ladder:
  - {at: 1, name: look elsewhere, brief: Try another corner of the file.}
views: [results, report, progress]
defaults:
  file: f.txt
  metric: ./eval
  metric_name: score
  direction: lower
  policy: two_sigma
  iterations: unlimited
  stagnation: 2
"""


def test_a_style_of_ones_own_is_one_file(project: Project, home: Path) -> None:
    folder = home / ".config/jumar/styles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(MINE)
    project.program(
        "maker",
        'case $JUMAR_TRIAL in 1) echo 7 ;; 2) echo 6 ;; *) echo 9$JUMAR_TRIAL ;; esac > f.txt; echo \'{"summary": "idea"}\' > "$JUMAR_PROPOSAL"',
    )
    project.commit()
    words = ("run", "--style", "mine", "--goal", "Ticket 7", "--maker", "command:./maker", "--json")
    done = project.jumar(*words)
    assert done.baseline["samples"] == [10.0, 10.0]
    assert done.column("outcome") == ["keep", "keep", "discard", "discard"]
    assert (done.end["reason"], done.end["branch"]) == ("stagnation", "tickets/ticket-7")
    assert project.git("log", "-2", "--format=%s", "tickets/ticket-7").splitlines() == ["[loop] idea"] * 2
    assert "Try another corner of the file." in project.jumar("show", "4", "--json").json["brief"]
    table = next((project.root / ".jumar/runs").glob("*/views/results.tsv")).read_text().splitlines()
    assert table[0].split("\t")[1] == "score"
    assert len(table) == 6
