"""Several verbs on one file, several files on one name: what one refuses, the others must not pay for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.journal.record import State
from steadyhand.workspace.location import FOLDER
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.faults.trees import temporaries, tree_of

IN_PLACE = sh.Policy(hardlinks="in-place")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "b.txt").write_text("alpha\n")
    return folder


def refused(kind: Kind, call: object, *args: object, **options: object) -> EditError:
    assert callable(call)
    with pytest.raises(EditError) as caught:
        call(*args, **options)
    assert caught.value.kind is kind, caught.value
    return caught.value


def test_a_refused_rename_leaves_the_file_where_it_is(root: Path) -> None:
    plan = {
        "partial": True,
        "files": [
            {"path": "a.txt", "rename_to": "b.txt"},
            {"path": "a.txt", "create": "another\n"},
            {"path": "a.txt", "edits": [{"target": "two", "new": "2"}]},
        ],
    }
    with sh.Workspace(root) as ws:
        receipt = ws.apply(sh.requests_from_json(plan))
        assert [outcome.applied for outcome in receipt.outcomes] == [False, False, True]
        assert (root / "a.txt").read_text() == "one\n2\n"
        ws.undo(receipt.id)
    assert (root / "a.txt").read_text() == "one\ntwo\n"


def test_bytes_and_then_an_edit_in_one_transaction_are_both_there(root: Path) -> None:
    with sh.Workspace(root) as ws:
        with ws.transaction() as tx:
            tx.write("a.txt", b"one\r\ntwo\r\n", overwrite=True)
            tx.edit("a.txt", [sh.Replace("two", "2")])
        assert (root / "a.txt").read_bytes() == b"one\r\n2\r\n"
        ws.undo(last=True)
    assert (root / "a.txt").read_text() == "one\ntwo\n"


def test_a_whole_write_that_was_undone_is_in_nobodys_way(root: Path) -> None:
    with sh.Workspace(root) as ws:
        first = ws.edit("a.txt", [sh.Replace("two", "2")])
        second = ws.write("a.txt", b"\xff\x00 other", overwrite=True)
        ws.undo(second.id)
        ws.undo(first.id)
    assert (root / "a.txt").read_text() == "one\ntwo\n"


def test_an_edit_is_undone_beneath_a_whole_write_of_bytes_that_kept_its_neighbourhood(root: Path) -> None:
    with sh.Workspace(root) as ws:
        first = ws.edit("a.txt", [sh.Replace("two", "2")])
        ws.write("a.txt", b"zero\none\n2\nthree\n", overwrite=True)
        ws.undo(first.id)
    assert (root / "a.txt").read_text() == "zero\none\ntwo\nthree\n"


@pytest.mark.parametrize("last", ["delete", "write bytes", "undo and redo"])
def test_a_task_is_undone_whatever_it_ended_with(root: Path, last: str) -> None:
    before = tree_of(root)
    with sh.Workspace(root) as ws:
        with ws.task("T") as task:
            task.edit("a.txt", [sh.Replace("one", "1")])
            second = task.edit("a.txt", [sh.Replace("two", "2")])
            if last == "delete":
                task.delete("a.txt")
            elif last == "write bytes":
                task.write("a.txt", b"\xff\x00", overwrite=True)
            else:
                task.undo(second.id)
                task.redo()
        if last == "undo and redo":
            assert ws.diff_of_task("T").count("+2") == 1
        ws.undo(task="T")
    assert tree_of(root) == before


def test_an_edit_and_a_mode_of_a_linked_file_in_one_transaction(root: Path) -> None:
    os.link(root / "a.txt", root / "twin.txt")
    with sh.Workspace(root, policy=IN_PLACE) as ws:
        with ws.transaction() as tx:
            tx.edit("a.txt", [sh.Replace("two", "2")])
            tx.chmod("a.txt", 0o600)
        assert (root / "twin.txt").stat().st_mode & 0o777 == 0o600
        assert ws.check().drifted == ()
        ws.undo(last=True)
    assert (root / "twin.txt").read_text() == "one\ntwo\n"
    assert (root / "twin.txt").stat().st_mode & 0o777 != 0o600


def test_a_linked_file_is_not_edited_and_renamed_at_once(root: Path) -> None:
    os.link(root / "a.txt", root / "twin.txt")
    before = tree_of(root)
    with sh.Workspace(root, policy=IN_PLACE) as ws, pytest.raises(EditError) as caught, ws.transaction() as tx:
        tx.edit("a.txt", [sh.Replace("two", "2")])
        tx.rename("a.txt", "c.txt")
    assert caught.value.kind is Kind.NOT_ALLOWED
    with sh.Workspace(root, policy=IN_PLACE) as ws, pytest.raises(EditError) as caught, ws.transaction() as tx:
        tx.rename("a.txt", "c.txt")
        tx.edit("twin.txt", [sh.Replace("two", "2")])
    assert caught.value.kind is Kind.NOT_ALLOWED
    assert tree_of(root) == before


def test_a_bak_copy_of_a_secret_is_not_made(root: Path) -> None:
    (root / "server.key").write_text("PRIVATE\nold\n")
    with sh.Workspace(root, allow=["*.key"]) as ws:
        ws.edit("server.key", [sh.Replace("old", "new")], policy=sh.Policy(backup="bak"))
    assert not (root / "server.key.bak").exists()
    kept = b"".join(path.read_bytes() for path in (root / FOLDER).rglob("*") if path.is_file())
    assert b"PRIVATE" not in kept


def test_a_bak_name_that_is_protected_refuses_before_anything_is_taken(root: Path) -> None:
    (root / ".envrc").write_text("x\n")
    before = tree_of(root)
    plan = {"partial": True, "files": [{"path": "a.txt", "edits": [{"target": "two", "new": "2"}]}]}
    with sh.Workspace(root, extensions=[".txt"], policy=sh.Policy(backup="bak")) as ws:
        refused(Kind.NOT_ALLOWED, ws.apply, sh.requests_from_json(plan))
    assert tree_of(root) == before


def test_a_digest_in_a_request_made_by_hand_is_checked_too(root: Path) -> None:
    from steadyhand.plan.request import WriteFile

    with sh.Workspace(root) as ws:
        refused(Kind.BAD_REQUEST, ws.apply, sh.Requests((WriteFile("a.txt", "x\n", expect=""),)))
    assert (root / "a.txt").read_text() == "one\ntwo\n"


class Interrupted(Storage):
    """Ctrl-C right after the first change of a name of the user's."""

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        super().exchange(one, other, one_dir_fd=one_dir_fd, other_dir_fd=other_dir_fd)
        raise KeyboardInterrupt


