"""The tools of one conversation: what a host hands to a model, and where the model's calls arrive.

A call is checked in this order: is there such a tool; does the mode have it; are the arguments what it takes; then it
runs. Whatever goes wrong is an answer in the tool's own form, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.schema import PATH, bad_request, nearest_name
from steadyhand.session.checks import one_of
from steadyhand.session.context import allowed_verbs
from steadyhand.session.host import host_of
from steadyhand.tools.tool import Call, Conversation, Result, Settings, Tool
from steadyhand.tools.toolsets import prompt_of, tools_of, toolset_named

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.workspace import Workspace
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.overlay import Trace


Spent = tuple[tuple[int, int] | None, int | None]
"""Tokens, in and out, and milliseconds; None where it is not known."""


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
        self.workspace = host_of(workspace).bound(policy=self._policy(workspace.policy))
        self._tools = tuple(tool.under(self.settings) for tool in tools_of(self.toolset.name))
        self._names = {name: tool for tool in reversed(self._tools) for name in (*tool.also, tool.name)}

    def _policy(self, policy: Policy) -> Policy:
        """The host's policy with what the toolset says of it."""
        chosen: Policy = replace(policy, **self.toolset.policy)
        if not self.toolset.guards:
            return chosen
        from steadyhand.plan.guards import usual_guards

        given = usual_guards() if chosen.guards is None else chosen.guards
        return replace(chosen, guards=given | self.toolset.guards)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that are listed in the workspace's mode, in the order in which a model should see them."""
        return offered(self._tools, self.workspace.mode, is_read_only=self.workspace.is_read_only)

    def schemas(self, style: str = "openai") -> list[dict[str, object]]:
        """The tools as an API takes them: `openai`, `openai-strict`, `openai-responses`, `anthropic`, `mcp` …"""
        from steadyhand.tools.tool import STYLES, tool_schema

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
        said = prompt_for(self.toolset.name, self.workspace.mode if mode is None else mode)
        article = self.settings.article
        if article is None:
            return said
        new = "You may write new pages next to it." if self.settings.allow_new else "Do not write new files."
        named = article.replace("\n", " ")  # a name is no place for instructions
        return f"{said}\n## The article\n\nChange only `{named}`; read any file.\n{new}\n"

    def _call(self, workspace: Workspace, *, is_reading: bool) -> Call:
        return Call(workspace, self.settings, self.conversation, self.toolset, is_reading=is_reading)

    def find(self, name: str) -> Tool:
        """A tool of the toolset, listed or not, also by another name of it. Refuses with `bad-request`."""
        found = self._names.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        near = nearest_name(str(name)[:80], [tool.name for tool in self._tools])
        hint = f"did you mean {near!r}?" if near else f"tools: {', '.join(tool.name for tool in self.tools)}"
        raise bad_request("tool", f"there is no tool {str(name)[:80]!r}", hint)

    def call(
        self,
        name: str,
        arguments: object,
        *,
        tick: Callable[[], None] | None = None,
        progress: Progress | None = None,
        receipts: list[Receipt] | None = None,
        spent: Spent | None = None,
    ) -> Result:
        """Make one call; the answer is in the tool's contract, also where it is refused.

        `tick` is asked often and ends the call by raising `cancelled` or `timed-out`: nothing is then changed.
        `receipts` is given the receipt of every change that the call makes, also of tools whose answer names none.
        `spent` is what the model's reply took that holds the call, for the records.
        """
        from steadyhand.tools.repair import repair
        from steadyhand.workspace.budget import BUDGET

        try:
            tool = self.find(name)
        except EditError as error:  # in the form that answers of this toolset have
            return sayable(self._tools[0].refused(error, self.toolset.phrases))
        trace = self._trace(arguments, receipts, spent)
        workspace = host_of(self.workspace).bound(tool=tool.name, trace=trace, tick=tick, progress=progress)
        try:
            hindrance = not_offered(tool, workspace.mode, is_read_only=workspace.is_read_only)
            if hindrance is not None:
                raise hindrance
            fields, repaired = repair(tool.parameters, arguments)
            is_reading = tool.trust == "read"
            call = self._call(workspace, is_reading=is_reading)
            with BUDGET.sharing(), host_of(workspace).cancellable() if is_reading else nullcontext():
                result = tool.run(call, fields)
            return sayable(result | {"repaired": list(repaired)} if repaired else result)
        except EditError as error:
            refusal = error.with_traceback(None)  # its frames hold the text of files
        except Exception as error:
            # Its type is shown, never its text, which may name anything on this machine.
            refusal = EditError(
                Kind.INTERNAL,
                f"Steadyhand failed unexpectedly ({type(error).__name__}); nothing changed unless the history says so",
                hint="report it; the same edit in another form may work",
            )
        if tool.trust != "read":
            host_of(workspace).note_refusal(refusal)
        return sayable(tool.refused(refusal, self.toolset.phrases))

    def _trace(self, arguments: object, receipts: list[Receipt] | None, spent: Spent | None) -> Trace:
        """What the records tell of a call."""
        from steadyhand.workspace.journal.record import ToolCall, new_record_id
        from steadyhand.workspace.overlay import Trace

        call = ToolCall(new_record_id(), self.toolset.name, self.conversation.id, *(spent or (None, None)))
        made = [] if receipts is None else receipts
        return Trace(call, _digest(arguments), self.settings.model, receipts=made, file=_file_named(arguments))


