"""An agent that announces what it works on, sleeps over the end of its lease, and acts all the same."""

from __future__ import annotations

import time
from collections.abc import Iterator

import steadyhand as sh
from steadyhand.workspace.journal.record import Lease, new_record_id, utc_now

_SECONDS = 0.01
_PATIENCE = 20.0
_TURNS = 4  # so that the schedule does not depend on how fast the machine is


def outlive_a_lease(ws: sh.Workspace, path: str) -> Iterator[None]:
    """Take a lease that is over before its holder goes on; others act meanwhile."""
    journal = ws._store.writable_journal()
    name = new_record_id()
    journal.keep_lease(Lease(name, ws.party, path, utc_now(), "a pause", seconds=_SECONDS))
    for _ in range(_TURNS):
        yield
    deadline = time.monotonic() + _PATIENCE
    while any(lease.id == name for lease in journal.leases(path)):
        if time.monotonic() > deadline:
            raise RuntimeError(f"a lease of {_SECONDS} s has not ended after {_PATIENCE} s")
        time.sleep(_SECONDS)
