"""Files edited by Claude behind Anthropic's messages, with the text editor that it was trained on.

python examples/anthropic_messages.py DIRECTORY "what to do"
"""

from __future__ import annotations

from typing import Any

from anthropic import Anthropic

import steadyhand as sh
from steadyhand.surfaces.adapters.anthropic import answers, tools


def edit(root: str, task: str, client: Anthropic, model: str = "claude-sonnet-5") -> str:
    """Let the model call tools until it has something to say."""
    with sh.Workspace(root, actor="anthropic") as ws:
        kit = ws.tools("claude", model=model)
        messages: list[Any] = [{"role": "user", "content": task}]
        while True:
            reply = client.messages.create(
                model=model, max_tokens=8000, system=kit.prompt(), messages=messages, tools=tools(kit)
            )
            answered = answers(kit, reply)
            if not answered:
                return "".join(block.text for block in reply.content if block.type == "text")
            messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": answered}]


if __name__ == "__main__":
    import sys

    directory, wanted = sys.argv[1:]
    print(edit(directory, wanted, Anthropic()))
