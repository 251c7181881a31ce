"""jumar improves files against a measure: propose, measure, keep or put back, write down why.

From Python: `jumar.run(mission, maker=…)`, or `jumar.open_run(mission)` and its `session` with `ask` and `tell`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from jumar.version import VERSION as __version__  # noqa: N811 the name that programs look for

if TYPE_CHECKING:
    from jumar.api import load_mission, open_run, run
    from jumar.core.mission import Mission
    from jumar.core.model import Brief, Decision, Job, Measurement, Proposal, Trial
    from jumar.core.ports import Evaluator, Maker
    from jumar.errors import JumarError
    from jumar.session import Session

# Imported when first asked for: the command line imports this package for its name alone.
HOMES = {
    "Brief": "core.model",
    "Decision": "core.model",
    "Evaluator": "core.ports",
    "Job": "core.model",
    "JumarError": "errors",
    "Maker": "core.ports",
    "Measurement": "core.model",
    "Mission": "core.mission",
    "Proposal": "core.model",
    "Session": "session",
    "Trial": "core.model",
    "load_mission": "api",
    "open_run": "api",
    "run": "api",
}

__all__ = [
    "Brief",
    "Decision",
    "Evaluator",
    "Job",
    "JumarError",
    "Maker",
    "Measurement",
    "Mission",
    "Proposal",
    "Session",
    "Trial",
    "__version__",
    "load_mission",
    "open_run",
    "run",
]


def __getattr__(name: str) -> object:
    """Import a public name on its first use."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
