"""OpenAI's own client: tools for chat completions and for responses, and the answers to a reply's calls.

Replies may be the client's objects or the same as dicts, so that nothing need be imported here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal

from steadyhand.lazy import dataclass
from steadyhand.tools.framework_calls import Made, Watch, field_of, make_call, make_call_async
from steadyhand.tools.kit import Kit

Item = dict[str, object]

_STYLES = {"chat": "openai", "responses": "openai-responses"}
# What each kind of call in a response is answered with.
_OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "apply_patch_call": "apply_patch_call_output",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call in a reply, and the answer to it as far as it does not depend on how the call goes."""

    tool: str
    arguments: object
    answer: Item

    def answered(self, made: Made) -> Item:
        if self.answer.get("role") == "tool":
            return {**self.answer, "content": made.text}
        if self.answer["type"] != "apply_patch_call_output":
            return {**self.answer, "output": made.text}
        return {**self.answer, "status": "failed" if made.failed else "completed", "output": made.text}


def tools(kit: Kit, *, api: Literal["chat", "responses"] = "chat", strict: bool = False) -> list[Any]:
    """What the client's `tools=` takes."""
    return kit.schemas(_STYLES[api] + ("-strict" if strict else ""))


def answers(kit: Kit, reply: object, *, skip: Collection[str] = (), watch: Watch | None = None) -> list[Any]:
    """Make the calls of a reply in their order; the messages, or input items, to send after the reply itself.

    `reply` is a chat completion, one of its messages, or a response. `skip` names tools that the application answers.
    """
    return [asked.answered(make_call(kit, asked.tool, asked.arguments, watch)) for asked in _asked(reply, skip)]


async def answers_async(
    kit: Kit, reply: object, *, skip: Collection[str] = (), watch: Watch | None = None
) -> list[Any]:
    """The same for the asynchronous client; one call after the other."""
    return [
        asked.answered(await make_call_async(kit, asked.tool, asked.arguments, watch)) for asked in _asked(reply, skip)
    ]


def _asked(reply: object, skip: Collection[str]) -> list[_Asked]:
    output = field_of(reply, "output")
    found = _in_message(reply) if output is None else _in_items(output)
    return [asked for asked in found if asked.tool not in skip]


def _in_message(reply: object) -> Iterator[_Asked]:
    choices = field_of(reply, "choices")
    message = field_of(choices[0], "message") if isinstance(choices, list) and choices else reply
    for call in _each(field_of(message, "tool_calls")):
        said = field_of(call, str(field_of(call, "type")))
        yield _Asked(
            str(field_of(said, "name")), _arguments(said), {"role": "tool", "tool_call_id": field_of(call, "id")}
        )


def _in_items(items: object) -> Iterator[_Asked]:
    for item in _each(items):
        kind = str(field_of(item, "type"))
        if kind not in _OUTPUTS:
            continue
        answer: Item = {"type": _OUTPUTS[kind], "call_id": field_of(item, "call_id")}
        caller = field_of(item, "caller")
        if caller is not None:
            answer["caller"] = _plain(caller)
        if kind == "apply_patch_call":
            yield _Asked("apply_patch", _plain(field_of(item, "operation")), answer)
        else:
            yield _Asked(str(field_of(item, "name")), _arguments(item), answer)


def _arguments(call: object) -> object:
    """The JSON text that a function is called with; the whole input of a free-form tool."""
    given = field_of(call, "input")
    return field_of(call, "arguments") if given is None else {"input": given}


def _each(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _plain(value: object) -> object:
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True) if callable(dump) else value
