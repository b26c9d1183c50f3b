"""What the host decides when it starts a server. Nothing of it can be changed by a client or a tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from steadyhand.lazy import dataclass
from steadyhand.surfaces.mcp.deadline import USUAL
from steadyhand.surfaces.mcp.roots import Root

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.tools.call import Settings

__all__ = ["Care", "Serving"]

_READING = ("research", "analyze")


@dataclass(frozen=True, slots=True)
class Care:
    """What is known of one root before it is opened: who acts there, which protected paths are open, its repository."""

    actor: str | None = None
    allow: tuple[str, ...] = ()
    is_protected: bool = True
    repo: str | None = None


def _no_care(path: str) -> Care:
    return Care()


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """One server.

    `roots`     where it works; empty: its client is asked, once, and then `fallback` counts
    `actor`     in whose name; None: in that of the client
    `task`      the task that all calls belong to; None: one of its own for each conversation
    `settings`  what a kit is told, asked for when the first is made: article, prefix, extensions, model …
    `care`      what the configuration says of a root, by its path
    `seconds`   after which a call is stopped
    `most`      characters of text in a reply
    `confine`   each worker calls it with the roots before it begins, where they are not known at start
    `is_walled` the kernel confines the server
    """

    roots: tuple[Root, ...] = ()
    fallback: str | None = None
    toolsets: tuple[str, ...] = ("core",)
    mode: str | None = None
    read_only: bool = False
    actor: str | None = None
    task: str | None = None
    journal: str | None = None
    policy: Policy | None = None
    settings: Callable[[], Settings] | None = None
    care: Callable[[str], Care] = _no_care
    seconds: float = USUAL
    most: int = 100_000
    confine: Callable[[tuple[Root, ...]], object] | None = None
    is_walled: bool = False

    @property
    def is_reading(self) -> bool:
        """Whether nothing can be changed at all."""
        return self.read_only or self.mode in _READING
