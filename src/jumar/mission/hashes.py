"""A mission as plain data, and the hashes that say whether two missions, or two runs, are the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from jumar.core.mission import Mission

JUDGE = ("evaluator", "metric", "metric_name", "pattern", "parser", "direction", "folder")


def resolved(mission: Mission) -> dict[str, Any]:
    """Everything a mission says, as what JSON can hold; `msgspec.convert(…, Mission)` reads it back."""
    data: dict[str, Any] = msgspec.to_builtins(mission)
    return data


def mission_hash(mission: Mission) -> str:
    """SHA-256 of everything a mission says."""
    return _hash(resolved(mission))


def identity(mission: Mission) -> str:
    """SHA-256 of what makes two runs the same run: targets, evaluator and style, and no budget."""
    data = resolved(mission)
    judge = {name: data[name] for name in JUDGE}
    return _hash({"file": sorted(mission.file), "judge": judge, "style": mission.style.name})


def _hash(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(msgspec.to_builtins(data), sort_keys=True).encode()).hexdigest()
