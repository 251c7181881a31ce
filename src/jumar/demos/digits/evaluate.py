"""Trains the network of the current folder's `train.py` and prints its loss on images it has never seen.

    JUMAR_SEED=7 python3 evaluate.py

The seed chooses the initial weights, the order of the batches and the noise; the split never changes.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import time
from pathlib import Path

if absent := [name for name in ("numpy", "sklearn") if not importlib.util.find_spec(name)]:
    sys.exit(
        f"{sys.executable} lacks {' and '.join(absent)}, and the digits come with scikit-learn: "
        "install it with `python3 -m pip install scikit-learn`."
    )
# Matrices this small gain nothing from threads, and others may need the core. Read by numpy once.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

TRAINING_IMAGES = 800
SMALLEST = 1e-12  # keeps the loss of one hopeless image finite


def main() -> None:
    seed = int(os.environ.get("JUMAR_SEED", "0"))
    images, labels = read_digits()
    began = time.perf_counter()
    probabilities = checked(trained(images, labels, seed), len(images) - TRAINING_IMAGES)
    truth = labels[TRAINING_IMAGES:]
    right = probabilities[np.arange(len(truth)), truth]
    seconds = time.perf_counter() - began
    print(f"seed {seed}: {TRAINING_IMAGES} images learnt in {seconds:.2f} s, measured on {len(truth)} others")
    print(f"accuracy: {np.mean(probabilities.argmax(axis=1) == truth):.4f}")
    print(f"val_loss: {-np.log(np.maximum(right, SMALLEST)).mean():.6f}")


def read_digits() -> tuple[Array, Labels]:
    """The 1,797 images of scikit-learn's digits (n x 64, in 0..1) and their labels, shuffled in one way."""
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


def trained(images: Array, labels: Labels, seed: int) -> Array:
    """Probabilities for the images kept aside, from the network that `train.py` fits to the others."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        # A rate that is too high overflows on the way; `checked` says so once, at the end.
        with np.errstate(all="ignore"):
            fit = importlib.import_module("train").fit
            predict = fit(images[:TRAINING_IMAGES], labels[:TRAINING_IMAGES], seed)
            return np.asarray(predict(images[TRAINING_IMAGES:]), dtype=float)
    except Exception as error:  # noqa: BLE001  the edge: whatever the code under test raises
        sys.exit(f"train.py failed with {type(error).__name__}: {error}")


def checked(probabilities: Array, count: int) -> Array:
    """Probabilities of ten digits for each of `count` images. Ends the program otherwise."""
    if probabilities.shape != (count, 10):
        sys.exit(f"train.py must give {count} x 10 probabilities, and gives {probabilities.shape}.")
    if not np.isfinite(probabilities).all():
        sys.exit("The training diverged: the network of train.py gives numbers that are not finite.")
    if (probabilities < 0).any() or abs(probabilities.sum(axis=1) - 1).max() > 1e-6:
        sys.exit("train.py gives no probabilities: they must be at least 0 and sum to 1 for each image.")
    return probabilities


if __name__ == "__main__":
    main()
