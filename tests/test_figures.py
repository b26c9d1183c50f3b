"""Floors of speed and the pages that quote figures: what is broken is said, and no figure is typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benches.bench import benches
from benches.figures import read_figures, record, with_figures, with_tables
from benches.floors import Floor, check_floors, read_floors, remeasured
from benches.table import Row, Table
from tests.table import table

EDIT = Floor("exact", "Exact edit*", "1 MB, str", 2.0, says="an exact edit", floor="two finds")
PEER = Floor("speed", "One edit*", "1 MB, fuzzy", 1.0, against="aider *, 1 MB, fuzzy")


def run(ratio: float | None, peer: float | None = None) -> list[Table]:
    theirs = [Table("Peers", "by hand", [Row("aider 0.86, 1 MB, fuzzy", 1.0, ratio=peer)])]
    return [
        Table("Exact edit in memory", "two finds", [Row("1 MB, str", 1.0, ratio=ratio)]),
        Table("One edit near the end", "by hand", [Row("1 MB, fuzzy", 1.0, ratio=ratio)]),
        *(theirs if peer is not None else []),
    ]


def broken(floor: Floor, tables: list[Table], *, with_peers: bool = True, is_full: bool = True) -> list[str]:
    by_subject = {"exact": tables, "speed": []}
    return list(check_floors([floor], by_subject, with_peers=with_peers, is_full=is_full).values())


@table(("ratio", "holds"), [(1.0, True), (4.0, True), (4.1, False)])
def test_a_floor_has_slack_of_a_factor_of_two(ratio: float, holds: bool) -> None:
    assert (not broken(EDIT, run(ratio))) is holds


@table(("ours", "theirs", "holds"), [(30.0, 20.0, True), (41.0, 20.0, False), (30.0, None, False)])
def test_a_floor_may_be_another_row_of_the_same_run(ours: float, theirs: float | None, holds: bool) -> None:
    assert (not broken(PEER, run(ours, theirs))) is holds


def test_a_row_of_the_same_table_is_meant_before_one_of_another() -> None:
    few, many = Row("git apply", 1.0, ratio=100.0), Row("git apply", 1.0, ratio=1.0)
    tables = [Table("One file", "by hand", [few]), Table("Files", "by hand", [Row("ws.patch", 1.0, ratio=50.0), many])]
    floor = Floor("speed", "Files", "ws.patch", 20.0, against="git apply")
    assert broken(floor, tables, with_peers=False) == ["Files: ws.patch: ×50.00, more than 2 times ×20"]


def test_a_row_that_was_not_measured_is_broken_and_so_is_a_check_of_nothing() -> None:
    assert broken(EDIT, run(None))
    assert broken(EDIT, [])
    assert broken(EDIT, [], is_full=False)
    assert broken(PEER, run(1.0), with_peers=False), "the only floor needs peers"


def test_every_floor_is_of_a_subject_and_of_a_row_that_was_recorded() -> None:
    floors, recorded = read_floors(), read_figures()
    assert {floor.subject for floor in floors} <= {bench.name for bench in benches()}
    by_subject = {name: figures.tables for name, figures in recorded.items()}
    by_subject |= {floor.subject: [] for floor in floors if floor.subject not in recorded}
    assert not check_floors(floors, by_subject, with_peers=True, is_full=True)


@table(("ratios", "holds"), [((9.0, 2.0), True), ((9.0, 9.0, 2.0), True), ((9.0, 9.0, 9.0), False)])
def test_what_a_busy_moment_broke_is_measured_again(ratios: tuple[float, ...], holds: bool) -> None:
    first, *later = ratios
    asked: list[str] = []

    def measure(subject: str) -> list[Table]:
        asked.append(subject)
        return run(later[len(asked) - 1])

    def check(found: Mapping[str, Sequence[Table]]) -> dict[Floor | None, str]:
        return check_floors([EDIT], found, with_peers=False, is_full=True)

    by_subject = {"exact": run(first), "speed": run(1.0)}
    assert (not list(remeasured(check, by_subject, measure))) is holds
    assert asked == ["exact"] * len(later)


def test_what_is_recorded_takes_the_place_of_the_same_subject_only(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    record({"exact": run(2.0), "speed": run(3.0)}, version="1", date="2026-01-01", machine="m", path=path)
    record({"exact": run(1.0)}, version="2", date="2026-01-02", machine="m", path=path)
    found = read_figures(path)
    assert [found[name].version for name in ("exact", "speed")] == ["2", "1"]
    assert found["exact"].tables[0].rows[0].ratio == 1.0


def test_a_page_has_the_tables_and_figures_that_were_recorded(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    record({"exact": run(1.5)}, version="2", date="2026-01-02", machine="m", path=path)
    every = read_figures(path)
    page = "# A\n\n```text\nExact edit in memory\nfloor: two finds\n\n1 MB, str ×99\n```\n\n```text\nOther\n```\n"
    renewed = with_tables(page, every)
    assert "×99" not in renewed
    assert "×1.50" in renewed
    assert renewed.endswith("```text\nOther\n```\n")
    listed = with_figures("a\n<!-- figures -->\n| typed | ×0.1 |\n<!-- /figures -->\nb\n", [EDIT, PEER], every)
    assert "typed" not in listed
    assert "| an exact edit | two finds | ×1.5 |" in listed
    assert "version 2 on 2026-01-02" in listed