def hindrance(kit: Kit, path: str) -> EditError | None:
    """Why a file, by the kind that its name says, may not be named in a kit; None where it may."""
    try:
        kit._call(kit.workspace, is_reading=True).check_ending(path)
    except EditError as error:
        return error
    return None


def _digest(arguments: object) -> str:
    import hashlib
    import json

    try:
        text = json.dumps(arguments, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        text = "unreadable"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _file_named(arguments: object) -> str | None:
    """The file that a call is about, where one is known although its other arguments may be of no use."""
    if isinstance(arguments, Mapping):
        for name in PATH:
            if isinstance(named := arguments.get(name), str):
                return named
    return None


def sayable(result: Result) -> Result:
    """The same answer with nothing in it that cannot be sent: a byte that is no text shows as U+FFFD."""
    import json

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


# The modes of a task: which tools of a toolset each has, and what a planner and a worker read of it.
#
# What a mode allows is the session's to enforce.

# Which tools of a toolset are there: what a mode, and a workspace that may only be read, leave of them.


def offered(tools: Iterable[Tool], mode: str | None = None, *, is_read_only: bool = False) -> tuple[Tool, ...]:
    """The tools that are listed, in the order in which a model should see them."""
    listed = [tool for tool in tools if not_offered(tool, mode, is_read_only=is_read_only) is None]
    return tuple(sorted(listed, key=lambda tool: mode in tool.lasts))


def not_offered(tool: Tool, mode: str | None, *, is_read_only: bool = False) -> EditError | None:
    """Why a tool is not there; None where it is."""
    if tool.modes is not None and mode not in tool.modes:
        return _not_here(tool, mode, f"it belongs to the mode {' and '.join(tool.modes)}")
    if tool.trust == "read" or tool.also_reads:
        return None
    if is_read_only and (mode is None or allowed_verbs(mode)):
        return EditError(
            Kind.READ_ONLY,
            f"{tool.name} is not available: the workspace is read-only",
            hint="use the listed tools, and say what you would change",
        )
    if tool.verbs and not tool.verbs & allowed_verbs(mode):
        return _not_here(tool, mode, "this mode does not allow it")
    return None


def _not_here(tool: Tool, mode: str | None, why: str) -> EditError:
    return EditError(
        Kind.NOT_ALLOWED,
        f"{tool.name} is not available {'without a mode' if mode is None else f'in mode {mode}'}: {why}",
        hint="use the listed tools, or ask the host for another mode",
        details={"mode": mode, "tool": tool.name},
    )


# The modes of a task as a planner and a worker see them; what they allow is the session's to enforce.

PLANNER = "planner"


@dataclass(frozen=True, slots=True)
class _Mode:
    """`purpose` completes "This task is there to …"; `choose` tells a planner when, `rules` tell the worker how.

    A rule beside the name of a tool, or of a tool and a field, is shown only where that one exists.
    """

    purpose: str
    choose: str
    rules: tuple[tuple[str | None, str], ...]


_MODES: Mapping[str, _Mode] = {
    "research": _Mode(
        "read files to understand them",
        "for questions whose answer is text, and before a plan is made",
        ((None, "Only reading tools are available; nothing can be changed."),),
    ),
    "analyze": _Mode(
        "inspect and report without changing anything",
        "for audits, reviews, and whenever suggestions rather than changes are wanted",
        (
            (None, "Only reading tools are available; nothing can be changed."),
            ("report_findings", "Report what you find with `report_findings`, each finding with its file and lines."),
        ),
    ),
    "generate": _Mode(
        "create files that do not exist yet",
        "for new files only",
        ((None, "An existing file can be read, but neither edited nor overwritten."),),
    ),
    "modify": _Mode(
        "change existing files, only where needed",
        "for every change of an existing file, even if several tasks share it",
        (
            (None, "No file can be created."),
            (None, "Change only the lines that need it; another task may be working on the others."),
            (
                "write_file.expectedHash",
                "`write_file` is the last resort, and needs the `expectedHash` of the version you read.",
            ),
            ("write.expect", "`write` is the last resort, and needs `expect`, the hash of the version you read."),
        ),
    ),
    "execute": _Mode(
        "run commands",
        "for builds, tests and other commands, which the host runs",
        ((None, "Files can be read, created and changed, as without a mode."),),
    ),
}

_PLANNING = (
    "The host enforces the mode: a task cannot do more than its mode allows, whatever it is asked.",
    "Analyzing a file and suggesting improvements is `analyze`; making them is `modify`.",
    "A task that needs new files and changes to existing ones is two tasks.",
    "Tasks may share a file if all of them `modify` it: say which function or section each one changes.",
    "Never let two tasks create the same file, or one rewrite a file that another edits.",
)


def prompt_for(toolset: str, mode: str | None) -> str:
    """The section of a system prompt for a toolset, with what a mode or the planner reads besides."""
    parts, tools = [prompt_of(toolset)], tools_of(toolset)
    if mode is not None:
        fields = (f"{tool.name}.{field}" for tool in tools for field in tool.parameters.names)
        parts.append(mode_section(mode, {*(tool.name for tool in tools), *fields}))
    if mode is not None and mode != PLANNER and len(listed := offered(tools, mode)) < len(tools):
        names = ", ".join(f"`{tool.name}`" for tool in listed)
        parts[-1] += f"The tools of this mode: {names}; others that are spoken of above are not there.\n"
    return "\n".join(part.strip() + "\n" for part in parts)


def mode_section(mode: str, tools: Collection[str] = ()) -> str:
    """What a task of a mode reads, or, for the planner, how to choose among the modes. Refuses with `bad-request`.

    `tools` are the names of those that the toolset has, and of their fields as `tool.field`.
    """
    checked = one_of(mode, "mode", (*_MODES, PLANNER))
    if checked == PLANNER:
        rows = [f"- `{name}`: {each.purpose}; {each.choose}." for name, each in _MODES.items()]
        return "\n".join(["## Task modes", "", "Give every task one mode:", *rows, "", *_PLANNING]) + "\n"
    chosen = _MODES[checked]
    rules = [rule for tool, rule in chosen.rules if tool is None or tool in tools]
    return "\n".join([f"## Mode: {checked}", "", f"This task is there to {chosen.purpose}.", *rules]) + "\n"
