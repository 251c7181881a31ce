"""What a person does with a run from outside: `jumar steer` and `jumar extend`."""

from __future__ import annotations

import os
import time

import msgspec

from jumar.cli import console, place
from jumar.cli.driving import seconds
from jumar.cli.running import run_mission
from jumar.compose import Opening
from jumar.core.mission import Mission
from jumar.core.records import may_continue
from jumar.core.secrets import Scrubber, secret_values
from jumar.core.stopping import stop_reason
from jumar.core.text import strip_controls
from jumar.errors import RefusedError, UsageError
from jumar.mission.limits import outside
from jumar.runs import RunFolder
from jumar.workspace.settings import write_whole

MOST = 4000  # characters of a hint: a brief is read anew for every trial


def steer_run(folder: RunFolder, hint: str, *, as_json: bool) -> int:
    """Leave the words where the run looks for them between two trials."""
    words = Scrubber(secret_values(os.environ)).scrub(strip_controls(hint)).strip()
    if len(words) > MOST:
        raise UsageError(
            f"The hint has {len(words)} characters; a brief takes {MOST}.",
            hint="Put what is long into a file, and name the file in the hint.",
        )
    state = folder.read_state()
    if state.ended and not may_continue(state, None):
        raise RefusedError(
            f"{folder.id} is over: {state.ended.message}", hint="Start another run with `jumar run --fresh`."
        )
    write_whole(folder.hints / str(time.time_ns()), words.encode())
    ended = " once it goes on, for instance by `jumar extend`" if state.ended else ""
    console.say(
        f"{folder.id} {'tells its makers' if words else 'forgets the hint'} from the next trial on{ended}."
    )
    if as_json:
        console.give_json({"run": folder.id, "hint": words})
    return 0


def extend_run(folder: RunFolder, iterations: int | None, more: str | None, *, as_json: bool) -> int:
    """The same run with a larger budget, to its end."""
    if iterations is None and more is None:
        raise UsageError("Nothing says how much more.", hint="Give --iterations N, --time 2h, or both.")
    mission = enlarged(folder.read_manifest().mission, iterations, more)
    state = folder.read_state()
    reason = stop_reason(state, mission, time.time()) if state.ended else None
    if not may_continue(state, reason):
        why = (reason or state.ended).message if state.ended else ""
        raise RefusedError(
            f"{folder.id} would not go on: {why}",
            hint="Raise the budget that is used up, or start another run with `jumar run --fresh`.",
        )
    opening = Opening(run=folder.id)
    return run_mission(mission, place.repository(), as_json=as_json, opening=opening)


def enlarged(mission: Mission, iterations: int | None, more: str | None) -> Mission:
    """The mission with more of what is limited. Raises UsageError for a budget without a limit."""
    given = {"iterations": iterations, "time": None if more is None else seconds("--time", more)}
    changes = {}
    for name, amount in given.items():
        if amount is not None:
            if (limit := getattr(mission, name)) is None:
                raise UsageError(f"The run has no limit on {name}.", hint=f"Leave --{name} out.")
            changes[name] = limit + amount
            if words := outside(mission.style.limits, name, changes[name]):
                raise UsageError(
                    f"The run would have {changes[name]:g} as its {name}, and its style takes {words}.",
                    hint=f"Lower --{name}.",
                )
    return msgspec.structs.replace(mission, **changes)
