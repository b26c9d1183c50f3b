"""The state folder: durable when it is made, swept only by who may, and the name of the machine it was used on."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import stat
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.state import Intent, StateFolder, this_machine
from tests.faults.storage import FaultStorage
from tests.table import table

ID = "0123456789ab"


class Tracing(FaultStorage):
    """Remembers which directory each call that makes or syncs one was about."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.steps: list[tuple[str, str]] = []

    def mkdir(self, name: str, mode: int = 0o777, *, dir_fd: int) -> None:
        self.steps.append(("mkdir", os.readlink(f"/proc/self/fd/{dir_fd}") + "/" + name))
        super().mkdir(name, mode, dir_fd=dir_fd)

    def fsync_dir(self, fd: int) -> None:
        self.steps.append(("fsync_dir", os.readlink(f"/proc/self/fd/{fd}")))
        super().fsync_dir(fd)


def made_in(parent: Path) -> StateFolder:
    folder = StateFolder(parent / ".steadyhand", Storage())
    folder.make()
    return folder


@pytest.fixture
def made(tmp_path: Path) -> StateFolder:
    return made_in(tmp_path)


def parts(folder: StateFolder) -> list[str]:
    return sorted(os.listdir(folder.location / "pending"))


def test_a_folder_that_could_not_be_made_durable_is_refused(tmp_path: Path) -> None:
    calls = FaultStorage()
    StateFolder(tmp_path / "first", calls).make()
    assert calls.calls.count("fsync_dir") == 2
    for number, name in enumerate(calls.calls, 1):
        if name == "fsync_dir":
            storage = FaultStorage(at=number, error=errno.EIO)
            with pytest.raises(EditError) as caught:
                StateFolder(tmp_path / f"state-{number}", storage).make()
            assert caught.value.kind is Kind.DISK_REFUSED
            assert storage.calls.count("open") == storage.calls.count("close")


def test_the_note_of_a_dead_writer_stays_where_nothing_may_be_changed(made: StateFolder) -> None:
    (made.location / "pending" / "ffff.0.part").write_bytes(b"{")
    made.note_intent(Intent(ID, "m", 1))
    storage = FaultStorage()
    looking = StateFolder(made.location, storage)
    assert [intent.id for intent in looking.intents(sweep=False)] == [ID]
    assert parts(made) == [ID, "ffff.0.part"]
    assert storage.mutations == []
    assert [intent.id for intent in made.intents()] == [ID]
    assert parts(made) == [ID]


def test_a_new_folder_its_rooms_and_its_parents_are_durable(tmp_path: Path) -> None:
    storage = Tracing()
    old = os.umask(0o077)
    try:
        StateFolder(tmp_path / "x" / "y" / "state", storage).make()
    finally:
        os.umask(old)
    x, y, state = (str(tmp_path / name) for name in ("x", "x/y", "x/y/state"))
    assert storage.steps == [
        ("mkdir", x), ("fsync_dir", str(tmp_path)),
        ("mkdir", y), ("fsync_dir", x),
        ("mkdir", state), ("fsync_dir", y),
        ("mkdir", f"{state}/pending"), ("mkdir", f"{state}/locks"), ("fsync_dir", state),
    ]  # fmt: skip
    assert stat.S_IMODE(os.stat(state).st_mode) == 0o700
    assert storage.calls.count("open") == storage.calls.count("close")


def test_a_folder_that_is_there_is_not_synced_again(made: StateFolder) -> None:
    os.chmod(made.location, 0o750)
    storage = FaultStorage()
    StateFolder(made.location, storage).make()
    assert not {"fsync_dir", "fchmod"} & set(storage.calls)
    assert stat.S_IMODE(made.location.stat().st_mode) == 0o750


def test_a_room_that_is_missing_is_made_durable(made: StateFolder) -> None:
    (made.location / "locks").rmdir()
    storage = Tracing()
    StateFolder(made.location, storage).make()
    assert storage.steps[-1] == ("fsync_dir", str(made.location))
    assert (made.location / "locks").is_dir()


def test_a_machine_with_an_id_keeps_its_name_when_the_host_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "id").write_text("0af1\n")
    files = [str(tmp_path / "missing"), str(tmp_path / "id")]
    before = this_machine(files)
    monkeypatch.setattr(socket, "gethostname", lambda: "renamed")
    assert this_machine(files) == before == "0af1"


@table("content", [None, b"", b" \n", b"uninitialized\n", b"\xff\xfe"])
def test_a_machine_without_an_id_is_called_by_its_host_name(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "id").write_bytes(content)
    assert this_machine([str(tmp_path / "id")]) == socket.gethostname()


STEPS = ("move the room", "remove the room", "make a room", "look for notes", "take the room's place")


@table("steps", product(STEPS, repeat=3), ids=", ".join)
def test_a_note_is_where_recovery_looks_or_is_refused(tmp_path: Path, steps: tuple[str, ...]) -> None:
    made = made_in(tmp_path)
    room = made.location / "pending"
    for number, step in enumerate(("", *steps)):
        with suppress(FileNotFoundError, FileExistsError, NotADirectoryError):
            match step:
                case "move the room":
                    room.rename(made.location / f"moved-{number}")
                case "remove the room":
                    shutil.rmtree(room)
                case "make a room":
                    room.mkdir()
                case "look for notes":
                    made.intents()
                case "take the room's place":
                    room.touch(exist_ok=False)
        name = f"{number:012x}"
        try:
            made.note_intent(Intent(name, "m", 1))
        except EditError:
            assert not room.is_dir()
        else:
            assert name in [intent.id for intent in made.intents(sweep=False)]
            assert name in parts(made)
