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
    import steadyhand.hints as hints
    from steadyhand.dialects.dialect import Dialect
    from steadyhand.dialects.front import patch, read_patch
    from steadyhand.dialects.patch import Patch
    from steadyhand.dialects.piece import Note, Piece
    from steadyhand.dialects.stream import PatchStream
    from steadyhand.errors import Action, EditError, Kind
    from steadyhand.plan.edit import Act, Delete, Insert, Old, Replace
    from steadyhand.plan.planner import Outcome
    from steadyhand.plan.policy import Policy
    from steadyhand.plan.preview import Result, edit
    from steadyhand.plan.request import (
        ChangeMode,
        CopyFile,
        CreateFile,
        DeleteFile,
        EditFile,
        MergeFile,
        MoveText,
        RenameFile,
        Requests,
        WriteFile,
        requests_from_json,
    )
    from steadyhand.session.audit import Audits
    from steadyhand.session.conflicts import Writes
    from steadyhand.session.events import Event
    from steadyhand.session.kept_conflicts import KeptConflict
    from steadyhand.session.leases import ActiveLease
    from steadyhand.session.receipt import FileReceipt, Receipt
    from steadyhand.session.review.change import AutoAccept, Decision, DiskConflict, Feedback, ReviewChange
    from steadyhand.session.review.review import Review
    from steadyhand.session.statistics import Proportion, Statistics, Tally, TallyRow
    from steadyhand.session.transaction_builder import Batch
    from steadyhand.structure.code.symbol import Symbol
    from steadyhand.structure.config.key import Key
    from steadyhand.structure.format import Fault, OutlineEntry
    from steadyhand.structure.html.element import Selector
    from steadyhand.structure.lines import Anchor, Lines
    from steadyhand.structure.markdown.block import Block
    from steadyhand.structure.markdown.code_block import CodeBlock
    from steadyhand.structure.markdown.front_matter import FrontMatter
    from steadyhand.structure.markdown.heading import Heading
    from steadyhand.structure.markdown.table import Table
    from steadyhand.structure.notebook import Cell
    from steadyhand.structure.outline import Location, Outline, locate, outline
    from steadyhand.structure.target import Target, parse_address
    from steadyhand.text.changeset import ChangeSet, Clash
    from steadyhand.text.encoding import Encoding
    from steadyhand.text.source import Source
    from steadyhand.text.span import Span
    from steadyhand.text.splice import Splice
    from steadyhand.tools.async_workspace import AsyncAudits, AsyncBatch, AsyncKit, AsyncReview, AsyncWorkspace
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Conversation, Settings, Tool
    from steadyhand.tools.toolsets import Toolset
    from steadyhand.tools.workspace import Finding, Workspace
    from steadyhand.workspace.files.listing import Listing
    from steadyhand.workspace.files.storage import DirEntry, Storage
    from steadyhand.workspace.history.file_history import Why
    from steadyhand.workspace.history.other_clones import Notice
    from steadyhand.workspace.history.outside import CheckReport, Drift, Outside
    from steadyhand.workspace.journal.log import Problem
    from steadyhand.workspace.journal.maintenance import GcReport
    from steadyhand.workspace.journal.record import (
        EditNote,
        Entry,
        FileChange,
        FileState,
        Lease,
        Ownership,
        Party,
        Record,
        State,
        ToolCall,
    )

__version__ = "0.1.0"

