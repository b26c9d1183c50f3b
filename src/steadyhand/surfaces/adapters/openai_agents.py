"""A kit as tools of the OpenAI Agents SDK; the toolset `openai` as the editor behind its `ApplyPatchTool`.

Arguments are taken as the text that the model wrote: what the SDK says of arguments it cannot read helps no model. The
full result is the custom data of the item that answers a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyhand.schema import plain_schema, strict_schema
from steadyhand.tools.framework_calls import Made, Watch, make_call_async, needs
from steadyhand.tools.kit import Kit
from steadyhand.tools.tool import Tool

if TYPE_CHECKING:
    import agents
    from agents.editor import ApplyPatchOperation, ApplyPatchResult
    from agents.tool import FunctionToolCustomDataContext
    from agents.tool_context import ToolContext


def tools(
    kit: Kit, *, strict: bool = True, watch: Watch | None = None
) -> list[agents.FunctionTool | agents.ApplyPatchTool]:
    """What `Agent(tools=…)` takes; `strict` asks the model to keep to the schema."""
    with needs("openai-agents"):
        from agents import ApplyPatchTool

    return [
        ApplyPatchTool(editor=PatchEditor(kit, watch=watch))
        if tool.name == "apply_patch"
        else _function(kit, tool, watch, strict=strict)
        for tool in kit.tools
    ]


class PatchEditor:
    """What `ApplyPatchTool(editor=…)` takes, over a kit of the toolset `openai`."""

    def __init__(self, kit: Kit, *, watch: Watch | None = None) -> None:
        self._kit = kit
        self._watch = watch

    async def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        from agents.editor import ApplyPatchResult

        asked = {name: getattr(operation, name) for name in ("type", "path", "diff", "move_to")}
        given = {name: value for name, value in asked.items() if value is not None}
        made = await make_call_async(self._kit, "apply_patch", given, self._watch)
        return ApplyPatchResult(status="failed" if made.failed else "completed", output=made.text)

    create_file = delete_file = update_file  # the operation says which


def _function(kit: Kit, tool: Tool, watch: Watch | None, *, strict: bool) -> agents.FunctionTool:
    from agents import FunctionTool

    calls: dict[str, Made] = {}

    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        made = await make_call_async(kit, tool.name, arguments, watch)
        calls[context.tool_call_id] = made
        return made.text

    def facts(context: FunctionToolCustomDataContext) -> dict[str, object] | None:
        made = calls.pop(context.tool_context.tool_call_id, None)
        return None if made is None else made.facts()

    return FunctionTool(
        name=tool.name,
        description=tool.summary,
        params_json_schema=strict_schema(tool.parameters) if strict else plain_schema(tool.parameters),
        on_invoke_tool=invoke,
        strict_json_schema=strict,
        custom_data_extractor=facts,
    )
