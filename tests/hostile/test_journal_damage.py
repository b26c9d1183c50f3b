"""A journal file that was hit by anything: it refuses, reports or is set aside, and never tells something untrue."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import digest_of
from steadyhand.text.splice import Splice
from steadyhand.workspace.journal.record import FileChange, FileState, Ownership, Record, State
from steadyhand.workspace.journal.store import Journal, open_journal
from steadyhand.workspace.location import FOLDER
from tests.sampling import WHOLE
from tests.table import table
from tests.workspace.journal.sample_records import STAGING, commit, edited, image_of, record

ROOT = Path(__file__).parents[2]
IMAGE = bytes(range(256)) * 20
LARGE = b"a line of text that repeats\n" * 400


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Record]]:
    """A journal as it lies on the disk after a kill: part of it in the database, part still in its -wal file."""
    place = tmp_path_factory.mktemp("whole")
    made: dict[str, Record] = {}
    with open_journal(place / "state") as journal:
        for number in range(12):
            each = record(edited(f"f{number % 3}.md", b"before\n" * number + b"x", b"after\n" * 40 * number + b"y"))
            made[each.id] = commit(journal, each, image_of(IMAGE, LARGE))
    with open_journal(place / "state") as journal:
        for _ in range(6):
            each = record()
            made[each.id] = commit(journal, each)
        journal.prepare(record(id="f" * 12), STAGING, {})
        shutil.copytree(place / "state", place / "copy")
    return place / "copy", made


@contextmanager
def refusing(*kinds: Kind) -> Iterator[None]:
    """The block may be refused, but only for one of these reasons."""
    try:
        yield
    except EditError as error:
        if error.kind not in kinds:
            raise


def use(journal: Journal, made: dict[str, Record]) -> None:
    """Everything a workspace asks of a journal; whatever is answered must be what was written."""
    for name, written in made.items():
        with refusing(Kind.JOURNAL_DAMAGED, Kind.NO_SUCH_FILE):
            assert journal.find(name).record == written
    for path in (None, "f1.md", "docs/a.md"):
        assert all(entry.record == made[entry.record.id] for entry in journal.entries(path=path))
    for content in (IMAGE, LARGE):
        assert journal.image(digest_of(content)) in (content, None)
    journal.unsettled()
    journal.stats()


def survive(folder: Path, made: dict[str, Record]) -> None:
    """Open, read, verify and write a journal that was hit; only refusals of a named kind are allowed."""
    for read_only in (True, False):
        with refusing(Kind.JOURNAL_DAMAGED), open_journal(folder, read_only=read_only, timeout=0.2) as journal:
            with refusing(Kind.JOURNAL_DAMAGED, Kind.DISK_REFUSED):
                use(journal, made)
            with refusing(Kind.JOURNAL_DAMAGED, Kind.DISK_REFUSED):
                journal.verify()
            if not read_only:
                with refusing(Kind.JOURNAL_DAMAGED, Kind.DISK_REFUSED, Kind.INTERNAL):
                    each = commit(journal, record(edited("new.md")), image_of(b"new"))
                    assert journal.find(each.id).record == each


def hits(size: int, count: int, seed: str) -> list[int]:
    """Places to hit: the header densely, the rest at random, the same in every run."""
    chance = random.Random(seed)
    return [*range(0, min(100, size), 9), *(chance.randrange(size) for _ in range(count))]


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["journal.sqlite", "journal.sqlite-wal"])
def test_a_flipped_byte_anywhere_is_never_believed(
    tmp_path: Path, whole: tuple[Path, dict[str, Record]], name: str
) -> None:
    origin, made = whole
    data = (origin / name).read_bytes()
    for count, place in enumerate(hits(len(data), 30 if WHOLE else 4, name)):
        folder = tmp_path / "hit"
        shutil.copytree(origin, folder)
        wounded = bytearray(data)
        wounded[place] ^= (0x01, 0x80, 0xFF)[count % 3]
        (folder / name).write_bytes(wounded)
        survive(folder, made)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["journal.sqlite", "journal.sqlite-wal"])
def test_a_journal_cut_short_or_zeroed_in_part_is_never_believed(
    tmp_path: Path, whole: tuple[Path, dict[str, Record]], name: str
) -> None:
    origin, made = whole
    data = (origin / name).read_bytes()
    for place in hits(len(data), 8, name)[::3]:
        for wounded in (data[:place], data[:place] + bytes(4096) + data[place + 4096 :]):
            folder = tmp_path / "hit"
            shutil.copytree(origin, folder)
            (folder / name).write_bytes(wounded)
            survive(folder, made)
            shutil.rmtree(folder)


@pytest.mark.sampled
def test_every_byte_of_a_body_is_guarded(tmp_path: Path) -> None:
    """Flips inside the payload, which SQLite itself does not notice."""
    folder = tmp_path / "state"
    with open_journal(folder) as journal:
        made = commit(journal, record(id="a" * 12))
    data = (folder / "journal.sqlite").read_bytes()
    start = data.index(b'{"v":1')
    end = data.index(b"}", data.index(b'"locks"', start))
    for place in range(start, end, 5 if WHOLE else 25):
        wounded = bytearray(data)
        wounded[place] ^= 0x01
        (folder / "journal.sqlite").write_bytes(wounded)
        with open_journal(folder, read_only=True) as journal:
            assert [problem.seq for problem in journal.verify()] == [1]
            assert list(journal.entries()) == []
            with pytest.raises(EditError) as caught:
                journal.find(made.id)
            assert caught.value.kind is Kind.JOURNAL_DAMAGED


A, B = (digest_of(text) for text in (b"one\n", b"two\n"))
TURN = ChangeSet((Splice(0, "one", "two"),))
IMPOSSIBLE = {
    **{
        f"mode {mode:o}": FileChange(FileState("a.md", A, mode), FileState("a.md", B, 0o644), TURN)
        for mode in (2**70, -1, 0o170000 | 0o6777)
    },
    **{
        f"encoding {name!r}": FileChange(FileState("a.md", A, 0o644), FileState("a.md", B, 0o644), TURN, Encoding(name))
        for name in ("nosuch", "rot13", "hex", "idna", "undefined", "utf-8\0x")
    },
    "digest": FileChange(FileState("a.md", "../../x", 0o644), FileState("a.md", B, 0o644), TURN),
    "path": FileChange(FileState("a.md\0", A, 0o644), FileState("a.md", B, 0o644), TURN),
    "owner": FileChange(FileState("a.md", A, 0o644, Ownership(2**70, -5)), None),
    "splice": FileChange(
        FileState("a.md", A, 0o644), FileState("a.md", B, 0o644), ChangeSet((Splice(10**30, "", "x"),))
    ),
}


@table("change", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_a_sealed_row_that_says_what_no_file_can_have_is_a_damaged_row(tmp_path: Path, change: FileChange) -> None:
    """Somebody with the journal's own code wrote it: checksum and chain are right."""
    (tmp_path / "a.md").write_bytes(b"two\n")
    with open_journal(tmp_path / ".steadyhand") as journal:
        forged = commit(journal, record(change))
    with open_journal(tmp_path / ".steadyhand") as journal:  # what a process wrote itself it does not read again
        assert [problem.kind for problem in journal.verify()] == ["body"]
        assert list(journal.entries()) == []
    with sh.Workspace(tmp_path) as ws:
        for work in (lambda: ws.undo(forged.id), lambda: ws.diff_of(forged.id), lambda: ws.redo(forged.id)):
            with refusing(Kind.JOURNAL_DAMAGED):
                work()
        ws.why_all("a.md")
        assert not ws.check().ok
    assert (tmp_path / "a.md").read_bytes() == b"two\n"


