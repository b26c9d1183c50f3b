"""Questions to a journal with a long past, against the same questions where the other files have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.past import Past, make_past
from benches.table import Row, Table

Ask = Callable[[sh.Workspace, Past], object]


def run(setting: Setting) -> Iterator[Table]:
    scale = setting.scale
    make = partial(make_past, busy_records=scale.busy_records, later_records=scale.later_records, tell=setting.tell)
    long = make(setting.folder / "long", records=scale.records)
    short = make(setting.folder / "short", records=0)
    yield Table(
        f"A journal of {long.records:,} records",
        f"the same question where only the two files asked about have a past ({short.records:,} records)",
        list(_rows(setting, long, short)),
        f"few.md has 5 records, busy.md {scale.busy_records:,}",
    )


def _rows(setting: Setting, long: Past, short: Past) -> Iterator[Row]:
    effort, busy, later = setting.scale.effort, f"{setting.scale.busy_records:,}", f"{setting.scale.later_records:,}"
    questions: list[tuple[str, Ask]] = [
        ("open the workspace and close it", lambda _, past: sh.Workspace(past.root).close()),
        ("log: the last 20", lambda ws, _: ws.history(limit=20)),
        ("log of few.md", lambda ws, _: ws.history("few.md")),
        ("log of busy.md: the last 20", lambda ws, _: ws.history("busy.md", limit=20)),
        ("show one record by its id", lambda ws, past: ws.show(past.early)),
        ("why, few.md, line 1 (never written)", lambda ws, _: ws.why("few.md", 1)),
        ("why, busy.md, line 10 (written lately)", lambda ws, _: ws.why("busy.md", 10)),
        (f"why, busy.md, line 2 (written {busy} records ago)", lambda ws, _: ws.why("busy.md", 2)),
        ("why, busy.md, every line", lambda ws, _: ws.why_all("busy.md")),
    ]
    with sh.Workspace(long.root, actor="bench") as many, sh.Workspace(short.root, actor="bench") as few:
        for name, ask in questions:
            setting.tell(name)
            call = Call(name, partial(ask, many, long))
            yield from compare(partial(ask, few, short), [call], effort)
        setting.tell("undo")
        yield from compare(_undo("", few, ""), [_undo("undo the last record", many, "")], effort)
        name = f"undo a record of busy.md with {later} later ones"
        yield from compare(_undo("", few, short.early), [_undo(name, many, long.early)], effort)
        setting.tell("check")
        assert many.check().ok
        yield from compare(few.check, [Call("check: every row, image and file", many.check)], effort)


def _undo(name: str, workspace: sh.Workspace, id: str) -> Call:
    """An undo that is redone, untimed, before the next."""
    done: list[str] = []

    def prepare() -> None:
        if done:
            workspace.redo(done.pop())

    def undo() -> None:
        receipt = workspace.undo(id) if id else workspace.undo(last=True)
        assert receipt.id is not None
        done.append(receipt.id)

    return Call(name, undo, prepare)


BENCH = Bench("journal", 40, run)
