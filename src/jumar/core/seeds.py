"""Randomness that is a function of the run's seed, so that a resumed run draws the same."""

from __future__ import annotations

from hashlib import blake2b


def seed(run_seed: int, trial: int, sample: int) -> int:
    """A seed from 0 to 2**31 − 1: the same on every resume, another for each trial and sample."""
    digest = blake2b(f"{run_seed}:{trial}:{sample}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1
