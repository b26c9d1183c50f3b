"""A machine that freezes, or dies, in the middle of a commit, while another one goes on with the same tree.

Whoever lost its locks before its record was prepared changes nothing when it wakes. A record that is prepared belongs
to its machine: others leave those files alone until that machine has finished it or taken it back.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.concurrency.crew import Worker, check_chain, check_sound, shared_root, wait_until
from tests.concurrency.paused import NEW, OLD, POINTS, Point, change
from tests.concurrency.worker import FIRST, FORCE, SHARED
from tests.postgres.server import Server
from tests.sampling import sample

OPEN: tuple[Point, ...] = ("locked", "noted")
PREPARED = tuple(point for point in POINTS if point not in OPEN)
FREE = SHARED[2]
"""A file that the paused machine does not want."""


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    with shared_root(tmp_path) as made:
        yield made


@contextlib.contextmanager
def _workspace(root: Path, journal: str, machine: str) -> Iterator[sh.Workspace]:
    """A workspace as a process of that machine has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEADYHAND_MACHINE", machine)
        with sh.Workspace(root, actor=machine, journal=journal, lock_timeout=1) as ws:
            yield ws


@contextlib.contextmanager
def _paused(root: Path, journal: str, point: Point, server: Server) -> Iterator[Worker]:
    """A process of machine `north` that freezes at that point and whose session has ended."""
    with Worker.of_module(root, "paused", "north", [point, journal], machine="north") as worker:
        flags = os.WSTOPPED | os.WNOWAIT | os.WNOHANG
        wait_until(lambda: os.waitid(os.P_PID, worker.pid, flags) is not None or not worker.is_running, "it stops")
        assert worker.said() == [{"stopped": point}]
        assert server.terminate_backends() >= 1
        yield worker


def _wake(worker: Worker) -> dict[str, object]:
    """What a process has to say of its commit once it was let go on."""
    os.kill(worker.pid, signal.SIGCONT)
    worker.join()
    return worker.said()[-1]


def _refused_as_busy(ws: sh.Workspace) -> None:
    with pytest.raises(EditError) as caught:
        ws.edit(SHARED[0], [sh.Insert(FIRST, "not now\n")], policy=FORCE)
    assert caught.value.kind is Kind.BUSY
    assert "recovered where it was started" in (caught.value.hint or "")


def _check(root: Path, journal: str, makers: list[str], files: int) -> None:
    """The journal has these records, oldest first, and tells the tree; nothing is pending and nothing lies about."""
    with _workspace(root, journal, "north"), check_sound(root, journal) as ws:
        mine = [entry.record.reason for entry in reversed(ws.history(SHARED[0]))]
        assert mine == makers
        for path in SHARED:
            check_chain(ws, path)
        assert ws.check().pending == ()
    for path in SHARED[:files]:
        assert NEW.format(makers[0] if path != SHARED[0] else makers[-1]) in (root / path).read_text()


@pytest.mark.sampled
@pytest.mark.parametrize("point", sample(OPEN, 1))
def test_who_lost_its_locks_before_its_record_was_prepared_changes_nothing_when_it_wakes(
    point: Point, root: Path, postgres_server: Server, postgres_url: str
) -> None:
    with _paused(root, postgres_url, point, postgres_server) as paused:
        with _workspace(root, postgres_url, "south") as south:
            change(south, "south", files=1)
            after = (root / SHARED[0]).read_bytes()
            assert _wake(paused)["refused"] == "conflict", "it sees what the other machine has made of the file"
    assert (root / SHARED[0]).read_bytes() == after
    _check(root, postgres_url, ["south"], 1)


def test_who_lost_its_locks_after_its_record_was_prepared_takes_it_back(
    root: Path, postgres_server: Server, postgres_url: str
) -> None:
    with _paused(root, postgres_url, "prepared", postgres_server) as paused:
        with _workspace(root, postgres_url, "south") as south:
            _refused_as_busy(south)
            south.edit(FREE, [sh.Replace(OLD, "free\n")])
            assert _wake(paused)["refused"] == "busy"
            assert (root / SHARED[0]).read_text().count(OLD) == 1
            change(south, "south", files=1)
    _check(root, postgres_url, ["south"], 1)


@pytest.mark.sampled
@pytest.mark.parametrize("point", sample(["sure", "between"], 1))
def test_who_was_paused_while_it_changed_names_finishes_and_nobody_came_between(
    point: Point, root: Path, postgres_server: Server, postgres_url: str
) -> None:
    with _paused(root, postgres_url, point, postgres_server) as paused:
        with _workspace(root, postgres_url, "south") as south:
            _refused_as_busy(south)
            south.edit(FREE, [sh.Replace(OLD, "free\n")])
            assert "done" in _wake(paused)
            south.read(SHARED[0])
            south.edit(SHARED[0], [sh.Replace(NEW.format("north"), NEW.format("south"))], reason="south")
    _check(root, postgres_url, ["north", "south"], 2 if point == "between" else 1)


@pytest.mark.sampled
@pytest.mark.parametrize("point", sample(OPEN, 1))
def test_a_machine_that_died_before_its_record_was_prepared_is_in_nobodys_way(
    point: Point, root: Path, postgres_server: Server, postgres_url: str
) -> None:
    with _paused(root, postgres_url, point, postgres_server) as paused:
        paused.kill()
    with _workspace(root, postgres_url, "south") as south:
        change(south, "south", files=1)
    _check(root, postgres_url, ["south"], 1)


@pytest.mark.sampled
@pytest.mark.parametrize("point", sample(PREPARED, 1))
def test_what_a_dead_machine_had_prepared_is_recovered_by_that_machine_and_no_other(
    point: Point, root: Path, postgres_server: Server, postgres_url: str
) -> None:
    with _paused(root, postgres_url, point, postgres_server) as paused:
        paused.kill()
    before = [(root / path).read_bytes() for path in SHARED[:2]]
    with _workspace(root, postgres_url, "south") as south:
        _refused_as_busy(south)
        south.edit(FREE, [sh.Replace(OLD, "free\n")])
        assert [(root / path).read_bytes() for path in SHARED[:2]] == before, "left as it was found"
    with _workspace(root, postgres_url, "north") as north:
        assert north.check().pending == ()
    with _workspace(root, postgres_url, "south") as south:
        line = next(line for line in south.read(SHARED[0]).lines if line.startswith(("count", "changed")))
        south.edit(SHARED[0], [sh.Replace(line, NEW.format("south").rstrip("\n"))], reason="south")
    _check(root, postgres_url, ["north", "south"] if point == "between" else ["south"], 2 if point == "between" else 1)
