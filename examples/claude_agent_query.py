"""Files edited by the Claude Agent SDK, through our tools and not through its own.

python examples/claude_agent_query.py DIRECTORY "what to do"
"""

from __future__ import annotations

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, Transport, query

import steadyhand as sh
from steadyhand.surfaces.adapters.claude_agent import NAME, OWN_EDITORS, names, tools


async def edit(root: str, task: str, transport: Transport | None = None) -> str | None:
    """Ask Claude, whose own editors are off, so that it edits with ours."""
    with sh.Workspace(root, actor="claude-agent") as ws:
        kit = ws.tools("surgical")
        options = ClaudeAgentOptions(
            cwd=root,
            mcp_servers={NAME: tools(kit)},
            allowed_tools=names(kit),
            disallowed_tools=list(OWN_EDITORS),
            system_prompt={"type": "preset", "preset": "claude_code", "append": kit.prompt()},
        )
        said = None
        async for message in query(prompt=task, options=options, transport=transport):
            said = message.result if isinstance(message, ResultMessage) else said
        return said


if __name__ == "__main__":
    import asyncio
    import sys

    directory, wanted = sys.argv[1:]
    print(asyncio.run(edit(directory, wanted)))
