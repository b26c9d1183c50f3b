"""What must hold of speed: the figures that users feel, each a ratio within one run, from the table in `floors.json`.

An entry names a row by the title of its table and its label, both by pattern, and the ratio that it may have. With
`against`, the ratio is divided by that of another row, of the same table if it has one of that label, else of the run,
such as a peer's. A shared machine is given slack: a floor is broken where the ratio is more than twice what the entry
says. A row that is not there is broken, too, unless its subject was not run, or it needs peers and they were left out:
a check that finds nothing to check proves nothing. What a busy moment broke is measured again: a figure that has
doubled is broken each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benches.table import Row, Table

__all__ = ["SLACK", "Floor", "check_floors", "measured", "read_floors", "remeasured"]

TABLE = Path(__file__).with_name("floors.json")
SLACK = 2.0
_AGAIN = 2


@dataclass(frozen=True, slots=True)
class Floor:
    """One entry; `most` is the ratio that the row may have, `says` what README calls it, `floor` what against."""

    subject: str
    table: str
    row: str
    most: float
    against: str | None = None
    says: str = ""
    floor: str = ""


def read_floors(path: Path = TABLE) -> tuple[Floor, ...]:
    return tuple(Floor(**entry) for entry in json.loads(path.read_text(encoding="utf-8")))


def check_floors(
    floors: Sequence[Floor], by_subject: Mapping[str, Sequence[Table]], *, with_peers: bool, is_full: bool
) -> dict[Floor | None, str]:
    """What is broken, in words; None: nothing was checked.

    At a smaller scale than the full one, rows may be left out, but not all of them.
    """
    tables = [table for some in by_subject.values() for table in some]
    broken: dict[Floor | None, str] = {}
    found = 0
    for floor in floors:
        if floor.subject not in by_subject:
            continue
        ratio = measured(floor, tables)
        if ratio is None:
            if is_full and (with_peers or floor.against is None):
                broken[floor] = f"{floor.table}: {floor.row}: not measured"
            continue
        found += 1
        if ratio > SLACK * floor.most:
            broken[floor] = f"{floor.table}: {floor.row}: ×{ratio:.2f}, more than {SLACK:.0f} times ×{floor.most:g}"
    return broken if found else {**broken, None: "no floor was checked"}


def remeasured(
    check: Callable[[Mapping[str, Sequence[Table]]], dict[Floor | None, str]],
    by_subject: MutableMapping[str, list[Table]],
    measure: Callable[[str], list[Table]],
) -> Iterator[str]:
    """What `check` finds broken in every measurement, in words; subjects with something broken are measured again."""
    broken = check(by_subject)
    for _ in range(_AGAIN):
        for subject in sorted({floor.subject for floor in broken if floor is not None}):
            by_subject[subject] = measure(subject)
        still = check(by_subject)
        broken = {floor: still[floor] for floor in broken if floor in still}
    yield from broken.values()


def measured(floor: Floor, tables: Sequence[Table]) -> float | None:
    """The figure that a floor is about; None where the run has no such row."""
    row = _row(tables, floor.row, floor.table)
    if row is None or row.ratio is None:
        return None
    if floor.against is None:
        return row.ratio
    other = _row(tables, floor.against, floor.table) or _row(tables, floor.against)
    return row.ratio / other.ratio if other is not None and other.ratio else None


def _row(tables: Sequence[Table], label: str, title: str = "*") -> Row | None:
    rows = (row for table in tables if fnmatchcase(table.title, title) for row in table.rows)
    return next((row for row in rows if fnmatchcase(row.label, label)), None)
