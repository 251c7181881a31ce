"""The `tune` maker: one constant, or a small group, moved per trial."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jumar.core.model import Brief, Proposal
from jumar.core.patch import Scope
from jumar.makers.tune.constants import find_constants, tunable
from jumar.makers.tune.files import Source, read_targets
from jumar.makers.tune.literals import Value, write
from jumar.makers.tune.memory import Edit, Lesson, Memory, Shelf
from jumar.makers.tune.model import Constant
from jumar.makers.tune.pick import pick
from jumar.makers.tune.space import alternatives
from jumar.makers.tune.study import suggest
from jumar.makers.tune.words import describe, nothing_found, used_up

Values = dict[Constant, Value]

ATTEMPTS = 3
# How many values beside a suggestion are looked at when it is no new one.
NEARBY = 30
LARGEST_GROUP = 3


class Tune:
    """Tunes the constants of the targets. It keeps no state but a cache: the same brief and tree give the same edit."""

    def __init__(self) -> None:
        self.shelf = Shelf()

    def propose(self, brief: Brief, tree: Path) -> Proposal:
        """Move a constant or a few. `exhausted` when there is none, or no untried value; MakerError for a broken marker."""
        if brief.rework:
            return Proposal(
                status="noop",
                words="A constant that a guard refuses is not mended, but left for the next trial.",
            )
        sources = read_targets(tree, Scope(brief.targets, brief.protect))
        constants = tunable(c for source in sources for c in find_constants(source.path, source.text))
        if not constants:
            return Proposal(status="exhausted", words=nothing_found(brief, sources))
        memory = self.shelf.of(brief)
        ground = Ground(sources, constants)
        values = first_new(brief, memory, constants, ground)
        if values is None:
            return Proposal(status="exhausted", words=used_up(constants))
        for source in sources:
            source.save(
                {constant: value for constant, value in values.items() if constant.path == source.path}
            )
        return describe(brief, memory, values, ground.edit(values))


class Ground:
    """The targets' content with the constants taken out, and so the identity of every content that tuning can reach."""

    def __init__(self, sources: Sequence[Source], constants: Sequence[Constant]) -> None:
        self.constants = constants
        digest = hashlib.sha256()
        for source in sources:
            blanks = [constant for constant in constants if constant.path == source.path]
            digest.update(
                f"{source.path}\0{blanked(source.text, blanks)}\0".encode("utf-8", "surrogateescape")
            )
        self.skeleton = digest.digest()

    def point(self, values: Values) -> str:
        """A hash of the content that these values give."""
        digest = hashlib.sha256(self.skeleton)
        for constant in self.constants:
            literal = write(constant.literal, values[constant]) if constant in values else constant.literal
            digest.update(f"{constant.key}={literal}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()[:24]

    def edit(self, values: Values) -> Edit:
        """What to remember of this edit."""
        old = {constant.key: constant.value for constant in values}
        new = {constant.key: value for constant, value in values.items()}
        return Edit(self.point({}), self.point(values), old, new)


def blanked(text: str, constants: Iterable[Constant]) -> str:
    """The text without these literals."""
    for constant in sorted(constants, key=lambda constant: constant.start, reverse=True):
        text = text[: constant.start] + "\0" + text[constant.end :]
    return text


def first_new(brief: Brief, memory: Memory, constants: Sequence[Constant], ground: Ground) -> Values | None:
    """The first proposal whose content no trial has had, and that is not the current one."""
    tried = memory.seen | {ground.point({})}
    for values in itertools.chain(sampled(brief, memory, constants), enumerated(brief, constants)):
        if ground.point(values) not in tried:
            return values
    return None


def sampled(brief: Brief, memory: Memory, constants: Sequence[Constant]) -> Iterator[Values]:
    """What the sampler suggests and the values nearest to it, a few times over.

    All randomness comes from the seed and the trial's number.
    """
    rng = random.Random(f"{brief.seed} {brief.trial}")
    for attempt in range(ATTEMPTS):
        group = pick(brief, memory.lessons, constants, rng)
        wide = attempt > 0 or brief.level > 0
        values = {
            c: suggest(c, memory.lessons.get(c.key) or Lesson(), rng.getrandbits(32), wide) for c in group
        }
        moved = {constant: value for constant, value in values.items() if value != constant.value}
        yield moved
        for other in itertools.islice(alternatives(group[0], values[group[0]]), NEARBY):
            yield {**moved, group[0]: other}


def enumerated(brief: Brief, constants: Sequence[Constant]) -> Iterator[Values]:
    """Every value of each constant, then of each two and three, in an order that the seed gives."""
    order = sorted(constants, key=lambda constant: constant.key)
    random.Random(brief.seed).shuffle(order)
    for size in range(1, LARGEST_GROUP + 1):
        for group in itertools.combinations(order, size):
            for values in itertools.product(*(alternatives(constant, constant.value) for constant in group)):
                yield dict(zip(group, values, strict=True))
