"""Steadyhand: the file-editing engine for AI agents.

    import steadyhand as sh

    result = sh.edit("hello world", [sh.Replace("world", "moon")])
    ws = sh.Workspace("path/to/tree", actor="agent-7")

The public names, each loaded when it is first used, so that importing the package costs next to nothing.
Nobody inside the package imports from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steadyhand.dialects.front import patch, read_patch
    from steadyhand.dialects.patch import Patch
    from steadyhand.dialects.stream import PatchStream
    from steadyhand.errors import Action, EditError, Kind
    from steadyhand.plan.edit import Delete, Insert, Old, Replace
    from steadyhand.plan.outcome import Outcome
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.preview import Result, edit
    from steadyhand.plan.request import Requests, requests_from_json
    from steadyhand.session.receipt import FileReceipt, Receipt
    from steadyhand.session.workspace import Workspace
    from steadyhand.structure.targets.anchor import Anchor
    from steadyhand.structure.targets.lines import Lines
    from steadyhand.text.changeset import ChangeSet
    from steadyhand.text.source import Source
    from steadyhand.text.span import Span
    from steadyhand.text.splice import Splice
    from steadyhand.workspace.why import Why

__version__ = "0.1.0"

_HOMES = {
    "Action": "steadyhand.errors",
    "Anchor": "steadyhand.structure.targets.anchor",
    "ChangeSet": "steadyhand.text.changeset",
    "Delete": "steadyhand.plan.edit",
    "EditError": "steadyhand.errors",
    "FileReceipt": "steadyhand.session.receipt",
    "Insert": "steadyhand.plan.edit",
    "Kind": "steadyhand.errors",
    "Lines": "steadyhand.structure.targets.lines",
    "Old": "steadyhand.plan.edit",
    "Outcome": "steadyhand.plan.outcome",
    "Patch": "steadyhand.dialects.patch",
    "PatchStream": "steadyhand.dialects.stream",
    "Policy": "steadyhand.plan.policy",
    "Receipt": "steadyhand.session.receipt",
    "Replace": "steadyhand.plan.edit",
    "Requests": "steadyhand.plan.request",
    "Result": "steadyhand.plan.preview",
    "Source": "steadyhand.text.source",
    "Span": "steadyhand.text.span",
    "Splice": "steadyhand.text.splice",
    "Why": "steadyhand.workspace.why",
    "Workspace": "steadyhand.session.workspace",
    "edit": "steadyhand.plan.preview",
    "patch": "steadyhand.dialects.front",
    "read_patch": "steadyhand.dialects.front",
    "requests_from_json": "steadyhand.plan.request",
}

__all__ = [
    "Action",
    "Anchor",
    "ChangeSet",
    "Delete",
    "EditError",
    "FileReceipt",
    "Insert",
    "Kind",
    "Lines",
    "Old",
    "Outcome",
    "Patch",
    "PatchStream",
    "Policy",
    "Receipt",
    "Replace",
    "Requests",
    "Result",
    "Source",
    "Span",
    "Splice",
    "Why",
    "Workspace",
    "__version__",
    "edit",
    "patch",
    "read_patch",
    "requests_from_json",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'steadyhand' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
