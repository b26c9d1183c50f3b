"""What a peer is asked to measure, and how its rows go back: one line of JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benches.clock import Effort
from benches.table import Row

NEW = "replaced = True\n"


@dataclass(frozen=True, slots=True)
class Job:
    """The same texts and the same effort as Steadyhand gets."""

    topic: Literal["edit", "miss", "sweep", "patch", "structure"]
    folder: Path
    sizes: tuple[int, ...]
    lines: int
    hunks: int
    files: int
    effort: Effort


def read_job() -> Job:
    data = json.loads(sys.argv[1])
    special = {"folder": Path(data["folder"]), "sizes": tuple(data["sizes"]), "effort": Effort(**data["effort"])}
    return Job(**{**data, **special})


def answer(rows: Iterable[Row]) -> None:
    print(json.dumps([asdict(row) for row in rows]))
