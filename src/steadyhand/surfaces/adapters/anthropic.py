"""Anthropic's own client: tool parameters, the results of a message's tool uses, and tools for its tool runner.

Messages may be the client's objects or the same as dicts; only the tool runner needs anything imported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from steadyhand.tools.framework_calls import Made, Watch, field_of, make_call, make_call_async, needs
from steadyhand.tools.kit import Kit

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool


Block = dict[str, object]


def tools(kit: Kit) -> list[Any]:
    """What `messages.create(tools=…)` takes; tools that the models know are named by their types."""
    return kit.schemas("anthropic")


def answers(kit: Kit, message: object, *, skip: Collection[str] = (), watch: Watch | None = None) -> list[Any]:
    """Make the calls of a message in their order; the content of the user's message that answers it.

    `skip` names tools that the application answers itself.
    """
    return [_result(block, make_call(kit, *_asked(block), watch)) for block in _uses(message, skip)]


async def answers_async(
    kit: Kit, message: object, *, skip: Collection[str] = (), watch: Watch | None = None
) -> list[Any]:
    """The same for the asynchronous client; one call after the other."""
    return [_result(block, await make_call_async(kit, *_asked(block), watch)) for block in _uses(message, skip)]


class _Named:
    """What both kinds of tools of the runner say of themselves."""

    def __init__(self, schema: Block) -> None:
        self._schema: Any = schema

    def to_dict(self) -> Any:
        return self._schema


def runnable(kit: Kit, *, watch: Watch | None = None) -> list[BetaBuiltinFunctionTool]:
    """What `beta.messages.tool_runner(tools=…)` takes. Refuses with `not-installed` where the client is not there."""
    with needs("anthropic"):
        from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError

    class Runnable(_Named, BetaBuiltinFunctionTool):
        def call(self, input: object) -> str:
            made = make_call(kit, str(self._schema["name"]), input, watch)
            if made.failed:
                raise ToolError(made.text)
            return made.text

    return [Runnable(schema) for schema in tools(kit)]


def runnable_async(kit: Kit, *, watch: Watch | None = None) -> list[BetaAsyncBuiltinFunctionTool]:
    """The same for the tool runner of the asynchronous client."""
    with needs("anthropic"):
        from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, ToolError

    class Runnable(_Named, BetaAsyncBuiltinFunctionTool):
        async def call(self, input: object) -> str:
            made = await make_call_async(kit, str(self._schema["name"]), input, watch)
            if made.failed:
                raise ToolError(made.text)
            return made.text

    return [Runnable(schema) for schema in tools(kit)]


def _uses(message: object, skip: Collection[str]) -> Iterator[object]:
    content = field_of(message, "content")
    for block in content if isinstance(content, list) else []:
        if field_of(block, "type") == "tool_use" and field_of(block, "name") not in skip:
            yield block


def _asked(block: object) -> tuple[str, object]:
    return str(field_of(block, "name")), field_of(block, "input")


def _result(block: object, made: Made) -> Block:
    result: Block = {"type": "tool_result", "tool_use_id": field_of(block, "id"), "content": made.text}
    return {**result, "is_error": True} if made.failed else result
