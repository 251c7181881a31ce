from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jumar.core.events import Decided, Measured, Proposed, Sealed, Settled, TrialOpened
from jumar.core.scoring import Format, reader
from jumar.mission import load_mission

if TYPE_CHECKING:
    from tests.styles.conftest import Outcome, Studio

HERE = Path(__file__).parent


def trained(score: float, memory: float = 45060.2) -> str:
    """A program of one run: it prints its results as the document has them."""
    return f"echo ---\necho 'val_bpb:          {score:.6f}'\necho 'peak_vram_mb:     {memory}'\n"


def step(program: str, summary: str) -> str:
    """The maker writes this program, and says what it did."""
    said = f"printf '%s' '{{\"summary\": \"{summary}\"}}' > $JUMAR_PROPOSAL\n"
    return f"cat > train.py <<'END'\n{program}END\n{said}"


CRASH = 'i=1; while [ $i -le 80 ]; do echo "line $i"; i=$((i+1)); done; exit 1\n'
STEPS = (
    step(trained(0.9932, 44236.8), "increase LR to 0.04"),
    step(trained(1.005, 44032.0), "switch to GeLU\\tactivation"),
    step(CRASH, "double model width (OOM)"),
    step(trained(0.9932, 44236.8) + "# the same again\n", "a comment"),
    "echo x > other.py\n",
    "exit 0\n",
    step(trained(0.99, 44236.8), "warm up longer"),
)


@pytest.fixture
def bench(studio: Studio) -> Studio:
    studio.flags.update(style="karpathy", metric="sh train.py", goal="lower the loss")
    studio.write("train.py", trained(0.9979))
    studio.write("other.py", "")
    studio.script(*STEPS)
    return studio


@pytest.fixture
def done(bench: Studio) -> Outcome:
    return bench.run()


@pytest.mark.rule("K-001")
def test_k001_train_py_is_the_target_and_nothing_has_to_be_given(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('val_bpb: 1.0')")
    found = load_mission(None, {"style": "karpathy"}, start=tmp_path, root=tmp_path)
    assert (found.file, found.direction, found.metric_name, found.policy) == (
        ("train.py",),
        "lower",
        "val_bpb",
        "strict",
    )
    assert (found.iterations, found.timeout, found.style.baseline_runs) == (None, 600.0, 1)
    (tmp_path / "x.py").write_text("")
    other = load_mission(None, {"style": "karpathy", "file": ["x.py"]}, start=tmp_path, root=tmp_path)
    assert other.file == ("x.py",)


@pytest.mark.rule("K-002")
def test_k002_the_metric_is_read_at_a_lines_start() -> None:
    read = reader(Format(parser="lines", name="val_bpb"))
    for line in ("val_bpb: 0.99", "x val_bpb: 1", "peak_vram_mb:     45060.2", "step 3: 4", "url::7"):
        read.feed(line)
    found = read.result()
    assert (found.score, found.metrics) == (0.99, {"peak_vram_mb": 45060.2})


@pytest.mark.rule("K-003")
def test_k003_the_last_50_lines_of_a_crash_go_to_the_maker(done: Outcome) -> None:
    brief = done.brief(4).split("\n")
    shown = [line for line in brief if line.startswith("line ")]
    assert shown == [f"line {number}" for number in range(31, 81)]


@pytest.mark.rule("K-003")
def test_k003_a_log_without_the_metric_is_a_crash(bench: Studio) -> None:
    bench.script(step("echo 'loss: 3'\n", "lose the metric"))
    done = bench.run()
    assert done.view("results").splitlines()[2].split("\t")[1:] == [
        "0.000000",
        "0.0",
        "crash",
        "lose the metric",
    ]
    decision = done.state.history[1].decision
    assert decision is not None
    assert "No line begins with `val_bpb:`" in decision.sentence


@pytest.mark.rule("K-004", "K-005", "K-006")
def test_k004_the_table_byte_for_byte(done: Outcome) -> None:
    assert done.view("results") == (HERE / "results.tsv").read_bytes().decode()


@pytest.mark.rule("K-004")
def test_k004_the_second_header_is_the_metrics_name(bench: Studio) -> None:
    bench.flags["metric_name"] = "loss"
    bench.write("train.py", "echo 'loss: 2'\n")
    bench.script("exit 0\n")
    assert bench.run().view("results").splitlines()[0] == "commit\tloss\tmemory_gb\tstatus\tdescription"


@pytest.mark.rule("K-005")
def test_k005_the_baseline_is_a_keep(done: Outcome) -> None:
    first = done.view("results").splitlines()[1].split("\t")
    assert first == [done.state.base[:7], "0.997900", "44.0", "keep", "baseline"]


@pytest.mark.rule("K-006")
def test_k006_the_zero_of_a_crash_is_in_the_table_alone(done: Outcome) -> None:
    assert [t.best for t in done.state.history] == [0.9979, *[0.9932] * 6, 0.99]
    assert all(t.decision and t.decision.score != 0 for t in done.state.history)
    assert done.state.ended is not None
    assert done.state.ended.reason == "iterations"


@pytest.mark.rule("K-007")
@pytest.mark.parametrize("in_place", [False, True])
def test_k007_the_table_is_never_committed(bench: Studio, in_place: bool) -> None:
    done = bench.run(views_in_place=in_place)
    where = done.root / "results.tsv" if in_place else done.folder / "views/results.tsv"
    assert done.views["results"] == str(where)
    assert bench.git("log", "--all", "--format=%h", "--", "results.tsv", "views/results.tsv") == ""
    assert bench.git("status", "--porcelain") == ""


@pytest.mark.rule("K-008")
def test_k008_first_the_commit_then_the_measurement_then_keep_or_reset(done: Outcome) -> None:
    kinds = (TrialOpened, Proposed, Sealed, Measured, Decided, Settled)
    order: dict[int, list[type]] = {}
    for record in done.records:
        if isinstance(record.body, kinds):
            order.setdefault(record.body.trial, []).append(type(record.body))
    assert order[1] == order[2] == order[7] == list(kinds)
    parents = {t.number: t.parent for t in done.state.history}
    kept = done.state.history[1].change
    assert kept is not None
    assert {parents[number] for number in range(2, 8)} == {kept.commit}
    assert done.state.branch == "autoresearch/lower-the-loss"


@pytest.mark.rule("K-004")
def test_k004_the_table_is_up_to_date_while_the_run_goes_on(bench: Studio) -> None:
    bench.script(STEPS[0], f"cp {bench.root}/.jumar/runs/*/views/results.tsv {bench.root}/seen\n" + STEPS[1])
    bench.run()
    assert (
        len((bench.root / "seen").read_text().splitlines()) == 3
    )  # the head, the baseline, and the first trial
