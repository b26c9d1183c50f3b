"""A kit as tools of LangChain: the text is the message's content, the full result its artifact.

A refusal is a message with the status `error`, which has the artifact too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyhand.schema import plain_schema
from steadyhand.tools.framework_calls import Made, Watch, make_call, make_call_async, needs
from steadyhand.tools.kit import Kit
from steadyhand.tools.result import failed
from steadyhand.tools.tool import Tool

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


def tools(kit: Kit, *, watch: Watch | None = None) -> list[StructuredTool]:
    """What `bind_tools`, a tool node and `create_agent` take; synchronous and asynchronous."""
    with needs("langchain-core"):
        from langchain_core.messages import ToolMessage
        from langchain_core.tools import StructuredTool

    class EditTool(StructuredTool):
        """Says with the status of its message whether the call was refused."""

        def run(self, *args: Any, **kwargs: Any) -> Any:
            return _marked(super().run(*args, **kwargs))

        async def arun(self, *args: Any, **kwargs: Any) -> Any:
            return _marked(await super().arun(*args, **kwargs))

    def _marked(answer: object) -> object:
        if isinstance(answer, ToolMessage) and failed(answer.artifact["result"]):
            return answer.model_copy(update={"status": "error"})
        return answer

    def made_of(tool: Tool) -> StructuredTool:
        def call(**arguments: object) -> tuple[str, object]:
            return _answer(make_call(kit, tool.name, arguments, watch))

        async def call_async(**arguments: object) -> tuple[str, object]:
            return _answer(await make_call_async(kit, tool.name, arguments, watch))

        return EditTool(
            name=tool.name,
            description=tool.summary,
            args_schema=plain_schema(tool.parameters),
            func=call,
            coroutine=call_async,
            response_format="content_and_artifact",
        )

    return [made_of(tool) for tool in kit.tools]


def _answer(made: Made) -> tuple[str, object]:
    return made.text, made.facts()