def test_an_interrupt_after_the_rename_does_not_make_the_journal_lie(root: Path) -> None:
    with sh.Workspace(root, storage=Interrupted()) as ws, pytest.raises(KeyboardInterrupt):
        ws.edit("a.txt", [sh.Replace("two", "2")])
    with sh.Workspace(root) as ws:
        assert (root / "a.txt").read_text() == "one\n2\n"
        assert [entry.state for entry in ws.history()] == [State.COMMITTED]
        report = ws.check()
        assert report.ok
        assert not report.drifted
        ws.undo(last=True)
    assert temporaries(root) == []


def test_the_file_that_failed_is_the_one_named(root: Path) -> None:
    counted = FaultStorage(watch="mutating")
    edits = {name: [sh.Replace(old, new)] for name, old, new in (("a.txt", "two", "2"), ("b.txt", "alpha", "A"))}

    def change(storage: Storage) -> None:
        with sh.Workspace(root, storage=storage) as ws, ws.transaction() as tx:
            for name, edit in edits.items():
                tx.edit(name, edit)

    for storage in (Storage(), counted):  # the first makes the state folder, so that the second counts only the change
        change(storage)
        with sh.Workspace(root) as ws:
            ws.undo(last=True)
    names = counted.mutations
    at = len(names) - names[::-1].index("exchange")
    with pytest.raises(EditError) as caught:
        change(FaultStorage(at=at, watch="mutating"))
    assert '"b.txt"' in caught.value.message or "b.txt" in caught.value.message
    assert "a.txt" not in caught.value.message


