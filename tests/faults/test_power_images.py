"""After a power cut in any instant the tree is before or after, with nothing of ours left in it.

`STEADYHAND_SWEEP=all` checks every disk that the recorder can build (that is `make crash`); otherwise some of each
case, among them all that may follow an acknowledged change.
"""

from __future__ import annotations

import os

from tests.faults.power_images import CASES, Case, sweep
from tests.table import table

WHOLE = os.environ.get("STEADYHAND_SWEEP") == "all"


@table("case", CASES, ids=lambda case: case.name)
def test_every_legal_disk_is_before_or_after_and_loses_no_save(case: Case) -> None:
    count, wrong = sweep(case, every=1 if WHOLE else 40)
    assert count > 5
    assert wrong == []
