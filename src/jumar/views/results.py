"""The table of results that karpathy/autoresearch keeps: five columns with tabs between."""

from __future__ import annotations

from jumar.core.model import Trial
from jumar.core.views import Page

MEMORY = "peak_vram_mb"
STATUS = {"baseline": "keep", "keep": "keep", "discard": "discard", "error": "crash"}


def render(page: Page) -> bytes:
    """A row for each trial that left an edit, the baseline first. What has no score prints zeros, here and nowhere else."""
    head = ("commit", page.mission.metric_name or "score", "memory_gb", "status", "description")
    rows = [row(trial) for trial in page.state.history if told(trial)]
    return "".join("\t".join(cells) + "\n" for cells in [head, *rows]).encode()


def told(trial: Trial) -> bool:
    """Whether a trial is a row: something was there to be judged."""
    return trial.outcome in STATUS and (trial.kind == "baseline" or bool(trial.change or trial.refusal))


def row(trial: Trial) -> tuple[str, ...]:
    """One trial."""
    score = trial.decision.score if trial.decision else None
    commit = trial.change.commit if trial.change else trial.parent if trial.kind == "baseline" else "-"
    status = STATUS[trial.outcome or "error"]
    said = trial.description or (" ".join(trial.decision.sentence.split()) if trial.decision else "")
    return (
        commit[:7],
        f"{score or 0.0:.6f}",
        f"{memory(trial) if score is not None else 0.0:.1f}",
        status,
        said,
    )


def memory(trial: Trial) -> float:
    """The peak of the first run that tells it, in GB; 0 where none does."""
    return next((run.metrics[MEMORY] / 1024 for run in trial.runs() if MEMORY in run.metrics), 0.0)
