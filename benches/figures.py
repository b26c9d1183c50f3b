"""The figures of the last full run of each subject, as `make bench ARGS=--record` writes them, and pages made of them.

`figures.json` is what README and docs/benchmarks.md quote: a page has the tables of that file and no others, so no
figure is ever typed. Tables of subjects that were not run stay as they were, each with its version and its date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.floors import Floor, measured
from benches.table import Row, Table

__all__ = ["FIGURES", "Figures", "read_figures", "record", "with_figures", "with_tables"]

FIGURES = Path(__file__).with_name("figures.json")
_BLOCK = re.compile(r"^```text\n(?P<title>[^\n]+)\nfloor: .*?^```$", re.M | re.S)
_LIST = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.S)


@dataclass(frozen=True, slots=True)
class Figures:
    """A subject's tables, and the version of Steadyhand, the day and the machine that they were measured with."""

    version: str
    date: str
    machine: str
    tables: tuple[Table, ...]


def read_figures(path: Path = FIGURES) -> dict[str, Figures]:
    """By subject; empty where nothing was recorded yet."""
    if not path.exists():
        return {}
    return {name: _figures(entry) for name, entry in json.loads(path.read_text(encoding="utf-8")).items()}


def record(
    measured: Mapping[str, Sequence[Table]], *, version: str, date: str, machine: str, path: Path = FIGURES
) -> None:
    """Put the tables of these subjects in place of those they had."""
    made = {name: Figures(version, date, machine, tuple(tables)) for name, tables in measured.items()}
    every = {**read_figures(path), **made}
    entries = {name: _entry(every[name]) for name in sorted(every)}
    path.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def with_tables(page: str, every: Mapping[str, Figures]) -> str:
    """A page with each of its tables as it was measured last; a table of no recorded subject stays as it is."""
    tables = {table.title: table for figures in every.values() for table in figures.tables}

    def renew(block: re.Match[str]) -> str:
        table = tables.get(block["title"])
        return block.group() if table is None else f"```text\n{table.render()}```"

    return _BLOCK.sub(renew, page)


def with_figures(page: str, floors: Sequence[Floor], every: Mapping[str, Figures]) -> str:
    """A page with the list of the figures that users feel between its marks."""
    return _LIST.sub(lambda _: "".join(_listed(floors, every)), page)


def _listed(floors: Sequence[Floor], every: Mapping[str, Figures]) -> Iterator[str]:
    said = [(floor, figures) for floor in floors if floor.says and (figures := every.get(floor.subject)) is not None]
    days = sorted({(figures.version, figures.date) for _, figures in said})
    yield "\n| what | against | measured |\n|---|---|---|\n"
    for floor, figures in said:
        ratio = measured(floor, figures.tables)
        yield f"| {floor.says} | {floor.floor} | {'not measured' if ratio is None else f'×{_short(ratio)}'} |\n"
    yield f"\nMeasured with {', '.join(f'version {version} on {date}' for version, date in days)}.\n\n"


def _short(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def _entry(figures: Figures) -> dict[str, object]:
    return {
        "version": figures.version,
        "date": figures.date,
        "machine": figures.machine,
        "tables": [table.to_json() for table in figures.tables],
    }


def _figures(entry: Mapping[str, Any]) -> Figures:
    tables = (Table(**{**table, "rows": tuple(Row(**row) for row in table["rows"])}) for table in entry["tables"])
    return Figures(entry["version"], entry["date"], entry["machine"], tuple(tables))
