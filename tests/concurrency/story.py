"""The accident this product was asked to end: three tasks on one file of 361 lines, each writing what it knows.

`python -m tests.concurrency.story ROOT NAME [JOURNAL]` is one of the tasks as a process of its own.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError, Kind

FILE = "src/analysis.py"
LENGTH = 361
NAMES = ("docstrings", "types", "logging")
TEXT = "".join(f"value_{number} = {number}\n" for number in range(1, LENGTH + 1))
SHARED = 200  # the line that all three want
OWN = {"docstrings": 40, "types": 180, "logging": 320}
STUB = '"""Analysis."""\nraise NotImplementedError\n'


def act(ws: sh.Workspace, name: str, meet: object = None) -> dict[str, object]:
    """What one task does: reads, thinks while the others read too, then tries everything that went wrong that day."""
    answer: dict[str, object] = {"task": name, "conflicts": 0}
    ws.read(FILE)
    if callable(meet):
        meet()
    answer["own"] = ws.edit(FILE, [sh.Replace(sh.Lines(OWN[name]), f"value = {name!r}\n")], reason=f"own {name}").id
    answer["stub"] = _write_stub(ws)
    answer["shared"] = _share(ws, name, answer)
    return answer


def _write_stub(ws: sh.Workspace) -> str:
    """The last write of the accident: two lines for the whole file."""
    try:
        ws.write(FILE, STUB, reason="improve")
    except EditError as error:
        return str(error.kind)
    return "written"


def _share(ws: sh.Workspace, name: str, answer: dict[str, object]) -> str | None:
    """A line that all want: whoever meets the others adds to what they wrote."""
    edit: object = sh.Replace(sh.Lines(SHARED), f"shared = [{name!r}]\n")
    while True:
        try:
            return ws.edit(FILE, [edit], reason=f"shared {name}").id  # type: ignore[list-item]
        except EditError as error:
            if error.kind is Kind.CONFLICT:
                assert {other["task"] for other in error.details["with"]} <= set(NAMES) - {name}
                answer["conflicts"] = int(str(answer["conflicts"])) + 1
            else:  # somebody was faster than reading and writing
                assert error.kind is Kind.STALE_SOURCE, error
        line = ws.read(FILE).lines[SHARED - 1]
        edit = sh.Replace(sh.Lines(SHARED, SHARED, line), f"{line.removesuffix(']')}, {name!r}]\n")


def check(root: Path, answer: list[dict[str, object]], journal: str | None = None) -> None:
    """Every change is in the file, nothing else changed, and no lost one was acknowledged."""
    rows = (root / FILE).read_text().splitlines()
    assert len(rows) == LENGTH
    for name, line in OWN.items():
        assert rows[line - 1] == f"value = {name!r}"
    shared = rows[SHARED - 1]
    assert all(repr(name) in shared for name in NAMES), shared
    untouched = set(range(1, LENGTH + 1)) - {SHARED, *OWN.values()}
    assert all(rows[line - 1] == f"value_{line} = {line}" for line in untouched)
    assert {facts["stub"] for facts in answer} <= {"stale-source", "suspicious-shrink"}
    assert sum(int(str(facts["conflicts"])) for facts in answer) >= len(NAMES) - 1, "they did meet"
    with sh.Workspace(root, actor="witness", journal=journal) as ws:
        acknowledged = {facts[name] for facts in answer for name in ("own", "shared")}
        assert {entry.record.id for entry in ws.history()} == acknowledged
        assert ws.check().ok


def prepare(root: Path) -> None:
    (root / FILE).parent.mkdir(parents=True)
    (root / FILE).write_text(TEXT)


def main() -> None:
    root, name, *journal = sys.argv[1:]
    here = Path(root).parent

    def meet() -> None:
        (here / f"{name}.ready").touch()
        deadline = time.monotonic() + 300
        while not all((here / f"{other}.ready").exists() for other in NAMES):
            assert time.monotonic() < deadline
            time.sleep(0.005)

    with sh.Workspace(
        root, actor="planner", task=name, journal=journal[0] if journal else None, lock_timeout=300
    ) as ws:
        answer = act(ws, name, meet)
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
