"""What the agents say they did and were answered: one JSON object per line, written before a call and after its answer.

The ledger is the outside world's view: whatever is in it was acknowledged or refused, whatever is asked and not
answered was under way when its process died. Nothing is read from the product to write it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Said = dict[str, Any]
"""`what` is one of: begin, saw, ask, done, refused, died, end. `agent`, `task`, `step` and `party` say whose."""


class Ledger:
    """One process's lines; each is in the system's hands before the next call is made."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def say(self, what: str, **facts: object) -> None:
        self._file.write(json.dumps({"what": what, **facts}).encode() + b"\n")

    def close(self) -> None:
        self._file.close()


def read_ledger(paths: Iterable[Path]) -> list[Said]:
    """Everything said, process by process, each in its order; a line that a kill cut short was never said."""
    said: list[Said] = []
    for path in sorted(paths):
        for line in path.read_bytes().split(b"\n")[:-1]:
            try:
                said.append(json.loads(line))
            except ValueError:  # the rest of a line whose process died over it
                continue
    return said
