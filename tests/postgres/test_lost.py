"""A server that does not answer, ends, or loses the answer: nothing waits for ever, nothing is lost or done twice."""

from __future__ import annotations

import contextlib
import os
import threading

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.database import Connection
from steadyhand.workspace.journal.postgres.journal import PostgresJournal
from steadyhand.workspace.journal.record import Party, State
from steadyhand.workspace.journal.store import open_postgres
from tests.postgres.conftest import Opener
from tests.postgres.proxy import Mishap, Proxy
from tests.postgres.server import Server, until
from tests.workspace.journal.sample_records import STAGING, commit, record

SHORT = 0.8  # enough to connect on a busy machine, and still worth waiting for


def refused(kind: Kind) -> object:
    return pytest.raises(EditError, check=lambda error: error.kind is kind)


def backend(journal: PostgresJournal) -> int:
    """The server's process that serves this journal now."""
    return journal._server.link.live().raw.info.backend_pid


def ids(journal: PostgresJournal) -> list[str]:
    return [entry.record.id for entry in journal.entries(newest_first=False)]


def test_a_frozen_backend_ends_the_call_and_not_the_journal(postgres_server: Server, opener: Opener) -> None:
    journal = opener(timeout=SHORT)
    made = commit(journal, record())
    for call in (journal.stats, lambda: journal.append_note("a", {})):
        with postgres_server.frozen(backend(journal)), refused(Kind.TIMED_OUT):
            call()
    assert ids(journal) == [made.id]
    commit(journal, record())
    assert journal.verify() == []


def test_a_frozen_server_ends_the_opening(postgres_server: Server, postgres_url: str) -> None:
    assert postgres_server.pid is not None
    with postgres_server.frozen(postgres_server.pid), refused(Kind.TIMED_OUT):
        open_postgres(postgres_url, timeout=SHORT)


def test_a_server_that_is_not_there_is_named_at_once() -> None:
    with pytest.raises(EditError) as caught:
        open_postgres("postgresql://me:geheim@/db?host=/tmp/no-such-folder&journal=x")
    assert caught.value.kind is Kind.DISK_REFUSED
    assert "no-such-folder" in caught.value.message
    assert "geheim" not in f"{caught.value.message}{caught.value.hint}{caught.value!r}"


def test_a_statement_that_takes_too_long_keeps_its_connection(opener: Opener) -> None:
    journal = opener(timeout=SHORT)
    served_by = backend(journal)
    with refused(Kind.TIMED_OUT):
        journal._server.read(lambda connection: connection.execute("SELECT pg_sleep(60)"))
    assert backend(journal) == served_by


def test_another_writer_is_waited_for_and_then_named_busy(opener: Opener) -> None:
    one, other = opener(), opener(timeout=SHORT)
    with one.bulk():
        one.append_note("a", {})
        with refused(Kind.BUSY):
            other.append_note("b", {})
    other.append_note("c", {})
    assert [note.type for note in other.notes()] == ["c", "a"]


def test_a_terminated_backend_is_not_noticed_between_calls(postgres_server: Server, journal: PostgresJournal) -> None:
    made = commit(journal, record())
    for call in (
        lambda: ids(journal) == [made.id],
        lambda: journal.append_note("still", {}) == 3,
        lambda: journal.verify() == [],
        lambda: journal.prepare(record(), STAGING, {}) == 4,
    ):
        assert postgres_server.terminate_backends() > 0
        assert call()


def test_a_backend_terminated_inside_a_write_writes_once(postgres_server: Server, journal: PostgresJournal) -> None:
    tries = []

    def work(connection: Connection) -> int:
        tries.append(1)
        seq = journal.append_note("inside", {})
        if len(tries) == 1:
            postgres_server.terminate_backends()
        connection.execute("SELECT 1")
        return seq

    assert journal._server.write(work, durable=True) == 1
    assert [note.type for note in journal.notes()] == ["inside"]
    assert len(tries) == 2


def test_a_joined_write_whose_connection_is_lost_is_taken_back(
    postgres_server: Server, journal: PostgresJournal
) -> None:
    with refused(Kind.DISK_REFUSED), journal.bulk():
        journal.append_note("inside", {})
        postgres_server.terminate_backends()
        journal.append_note("after", {})
    assert journal.head() == 0


def test_what_was_acknowledged_survives_an_immediate_restart(postgres_server: Server, opener: Opener) -> None:
    journal, other = opener(), opener()
    settled = commit(journal, record())
    prepared = record()
    journal.prepare(prepared, STAGING, {})
    postgres_server.restart_immediate()
    assert [found.id for found, _ in other.unsettled()] == [prepared.id]
    journal.settle(prepared.id, State.COMMITTED)
    postgres_server.restart_immediate()
    assert ids(other) == [settled.id, prepared.id]
    assert other.verify() == []


