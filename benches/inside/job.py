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

    topic: Literal["edit", "miss", "sweep"]
    folder: Path
    sizes: tuple[int, ...]
    lines: int
    effort: Effort


def read_job() -> Job:
    data = json.loads(sys.argv[1])
    return Job(data["topic"], Path(data["folder"]), tuple(data["sizes"]), data["lines"], Effort(**data["effort"]))


def answer(rows: Iterable[Row]) -> None:
    print(json.dumps([asdict(row) for row in rows]))
