"""Which constants to move in a trial."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from jumar.core.model import Brief
from jumar.makers.tune.memory import Lesson
from jumar.makers.tune.model import Constant

SIZES = (1, 2, 3)
SIZE_WEIGHTS = (0.85, 0.1, 0.05)
# The share of trials that go on with what has paid while there are constants that nobody tried yet.
PAID = 0.5


def pick(
    brief: Brief, lessons: Mapping[str, Lesson], constants: Sequence[Constant], rng: random.Random
) -> list[Constant]:
    """One constant, sometimes two or three. Each is tried once early, in an order the seed gives; then those that paid come more often."""
    order = sorted(constants, key=lambda constant: constant.key)
    random.Random(brief.seed).shuffle(order)
    known = [constant for constant in order if constant.key in lessons]
    fresh = [constant for constant in order if constant.key not in lessons]
    paid = [constant for constant in known if lessons[constant.key].wins]
    if fresh and not (paid and rng.random() < PAID):
        return fresh[:1]
    pool = paid if fresh else known
    size = min(rng.choices(SIZES, SIZE_WEIGHTS)[0], len(pool))
    return draw(pool, [weight(lessons[constant.key]) for constant in pool], size, rng)


def draw(pool: Sequence[Constant], weights: Sequence[float], size: int, rng: random.Random) -> list[Constant]:
    """`size` different ones, by weight."""
    chosen: list[Constant] = []
    left = dict(zip(pool, weights, strict=True))
    for _ in range(size):
        constant = rng.choices(list(left), list(left.values()))[0]
        del left[constant]
        chosen.append(constant)
    return sorted(chosen, key=lambda constant: (constant.path, constant.start))


def weight(lesson: Lesson) -> float:
    """How much a constant deserves another trial: wins for it, losses in a row and trials without any effect against it."""
    inert = lesson.ties / lesson.count
    return (1 + 2 * lesson.wins) / (1 + 0.5 * lesson.losses) * (1 - 0.95 * inert)
