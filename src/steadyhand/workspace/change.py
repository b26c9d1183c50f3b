"""A change as whoever asks for it sees it: who and why, what lays it, what it came to. Pure values."""

from __future__ import annotations

from collections.abc import Callable

from steadyhand.lazy import dataclass, field
from steadyhand.workspace.journal.record import ToolCall, Verb
from steadyhand.workspace.overlay import FileStep, Overlay
from steadyhand.workspace.transaction import Committed

__all__ = ["Change", "Header", "Lay", "Trace"]


@dataclass(slots=True)
class Trace:
    """A tool's call as the journal knows it: which one, a digest of its arguments, the model that made it.

    `refusals` counts those that were reported, so that whoever made the call does not report them again; `records` are
    the changes that it made. `file` is the one that its arguments name, as they spell it.
    """

    call: ToolCall
    arguments: str
    model: str | None = None
    refusals: int = 0
    records: list[str] = field(default_factory=list)
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """Who changes the tree and why; `trace` is of the tool's call that asks for it, if one does."""

    actor: str
    task: str | None
    tool: str
    reason: str | None = None
    verb: Verb = "edit"
    undoes: tuple[str, ...] = ()
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did, or a preview would do."""

    steps: tuple[FileStep, ...]
    committed: Committed | None
    warnings: tuple[str, ...]


Lay = Callable[[Overlay], None]
"""Lays changes on an overlay; may be called again on a fresh one, and then must start afresh too."""
