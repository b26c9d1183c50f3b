"""When a call has to stop: its time is up, its caller took it back, or the server ends.

Asked by the thread that works, told by the one that listens; neither ever waits for the other here.
"""

from __future__ import annotations

import threading
import time

from steadyhand.errors import EditError, Kind

__all__ = ["HARDEST", "USUAL", "Deadline"]

USUAL = 10.0
HARDEST = 30.0  # seconds after which a call is answered whatever it is doing


class Deadline:
    """The end of one call. The clock runs from `start`, not from the moment the call was queued."""

    __slots__ = ("_guard", "_why", "began", "seconds")

    def __init__(self, seconds: float = USUAL) -> None:
        self.seconds = min(seconds, HARDEST)
        self.began: float | None = None
        self._why: str | None = None
        self._guard = threading.Lock()

    def start(self) -> None:
        """Begin, unless the call was stopped before: then it refuses with `cancelled`."""
        with self._guard:
            self.tick()
            self.began = time.monotonic()

    def cancel(self, why: str) -> bool:
        """Stop the call where it next asks; the first reason stays. Whether it had begun."""
        with self._guard:
            self._why = self._why or why
            return self.began is not None

    def tick(self) -> None:
        """Go on, or refuse with `cancelled` or `timed-out`: nothing is then changed."""
        if self._why is not None:
            raise EditError(
                Kind.CANCELLED, f"the call was stopped: {self._why}", hint="the change under way was not made"
            )
        if self.began is not None and time.monotonic() > self.began + self.seconds:
            raise EditError(
                Kind.TIMED_OUT,
                f"the call did not end within {self.seconds:g} seconds and was stopped",
                hint="the change under way was not made; ask for less at once: fewer files, a narrower search",
            )
