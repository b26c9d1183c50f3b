"""A kit as a toolset of pydantic-ai, with its prompt as instructions.

A refusal that another call can fix asks the model for it (`ModelRetry`); any other ends that call (`ToolFailed`).
What the model has no use for, the diff and the full result, is in the metadata of the tool's return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyhand.errors import Action
from steadyhand.schema import plain_schema
from steadyhand.tools.framework_calls import Watch, make_call_async, needs
from steadyhand.tools.kit import Kit

if TYPE_CHECKING:
    from pydantic_ai.toolsets import AbstractToolset


_CORRECTABLE = (Action.CHANGE_REQUEST, Action.RE_READ, Action.RETRY_LATER)


def tools(
    kit: Kit, *, id: str | None = None, max_retries: int | None = 5, watch: Watch | None = None
) -> AbstractToolset[Any]:
    """A toolset for `Agent(toolsets=[…])`.

    `max_retries` is how often in a row a call of one tool may be refused before the run ends. With None a refusal only
    ends the call: that is for models that cannot correct one, such as `TestModel`, which makes its arguments up.
    """
    with needs("pydantic-ai-slim"):
        from pydantic_ai import ModelRetry, RunContext, ToolDefinition, ToolFailed, ToolReturn
        from pydantic_ai.messages import InstructionPart
        from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
        from pydantic_core import SchemaValidator, core_schema

    # The kit reads arguments itself: it repairs what it can, and what it refuses says what to send.
    anything = SchemaValidator(core_schema.any_schema())

    class KitToolset(AbstractToolset[Any]):
        @property
        def id(self) -> str | None:
            return id

        async def get_instructions(self, ctx: RunContext[Any]) -> InstructionPart:
            return InstructionPart(content=kit.prompt(), dynamic=False)

        async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
            return {name: self._tool(definition) for name, definition in definitions().items()}

        async def call_tool(
            self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
        ) -> ToolReturn:
            made = await make_call_async(kit, name, tool_args, watch)
            if not made.failed:
                return ToolReturn(made.text, metadata=made.facts())
            is_mendable = max_retries is not None and (made.kind is None or made.kind.action in _CORRECTABLE)
            raise ModelRetry(made.text) if is_mendable else ToolFailed(made.text)

        def _tool(self, definition: ToolDefinition) -> ToolsetTool[Any]:
            return ToolsetTool(toolset=self, tool_def=definition, max_retries=max_retries or 0, args_validator=anything)

    def definitions() -> dict[str, ToolDefinition]:
        return {
            tool.name: ToolDefinition(
                name=tool.name,
                description=tool.summary,
                parameters_json_schema=plain_schema(tool.parameters),
                # One that changes files waits for the ones before it, as the model wrote them in an order.
                sequential=tool.trust != "read",
            )
            for tool in kit.tools
        }

    return KitToolset()
