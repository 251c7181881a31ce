"""The evaluator that runs a shell command and reads its output, and the guards beside it.

A command that fails gives no score, whatever it printed before: a result line from a failed run may be half a
result. That holds for `{"pass": false}` too, which is an answer, and is printed with exit code 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import msgspec

from jumar.core.mission import Mission
from jumar.core.model import Job, Measurement
from jumar.core.scoring import Format, Parser, line_limit, read_result_file, reader
from jumar.core.text import clip
from jumar.errors import InterruptedRun
from jumar.evaluators.failures import Attempt, failed, reason, sentence
from jumar.evaluators.pointers import Surroundings, explain_blindness
from jumar.evaluators.scratch import Scratch, scratch
from jumar.process import Command, Exit, Limits, Supervisor
from jumar.process.output import last_lines

WORDS = 2048
RESULT_FILE = 1_000_001  # one byte more than is accepted, so that too much is seen
UNTRUSTED = (
    "It had printed a result before, but a failed run's result is not trusted: "
    'print the result and end with exit code 0, for `"pass": false` too.'
)
_LOGS = {"score": "evaluation", "guard": "guard"}


class ShellEvaluator:
    """Runs the mission's command, or a guard's, in a tree.

    `run` is the run's folder, where the logs go; `checkout` the root of the user's repository, which is only looked at;
    `environment` the user's own; `scrub` takes secrets out of text.
    """

    def __init__(
        self,
        mission: Mission,
        supervisor: Supervisor,
        run: Path,
        *,
        checkout: Path,
        environment: Mapping[str, str],
        scrub: Callable[[str], str],
    ) -> None:
        self.mission = mission
        self.supervisor = supervisor
        self.run = run
        self.checkout = checkout
        self.environment = environment
        self.scrub = scrub
        self.format = format_of(mission)
        self.limits = Limits(timeout=mission.timeout, memory=mission.memory)

    def evaluate(self, job: Job, tree: Path) -> Measurement:
        """Measure `tree`, the root of a tree at the job's commit. Raises InterruptedRun when a stop ended the command."""
        if job.role == "guard":
            return self._guard(job, tree)
        measurement = self._measure(job, tree, log_path(self.run, job))
        if job.role == "probe":
            around = Surroundings(self.checkout, self.mission.folder, tree, self.environment)
            notes = explain_blindness(
                self.mission.metric, self.mission.file, tuple(self.mission.carry), around
            )
            measurement = msgspec.structs.replace(measurement, notes=self.scrub(notes))
        return measurement

    def rehearse(self, job: Job, tree: Path) -> Measurement:
        """Measure a tree that is no part of the run, with a log of its own."""
        return self._measure(job, tree, log_path(self.run, job).with_name("checkout.log"))

    def _measure(self, job: Job, tree: Path, log: Path) -> Measurement:
        if self.format.parser == "file":
            return self._measure_file(job, tree, log)
        read = reader(self.format)
        limit = line_limit(self.format)
        with scratch() as own:
            attempt, end = self._start(
                job, self.mission.metric, tree, log, own, lambda line: read.feed(clip(line, limit))
            )
        return self._conclude(attempt, end, read.result())

    def _measure_file(self, job: Job, tree: Path, log: Path) -> Measurement:
        with scratch() as own:
            attempt, end = self._start(job, self.mission.metric, tree, log, own, None)
            text = own.read(RESULT_FILE)
        return self._conclude(
            attempt, end, NOT_WRITTEN if text is None else read_result_file(text, self.format)
        )

    def _guard(self, job: Job, tree: Path) -> Measurement:
        with scratch() as own:
            attempt, end = self._start(job, job.command, tree, log_path(self.run, job), own, None)
        if not failed(end):
            return Measurement(exit_code=end.code, usage=end.usage, warnings=end.warnings)
        return Measurement(
            passed=False,
            message=self.scrub(sentence(attempt, end)),
            exit_code=end.code,
            words=self._words(end),
            warnings=end.warnings,
            usage=end.usage,
        )

    def _start(
        self,
        job: Job,
        command: str,
        tree: Path,
        log: Path,
        own: Scratch,
        on_line: Callable[[str], None] | None,
    ) -> tuple[Attempt, Exit]:
        root = tree.resolve()
        cwd = root / self.mission.folder
        env = own.environment(self.environment, job, root, cwd, file=self.format.parser == "file")
        end = self.supervisor.run(Command(command, cwd, env), self.limits, log, on_line)
        if end.ended == "stopped":
            raise InterruptedRun(
                f"The run was interrupted while `{clip(self.scrub(command), 200)}` was running."
            )
        untouched = job.trial == 0 or job.side == "incumbent"
        # Scrubbed before it is cut to length: half a secret is not recognised any more.
        return Attempt(self.scrub(command), cwd, self.limits, untouched), end

    def _words(self, end: Exit) -> str:
        """The last lines of the output, scrubbed: 2 KB, or as many lines as the style says."""
        lines = self.mission.style.crash_lines
        if lines is None:
            return last_lines(end.tail, WORDS)[0].rstrip()
        return "\n".join(end.tail.rstrip().split("\n")[-lines:])

    def _conclude(self, attempt: Attempt, end: Exit, read: Measurement) -> Measurement:
        """The reading if the command ended well, its failure otherwise; secrets taken out of either."""
        if failed(end):
            message = sentence(attempt, end)
            if read.error is None:
                message = f"{message.rstrip('.')}. {UNTRUSTED}"
            read = Measurement(passed=False, error=reason(attempt, end), message=message)
        wrong = read.error is not None or not read.passed
        return msgspec.structs.replace(
            read,
            message=self.scrub(read.message),
            matched=self.scrub(read.matched),
            notes=self.scrub(read.notes),
            warnings=(*map(self.scrub, read.warnings), *end.warnings),
            words=self._words(end) if wrong else "",
            exit_code=end.code,
            usage=end.usage,
        )


NOT_WRITTEN = Measurement(
    passed=False,
    error="no_output",
    message="The evaluator did not write the file that the variable JUMAR_RESULT names. "
    'Write one JSON object there, such as `{"score": 12.5}`, or choose another `parser`.',
)


def format_of(mission: Mission) -> Format:
    """How a mission's score is read. Where the whole output is one object (document 003), `score` is optional."""
    return Format(
        parser=cast(Parser, mission.parser),
        name=mission.metric_name,
        pattern=mission.pattern,
        unit=mission.unit,
        score_required=mission.parser != "whole_json" and mission.policy != "pass_only",
    )


def log_path(run: Path, job: Job) -> Path:
    """Where an evaluation's output is kept: `trials/0007/evaluation-1.log`, from 1 for each role and side."""
    if job.role == "probe":
        name = "probe"
    else:
        side = "incumbent-" if job.side == "incumbent" else ""
        name = f"{_LOGS[job.role]}-{side}{job.sample + 1}"
    mended = f"rework-{job.rework}-" if job.rework else ""
    return run / "trials" / f"{job.trial:04d}" / f"{mended}{name}.log"
