"""The supervisor of every process that jumar starts: see `Supervisor.run`."""

from jumar.process.command import Command, Ended, Exit, Limits, child_environment
from jumar.process.registry import end_survivors
from jumar.process.supervisor import Supervisor

__all__ = ["Command", "Ended", "Exit", "Limits", "Supervisor", "child_environment", "end_survivors"]
