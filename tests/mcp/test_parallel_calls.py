"""Sixteen calls at once on a file that fills the budget alone: they take the memory of one, and each is answered.

The budget itself is tested in tests/workspace/test_budget.py; this is its effect on a whole server, in `make sweep`.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mcp.wire import Wire
from tests.table import table

LINE = "line {} of 🙂😀🚀🎉🧪🐍🙂😀🚀🎉🧪🐍\n"
MEGABYTES = 56
CALLS = 16


def peak_of(wire: Wire) -> int:
    """The most that the server held, in bytes; 0 where the system does not tell, which is all but Linux."""
    status = Path(f"/proc/{wire.process.pid}/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return 0 if found is None else int(found[1]) << 10


def ask(wire: Wire, olds: list[str]) -> Counter[str]:
    """Edits of the file, all sent before any is answered; how they ended."""
    for number, old in enumerate(olds):
        edits = [{"target": old, "new": f"changed {number}\n"}]
        wire.send("tools/call", {"name": "edit", "arguments": {"path": "big.log", "edits": edits}})
    answers = [wire.next()["result"]["structuredContent"] for _ in olds]
    return Counter("applied" if answer["success"] else answer["kind"] for answer in answers)


@pytest.mark.sweep
@table("first", ["", "🙂\n"], ids=["emoji", "one emoji"])
def test_calls_at_once_take_the_memory_of_one(first: str, tmp_path: Path) -> None:
    line = "line {} of a log that goes on and on\n" if first else LINE
    count = (MEGABYTES << 20) // len(line.format(100_000).encode())
    (tmp_path / "big.log").write_text(first + "".join(map(line.format, range(count))))
    kinds: dict[str, Counter[str]] = {}
    peaks: dict[str, int] = {}
    wanted = {
        "one miss": ["there is no such line\nat all\n"],
        "misses": [f"there is no line {number}\nat all\n" for number in range(CALLS)],
        "one edit": [line.format(99)],
        "edits": [line.format(1_000 * number) for number in range(1, CALLS + 1)],
    }
    for what, olds in wanted.items():
        with Wire("--root", str(tmp_path), "--deadline", "30") as wire:
            wire.call("list", {})
            base = peak_of(wire)
            kinds[what] = ask(wire, olds)
            peaks[what] = peak_of(wire) - base
    assert peaks["misses"] <= 1.3 * peaks["one miss"], peaks
    assert peaks["edits"] <= 2.5 * peaks["one edit"], peaks  # one begins while the answer to another is written
    assert peaks["one edit"] <= 4 * (MEGABYTES << 20)
    assert set(kinds["misses"]) <= {"no-match", "busy", "timed-out"}, kinds
    assert set(kinds["edits"]) <= {"applied", "busy", "timed-out"}, kinds
    text = (tmp_path / "big.log").read_text()
    assert kinds["one edit"] == {"applied": 1} or "timed-out" in kinds["one edit"]
    assert text.count("changed ") >= kinds["edits"]["applied"]
