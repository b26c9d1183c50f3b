"""What a power cut left without a note: removed where nothing is lost by it, kept or left alone everywhere else."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.location import FOLDER
from steadyhand.workspace.state import BACK, IN_PLACE, NO_BOOT, OLD, Intent, StateFolder, temp_name

ID = "1a2b3c4d5e6f"
STAGED = b"one\n2\n"
SHA = hashlib.sha256(STAGED).hexdigest()


class Started(Storage):
    """A machine that was started for the n-th time."""

    def __init__(self, start: int) -> None:
        self.start = start

    def boot(self) -> str:
        return f"start {self.start}" if self.start else ""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_bytes(b"one\ntwo\n")
    with sh.Workspace(root, storage=Started(1)) as ws:
        ws.create("first.txt", "so that there is a journal\n")
    return root


def name_of(root: Path, *, start: int = 1, id: str = ID, digest: str | None = SHA, folder: str = FOLDER) -> str:
    return temp_name(id, 0, StateFolder(root / folder, Started(start)).mark(), digest)


def use(root: Path, *, start: int = 2) -> tuple[str, ...]:
    """A change in `docs` after the n-th start; gives the warnings."""
    with sh.Workspace(root, storage=Started(start)) as ws:
        ws.create("docs/next.md", "next\n")
        ws.undo(last=True)
        return ws.warnings


def left(root: Path) -> list[str]:
    return sorted(name for name in os.listdir(root / "docs") if name.startswith(TEMP_PREFIX))


def kept(root: Path) -> list[bytes]:
    return [path.read_bytes() for path in (root / FOLDER / "kept").glob("*") if path.is_file()]


@pytest.mark.parametrize("data", [STAGED, b"", b"\0" * 5000], ids=["staged", "empty", "zeros"])
@pytest.mark.parametrize("ending", ["", IN_PLACE])
def test_what_was_staged_and_never_prepared_is_removed(root: Path, data: bytes, ending: str) -> None:
    (root / "docs" / (name_of(root) + ending)).write_bytes(data)
    assert use(root) == ()
    assert left(root) == []
    assert kept(root) == []


@pytest.mark.parametrize("ending", ["", OLD, BACK, IN_PLACE])
def test_what_nobody_knows_is_kept_and_said_once(root: Path, ending: str) -> None:
    (root / "docs" / (name_of(root) + ending)).write_bytes(b"saved by another program\n")
    (warning,) = use(root)
    assert ID in warning
    assert "kept/" in warning
    assert left(root) == []
    assert kept(root) == [b"saved by another program\n"]
    assert use(root) == ()


@pytest.mark.parametrize(("data", "is_known"), [(b"one\ntwo\n", True), (b"one\n2\n", True), (b"one\nzwei\n", False)])
def test_of_a_settled_transaction_both_sides_are_known(root: Path, data: bytes, is_known: bool) -> None:
    with sh.Workspace(root, storage=Started(1)) as ws:
        receipt = ws.edit("docs/a.md", [sh.Replace("two", "2")])
    (root / "docs" / (name_of(root, id=receipt.id or "", digest=None) + OLD)).write_bytes(data)
    assert len(use(root)) == (not is_known)
    assert left(root) == []
    assert kept(root) == ([] if is_known else [data])


def test_a_second_name_of_a_file_is_removed_whatever_is_in_it(root: Path) -> None:
    os.link(root / "docs" / "a.md", root / "docs" / name_of(root))
    assert use(root) == ()
    assert left(root) == []
    assert (root / "docs" / "a.md").stat().st_nlink == 1


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("a.md", path)])
def test_what_is_no_file_is_kept(root: Path, make: Callable[[Path], None]) -> None:
    make(root / "docs" / name_of(root))
    assert len(use(root)) == 1
    assert left(root) == []
    assert len(list((root / FOLDER / "kept").iterdir())) == 1


def other_journal(root: Path) -> str:
    with sh.Workspace(root, journal=root / "other", storage=Started(1)) as ws:
        ws.create("second.txt", "so that there is another journal\n")
    return name_of(root, folder="other")


NOT_OURS: dict[str, Callable[[Path], str]] = {
    "this start": lambda root: name_of(root, start=2),
    "no start": lambda root: name_of(root, start=0),
    "another journal": other_journal,
    "another form": lambda root: f"{TEMP_PREFIX}{ID}-0",
    "more behind it": lambda root: name_of(root) + ".txt",
}


@pytest.mark.parametrize("case", NOT_OURS)
def test_what_another_may_still_need_stays(root: Path, case: str) -> None:
    name = NOT_OURS[case](root)
    (root / "docs" / name).write_bytes(STAGED)
    assert use(root) == ()
    assert left(root) == [name]


def test_a_system_that_does_not_know_its_start_removes_nothing(root: Path) -> None:
    (root / "docs" / name_of(root)).write_bytes(STAGED)
    assert name_of(root, start=0).split("-")[4] == NO_BOOT
    use(root, start=0)
    assert left(root) == [name_of(root)]


def test_what_a_note_names_is_left_to_recovery(root: Path) -> None:
    """The note is of another machine, whose transaction may go on."""
    note = Intent(ID, "another machine", 1, (("docs/a.md", f"docs/{name_of(root)}"),), ("docs/a.md",))
    StateFolder(root / FOLDER, Storage()).note_intent(note)
    (root / "docs" / name_of(root)).write_bytes(STAGED)
    use(root)
    assert left(root) == [name_of(root)]


def test_a_file_that_is_locked_is_left_alone(root: Path) -> None:
    path = root / "docs" / name_of(root)
    path.write_bytes(STAGED)
    with path.open() as file:
        assert Storage().lock(file.fileno())
        use(root)
        assert left(root) == [path.name]
    use(root)
    assert left(root) == []


def test_a_listing_finds_what_lies_where_nothing_is_changed_and_removes_nothing_itself(root: Path) -> None:
    (root / "docs" / name_of(root)).write_bytes(STAGED)
    with sh.Workspace(root, storage=Started(2)) as ws:
        assert ws.files().files == ("docs/a.md", "first.txt")
        assert left(root) == [name_of(root)]
        ws.edit("first.txt", [sh.Replace("journal", "record")])
    assert left(root) == []


def test_a_directory_is_looked_through_once(root: Path) -> None:
    class Counting(Started):
        looks = 0

        def names(self, dir_fd: int, prefix: str) -> list[str]:
            self.looks += bool(prefix)  # without one it is the room of the notes
            return super().names(dir_fd, prefix)

    storage = Counting(2)
    with sh.Workspace(root, storage=storage) as ws:
        for n in range(5):
            ws.create(f"docs/{n}.md", "new\n")
    assert storage.looks == 1


@pytest.mark.parametrize("data", [b"", b"\0" * 700, b'{"machine": "here", "pid": 1, "temps": [["a', b"\xff\xfe"])
def test_a_note_of_which_a_power_cut_left_a_part_is_removed(root: Path, data: bytes) -> None:
    note = root / FOLDER / "pending" / ID
    note.write_bytes(data)
    with sh.Workspace(root, read_only=True):
        assert note.exists()
    use(root)
    assert not note.exists()


def test_a_note_of_another_version_stays(root: Path) -> None:
    note = root / FOLDER / "pending" / ID
    note.write_bytes(b'{"form": 2}')
    use(root)
    assert note.exists()
