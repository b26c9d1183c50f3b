"""Files edited by a chat model of LangChain; `create_agent` and a tool node take the same tools.

python examples/langchain_tools.py DIRECTORY "what to do"
"""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

import steadyhand as sh
from steadyhand.surfaces.adapters.langchain import tools


def edit(root: str, task: str, model: BaseChatModel) -> str:
    """Let the model call tools until it has something to say."""
    with sh.Workspace(root, actor="langchain") as ws:
        kit = ws.tools("surgical")
        by_name = {tool.name: tool for tool in tools(kit)}
        bound = model.bind_tools(list(by_name.values()))
        messages: list[Any] = [SystemMessage(kit.prompt()), HumanMessage(task)]
        while True:
            reply: AIMessage = bound.invoke(messages)
            if not reply.tool_calls:
                return reply.text
            messages += [reply, *(by_name[call["name"]].invoke(call) for call in reply.tool_calls)]


if __name__ == "__main__":
    import sys

    from langchain.chat_models import init_chat_model

    directory, wanted = sys.argv[1:]
    print(edit(directory, wanted, init_chat_model("openai:gpt-5.5")))
