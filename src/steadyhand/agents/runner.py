"""One conversation of a model with one set of tools: who says what, how long it may last, what it cost.

The loop is ours. A call is made only when the reply that holds it is complete, so a request that failed can be sent
again. A conversation always ends with an `Ended`, never with an exception: a limit was reached, the model cannot be
reached or repeats itself, or the caller has cancelled.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from steadyhand.agents.model import Answered, Message, Model, ModelError, Offered, Reply, Said, Tokens, ToolCall
from steadyhand.agents.text_calls import text_calls
from steadyhand.lazy import dataclass, field, replace
from steadyhand.schema import plain_schema
from steadyhand.session.workspace import Workspace
from steadyhand.tools.file_tools import feedback_of
from steadyhand.tools.framework_calls import Made, make_call_async
from steadyhand.tools.kit import Kit

__all__ = ["Ended", "KitToolbox", "Limits", "ModelConversation", "Stop", "Toolbox", "Watch", "review_message"]

Stop = Literal["done", "turns", "calls", "tokens", "time", "model", "loop"]
Step = Said | Reply | Made | ModelError
Watch = Callable[[Step], None]
"""Gets each step as it happens: what we say, each reply, each call that was made, each try that failed."""

_LONGEST_ANSWER = 60_000  # characters of a tool's answer that the model is sent
_CHARACTERS_A_TOKEN = 4  # where a server counts nothing
_SAME = 2  # times that a call gets the same answer before a note says so; two more times are the last
_LONGEST_WAIT = 60.0

_AS_TEXT = (
    "Your reply had {what} written as text. I carried {it} out this time. From now on make tool calls through the "
    "tool-call interface, not as text."
)
_REVIEWED = (
    "A reviewer has looked at your changes. Rejected changes are already reverted, and amended ones have the "
    "reviewer's text: repeat neither. Answer a comment with a change, or in a sentence. The reviewed changes are "
    "quoted in this JSON:"
)
_CUT = "Your reply was cut off because it was too long. Send a shorter one, such as a call with fewer or shorter edits."


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a conversation may last. `retries` are those of one request, after `pause` seconds, then twice that …"""

    turns: int = 24
    calls: int = 80
    tokens: int = 400_000
    seconds: float = 600.0
    retries: int = 5
    pause: float = 1.0


class Toolbox(Protocol):
    """The tools that a conversation has."""

    def offered(self) -> Sequence[Offered]: ...

    async def make(self, call: ToolCall) -> Made:
        """Make a call; a refusal is an answer too."""

    async def feedback(self) -> str | None:
        """What reviewers have said since this was last asked, as a message; None where that is nothing."""

    @property
    def is_over(self) -> bool:
        """Whether a call has ended the conversation."""


class KitToolbox:
    """All tools of a kit, and nothing else."""

    is_over = False

    def __init__(self, kit: Kit) -> None:
        self.kit = kit

    def offered(self) -> Sequence[Offered]:
        return [Offered(tool.name, tool.summary, plain_schema(tool.parameters)) for tool in self.kit.tools]

    async def make(self, call: ToolCall) -> Made:
        return await make_call_async(self.kit, call.name, call.arguments, spent=call.spent)

    async def feedback(self) -> str | None:
        return await review_message(self.kit.workspace)


async def review_message(workspace: Workspace, path: str | None = None) -> str | None:
    """What reviewers said about a task's changes, as a message to its model; it counts as heard from now on."""
    found = await asyncio.to_thread(feedback_of, workspace, path)
    return f"{_REVIEWED}\n{json.dumps(found, ensure_ascii=False)}" if found else None


@dataclass(slots=True)
class Ended:
    """How a conversation has gone so far. `text` is the model's last word, `error` why it cannot go on."""

    stop: Stop = "done"
    text: str = ""
    error: str | None = None
    turns: int = 0
    calls: int = 0
    as_text: int = 0
    retries: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    usage: dict[str, list[int]] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        return self.stop == "done"

    def tool_usage(self) -> dict[str, object]:
        return {name: {"calls": calls, "refused": refused} for name, (calls, refused) in sorted(self.usage.items())}


class _Stopped(Exception):
    def __init__(self, stop: Stop, message: str) -> None:
        super().__init__(message)
        self.stop: Stop = stop
        self.message = message


