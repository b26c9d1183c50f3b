"""Whether a descriptor takes more at once, so that nobody is made to wait by one who does not read."""

from __future__ import annotations

import select

__all__ = ["takes_more"]


def takes_more(descriptor: int) -> bool:
    """Whether something written there now would not have to wait for a reader."""
    return bool(select.select([], [descriptor], [], 0)[1])
