"""The tools of one conversation: what a host hands to a model, and where the model's calls arrive.

A call is checked in this order: is there such a tool; does the mode have it; are the arguments what it takes; then it
runs. Whatever goes wrong is an answer in the tool's own form, never an exception.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.session.ask import allowed_verbs
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, nearest_name
from steadyhand.tools.call import Call, Conversation, Settings
from steadyhand.tools.modes import mode_section
from steadyhand.tools.registry import prompt_of, tools_of, toolset_named
from steadyhand.tools.repair import repair
from steadyhand.tools.result import failure
from steadyhand.tools.schema import STYLES, tool_schema
from steadyhand.tools.tool import Result, Tool
from steadyhand.workspace.change import Trace
from steadyhand.workspace.journal.record import ToolCall, new_record_id
from steadyhand.workspace.journal.store import Progress

__all__ = ["Kit"]


class Kit:
    """A toolset over a workspace, for one conversation. Thread-safe as far as the workspace is."""

    def __init__(
        self,
        workspace: Workspace,
        toolset: str,
        settings: Settings | None = None,
        conversation: Conversation | None = None,
    ) -> None:
        self.toolset = toolset_named(toolset)
        self.settings = settings or Settings()
        self.conversation = conversation or Conversation()
        self.workspace = workspace.bound(policy=replace(workspace.policy, **self.toolset.policy))

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that are listed in the workspace's mode, in the order in which a model should see them."""
        mode = self.workspace.mode
        listed = [tool for tool in tools_of(self.toolset.name) if self._refusal_of_mode(tool) is None]
        return tuple(sorted(listed, key=lambda tool: mode in tool.lasts))

    def schemas(self, style: str = "openai") -> list[dict[str, object]]:
        """The tools as an API takes them: `openai`, `openai-strict`, `openai-responses`, `anthropic`, `mcp` …"""
        if style not in STYLES:
            near = nearest_name(str(style), STYLES)
            raise bad_request(
                "style", f"there is no style {str(style)[:40]!r}", f"did you mean {near!r}?" if near else None
            )
        return [tool_schema(tool, style) for tool in self.tools]

    def prompt(self, mode: str | None = None) -> str:
        """The section of a system prompt for this toolset.

        With a mode, what a task of that mode may do; with `planner`, how a planner chooses among the five.
        """
        chosen = self.workspace.mode if mode is None else mode
        parts = [prompt_of(self.toolset.name), *([] if chosen is None else [mode_section(chosen)])]
        return "\n".join(part.strip() + "\n" for part in parts)

    def find(self, name: str) -> Tool:
        """A tool of the toolset, listed or not. Refuses with `bad-request`."""
        known = tools_of(self.toolset.name)
        found = next((tool for tool in known if tool.name == name), None)
        if found is not None:
            return found
        near = nearest_name(str(name)[:80], [tool.name for tool in known])
        hint = f"did you mean {near!r}?" if near else f"tools: {', '.join(tool.name for tool in self.tools)}"
        raise bad_request("tool", f"there is no tool {str(name)[:80]!r} here", hint)

    def call(
        self,
        name: str,
        arguments: object,
        *,
        tick: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Make one call; the answer is in the tool's contract, also where it is refused.

        `tick` is asked often and ends the call by raising `cancelled` or `timed-out`: nothing is then changed.
        """
        try:
            tool = self.find(name)
        except EditError as error:
            return _sayable(failure(error))
        workspace = self.workspace.bound(tool=name, trace=self._trace(arguments), tick=tick, progress=progress)
        try:
            return _sayable(self._run(tool, workspace, arguments))
        except EditError as error:
            refusal = error
        except Exception as error:
            refusal = _bug(error)
        if tool.trust != "read":
            workspace.note_refusal(refusal)
        return _sayable(tool.refused(refusal))

    def _run(self, tool: Tool, workspace: Workspace, arguments: object) -> Result:
        hindrance = self._refusal_of_mode(tool)
        if hindrance is not None:
            raise hindrance
        read = repair(tool.parameters, arguments)
        result = tool.run(Call(workspace, self.settings, self.conversation, self.toolset), read.fields)
        return result | {"repaired": list(read.repaired)} if read.repaired else result

    def _refusal_of_mode(self, tool: Tool) -> EditError | None:
        """Why the tool is not there in this mode; None where it is."""
        mode, workspace = self.workspace.mode, self.workspace
        if tool.modes is not None and mode not in tool.modes:
            return _not_here(tool, mode, f"it belongs to the mode {' and '.join(tool.modes)}")
        if tool.trust == "read":
            return None
        if workspace.is_read_only and (mode is None or allowed_verbs(mode)):
            return EditError(Kind.READ_ONLY, f"{tool.name} is not offered: the workspace may only be read")
        if tool.verbs and not tool.verbs & allowed_verbs(mode):
            return _not_here(tool, mode, "it changes files in a way that this mode does not allow")
        return None

    def _trace(self, arguments: object) -> Trace:
        """What the records tell of a call."""
        call = ToolCall(new_record_id(), self.toolset.name, self.conversation.id)
        return Trace(call, _digest(arguments), self.settings.model)


def _digest(arguments: object) -> str:
    try:
        text = json.dumps(arguments, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        text = "unreadable"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _not_here(tool: Tool, mode: str | None, why: str) -> EditError:
    return EditError(
        Kind.NOT_ALLOWED,
        f"{tool.name} is not available in mode {mode}: {why}",
        hint="use the tools that are listed, or tell the host that this task needs another mode",
        details={"mode": mode, "tool": tool.name},
    )


def _bug(error: Exception) -> EditError:
    """What is told of a bug: its type, never its text, which may name anything on this machine."""
    return EditError(
        Kind.INTERNAL,
        f"Steadyhand failed unexpectedly ({type(error).__name__}); nothing was changed unless the history says so",
        hint="report it; another way to say the same edit may go through",
    )


def _sayable(result: Result) -> Result:
    """The same answer with nothing in it that cannot be sent: a byte that is no text shows as U+FFFD."""
    try:
        json.dumps(result, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return cast("Result", _clean(result))
    return result


def _clean(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        case Mapping():
            return {_clean(name): _clean(each) for name, each in value.items()}
        case list() | tuple():
            return [_clean(each) for each in value]
        case _:
            return value
