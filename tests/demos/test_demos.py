from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from jumar import demos

EVALUATORS = {"compress": "measure.py", "digits": "evaluate.py"}
TARGETS = {"compress": "chain.toml", "digits": "train.py"}


def laid_out(name: str, folder: Path) -> Path:
    for file, content in demos.files(name).items():
        (folder / file).write_bytes(content)
    return folder


def measured(
    name: str, folder: Path, seed: int = 0, python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, EVALUATORS[name]],
        cwd=folder,
        env={**os.environ, "JUMAR_SEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def score(answer: subprocess.CompletedProcess[str], metric: str) -> float:
    assert (answer.returncode, answer.stderr) == (0, "")
    (number,) = re.findall(rf"^{metric}: (\S+)$", answer.stdout, re.MULTILINE)
    return float(number)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    target = folder / TARGETS[name]
    text = target.read_text()
    assert text.count(old) == 1
    target.write_text(text.replace(old, new))


def refused(answer: subprocess.CompletedProcess[str]) -> str:
    """The one sentence of an evaluation that gives no score."""
    assert answer.returncode == 1
    assert not re.search(r"^(bytes|val_loss):", answer.stdout, re.MULTILINE)
    assert "Traceback" not in answer.stderr
    (sentence,) = answer.stderr.splitlines()
    return sentence


@pytest.fixture
def compress(tmp_path: Path) -> Path:
    return laid_out("compress", tmp_path)


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    return laid_out("digits", tmp_path)


def test_the_demos_are_listed_and_their_files_are_whole() -> None:
    assert demos.names() == ("compress", "digits")
    for name in demos.names():
        expected = {"mission.md", "README.md", ".gitignore", EVALUATORS[name], TARGETS[name]}
        assert demos.files(name).keys() == expected


def test_an_unknown_demo_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        demos.files("nowhere")


@pytest.mark.parametrize("name", sorted(EVALUATORS))
def test_a_mission_names_the_files_that_are_there_and_says_itself_in_a_line(name: str) -> None:
    _, front, brief = demos.files(name)["mission.md"].decode().split("---\n", 2)
    mission = yaml.safe_load(front)
    assert mission["file"] == [TARGETS[name]]
    assert mission["metric"] == f"python3 {EVALUATORS[name]}"
    assert 20 < len(mission["goal"]) < 120
    assert "Off limits" in brief


def test_compress_gives_the_same_number_twice(compress: Path) -> None:
    first, second = (score(measured("compress", compress), "bytes") for _ in range(2))
    assert first == second
    assert 300_000 < first < 1_500_000


def test_compress_has_a_gain_of_two_digits_to_find(compress: Path) -> None:
    before = score(measured("compress", compress), "bytes")
    for old, new in (('"fast"  ', '"normal"'), ('mf = "hc3"', 'mf = "bt4"'), ("depth = 4 ", "depth = 48")):
        edit(compress, "compress", old, new)
    assert score(measured("compress", compress), "bytes") < 0.9 * before


def test_compress_refuses_a_dictionary_above_the_ceiling(compress: Path) -> None:
    edit(compress, "compress", "65536", "4194304")
    sentence = refused(measured("compress", compress))
    assert "within 2,097,152 bytes of memory" in sentence
    assert "dict_size 4194304" in sentence


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("lp = 0 ", "lp = 2 ", "lc + lp may be 4 at most"),
        ("depth = 4 ", "depth = -4 ", "liblzma refuses"),
        ("nice_len = 32 ", "nice_len = 9999 ", "nice_len 9999"),
        ("65536", "99999999999999999999999", "liblzma refuses"),
        ("65536", "65536.5", "dict_size in chain.toml is 65536.5, and must be a whole number"),
        ("lc = 3 ", "lc = true ", "lc in chain.toml is True"),
        ('mode = "fast"', 'mode = "best"', "must be one of fast, normal"),
        ('mode = "fast"', 'mode = ["fast"]', "must be one of fast, normal"),
        ("pb = 2 ", "pbb = 2 ", "missing or unknown: pb, pbb"),
        ("pb = 2 ", "pb = = 2 ", "chain.toml cannot be read"),
    ],
)
def test_compress_says_what_is_wrong_with_a_chain(compress: Path, old: str, new: str, words: str) -> None:
    edit(compress, "compress", old, new)
    assert words in refused(measured("compress", compress))


def test_compress_says_that_its_target_is_gone(compress: Path) -> None:
    (compress / "chain.toml").unlink()
    assert "chain.toml cannot be read" in refused(measured("compress", compress))


def test_digits_differ_between_seeds_and_not_within_one(digits: Path) -> None:
    losses = [score(measured("digits", digits, seed), "val_loss") for seed in (1, 1, 2, 3)]
    assert losses[0] == losses[1]
    assert len(set(losses)) == 3
    assert all(0.15 < loss < 0.45 for loss in losses)


def test_digits_have_a_gain_to_find(digits: Path) -> None:
    before = score(measured("digits", digits), "val_loss")
    edit(digits, "digits", "MOMENTUM = 0.5", "MOMENTUM = 0.9")
    assert score(measured("digits", digits), "val_loss") < 0.8 * before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("BATCH = 32", "BATCH = 0", "train.py failed with ValueError: range() arg 3 must not be zero"),
        ("HIDDEN = 64", "HIDDEN = = 64", "train.py failed with SyntaxError"),
        ("LEARNING_RATE = 0.1", "LEARNING_RATE = 1e200", "The training diverged"),
        ("return lambda unseen: forward(weights, unseen)[1]", "return lambda unseen: unseen", "997 x 10"),
        ("forward(weights, unseen)[1]", "forward(weights, unseen)[1] * 2", "sum to 1"),
        ("forward(weights, unseen)[1]", "open('absent')", "train.py failed with FileNotFoundError"),
    ],
)
def test_digits_say_what_is_wrong_with_a_network(digits: Path, old: str, new: str, words: str) -> None:
    edit(digits, "digits", old, new)
    assert words in refused(measured("digits", digits))


def test_digits_say_what_to_install(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    # A fresh environment has the standard library only.
    bare = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True, timeout=60)
    sentence = refused(measured("digits", digits, python=str(bare / "bin" / "python")))
    assert "lacks numpy and sklearn" in sentence
    assert "pip install scikit-learn" in sentence
