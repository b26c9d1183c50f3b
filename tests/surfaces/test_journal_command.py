"""`steadyhand journal`: where the journal is, and moving it between stores without losing anything."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.workspace.journal.record import FileChange, FileState, Record, Staging, new_record_id, utc_now
from steadyhand.workspace.journal.store import open_journal
from steadyhand.workspace.state import this_machine
from tests.postgres.server import Server
from tests.surfaces.shell import Shell


def some_history(shell: Shell) -> list[str]:
    """Three changes, the last one undone; their ids."""
    edits = [("cat", "dog", "barks"), ("mat", "rug", "softer"), ("sat", "lay", "lazier")]
    ids = [
        shell.json("edit", "notes.md", "--old", old, "--new", new, "--reason", why)["receipt"]["id"]
        for old, new, why in edits
    ]
    shell.ok("undo", ids[-1])
    return ids


def facts(shell: Shell, *options: str) -> tuple[object, ...]:
    """What the journal tells: history, reasons, who wrote which line."""
    log = shell.json(*options, "log")["entries"]
    why = shell.json(*options, "why", "notes.md")
    return log, why, shell.json(*options, "check")["ok"]


def test_where_the_journal_is_kept_is_reported(shell: Shell) -> None:
    assert "none yet" in shell.ok("journal")
    some_history(shell)
    said = shell.ok("journal")
    assert "SQLite" in said
    assert str(shell.root / ".steadyhand") in said
    document = shell.json("journal", "show")["journal"]
    assert (document["store"], document["records"], document["state"]) == ("SQLite", 4, "in use")
    assert document["bytes"] > 0
    assert document["oldest"] <= document["newest"]


def test_a_journal_moves_to_a_server_and_works_on_and_back(
    shell: Shell, postgres_server: Server, tmp_path: Path
) -> None:
    ids = some_history(shell)
    before = facts(shell)
    moved = shell.json("journal", "move", "--to", postgres_server.url)
    assert (moved["to"], moved["problems"]) == (postgres_server.url, [])
    there = ["--journal", postgres_server.url]
    assert facts(shell, *there) == before
    shell.ok(*there, "undo", ids[0])
    assert shell.text("notes.md") == "# Notes\n\nthe cat sat\non the rug\n"
    assert shell.json(*there, "journal")["journal"]["store"] == "PostgreSQL"
    assert shell.json("journal")["journal"]["records"] == 4  # the old one stays as it was
    after = facts(shell, *there)
    back = str(tmp_path / "back")
    shell.ok(*there, "journal", "move", "--to", back)
    assert facts(shell, "--journal", back) == after
    shell.ok("--journal", back, "undo", ids[1])
    assert shell.text("notes.md") == "# Notes\n\nthe cat sat\non the mat\n"
    assert shell.json("--journal", back, "check")["ok"]


def test_the_environment_may_name_the_journal(
    shell: Shell, postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEADYHAND_JOURNAL", postgres_server.url)
    some_history(shell)
    assert shell.json("journal")["journal"]["store"] == "PostgreSQL"
    assert not (shell.root / ".steadyhand" / "journal.sqlite").exists()
    assert shell.json("--journal", str(shell.root / "elsewhere"), "journal")["journal"]["store"] == "SQLite"
    monkeypatch.setenv("STEADYHAND_JOURNAL", "")
    assert shell.json("journal")["journal"]["store"] == "SQLite"


def test_two_places_may_be_named(shell: Shell, postgres_url: str, tmp_path: Path) -> None:
    some_history(shell)
    own, other = str(shell.root / ".steadyhand"), str(tmp_path / "other")
    people = shell.ok("journal", "move", own, postgres_url)
    assert "copied and verified" in people
    assert f"--journal {postgres_url}" in people
    assert f"STEADYHAND_JOURNAL={postgres_url}" in people
    shell.ok("journal", "move", postgres_url, f"sqlite://{other}")
    with open_journal(own) as first, open_journal(other) as last:
        assert first.stats().head_chain == last.stats().head_chain


def test_a_password_is_never_shown(shell: Shell, postgres_url: str) -> None:
    some_history(shell)
    secret = f"{postgres_url}&password=hunter2"
    result = shell.run("journal", "move", str(shell.root / ".steadyhand"), secret)
    assert result.exit_code == 0, result.output
    assert "hunter2" not in result.output
    assert "PGPASSWORD" in result.output
    for call in (["journal"], ["doctor"], ["--json", "doctor"], ["undo", "0123"], ["edit", "x", "--old", "a"]):
        assert "hunter2" not in shell.run("--journal", secret, *call).output
    unreachable = "postgresql://me:hunter2@127.0.0.1:1/none?connect_timeout=2"
    for call in (["journal"], ["log"], ["journal", "move", "--to", unreachable]):
        assert "hunter2" not in shell.run("--journal", unreachable, *call).output


def test_a_target_that_holds_something_is_refused(shell: Shell, tmp_path: Path) -> None:
    some_history(shell)
    other = str(tmp_path / "other")
    shell.ok("journal", "move", "--to", other)
    assert shell.kind("journal", "move", "--to", other) == "exists-already"
    assert shell.kind("journal", "move", str(shell.root / ".steadyhand"), other) == "exists-already"


def test_a_source_that_is_not_there_is_refused_and_none_is_made(
    shell: Shell, tmp_path: Path, postgres_url: str
) -> None:
    gone, new = str(tmp_path / "gone"), str(tmp_path / "new")
    assert shell.kind("journal", "move", gone, new) == "no-such-file"
    assert shell.kind("journal", "move", postgres_url, new) == "no-such-file"
    assert shell.kind("journal", "move", "--to", new) == "no-such-file"
    assert not any(Path(place).exists() for place in (gone, new))


def test_a_journal_is_not_moved_onto_itself(shell: Shell, tmp_path: Path, postgres_url: str) -> None:
    some_history(shell)
    own = shell.root / ".steadyhand"
    (tmp_path / "link").symlink_to(own)
    assert shell.kind("journal", "move", str(own), f"{own}/.") == "bad-request"
    assert shell.kind("journal", "move", str(own), str(tmp_path / "link")) == "bad-request"
    assert shell.kind("journal", "move", "--to", ".steadyhand") == "bad-request"
    shell.ok("journal", "move", str(own), postgres_url)
    same = postgres_url.replace("postgresql://", "postgres://") + "&sslmode=prefer"
    assert shell.kind("journal", "move", postgres_url, same) == "bad-request"


WRONG = [
    ["journal", "move"],
    ["journal", "move", "a"],
    ["journal", "move", "a", "b", "--to", "c"],
    ["journal", "move", "a", "--to", "c"],
    ["journal", "show", "a"],
    ["journal", "throw"],
    ["journal", "move", "a", "postgresql://127.0.0.1:1/x"],
    ["journal", "move", "postgresql://127.0.0.1:1/x", "a"],
]


@pytest.mark.parametrize("call", WRONG, ids=" ".join)
def test_what_makes_no_sense_is_refused(shell: Shell, call: list[str]) -> None:
    assert shell.kind(*call) == "bad-request"


def test_who_may_only_read_moves_nothing(shell: Shell, tmp_path: Path) -> None:
    some_history(shell)
    assert shell.kind("--read-only", "journal", "move", "--to", str(tmp_path / "new")) == "read-only"
    assert shell.json("--read-only", "journal")["journal"]["records"] == 4


def test_unfinished_transactions_stay_where_they_are(shell: Shell, tmp_path: Path) -> None:
    some_history(shell)
    own = str(shell.root / ".steadyhand")
    change = FileChange(None, FileState("new.md", "0" * 64, 0o644))
    record = Record(new_record_id(), utc_now(), "ada", None, "cli", None, "edit", (), (change,))
    with open_journal(own) as journal:
        journal.prepare(record, Staging(this_machine(), 1), {})
    error = shell.refused("journal", "move", own, str(tmp_path / "new"))
    assert (error["kind"], error["details"]["records"]) == ("busy", [record.id])
    assert "open the workspace" in error["hint"]
    shell.ok("journal", "move", "--to", str(tmp_path / "new"))  # which opens it


def test_a_damaged_journal_moves_only_on_demand(shell: Shell, tmp_path: Path) -> None:
    import sqlite3

    some_history(shell)
    own = str(shell.root / ".steadyhand")
    connection = sqlite3.connect(f"{own}/journal.sqlite")
    triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    kept = [connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", name).fetchone()[0] for name in triggers]
    for (name,) in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE log SET body = x'00' WHERE seq = 1")
    for statement in kept:
        connection.execute(statement)
    connection.commit()
    connection.close()
    assert shell.kind("journal", "move", own, str(tmp_path / "one")) == "journal-damaged"
    document = shell.json("journal", "move", own, str(tmp_path / "two"), "--keep-going")
    assert document["problems"]
    assert "damage included" in shell.ok("journal", "move", own, str(tmp_path / "three"), "--keep-going")


def test_doctor_tells_store_names_and_parts(shell: Shell, postgres_server: Server) -> None:
    some_history(shell)
    said = shell.json("doctor")["facts"]
    assert said["parts"]["psycopg"] is True
    assert (said["journal"]["store"], said["journal"]["root_id"], said["journal"]["repo_id"]) == (
        "SQLite",
        None,
        None,
    )
    shell.ok("--journal", postgres_server.url, "edit", "app.py", "--old", "y = 2", "--new", "y = 3")
    said = shell.json("--journal", postgres_server.url, "doctor")["facts"]
    assert (said["journal"]["store"], len(said["journal"]["root_id"])) == ("PostgreSQL", 16)


def test_a_moved_journal_serves_programs_too(shell: Shell, postgres_server: Server) -> None:
    ids = some_history(shell)
    shell.ok("journal", "move", "--to", postgres_server.url)
    with sh.Workspace(shell.root, actor="eve", journal=postgres_server.url) as eve:
        assert [entry.record.id for entry in eve.history()][-1] == ids[0]
        assert eve.why("notes.md", 4).reason == "softer"
        assert eve.journal()["store"] == "PostgreSQL"


def test_nobody_goes_on_with_a_journal_that_was_moved(shell: Shell, postgres_server: Server) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog", "--quiet")
    shell.ok("journal", "move", "--to", postgres_server.url)
    error = shell.refused("edit", "notes.md", "--old", "mat", "--new", "rug")
    assert error["kind"] == "read-only"
    assert postgres_server.url in error["message"]
    assert len(shell.json("log")["entries"]) == 1, "it can still be read"
    shell.ok("--journal", postgres_server.url, "edit", "notes.md", "--old", "mat", "--new", "rug", "--quiet")
    (shell.root / ".steadyhand" / "moved").unlink()
    shell.ok("edit", "notes.md", "--old", "sat", "--new", "lay", "--quiet")


def test_a_wrong_index_is_rebuilt_where_a_check_says_so(shell: Shell) -> None:
    some_history(shell)
    before = facts(shell)
    with closing(sqlite3.connect(shell.root / ".steadyhand" / "journal.sqlite")) as database:
        database.execute("DELETE FROM files WHERE seq = 1")
        database.commit()
    found = shell.json("check")
    assert [problem["kind"] for problem in found["problems"]] == ["index"]
    assert "steadyhand journal reindex" in found["error"]["hint"]
    rebuilt = shell.json("journal", "reindex")
    assert (rebuilt["reindexed"], rebuilt["journal"]["records"]) == (True, 4)
    assert shell.run("journal", "reindex").stdout == "rebuilt the indexes from the log\n"
    assert facts(shell) == before
    assert "takes no place" in shell.run("journal", "reindex", "elsewhere").stderr
