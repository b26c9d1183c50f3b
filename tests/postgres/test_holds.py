"""Locks between machines: who holds, who waits, and that who lost them cannot write."""

from __future__ import annotations

import os
import threading
from dataclasses import replace

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.postgres.journal import PostgresJournal
from steadyhand.workspace.journal.record import Hold, Lease, Party, State
from tests.postgres.conftest import Opener
from tests.postgres.proxy import Mishap, Proxy
from tests.postgres.server import Server, until
from tests.workspace.journal.sample_records import STAGING, record

KEYS = ("docs/a.md", "docs/b.md")


def refused(kind: Kind) -> object:
    return pytest.raises(EditError, check=lambda error: error.kind is kind)


def backend(journal: PostgresJournal) -> int:
    return journal._server.link.live().raw.info.backend_pid


def are_held(server: Server, count: int) -> None:
    """So many locks are held on the whole server, as soon as sessions that were closed are gone."""
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    until(lambda: server.ask(query) == [(count,)], f"there are not {count} locks")


def test_who_comes_second_is_refused_as_busy_and_leaves_nothing_locked(postgres_server: Server, opener: Opener) -> None:
    one, other = opener(), opener()
    with one.hold(["docs/a.md"], timeout=300):
        for keys in (["docs/a.md"], KEYS, ["docs/c.md", "docs/a.md", "docs/b.md"]):
            with pytest.raises(EditError) as caught, other.hold(keys, timeout=0.05):
                pass
            assert caught.value.kind is Kind.BUSY
            assert caught.value.details["path"] == "docs/a.md"
        are_held(postgres_server, 1)
    are_held(postgres_server, 0)
    with other.hold(KEYS, timeout=300):
        pass


def test_a_hold_that_fails_half_way_leaves_nothing_locked(postgres_server: Server, opener: Opener) -> None:
    import psycopg

    opener().close()
    journal = opener(timeout=2)
    with psycopg.connect(postgres_server.url) as blocking:
        blocking.execute(f"LOCK TABLE steadyhand_{journal.name}.fences IN ACCESS EXCLUSIVE MODE")
        with refused(Kind.BUSY), journal.hold(KEYS, timeout=0):
            pass
        are_held(postgres_server, 0)
    with journal.hold(KEYS, timeout=300) as hold:
        assert journal.still_holds(hold, KEYS)


def test_who_waits_gets_it(opener: Opener) -> None:
    one, other = opener(), opener()
    waiting, got = threading.Event(), threading.Event()

    def take() -> None:
        waiting.set()
        with other.hold(KEYS, timeout=300):
            got.set()

    thread = threading.Thread(target=take)
    with one.hold(KEYS, timeout=300):
        thread.start()
        waiting.wait(300)
        assert not got.is_set()
    thread.join(300)
    assert got.is_set()


def test_numbers_grow_whoever_holds_what(opener: Opener) -> None:
    one, other = opener(), opener()
    numbers = []
    for journal, keys in ((one, ["a"]), (other, ["a", "b"]), (one, ["b"]), (other, ["c"]), (one, ["a"])):
        with journal.hold(keys, timeout=300) as hold:
            numbers.append(hold.number)
            assert journal.still_holds(hold, keys)
        assert not journal.still_holds(hold, keys)
    assert numbers == sorted(set(numbers))
    assert numbers[0] > 0


