"""A network with one hidden layer, trained by stochastic gradient descent. This is the file to improve.

`evaluate.py` calls `fit` with the training images, and measures what it returns on images that it kept aside.
The words after `jumar:` say what may be tried on that line.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HIDDEN = 64  # jumar: 16..128 log
LEARNING_RATE = 0.1  # jumar: 0.01..1.0 log
MOMENTUM = 0.5  # jumar: 0.0..0.98
BATCH = 32  # jumar: 16, 32, 64, 128
EPOCHS = 20  # jumar: 5..30
WEIGHT_DECAY = 0.003  # jumar: 1e-6..1e-1 log
DROPOUT = 0.1  # jumar: 0.0..0.6
NOISE = 0.0  # jumar: 0.0..0.4


def fit(images: Array, labels: NDArray[np.int64], seed: int) -> Callable[[Array], Array]:
    """Train on `images` (n x 64, values in 0..1) and `labels` (n digits).

    Returns a function from images (m x 64) to probabilities (m x 10). The same seed gives the same network.
    """
    rng = np.random.default_rng(seed)
    targets = np.eye(10)[labels]
    weights = initial(rng)
    velocities = [np.zeros_like(weight) for weight in weights]
    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1 - epoch / EPOCHS)
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            slopes = gradients(weights, images[chosen], targets[chosen], rng)
            velocities = [MOMENTUM * v - rate * slope for v, slope in zip(velocities, slopes, strict=True)]
            weights = [weight + v for weight, v in zip(weights, velocities, strict=True)]
    return lambda unseen: forward(weights, unseen)[1]


def initial(rng: np.random.Generator) -> list[Array]:
    """Weights and biases of both layers."""
    first = rng.normal(0, np.sqrt(1 / 64), (64, HIDDEN))
    second = rng.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, 10))
    return [first, np.zeros(HIDDEN), second, np.zeros(10)]


def forward(weights: list[Array], images: Array, mask: Array | float = 1.0) -> tuple[Array, Array]:
    """Activations of the hidden layer (m x HIDDEN) and probabilities (m x 10)."""
    first, first_bias, second, second_bias = weights
    hidden = np.maximum(images @ first + first_bias, 0) * mask
    scores = hidden @ second + second_bias
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return hidden, powers / powers.sum(axis=1, keepdims=True)


def gradients(weights: list[Array], images: Array, targets: Array, rng: np.random.Generator) -> list[Array]:
    """Slopes of the mean cross-entropy of one batch, with noise on the images, dropout and weight decay."""
    first, _, second, _ = weights
    images = images + rng.normal(0, NOISE, images.shape)
    mask = (rng.random((len(images), HIDDEN)) >= DROPOUT) / (1 - DROPOUT)
    hidden, probabilities = forward(weights, images, mask)
    error = (probabilities - targets) / len(images)
    back = (error @ second.T) * mask * (hidden > 0)
    return [
        images.T @ back + WEIGHT_DECAY * first,
        back.sum(axis=0),
        hidden.T @ error + WEIGHT_DECAY * second,
        error.sum(axis=0),
    ]
