"""Progress as a picture: every score, the keeps solid, the best so far as a step line. SVG, by hand."""

from __future__ import annotations

import re
from html import escape as escape_html

from jumar.core.model import Trial
from jumar.core.stats import finite
from jumar.core.text import clip
from jumar.core.views import Page
from jumar.core.words import count, number

WIDTH, HEIGHT = 860, 360
LEFT, RIGHT, TOP, BOTTOM = 84, 24, 44, 44
LABEL = 45
TITLE = 120
MANY = 1000  # dots with words; beyond that only the newest have them
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE = """
  .bg { fill: #ffffff } text { font: 12px system-ui, sans-serif; fill: #333333 } .title { font-weight: 600; font-size: 14px }
  .grid { stroke: #e4e4e4 } .discard { fill: #b9bec7 } .crowd { stroke: #b9bec7; stroke-width: 4; stroke-linecap: round } .keep { fill: #157f3b } .best { fill: none; stroke: #157f3b; stroke-width: 2 }
  .label { font-size: 10px; fill: #157f3b }
  @media (prefers-color-scheme: dark) {
    .bg { fill: #14171c } text { fill: #d5d9e0 } .grid { stroke: #2b313a } .discard { fill: #59616d } .crowd { stroke: #59616d }
    .keep, .label { fill: #4ccb78 } .best { stroke: #4ccb78 }
  }
"""


class Axes:
    """Where a trial and a score lie in the picture, in pixels."""

    def __init__(self, last: int, scores: list[float]) -> None:
        low, high = min(scores), max(scores)
        margin = finite(high - low) * 0.08 or abs(high) * 0.05 or 1.0
        self.low, self.high, self.last = finite(low - margin), finite(high + margin), max(last, 1)

    def x(self, trial: float) -> float:
        """Pixels from the left."""
        return LEFT + (WIDTH - LEFT - RIGHT) * trial / self.last

    def y(self, score: float) -> float:
        """Pixels from the top; a larger score is higher."""
        part = (self.high / 2 - score / 2) / (
            self.high / 2 - self.low / 2
        )  # halves, whose difference is finite
        return TOP + (HEIGHT - TOP - BOTTOM) * part

    def ticks(self, amount: int = 5) -> list[float]:
        """Scores at even distances."""
        parts = [(i + 0.5) / amount for i in range(amount)]
        return [self.low * (1 - part) + self.high * part for part in parts]


def escape(text: str) -> str:
    """Text as XML may hold it."""
    return escape_html(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def render(page: Page) -> bytes:
    """The picture of a run. Errors have no score and so no dot."""
    shown = [t for t in page.state.history if t.decision and t.decision.score is not None]
    body = chart(page, shown) if shown else ['<text x="40" y="80">There is no score to show yet.</text>']
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title(page))}">'
    frame = [head, f"<style>{STYLE}</style>", f'<rect class="bg" width="{WIDTH}" height="{HEIGHT}"/>']
    heading = f'<text class="title" x="{LEFT}" y="24">{escape(title(page))}</text>'
    return "\n".join([*frame, heading, *body, "</svg>", ""]).encode()


def title(page: Page) -> str:
    """What the picture shows."""
    unit = f" ({page.state.unit})" if page.state.unit else ""
    name = page.mission.metric_name or "score"
    return f"{name}{unit}, {page.mission.direction} is better: {count(page.state.used, 'trial')}"


def chart(page: Page, shown: list[Trial]) -> list[str]:
    """Grid, dots, steps and labels."""
    axes = Axes(page.state.history[-1].number, [score(trial) for trial in shown])
    kept = [trial for trial in shown if trial.outcome in ("keep", "baseline")]
    early, newest = shown[:-MANY], shown[-MANY:]
    parts = [*grid(axes), crowd(axes, early), *dots(axes, newest), steps(axes, kept), *labels(axes, kept)]
    return [part for part in parts if part]


def score(trial: Trial) -> float:
    """The score of a trial that has one."""
    assert trial.decision is not None
    assert trial.decision.score is not None
    return trial.decision.score


def grid(axes: Axes) -> list[str]:
    """Horizontal lines with their values, and the first and last trial below."""
    lines = []
    for tick in axes.ticks():
        y = f"{axes.y(tick):.1f}"
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{axes.y(tick) + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    bottom = HEIGHT - BOTTOM + 24
    lines.append(f'<text x="{LEFT}" y="{bottom}">baseline</text>')
    lines.append(f'<text x="{WIDTH - RIGHT}" y="{bottom}" text-anchor="end">trial {axes.last}</text>')
    return lines


def crowd(axes: Axes, early: list[Trial]) -> str:
    """The dots of a long run's earlier trials in one path, each pixel once."""
    places = dict.fromkeys((round(axes.x(trial.number)), round(axes.y(score(trial)))) for trial in early)
    return f'<path class="crowd" d="{"".join(f"M{x},{y}h0" for x, y in places)}"/>' if places else ""


def dots(axes: Axes, shown: list[Trial]) -> list[str]:
    """One dot a trial with a score; its words appear on pointing at it."""
    found = []
    for trial in shown:
        kind = "keep" if trial.outcome in ("keep", "baseline") else "discard"
        what = clip(trial.description or "no description", TITLE)
        said = escape(f"trial {trial.number}: {what}: {number(score(trial))}")
        place = f'cx="{axes.x(trial.number):.1f}" cy="{axes.y(score(trial)):.1f}"'
        found.append(
            f'<circle class="{kind}" {place} r="{5 if kind == "keep" else 3.5}"><title>{said}</title></circle>'
        )
    return found


def steps(axes: Axes, kept: list[Trial]) -> str:
    """The kept score over the trials, as a step line."""
    if not kept:
        return ""
    path = [f"M{axes.x(kept[0].number):.1f},{axes.y(score(kept[0])):.1f}"]
    path += [f"H{axes.x(trial.number):.1f}V{axes.y(score(trial)):.1f}" for trial in kept[1:]]
    path.append(f"H{axes.x(axes.last):.1f}")
    return f'<path class="best" d="{"".join(path)}"/>'


def labels(axes: Axes, kept: list[Trial]) -> list[str]:
    """What was kept, beside its dot; the newest dozen, so that a long night stays readable."""
    found = []
    for trial in kept[1:][-12:]:
        x, right = axes.x(trial.number), axes.x(trial.number) > WIDTH * 0.62
        anchor = f'text-anchor="{"end" if right else "start"}"'
        place = f'x="{x - 8 if right else x + 8:.1f}" y="{axes.y(score(trial)) - 7:.1f}"'
        found.append(f'<text class="label" {place} {anchor}>{escape(trial.description[:LABEL])}</text>')
    return found
