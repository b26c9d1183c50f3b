"""Files edited by a model behind OpenAI's responses, with the `apply_patch` tool that it was trained on.

python examples/openai_responses.py DIRECTORY "what to do"
"""

from __future__ import annotations

from typing import Any

from openai import OpenAI

import steadyhand as sh
from steadyhand.surfaces.adapters.openai import answers, tools


def edit(root: str, task: str, client: OpenAI, model: str = "gpt-5.5") -> str:
    """Let the model send patches until it has something to say."""
    with sh.Workspace(root, actor="openai-responses") as ws:
        kit = ws.tools("openai", model=model)
        items: list[Any] = [{"role": "user", "content": task}]
        while True:
            reply = client.responses.create(
                model=model, instructions=kit.prompt(), input=items, tools=tools(kit, api="responses")
            )
            answered = answers(kit, reply)
            if not answered:
                return reply.output_text
            items += [*reply.output, *answered]


if __name__ == "__main__":
    import sys

    directory, wanted = sys.argv[1:]
    print(edit(directory, wanted, OpenAI()))
