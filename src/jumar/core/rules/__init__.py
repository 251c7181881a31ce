"""The rules that decide a trial: each is `(Trial, State, Mission) -> Decision | None`, and the first that answers wins.

A new rule is one function in one of these modules and one row in `RULES`; a style names the rows it wants, in order.
"""

from __future__ import annotations

from collections.abc import Callable

from jumar.core.mission import Mission
from jumar.core.model import Decision, Trial
from jumar.core.rules import baseline, deciding, gates, screening, simplicity
from jumar.core.state import State

Rule = Callable[[Trial, State, Mission], Decision | None]

RULES: dict[str, Rule] = {
    "refused": screening.refused,
    "unmended": screening.unmended,
    "maker_failed": screening.maker_failed,
    "empty": screening.empty,
    "duplicate": screening.duplicate,
    "max_change": screening.max_change,
    "evaluation_error": screening.evaluation_error,
    "unit": screening.unit_changed,
    "evaluator_fail": screening.evaluator_fail,
    "strict": deciding.strict,
    "two_sigma": deciding.two_sigma,
    "pass": deciding.evaluator_pass,
    "pass_only": deciding.evaluator_pass,
    "simplicity": simplicity.simplicity,
    "guard": gates.guard,
    "constraint": gates.constraint,
    "baseline_runs": baseline.runs,
    "constraint_names": baseline.constraint_names,
    "probe": baseline.probe,
}