def test_a_torn_secret_with_several_names_is_made_whole(root: Path) -> None:
    (root / ".env").write_bytes(b"OLD=1\n" * 3000)
    os.link(root / ".env", root / "env-twin")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            storage = FaultStorage(exit=True, torn=True, watch="mutating")
            with sh.Workspace(root, storage=storage, allow=[".env"], policy=IN_PLACE) as ws:
                storage.at = None
                original = storage.write_at

                def tear(fd: int, data: bytes, offset: int) -> None:
                    original(fd, bytes(data)[: len(data) // 2], offset)
                    os._exit(EXIT_CODE)

                storage.write_at = tear  # type: ignore[assignment,method-assign]
                ws.write(".env", "NEW=22\n" * 3000, overwrite=True)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == EXIT_CODE
    assert (root / ".env").read_bytes() not in (b"OLD=1\n" * 3000, b"NEW=22\n" * 3000)
    with sh.Workspace(root, allow=[".env"]):
        assert (root / ".env").read_bytes() == b"NEW=22\n" * 3000
    assert (root / "env-twin").read_bytes() == b"NEW=22\n" * 3000


def test_a_journal_that_would_hold_the_workspace_is_refused(root: Path) -> None:
    for place in (root, root.parent, f"sqlite://{root}"):
        refused(Kind.BAD_REQUEST, sh.Workspace, root, journal=place)


def test_the_state_folder_stays_where_it_is_when_the_working_directory_moves(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with sh.Workspace("root") as ws:
        ws.edit("a.txt", [sh.Replace("two", "2")])
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        ws.edit("a.txt", [sh.Replace("one", "1")])
    assert (root / "a.txt").read_text() == "1\n2\n"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_transaction_of_another_machine_is_named_and_not_waited_for(root: Path) -> None:
    with sh.Workspace(root) as ws:
        ws.edit("a.txt", [sh.Replace("two", "2")])
    note = '{"machine": "elsewhere", "pid": 1, "temps": [], "lock_keys": ["a.txt"], "made_dirs": [], "prune": []}'
    (root / FOLDER / "pending" / "0123456789ab").write_text(note)
    with sh.Workspace(root) as ws:
        error = refused(Kind.BUSY, ws.edit, "a.txt", [sh.Replace("2", "two")])
        assert "another machine" in error.message
        ws.edit("b.txt", [sh.Replace("alpha", "A")])


def test_a_read_only_workspace_tells_what_is_pending_and_touches_nothing(root: Path) -> None:
    with sh.Workspace(root) as ws:
        ws.edit("a.txt", [sh.Replace("two", "2")])
    pending = root / FOLDER / "pending"
    note = '{"machine": "elsewhere", "pid": 1, "temps": [], "lock_keys": ["a.txt"], "made_dirs": [], "prune": []}'
    (pending / "0123456789ab").write_text(note)
    (pending / "ba9876543210.0.part").write_text("{")
    with sh.Workspace(root, read_only=True) as ws:
        assert any("0123456789ab" in warning for warning in ws.warnings)
        ws.doctor()
    assert sorted(os.listdir(pending)) == ["0123456789ab", "ba9876543210.0.part"]


def test_a_new_file_in_an_encoding_with_a_mark_has_the_mark(root: Path) -> None:
    with sh.Workspace(root) as ws:
        ws.write("w.txt", "héllo\n", encoding="utf-16")
        ws.write("s.txt", "héllo\n", encoding="utf-8-sig")
    assert (root / "w.txt").read_bytes() == b"\xff\xfe" + "héllo\n".encode("utf-16-le")
    assert (root / "s.txt").read_bytes() == b"\xef\xbb\xbf" + "héllo\n".encode()


def test_attributes_given_between_reading_and_locking_are_kept(root: Path) -> None:
    class Meddler(Storage):
        reads = 0

        def read(self, fd: int, limit: int) -> bytes:
            data = super().read(fd, limit)
            self.reads += 1
            if self.reads == 1:
                (root / "a.txt").chmod(0o640)
                if os.geteuid() == 0:
                    os.chown(root / "a.txt", 12_345, -1)
            return data

    with sh.Workspace(root, storage=Meddler()) as ws:
        ws.edit("a.txt", [sh.Replace("two", "2")])
    found = (root / "a.txt").stat()
    assert found.st_mode & 0o777 == 0o640
    assert found.st_uid == (12_345 if os.geteuid() == 0 else os.geteuid())
