"""What a subject is, at which scale it is measured, and where subjects are found.

A subject is one file in `subjects/` that ends with `BENCH = Bench(…)`; the folder is the registry.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benches.clock import Effort
from benches.table import Table


@dataclass(frozen=True, slots=True)
class Scale:
    """How large everything is."""

    name: str
    effort: Effort
    text_sizes: tuple[int, ...]
    batch_size: int
    batch_edits: int
    records: int
    busy_records: int
    later_records: int
    big_file: int
    memory_runs: int
    diff_lines: int
    diff_edits: tuple[int, ...]
    sweep_sizes: tuple[int, ...]
    hostile_size: int
    hostile_lines: int
    hostile_line: int
    hostile_seconds: float
    patch_hunks: tuple[int, int]
    patch_files: int
    patch_effort: Effort
    structure_size: int
    structure_batch_size: int
    structure_edits: int
    structure_effort: Effort
    fleet_commits: int
    fleet_processes: tuple[int, ...]
    foreign_edits: tuple[int, ...]
    mcp_calls: int
    mcp_memory_calls: int
    impact_articles: int
    impact_files: int
    review_changes: tuple[int, ...]


FULL = Scale(
    name="full",
    effort=Effort(),
    text_sizes=(1_000, 1_000_000, 10_000_000),
    batch_size=10_000_000,
    batch_edits=1_000,
    records=100_000,
    busy_records=10_000,
    later_records=1_000,
    big_file=50_000_000,
    memory_runs=3,
    diff_lines=20_000,
    diff_edits=(10, 500, 6_000),
    sweep_sizes=(1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000),
    hostile_size=10_000_000,
    hostile_lines=100_000,
    hostile_line=50_000_000,
    hostile_seconds=60.0,
    patch_hunks=(1_000, 10_000),
    patch_files=1_000,
    patch_effort=Effort(rounds=11, seconds=1.0, limit=30.0),
    structure_size=1_000_000,
    structure_batch_size=100_000,
    structure_edits=200,
    structure_effort=Effort(rounds=11, seconds=5.0, limit=120.0),
    fleet_commits=200,
    fleet_processes=(1, 8),
    foreign_edits=(0, 1, 10, 100, 1_000),
    mcp_calls=1_000,
    mcp_memory_calls=100_000,
    impact_articles=1_000,
    impact_files=50,
    review_changes=(1_000, 10_000),
)
TINY = Scale(
    name="tiny",
    effort=Effort(rounds=2, seconds=0.2, limit=20.0),
    text_sizes=(1_000, 60_000),
    batch_size=60_000,
    batch_edits=20,
    records=150,
    busy_records=60,
    later_records=20,
    big_file=200_000,
    memory_runs=1,
    diff_lines=300,
    diff_edits=(5, 60),
    sweep_sizes=(1_000, 20_000),
    hostile_size=20_000,
    hostile_lines=200,
    hostile_line=20_000,
    hostile_seconds=30.0,
    patch_hunks=(8, 24),
    patch_files=6,
    patch_effort=Effort(rounds=1, seconds=0.1, limit=20.0),
    structure_size=8_000,
    structure_batch_size=4_000,
    structure_edits=3,
    structure_effort=Effort(rounds=1, seconds=0.1, limit=20.0),
    fleet_commits=6,
    fleet_processes=(2,),
    foreign_edits=(0, 3),
    mcp_calls=4,
    mcp_memory_calls=50,
    impact_articles=20,
    impact_files=5,
    review_changes=(4, 12),
)
# The sizes of the full scale, and only as many rounds as a floor with slack needs.
SLICE = replace(
    FULL,
    name="slice",
    effort=Effort(rounds=7, seconds=0.5, limit=20.0),
    sweep_sizes=(1_000, 1_000_000),
    patch_effort=Effort(rounds=3, seconds=1.0, limit=30.0),
    mcp_calls=50,
    mcp_memory_calls=200,
)
SCALES = {scale.name: scale for scale in (FULL, SLICE, TINY)}


@dataclass(frozen=True, slots=True)
class Setting:
    """One run: the scale, an empty folder on a real disk, and whether peers take part."""

    scale: Scale
    folder: Path
    with_peers: bool

    def tell(self, what: str) -> None:
        """Progress, for whoever waits."""
        print(f"… {what}", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Bench:
    """One subject: its name on the command line, its place in the order, and what measures it."""

    name: str
    rank: int
    run: Callable[[Setting], Iterator[Table]]


def benches() -> tuple[Bench, ...]:
    """Every subject in order."""
    from benches import subjects

    names = (f"{subjects.__name__}.{module.name}" for module in pkgutil.iter_modules(subjects.__path__))
    return tuple(sorted((importlib.import_module(name).BENCH for name in names), key=lambda bench: bench.rank))


def size_name(size: int) -> str:
    """1 KB, 10 MB.

    >>> size_name(10_000_000)
    '10 MB'
    """
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1_000} KB"
