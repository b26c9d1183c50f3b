"""What tasks that may change nothing have found: kept in the user's state folder, and never under the root.

It is bounded: a task that reports without end is refused.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Self, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    import threading

    from steadyhand.workspace.findings import FindingsFile


__all__ = ["SEVERITIES", "Finding", "Findings", "Found", "Severity"]

Severity = Literal["info", "low", "medium", "high", "critical"]
SEVERITIES: tuple[str, ...] = ("info", "low", "medium", "high", "critical")

_MOST = 10_000  # findings of one task
_TEXTS = ("path", "severity", "title", "detail", "suggestion", "task", "actor", "fileHash", "time")


@sized("detail", "suggestion")
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
    time: str | None = None

    def to_json(self) -> dict[str, object]:
        """The finding as tools spell it; what is absent is left out."""
        from dataclasses import asdict

        facts = asdict(self) | {"fileHash": self.file_hash}
        del facts["file_hash"]
        if self.lines is not None:
            facts["lines"] = {"start": self.lines[0], "end": self.lines[1]}
        return {name: value for name, value in facts.items() if value is not None}

    @classmethod
    def from_json(cls, data: object) -> Finding | None:
        """The inverse of `to_json`; None for anything else, which another version may have written."""
        facts = data if isinstance(data, Mapping) else {}
        texts = (facts.get(name) for name in _TEXTS)
        path, severity, title, detail, *others = (text if isinstance(text, str) else None for text in texts)
        if path is None or severity not in SEVERITIES or title is None or detail is None:
            return None
        match data:
            case {"lines": {"start": int(start), "end": int(end)}}:
                lines: tuple[int, int] | None = (start, end)
            case _:
                lines = None
        return cls(path, cast("Severity", severity), title, detail, lines, *others)


class Found:
    """The findings of one tree, in the order in which they were reported; thread-safe.

    They are kept in the user's state folder. Where that cannot be, those of this workspace are kept while it is open.
    """

    def __init__(self, file: FindingsFile, unkept: list[Finding], guard: threading.Lock) -> None:
        self._file = file
        self._unkept = unkept
        self._guard = guard

    def add(self, findings: Sequence[Finding]) -> tuple[int, bool]:
        """Keep all of them or none; how many the task of the first has reported by now, and whether they outlive us.

        Refuses with `too-large`, and with `busy` where others write for too long.
        """
        task = findings[0].task
        if self._file.is_there:
            try:
                return self._file.add(task, [finding.to_json() for finding in findings], most=_MOST), True
            except EditError as error:
                if error.kind in (Kind.TOO_LARGE, Kind.BUSY):
                    raise
        with self._guard:
            known = [each for each in self._unkept if each.task == task]
            if len(known) + len(findings) > _MOST:
                raise EditError(
                    Kind.TOO_LARGE,
                    f"{len(known)} findings of this task are kept already",
                    hint="report what matters most, and stop",
                    details={"limit": _MOST},
                )
            self._unkept += findings
            return len(known) + len(findings), False

    def of(self, task: str | None) -> list[Finding]:
        """Those of one task; None: all."""
        kept = [
            finding
            for report in self._file.read()
            for item in cast("list[object]", report["items"])
            if (finding := Finding.from_json(item)) is not None
        ]
        with self._guard:
            every = [*kept, *self._unkept]
        return [each for each in every if task is None or each.task == task]


class Findings:
    """The part of a workspace that keeps findings."""

    _unkept: tuple[list[Finding], threading.Lock]

    def __new__(cls, *args: object, **options: object) -> Self:
        import threading

        del args, options  # the workspace's own
        made = super().__new__(cls)
        made._unkept = ([], threading.Lock())
        return made

    @property
    @abstractmethod
    def root(self) -> str:
        """The tree that they are about."""

    @property
    def found(self) -> Found:
        """What was reported of this tree."""
        from steadyhand.workspace.findings import FindingsFile

        return Found(FindingsFile(self.root), *self._unkept)

    def findings(self, task: str | None = None) -> list[Finding]:
        """What was reported of this tree, by one task or by all, oldest first: here or in another process."""
        return self.found.of(task)
