"""What must hold of speed: the figures that users feel, each a ratio within one run, from the table in `floors.json`.

An entry names a row by the title of its table and its label, both by pattern, and the ratio that it may have. With
`against`, the ratio is divided by that of another row, of the same table if it has one of that label, else of the run,
such as a peer's. A shared machine is given slack: a floor is broken where the ratio is more than twice what the entry
says. A row that is not there is broken, too, unless its subject was not run, or it needs peers and they were left out:
a check that finds nothing to check proves nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benches.table import Row, Table

__all__ = ["SLACK", "Floor", "check_floors", "measured", "read_floors"]

TABLE = Path(__file__).with_name("floors.json")
SLACK = 2.0


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
    floors: Sequence[Floor], tables: Sequence[Table], subjects: Collection[str], *, with_peers: bool, is_full: bool
) -> Iterator[str]:
    """What is broken, in words. At a smaller scale than the full one, rows may be left out, but not all of them."""
    found = 0
    for floor in floors:
        if floor.subject not in subjects:
            continue
        ratio = measured(floor, tables)
        if ratio is None:
            if is_full and (with_peers or floor.against is None):
                yield f"{floor.table}: {floor.row}: not measured"
            continue
        found += 1
        if ratio > SLACK * floor.most:
            yield f"{floor.table}: {floor.row}: ×{ratio:.2f}, more than {SLACK:.0f} times ×{floor.most:g}"
    if not found:
        yield "no floor was checked"


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
