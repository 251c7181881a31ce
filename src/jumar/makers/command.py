"""The `command:` maker: any program that edits the worktree.

It is given the brief as Markdown and as JSON, and may write a proposal. Exit code 0 means that an edit was left, or
nothing; any other exit means that the maker failed and its edit does not count, unless its proposal names a `status`.
"""

from __future__ import annotations

import filecmp
import os
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from jumar.core.model import Brief, Proposal
from jumar.core.text import clip
from jumar.core.words import duration
from jumar.errors import InterruptedRun
from jumar.makers.papers import Papers, Said, read_proposal
from jumar.process import Command, Exit, Limits, Supervisor, child_environment
from jumar.process.output import last_lines

WORDS = 2048
# What an outer jumar set for us means nothing to our own children.
_NOT_INHERITED = {"JUMAR_SEED", "JUMAR_SAMPLE", "JUMAR_RESULT"}
_FIRST_WORDS = re.compile(r"(\s*(?:[A-Za-z_]\w*=[^\s'\"$`\\]*\s+)*)([\w./+@%:~-]+)(?:(\s+)([\w./+@%:-]+))?")
_INTERPRETER = re.compile(
    r"(?:.*/)?(?:python[\d.]*|node|deno|bun|ruby|perl|php|Rscript|julia|sh|bash|dash|zsh)"
)


class CommandMaker:
    """Runs a shell command in the worktree, in the subfolder that jumar was started in.

    `run` is the run's folder; `start` the folder of the user's checkout in which jumar was started; `environment` the user's
    own; `scrub` takes secrets out of text; `timeout` is in seconds.
    """

    def __init__(
        self,
        command: str,
        supervisor: Supervisor,
        run: Path,
        *,
        start: Path,
        environment: Mapping[str, str],
        scrub: Callable[[str], str],
        timeout: float | None = None,
    ) -> None:
        self.command = command
        self.supervisor = supervisor
        self.run = run
        self.start = start
        self.environment = environment
        self.scrub = scrub
        self.limits = Limits(timeout=timeout)

    def propose(self, brief: Brief, tree: Path) -> Proposal:
        """Run the command once. A failure is a proposal `failed` with the maker's words; raises InterruptedRun at a stop."""
        papers = Papers(self.run / "trials" / f"{brief.trial:04d}")
        papers.lay_out(brief, self.scrub)
        cwd = tree.resolve() / brief.folder
        command = Command(resolve(self.command, self.start, cwd), cwd, self._environment(brief, papers, cwd))
        end = self.supervisor.run(command, self.limits, papers.log)
        if end.ended == "stopped":
            raise InterruptedRun(f"The run was interrupted while the maker `{self._name()}` was running.")
        said = read_proposal(papers.proposal, self.scrub)
        return msgspec.structs.replace(self._judge(end, said), usage=end.usage)

    def _judge(self, end: Exit, said: Said) -> Proposal:
        """The proposal, with the maker's last words for whoever has to say what is wrong."""
        output = last_lines(end.tail, WORDS)[0].strip()
        if said.problem:
            return failure(f"Its proposal was refused: {said.problem}", output)
        ended_well = end.ended == "exit" and end.code == 0
        if not ended_well and not (end.ended == "exit" and said.names_status):
            return failure(self._ending(end), output)
        proposal = said.proposal
        own = (
            (proposal.notes or proposal.summary or proposal.diagnosis or "")
            if proposal.status != "candidate"
            else ""
        )
        words = "\n".join(filter(None, [own or output, *said.warnings, *end.warnings]))
        return msgspec.structs.replace(proposal, words=words)

    def _ending(self, end: Exit) -> str:
        if end.ended == "timeout":
            limit = duration(self.limits.timeout or 0.0)
            return f"It was still running after {limit}, its limit (`maker_timeout`), and was ended."
        how = f"exit code {end.code}" if end.signal is None else f"signal {end.signal}"
        return f"`{self._name()}` ended with {how}."

    def _name(self) -> str:
        # Scrubbed before it is cut to length: half a secret is not recognised any more.
        return clip(self.scrub(self.command), 200)

    def _environment(self, brief: Brief, papers: Papers, cwd: Path) -> dict[str, str]:
        base = {name: value for name, value in self.environment.items() if name not in _NOT_INHERITED}
        return child_environment(
            base,
            {
                "JUMAR_BRIEF": str(papers.markdown),
                "JUMAR_BRIEF_JSON": str(papers.json),
                "JUMAR_PROPOSAL": str(papers.proposal),
                "JUMAR_TRIAL": str(brief.trial),
                "JUMAR_RUN": brief.run,
                "PWD": str(cwd),
            },
        )


def failure(why: str, output: str) -> Proposal:
    """A maker that could not do its part: why, and what it said itself."""
    said = f"Its last words:\n{output}" if output else "It printed nothing."
    return Proposal(status="failed", words=f"{why} {said}")


def resolve(command: str, start: Path, cwd: Path) -> str:
    """`command` with the program that the user sees: the one of the folder in which jumar was started.

    A relative program, or the script that a known interpreter is given, is taken from the worktree only where that
    has the same bytes. It may be absent there, since git does not carry it, or have been edited by the maker itself.
    """
    match = _FIRST_WORDS.match(command)
    if match is None:
        return command
    before, program, space, script = match[1], match[2], match[3], match[4]
    rest = command[match.end() :]
    if rest[:1] not in ("", " ", "\t", "\n", ";", "&", "|", ">", "<"):
        return command  # the word goes on with quotes or an expansion, which only the shell can read
    if os.sep in program:
        program = _seen(program, start, cwd)
    if script is not None and _INTERPRETER.fullmatch(match[2]):
        script = _seen(script, start, cwd)
    return f"{before}{program}{space or ''}{script or ''}{rest}"


def _seen(word: str, start: Path, cwd: Path) -> str:
    ours, theirs = start / word, cwd / word
    if Path(word).is_absolute() or not ours.is_file():
        return word
    same = theirs.is_file() and filecmp.cmp(ours, theirs, shallow=False)
    return word if same else shlex.quote(str(ours.resolve().parent / ours.name))
