"""The tools of a conversation about one article: it reads everything, and writes this article or a draft of it.

`no_change_needed` ends the conversation. The editing calls are remembered: when a person accepts a draft, the same
calls are made on the article, with the same reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steadyhand.agents.model import Offered, ToolCall
from steadyhand.agents.runner import review_message
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.schema import Field, Object, Text, bad_request, plain_schema
from steadyhand.session.host import host_of
from steadyhand.tools.framework_calls import Made, make_call_async, parsed
from steadyhand.tools.kit import Kit
from steadyhand.tools.repair import repair
from steadyhand.tools.result import failure
from steadyhand.tools.tool import resolve_path, same_file

__all__ = ["ArticleToolbox"]

NO_CHANGE: Final = "no_change_needed"
_READING: Final = ("read_file", "search_files", "list_files")
_PARAMETERS: Final = Object(
    (Field("reasoning", Text(), "Why a reader of the article is not misled by the change.", required=True),)
)
_SECTIONS: Final = ("Edits", "After a refusal")  # the rest of the toolset's prompt is about other tools
# A model that reads only how to send the edit again makes one up, so a refused edit also says how to decide otherwise.
_DECIDE: Final = (
    f'If the article is still right, call `{NO_CHANGE}` with {{"reasoning": "why a reader is not misled"}}.'
)
_QUOTE: Final = "`old_string` is quoted from the article, not from the change of the code."
_SUMMARY: Final = "Say that the article is still right. Ends the conversation; nothing is changed."


class ArticleToolbox:
    """One article. `reads` is a kit over the tree; `pen` the one that writes, over the tree or over a draft."""

    def __init__(self, reads: Kit, pen: Kit, article: str, *, allow_new: bool = False) -> None:
        self._reads = reads
        self._pen = pen
        self._article = article
        self._writing = ("edit_article", "write_file") if allow_new else ("edit_article",)
        self.reasoning: str | None = None
        self.done: list[tuple[str, object]] = []
        self.new_pages: list[str] = []

    @property
    def is_over(self) -> bool:
        return self.reasoning is not None

    @property
    def has_edited(self) -> bool:
        return any(tool == "edit_article" for tool, _ in self.done)

    @property
    def section(self) -> str:
        """How to edit, in the words of the toolset: only the parts that are about the tools that are here."""
        return sections_of(self._pen.prompt(), _SECTIONS)

    @property
    def names(self) -> tuple[str, ...]:
        return (*_READING, *self._writing, NO_CHANGE)

    def offered(self) -> Sequence[Offered]:
        by_name = {tool.name: tool for tool in self._reads.tools}
        found = [by_name[name] for name in (*_READING, *self._writing) if name in by_name]
        tools = [Offered(tool.name, tool.summary, plain_schema(tool.parameters)) for tool in found]
        return [*tools, Offered(NO_CHANGE, _SUMMARY, plain_schema(_PARAMETERS))]

    def reopen(self) -> None:
        """The conversation goes on after all: a person has said something."""
        self.reasoning = None

    async def make(self, call: ToolCall) -> Made:
        given = parsed(call.arguments)
        if call.name == NO_CHANGE:
            return self._no_change(given)
        if call.name not in self.names:
            error = bad_request("tool", f"there is no tool {call.name[:80]!r} here", f"tools: {', '.join(self.names)}")
            return Made.of(call.name[:80], failure(error))
        is_writing, is_own = call.name in self._writing, self._is_article(call.name, given)
        if call.name == "write_file" and is_own:
            return Made.of(call.name, failure(_no_rewrite(self._article)))
        if call.name == "write_file" and self._is_there(given):
            return Made.of(call.name, failure(_exists_already()))
        made = await make_call_async(
            self._pen if is_writing or is_own else self._reads, call.name, given, spent=call.spent
        )
        if is_writing and not made.failed:
            self.done.append((call.name, given))
            self.new_pages += [str(made.result.get("path"))] if call.name == "write_file" else []
        if is_writing and made.failed and not self.has_edited:
            advice = f"{_QUOTE} {_DECIDE}" if made.kind is Kind.NO_MATCH else _DECIDE
            return replace(made, text=f"{made.text}\n{advice}")
        return made

    async def feedback(self) -> str | None:
        return await review_message(self._reads.workspace, self._article)

    def _is_article(self, tool: str, given: object) -> bool:
        """Whether a call is about the article, however it spells its arguments."""
        try:
            path = repair(self._reads.find(tool).parameters, given)[0].get("path")
            return isinstance(path, str) and same_file(resolve_path(self._reads.workspace, path), self._article)
        except EditError:  # the tool refuses it, and says why
            return False

    def _is_there(self, given: object) -> bool:
        """Whether a page that a call would write is in the tree already; a draft does not know."""
        try:
            host_of(self._reads.workspace).source(
                str(repair(self._reads.find("write_file").parameters, given)[0]["path"])
            )
        except EditError as error:  # where it is not there, the tool decides
            return error.kind is Kind.NOT_TEXT
        return True

    def _no_change(self, given: object) -> Made:
        # A weak model sends the one thing that is asked for without a name; what begins like JSON is broken JSON.
        is_said = isinstance(given, str) and given.lstrip()[:1] not in ("{", "[")
        arguments = {"reasoning": given} if is_said else given
        try:
            reasoning = str(repair(_PARAMETERS, arguments)[0]["reasoning"]).strip()
            if not reasoning:
                raise bad_request("reasoning", "it is empty", "say why the article is still right")
        except EditError as error:
            made = Made.of(NO_CHANGE, failure(error))
            return replace(made, text=f"{made.text}\n{_DECIDE}")
        self.reasoning = reasoning
        return Made.of(NO_CHANGE, {"success": True})


def sections_of(prompt: str, headings: Sequence[str]) -> str:
    """Some sections of a prompt, by their headings of the third level.

    >>> sections_of("## A\\n\\na\\n\\n### B\\n\\nb\\n\\n### C\\n\\nc\\n", ["B"])
    '### B\\n\\nb'
    """
    parts = ("\n" + prompt).split("\n### ")
    chosen = [f"### {part}" for part in parts[1:] if part.partition("\n")[0] in headings]
    return "\n".join(part.partition("\n## ")[0].strip() + "\n" for part in chosen).strip()


def _exists_already() -> EditError:
    return EditError(
        Kind.NOT_ALLOWED, "this page already exists", hint="only new pages can be written; other files can be read"
    )


def _no_rewrite(article: str) -> EditError:
    return EditError(
        Kind.NOT_ALLOWED,
        f"{article} already exists, and may only be edited in places, not rewritten",
        hint="use edit_article for the sentences that are wrong",
        details={"path": article},
    )
