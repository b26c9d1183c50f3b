"""What leases ask of a store: who of their holders is still there, and what time it is for all of them."""

from __future__ import annotations

from typing import Protocol

from steadyhand.workspace.journal.connection import Connection


class Presence(Protocol):
    """This process among those that share a journal. Called inside the handle's `read` or `write`."""

    def holder(self, connection: Connection) -> str:
        """The name under which this process is seen as present from now on, until `leave` or its end.

        The same name every time; another one in a forked child.
        """

    def is_present(self, connection: Connection, holder: str) -> bool:
        """Whether a holder may still be there; False is final."""

    def clear(self, connection: Connection, holder: str) -> None:
        """Remove what a holder that is gone left behind; inside `write`."""

    def now(self, connection: Connection) -> int:
        """The store's clock, in milliseconds."""

    def leave(self) -> None:
        """Be present no more; what this process announced has ended."""
