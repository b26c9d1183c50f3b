"""The figures of a run, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from benches.fleet.ledger import Said


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run came to."""

    agents: int
    files: int
    store: str
    processes: int
    seed: int
    edits: int
    conflicts: int
    refusals: dict[str, int]
    rebased: int
    forced: int
    deaths: int
    seconds: float
    edits_per_second: float
    check_share: float
    read_share: float
    rows: int
    workspace_ms: float
    disagreements: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @property
    def verdict(self) -> str:
        return "every promise kept" if not self.disagreements else f"{len(self.disagreements)} DISAGREEMENTS"


def refusals_in(said: Sequence[Said]) -> dict[str, int]:
    counted = Counter(line["kind"] for line in said if line["what"] == "refused")
    return dict(sorted(counted.items(), key=lambda pair: -pair[1]))


_ROWS = (
    ("agents", "agents"), ("files", "files"), ("edits", "edits acknowledged"), ("conflicts", "conflicts refused"),
    ("rebased", "edits rebased"), ("forced", "edits forced"), ("deaths", "processes killed"), ("rows", "journal rows"),
    ("seconds", "seconds"), ("edits_per_second", "edits per second"), ("check_share", "conflict checks / changes"),
    ("read_share", "reads / all"), ("workspace_ms", "opening a workspace, ms"),
)  # fmt: skip


def render(runs: Sequence[Figures]) -> str:
    """A column for each run and, between two, how each figure grew."""
    table = [[label, *_cells(runs, name)] for name, label in _ROWS]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]
    for run in runs:
        where = f"{run.processes} processes" if run.processes else "one process"
        refused = ", ".join(f"{kind} {count}" for kind, count in run.refusals.items()) or "none"
        lines += [
            "",
            f"{run.agents} agents, {run.store}, {where}, seed {run.seed}: {run.verdict}",
            f"refusals: {refused}",
        ]
        lines += [f"  {each}" for each in run.disagreements]
    return "\n".join(lines) + "\n"


def _cells(runs: Sequence[Figures], name: str) -> list[str]:
    cells: list[str] = []
    for number, run in enumerate(runs):
        value = getattr(run, name)
        cells.append(f"{value:,}" if isinstance(value, int) else f"{value:.3g}")
        if number + 1 < len(runs):
            later = getattr(runs[number + 1], name)
            cells.append(f"×{later / value:.3g}" if value else "")
    return cells
