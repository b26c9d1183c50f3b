"""A tree that brings its own state folder: it may cost a refusal or a report, never a byte outside or in `.git`."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.journal.record import FileChange, FileState, Record, Staging, State, utc_now
from steadyhand.workspace.journal.sqlite import SqliteJournal
from steadyhand.workspace.location import FOLDER
from steadyhand.workspace.state import Intent, this_machine
from tests.hostile.attacks import GIT_CONFIG, INSIDE, SECRET, contents, make_ground, said
from tests.table import table

ID = "0123456789ab"
EVIL = b"[core]\n\tfsmonitor = touch /tmp/owned\n"


def _use(root: Path) -> tuple[list[EditError], list[str]]:
    """Do with the workspace what anybody would do; what was refused and what was reported."""
    errors: list[EditError] = []
    reports: list[str] = []
    acts: list[Callable[[sh.Workspace], object]] = [
        lambda ws: ws.history(),
        lambda ws: [ws.diff_of(entry.record.id) for entry in ws.history()],
        lambda ws: ws.check(),
        lambda ws: ws.why_all("a.md"),
        lambda ws: ws.edit("a.md", [sh.Replace("two", "2")]),
        lambda ws: ws.undo(last=True),
        lambda ws: [ws.undo(entry.record.id) for entry in ws.history()],
        lambda ws: ws.redo(),
        lambda ws: ws.gc(keep_days=0, keep_bytes=0),
        lambda ws: ws.recover(),
        lambda ws: ws.doctor(),
    ]
    for read_only in (True, False, False):
        try:
            ws = sh.Workspace(root, read_only=read_only, lock_timeout=2)
        except EditError as error:
            errors.append(error)
            continue
        with ws:
            for act in acts:
                try:
                    act(ws)
                except EditError as error:
                    errors.append(error)
            reports.extend(ws.warnings)
    for error in errors:
        assert SECRET not in said(error)
        assert error.kind is not Kind.INTERNAL, said(error)
    return errors, reports


def _guarded(root: Path) -> object:
    """What must stay as it is, whatever the state folder says."""
    return contents(root.parent / "out"), contents(root / ".git"), (root / ".env").read_text()


def _link_folder(root: Path) -> None:
    (root / FOLDER).symlink_to("../out")


def _link_folder_dangling(root: Path) -> None:
    (root / FOLDER).symlink_to("../out/new")


def _link_folder_to_git(root: Path) -> None:
    (root / FOLDER).symlink_to(".git")


def _file(root: Path) -> None:
    (root / FOLDER).write_text("not a folder\n")


def _pipe(root: Path) -> None:
    os.mkfifo(root / FOLDER)


def _open_to_all(root: Path) -> None:
    (root / FOLDER).mkdir()
    (root / FOLDER).chmod(0o777)


REFUSED: dict[str, Callable[[Path], None]] = {
    "a link to the outside": _link_folder,
    "a dangling link": _link_folder_dangling,
    "a link to .git": _link_folder_to_git,
    "a file": _file,
    "a pipe": _pipe,
    "a folder anybody may write": _open_to_all,
}


@table("ship", REFUSED.values(), ids=REFUSED)
def test_a_state_folder_that_cannot_be_ours_is_refused(ship: Callable[[Path], None], tmp_path: Path) -> None:
    root = make_ground(tmp_path)
    ship(root)
    before = _guarded(root)
    errors, _ = _use(root)
    assert any(error.kind is Kind.JOURNAL_DAMAGED for error in errors), errors
    assert _guarded(root) == before
    assert (root / "a.md").read_text() == INSIDE


def _folder(root: Path) -> Path:
    folder = root / FOLDER
    folder.mkdir(mode=0o700)
    return folder


def _inner_link(name: str) -> Callable[[Path], None]:
    def ship(root: Path) -> None:
        (_folder(root) / name).symlink_to("../../out" if name in ("pending", "locks") else "../../out/a.md")

    return ship


def _inner_pipe(name: str) -> Callable[[Path], None]:
    def ship(root: Path) -> None:
        path = _folder(root) / name
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)

    return ship


def _random_bytes(root: Path) -> None:
    (_folder(root) / "journal.sqlite").write_bytes(os.urandom(10_000))


def _other_schema(root: Path) -> None:
    with sqlite3.connect(_folder(root) / "journal.sqlite") as connection:
        connection.execute("CREATE TABLE passwords (name, value)")
    connection.close()


def _hostile_trigger(root: Path) -> None:
    """A journal of the right version whose tables do more than ours."""
    with sh.Workspace(root) as ws:
        ws.edit("sub/a.md", [sh.Replace("two", "2")])
    with sqlite3.connect(root / FOLDER / "journal.sqlite") as connection:
        connection.execute("CREATE TRIGGER more AFTER INSERT ON log BEGIN SELECT load_extension('/tmp/x'); END")
    connection.close()


def _from_the_future(root: Path) -> None:
    with sqlite3.connect(_folder(root) / "journal.sqlite") as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()


def _many_locks(root: Path) -> None:
    locks = _folder(root) / "locks"
    locks.mkdir()
    for number in range(4096):
        (locks / f"{number:03x}").symlink_to("../../../out/a.md")


ODD: dict[str, Callable[[Path], None]] = {
    "random bytes as journal": _random_bytes,
    "another program's database": _other_schema,
    "a journal with a trigger": _hostile_trigger,
    "a journal of a later version": _from_the_future,
    "a link as journal": _inner_link("journal.sqlite"),
    "a link as write-ahead file": _inner_link("journal.sqlite-wal"),
    "a link as journal lock": _inner_link("journal.lock"),
    "a link as reserve": _inner_link("reserve"),
    "a link as ignore file": _inner_link(".gitignore"),
    "a link as pending": _inner_link("pending"),
    "a link as locks": _inner_link("locks"),
    "links as lock files": _many_locks,
    "a pipe as journal": _inner_pipe("journal.sqlite"),
    "a pipe as journal lock": _inner_pipe("journal.lock"),
    "a pipe as note": _inner_pipe(f"pending/{ID}"),
    "a pipe as half a note": _inner_pipe(f"pending/{ID}.0.part"),
}


@table("ship", ODD.values(), ids=ODD, every=4)
def test_odd_things_in_the_state_folder_lead_nowhere(ship: Callable[[Path], None], tmp_path: Path) -> None:
    root = make_ground(tmp_path)
    ship(root)
    before = _guarded(root)
    _use(root)
    assert _guarded(root) == before
    assert (root / "a.md").read_text() in (INSIDE, INSIDE.replace("two", "2"))


TARGETS = {
    "git": (".git/config", GIT_CONFIG),
    "git by another spelling": (".GIT/../.git/config", GIT_CONFIG),
    "the outside": ("../out/a.md", SECRET),
    "the outside by a link": ("way/a.md", SECRET),
    "a secret": (".env", SECRET),
    "the state folder": (f"{FOLDER}/.gitignore", "*\n"),
}


def _forge(root: Path, path: str, old: str, *, state: State | None, kind: str) -> None:
    """A sound journal, made on this machine, that says: this file was to be changed, here is what with."""
    (root / "way").symlink_to("../out")
    directory = (root / path).parent
    with suppress(OSError):
        (directory / f"{TEMP_PREFIX}{ID}-0").write_bytes(EVIL)
    is_there, becomes = digest_of(old.encode()), digest_of(EVIL)
    standing, wanted = FileState(path, is_there, 0o644), FileState(path, becomes, 0o644)
    change = {
        "replace": FileChange(standing, wanted),
        "put back": FileChange(wanted, standing),
        "create": FileChange(None, FileState(f"{path}-new", becomes, 0o755)),
        "remove": FileChange(standing, None),
        "restore": FileChange(FileState(f"{path}-new", becomes, 0o755), None),
        "rename": FileChange(
            FileState("a.md", digest_of(INSIDE.encode()), 0o644),
            FileState(f"{path}-new", digest_of(INSIDE.encode()), 0o644),
        ),
        "mode": FileChange(standing, FileState(path, is_there, 0o777)),
    }[kind]
    temps = tuple((side, f"{os.path.dirname(side)}/{TEMP_PREFIX}{ID}-0") for side in change.paths)
    record = Record(ID, utc_now(), "mallory", None, "x", None, "edit", (), (change,))
    journal = SqliteJournal(root / FOLDER)
    try:
        images = {becomes: EVIL, digest_of(INSIDE.encode()): INSIDE.encode()}
        journal.prepare(record, Staging(this_machine(), 1, temps, change.paths), images)
        if state is not None:
            journal.settle(ID, state)
    finally:
        journal.close()


@table("kind", ["replace", "put back", "create", "remove", "restore", "rename", "mode"], every=11)
@table("state", [None, State.COMMITTED], ids=["prepared", "committed"])
@table(("path", "old"), TARGETS.values(), ids=TARGETS)
def test_a_forged_journal_changes_nothing_that_an_edit_could_not(
    path: str, old: str, state: State | None, kind: str, tmp_path: Path
) -> None:
    root = make_ground(tmp_path)
    _forge(root, path, old, state=state, kind=kind)
    before = _without_bait(_guarded(root))
    errors, reports = _use(root)
    assert _without_bait(_guarded(root)) == before
    assert errors or reports, "it was reported"
    assert (root / "a.md").read_text() in (INSIDE, INSIDE.replace("two", "2"))


def _without_bait(guarded: object) -> object:
    """Temporaries of our own name that the forger made are ours to clear away, or to leave."""
    assert isinstance(guarded, tuple)
    return tuple(
        {name: facts for name, facts in part.items() if TEMP_PREFIX not in name} if isinstance(part, dict) else part
        for part in guarded
    )


NOTES: dict[str, object] = {
    "temporaries outside": {"temps": [["../out/a.md", "../out/a.md"], ["way/a.md", "way/a.md"]]},
    "temporaries in git": {"temps": [[".git/config", ".git/config"], ["a.md", "../.git/config"]]},
    "files as temporaries": {"temps": [["a.md", "a.md"], ["sub/a.md", "sub/a.md"], ["sub/dir/a.md", "a.md"]]},
    "directories outside": {
        "made_dirs": ["../out/empty", "way/empty", "sub/../../out/empty"],
        "prune": ["../out/empty"],
    },
    "directories in git": {"made_dirs": [".git/refs/tags", ".GIT/refs/tags"], "prune": [".git/refs/tags"]},
    "directories that are full": {"made_dirs": ["sub", "sub/dir", "."], "prune": ["sub", "sub/dir", "..", "/"]},
    "strange locks": {"lock_keys": ["../../x", "", "\0", "x" * 100_000]},
    "wrong types": {"temps": {"a": 1}, "lock_keys": 7, "made_dirs": None, "prune": [[[]]]},
    "no object": [1, 2, 3],
    "endless numbers": {"pid": float("inf")},
}


@table("note", NOTES.values(), ids=NOTES, every=2)
def test_a_forged_note_of_a_running_transaction_takes_nothing_away(note: object, tmp_path: Path) -> None:
    root = make_ground(tmp_path)
    (root / "way").symlink_to("../out")
    pending = _folder(root) / "pending"
    pending.mkdir()
    usual = json.loads(Intent(ID, this_machine(), 1).to_bytes())
    body = {**usual, **note} if isinstance(note, dict) else note
    (pending / ID).write_text(json.dumps(body))
    before = _guarded(root)
    _use(root)
    assert _guarded(root) == before
    assert (root / "sub/a.md").read_text() == (root / "sub/dir/a.md").read_text() == INSIDE


@table(
    "data",
    [b"", b"{", b"\xff\xfe", b"[" * 200_000, b"1" * 200_000, b'{"machine": 1}'],
    ids=lambda data: repr(data[:12]),
)
def test_a_note_that_is_none_costs_nothing(data: bytes, tmp_path: Path) -> None:
    root = make_ground(tmp_path)
    pending = _folder(root) / "pending"
    pending.mkdir()
    (pending / ID).write_bytes(data)
    with sh.Workspace(root) as ws:
        ws.edit("a.md", [sh.Replace("two", "2")])
    assert (root / "a.md").read_text() == INSIDE.replace("two", "2")