def test_what_is_prepared_under_a_hold_is_kept_with_its_number(journal: PostgresJournal) -> None:
    with journal.hold(KEYS, timeout=300) as hold:
        made = record()
        journal.prepare(made, replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
    assert journal.staging(made.id).fence == hold.number


def test_a_hold_that_was_given_back_prepares_nothing(journal: PostgresJournal) -> None:
    with journal.hold(KEYS, timeout=300) as hold:
        pass
    for number in (hold.number, hold.number + 1):
        with refused(Kind.BUSY):
            journal.prepare(record(), replace(STAGING, fence=number), {})
    assert journal.head() == 0


def test_keys_that_are_not_held_are_not_prepared(journal: PostgresJournal) -> None:
    with journal.hold(["docs/a.md"], timeout=300) as hold:
        with refused(Kind.BUSY):
            journal.prepare(record(), replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
        assert not journal.still_holds(hold, KEYS)
        assert not journal.still_holds(Hold(0), KEYS)
    assert journal.head() == 0


def test_thousands_of_files_are_held_at_once(postgres_server: Server, opener: Opener) -> None:
    journal, other = opener(), opener()
    keys = [f"docs/{number}.md" for number in range(6000)]
    with journal.hold(keys, timeout=300) as hold:
        assert journal.still_holds(hold, keys)
        with refused(Kind.BUSY), other.hold(keys[-1:], timeout=0):
            pass
    are_held(postgres_server, 0)


def test_who_lost_its_session_lost_its_hold_and_cannot_prepare(postgres_server: Server, opener: Opener) -> None:
    slow, quick = opener(), opener()
    with slow.hold(KEYS, timeout=300) as hold:
        staging = replace(STAGING, lock_keys=KEYS, fence=hold.number)
        postgres_server.ask("SELECT pg_terminate_backend(%s)", backend(slow))
        with quick.hold(KEYS, timeout=300) as later:
            assert later.number > hold.number
            assert not slow.still_holds(hold, KEYS)
            with refused(Kind.BUSY):
                slow.prepare(record(), staging, {})
        assert slow.head() == 0  # connected again, and still without the hold
        with refused(Kind.BUSY):
            slow.prepare(record(), staging, {})
        assert not slow.still_holds(hold, KEYS)
    assert quick.head() == 0
    with slow.hold(KEYS, timeout=300) as again:
        assert again.number > later.number
        slow.prepare(record(), replace(staging, fence=again.number), {})


def test_a_session_that_ends_before_anybody_notices_prepares_nothing(postgres_server: Server, opener: Opener) -> None:
    journal, other = opener(), opener()
    with journal.hold(KEYS, timeout=300) as hold:
        postgres_server.terminate_backends()
        with refused(Kind.BUSY):
            journal.prepare(record(), replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
    assert other.head() == 0


def test_a_restart_takes_every_hold_away(postgres_server: Server, opener: Opener) -> None:
    journal = opener()
    with journal.hold(KEYS, timeout=300) as hold:
        postgres_server.restart_immediate()
        assert not journal.still_holds(hold, KEYS)
    with journal.hold(KEYS, timeout=300) as later:
        assert journal.still_holds(later, KEYS)


@pytest.mark.parametrize(("mishap", "states"), [("unsent", []), ("unanswered", [State.ABORTED])])
def test_a_prepare_in_doubt_under_a_hold_is_taken_back(
    proxy: Proxy, through: str, opener: Opener, mishap: Mishap, states: list[State]
) -> None:
    journal, watching = opener(url=through), opener()
    with journal.hold(KEYS, timeout=300) as hold:
        proxy.mishap = mishap
        with refused(Kind.BUSY):
            journal.prepare(record(), replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
    assert watching.unsettled() == []
    assert [entry.state for entry in watching.entries(states=tuple(State))] == states


def test_threads_of_one_process_do_not_free_each_others_locks(postgres_server: Server, opener: Opener) -> None:
    journal, other = opener(), opener()
    with journal.hold(["docs/a.md"], timeout=300):
        with journal.hold(KEYS, timeout=300) as inner:
            assert journal.still_holds(inner, KEYS)
        with refused(Kind.BUSY), other.hold(["docs/a.md"], timeout=0.02):
            pass
    are_held(postgres_server, 0)


def test_a_child_does_not_hold_what_its_parent_holds(opener: Opener) -> None:
    journal, other = opener(), opener()
    with journal.hold(KEYS, timeout=300) as hold:
        child = os.fork()
        if child == 0:
            try:
                journal.prepare(record(), replace(STAGING, lock_keys=KEYS, fence=hold.number), {})
            except EditError as error:
                os._exit(0 if error.kind is Kind.BUSY and not journal.still_holds(hold, KEYS) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert journal.still_holds(hold, KEYS)
    assert other.head() == 0


def test_many_machines_exclude_each_other(opener: Opener) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work(journal: PostgresJournal, keys: list[str]) -> None:
        for _ in range(8):
            with journal.hold(keys, timeout=300):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    orders = (["a", "b"], ["b", "a"], ["b", "c", "a"])
    threads = [threading.Thread(target=work, args=(opener(), keys)) for keys in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert most == [1] * 24


def lease(id: str) -> Lease:
    return Lease(id, Party("agent", "T-1"), "docs/a.md", "2026-01-01T00:00:00.000Z")


def test_leases_outlive_a_lost_connection_and_end_with_the_journal(postgres_server: Server, opener: Opener) -> None:
    journal, other = opener(), opener()
    journal.keep_lease(lease("one"))
    postgres_server.ask("SELECT pg_terminate_backend(%s)", backend(journal))
    until(lambda: journal.head() == 0, "the journal is not connected again")
    assert [found.id for found in other.leases()] == ["one"]
    journal.close()
    until(lambda: other.leases() == [], "a lease outlives its holder")


def test_clones_of_a_repository_find_and_read_each_other(
    postgres_server: Server, postgres_url: str, opener: Opener
) -> None:
    one, other, stranger = opener(), opener(url=postgres_server.fresh()), opener(url=postgres_server.fresh())
    repo = f"repo-{one.name}"
    for journal, of in ((one, repo), (other, repo), (stranger, "another"), (one, repo)):
        journal.register(of, "label \0 \udc80")
    assert one.siblings(repo) == [other.name]
    assert other.siblings(repo) == [one.name]
    assert stranger.siblings(repo) == sorted([one.name, other.name])
    other.append_note("there", {})
    rows = "SELECT count(*) FROM log"
    assert one.ask_sibling(other.name, lambda connection: connection.execute(rows).fetchone()[0]) == 1
    assert one.stats().rows == 0, "it asks its own journal again"
    with refused(Kind.BAD_REQUEST):
        one.ask_sibling("../x", lambda connection: connection.execute(rows).fetchone()[0])
