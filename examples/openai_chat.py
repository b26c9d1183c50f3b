"""Files edited by a model behind OpenAI's chat completions, or behind any server that speaks them.

python examples/openai_chat.py DIRECTORY "what to do"
"""

from __future__ import annotations

from typing import Any

from openai import OpenAI

import steadyhand as sh
from steadyhand.surfaces.adapters.openai import answers, tools


def edit(root: str, task: str, client: OpenAI, model: str = "gpt-5.5") -> str | None:
    """Let the model call tools until it has something to say."""
    with sh.Workspace(root, actor="openai-chat") as ws:
        kit = ws.tools("surgical", model=model)
        messages: list[Any] = [{"role": "system", "content": kit.prompt()}, {"role": "user", "content": task}]
        while True:
            reply = client.chat.completions.create(model=model, messages=messages, tools=tools(kit, strict=True))
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content
            messages += [message, *answers(kit, reply)]


if __name__ == "__main__":
    import sys

    directory, wanted = sys.argv[1:]
    print(edit(directory, wanted, OpenAI()))
