"""A journal copied to another store: the same rows, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal import maintenance
from steadyhand.workspace.journal.log import Row
from steadyhand.workspace.journal.maintenance import copy_journal
from steadyhand.workspace.journal.record import Party, SeenVersion
from steadyhand.workspace.journal.sqlite import SqliteJournal
from steadyhand.workspace.journal.store import Journal, open_journal
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.sample_records import (
    STAGING,
    behind_its_back,
    commit,
    edited,
    image_of,
    lease,
    record,
    run,
)

BIG = b"line\n" * 100_000
ANN = Party("ann", "T-1")


def fill(journal: Journal) -> None:
    """Records of every state, an undo, notes, images, and what is no history."""
    one = commit(journal, record(edited("\udcff.md")), image_of(b"", b"x", BIG))
    commit(journal, record(verb="undo", undoes=(one.id,)))
    journal.prepare(record(id="f" * 12), STAGING, {})
    journal.append_note("recovery", {"path": "a\udcff"})
    journal.gc(keep_bytes=1)
    commit(journal, record(task="T" * 3000), image_of(b"kept"))
    journal.see(ANN, "a.md", [SeenVersion(digest_of(b"seen"), 1)], b"seen")
    journal.keep_lease(lease())


def rows(journal: Journal) -> list[Row]:
    return journal.export(lambda rows, _: list(rows))


def filled(folder: Path, count: int = 30) -> Path:
    with SqliteJournal(folder) as journal, journal.bulk():
        for _ in range(count):
            commit(journal, record())
    return folder


@pytest.mark.parametrize("write", [lambda target: target.append_note("x", {}), fill])
def test_a_target_that_holds_something_is_refused_and_stays_as_it_is(
    opener: Opener, tmp_path: Path, write: object
) -> None:
    target = opener()
    write(target)  # type: ignore[operator]
    before = rows(target)
    with open_journal(filled(tmp_path / "source", 1)) as source:
        for copy in (lambda: copy_journal(source, target), lambda: source.export(target.load)):
            with pytest.raises(EditError) as caught:
                copy()
            assert caught.value.kind is Kind.EXISTS_ALREADY
            assert caught.value.hint
    assert rows(target) == before


def test_a_damaged_source_is_refused_and_nothing_is_copied(opener: Opener, tmp_path: Path) -> None:
    behind_its_back(filled(tmp_path / "source", 3), ("UPDATE log SET body = x'00' WHERE seq = 3", ()))
    with open_journal(tmp_path / "source") as source:
        target = opener()
        with pytest.raises(EditError, match="row 3") as caught:
            copy_journal(source, target)
        assert caught.value.kind is Kind.JOURNAL_DAMAGED
        assert target.stats().rows == 0


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is reported of a journal of few rows too."""
    monkeypatch.setattr(maintenance, "_STEP", 20)


