"""The account of a journal with a long past: statistics, the trail, articles; what they take in time and in memory."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

import steadyhand as sh
from benches import child
from benches.bench import Bench, Setting
from benches.clock import Call, compare, quartiles
from benches.past import Past, make_past
from benches.table import Row, Table

_CLI = ("-m", "steadyhand")


def run(setting: Setting) -> Iterator[Table]:
    scale = setting.scale
    past = make_past(
        setting.folder / "past",
        records=scale.records,
        busy_records=scale.busy_records,
        later_records=scale.later_records,
        tell=setting.tell,
    )
    yield Table(
        f"The account of a journal of {past.records:,} records",
        "every record read in order, one after the other",
        list(_times(setting, past)),
        f"few.md has 5 records, busy.md {scale.busy_records:,}",
    )
    yield Table(
        f"Peak memory of a process, a journal of {past.records:,} records",
        "steadyhand log --limit 1",
        list(_peaks(setting, past)),
    )


def _times(setting: Setting, past: Past) -> Iterator[Row]:
    effort = replace(setting.scale.effort, limit=setting.scale.effort.limit * 4)
    with sh.Workspace(past.root, actor="bench") as ws:
        calls = [
            Call("statistics", ws.audits.statistics),
            Call("trail: every record with its patch", lambda: deque(ws.audits.trail(), maxlen=0)),
            Call("articles: every file with patch and reasons", lambda: deque(ws.audits.articles(), maxlen=0)),
            Call("audit of few.md", lambda: ws.audit("few.md")),
            Call("audit of busy.md", lambda: ws.audit("busy.md")),
        ]
        for call in calls:
            setting.tell(call.label)
            yield from compare(lambda: deque(ws._store.journal.entries(newest_first=False), maxlen=0), [call], effort)


def _peaks(setting: Setting, past: Past) -> Iterator[Row]:
    commands = {
        "steadyhand stats": ["stats"],
        "steadyhand export": ["export"],
        "steadyhand export --articles": ["export", "--articles"],
    }
    floor = _measured(setting, past, ["log", "--limit", "1"])
    for label, words in commands.items():
        setting.tell(f"{label}: memory")
        peaks = _measured(setting, past, words)
        base, value = statistics.median(floor), statistics.median(peaks)
        low, ratio, high = quartiles([peak / base for peak in peaks])
        yield Row(label, value, base, ratio, low, high, len(peaks), unit="B")


def _measured(setting: Setting, past: Past, words: Sequence[str]) -> list[int]:
    return [child.peak_memory(child.python(*_CLI, *words), cwd=past.root) for _ in range(setting.scale.memory_runs)]


BENCH = Bench("audit", 42, run)
