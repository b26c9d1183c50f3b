"""The modes of a task as a planner and a worker are told of them; what they allow is the session's to enforce."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.session.checks import one_of

__all__ = ["PLANNER", "mode_section"]

PLANNER = "planner"

_MODES: Mapping[str, tuple[str, str]] = {
    "research": (
        "read files to understand them",
        "Only the tools that read, list and search are there. Nothing can be changed.",
    ),
    "analyze": (
        "inspect and report, for audits and reviews, without changing anything",
        "Only the tools that read, list and search are there, and `report_findings` for what you found.",
    ),
    "generate": (
        "create files that do not exist yet",
        "New files can be written. A file that exists can be neither edited nor written over.",
    ),
    "modify": (
        "edit files that exist, in the places that change",
        "Files can be edited, and written over with the hash of the version you read. None can be created.",
    ),
    "execute": ("run commands, which the host does; files as without a mode", "Every tool is there."),
}


def mode_section(mode: str) -> str:
    """What a task of a mode is told, or, for the planner, how to choose among the modes. Refuses with `bad-request`."""
    checked = one_of(mode, "mode", (*_MODES, PLANNER))
    if checked != PLANNER:
        return f"## Mode: {checked}\n\nThis task is there to {_MODES[checked][0]}.\n{_MODES[checked][1]}\n"
    rows = [f"- `{name}`: {purpose}." for name, (purpose, _) in _MODES.items()]
    closing = (
        "Give every task one mode; the host enforces it, so a task cannot do more than its mode allows.",
        "Two tasks may modify one file at a time: each edits its own lines, and neither rewrites the whole file.",
    )
    return "\n".join(["## Task modes", "", *rows, "", *closing]) + "\n"
