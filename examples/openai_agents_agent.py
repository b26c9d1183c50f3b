"""Files edited by an agent of the OpenAI Agents SDK.

python examples/openai_agents_agent.py DIRECTORY "what to do"
"""

from __future__ import annotations

from agents import Agent, Model, Runner

import steadyhand as sh
from steadyhand.surfaces.adapters.openai_agents import tools


async def edit(root: str, task: str, model: Model | str = "gpt-5.5", toolset: str = "surgical") -> str:
    """Run an agent with the tools of one kit; with the toolset `openai` that is the SDK's own patch tool."""
    with sh.Workspace(root, actor="openai-agents") as ws:
        kit = ws.tools(toolset)
        agent = Agent("editor", instructions=kit.prompt(), tools=list(tools(kit)), model=model)
        return str((await Runner.run(agent, task)).final_output)


if __name__ == "__main__":
    import asyncio
    import sys

    directory, wanted = sys.argv[1:]
    print(asyncio.run(edit(directory, wanted)))
