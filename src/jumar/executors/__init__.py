"""Executors: where evaluations run."""

from jumar.executors.local import LocalExecutor, Trees

__all__ = ["LocalExecutor", "Trees"]
