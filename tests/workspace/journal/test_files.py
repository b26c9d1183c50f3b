"""The SQLite journal among files: what it makes, what it refuses to open, and who may disturb it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.database import VERSION
from steadyhand.workspace.journal.record import State
from steadyhand.workspace.journal.sqlite import SqliteJournal
from steadyhand.workspace.journal.store import open_journal
from tests.workspace.journal.sample_records import STAGING, commit, image_of, record, run, start


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".steadyhand"


def kind_of_refusal(folder: Path, **options: object) -> Kind:
    with pytest.raises(EditError) as caught:
        open_journal(folder, **options)  # type: ignore[arg-type]
    assert caught.value.hint
    return caught.value.kind


def everything(path: Path) -> dict[str, tuple[object, ...]]:
    """Name, kind, mode, times and bytes of whatever is beneath a folder."""
    found: dict[str, tuple[object, ...]] = {}
    for each in sorted([path, *path.rglob("*")]):
        status = each.lstat()
        content = each.read_bytes() if each.is_file() else b""
        found[str(each)] = (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, content)
    return found


@contextmanager
def as_somebody(folder: Path) -> Iterator[None]:
    """Without the powers of root, for whom nothing is read-only."""
    if os.geteuid() != 0:
        yield
        return
    for each in [folder, *folder.rglob("*")]:
        os.chown(each, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_is_a_symlink_is_refused_and_not_followed(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert kind_of_refusal(folder) is Kind.JOURNAL_DAMAGED
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_journal_file_that_is_a_symlink_is_refused(folder: Path, tmp_path: Path, name: str, read_only: bool) -> None:
    open_journal(folder).close()
    (folder / name).unlink(missing_ok=True)
    (tmp_path / "target").write_bytes(b"precious")
    (folder / name).symlink_to(tmp_path / "target")
    assert kind_of_refusal(folder, read_only=read_only) is Kind.JOURNAL_DAMAGED
    assert (tmp_path / "target").read_bytes() == b"precious"


def test_a_file_where_the_folder_should_be_is_refused(folder: Path) -> None:
    folder.write_bytes(b"precious")
    assert kind_of_refusal(folder) is Kind.JOURNAL_DAMAGED
    assert folder.read_bytes() == b"precious"


def test_a_fifo_where_the_journal_should_be_is_refused(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / "journal.sqlite")
    assert kind_of_refusal(folder) is Kind.JOURNAL_DAMAGED


def test_a_folder_others_may_write_is_refused(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    assert kind_of_refusal(folder) is Kind.JOURNAL_DAMAGED


def test_a_folder_whose_parent_is_missing_is_refused(tmp_path: Path) -> None:
    assert kind_of_refusal(tmp_path / "no" / "such") is Kind.DISK_REFUSED
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_journal_of_a_newer_version_is_refused_and_left_alone(folder: Path, read_only: bool) -> None:
    open_journal(folder).close()
    with sqlite3.connect(folder / "journal.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = (folder / "journal.sqlite").read_bytes()
    with pytest.raises(EditError, match="newer") as caught:
        open_journal(folder, read_only=read_only)
    assert caught.value.kind is Kind.JOURNAL_DAMAGED
    assert (folder / "journal.sqlite").read_bytes() == before
    assert not list(folder.glob("journal-damaged*"))


def test_a_folder_that_cannot_be_written_is_read_only() -> None:
    place = Path(tempfile.mkdtemp())  # pytest's own folders are closed to others
    folder = place / ".steadyhand"
    try:
        place.chmod(0o755)
        open_journal(folder).close()
        with as_somebody(place):
            folder.chmod(0o500)
            assert kind_of_refusal(folder) is Kind.READ_ONLY
            place.chmod(0o500)
            assert kind_of_refusal(place / "other") is Kind.READ_ONLY
            place.chmod(0o700)
            folder.chmod(0o700)
    finally:
        shutil.rmtree(place)


def test_a_journal_locked_too_long_is_busy(folder: Path) -> None:
    with open_journal(folder, timeout=0.05) as journal:
        blocker = sqlite3.connect(folder / "journal.sqlite", isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(EditError) as caught:
            journal.prepare(record(), STAGING, {})
        assert caught.value.kind is Kind.BUSY
        blocker.close()
        assert journal.unsettled() == []
        commit(journal, record())


@pytest.mark.parametrize("change", ["removed", "replaced", "folder gone"])
def test_a_journal_taken_away_while_in_use_is_never_written_blindly(folder: Path, change: str) -> None:
    with open_journal(folder) as journal:
        commit(journal, record())
        match change:
            case "removed":
                (folder / "journal.sqlite").unlink()
            case "replaced":
                shutil.copy(folder / "journal.sqlite", folder / "copy")
                os.replace(folder / "copy", folder / "journal.sqlite")
            case _:
                shutil.rmtree(folder)
        with pytest.raises(EditError) as caught:
            journal.prepare(record(), STAGING, {})
        assert caught.value.kind in (Kind.JOURNAL_DAMAGED, Kind.DISK_REFUSED)
    assert folder.exists() is (change != "folder gone")


@pytest.mark.parametrize("statement", ["UPDATE log SET time = ''", "DELETE FROM log", "DELETE FROM log WHERE seq = 1"])
def test_the_log_cannot_be_updated_or_deleted(folder: Path, statement: str) -> None:
    with open_journal(folder) as journal:
        commit(journal, record())
    connection = sqlite3.connect(folder / "journal.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_folder_and_files_are_private_whatever_the_umask(folder: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with open_journal(folder) as journal:
            commit(journal, record(), image_of(b"secret"))
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {"journal.sqlite", "journal.sqlite-wal", ".gitignore", "reserve"} <= set(modes)
    assert set(modes.values()) == {0o600}


def test_git_sees_nothing_of_the_folder(tmp_path: Path, folder: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with open_journal(folder) as journal:
        commit(journal, record())
        said = subprocess.run(
            ["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
    assert said.stdout == ""


def test_a_folder_that_serves_something_else_gets_no_ignore_file(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "notes.txt").write_text("mine")
    open_journal(shared).close()
    assert not (shared / ".gitignore").exists()


def test_reading_only_changes_nothing_and_sees_what_was_not_yet_checkpointed(folder: Path) -> None:
    with open_journal(folder) as writer:
        made = commit(writer, record(), image_of(b"abc"))
        assert (folder / "journal.sqlite-wal").stat().st_size > 0
        before = everything(folder.parent)
        with open_journal(folder, read_only=True) as reader:
            assert reader.find(made.id).record == made
            assert reader.verify() == []
            assert everything(folder.parent) == before
    before = everything(folder.parent)
    with open_journal(folder, read_only=True) as reader:
        assert [entry.record for entry in reader.entries()] == [made]
    assert everything(folder.parent) == before


def test_reading_only_does_not_loosen_the_hold_of_a_writer_in_the_same_process(folder: Path) -> None:
    """Closing any handle to a file drops a process's locks on it: the writer's next commit would be lost."""
    with open_journal(folder) as writer:
        commit(writer, record(id="a" * 12))
        open_journal(folder, read_only=True).close()
        ended = run("with open_journal(sys.argv[1]) as journal: commit(journal, record(id='b' * 12))", folder)
        assert ended.returncode == 0, ended.stderr
        assert (folder / "journal.sqlite-wal").exists()
        commit(writer, record(id="c" * 12))
        ended = run("print(*[entry.record.id[0] for entry in open_journal(sys.argv[1]).entries()])", folder)
    assert ended.stdout.split() == ["c", "b", "a"]


def test_a_copy_made_while_others_write_and_check_point_is_never_torn(folder: Path) -> None:
    open_journal(folder).close()
    writing = start(
        "with open_journal(sys.argv[1], timeout=300) as journal:\n"
        "    while not Path(sys.argv[2]).exists():\n"
        "        commit(journal, record(), image_of(os.urandom(300_000)))\n",
        folder,
        folder / "stop",
    )
    try:
        seen = 0
        while seen < 8:
            with open_journal(folder, read_only=True) as reader:
                assert reader.verify() == []
                seen += reader.stats().records > 0
            assert writing.poll() is None
    finally:
        (folder / "stop").touch()
        assert writing.communicate(timeout=300)[1] == ""


def test_reading_only_where_nothing_is_leaves_nothing(folder: Path) -> None:
    with open_journal(folder, read_only=True) as reader:
        assert list(reader.entries()) == []
        assert reader.stats().records == 0
        assert reader.damage is None
    assert not folder.exists()


def test_reading_only_leaves_no_copy_behind(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_journal(folder).close()
    place = tmp_path.parent / f"{tmp_path.name}-copies"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with open_journal(folder, read_only=True):
        (copy,) = place.iterdir()
        assert stat.S_IMODE(copy.stat().st_mode) == 0o700
    assert list(place.iterdir()) == []


def test_the_copy_is_never_made_inside_the_workspace(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_journal(folder).close()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with open_journal(folder, read_only=True) as reader:
        assert list((tmp_path / "tmp").iterdir()) == []
        assert list(reader.entries()) == []


def test_a_process_killed_between_prepare_and_settle_leaves_a_prepared_record(folder: Path) -> None:
    ended = run(
        "journal = open_journal(sys.argv[1])\n"
        "made = record(id='a' * 12)\n"
        "commit(journal, record(id='b' * 12))\n"
        "journal.prepare(made, STAGING, image_of(b'before'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n",
        folder,
    )
    assert ended.returncode < 0, ended.stderr
    with open_journal(folder) as journal:
        ((made, staging),) = journal.unsettled()
        assert (made.id, staging) == ("a" * 12, STAGING)
        assert journal.image(next(iter(image_of(b"before")))) == b"before"
        journal.settle(made.id, State.ABORTED)
        assert journal.find("b" * 12).state is State.COMMITTED
        assert journal.verify() == []


def test_four_processes_append_to_one_chain(folder: Path) -> None:
    script = (
        "with open_journal(sys.argv[1], timeout=300) as journal:\n"
        "    for number in range(25):\n"
        "        commit(journal, record(actor=sys.argv[2]), image_of(sys.argv[2].encode() * 500, b'shared' * 500))\n"
    )
    running = [start(script, folder, f"p{number}") for number in range(4)]
    assert [process.communicate(timeout=300)[1] for process in running] == [""] * 4
    with open_journal(folder) as journal:
        assert journal.verify() == []
        assert {actor: len(list(journal.entries(actor=actor))) for actor in ("p0", "p1", "p2", "p3")} == {
            "p0": 25, "p1": 25, "p2": 25, "p3": 25
        }  # fmt: skip
        assert journal.stats().rows == 200
        assert journal.stats().images == 5


def test_a_forked_child_uses_a_connection_of_its_own(folder: Path) -> None:
    ended = run(
        "journal = open_journal(sys.argv[1])\n"
        "commit(journal, record(id='a' * 12))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    commit(journal, record(id='b' * 12))\n"
        "    assert journal.find('a' * 12) and journal.verify() == []\n"
        "    journal.close()\n"
        "    sys.exit(0)\n"
        "commit(journal, record(id='c' * 12))\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "commit(journal, record(id='d' * 12))\n"
        "assert journal.verify() == []\n"
        "assert sorted(entry.record.id[0] for entry in journal.entries()) == list('abcd')\n",
        folder,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_forked_child_that_never_asks_disturbs_nobody(folder: Path) -> None:
    ended = run(
        "journal = open_journal(sys.argv[1])\n"
        "reader = open_journal(sys.argv[1], read_only=True)\n"
        "commit(journal, record(id='a' * 12))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    journal.close()\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "commit(journal, record(id='b' * 12))\n"
        "assert journal.verify() == [] and reader.verify() == []\n",
        folder,
    )
    assert ended.returncode == 0, ended.stderr
    with open_journal(folder) as journal:
        assert len(list(journal.entries())) == 2


def test_no_thread_of_a_forked_child_gets_the_parents_connection(folder: Path) -> None:
    """The first thread is held up while it opens; the second, if it could pass, would be through long before."""
    ended = run(
        "import threading\n"
        "from steadyhand.workspace.journal import sqlite as module\n"
        "journal = open_journal(sys.argv[1])\n"
        "handle = journal._handle\n"
        "parents = handle.read(lambda connection: connection)\n"
        "usual, opening, passed, used = module.open_database, threading.Event(), threading.Event(), []\n"
        "def slow(*given):\n"
        "    opening.set()\n"
        "    passed.wait(0.5)\n"
        "    return usual(*given)\n"
        "def ask():\n"
        "    handle.read(used.append)\n"
        "    passed.set()\n"
        "with handle._locks[os.getpid()]:\n"  # held by this thread of the parent, and by no thread of the child
        "    child = os.fork()\n"
        "if child == 0:\n"
        "    module.open_database = slow\n"
        "    threads = [threading.Thread(target=ask) for _ in range(2)]\n"
        "    threads[0].start()\n"
        "    opening.wait()\n"
        "    threads[1].start()\n"
        "    for thread in threads:\n"
        "        thread.join()\n"
        "    os._exit(0 if len(used) == 2 and used[0] is used[1] is not parents else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n",
        folder,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_child_that_could_not_open_tries_again_and_leaves_the_parents_connection_alone(folder: Path) -> None:
    ended = run(
        "from steadyhand.errors import EditError\n"
        "journal = open_journal(sys.argv[1])\n"
        "commit(journal, record(id='a' * 12))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os.chmod(sys.argv[1], 0o777)\n"
        "    for _ in range(2):\n"
        "        try:\n"
        "            journal.stats()\n"
        "            os._exit(1)\n"
        "        except EditError:\n"
        "            pass\n"
        "    os.chmod(sys.argv[1], 0o700)\n"
        "    os._exit(0 if journal.stats().records == 1 else 2)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert journal.stats().records == 1\n",
        folder,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_relative_folder_stays_the_same_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_journal("state") as journal:
        monkeypatch.chdir("/")
        commit(journal, record())
        assert journal.location == str(tmp_path / "state")


def test_a_folder_with_any_name_will_do(tmp_path: Path) -> None:
    for name in ("a b?mode=memory&#%41", "ünï", "-wal", "\udcff"):
        with open_journal(tmp_path / name) as journal:
            commit(journal, record())
        assert (tmp_path / name / "journal.sqlite").stat().st_size > 0


def test_a_bulk_is_one_transaction(folder: Path) -> None:
    with SqliteJournal(folder) as journal:
        with suppress(RuntimeError), journal.bulk():
            commit(journal, record())
            raise RuntimeError
        assert journal.stats().rows == 0
        with journal.bulk():
            made = [commit(journal, record()) for _ in range(50)]
        assert [entry.record for entry in journal.entries(newest_first=False)] == made
        assert journal.verify() == []
