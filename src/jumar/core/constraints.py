r"""Bounds that a change has to keep within, in a small language of their own.

    size <= baseline * 1.05          bytes of the targets' text; also words and lines
    p95 <= 20                        a metric of the evaluation, or its score
    peak_mb < baseline - 100         `baseline` is what the name on the left was at the start
    must_contain: ## Summary         the text of one target holds these letters; must_not_contain: that of none

On the right stand numbers, `baseline`, names, `+ - * /` and brackets. What is measured more than once counts by its median.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isfinite, nan
from operator import add, ge, gt, le, lt, mul, sub

import msgspec

from jumar.core.model import Measurement, TextFacts
from jumar.core.stats import middle
from jumar.core.words import number

NAME = r"[A-Za-z_][\w.]*"
TOKEN = re.compile(
    rf"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|({NAME})|([-+*/()]))", re.ASCII
)
BOUND = re.compile(rf"\s*({NAME})\s*(<=|>=|<|>)(?!=)", re.ASCII)
PHRASE = re.compile(r"\s*(must_contain|must_not_contain)\s*:(.*)", re.DOTALL)
OPERATORS: dict[str, Callable[[float, float], bool]] = {"<=": le, ">=": ge, "<": lt, ">": gt}
ARITHMETIC: dict[str, Callable[[float, float], float]] = {"+": add, "-": sub, "*": mul}
TEXT_NAMES = ("size", "words", "lines")
BASELINE = "baseline"
DEEPEST = 50

Term = float | str | tuple[str, "Term", "Term"]
Values = Mapping[str, float]


class Malformed(ValueError):
    """A constraint that cannot be read: what is wrong with it, as a sentence with the cure."""


class Bound(msgspec.Struct, frozen=True):
    """`name operator right`: a comparison of a number with a term."""

    name: str
    operator: str
    right: Term

    @property
    def names(self) -> tuple[str, ...]:
        """Every name whose value in the candidate is needed."""
        return tuple(dict.fromkeys((self.name, *(name for name in names_of(self.right) if name != BASELINE))))


class Phrase(msgspec.Struct, frozen=True):
    """Letters that must be in the text, or must not."""

    letters: str
    wanted: bool


Constraint = Bound | Phrase


@lru_cache(maxsize=256)
def parse(text: str) -> Constraint:
    """The constraint that is written. Raises Malformed."""
    if phrase := PHRASE.fullmatch(text):
        if not phrase[2].strip():
            raise Malformed(f"Write after `{phrase[1]}:` the text that is meant.")
        return Phrase(phrase[2].strip(), phrase[1] == "must_contain")
    head = BOUND.match(text)
    if head is None:
        raise Malformed(
            "Begin with a name and one of `<=`, `>=`, `<`, `>`, or with `must_contain:` or `must_not_contain:`."
        )
    return Bound(head[1], head[2], Right(text[head.end() :]).term())


class Right:
    """Reads the right side of a bound."""

    def __init__(self, text: str) -> None:
        self.tokens = list(self._tokens(text))
        self.at = 0
        self.depth = 0

    @staticmethod
    def _tokens(text: str) -> list[float | str]:
        found: list[float | str] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            token = TOKEN.match(text, at)
            if token is None:
                cure = (
                    "Write a share as a factor: `baseline * 1.05`."
                    if "%" in text
                    else "Use numbers, names, `+ - * /` and brackets."
                )
                raise Malformed(f"`{text[at:].strip()[:20]}` cannot be read. {cure}")
            found.append(float(token[1]) if token[1] else token[2] or token[3])
            at = token.end()
        return found

    def term(self) -> Term:
        """The whole right side."""
        term = self._sum()
        if self.at < len(self.tokens):
            raise Malformed(
                f"`{self.tokens[self.at]}` is one too many on the right side; take it away, or write an operator before it."
            )
        return term

    def _sum(self) -> Term:
        term = self._product()
        while self._next() in ("+", "-"):
            term = (str(self._take()), term, self._product())
        return term

    def _product(self) -> Term:
        term = self._factor()
        while self._next() in ("*", "/"):
            term = (str(self._take()), term, self._factor())
        return term

    def _factor(self) -> Term:
        self.depth += 1
        given = self._take()
        if self.depth > DEEPEST:
            raise Malformed("It has too many brackets; write it shorter.")
        if given == "-":
            return ("-", 0.0, self._factor())
        if given == "(":
            term = self._sum()
            if self._take() != ")":
                raise Malformed("A bracket is not closed; write `)` where it ends.")
            self.depth -= 1
            return term
        if given is None or given in tuple("+*/)"):
            where = "the end" if given is None else f"`{given}`"
            raise Malformed(f"A number, `baseline` or a name is missing before {where}.")
        self.depth -= 1
        return given

    def _next(self) -> float | str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _take(self) -> float | str | None:
        token = self._next()
        self.at += 1
        return token


def names_of(term: Term) -> tuple[str, ...]:
    """The names in a term, `baseline` too."""
    if isinstance(term, tuple):
        return names_of(term[1]) + names_of(term[2])
    return (term,) if isinstance(term, str) else ()


def compute(term: Term, values: Values, baseline: float) -> float:
    """The value of a term; nan where it has none, such as after a division by 0."""
    if isinstance(term, float):
        return term
    if isinstance(term, str):
        return baseline if term == BASELINE else values.get(term, nan)
    left, right = compute(term[1], values, baseline), compute(term[2], values, baseline)
    if term[0] == "/":
        return left / right if right else nan
    return ARITHMETIC[term[0]](left, right)


def violated(text: str, values: Values, baseline: Values, facts: TextFacts | None) -> str | None:
    """Why a constraint does not hold, with both numbers; None where it does."""
    constraint = parse(text)
    if isinstance(constraint, Phrase):
        held = facts is not None and constraint.letters in facts.holds
        found = "it is in the text" if held else "the text does not hold it"
        return None if held == constraint.wanted else f"`{text}` is violated: {found}."
    value = values.get(constraint.name, nan)
    bound = compute(constraint.right, values, baseline.get(constraint.name, nan))
    if isfinite(value) and isfinite(bound) and OPERATORS[constraint.operator](value, bound):
        return None
    said = number(bound) if isfinite(bound) else "no number"
    return f"`{text}` is violated: {constraint.name} is {shown(value)}, and the bound is {said}."


def shown(value: float) -> str:
    """A value that may be missing."""
    return number(value) if isfinite(value) else "not known"


def wanted_names(constraints: Sequence[str]) -> tuple[str, ...]:
    """Every name that the constraints need a value of."""
    found = map(parse, constraints)
    return tuple(dict.fromkeys(name for one in found if isinstance(one, Bound) for name in one.names))


def phrases(constraints: Sequence[str]) -> tuple[str, ...]:
    """The letters that are to be looked for in the text."""
    return tuple(one.letters for one in map(parse, constraints) if isinstance(one, Phrase))


def reads_text(constraints: Sequence[str]) -> bool:
    """Whether the text of the targets has to be looked at."""
    return bool(phrases(constraints)) or any(name in TEXT_NAMES for name in wanted_names(constraints))


def facts_of(texts: Sequence[bytes], letters: Sequence[str]) -> TextFacts:
    """The size of the targets' texts in bytes, words and lines, all together, and which of the letters one of them holds."""
    found = [text.decode("utf-8", "replace") for text in texts]
    return TextFacts(
        size=sum(map(len, texts)),
        words=sum(len(text.split()) for text in found),
        lines=sum(len(text.splitlines()) for text in found),
        holds=tuple(one for one in letters if any(one in text for text in found)),
    )


def measured(runs: Sequence[Measurement], facts: TextFacts | None) -> dict[str, float]:
    """What the names stand for: the medians of score and metrics, and the facts of the text, which count more."""
    names = dict.fromkeys(name for run in runs for name in run.metrics)
    found = {name: middle([run.metrics[name] for run in runs if name in run.metrics]) for name in names}
    if scores := [run.score for run in runs if run.score is not None]:
        found["score"] = middle(scores)
    return found | ({name: float(getattr(facts, name)) for name in TEXT_NAMES} if facts else {})
