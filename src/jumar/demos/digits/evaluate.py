"""Trains the network of `train.py` in the current folder and prints its loss on images that it has never seen.

    JUMAR_SEED=7 python3 evaluate.py

The seed chooses the initial weights, the order of the batches and the noise. The split is the same for every seed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

if absent := [name for name in ("numpy", "sklearn") if not importlib.util.find_spec(name)]:
    sys.exit(
        f"{sys.executable} lacks {' and '.join(absent)}, and the digits come with scikit-learn: "
        "install it with `python3 -m pip install scikit-learn`."
    )
# Matrices this small gain nothing from threads, and another evaluation may need the core. Read when numpy is imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

TRAINING_IMAGES = 800
SMALLEST = 1e-12  # keeps the loss of one hopeless image finite


def main() -> None:
    seed = int(os.environ.get("JUMAR_SEED", "0"))
    images, labels = read_digits()
    began = time.perf_counter()
    predict = train(images[:TRAINING_IMAGES], labels[:TRAINING_IMAGES], seed)
    seconds = time.perf_counter() - began
    unseen, truth = images[TRAINING_IMAGES:], labels[TRAINING_IMAGES:]
    probabilities = checked(predict(unseen.copy()), len(unseen))
    print(f"seed {seed}: trained on {TRAINING_IMAGES} images in {seconds:.2f} s, measured on {len(unseen)} others")
    print(f"accuracy: {np.mean(probabilities.argmax(axis=1) == truth):.4f}")
    print(f"val_loss: {-np.log(np.maximum(probabilities[np.arange(len(truth)), truth], SMALLEST)).mean():.6f}")


def read_digits() -> tuple[Array, Labels]:
    """The 1,797 images of scikit-learn's digits (n x 64, values in 0..1) and their labels, always in the same shuffled order."""
    package = importlib.util.find_spec("sklearn")
    # Importing scikit-learn takes longer than the training; only its data file is needed.
    file = Path((package and package.origin) or "").parent / "datasets" / "data" / "digits.csv.gz"
    if file.is_file():
        table = np.loadtxt(file, delimiter=",")
    else:
        digits = importlib.import_module("sklearn.datasets").load_digits()
        table = np.column_stack([digits.data, digits.target])
    table = table[np.random.default_rng(0).permutation(len(table))]
    return table[:, :64] / 16, table[:, 64].astype(np.int64)


def train(images: Array, labels: Labels, seed: int) -> Callable[[Array], Array]:
    """What `fit` of the current folder's `train.py` returns. Ends the program with a sentence when it fails."""
    sys.path.insert(0, os.getcwd())
    try:
        # A learning rate that is too high overflows on the way; `checked` says so once, at the end.
        with np.errstate(all="ignore"):
            predict: Callable[[Array], Array] = importlib.import_module("train").fit(images, labels, seed)
    except Exception as error:  # the edge: whatever the code under test raises
        sys.exit(f"train.py failed with {type(error).__name__}: {error}")
    return predict


def checked(probabilities: Array, count: int) -> Array:
    """Probabilities of ten digits for each of `count` images. Ends the program with a sentence when they are no such thing."""
    if probabilities.shape != (count, 10):
        sys.exit(f"The network of train.py must give {count} x 10 probabilities, and gives {probabilities.shape}.")
    if not np.isfinite(probabilities).all():
        sys.exit("The training diverged: the network of train.py gives numbers that are not finite.")
    if (probabilities < 0).any() or abs(probabilities.sum(axis=1) - 1).max() > 1e-6:
        sys.exit("What the network of train.py gives are no probabilities: they must be at least 0 and sum to 1 for each image.")
    return probabilities


if __name__ == "__main__":
    main()
