"""The keys of a mission, one row each: what a file may say, and the options that say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jumar.core.mission import Gain
from jumar.mission import values as v
from jumar.mission.nodes import Text, Where
from jumar.mission.problems import WrongError
from jumar.mission.values import Reader

Content = Literal["", "prose", "command", "path", "name"]  # what a placeholder looks like in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    `default` is the value where it is not given, as its reader would give it; a `required` key has none. `many`
    repeats the flag; `toggle` is `--probe/--no-probe`; `choices` are the words it takes now. `later` is a key whose
    feature does not exist yet: only its default may be given. `content` says what a placeholder looks like in it.
    """

    name: str
    group: str
    doc: str
    read: Reader
    default: object = None
    many: bool = False
    toggle: bool = False
    required: bool = False
    later: bool = False
    choices: tuple[str, ...] = ()
    content: Content = ""

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def expects(self) -> str:
        """What one value of it is, in the words of its own errors."""
        try:
            self.read(Text("?", Where(self.flag), quoted=True))
        except WrongError as error:
            return error.expected
        return "text"


@dataclass(frozen=True, slots=True)
class Option:
    """One command-line option, for whoever builds a command.

    `parameter` is its name in the flags that the loader takes, `declaration` such as `--probe/--no-probe`.
    Every value but a yes or no is text, a list of texts where `many`; None (or an empty list) is "not given".
    """

    parameter: str
    declaration: str
    help: str
    group: str
    kind: Literal["text", "list", "bool"]
    hidden: bool
    expects: str = ""


def _choice(
    name: str,
    group: str,
    doc: str,
    words: str,
    *,
    default: object = None,
    later: str = "",
    required: bool = False,
    also: dict[str, str] | None = None,
) -> Key:
    names = tuple(words.split())
    reader = v.choice(*names, later=tuple(later.split()), also=also)
    return Key(
        name=name, group=group, doc=doc, read=reader, default=default, choices=names, required=required
    )


def _toggle(name: str, group: str, doc: str, *, default: bool, later: bool = False) -> Key:
    return Key(name=name, group=group, doc=doc, read=v.boolean, default=default, toggle=True, later=later)


def _list(name: str, group: str, doc: str, content: Content, *, required: bool = False) -> Key:
    default = None if required else ()
    return Key(
        name=name,
        group=group,
        doc=doc,
        read=v.many(v.text),
        default=default,
        many=True,
        required=required,
        content=content,
    )


def _later(
    name: str, doc: str, default: object = None, read: Reader | None = None, *, many: bool = False
) -> Key:
    reader = read or (v.many(v.text) if many else v.none_or(v.text))
    return Key(
        name=name, group=LATER, doc=doc, read=reader, default=() if many else default, many=many, later=True
    )


WHAT, MEASURE, DECIDE, BUDGET, AROUND = (
    "What to improve",
    "How it is measured",
    "What counts as better",
    "Budget",
    "Surroundings",
)
LATER = "Not in this version yet"
IS_BETTER = {f"{word}_is_better": word for word in ("lower", "higher")}
PARSERS = "named single pattern last_number lines last_json_line whole_json file"

