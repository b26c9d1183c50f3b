"""Threads that share one workspace, or hold one each, are as safe as processes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.concurrency.crew import THREADS, check_chain, check_sound, shared_root, together
from tests.concurrency.worker import FIRST, LAST, SHARED, count_up, token
from tests.sampling import WHOLE
from tests.table import table

EDITS = 50 if WHOLE else 10


@pytest.mark.sampled
@table("sharing", ["one workspace", "one each"])
def test_eight_threads_edit_the_same_files(sharing: str, tmp_path: Path) -> None:
    with shared_root(tmp_path) as root:
        spaces = [sh.Workspace(root, lock_timeout=300) for _ in range(THREADS if sharing == "one each" else 1)]

        def work(number: int) -> None:
            ws = spaces[number % len(spaces)]
            for turn in range(EDITS):
                path = SHARED[(number + turn) % len(SHARED)]
                if turn % 5 == 0:
                    count_up(ws, path, f"t{number}", turn)
                else:
                    ws.edit(path, [sh.Insert(FIRST, token(f"t{number}", turn) + "\n")])
                if turn % 10 == 0:
                    assert ws.history(limit=3)
                    assert ws.why(path, 1).line == 1

        together(work)
        for ws in spaces:
            ws.close()
        wrote: Counter[str] = Counter()
        counted = 0
        for path in SHARED:
            lines = (root / path).read_text().splitlines()
            wrote.update(line for line in lines if line.startswith("[t"))
            counted += sum(int(line[6:]) for line in lines if line.startswith("count "))
        assert wrote == Counter(token(f"t{n}", turn) for n in range(THREADS) for turn in range(EDITS) if turn % 5)
        assert counted == THREADS * len([turn for turn in range(EDITS) if turn % 5 == 0])
        with check_sound(root) as ws:
            assert len(ws.history()) == THREADS * EDITS
            for path in SHARED:
                check_chain(ws, path)


def test_a_name_goes_to_exactly_one_of_the_threads_that_want_it(tmp_path: Path) -> None:
    with shared_root(tmp_path) as root, sh.Workspace(root, lock_timeout=300) as ws:
        won: Counter[str] = Counter()
        lost: list[EditError] = []

        def work(number: int) -> None:
            for turn in range(10):
                try:
                    ws.create(f"new/{turn}.txt", f"by {number}\n")
                    won[f"{turn}"] += 1
                except EditError as error:
                    lost.append(error)

        together(work)
        assert won == Counter({f"{turn}": 1 for turn in range(10)})
        assert {error.kind for error in lost} == {Kind.EXISTS_ALREADY}
        assert len(ws.history()) == 10


def test_a_record_is_undone_by_exactly_one_of_the_threads_that_try(tmp_path: Path) -> None:
    with shared_root(tmp_path) as root, sh.Workspace(root, lock_timeout=300) as ws:
        before = (root / SHARED[0]).read_bytes()
        ids = [ws.edit(SHARED[0], [sh.Insert(LAST, f"line {n}\n", where="before")]).id for n in range(5)]
        won: Counter[str] = Counter()
        lost: list[EditError] = []

        def work(number: int) -> None:
            for record in reversed(ids):
                assert record is not None
                try:
                    ws.undo(record)
                    won[record] += 1
                except EditError as error:
                    lost.append(error)

        together(work)
        assert won == Counter(dict.fromkeys(ids, 1))
        assert {error.kind for error in lost} <= {Kind.CANNOT_UNDO}
        assert (root / SHARED[0]).read_bytes() == before
        with check_sound(root):
            pass
