"""Clocks that are days apart: whoever acts sees the journal's clock shifted. Only the simulator does this.

No order in the product rests on a clock, so this must change nothing but what people are shown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from unittest import mock

from steadyhand.workspace import transaction
from steadyhand.workspace.journal import store as journal
from steadyhand.workspace.journal.record import utc_text


class Skew:
    """A clock that can be set for whoever is at work."""

    def __init__(self) -> None:
        self.days = 0

    def now(self) -> str:
        return utc_text(datetime.now(UTC) + timedelta(days=self.days))


@contextlib.contextmanager
def skewed_clock() -> Iterator[Skew]:
    """For the length of the block the journal asks this clock."""
    skew = Skew()
    with mock.patch.object(transaction, "utc_now", skew.now), mock.patch.object(journal, "utc_now", skew.now):
        yield skew
