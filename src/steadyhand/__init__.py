"""Steadyhand: the file-editing engine for AI agents.

    import steadyhand as sh

    result = sh.edit("hello world", [sh.Replace("world", "moon")])
    ws = sh.Workspace("path/to/tree", actor="agent-7")

The public names, each loaded when it is first used, so that importing the package costs next to nothing.
Nobody inside the package imports from here.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, without importing that
if TYPE_CHECKING:
    import steadyhand.agents.impact.api as impact
    from steadyhand.dialects.front import patch, read_patch
    from steadyhand.dialects.patch import Patch
    from steadyhand.dialects.stream import PatchStream
    from steadyhand.errors import Action, EditError, Kind
    from steadyhand.plan.edit import Act, Delete, Insert, Replace
    from steadyhand.plan.outcome import Outcome
    from steadyhand.plan.place import Old
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.preview import Result, edit
    from steadyhand.plan.request import Requests, requests_from_json
    from steadyhand.session.dispute import Dispute
    from steadyhand.session.event import Event
    from steadyhand.session.receipt import FileReceipt, Receipt
    from steadyhand.structure.address import parse_address
    from steadyhand.structure.anchor import Anchor
    from steadyhand.structure.code.symbol import Symbol
    from steadyhand.structure.config.key import Key
    from steadyhand.structure.html.selector import Selector
    from steadyhand.structure.lines import Lines
    from steadyhand.structure.markdown.block import Block
    from steadyhand.structure.markdown.code_block import CodeBlock
    from steadyhand.structure.markdown.front_matter import FrontMatter
    from steadyhand.structure.markdown.heading import Heading
    from steadyhand.structure.markdown.table import Table
    from steadyhand.structure.notebook.cell import Cell
    from steadyhand.structure.outline import Location, Outline, locate, outline
    from steadyhand.text.changeset import ChangeSet
    from steadyhand.text.source import Source
    from steadyhand.text.span import Span
    from steadyhand.text.splice import Splice
    from steadyhand.tools.call import Conversation
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.workspace import Workspace
    from steadyhand.workspace.journal.party import Lease, Party
    from steadyhand.workspace.leases import Announced
    from steadyhand.workspace.other_clones import Notice
    from steadyhand.workspace.why import Why

__version__ = "0.1.0"

_HOMES = {
    "Act": "steadyhand.plan.edit",
    "Action": "steadyhand.errors",
    "Anchor": "steadyhand.structure.anchor",
    "Announced": "steadyhand.workspace.leases",
    "Block": "steadyhand.structure.markdown.block",
    "Cell": "steadyhand.structure.notebook.cell",
    "ChangeSet": "steadyhand.text.changeset",
    "CodeBlock": "steadyhand.structure.markdown.code_block",
    "Conversation": "steadyhand.tools.call",
    "Delete": "steadyhand.plan.edit",
    "Dispute": "steadyhand.session.dispute",
    "EditError": "steadyhand.errors",
    "Event": "steadyhand.session.event",
    "FileReceipt": "steadyhand.session.receipt",
    "FrontMatter": "steadyhand.structure.markdown.front_matter",
    "Heading": "steadyhand.structure.markdown.heading",
    "Insert": "steadyhand.plan.edit",
    "Key": "steadyhand.structure.config.key",
    "Kind": "steadyhand.errors",
    "Kit": "steadyhand.tools.kit",
    "Lease": "steadyhand.workspace.journal.party",
    "Lines": "steadyhand.structure.lines",
    "Location": "steadyhand.structure.outline",
    "Notice": "steadyhand.workspace.other_clones",
    "Old": "steadyhand.plan.place",
    "Outcome": "steadyhand.plan.outcome",
    "Outline": "steadyhand.structure.outline",
    "Party": "steadyhand.workspace.journal.party",
    "Patch": "steadyhand.dialects.patch",
    "PatchStream": "steadyhand.dialects.stream",
    "Policy": "steadyhand.plan.policy",
    "Receipt": "steadyhand.session.receipt",
    "Replace": "steadyhand.plan.edit",
    "Requests": "steadyhand.plan.request",
    "Result": "steadyhand.plan.preview",
    "Selector": "steadyhand.structure.html.selector",
    "Source": "steadyhand.text.source",
    "Span": "steadyhand.text.span",
    "Splice": "steadyhand.text.splice",
    "Symbol": "steadyhand.structure.code.symbol",
    "Table": "steadyhand.structure.markdown.table",
    "Why": "steadyhand.workspace.why",
    "Workspace": "steadyhand.tools.workspace",
    "edit": "steadyhand.plan.preview",
    "locate": "steadyhand.structure.outline",
    "outline": "steadyhand.structure.outline",
    "parse_address": "steadyhand.structure.address",
    "patch": "steadyhand.dialects.front",
    "read_patch": "steadyhand.dialects.front",
    "requests_from_json": "steadyhand.plan.request",
}

_MODULES = {"impact": "steadyhand.agents.impact.api"}

__all__ = [
    "Act",
    "Action",
    "Anchor",
    "Announced",
    "Block",
    "Cell",
    "ChangeSet",
    "CodeBlock",
    "Conversation",
    "Delete",
    "Dispute",
    "EditError",
    "Event",
    "FileReceipt",
    "FrontMatter",
    "Heading",
    "Insert",
    "Key",
    "Kind",
    "Kit",
    "Lease",
    "Lines",
    "Location",
    "Notice",
    "Old",
    "Outcome",
    "Outline",
    "Party",
    "Patch",
    "PatchStream",
    "Policy",
    "Receipt",
    "Replace",
    "Requests",
    "Result",
    "Selector",
    "Source",
    "Span",
    "Splice",
    "Symbol",
    "Table",
    "Why",
    "Workspace",
    "__version__",
    "edit",
    "impact",
    "locate",
    "outline",
    "parse_address",
    "patch",
    "read_patch",
    "requests_from_json",
]


def __getattr__(name: str) -> object:
    home = _MODULES.get(name) or _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'steadyhand' has no attribute {name!r}")
    from importlib import import_module

    value: object = import_module(home) if name in _MODULES else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
