"""Locks by name: one holder at a time, no deadlock, a wait that ends, and nothing left of a process that died."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.locks import LockTable, stripe_of

SOURCE = Path(sys.modules["steadyhand"].__file__ or "").parent.parent
HOLDER = """
import sys
from steadyhand.workspace.locks import LockTable
with LockTable(sys.argv[1]).hold(sys.argv[2:], timeout=300):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNTER = """
import sys
from steadyhand.workspace.locks import LockTable
table, path, turns = LockTable(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for _ in range(turns):
    with table.hold(["counter", "other"], timeout=300):
        value = int(open(path).read())
        open(path, "w").write(str(value + 1))
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def table(tmp_path: Path) -> LockTable:
    return LockTable(tmp_path / "locks")


def sharing_keys() -> tuple[str, str]:
    seen: dict[str, str] = {}
    for n in range(100_000):
        if (stripe := stripe_of(f"k{n}")) in seen:
            return seen[stripe], f"k{n}"
        seen[stripe] = f"k{n}"
    raise AssertionError


def hold_elsewhere(table: LockTable, *keys: str) -> tuple[threading.Thread, threading.Event]:
    held, free = threading.Event(), threading.Event()

    def work() -> None:
        with table.hold(keys, timeout=300):
            held.set()
            free.wait(300)

    thread = threading.Thread(target=work)
    thread.start()
    assert held.wait(300)
    return thread, free


def test_a_held_key_is_busy_for_other_threads_and_tables(table: LockTable, tmp_path: Path) -> None:
    thread, free = hold_elsewhere(table, "docs/a.md")
    for other in (table, LockTable(tmp_path / "locks")):
        for timeout in (0.0, 0.05):
            with pytest.raises(EditError) as caught, other.hold(["b", "docs/a.md"], timeout=timeout):
                pass
            assert caught.value.kind is Kind.BUSY
            assert caught.value.details["keys"] == ["docs/a.md"]
            assert "docs/a.md" in caught.value.message
    free.set()
    thread.join()
    with table.hold(["docs/a.md"], timeout=0):
        pass


def test_who_gives_up_gives_back_what_it_had(table: LockTable) -> None:
    keys = sorted((f"k{n}" for n in range(8)), key=stripe_of)
    thread, free = hold_elsewhere(table, keys[-1])
    with pytest.raises(EditError), table.hold(keys, timeout=0.02):
        pass
    with table.hold(keys[:-1], timeout=0):
        pass
    free.set()
    thread.join()


def test_a_lock_is_held_across_processes_and_dies_with_a_killed_holder(table: LockTable, tmp_path: Path) -> None:
    holder = start(HOLDER, str(tmp_path / "locks"), "a", "b")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    for key in ("a", "b"):
        with pytest.raises(EditError) as caught, table.hold([key], timeout=0.02):
            pass
        assert caught.value.kind is Kind.BUSY
    with table.hold(["c"], timeout=0):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with table.hold(["a", "b"], timeout=0):
        pass


def test_no_turn_is_lost_between_processes_and_all_get_theirs(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    workers = [start(COUNTER, str(tmp_path / "locks"), str(counter), "100") for _ in range(4)]
    for worker in workers:
        worker.communicate()
        assert worker.returncode == 0
    assert counter.read_text() == "400"


def test_a_holder_that_wants_more_does_not_pass_over_a_waiter(table: LockTable, tmp_path: Path) -> None:
    """One takes the lock again and again without a pause; another still gets its turns."""
    turns: list[str] = []
    enough = threading.Event()

    def greedy() -> None:
        own = LockTable(tmp_path / "locks")
        while not enough.is_set():
            with own.hold(["a"], timeout=300):
                turns.append("greedy")
                sum(range(50_000))

    thread = threading.Thread(target=greedy)
    thread.start()
    for _ in range(20):
        with table.hold(["a"], timeout=300):
            turns.append("modest")
    enough.set()
    thread.join()
    assert turns.count("greedy") < 20 * turns.count("modest") + 100


def test_crossed_orders_do_not_deadlock(table: LockTable) -> None:
    done: list[int] = []

    def work(keys: list[str]) -> None:
        for _ in range(100):
            with table.hold(keys, timeout=300):
                done.append(1)

    keys = [f"k{n}" for n in range(5)]
    threads = [threading.Thread(target=work, args=(order,)) for order in (keys, keys[::-1], keys[2:] + keys[:2])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 300


def test_asking_again_for_a_held_key_is_an_error_of_the_program(table: LockTable) -> None:
    with table.hold(["a"], timeout=0):
        with pytest.raises(EditError) as caught, table.hold(["b", "a"], timeout=300):
            pass
        assert caught.value.kind is Kind.INTERNAL
        with table.hold(["b"], timeout=0):
            pass
    with table.hold(["a"], timeout=0):
        pass


def test_two_keys_that_share_a_lock_file_do_not_block_their_own_thread(table: LockTable) -> None:
    one, two = sharing_keys()
    with table.hold([one, two, one], timeout=0):
        pass
    with table.hold([one], timeout=0):
        with table.hold([two], timeout=0):
            pass
        thread_saw: list[Kind] = []

        def look() -> None:
            try:
                with table.hold([two], timeout=0):
                    pass
            except EditError as error:
                thread_saw.append(error.kind)

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert thread_saw == [Kind.BUSY], "the inner release must not free the outer lock"


def test_lock_files_are_few_private_and_stay(table: LockTable, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with table.hold([f"k{n}" for n in range(200)], timeout=300):
            pass
    finally:
        os.umask(old)
    names = os.listdir(tmp_path / "locks")
    assert 0 < len(names) <= 402
    assert {name.removesuffix(".gate") for name in names} == {"all", *(stripe_of(f"k{n}") for n in range(200))}
    for name in names:
        assert stat.S_IMODE((tmp_path / "locks" / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "locks").stat().st_mode) == 0o700
    assert len(os.listdir("/dev/fd")) < 100


MANY = [f"k{n}" for n in range(2000)]


def test_very_many_keys_are_one_lock_that_all_others_share(table: LockTable, tmp_path: Path) -> None:
    with table.hold(MANY, timeout=300):
        assert len(os.listdir(tmp_path / "locks")) == 4, "the shared lock, one key's file, and their gates"
        with pytest.raises(EditError) as caught, table.hold(["k7"], timeout=300):
            pass
        assert caught.value.kind is Kind.INTERNAL
    for others in (["k7"], ["another"], MANY):
        thread, free = hold_elsewhere(table, *others)
        with pytest.raises(EditError) as caught, table.hold(MANY, timeout=0.02):
            pass
        assert caught.value.kind is Kind.BUSY
        free.set()
        thread.join()
    thread, free = hold_elsewhere(table, *MANY)
    for asked in (["k7"], ["another"]):
        with pytest.raises(EditError) as caught, table.hold(asked, timeout=0.02):
            pass
        assert caught.value.kind is Kind.BUSY
    with pytest.raises(EditError), table.hold(MANY, timeout=0, one_by_one=True):
        pass
    free.set()
    thread.join()


def test_very_many_keys_taken_one_by_one_stop_nobody_else(table: LockTable) -> None:
    thread, free = hold_elsewhere(table, "another")
    others = [key for key in MANY if stripe_of(key) != stripe_of("another")]
    with table.hold(others, timeout=0, one_by_one=True):
        pass
    free.set()
    thread.join()


def test_who_wants_very_many_keys_gets_its_turn_among_many_who_want_few(table: LockTable, tmp_path: Path) -> None:
    enough = threading.Event()

    def busy(key: str) -> None:
        own = LockTable(tmp_path / "locks")
        while not enough.is_set():
            with own.hold([key], timeout=300):
                sum(range(50_000))

    threads = [threading.Thread(target=busy, args=(f"busy {n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        with table.hold(MANY, timeout=300):
            pass
    enough.set()
    for thread in threads:
        thread.join()


def test_locks_are_taken_where_the_folder_is_now(table: LockTable, tmp_path: Path) -> None:
    with table.hold(["a"], timeout=0):
        os.rename(tmp_path / "locks", tmp_path / "moved")
    with table.hold(["a"], timeout=0):
        assert stripe_of("a") in os.listdir(tmp_path / "locks")


def test_a_link_in_place_of_the_folder_or_a_lock_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "locks").symlink_to("real")
    with pytest.raises(EditError) as caught, LockTable(tmp_path / "locks").hold(["a"], timeout=1):
        pass
    assert caught.value.kind in (Kind.OUTSIDE_ROOT, Kind.NO_SUCH_FILE)
    (tmp_path / "real" / stripe_of("a")).symlink_to(tmp_path / "victim")
    with pytest.raises(EditError), LockTable(tmp_path / "real").hold(["a"], timeout=1):
        pass
    assert not (tmp_path / "victim").exists()


def test_a_lock_file_removed_by_somebody_does_not_let_two_in(table: LockTable, tmp_path: Path) -> None:
    with table.hold(["a"], timeout=0):
        os.unlink(tmp_path / "locks" / stripe_of("a"))
        thread, free = hold_elsewhere(table, "a")  # the removed file no longer counts: this is the new lock
    with pytest.raises(EditError), table.hold(["a"], timeout=0):
        pass
    free.set()
    thread.join()


def test_an_error_inside_frees_the_lock(table: LockTable) -> None:
    with pytest.raises(ZeroDivisionError), table.hold(["a"], timeout=0):
        _ = 1 / 0
    with table.hold(["a"], timeout=0):
        pass
    with table.hold([], timeout=0):
        pass