_HOMES = {
    "Act": "steadyhand.plan.edit",
    "Action": "steadyhand.errors",
    "ActiveLease": "steadyhand.session.leases",
    "Anchor": "steadyhand.structure.lines",
    "AsyncAudits": "steadyhand.tools.async_workspace",
    "AsyncBatch": "steadyhand.tools.async_workspace",
    "AsyncKit": "steadyhand.tools.async_workspace",
    "AsyncReview": "steadyhand.tools.async_workspace",
    "AsyncWorkspace": "steadyhand.tools.async_workspace",
    "Audits": "steadyhand.session.audit",
    "AutoAccept": "steadyhand.session.review.change",
    "Batch": "steadyhand.session.transaction_builder",
    "Block": "steadyhand.structure.markdown.block",
    "Cell": "steadyhand.structure.notebook",
    "ChangeMode": "steadyhand.plan.request",
    "ChangeSet": "steadyhand.text.changeset",
    "CheckReport": "steadyhand.workspace.history.outside",
    "Clash": "steadyhand.text.changeset",
    "CodeBlock": "steadyhand.structure.markdown.code_block",
    "Conversation": "steadyhand.tools.tool",
    "CopyFile": "steadyhand.plan.request",
    "CreateFile": "steadyhand.plan.request",
    "Decision": "steadyhand.session.review.change",
    "DiskConflict": "steadyhand.session.review.change",
    "Delete": "steadyhand.plan.edit",
    "DeleteFile": "steadyhand.plan.request",
    "Dialect": "steadyhand.dialects.dialect",
    "DirEntry": "steadyhand.workspace.files.storage",
    "Drift": "steadyhand.workspace.history.outside",
    "EditError": "steadyhand.errors",
    "EditFile": "steadyhand.plan.request",
    "EditNote": "steadyhand.workspace.journal.record",
    "Encoding": "steadyhand.text.encoding",
    "Entry": "steadyhand.workspace.journal.record",
    "Event": "steadyhand.session.events",
    "Fault": "steadyhand.structure.format",
    "Feedback": "steadyhand.session.review.change",
    "FileChange": "steadyhand.workspace.journal.record",
    "FileReceipt": "steadyhand.session.receipt",
    "FileState": "steadyhand.workspace.journal.record",
    "Finding": "steadyhand.tools.workspace",
    "FrontMatter": "steadyhand.structure.markdown.front_matter",
    "GcReport": "steadyhand.workspace.journal.maintenance",
    "Heading": "steadyhand.structure.markdown.heading",
    "Insert": "steadyhand.plan.edit",
    "KeptConflict": "steadyhand.session.kept_conflicts",
    "Key": "steadyhand.structure.config.key",
    "Kind": "steadyhand.errors",
    "Kit": "steadyhand.tools.kit",
    "Lease": "steadyhand.workspace.journal.record",
    "Lines": "steadyhand.structure.lines",
    "Listing": "steadyhand.workspace.files.listing",
    "Location": "steadyhand.structure.outline",
    "MergeFile": "steadyhand.plan.request",
    "MoveText": "steadyhand.plan.request",
    "Note": "steadyhand.dialects.piece",
    "Notice": "steadyhand.workspace.history.other_clones",
    "Old": "steadyhand.plan.edit",
    "Outcome": "steadyhand.plan.planner",
    "Outline": "steadyhand.structure.outline",
    "OutlineEntry": "steadyhand.structure.format",
    "Outside": "steadyhand.workspace.history.outside",
    "Ownership": "steadyhand.workspace.journal.record",
    "Party": "steadyhand.workspace.journal.record",
    "Patch": "steadyhand.dialects.patch",
    "PatchStream": "steadyhand.dialects.stream",
    "Piece": "steadyhand.dialects.piece",
    "Policy": "steadyhand.plan.policy",
    "Problem": "steadyhand.workspace.journal.log",
    "Proportion": "steadyhand.session.statistics",
    "Receipt": "steadyhand.session.receipt",
    "Record": "steadyhand.workspace.journal.record",
    "RenameFile": "steadyhand.plan.request",
    "Replace": "steadyhand.plan.edit",
    "Requests": "steadyhand.plan.request",
    "Result": "steadyhand.plan.preview",
    "Review": "steadyhand.session.review.review",
    "ReviewChange": "steadyhand.session.review.change",
    "Selector": "steadyhand.structure.html.element",
    "Settings": "steadyhand.tools.tool",
    "Source": "steadyhand.text.source",
    "Span": "steadyhand.text.span",
    "Splice": "steadyhand.text.splice",
    "State": "steadyhand.workspace.journal.record",
    "Statistics": "steadyhand.session.statistics",
    "Storage": "steadyhand.workspace.files.storage",
    "Symbol": "steadyhand.structure.code.symbol",
    "Table": "steadyhand.structure.markdown.table",
    "Tally": "steadyhand.session.statistics",
    "TallyRow": "steadyhand.session.statistics",
    "Target": "steadyhand.structure.target",
    "Tool": "steadyhand.tools.tool",
    "ToolCall": "steadyhand.workspace.journal.record",
    "Toolset": "steadyhand.tools.toolsets",
    "Why": "steadyhand.workspace.history.file_history",
    "Workspace": "steadyhand.tools.workspace",
    "WriteFile": "steadyhand.plan.request",
    "Writes": "steadyhand.session.conflicts",
    "edit": "steadyhand.plan.preview",
    "locate": "steadyhand.structure.outline",
    "outline": "steadyhand.structure.outline",
    "parse_address": "steadyhand.structure.target",
    "patch": "steadyhand.dialects.front",
    "read_patch": "steadyhand.dialects.front",
    "requests_from_json": "steadyhand.plan.request",
}

_MODULES = {"hints": "steadyhand.hints", "impact": "steadyhand.agents.impact.api"}

__all__ = [
    "Act",
    "Action",
    "ActiveLease",
    "Anchor",
    "AsyncAudits",
    "AsyncBatch",
    "AsyncKit",
    "AsyncReview",
    "AsyncWorkspace",
    "Audits",
    "AutoAccept",
    "Batch",
    "Block",
    "Cell",
    "ChangeMode",
    "ChangeSet",
    "CheckReport",
    "Clash",
    "CodeBlock",
    "Conversation",
    "CopyFile",
    "CreateFile",
    "Decision",
    "Delete",
    "DeleteFile",
    "Dialect",
    "DirEntry",
    "DiskConflict",
    "Drift",
    "EditError",
    "EditFile",
    "EditNote",
    "Encoding",
    "Entry",
    "Event",
    "Fault",
    "Feedback",
    "FileChange",
    "FileReceipt",
    "FileState",
    "Finding",
    "FrontMatter",
    "GcReport",
    "Heading",
    "Insert",
    "KeptConflict",
    "Key",
    "Kind",
    "Kit",
    "Lease",
    "Lines",
    "Listing",
    "Location",
    "MergeFile",
    "MoveText",
    "Note",
    "Notice",
    "Old",
    "Outcome",
    "Outline",
    "OutlineEntry",
    "Outside",
    "Ownership",
    "Party",
    "Patch",
    "PatchStream",
    "Piece",
    "Policy",
    "Problem",
    "Proportion",
    "Receipt",
    "Record",
    "RenameFile",
    "Replace",
    "Requests",
    "Result",
    "Review",
    "ReviewChange",
    "Selector",
    "Settings",
    "Source",
    "Span",
    "Splice",
    "State",
    "Statistics",
    "Storage",
    "Symbol",
    "Table",
    "Tally",
    "TallyRow",
    "Target",
    "Tool",
    "ToolCall",
    "Toolset",
    "Why",
    "Workspace",
    "WriteFile",
    "Writes",
    "__version__",
    "edit",
    "hints",
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
