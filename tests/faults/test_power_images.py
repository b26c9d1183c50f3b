"""After a power cut in any instant the tree is before or after, with nothing of ours left in it.

`make crash` checks every disk that the recorder can build, `make sweep` each fortieth, `make test` each hundredth of
some cases, and always all that may follow an acknowledged change.
"""

from __future__ import annotations

from tests.faults.power_images import CASES, Case, sweep
from tests.sampling import IS_EVERY_CALL, WHOLE
from tests.table import table


@table("case", CASES, ids=lambda case: case.name, every=5)
def test_every_legal_disk_is_before_or_after_and_loses_no_save(case: Case) -> None:
    count, wrong = sweep(case, every=1 if IS_EVERY_CALL else 40 if WHOLE else 100)
    assert count > 5
    assert wrong == []
