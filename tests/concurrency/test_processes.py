"""Many processes on the same files: no edit lost, none applied twice, no torn read, nobody left waiting.

`make sweep` lets them work four times as long as `make test`.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import steadyhand as sh
from tests.concurrency.crew import (
    Worker,
    check_chain,
    check_sound,
    crew,
    digests_in_journal,
    in_the_middle,
    shared_root,
    wait_until,
)
from tests.concurrency.worker import FIRST, LAST, SHARED, token
from tests.sampling import WHOLE
from tests.table import table

PROCESSES, EDITS = (8, 120) if WHOLE else (4, 20)
SURVIVED, VICTIMS = (60, 6) if WHOLE else (20, 1)
LONGEST_WAIT = 300.0


def _tokens(root: Path, path: str) -> Counter[str]:
    """Every line that is not part of the frame."""
    lines = (root / path).read_text().splitlines(keepends=True)
    assert lines[0] == FIRST
    assert lines[-1] == LAST
    frame = (FIRST, LAST)
    return Counter(line.rstrip("\n") for line in lines if line not in frame and not line.startswith("count "))


def _count(root: Path, path: str) -> int:
    (line,) = (line for line in (root / path).read_text().splitlines() if line.startswith("count "))
    return int(line[6:])


@pytest.mark.sampled
def test_processes_edit_the_same_files(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(PROCESSES)]
    with shared_root(tmp_path) as root:
        with Worker(root, "reader", "reader", 0) as reader, crew(root, "edits", names, EDITS) as workers:
            for worker in workers:
                worker.join()
            (root.parent / "stop").touch()
            reader.join()
        done = {worker.name: worker.done() for worker in workers}
        assert {name: len(found) for name, found in done.items()} == dict.fromkeys(names, EDITS), (
            "everybody got through"
        )
        said = [facts for found in done.values() for facts in found]
        assert max(facts["waited"] for facts in said) < LONGEST_WAIT
        assert len({facts["done"] for facts in said}) == PROCESSES * EDITS, "an id stands for one change"
        for path in SHARED:
            here = [facts for facts in said if facts["path"] == path]
            expected = Counter(facts["wrote"] for facts in here if "wrote" in facts)
            assert _tokens(root, path) == expected, "each acknowledged edit once, no refused one"
            assert _count(root, path) == sum("counted" in facts for facts in here)
        with check_sound(root) as ws:
            extra = sum(1 for facts in said if any("draft" in absent for absent in facts.get("absent", ())))
            assert len(ws.history()) == PROCESSES * EDITS + extra
            for path in SHARED:
                check_chain(ws, path)
            _check_reader(ws, reader)
        assert any(facts.get("refused") or facts.get("absent") for facts in said), "they did meet"


def _check_reader(ws: sh.Workspace, reader: Worker) -> None:
    """Whatever was read, by us or by a plain `open`, is a version that was once committed."""
    seen = [facts for facts in reader.said() if "digest" in facts]
    assert all(facts["whole"] for facts in seen)
    for path in SHARED:
        known = digests_in_journal(ws, path)
        versions = {facts["digest"] for facts in seen if facts["path"] == path}
        assert versions <= known
        assert len(versions) > 1, "it read while the others wrote"


@pytest.mark.sweep  # tests/workspace/test_locks.py says in which order locks are taken
def test_transactions_that_name_their_files_in_opposite_orders_do_not_wait_for_each_other_forever(
    tmp_path: Path,
) -> None:
    names = ["q1", "q2", "q3", "q4"]
    count = 30
    with shared_root(tmp_path) as root:
        with crew(root, "transactions", names, count) as workers:
            for worker in workers:
                worker.join()
        assert all(len(worker.done()) == count for worker in workers)
        expected = Counter(token(name, turn) for name in names for turn in range(count))
        assert all(_tokens(root, path) == expected for path in SHARED)
        assert len(os.listdir(root / "made")) == len(names) * count // 3
        with check_sound(root) as ws:
            assert len(ws.history()) == len(names) * count
            for path in SHARED:
                check_chain(ws, path)


@table("role", ["transactions", "edits"], every=2)
def test_processes_killed_in_the_middle_leave_the_others_working(role: str, tmp_path: Path) -> None:
    survivors, victims = ["s1", "s2"], [f"v{number}" for number in range(VICTIMS)]
    with shared_root(tmp_path) as root:
        dead: list[Worker] = []
        with crew(root, role, survivors, SURVIVED) as workers:
            for name in victims:
                with Worker(root, role, name, 100_000) as victim:
                    wait_until(lambda victim=victim: len(victim.done()) >= 3, f"{name} works")
                    wait_until(lambda victim=victim: in_the_middle(root, victim), f"{name} is in the middle")
                    victim.kill()
                    dead.append(victim)
            for worker in workers:
                worker.join()
        assert all(len(worker.done()) == SURVIVED for worker in workers)
        with check_sound(root) as ws:
            _check_acknowledged(ws, root, [*workers, *dead], role)
            ws.edit(SHARED[0], [sh.Insert(FIRST, "after all\n")])


def _check_acknowledged(ws: sh.Workspace, root: Path, workers: list[Worker], role: str) -> None:
    """What was acknowledged is there once; beyond that at most the one change each dead process had under way."""
    committed = {entry.record.id for entry in ws.history()}
    for worker in workers:
        assert {facts["done"] for facts in worker.done()} <= committed
    for path in SHARED:
        found = _tokens(root, path)
        assert set(found.values()) <= {1}, "nothing twice"
        for worker in workers:
            answer = [facts for facts in worker.done() if role == "transactions" or facts["path"] == path]
            acknowledged = {facts["wrote"] for facts in answer if "wrote" in facts}
            mine = {line for line in found if f"[{worker.name}." in line}
            assert acknowledged <= mine
            assert len(mine - acknowledged) <= 1
    if role == "transactions":
        assert _tokens(root, SHARED[0]) == _tokens(root, SHARED[1]) == _tokens(root, SHARED[2]), "all or nothing"


def test_a_workspace_left_by_a_killed_process_is_repaired_by_the_next_one_to_open_it(tmp_path: Path) -> None:
    with shared_root(tmp_path) as root:
        acknowledged: set[str] = set()
        for attempt in range(100):
            with Worker(root, "transactions", f"alone{attempt}", 100_000) as victim:
                wait_until(lambda victim=victim: len(victim.done()) >= 2, "it works")
                wait_until(lambda victim=victim: in_the_middle(root, victim), "it is in the middle")
                victim.kill()
            acknowledged |= {facts["wrote"] for facts in victim.done()}
            if in_the_middle(root, victim):
                break
        else:
            raise AssertionError("no kill ever hit the middle")
        with check_sound(root):
            assert acknowledged <= set(_tokens(root, SHARED[0]))
            assert _tokens(root, SHARED[0]) == _tokens(root, SHARED[1]) == _tokens(root, SHARED[2])