def test_writers_go_on_through_a_restart(postgres_server: Server, opener: Opener) -> None:
    done: list[str] = []
    halfway, restarted = threading.Event(), threading.Event()

    def write(journal: PostgresJournal) -> None:
        for number in range(60):
            made = record()
            try:
                journal.prepare(made, STAGING, {})
            except EditError as error:
                assert error.kind.action == "retry-later"
            else:
                done.append(made.id)
            if number == 20:
                halfway.set()
                restarted.wait(300)

    journals = [opener() for _ in range(2)]
    threads = [threading.Thread(target=write, args=(journal,)) for journal in journals]
    for thread in threads:
        thread.start()
    halfway.wait(300)
    postgres_server.restart_immediate()
    restarted.set()
    for thread in threads:
        thread.join(300)
    kept = [found.id for found, _ in journals[0].unsettled()]
    assert len(done) >= 100
    assert len(set(kept)) == len(kept)
    assert set(done) <= set(kept)
    assert journals[0].verify() == []


@pytest.mark.parametrize("mishap", ["unsent", "unanswered"])
def test_a_commit_that_was_not_answered_is_done_exactly_once(
    proxy: Proxy, through: str, opener: Opener, mishap: Mishap
) -> None:
    journal, watching = opener(url=through), opener()
    made = record()
    proxy.mishap = mishap
    assert journal.prepare(made, STAGING, {}) == 1
    proxy.mishap = mishap
    journal.settle(made.id, State.COMMITTED)
    proxy.mishap = mishap
    assert journal.append_note("noted", {"a": 1}) == 3
    proxy.mishap = mishap
    party = Party("a", "t")
    assert journal.meet(party) == 3
    assert proxy.mishap is None
    assert ids(watching) == [made.id]
    assert watching.head() == 3
    assert watching.verify() == []


@pytest.mark.parametrize("mishap", ["unsent", "unanswered"])
def test_joined_writes_in_doubt_are_done_or_refused(proxy: Proxy, through: str, opener: Opener, mishap: Mishap) -> None:
    journal, watching = opener(url=through), opener()
    proxy.mishap = mishap
    if mishap == "unanswered":
        with journal.bulk():
            journal.append_note("noted", {})
        assert watching.head() == 1
        return
    with refused(Kind.DISK_REFUSED), journal.bulk():
        journal.append_note("noted", {})
    assert watching.head() == 0


def test_a_commit_whose_answer_never_comes_is_found_done(proxy: Proxy, through: str, opener: Opener) -> None:
    journal = opener(url=through, timeout=SHORT)
    made = record()
    proxy.mishap = "silent"
    assert journal.prepare(made, STAGING, {}) == 1
    assert [found.id for found, _ in journal.unsettled()] == [made.id]


def test_a_commit_that_may_still_come_is_refused_as_unknown(proxy: Proxy, through: str, opener: Opener) -> None:
    journal = opener(url=through, timeout=SHORT)
    proxy.mishap = "stuck"
    with pytest.raises(EditError) as caught:
        journal.append_note("noted", {})
    assert caught.value.kind is Kind.TIMED_OUT
    assert caught.value.details["state"] == "unknown"
    proxy.close()


def test_two_machines_append_to_one_chain(opener: Opener) -> None:
    journals = [opener() for _ in range(3)]
    threads = [
        threading.Thread(target=lambda mine=journal: [commit(mine, record()) for _ in range(15)])
        for journal in journals
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert journals[0].head() == 3 * 2 * 15 * 2
    assert journals[0].verify() == []


def test_a_forked_child_has_a_connection_of_its_own(postgres_server: Server, journal: PostgresJournal) -> None:
    served_by = backend(journal)
    child = os.fork()
    if child == 0:
        journal.append_note("child", {})
        os._exit(0 if backend(journal) != served_by else 1)
    assert os.waitpid(child, 0)[1] == 0
    journal.append_note("parent", {})
    assert backend(journal) == served_by
    assert [note.type for note in journal.notes()] == ["parent", "child"]


def test_a_child_does_not_keep_the_session_of_its_parent(postgres_server: Server, opener: Opener) -> None:
    journal = opener()
    served_by = backend(journal)
    hear, say = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(say)
        os.read(hear, 1)
        os._exit(0)
    journal.close()
    until(lambda: served_by not in postgres_server.backends(), "the child holds the session open")
    os.close(say)
    os.close(hear)
    assert os.waitpid(child, 0)[1] == 0


def test_a_backend_that_dies_at_the_end_of_a_snapshot_costs_one_call_at_most(
    postgres_server: Server, opener: Opener
) -> None:
    journal = opener()
    made = commit(journal, record())

    def work(connection: Connection) -> int:
        found = int(connection.execute("SELECT count(*) FROM log").fetchone()[0])
        pid = backend(journal)
        postgres_server.ask("SELECT pg_terminate_backend(%s)", pid)
        until(lambda: pid not in postgres_server.backends(), "the backend ends")
        return found

    with contextlib.suppress(EditError):
        journal._handle.read_snapshot(work)
    assert ids(journal) == [made.id]
    journal.append_note("still", {"works": True})
    assert journal.verify() == []