@pytest.mark.usefixtures("often")
def test_a_copy_that_fails_midway_leaves_nothing(opener: Opener, tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if total < 3 * done < 2 * total:  # in the second of three parts
            raise Interrupted

    target = opener()
    with open_journal(filled(tmp_path / "source")) as source:
        with pytest.raises(Interrupted):
            copy_journal(source, target, stop)
        assert (target.stats().rows, target.stats().images) == (0, 0)
        assert copy_journal(source, target).rows == 60


def test_a_process_killed_while_it_copies_leaves_nothing(location: str, opener: Opener, tmp_path: Path) -> None:
    ended = run(
        "from steadyhand.workspace.journal import maintenance\n"
        "maintenance._STEP = 20\n"
        "def stop(done, total):\n"
        "    if total < 3 * done < 2 * total:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "maintenance.copy_journal(open_journal(sys.argv[1]), open_journal(sys.argv[2]), stop)\n",
        filled(tmp_path / "source"),
        location,
    )
    assert ended.returncode < 0, ended.stderr
    target = opener()
    assert (target.stats().rows, target.head()) == (0, 0)
    commit(target, record())
    assert target.verify() == []


@pytest.mark.parametrize("direction", ["to SQLite", "from SQLite"])
def test_a_copy_is_the_same_row_by_row(opener: Opener, tmp_path: Path, direction: str) -> None:
    with open_journal(tmp_path / "other") as other:
        source, target = (opener(), other) if direction == "to SQLite" else (other, opener())
        fill(source)
        copied = copy_journal(source, target)
        assert rows(target) == rows(source)
        assert source.export(lambda _, images: sorted(images)) == target.export(lambda _, images: sorted(images))
        there = target.stats()
        assert (copied.rows, copied.images, copied.problems) == (there.rows, there.images, ())
        assert (copied.head_seq, copied.head_chain) == (there.head_seq, there.head_chain)
        assert list(target.entries()) == list(source.entries())
        assert list(target.entries(path="\udcff.md")) == list(source.entries(path="\udcff.md"))
        assert list(target.notes(type="recovery")) == list(source.notes(type="recovery"))
        assert target.unsettled() == source.unsettled()
        assert target.image(digest_of(b"kept")) == b"kept"
        assert target.seen_versions(ANN, "a.md") == ()
        assert target.leases() == []
        commit(target, record())
        assert target.verify() == []
        assert target.gc(keep_days=0).dropped_images == copied.images


def test_an_empty_journal_is_copied(opener: Opener, tmp_path: Path) -> None:
    with open_journal(tmp_path / "source") as source:
        copied = copy_journal(source, opener())
    assert (copied.rows, copied.images, copied.head_seq, copied.head_chain) == (0, 0, 0, "00" * 32)


@pytest.mark.parametrize(
    "wound",
    [
        "UPDATE log SET body = x'00' WHERE seq = 3",
        "UPDATE log SET chain = x'00' WHERE seq = 3",
        "DELETE FROM log WHERE seq = 3",
        "UPDATE images SET data = x'00'",
        "DELETE FROM files",
    ],
)
def test_damage_is_copied_as_it_is_when_that_is_asked_for(opener: Opener, tmp_path: Path, wound: str) -> None:
    with open_journal(tmp_path / "source") as source:
        for _ in range(3):
            commit(source, record(), image_of(b"precious"))
    behind_its_back(tmp_path / "source", (wound, ()))
    with open_journal(tmp_path / "source") as source:
        target = opener()
        copied = copy_journal(source, target, damaged=True)
        assert rows(target) == rows(source)
        assert copied.problems == tuple(source.verify()) != ()
        assert target.verify() == [problem for problem in copied.problems if problem.kind != "index"]


@pytest.mark.parametrize(
    "wound",
    [
        "UPDATE log SET time = CAST(x'ff' AS TEXT) WHERE seq = 3",
        "UPDATE log SET time = 'a' || char(0) WHERE seq = 3",
        "UPDATE log SET record = x'00' WHERE seq = 3",
        "UPDATE log SET body = 'text' WHERE seq = 3",
        "UPDATE log SET codec = 0.5 WHERE seq = 3",
        "INSERT INTO images VALUES (1, x'00', 'x', 1, x'00', 1, x'00')",
    ],
)
def test_what_not_every_store_can_keep_is_refused(opener: Opener, tmp_path: Path, wound: str) -> None:
    behind_its_back(filled(tmp_path / "source", 3), (wound, ()))
    with open_journal(tmp_path / "source") as source:
        target = opener()
        with pytest.raises(EditError) as caught:
            copy_journal(source, target, damaged=True)
        assert caught.value.kind is Kind.JOURNAL_DAMAGED
        assert target.stats().rows == 0


def test_a_source_that_may_only_be_read_is_copied(opener: Opener, tmp_path: Path) -> None:
    with open_journal(filled(tmp_path / "source", 3), read_only=True) as source:
        assert copy_journal(source, opener()).rows == 6


@pytest.mark.usefixtures("often")
def test_progress_goes_from_nothing_to_everything(opener: Opener, tmp_path: Path) -> None:
    answer: list[tuple[int, int]] = []
    with open_journal(filled(tmp_path / "source")) as source:
        copy_journal(source, opener(), lambda done, total: answer.append((done, total)))
    assert answer == sorted(answer)
    assert answer[-1] == (180, 180)
