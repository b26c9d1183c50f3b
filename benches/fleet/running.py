"""One run from an empty folder to its figures."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import steadyhand as sh
from benches.fleet.crew import run_crew
from benches.fleet.evidence import Disagreement, Evidence
from benches.fleet.ledger import Ledger, Said, read_ledger
from benches.fleet.meter import Meter
from benches.fleet.oracle import judge
from benches.fleet.rebuild import rebuild
from benches.fleet.report import Figures, refusals_in
from benches.fleet.schedule import run_here
from benches.fleet.settings import Fleet
from benches.fleet.tree import found_in, lay_out
from benches.fleet.undone import judge_undo
from steadyhand.workspace.journal.record import Entry

_OPENINGS = 20


def run_fleet(fleet: Fleet, home: Path) -> Figures:
    """Lay out a tree in `home`, let the fleet at it, and judge what became of it."""
    root = home / "root"
    root.mkdir()
    initial = lay_out(root, fleet.files)
    meter, deaths = Meter(), 0
    _make_journal(root, fleet)
    started = perf_counter()
    if fleet.processes:
        deaths = run_crew(root, fleet, meter)
    else:
        ledger = Ledger(home / "worker-0.jsonl")
        run_here(root, fleet, ledger, meter)
        ledger.close()
    seconds = perf_counter() - started
    said = read_ledger(home.glob("worker-*.jsonl"))
    deaths += sum(line["what"] == "died" for line in said)
    return _judged(fleet, root, initial, said, deaths, seconds, meter)


def _judged(
    fleet: Fleet, root: Path, initial: dict[str, str], said: list[Said], deaths: int, seconds: float, meter: Meter
) -> Figures:
    with sh.Workspace(root, actor="oracle", journal=fleet.journal) as ws:
        entries = list(reversed(ws.history()))
        journal = ws._store.journal
        evidence = Evidence(entries, said, initial, found_in(root), deaths, journal.image)
        past = rebuild(entries, initial, journal.image)
        report = ws.check()
        faults = [
            *([] if report.ok and not report.drifted else [Disagreement("chain", f"check says {report}")]),
            *judge(evidence, past),
            *judge_undo(ws, past, fleet.seed),
        ]
        rows = journal.stats().rows
    done = [line for line in said if line["what"] == "done"]
    refusals = refusals_in(said)
    spent = meter.changes + meter.reads
    return Figures(
        fleet.agents, fleet.files, fleet.store_name, fleet.processes, fleet.seed, len(done),
        refusals.get("conflict", 0), refusals, _rebased(entries, said), _forced(entries), deaths, seconds,
        len(done) / seconds, meter.checks / meter.changes if meter.changes else 0.0,
        meter.reads / spent if spent else 0.0, rows, _opening(root, fleet), [str(fault) for fault in faults],
    )  # fmt: skip


def _make_journal(root: Path, fleet: Fleet) -> None:
    """So that a kill never finds a journal half made, which is another test's subject."""
    with sh.Workspace(root, actor="oracle", journal=fleet.journal) as ws:
        ws._store.writable_journal()


def _rebased(entries: list[Entry], said: list[Said]) -> int:
    """Edits that were sent for an older version and went through."""
    began = {entry.record.id: {file.before.digest for file in entry.record.files if file.before} for entry in entries}
    expected: dict[int, str | None] = {}
    count = 0
    for line in said:
        if line["what"] == "ask":
            expected[line["agent"]] = line["move"]["expect"]
        elif line["what"] == "done":
            wanted = expected.get(line["agent"])
            count += wanted is not None and wanted not in began.get(line["id"], {wanted})
    return count


def _forced(entries: list[Entry]) -> int:
    return sum(any(note.forced for file in entry.record.files for note in file.edits) for entry in entries)


def _opening(root: Path, fleet: Fleet) -> float:
    """Milliseconds that opening and closing a workspace takes."""
    started = perf_counter()
    for _ in range(_OPENINGS):
        sh.Workspace(root, actor="another", journal=fleet.journal).close()
    return (perf_counter() - started) / _OPENINGS * 1000
