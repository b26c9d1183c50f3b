"""The modes of a task: which tools of a toolset each has, and what a planner and a worker read of it.

What a mode allows is the session's to enforce.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.session.checks import one_of
from steadyhand.session.context import allowed_verbs
from steadyhand.tools.tool import Tool
from steadyhand.tools.toolsets import prompt_of, tools_of

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
        ((None, "Only tools that read are there; nothing can be changed."),),
    ),
    "analyze": _Mode(
        "inspect and report without changing anything",
        "for audits, reviews, and whenever suggestions are asked for rather than changes",
        (
            (None, "Only tools that read are there; nothing can be changed."),
            ("report_findings", "Report what you find with `report_findings`, each finding with its file and lines."),
        ),
    ),
    "generate": _Mode(
        "create files that do not exist yet",
        "for new files only",
        ((None, "A file that exists can be read, but neither edited nor written over."),),
    ),
    "modify": _Mode(
        "change files that exist, in the places that need it",
        "for every change of a file that is there, also where several tasks share it",
        (
            (None, "No file can be created."),
            (None, "Change the lines that need it; leave the others alone, since another task may be at work there."),
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
        ((None, "Files can be read, created and changed as without a mode."),),
    ),
}

_PLANNING = (
    "The host enforces the mode: a task cannot do more than its mode allows, whatever it is asked.",
    "To analyze a file and suggest improvements is `analyze`; only to make them is `modify`.",
    "A task that needs new files and changes in old ones is two tasks.",
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
