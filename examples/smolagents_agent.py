"""Files edited by an agent of smolagents, in code that it writes.

python examples/smolagents_agent.py DIRECTORY "what to do"
"""

from __future__ import annotations

from smolagents import CodeAgent, Model

import steadyhand as sh
from steadyhand.surfaces.adapters.smolagents import tools


def edit(root: str, task: str, model: Model) -> str:
    """Run an agent that calls the tools of one kit as functions."""
    with sh.Workspace(root, actor="smolagents") as ws:
        kit = ws.tools("surgical")
        agent = CodeAgent(tools=tools(kit), model=model, instructions=kit.prompt())
        return str(agent.run(task))


if __name__ == "__main__":
    import sys

    from smolagents import InferenceClientModel

    directory, wanted = sys.argv[1:]
    print(edit(directory, wanted, InferenceClientModel()))
