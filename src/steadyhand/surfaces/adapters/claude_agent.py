"""A kit as a server inside the process of the Claude Agent SDK.

The SDK's own `create_sdk_mcp_server` refuses arguments by their schema before a tool sees them, so that nothing could
be repaired; it takes any server of the `mcp` package instead, and this makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyhand.tools.framework_calls import Watch, make_call_async, needs
from steadyhand.tools.kit import Kit

if TYPE_CHECKING:
    from claude_agent_sdk import McpSdkServerConfig
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult


NAME = "steadyhand"
OWN_EDITORS = ("Edit", "MultiEdit", "NotebookEdit", "Write")


def tools(kit: Kit, *, watch: Watch | None = None) -> McpSdkServerConfig:
    """What `ClaudeAgentOptions(mcp_servers={NAME: …})` takes."""
    with needs("claude-agent-sdk"):
        from claude_agent_sdk import McpSdkServerConfig
    with needs("mcp>=2.3"):
        from mcp.server.lowlevel import Server
        from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

    listed = [
        Tool.model_validate({name: value for name, value in schema.items() if name != "outputSchema"})
        for schema in kit.schemas("mcp")
    ]

    async def list_tools(context: Any, params: object) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        made = await make_call_async(kit, params.name, params.arguments or {}, watch)
        return CallToolResult(content=[TextContent(type="text", text=made.text)], is_error=made.failed)

    server = Server(NAME, on_list_tools=list_tools, on_call_tool=call_tool)
    return McpSdkServerConfig(type="sdk", name=NAME, instance=server)


def names(kit: Kit) -> list[str]:
    """The tools as Claude calls them: what `allowed_tools=` takes; `OWN_EDITORS` is for `disallowed_tools=`."""
    return [f"mcp__{NAME}__{tool.name}" for tool in kit.tools]
