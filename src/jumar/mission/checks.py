"""Settings that contradict one another. Each check looks at all keys and notes what it finds, and the cure."""

from __future__ import annotations

from collections.abc import Callable

from jumar.core.mission import Policy
from jumar.core.scoring import Format, validate
from jumar.mission.nodes import quote
from jumar.mission.settings import Settings

POLICIES: dict[str, Policy] = {
    "default": "two_sigma",
    "strict": "strict",
    "pass": "pass",
    "two_sigma": "two_sigma",
    "evaluator_pass": "pass",
    "score_improvement": "strict",
    "pass_only": "pass_only",
    "simplicity": "simplicity",
}
JSON_PARSERS = ("last_json_line", "whole_json", "file")


def policy(settings: Settings) -> Policy:
    """The rule that decides. `keep` and `policy` say the same; the one given nearer to the user counts."""
    keep = settings["keep"]
    if keep == "style" or settings.layer("policy") > settings.layer("keep"):
        keep = settings["policy"]
    return POLICIES[str(keep)]


def parser(settings: Settings) -> str:
    """How the score is read, where no parser was given."""
    if "parser" in settings:
        return str(settings["parser"])
    if settings["evaluator"] == "contract":
        return "last_json_line"
    return (
        "pattern"
        if _nearer(settings, "pattern", "metric_name")
        else "named"
        if "metric_name" in settings
        else "single"
    )


def iterations(settings: Settings) -> object:
    """The number of trials: none where only a time was given."""
    return None if "iterations" not in settings and settings["time"] is not None else settings["iterations"]


def _nearer(settings: Settings, first: str, second: str) -> bool:
    return settings.layer(first) > settings.layer(second)


def _two_rules(settings: Settings) -> None:
    if settings["keep"] == "style" or settings.layer("keep") != settings.layer("policy"):
        return
    keep, rule = str(settings["keep"]), str(settings["policy"])
    if POLICIES[keep] != POLICIES[rule]:
        message = f"`keep: {keep}` contradicts `policy: {rule}` ({settings.where('policy')})."
        settings.complain(
            settings.where("keep"), "keep", message, "Remove one of the two: both name the rule that decides."
        )


def _gain_without_scores(settings: Settings) -> None:
    if policy(settings) not in ("pass", "pass_only"):
        return
    for key in ("repeats", "min_gain"):
        if key in settings and settings[key] != settings.default(key):
            message = f"`{key}` has no meaning where the evaluator's pass alone decides."
            hint = f"Remove `{key}`, or use `policy: strict` or `policy: two_sigma`."
            settings.complain(settings.where(key), key, message, hint)


def _two_ways_to_read(settings: Settings) -> None:
    if "pattern" not in settings:
        return
    where, layer = settings.where("pattern"), settings.layer("pattern")
    if settings.layer("metric_name") == layer:
        message = (
            f"`pattern` and `metric_name` ({settings.where('metric_name')}) are two ways to find the score."
        )
        settings.complain(where, "pattern", message, "Remove one of the two.")
    elif "parser" in settings and settings["parser"] != "pattern":
        message = f"`pattern` is not used by `parser: {settings['parser']}` ({settings.where('parser')})."
        settings.complain(where, "pattern", message, "Use `parser: pattern`, or remove one of the two.")
    elif settings["evaluator"] == "contract":
        message = "`pattern` is not used by `evaluator: contract`, which reads JSON."
        settings.complain(where, "pattern", message, "Remove `pattern`, or use `evaluator: shell`.")


def _reading(settings: Settings) -> None:
    chosen = parser(settings)
    key = "parser" if "parser" in settings else "pattern" if chosen == "pattern" else "metric_name"
    if key not in settings or settings.refused.intersection(("parser", "pattern", "metric_name")):
        return
    name, pattern = settings["metric_name"], settings["pattern"]
    how = Format(parser=chosen, name=name and str(name), pattern=pattern and str(pattern))  # type: ignore[arg-type]
    if sentence := validate(how):
        culprit = "pattern" if chosen == "pattern" and "pattern" in settings else key
        example = r"pattern: '^took ([0-9.]+)'" if chosen == "pattern" else "metric_name: ms"
        settings.complain(settings.where(culprit), culprit, sentence, f"Write for example {quote(example)}.")


def _contract_reads_json(settings: Settings) -> None:
    if (
        settings["evaluator"] == "contract"
        and "parser" in settings
        and settings["parser"] not in JSON_PARSERS
    ):
        message = f"`evaluator: contract` reads JSON, which `parser: {settings['parser']}` does not."
        hint = f"Remove `parser`, or use {', '.join(map(quote, JSON_PARSERS))}."
        settings.complain(settings.where("parser"), "parser", message, hint)


def _beyond_the_optimum(settings: Settings) -> None:
    target, optimum = settings["target_score"], settings["optimum"]
    if not isinstance(target, float) or not isinstance(optimum, float):
        return
    beyond = target < optimum if settings["direction"] == "lower" else target > optimum
    if beyond and "direction" in settings:
        message = (
            f"`target_score` ({target:g}) is better than `optimum` ({optimum:g}), which cannot be beaten."
        )
        hint = "Correct one of the two, or `direction`."
        settings.complain(settings.where("target_score"), "target_score", message, hint)


def _one_maker(settings: Settings) -> None:
    places = list(settings.places("maker"))
    if len(places) > 1:
        message = "several makers in turn belong to something that this version of jumar does not have yet."
        settings.complain(places[1][1], "maker", message, "Name one maker.")
    elif "maker" in settings and not places:
        settings.complain(
            settings.where("maker"), "maker", "`maker` is an empty list.", "Name one, such as `tune`."
        )


CHECKS: tuple[Callable[[Settings], None], ...] = (
    _two_rules,
    _gain_without_scores,
    _two_ways_to_read,
    _reading,
    _contract_reads_json,
    _beyond_the_optimum,
    _one_maker,
)


def check(settings: Settings) -> None:
    """Run every check; what they find is in `settings.problems`."""
    for one in CHECKS:
        one(settings)
