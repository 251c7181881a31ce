"""Evaluators: what turns a tree into a measurement."""

from jumar.evaluators.diagnose import explain_failing_baseline
from jumar.evaluators.shell import ShellEvaluator, log_path

__all__ = ["ShellEvaluator", "explain_failing_baseline", "log_path"]
