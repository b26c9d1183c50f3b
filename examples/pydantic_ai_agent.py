"""Files edited by an agent of pydantic-ai.

python examples/pydantic_ai_agent.py DIRECTORY "what to do"
"""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.models import Model

import steadyhand as sh
from steadyhand.surfaces.adapters.pydantic_ai import tools


def edit(root: str, task: str, model: Model | str = "openai:gpt-5.5") -> str:
    """Run an agent that has the tools of one kit; their prompt comes with them."""
    with sh.Workspace(root, actor="pydantic-ai") as ws:
        agent = Agent(model, toolsets=[tools(ws.tools("surgical"))])
        return agent.run_sync(task).output


if __name__ == "__main__":
    import sys

    directory, wanted = sys.argv[1:]
    print(edit(directory, wanted))
