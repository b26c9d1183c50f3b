"""A change as whoever asks for it sees it: who and why, what lays it, what it came to. Pure values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from steadyhand.workspace.journal.record import Verb
from steadyhand.workspace.overlay import FileStep, Overlay
from steadyhand.workspace.transaction import Committed

__all__ = ["Change", "Header", "Lay"]


@dataclass(frozen=True, slots=True)
class Header:
    """Who changes the tree and why."""

    actor: str
    task: str | None
    tool: str
    reason: str | None = None
    verb: Verb = "edit"
    undoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did, or a preview would do."""

    steps: tuple[FileStep, ...]
    committed: Committed | None
    warnings: tuple[str, ...]


Lay = Callable[[Overlay], None]
"""Lays changes on an overlay; may be called again on a fresh one, and then must start afresh too."""
