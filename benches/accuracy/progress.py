"""Progress on standard error: a bar for whoever sits at a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TextIO

_WIDTH = 30
_LINES = 4


@dataclass(slots=True)
class Progress:
    """One contestant's way through its cases."""

    name: str
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    _said: int = -1

    def __call__(self, done: int, total: int) -> None:
        if self.stream.isatty():
            filled = _WIDTH * done // max(1, total)
            bar = "█" * filled + "·" * (_WIDTH - filled)
            end = "\n" if done == total else ""
            print(f"\r{self.name:<16} {bar} {done:,} of {total:,}", end=end, file=self.stream, flush=True)
            return
        quarter = _LINES * done // max(1, total)
        if quarter > self._said:
            self._said = quarter
            print(f"… {self.name}: {done:,} of {total:,}", file=self.stream, flush=True)
