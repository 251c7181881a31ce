"""The tuner over whole runs: the same brief gives the same edit, nothing is tried twice, and it finds what is to be found."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from jumar.core.model import Brief, Decision, Proposal, Reason, Trial
from jumar.errors import MakerError
from jumar.makers.tune import Tune, find_constants
from jumar.makers.tune.literals import Value
from jumar.makers.tune.memory import Lesson, Shelf, Try
from jumar.makers.tune.study import BEST, LATEST, bounded

Objective = Callable[[dict[str, Value]], float | None]


def number(value: Value) -> float:
    assert isinstance(value, int | float)
    return value


class Run:
    """A run as the shell drives one: an exact measure, strictly better is kept, all else is put back."""

    def __init__(
        self, tree: Path, objective: Objective, name: str = "m.py", seed: int = 0, fresh: bool = False
    ) -> None:
        self.file, self.tree, self.name, self.seed, self.fresh = tree / name, tree, name, seed, fresh
        self.objective, self.maker = objective, Tune()
        self.content = self.file.read_bytes()
        self.best = self.score()
        self.history = [Trial(0, "baseline", "base", decision=Decision("KEEP", "baseline", score=self.best))]

    def values(self) -> dict[str, Value]:
        with self.file.open(encoding="utf-8", newline="") as file:
            return {c.name: c.value for c in find_constants(self.name, file.read())}

    def score(self) -> float | None:
        return self.objective(self.values())

    def brief(self) -> Brief:
        history = (
            msgspec.json.decode(msgspec.json.encode(self.history), type=list[Trial])
            if self.fresh
            else self.history
        )
        return brief(history, (self.name,), self.seed)

    def step(self) -> Proposal:
        maker = Tune() if self.fresh else self.maker
        proposal = maker.propose(self.brief(), self.tree)
        if proposal.status == "candidate":
            self.settle(proposal, self.score())
        return proposal

    def settle(self, proposal: Proposal, score: float | None) -> None:
        decision = Decision("DISCARD", "regressed", score=score)
        if score is None:
            decision = Decision("ERROR", "crash")
        elif self.best is None or score < self.best:
            decision = Decision("KEEP", "improved", score=score)
            self.best, self.content = score, self.file.read_bytes()
        self.file.write_bytes(self.content)
        self.history.append(Trial(len(self.history), "change", "base", proposal=proposal, decision=decision))

    def go(self, trials: int) -> list[Proposal]:
        return [self.step() for _ in range(trials)]


def brief(history: list[Trial], targets: tuple[str, ...] = ("m.py",), seed: int = 0) -> Brief:
    return Brief("run", len(history), "", "lower", targets, "", seed, 0, None, None, None, "", history)


def start(tree: Path, text: str, objective: Objective, name: str = "m.py", **options: bool | int) -> Run:
    (tree / name).write_bytes(text.encode())
    return Run(tree, objective, name, **options)  # type: ignore[arg-type]


MIXED = 'lr = 0.1\r\nbatch = 64  # größe\r\nflag = False\r\nopt = "a"\r\nmomentum = 0.50'


def mixed(values: dict[str, Value]) -> float | None:
    if number(values["lr"]) > 0.6:
        return None
    return (
        abs(math.log10(number(values["lr"]) / 0.004))
        + abs(math.log2(number(values["batch"]) / 200))
        + abs(number(values["momentum"]) - 0.9)
        + (0 if values["flag"] else 1)
    )


def test_the_proposal_says_what_and_why(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("\nlr = 0.1\n")
    proposal = Tune().propose(
        brief([Trial(0, "baseline", "x", decision=Decision("KEEP", score=1.0))], ("train.py",)), tmp_path
    )
    new = (tmp_path / "train.py").read_text().split()[-1]
    assert proposal.summary == f"lr: 0.1 → {new} in train.py:2"
    assert proposal.hypothesis == (
        f"lr (train.py:2) is 0.1; this tries {new}, within 0.01 to 1.0 on a logarithmic scale (a guess from its value and name). "
        "It was not tried before."
    )
    assert "lower score" in proposal.expected
    assert (proposal.targets, proposal.edit_type, proposal.status) == (("train.py",), "constant", "candidate")


def test_a_cold_cache_a_warm_one_and_a_journal_give_the_same_edits(tmp_path: Path) -> None:
    runs = []
    for fresh in (False, True):
        (tmp_path / str(fresh)).mkdir()
        run = start(tmp_path / str(fresh), MIXED, mixed, fresh=fresh)
        runs.append((run.go(40), run.content, run.best))
    assert runs[0] == runs[1]


def test_asking_again_gives_the_same_edit(tmp_path: Path) -> None:
    run = start(tmp_path, MIXED, mixed)
    run.go(10)
    edits = []
    for _ in range(3):
        edits.append((run.maker.propose(run.brief(), tmp_path), run.file.read_bytes()))
        run.file.write_bytes(run.content)
    assert edits[0] == edits[1] == edits[2]


def test_another_run_in_between_changes_nothing(tmp_path: Path) -> None:
    run = start(tmp_path, MIXED, mixed)
    run.go(10)
    warm = run.maker.propose(run.brief(), tmp_path)
    run.file.write_bytes(run.content)
    run.maker.propose(msgspec.structs.replace(run.brief(), history=run.history[:4]), tmp_path)
    run.file.write_bytes(run.content)
    assert run.maker.propose(run.brief(), tmp_path) == warm


def test_a_trial_that_finished_out_of_order_is_learned(tmp_path: Path) -> None:
    run = start(tmp_path, MIXED, mixed)
    run.go(8)
    late = [*run.history[:3], *run.history[4:]]
    shelf = Shelf()
    shelf.of(brief(late))
    warm, cold = shelf.of(brief(run.history)), Shelf().of(brief(run.history))
    assert warm.seen == cold.seen
    assert {k: lesson.tries for k, lesson in warm.lessons.items()} == {
        k: lesson.tries for k, lesson in cold.lessons.items()
    }


def test_nothing_is_tried_twice(tmp_path: Path) -> None:
    run = start(
        tmp_path,
        'n = 3\nk = 2\nflag = True\nopt = "a"\n',
        lambda v: abs(number(v["n"]) - 6) + (0 if v["flag"] else 0.5),
    )
    contents = [run.content]
    for _ in range(60):
        proposal = run.maker.propose(run.brief(), tmp_path)
        contents.append(run.file.read_bytes())
        run.settle(proposal, run.score())
    assert len(set(contents)) == len(contents)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("flag = True\n", 2), ("flag = True\nother = False\n", 4), ("n = 2  # jumar: 1..9\n", 9),
        ("a = 1  # jumar: 1, 2, 3\nb = 'x'  # jumar: x, y\n", 6), ("n = 500 # jumar: 480..520\n", 41),
    ],
)  # fmt: skip
def test_a_space_that_is_used_up_says_so(tmp_path: Path, text: str, size: int) -> None:
    run = start(tmp_path, text, lambda _: 1.0)
    last = run.go(size)[-1]
    assert (len(run.history), last.status) == (size, "exhausted")
    assert "Every value of the constants" in last.words
    assert run.file.read_bytes() == run.content


def test_no_constants_says_which_files_and_shows_a_marker(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("about 12 pages\n")
    proposal = Tune().propose(brief([], ("notes.md",)), tmp_path)
    assert proposal.status == "exhausted"
    assert "No constant to tune was found in notes.md." in proposal.words
    assert "<!-- jumar: 5..20 -->" in proposal.words
    missing = Tune().propose(brief([], ("gone/*.py",)), tmp_path)
    assert "no text file matches gone/*.py" in missing.words


def test_a_malformed_marker_ends_the_maker(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("x = 1  # jumar: lots\n")
    with pytest.raises(MakerError, match=r"m\.py, line 1"):
        Tune().propose(brief([]), tmp_path)


def test_seeds_stay_in_a_whole_run(tmp_path: Path) -> None:
    run = start(tmp_path, "SEED = 7\nlr = 0.1\nmodel(random_state=3)\n", lambda v: number(v["lr"]))
    for proposal in run.go(25):
        assert proposal.summary.startswith("lr:")


def test_line_endings_mark_tabs_and_missing_newline_survive(tmp_path: Path) -> None:
    text = '\ufeffé = "ü"\r\nif é:\r\n\tlr = 1e-3\t# größe\r\n\tn = 0.10'
    run = start(tmp_path, text, lambda _: 1.0)
    for _ in range(10):
        run.maker.propose(run.brief(), tmp_path)
        changed = run.file.read_bytes().decode()
        head, tail = changed.split("lr = ")[0], changed.split("\t# größe")[1].rpartition(" ")[0]
        assert head == text.split("lr = ", maxsplit=1)[0]
        assert tail == "\r\n\tn ="
        run.settle(Proposal(), 1.0)


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(b"# caf\xe9\nlr = 0.1\n")
    Tune().propose(brief([]), tmp_path)
    assert (tmp_path / "m.py").read_bytes().startswith(b"# caf\xe9\nlr = 0.")


def test_each_constant_is_tried_early(tmp_path: Path) -> None:
    run = start(tmp_path, "".join(f"c{i} = {i + 10}\n" for i in range(12)), lambda _: 1.0)
    run.go(12)
    assert len({t.proposal.summary.split(":")[0] for t in run.history if t.proposal}) == 12


def found(tmp_path: Path, text: str, objective: Objective, trials: int, name: str = "m.py") -> list[float]:
    scores = []
    for seed in range(5):
        run = start(tmp_path, text, objective, name, seed=seed)
        run.go(trials)
        assert run.best is not None
        scores.append(run.best)
    return sorted(scores)


def test_finds_a_learning_rate_within_30_trials(tmp_path: Path) -> None:
    text = "lr = 0.1\nbatch = 32\n"
    off = found(tmp_path, text, lambda v: abs(math.log10(number(v["lr"]) / 0.003)), 30)
    assert off[3] < 0.1


def test_finds_an_integer_on_a_plateau(tmp_path: Path) -> None:
    off = found(
        tmp_path,
        '{"n": 40, "w": 100}',
        lambda v: float(abs(round(math.log2(number(v["n"]) / 130) * 2))),
        30,
        "a.json",
    )
    assert off[3] == 0


def test_finds_a_choice(tmp_path: Path) -> None:
    costs = {"a": 3.0, "b": 2.0, "c": 0.0, "d": 1.0}
    text = 'opt = "a"  # jumar: a, b, c, d\nk = 3  # jumar: 1..9\n'
    assert found(tmp_path, text, lambda v: costs[str(v["opt"])], 15)[4] == 0


def test_leaves_a_cliff_of_errors(tmp_path: Path) -> None:
    off = found(
        tmp_path,
        "lr = 0.1\n",
        lambda v: None if number(v["lr"]) > 0.15 else abs(math.log10(number(v["lr"]) / 0.12)),
        30,
    )
    assert off[3] < 0.05


def test_other_makers_keeps_are_read_from_the_tree(tmp_path: Path) -> None:
    run = start(tmp_path, "lr = 0.1\n", lambda v: number(v["lr"]))
    run.go(5)
    run.file.write_text("# new\nlr = 0.5\n")
    run.content = run.file.read_bytes()
    run.history.append(
        Trial(6, "change", "x", proposal=Proposal(summary="by hand"), decision=Decision("KEEP", score=0.01))
    )
    proposal = run.maker.propose(run.brief(), tmp_path)
    assert proposal.summary.startswith("lr: 0.5 → ")
    assert proposal.summary.endswith("in m.py:2")


def trial_of(memory_key: str, reason: Reason, index: int, score: float) -> Trial:
    edit = {"base": "b", "point": str(index), "old": {memory_key: 1.0}, "new": {memory_key: 1.0 + index}}
    verdict = {"improved": "KEEP", "regressed": "DISCARD"}.get(reason, "ERROR")
    decision = Decision(verdict, reason, score=None if verdict == "ERROR" else score)  # type: ignore[arg-type]
    return Trial(index, "change", "x", proposal=Proposal(data={"tune": edit}), decision=decision)


def test_gains_are_those_of_the_constant_alone() -> None:
    history = [
        Trial(0, "baseline", "x", decision=Decision("KEEP", "baseline", score=10.0)),
        trial_of("a", "improved", 1, 8.0),
        trial_of("b", "improved", 2, 5.0),
        trial_of("a", "regressed", 3, 6.0),
        trial_of("a", "crash", 4, 0.0),
        trial_of("a", "environment", 5, 0.0),
    ]
    lesson = Shelf().of(brief(history)).lessons["a"]
    assert lesson.tries == [Try(1.0, 0.0), Try(2.0, 2.0), Try(4.0, 1.0), Try(5.0, None)]
    assert (lesson.count, lesson.wins, lesson.losses) == (3, 1, 2)


def test_a_long_run_costs_no_more_than_a_short_one(tmp_path: Path) -> None:
    tries = [Try(float(i), None if i % 7 == 0 else float(i % 1000)) for i in range(10_000)]
    kept = bounded(tries)
    assert len(kept) == BEST + LATEST
    assert kept[-LATEST:] == tries[-LATEST:]
    assert min(t.gain or 0 for t in kept[:BEST]) > 990
    (tmp_path / "m.py").write_text("lr = 0.1\n")
    history = [Trial(0, "baseline", "x", decision=Decision("KEEP", "baseline", score=1.0))]
    history += [trial_of("m.py::lr", "regressed", i, 2.0) for i in range(1, 10_001)]
    maker = Tune()
    maker.propose(brief(history), tmp_path)
    begin = time.process_time()
    history.append(trial_of("m.py::lr", "regressed", 10_001, 2.0))
    maker.propose(brief(history), tmp_path)
    assert time.process_time() - begin < 1.0


def test_importing_the_tuner_does_not_import_optuna() -> None:
    code = "import sys, jumar.makers.tune; sys.exit('optuna' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    start(tmp_path, MIXED, mixed).go(3)
    assert capfd.readouterr() == ("", "")


def test_a_lesson_starts_empty() -> None:
    assert (Lesson().tries, Lesson().own) == ([], 0.0)