FOREIGN = {
    "text": b"this is no database at all, only a text that somebody left here\n" * 50,
    "noise": random.Random(1).randbytes(8192),
    "header only": b"SQLite format 3\0" + bytes(4080),
}


@table("content", FOREIGN.values(), ids=FOREIGN.keys())
def test_what_is_no_database_is_set_aside_and_reported(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    (folder / "journal.sqlite").write_bytes(content)
    with open_journal(folder) as journal:
        assert journal.damage is not None
        assert "journal-damaged-1.sqlite" in journal.damage
        (note,) = journal.notes(type="set-aside")
        assert note.seq == 1
        assert note.body["message"] == journal.damage
        commit(journal, record())
        assert journal.verify() == []
    assert (folder / "journal-damaged-1.sqlite").read_bytes() == content
    with open_journal(folder) as journal:
        assert journal.damage is None
        assert len(list(journal.entries())) == 1


def test_nothing_set_aside_is_ever_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    for number in range(1, 4):
        (folder / "journal.sqlite").write_bytes(b"rubbish %d " % number * 100)
        open_journal(folder).close()
    assert [(folder / f"journal-damaged-{number}.sqlite").read_bytes()[:9] for number in range(1, 4)] == [
        b"rubbish 1", b"rubbish 2", b"rubbish 3"
    ]  # fmt: skip


def test_the_write_ahead_file_is_set_aside_with_its_database(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    (folder / "journal.sqlite").write_bytes(b"rubbish" * 1000)
    (folder / "journal.sqlite-wal").write_bytes(b"what was not yet written back")
    open_journal(folder).close()
    assert (folder / "journal-damaged-1.sqlite-wal").read_bytes() == b"what was not yet written back"


def test_a_write_ahead_file_without_its_database_is_set_aside_and_reported(
    tmp_path: Path, whole: tuple[Path, dict[str, Record]]
) -> None:
    folder = tmp_path / "state"
    shutil.copytree(whole[0], folder)
    (folder / "journal.sqlite").unlink()
    with open_journal(folder) as journal:
        assert journal.damage is not None
        assert list(journal.entries()) == []
    assert (folder / "journal-damaged-1.sqlite-wal").read_bytes() == (whole[0] / "journal.sqlite-wal").read_bytes()


def test_processes_that_find_the_same_damage_set_it_aside_once(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    (folder / "journal.sqlite").write_bytes(b"rubbish" * 1000)
    script = (
        "import sys\n"
        "from steadyhand.workspace.journal.store import open_journal\n"
        "from tests.workspace.journal.sample_records import commit, record\n"
        "with open_journal(sys.argv[1], timeout=300) as journal:\n"
        "    for _ in range(5): commit(journal, record())\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", script, str(folder)]
    running = [subprocess.Popen(command, env=environment) for _ in range(4)]
    assert [process.wait(300) for process in running] == [0] * 4
    assert [path.name for path in folder.glob("journal-damaged*")] == ["journal-damaged-1.sqlite"]
    with open_journal(folder) as journal:
        assert len(list(journal.entries())) == 20
        assert journal.verify() == []


def test_reading_only_leaves_an_unusable_journal_where_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    (folder / "journal.sqlite").write_bytes(b"rubbish" * 1000)
    with open_journal(folder, read_only=True) as journal:
        assert journal.damage is not None
        assert list(journal.entries()) == []
    assert [path.name for path in folder.iterdir()] == ["journal.sqlite"]


@table(
    "statement",
    [
        "CREATE TRIGGER sneaky AFTER INSERT ON log BEGIN DELETE FROM images; END",
        "CREATE VIEW other AS SELECT * FROM log",
        "DROP TRIGGER log_is_never_updated",
        "DROP TABLE images",
        "ALTER TABLE records ADD COLUMN extra",
        "DROP INDEX records_by_task",
    ],
)
def test_a_database_with_other_tables_or_triggers_is_not_used(tmp_path: Path, statement: str) -> None:
    folder = tmp_path / "state"
    with open_journal(folder) as journal:
        commit(journal, record(), image_of(b"x"))
    connection = sqlite3.connect(folder / "journal.sqlite")
    connection.execute(statement)
    connection.commit()
    connection.close()
    with open_journal(folder) as journal:
        assert journal.damage is not None
        assert list(journal.entries()) == []
    assert (folder / "journal-damaged-1.sqlite").exists()


def test_the_database_of_another_program_is_set_aside(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    connection = sqlite3.connect(folder / "journal.sqlite")
    connection.execute("CREATE TABLE recipes (name)")
    connection.commit()
    connection.close()
    with open_journal(folder) as journal:
        assert journal.damage is not None
        commit(journal, record())
    connection = sqlite3.connect(folder / "journal-damaged-1.sqlite")
    assert connection.execute("SELECT count(*) FROM recipes").fetchone() == (0,)
    connection.close()


def test_texts_that_look_like_sql_or_like_another_line_are_only_texts(tmp_path: Path) -> None:
    nasty = '\'); DROP TABLE log; --\n{"v":1}\r\u2028\x00\x1b[2J'
    name = nasty.replace("\0", "")
    with open_journal(tmp_path / "state") as journal:
        each = commit(journal, record(edited(name), actor=nasty, task=nasty))
        journal.append_note(nasty, {nasty: nasty})
        undecided = record()
        journal.prepare(undecided, STAGING, {})
        journal.settle(undecided.id, State.PARTIAL, nasty)
        assert [entry.record for entry in journal.entries(path=name, actor=nasty, task=nasty)] == [each]
        assert [note.body for note in journal.notes(type=nasty)] == [{nasty: nasty}]
        assert journal.find(undecided.id).note == nasty
        assert journal.verify() == []


def test_a_damaged_schema_is_set_aside_whatever_sqlite_says_of_it(tmp_path: Path) -> None:
    """SQLite quotes bytes of the schema in its complaint, and they need not be text."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("one\n")
    with sh.Workspace(root) as ws:
        ws.edit("a.md", [sh.Replace("one", "two")])
    database = root / FOLDER / "journal.sqlite"
    sound = database.read_bytes()
    page = sound[:4096]
    places = [place for place in range(100, 4096) if page[place]][::40]
    for place in places:
        for side in root.glob(f"{FOLDER}/journal*"):
            if side.name != "journal.lock":
                side.unlink()
        database.write_bytes(sound[:place] + b"\xb0" + sound[place + 1 :])
        with sh.Workspace(root) as ws:
            ws.check()
            assert ws.read("a.md").text == "two\n"