class ModelConversation:
    """A conversation that can be gone on with: `say` returns when the model makes no more calls, or cannot go on."""

    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        instructions: str,
        *,
        limits: Limits | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._instructions = _sendable(instructions)
        self._limits = limits or Limits()
        self._watch = watch
        self._same: Counter[tuple[str, str]] = Counter()
        self.messages: list[Message] = []
        self.ended = Ended()
        self._spent: tuple[tuple[int, int] | None, int | None] | None = None  # by the last reply, until a call has it

    async def say(self, text: str) -> Ended:
        """Say something and let the model work until it is done. A conversation that was stopped stays so."""
        if not self.ended.is_done:
            return self.ended
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            async with asyncio.timeout(max(self._limits.seconds - self.ended.seconds, 0.0)):
                self._add(Said(_sendable(text)))
                while await self._turn():
                    pass
        except TimeoutError:
            self._stop("time", f"the conversation took longer than {self._limits.seconds:g} seconds")
        except _Stopped as stopped:
            self._stop(stopped.stop, stopped.message)
        finally:
            self.ended.seconds += clock() - begun
        return self.ended

    def transcript(self) -> list[dict[str, object]]:
        """Everything that was said, as JSON."""
        return [{"role": "system", "text": self._instructions}, *map(_as_json, self.messages)]

    async def _turn(self) -> bool:
        """One request, its reply, and the calls in it; whether there is more to do."""
        limits, ended = self._limits, self.ended
        if ended.turns >= limits.turns:
            raise _Stopped("turns", f"the model was not finished after {limits.turns} turns")
        if ended.tokens.total >= limits.tokens:
            raise _Stopped("tokens", f"the conversation took {ended.tokens.total:,} tokens of {limits.tokens:,}")
        await self._hear()
        tools = self._toolbox.offered()
        clock = asyncio.get_running_loop().time
        begun = clock()
        reply = await self._ask(tools)
        took = round((clock() - begun) * 1_000)
        ended.turns += 1
        paid = reply.tokens or self._estimate(reply)
        ended.tokens += paid
        self._spent = (paid.input, paid.output), took
        ended.text = reply.text.strip() or ended.text
        self._add(reply)
        if reply.calls:
            for call in reply.calls:
                self._add(Answered(call, await self._make(call, reply)))
            return not self._toolbox.is_over
        written = text_calls(reply.text, tools)
        if not written:
            return await self._hear()
        ended.as_text += len(written)
        answers = [await self._make(ToolCall(f"text-{ended.turns}", name, given), reply) for name, given in written]
        one = len(written) == 1
        said = _AS_TEXT.format(what="a tool call" if one else f"{len(written)} tool calls", it="it" if one else "them")
        texts = [f"Answer of {name}:\n{text}" for (name, _), text in zip(written, answers, strict=True)]
        self._add(Said("\n\n".join([said, *texts])))
        return not self._toolbox.is_over

    async def _hear(self) -> bool:
        """Hand on what reviewers have said; whether they have said anything."""
        said = await self._toolbox.feedback()
        if said is not None:
            self._add(Said(_sendable(said)))
        return said is not None

    async def _ask(self, tools: Sequence[Offered]) -> Reply:
        """A reply; a request that failed for a passing reason is sent again after a while."""
        limits = self._limits
        for tried in range(limits.retries + 1):
            try:
                return await self._model.ask(self._instructions, self.messages, tools)
            except ModelError as error:
                self._tell(error)
                if not error.is_passing or tried == limits.retries:
                    after = f" ({tried + 1} tries)" if tried else ""
                    raise _Stopped("model", f"{error.message}{after}") from None
                pause = limits.pause * 2**tried
                wait = min(pause, _LONGEST_WAIT) if error.wait is None else error.wait
                if wait > limits.seconds:
                    raise _Stopped("model", f"{error.message}; it asks to wait {wait:g} seconds") from None
            self.ended.retries += 1
            await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    async def _make(self, call: ToolCall, reply: Reply) -> str:
        """Make a call of a reply; what the model gets as its answer."""
        ended = self.ended
        if ended.calls >= self._limits.calls:
            raise _Stopped("calls", f"the model made {ended.calls} calls and wanted to make more")
        if self._toolbox.is_over:
            return "not carried out: the conversation has ended"
        spent, self._spent = self._spent, None
        made = await self._toolbox.make(replace(call, spent=spent))
        ended.calls += 1
        counts = ended.usage.setdefault(made.tool, [0, 0])
        counts[0] += 1
        counts[1] += made.failed
        self._tell(made)
        answer = self._checked(call, made.text)
        return f"{answer}\n\n{_CUT}" if reply.is_cut and made.failed else answer

    def _checked(self, call: ToolCall, text: str) -> str:
        """An answer as it is sent: no longer than a model can use, and with a word to one that repeats itself."""
        key = f"{call.name} {json.dumps(call.arguments, default=str)}", text
        self._same[key] += 1
        if self._same[key] >= _SAME + 2:
            raise _Stopped("loop", f"the model made the same call of {call.name} {self._same[key]} times")
        if len(text) > _LONGEST_ANSWER:
            text = f"{text[:_LONGEST_ANSWER]}\n[cut off after {_LONGEST_ANSWER:,} of {len(text):,} characters]"
        if self._same[key] >= _SAME:
            text += f"\n\nYou made this call {self._same[key]} times, and the answer was the same. Do something else."
        return text

    def _estimate(self, reply: Reply) -> Tokens:
        size = sum(len(json.dumps(_as_json(message), default=str)) for message in self.messages)
        out = len(json.dumps(_as_json(reply), default=str))
        return Tokens((size + len(self._instructions)) // _CHARACTERS_A_TOKEN, out // _CHARACTERS_A_TOKEN)

    def _add(self, message: Message) -> None:
        self.messages.append(message)
        if not isinstance(message, Answered):
            self._tell(message)

    def _tell(self, step: Step) -> None:
        if self._watch is not None:
            self._watch(step)

    def _stop(self, stop: Stop, message: str) -> None:
        self.ended.stop, self.ended.error = stop, message


def _sendable(text: str) -> str:
    """A text without what no request can hold: bytes of a file that are no text."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _as_json(message: Message) -> dict[str, object]:
    match message:
        case Said():
            return {"role": "user", "text": message.text}
        case Answered():
            return {"role": "tool", "tool": message.call.name, "call": message.call.id, "text": message.text}
        case Reply():
            calls = [{"id": call.id, "tool": call.name, "arguments": call.arguments} for call in message.calls]
            tokens = {"tokens": message.tokens.to_json()} if message.tokens is not None else {}
            return {"role": "assistant", "text": message.text, "calls": calls, **tokens}
