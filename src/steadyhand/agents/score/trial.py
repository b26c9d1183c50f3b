"""One task tried in one way: what the model was sent, what it replied, and what the files were afterwards.

Each trial has a directory of its own, outside the repository, which is thrown away. A try that was refused may be
corrected once: the model gets the refusal as it gets it anywhere. The score counts the first try; the final result is
reported beside it. If the model gives no reply there is no result: the trial stays open and is repeated when the run is
resumed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from steadyhand.agents.model import Model, Reply, Tokens, ToolCall
from steadyhand.agents.runner import Ended, KitToolbox, Limits, ModelConversation, Stop
from steadyhand.agents.score.grade import GOOD, OUTCOMES, Outcome, grade
from steadyhand.agents.score.task import MOST_BYTES, Task
from steadyhand.agents.score.ways import Way, instructions_of, opening_of
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.schema import bad_request
from steadyhand.tools.framework_calls import Made
from steadyhand.tools.kit import Kit
from steadyhand.tools.result import failure
from steadyhand.tools.tool import Settings
from steadyhand.tools.workspace import Workspace
from steadyhand.workspace.machine import read_tree, scratch_tree

_TRIES = 2
_TURNS, _CALLS = 8, 16  # of a conversation with tools
_NO_RESULT = ("model", "time", "tokens")  # ends of a conversation that say nothing of the model's editing
_AGAIN = "The reply was refused and nothing was changed:\n\n{refusal}\n\nSend the whole reply again, corrected."


@dataclass(frozen=True, slots=True)
class Trial:
    """How one trial ended. `first` is how its first try came out, `end` how it was left; `kind` says why not."""

    task: str
    type: str
    way: str
    first: Outcome
    end: Outcome
    kind: str | None = None
    tries: int = 1
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    is_cut: bool = False

    @property
    def is_good(self) -> bool:
        return self.first in GOOD

    def to_json(self) -> dict[str, object]:
        return {
            "task": self.task,
            "type": self.type,
            "way": self.way,
            "first": self.first,
            "end": self.end,
            "kind": self.kind,
            "tries": self.tries,
            "tokens": self.tokens.to_json(),
            "seconds": round(self.seconds, 3),
            **({"cut": True} if self.is_cut else {}),
        }

    @classmethod
    def of_json(cls, facts: Mapping[str, object]) -> Trial | None:
        """A trial as it was written; None where it is none."""
        tokens = facts.get("tokens")
        counts = tokens if isinstance(tokens, Mapping) else {}
        names = [facts.get(name) for name in ("task", "type", "way", "first", "end")]
        numbers = [counts.get("input"), counts.get("output"), facts.get("tries"), facts.get("seconds")]
        if not all(isinstance(each, str) for each in names) or not {names[3], names[4]} <= set(OUTCOMES):
            return None
        if not all(isinstance(each, int | float) and not isinstance(each, bool) and each >= 0 for each in numbers):
            return None
        task, type_name, way, first, end = cast("list[str]", names)
        kind = facts.get("kind")
        given, got, tries, seconds = cast("list[int]", numbers)
        return cls(
            task, type_name, way, cast("Outcome", first), cast("Outcome", end), kind if isinstance(kind, str) else None,
            int(tries), Tokens(int(given), int(got)), float(seconds), facts.get("cut") is True,
        )  # fmt: skip


class Unanswered(Exception):
    """The model gave no reply, or there was nothing left to pay it with. `tokens` is what was paid until then."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended.error)
        self.stop: Stop = ended.stop
        self.message = str(ended.error)
        self.tokens = ended.tokens


async def hold_trial(model: Model, task: Task, way: Way, limits: Limits) -> Trial:
    """One trial. Raises `Unanswered`."""
    with scratch_tree(task.before) as folder, Workspace(folder, actor="score", protect="none") as workspace:
        held = _in_dialect if way.kind == "dialect" else _with_tools
        return await held(model, task, way, limits, workspace)


async def _in_dialect(model: Model, task: Task, way: Way, limits: Limits, workspace: Workspace) -> Trial:
    clock = asyncio.get_running_loop().time
    begun = clock()
    conversation = ModelConversation(model, _NoTools(), instructions_of(way), limits=replace(limits, turns=_TRIES))
    path = task.files[0].path if len(task.files) == 1 else None
    said, first, kind, end, is_cut = opening_of(task, way), None, None, None, False
    tries = 0
    while tries < _TRIES and conversation.ended.is_done:
        ended = await conversation.say(said)
        if ended.stop in _NO_RESULT:
            raise Unanswered(ended)
        tries += 1
        reply = conversation.messages[-1]
        text = reply.text if isinstance(reply, Reply) else ""
        is_cut = is_cut or (isinstance(reply, Reply) and reply.is_cut)
        refusal = _applied(workspace, text, way, path)
        end = _graded(task, workspace, refusal)
        if first is None:
            first, kind = end, None if refusal is None else str(refusal.kind)
        if refusal is None:
            break
        hint = f"\n{refusal.hint}" if refusal.hint else ""
        said = _AGAIN.format(refusal=f"{refusal.message}{hint}")
    assert first is not None
    assert end is not None
    tokens = conversation.ended.tokens
    return Trial(task.id, task.type, way.name, first, end, kind, tries, tokens, clock() - begun, is_cut)


def _applied(workspace: Workspace, reply: str, way: Way, path: str | None) -> EditError | None:
    """Apply a reply; why it was refused."""
    try:
        workspace.patch(reply, format=str(way.format), path=path, overwrite=True)
    except EditError as error:
        return error
    return None


def _graded(task: Task, workspace: Workspace, refusal: EditError | None) -> Outcome:
    is_unparsable = refusal is None or refusal.kind is Kind.MALFORMED_PATCH
    return grade(task, read_tree(workspace.root, 4 * MOST_BYTES), unparsable=is_unparsable)


async def _with_tools(model: Model, task: Task, way: Way, limits: Limits, workspace: Workspace) -> Trial:
    """A conversation; its first try is good where nothing was refused on the way to a good end."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    refused: list[Made] = []
    writes: list[Made] = []
    cut: list[bool] = []

    def watch(step: object) -> None:
        if isinstance(step, Made):
            (refused if step.failed else writes if step.records else []).append(step)
        elif isinstance(step, Reply):
            cut.append(step.is_cut)

    kit = Kit(workspace, way.name, Settings(model=model.name, overwrite=True))
    conversation = ModelConversation(
        model, KitToolbox(kit), instructions_of(way, kit.prompt()), watch=watch,
        limits=replace(limits, turns=min(limits.turns, _TURNS), calls=min(limits.calls, _CALLS)),
    )  # fmt: skip
    ended = await conversation.say(opening_of(task, way))
    if ended.stop in _NO_RESULT:
        raise Unanswered(ended)
    end = grade(task, read_tree(workspace.root, 4 * MOST_BYTES), unparsable=not refused and not writes)
    first: Outcome = "refused" if refused else end
    kind = next((str(made.kind) for made in refused if made.kind is not None), None)
    return Trial(
        task.id, task.type, way.name, first, end, kind, 1 + len(refused), ended.tokens, clock() - begun, any(cut)
    )


class _NoTools:
    """For a conversation in text alone."""

    is_over = False

    def offered(self) -> tuple[()]:
        return ()

    async def make(self, call: ToolCall) -> Made:
        """A call of a tool that was not offered is a reply without an edit."""
        return Made.of(call.name[:80], failure(bad_request("tool", "there are no tools here", "reply with text")))

    async def feedback(self) -> None:
        """Nobody reviews a trial."""