ROWS: tuple[Key, ...] = (
    Key(name="goal", group=WHAT, doc="What the run is for, in a sentence.", read=v.text, default="", content="prose"),
    Key(name="style", group=WHAT, doc="A set of rules and defaults, by name.", read=v.word, default="plain", content="name"),
    _list("file", WHAT, "What may be edited: a path or glob.", "path", required=True),
    _list("protect", WHAT, "What must not be edited, pinned by content: a path or glob.", "path"),
    Key(
        name="protect_lines", group=WHAT, doc="Lines that must survive as they are, moved or not: a regular expression, matched at a word's start.",
        read=v.many(v.expression), default=(), many=True,
    ),
    Key(
        name="maker", group=WHAT, doc="Who proposes changes: tune, or command:CMD.", read=v.many(v.maker), default=("tune",),
        many=True, content="command",
    ),
    Key(
        name="metric", group=MEASURE, doc="The shell command that prints the score.", read=v.text, required=True,
        content="command",
    ),
    Key(name="metric_name", group=MEASURE, doc="The word before the score: ms reads `ms: 12.3`.", read=v.text, content="name"),
    Key(name="pattern", group=MEASURE, doc="A regular expression whose one group is the score.", read=v.text),
    _choice("direction", MEASURE, "Whether a lower or a higher score is better.", "lower higher", required=True, also=IS_BETTER),
    Key(name="unit", group=MEASURE, doc="The score's unit; otherwise read beside the number.", read=v.word, content="name"),
    _choice("parser", MEASURE, "How the score is read; follows from metric_name and pattern where not given.", PARSERS),
    _choice(
        "evaluator", MEASURE, "How the metric's output is judged.", "shell contract", default="shell", later="checklist rubric"
    ),
    _list("guard", MEASURE, "A command that must exit with 0, or the change is reverted.", "command"),
    Key(name="rework", group=MEASURE, doc="How often its maker may mend a change that fails a guard, within one trial.", read=v.whole(0, maximum=100), default=0),
    Key(name="timeout", group=MEASURE, doc="The time limit of one evaluation.", read=v.duration, default=600.0),
    Key(name="memory", group=MEASURE, doc="The memory limit of one evaluation, or none.", read=v.none_or(v.size)),
    _toggle("probe", MEASURE, "Refuse to start when the evaluator does not read the target.", default=True),
    _toggle("allow_failing_baseline", MEASURE, "Start although the evaluator fails the base.", default=False),
    _choice(
        "keep", DECIDE, "Which changes are kept, in the words of the styles.", "style evaluator_pass score_improvement pass_only",
        default="style",
    ),
    _choice("policy", DECIDE, "The rule that decides.", "default strict pass two_sigma simplicity", default="default"),
    Key(name="repeats", group=DECIDE, doc="Evaluations of each change.", read=v.whole(1, maximum=1000), default=1),
    Key(name="min_gain", group=DECIDE, doc="The smallest gain that counts: absolute, or a share such as 2%.", read=v.gain, default=Gain()),
    _choice("on_tie", DECIDE, "What happens to an equal score.", "revert keep_smaller", default="revert"),
    Key(
        name="max_change", group=DECIDE, doc="The largest change that is measured at all: lines, or a share of the targets' lines such as 50%; or none.",
        read=v.none_or(v.most),
    ),
    Key(
        name="constraint", group=DECIDE, doc="A bound that must hold, or the change is reverted: on a metric, or on size, words, lines of the text.",
        read=v.many(v.constraint), default=(), many=True,
    ),
    Key(
        name="iterations", group=BUDGET, doc="Trials after the baseline, or unlimited; 20 unless another budget is given.",
        read=v.whole(0, none="unlimited"), default=20,
    ),
    Key(name="time", group=BUDGET, doc="Time for the whole run, or none.", read=v.none_or(v.duration)),
    Key(name="target_score", group=BUDGET, doc="A score that ends the run, or none.", read=v.none_or(v.number)),
    Key(name="target_repeats", group=BUDGET, doc="How many times in a row the target must be reached.", read=v.whole(1), default=1),
    _toggle("continue_after_target", BUDGET, "Go on after the target is reached.", default=False),
    Key(name="stagnation", group=BUDGET, doc="Trials in a row without a gain that end the run, or none.", read=v.whole(1, none="none")),
    Key(name="optimum", group=BUDGET, doc="A score that cannot be beaten, or none.", read=v.none_or(v.number)),
    Key(name="maker_timeout", group=BUDGET, doc="The time limit of one proposal.", read=v.duration, default=1800.0),
    Key(
        name="carry", group=AROUND, doc="What git does not carry, as path=copy or path=link.",
        read=v.table(v.choice("copy", "link")), default={}, many=True, content="path",
    ),
    Key(name="setup", group=AROUND, doc="A command that prepares a fresh tree.", read=v.none_or(v.text), content="command"),
    _choice("base", AROUND, "Start from uncommitted content too, or from the last commit.", "working head", default="working"),
    Key(name="seed", group=AROUND, doc="Where all randomness comes from.", read=v.whole(0, maximum=2**32 - 1), default=0),
    _choice("sandbox", AROUND, "Whether programs are contained.", "auto off", default="auto"),
    _later("checks", "The checks of a checklist."),
    _later("fixtures", "The inputs of a checklist.", many=True),
    _later("rubric", "The file with the rubric."),
    _later("judge", "Who judges a text."),
    _later("holdout", "A second evaluator that the maker never sees."),
    _later("evidence", "How much evidence the default policy asks for.", "normal", v.choice("normal", "thorough", "fast")),
    _later("max_tokens", "Tokens for the whole run.", None, v.whole(0, none="none")),
    _later("max_cost", "Money for the whole run, in USD.", None, v.none_or(v.number)),
    _later("wait_max", "How long a usage limit may be waited for.", 21600.0, v.duration),
    _later("lanes", "Trials at the same time.", 1, v.whole(1)),
    _later("executor", "Where evaluations run.", "local", v.word),
    _later("network", "Who may use the network.", {"evaluator": "off", "maker": "on"}, v.switches),
    _later("home", "Whether the home folder can be seen.", "hidden", v.word),
    _later("devices", "Devices that evaluations may use.", many=True),
    _later("scale", "The scale that differences are taken on.", "auto", v.choice("auto", "log", "linear")),
    _later("git", "What the evaluation tree has for .git.", "none", v.choice("none", "snapshot")),
    _later("sandboxed", "A command that runs the code under test in a sandbox of its own."),
    _later("holdout_when", "When the held-out evaluator runs.", "keeps", v.choice("keeps", "end")),
    _toggle("holdout_undo", LATER, "Undo a keep that loses on the held-out evaluator.", default=False, later=True),
    _later("conversation", "An agent's own memory between trials.", "fresh", v.choice("fresh", "continue")),
    _later("overage", "Paid use beyond a plan's window.", "refuse", v.choice("refuse", "allow")),
    _later("examples", "Texts with known scores."),
    _later("tier", "The kind of judge.", None, v.none_or(v.whole(1))),
    _later("hooks", "Whether the pre-commit hook runs on every candidate.", "off", v.choice("off", "run")),
    _later("pressure", "A file whose state pauses or ends the run."),
    _later("notify", "Where news go.", many=True),
)  # fmt: skip

KEYS: dict[str, Key] = {row.name: row for row in ROWS}
SHORTHANDS: dict[str, tuple[str, object]] = {
    "no_sandbox": ("sandbox", "off")
}  # flags that stand for a key with a value


def options() -> tuple[Option, ...]:
    """Every option that the table gives, in its order; `hidden` ones are there to be refused in words."""
    shorthands = (
        Option(
            name,
            "--" + name.replace("_", "-"),
            f"The same as --{key} {value}.",
            KEYS[key].group,
            "bool",
            hidden=False,
        )
        for name, (key, value) in SHORTHANDS.items()
    )
    return (*map(_option, ROWS), *shorthands)


def _option(row: Key) -> Option:
    declaration = f"{row.flag}/--no-{row.flag[2:]}" if row.toggle else row.flag
    choices = f" One of: {', '.join(row.choices)}." if row.choices else ""
    return Option(row.name, declaration, row.doc + choices, row.group, _kind(row), row.later, row.expects)


def _kind(row: Key) -> Literal["text", "list", "bool"]:
    return "bool" if row.toggle else "list" if row.many else "text"
