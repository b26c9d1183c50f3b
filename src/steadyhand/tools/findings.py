"""What tasks that may change nothing have found: kept in memory, with the workspace, and nowhere on disk.

Bound copies of a workspace share one store of findings. It is bounded: a task that reports without end is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, Self

from steadyhand.errors import EditError, Kind

__all__ = ["SEVERITIES", "Finding", "Findings", "Found", "Severity"]

Severity = Literal["info", "low", "medium", "high", "critical"]
SEVERITIES: tuple[str, ...] = ("info", "low", "medium", "high", "critical")

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found. `lines` are first and last from 1; `file_hash` names the version they count in."""

    path: str
    severity: Severity
    title: str
    detail: str
    lines: tuple[int, int] | None = None
    suggestion: str | None = None
    task: str | None = None
    actor: str | None = None
    file_hash: str | None = None

    def to_json(self) -> dict[str, object]:
        """The finding as tools spell it; what is absent is left out."""
        facts = asdict(self) | {"fileHash": self.file_hash}
        del facts["file_hash"]
        if self.lines is not None:
            facts["lines"] = {"start": self.lines[0], "end": self.lines[1]}
        return {name: value for name, value in facts.items() if value is not None}


class Found:
    """The findings of one workspace, in the order in which they were reported. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._findings: list[Finding] = []

    def add(self, findings: Sequence[Finding]) -> int:
        """Keep all of them or, with `too-large`, none; how many the task of the first has reported by now."""
        with self._guard:
            if len(self._findings) + len(findings) > _MOST:
                raise EditError(
                    Kind.TOO_LARGE,
                    f"{len(self._findings)} findings are kept already",
                    hint="report what matters most, and stop",
                    details={"limit": _MOST},
                )
            self._findings += findings
            return len([each for each in self._findings if each.task == findings[0].task])

    def of(self, task: str | None) -> list[Finding]:
        """Those of one task; None: all."""
        with self._guard:
            return [each for each in self._findings if task is None or each.task == task]


class Findings:
    """The part of a workspace that keeps findings."""

    found: Found

    def __new__(cls, *args: object, **options: object) -> Self:
        del args, options  # the workspace's own
        made = super().__new__(cls)
        made.found = Found()
        return made

    def findings(self, task: str | None = None) -> list[Finding]:
        """What was reported through this workspace, by one task or by all. Nothing of it is on disk."""
        return self.found.of(task)
