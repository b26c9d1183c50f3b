"""Opening a journal by URL: which one, for whom, and what is left alone."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.database import TABLES, VERSION
from steadyhand.workspace.journal.maintenance import copy_journal
from steadyhand.workspace.journal.postgres.journal import PostgresJournal
from steadyhand.workspace.journal.postgres.session import parse_address
from steadyhand.workspace.journal.store import open_journal, open_postgres
from tests.postgres.conftest import Opener
from tests.postgres.proxy import Proxy
from tests.postgres.server import Server
from tests.table import table
from tests.workspace.journal.sample_records import STAGING, commit, image_of, record


def refused(kind: Kind) -> object:
    return pytest.raises(EditError, check=lambda error: error.kind is kind)


def schema_of(url: str) -> str:
    return parse_address(url, "main").schema


def dump(server: Server, schema: str) -> list[tuple[object, ...]]:
    """Every table of a schema with its columns and its number of rows."""
    query = """SELECT table_name, column_name, data_type FROM information_schema.columns
        WHERE table_schema = %s ORDER BY 1, ordinal_position"""
    found = server.ask(query, schema)
    counts = [server.ask(f'SELECT count(*) FROM "{schema}"."{name}"')[0] for name in {str(row[0]) for row in found}]
    return [*found, *sorted(counts)]


@pytest.mark.parametrize("name", ["", "A", "a.b", 'a"b', "a" * 49, "a b", "ä", "a;drop"])
def test_what_is_no_name_is_a_bad_request(postgres_server: Server, name: str) -> None:
    if name:
        with refused(Kind.BAD_REQUEST):
            open_postgres(f"{postgres_server.url}&journal={name}")
    with refused(Kind.BAD_REQUEST):
        open_postgres(f"{postgres_server.url}&journal={name}&journal={name}")


@table(
    "url",
    [
        "postgresql://me:12/geheim@host/db",
        "postgresql://me:12?geheim@host/db",
        "postgresql://me:pw@geheim@host/db",
        "postgresql://me:geheim@[::1/db",
        "postgres://me:geheim@host/db?nothing=1",
        "postgresql://me:ge%zzheim@host/db",
    ],
)
def test_what_is_no_url_is_a_bad_request_that_shows_no_password(url: str) -> None:
    with pytest.raises(EditError) as caught:
        open_journal(url)
    error = caught.value
    assert error.kind is Kind.BAD_REQUEST
    assert "geheim" not in f"{error!r} {error.message} {error.hint} {error.__cause__!r}"


@table(
    "url",
    [
        "postgresql://me:geheim@db.example:5433/work?journal=a-b_1&sslmode=disable",
        "postgres://db.example/work?user=me&password=geheim&port=5433&journal=a-b_1",
    ],
)
def test_the_location_shows_everything_but_the_password(url: str) -> None:
    address = parse_address(url, "main")
    assert address.shown == "postgresql://me@/work?host=db.example&port=5433&journal=a-b_1"
    assert address.schema == "steadyhand_a-b_1"
    assert address.parameters["password"] == "geheim"
    assert "geheim" not in repr(address)
    again = parse_address(address.shown, "main")
    assert again == replace(again, parameters={k: address.parameters[k] for k in ("user", "dbname", "host", "port")})


def test_a_password_is_shown_nowhere(postgres_server: Server, postgres_url: str) -> None:
    url = postgres_url.replace("postgres@", "postgres:geheim@")
    with open_journal(url) as journal:
        assert "geheim" not in journal.location
        answer = [str(row) for row in postgres_server.ask("SELECT application_name, query FROM pg_stat_activity")]
        assert not any("geheim" in text for text in answer)
        postgres_server.ask(f'DROP SCHEMA "{schema_of(url)}" CASCADE')
        with pytest.raises(EditError) as caught:
            journal.head()
    assert caught.value.kind is Kind.JOURNAL_DAMAGED
    assert "geheim" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}"


def test_who_is_not_let_in_learns_so(postgres_server: Server, postgres_url: str) -> None:
    with refused(Kind.NOT_ALLOWED):
        open_journal(postgres_url.replace("postgres@", "nobody-of-that-name@"))
    with refused(Kind.NO_SUCH_FILE):
        open_journal(postgres_url.replace("/postgres?", "/no-such-database?"))


def test_a_pooler_is_refused(proxy: Proxy, through: str) -> None:
    proxy.pools = True
    with refused(Kind.NOT_ALLOWED):
        open_journal(through)


def test_the_name_comes_from_the_url_or_else_from_the_caller(postgres_server: Server, postgres_url: str) -> None:
    plain = postgres_server.url
    with open_journal(postgres_url, name="other") as one, open_journal(plain, name="from-caller") as other:
        assert one.location.endswith(postgres_url.rpartition("=")[2])
        assert other.location.endswith("journal=from-caller")
        one.append_note("here", {})
        assert other.head() == 0
    postgres_server.ask('DROP SCHEMA "steadyhand_from-caller" CASCADE')


def test_a_database_without_psycopg_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(EditError) as caught:
        open_journal("postgresql://host/db")
    assert caught.value.kind is Kind.NOT_INSTALLED
    assert caught.value.hint == "pip install 'steadyhand[postgres]'"


def test_nobody_imports_psycopg_without_need() -> None:
    script = "import sys, steadyhand, steadyhand.workspace.journal.postgres; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_many_may_open_a_new_journal_at_once(postgres_url: str) -> None:
    opened: list[int] = []

    def work() -> None:
        with open_journal(postgres_url) as journal:
            opened.append(journal.append_note("here", {}))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert sorted(opened) == [1, 2, 3, 4, 5, 6]


def test_a_newer_journal_is_refused_and_left_alone(postgres_server: Server, postgres_url: str) -> None:
    open_journal(postgres_url).close()
    schema = schema_of(postgres_url)
    postgres_server.ask(f'UPDATE "{schema}".form SET version = %s', VERSION + 1)
    before = dump(postgres_server, schema)
    for read_only in (False, True):
        with pytest.raises(EditError) as caught:
            open_journal(postgres_url, read_only=read_only)
        assert caught.value.kind is Kind.JOURNAL_DAMAGED
        assert caught.value.details["version"] == VERSION + 1
    assert dump(postgres_server, schema) == before


@pytest.mark.parametrize(
    "statement",
    [
        'CREATE TABLE "{0}".something (id int)',
        'ALTER TABLE "{0}".log ADD COLUMN more int',
        'DROP TABLE "{0}".images',
        'DROP TRIGGER log_is_append_only ON "{0}".log',
        'DELETE FROM "{0}".form',
    ],
)
def test_a_schema_that_is_not_a_journal_is_refused_and_left_alone(
    postgres_server: Server, postgres_url: str, statement: str
) -> None:
    schema = schema_of(postgres_url)
    open_journal(postgres_url).close()
    postgres_server.ask(statement.format(schema))
    before = dump(postgres_server, schema)
    with refused(Kind.JOURNAL_DAMAGED):
        open_journal(postgres_url)
    assert dump(postgres_server, schema) == before


def test_the_schema_of_another_program_is_refused_and_left_alone(postgres_server: Server, postgres_url: str) -> None:
    schema = schema_of(postgres_url)
    postgres_server.ask(f'CREATE SCHEMA "{schema}"')
    postgres_server.ask(f'CREATE TABLE "{schema}".log (seq int)')
    with refused(Kind.JOURNAL_DAMAGED):
        open_journal(postgres_url)
    assert [row[:2] for row in dump(postgres_server, schema)] == [("log", "seq"), (0,)]


def test_an_empty_schema_that_was_made_for_us_is_filled(postgres_server: Server, postgres_url: str) -> None:
    postgres_server.ask(f'CREATE SCHEMA "{schema_of(postgres_url)}"')
    with open_journal(postgres_url) as journal:
        assert journal.append_note("here", {}) == 1


def test_the_log_cannot_be_changed_by_a_statement(postgres_server: Server, journal: PostgresJournal) -> None:
    import psycopg

    journal.append_note("here", {})
    schema = f"steadyhand_{journal.name}"
    for statement in (f'UPDATE "{schema}".log SET seq = 5', f'DELETE FROM "{schema}".log', f'TRUNCATE "{schema}".log'):
        with pytest.raises(psycopg.Error, match="append-only"):
            postgres_server.ask(statement)
    assert journal.verify() == []


def test_a_role_that_may_only_read_can_read(postgres_server: Server, opener: Opener, postgres_url: str) -> None:
    journal = opener()
    made = commit(journal, record(), image_of(b"kept"))
    schema, role = f"steadyhand_{journal.name}", f"reader_{journal.name}"
    postgres_server.ask(f'CREATE ROLE "{role}" LOGIN')
    postgres_server.ask(f'GRANT USAGE ON SCHEMA "{schema}" TO "{role}"')
    postgres_server.ask(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "{role}"')
    url = postgres_url.replace("postgres@", f"{role}@")
    for read_only in (True, False):
        reader = opener(url=url, read_only=read_only)
        assert reader.find(made.id).record == made
        assert reader.verify() == []
        assert reader.leases() == []
        assert reader.siblings("r") == []
        with refused(Kind.READ_ONLY):
            reader.append_note("no", {})
    with refused(Kind.READ_ONLY):
        reader.register("r", "label")


def test_read_only_changes_nothing_whatever_is_tried(opener: Opener) -> None:
    journal, reader = opener(), opener(read_only=True)
    with refused(Kind.READ_ONLY):
        reader._server.read(lambda connection: connection.execute("DELETE FROM counters"))
    with refused(Kind.READ_ONLY):
        reader.prepare(record(), STAGING, {})
    assert journal.head() == 0


def test_a_journal_that_is_not_there_yet_reads_as_empty_until_it_is(postgres_server: Server, opener: Opener) -> None:
    reader = opener(read_only=True)
    for _ in range(8):  # often enough for the server to keep a plan
        assert reader.head() == 0
    assert list(reader.entries()) == []
    assert reader.verify() == []
    assert postgres_server.ask("SELECT 1 FROM pg_namespace WHERE nspname = %s", f"steadyhand_{reader.name}") == []
    made = commit(opener(), record())
    assert reader.find(made.id).record == made
    assert reader.head() == 2


def test_a_copy_to_the_server_and_back_is_the_same(opener: Opener, tmp_path: object) -> None:
    with open_journal(f"{tmp_path}/a") as source, open_journal(f"{tmp_path}/b") as back:
        for number in range(5):
            commit(source, record(), image_of(b"content %d" % number))
        source.append_note("kept", {"a": [1, 2]})
        there = copy_journal(source, opener())
        home = copy_journal(opener(read_only=True), back)
        assert there.head_chain == home.head_chain == source.stats().head_chain
        assert [entry.record for entry in back.entries()] == [entry.record for entry in source.entries()]


def test_every_table_is_made(postgres_server: Server, journal: PostgresJournal) -> None:
    query = "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'"
    found = {row[0] for row in postgres_server.ask(query, f'"steadyhand_{journal.name}"')}
    assert found == {*TABLES, "form"}
