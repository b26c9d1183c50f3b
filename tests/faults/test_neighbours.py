"""Another program saves the file in any instant of a change: no byte of it is lost, whatever becomes of the change.

The neighbour acts right before the n-th storage call, for every n, and so in every instant between two system calls:
in `make crash`, which also kills the process at every call after that; in `make sweep` for twelve n, in `make test` for
four.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TextIO

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.location import FOLDER
from tests.faults.fork_server import exit_code_of
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.faults.test_crash import _check_settled, _count_calls, _relink
from tests.faults.trees import STORIES, Story, temporaries, tree_of
from tests.sampling import IS_EVERY_CALL, sample
from tests.table import table

START = "".join(f"line {n}\n" for n in range(40))
MARK = "saved by another program\n"
Save = Callable[[Path, str], None]
Act = Callable[[sh.Workspace], object]


def save_by_rename(path: Path, mark: str) -> None:
    text = path.read_text() if path.exists() else ""
    part = path.with_name(f"{path.name}.swp")
    part.write_text(text + mark)
    part.rename(path)


def save_by_truncation(path: Path, mark: str) -> None:
    text = path.read_text() if path.exists() else ""
    path.write_text(text + mark)


def save_by_appending(path: Path, mark: str) -> None:
    with path.open("a") as file:
        file.write(mark)


def edit(ws: sh.Workspace) -> object:
    return ws.edit("a.txt", [sh.Replace("line 7\n", "line seven\n")])


def write_whole(ws: sh.Workspace) -> object:
    return ws.write("a.txt", START.replace("line", "row"), overwrite=True)


def delete(ws: sh.Workspace) -> object:
    return ws.delete("a.txt")


def rename(ws: sh.Workspace) -> object:
    return ws.rename("a.txt", "moved.txt")


def create(ws: sh.Workspace) -> object:
    return ws.create("new.txt", "fresh\n")


def change_many(ws: sh.Workspace) -> object:
    with ws.transaction() as tx:
        tx.edit("a.txt", [sh.Replace("line 7\n", "line seven\n")])
        tx.edit("b.txt", [sh.Replace("line 7\n", "line seven\n")])
        tx.create("new.txt", "fresh\n")
        tx.delete("c.txt")
    return tx.receipt


def undo(ws: sh.Workspace) -> object:
    return ws.undo(last=True)


ACTS: dict[str, tuple[Act, tuple[str, ...]]] = {
    "edit": (edit, ("a.txt",)),
    "write": (write_whole, ("a.txt",)),
    "delete": (delete, ("a.txt",)),
    "rename": (rename, ("a.txt", "moved.txt")),
    "create": (create, ("new.txt",)),
    "many": (change_many, ("a.txt", "b.txt", "c.txt", "new.txt")),
    "undo": (undo, ("d.txt",)),
}
SAVES: dict[str, Save] = {
    "rename": save_by_rename,
    "truncate": save_by_truncation,
    "append": save_by_appending,
}


class Neighbour(FaultStorage):
    """Does something to the tree right before its n-th call; kills the process `dies_after` calls later."""

    def __init__(self, step: Callable[[], None], *, at: int, dies_after: int | None = None, times: int = 1) -> None:
        super().__init__(at=None if dies_after is None else at + dies_after, exit=dies_after is not None)
        self.step, self.first, self.times = step, at, times

    def _enter(self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.first <= self.count + 1 < self.first + self.times and name in self.watched:
            self.step()
        return super()._enter(name, call, args, kwargs)


def write_pristine(root: Path) -> Path:
    root.mkdir()
    for name in "abcd":
        (root / f"{name}.txt").write_text(START)
    with sh.Workspace(root, actor="before") as ws:
        ws.edit("d.txt", [sh.Replace("line 7\n", "line seven\n")])
    return root


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pristine(tmp_path_factory.mktemp("pristine") / "root")


@pytest.fixture
def copy(pristine: Path, tmp_path: Path) -> Callable[[], Path]:
    """A new tree at each call."""
    numbers = count()
    return lambda: Path(shutil.copytree(pristine, tmp_path / f"root-{next(numbers)}"))


def everything(root: Path) -> str:
    """All text in the tree and all that was kept; the rest of the state folder does not count."""
    folders = [root, root / FOLDER / "kept"]
    files = [path for folder in folders if folder.exists() for path in folder.iterdir()]
    return "".join(path.read_text() for path in files if path.is_file())


def calls_of(root: Path, act: Act) -> int:
    counted = FaultStorage()
    with sh.Workspace(root, storage=counted) as ws:
        act(ws)
    return counted.count


def saver(root: Path, path: str, how: str) -> Callable[[], None]:
    """Saves with a mark of its own each time, and notes it; only a save that renames makes a file that is not there."""
    target, log = root / path, Path(f"{root}.saved")
    log.touch()

    def save() -> None:
        if how == "rename" or target.exists():
            mark = f"{len(log.read_text().splitlines())} {MARK}"
            SAVES[how](target, mark)
            with log.open("a") as file:
                file.write(mark)

    return save


def check(root: Path) -> None:
    """Every save is in the tree or was kept; what a whole-file change saw and replaced comes back with an undo."""
    marks = Path(f"{root}.saved").read_text().splitlines(keepends=True)
    with sh.Workspace(root) as ws:
        assert temporaries(root) == []
        assert ws.check().ok
        if any(mark not in everything(root) for mark in marks):
            ws.undo(last=True)
    text = everything(root)
    assert [mark for mark in marks if mark not in text] == [], "a save was lost"
    shutil.rmtree(root)


def attempts(calls: int, paths: tuple[str, ...]) -> Iterator[tuple[int, str, str]]:
    """Instants, files and ways to save: all of them, or a few of each."""
    ways = list(SAVES)
    for number, path in enumerate(paths):
        first = 1 if IS_EVERY_CALL else 1 + number
        for turn, at in enumerate(sample(range(first, calls + 1), 2, 12)):
            for way in ways if IS_EVERY_CALL else [ways[turn % len(ways)]]:
                yield at, path, way


@pytest.mark.sampled
@pytest.mark.parametrize("name", ACTS)
def test_a_save_in_any_instant_is_not_lost(name: str, copy: Callable[[], Path]) -> None:
    act, paths = ACTS[name]
    for at, path, how in attempts(calls_of(copy(), act), paths):
        root = copy()
        with suppress(EditError), sh.Workspace(root, storage=Neighbour(saver(root, path, how), at=at)) as ws:
            act(ws)
        check(root)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ACTS)
def test_saves_again_and_again_are_not_lost(name: str, copy: Callable[[], Path]) -> None:
    """The neighbour saves before each of several calls: also while its file is put back."""
    act, paths = ACTS[name]
    for at, path, _ in attempts(calls_of(copy(), act), paths):
        root = copy()
        storage = Neighbour(saver(root, path, "rename"), at=at, times=30)
        with suppress(EditError), sh.Workspace(root, storage=storage) as ws:
            act(ws)
        check(root)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ACTS)
def test_a_save_is_not_lost_when_the_process_dies_thereafter(name: str, copy: Callable[[], Path]) -> None:
    act, paths = ACTS[name]
    calls = calls_of(copy(), act)
    for at, path, how in attempts(calls, paths):
        for dies_after in range(40) if IS_EVERY_CALL else (at % 11,):
            root = copy()
            saver(root, path, how)
            given = {"root": str(root), "name": name, "path": path, "how": how, "at": at, "dies_after": dies_after}
            assert exit_code_of(act_beside_a_neighbour, **given) in (0, EXIT_CODE)
            check(root)


def act_beside_a_neighbour(root: str, name: str, path: str, how: str, at: int, dies_after: int) -> None:
    storage = Neighbour(saver(Path(root), path, how), at=at, dies_after=dies_after)
    with suppress(EditError), sh.Workspace(root, storage=storage) as ws:
        ACTS[name][0](ws)


class BeforeExchange(Storage):
    """Another program acts right before the first exchange, and, if asked, right before the second."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps = list(steps)

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        if self.steps:
            self.steps.pop(0)()
        super().exchange(one, other, one_dir_fd=one_dir_fd, other_dir_fd=other_dir_fd)


def refused(root: Path, storage: Storage, act: Act = edit) -> EditError:
    with sh.Workspace(root, storage=storage) as ws, pytest.raises(EditError) as caught:
        act(ws)
    assert temporaries(root) == []
    return caught.value


def replaced_by(path: Path, make: Callable[[Path], object]) -> Callable[[], object]:
    def step() -> None:
        path.unlink()
        make(path)

    return step


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "directory"])
def test_what_is_no_file_and_was_put_there_meanwhile_stays(
    make: Callable[[Path], object], copy: Callable[[], Path]
) -> None:
    path = copy() / "a.txt"
    refused(path.parent, BeforeExchange(replaced_by(path, make)))
    assert not stat.S_ISREG(path.lstat().st_mode)
    assert (path.parent / "b.txt").read_text() == START


def test_a_file_that_was_removed_meanwhile_is_not_made_again(copy: Callable[[], Path]) -> None:
    root = copy()
    error = refused(root, BeforeExchange((root / "a.txt").unlink))
    assert error.kind in (Kind.STALE_SOURCE, Kind.NO_SUCH_FILE)
    assert not (root / "a.txt").exists()


def test_a_changed_mode_is_not_lost(copy: Callable[[], Path]) -> None:
    root = copy()
    with sh.Workspace(root, storage=BeforeExchange(lambda: (root / "a.txt").chmod(0o600))) as ws:
        edit(ws)
    assert stat.S_IMODE((root / "a.txt").stat().st_mode) == 0o600
    assert "line seven\n" in (root / "a.txt").read_text()


def test_a_save_in_the_instant_of_the_exchange_is_built_on(copy: Callable[[], Path]) -> None:
    root = copy()
    with sh.Workspace(root, storage=BeforeExchange(lambda: save_by_rename(root / "a.txt", MARK))) as ws:
        edit(ws)
    assert (root / "a.txt").read_text() == START.replace("line 7\n", "line seven\n") + MARK


def test_a_whole_file_is_not_written_over_a_save_that_nobody_has_seen(copy: Callable[[], Path]) -> None:
    root = copy()
    error = refused(root, BeforeExchange(lambda: save_by_appending(root / "a.txt", MARK)), write_whole)
    assert error.kind is Kind.STALE_SOURCE
    assert (root / "a.txt").read_text() == START + MARK


def test_of_two_saves_at_once_the_newer_has_the_name_and_the_older_is_kept(copy: Callable[[], Path]) -> None:
    root = copy()
    saves = (lambda: (root / "a.txt").write_text("first\n"), lambda: save_by_rename(root / "a.txt", "second\n"))
    error = refused(root, BeforeExchange(*saves), write_whole)
    assert (root / "a.txt").read_text().endswith("second\n")
    (kept,) = error.details["kept"]  # type: ignore[misc, attr-defined]
    assert kept["path"] == "a.txt"
    assert (root / FOLDER / kept["kept"]).read_text() == "first\n"


def test_a_file_that_a_program_has_open_for_writing_is_left_to_it(copy: Callable[[], Path]) -> None:
    root = copy()
    with (root / "a.txt").open("a") as log:
        error = refused(root, Storage())
        assert error.kind is Kind.BUSY
        assert "open for writing" in error.message
        log.write(MARK)
    with sh.Workspace(root) as ws:
        edit(ws)
    assert (root / "a.txt").read_text() == START.replace("line 7\n", "line seven\n") + MARK


class LateWriter(BeforeExchange):
    """Opens the file right before the exchange and writes when it is asked for the second time who is writing."""

    def __init__(self, path: Path) -> None:
        super().__init__(self._open)
        self.path, self.asked = path, 0
        self.file: TextIO | None = None

    def _open(self) -> None:
        self.file = self.path.open("a")

    def has_writer(self, fd: int) -> bool | None:
        self.asked += self.file is not None
        if self.asked == 2 and self.file is not None:
            with self.file:
                self.file.write(MARK)
            self.file = None
        return super().has_writer(fd)


def test_who_opened_the_file_before_and_writes_after_the_exchange_loses_nothing(copy: Callable[[], Path]) -> None:
    root = copy()
    with sh.Workspace(root, storage=LateWriter(root / "a.txt")) as ws:
        edit(ws)
    assert (root / "a.txt").read_text() == START.replace("line 7\n", "line seven\n") + MARK


class WithoutExchange(Neighbour):
    """A file system that cannot exchange, with links or without, and cannot tell who is writing."""

    def __init__(self, step: Callable[[], None] = lambda: None, *, at: int = -1, links: bool = True) -> None:
        super().__init__(step, at=at)
        self.links = links

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        self.calls.append("exchange")
        raise OSError(errno.EINVAL, "")

    def link(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        if not self.links:
            raise OSError(errno.EPERM, "")
        super().link(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)

    def has_writer(self, fd: int) -> bool | None:
        return None


@pytest.mark.sampled
@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("links", [True, False], ids=["links", "bare"])
def test_without_exchange_a_save_before_the_last_look_is_not_lost(
    name: str, links: bool, copy: Callable[[], Path]
) -> None:
    act, paths = ACTS[name]
    counted = WithoutExchange(links=links)
    with sh.Workspace(copy(), storage=counted) as ws:
        act(ws)
    for at, path, _ in attempts(counted.calls.index("exchange") if "exchange" in counted.calls else 20, paths):
        root = copy()
        storage = WithoutExchange(saver(root, path, "rename"), at=at, links=links)
        with suppress(EditError), sh.Workspace(root, storage=storage) as ws:
            act(ws)
        check(root)


class SaveAtLastInstant(WithoutExchange):
    """Somebody saves as many bytes as there were, when neither an exchange nor a link was to be had."""

    def __init__(self, path: Path) -> None:
        super().__init__(links=False)
        self.path, self.is_due = path, True

    def link(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        if self.is_due:
            self.is_due = False
            self.path.write_text(START.replace("line 9\n", "LINE 9\n"))
            os.utime(self.path, ns=(0, self.path.stat().st_mtime_ns + 1))  # however coarse the clock is
        super().link(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)


def test_without_exchange_and_links_a_save_of_the_same_size_is_seen_by_its_time(copy: Callable[[], Path]) -> None:
    root = copy()
    with sh.Workspace(root, storage=SaveAtLastInstant(root / "a.txt")) as ws:
        edit(ws)
    assert (root / "a.txt").read_text() == START.replace("line 7\n", "line seven\n").replace("line 9\n", "LINE 9\n")
    assert temporaries(root) == []


@table("fault", [0, 1], ids=["dies", "fails"])
@table("story", STORIES, ids=lambda story: story.name, every=3)
def test_without_exchange_a_crash_or_fault_leaves_before_or_after(story: Story, fault: int, tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    story.prepare(pristine)
    before = tree_of(pristine)
    with sh.Workspace(pristine, read_only=True) as ws:
        records = len(ws.history())
    calls, after = _count_calls(pristine, story)
    for at in sample(range(calls // 3, calls + 8), 4, 16):
        root = Path(shutil.copytree(pristine, tmp_path / f"at-{at}"))
        _relink(pristine, root)
        code = exit_code_of(act_without_exchange, root=str(root), story=STORIES.index(story), at=at, dies=not fault)
        assert code in (0, EXIT_CODE)
        _check_settled(root, before, after, records)
        shutil.rmtree(root)


def act_without_exchange(root: str, story: int, at: int, *, dies: bool) -> None:
    storage = WithoutExchange()
    storage.at, storage.exit = at, dies
    with suppress(EditError), sh.Workspace(root, actor="child", storage=storage) as ws:
        STORIES[story].act(ws)


class CoarseTimes(Storage):
    """A file system without exchange and links whose times say nothing; another program acts before the first lock."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.acts = [act]

    def lock(self, fd: int) -> bool:
        if self.acts:
            self.acts.pop()()
        return super().lock(fd)

    def stat(self, *given: Any, **named: Any) -> os.stat_result:
        return _timeless(super().stat(*given, **named))

    def fstat(self, fd: int) -> os.stat_result:
        return _timeless(super().fstat(fd))

    def exchange(self, *_: Any, **__: Any) -> None:
        raise OSError(errno.EINVAL, "no exchange")

    def link(self, *_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "no links")


def _timeless(found: os.stat_result) -> os.stat_result:
    return os.stat_result((*tuple(found)[:7], 0, 0, 0, 0.0, 0.0, 0.0, 0, 0, 0))


def test_a_save_of_the_same_size_is_not_lost_where_times_are_coarse(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ncount 1\n")
    with sh.Workspace(tmp_path, storage=CoarseTimes(lambda: file.write_text("one\ncount 2\n"))) as ws:
        with suppress(EditError):
            ws.edit("a.txt", [sh.Replace("one", "ONE")])
    assert "count 2" in file.read_text()


@pytest.mark.sampled
def test_a_file_that_is_written_to_while_it_moves_has_one_name(copy: Callable[[], Path]) -> None:
    calls = calls_of(copy(), rename)
    for at in sample(range(1, calls + 1), 16):
        root = copy()

        def overwrite(path: Path = root / "a.txt") -> None:
            if not path.exists():
                return
            found = path.stat()
            with path.open("r+") as file:
                file.write("LINE")
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))

        with sh.Workspace(root, storage=Neighbour(overwrite, at=at)) as ws, suppress(EditError):
            rename(ws)
        names = [name for name in ("a.txt", "moved.txt") if (root / name).exists()]
        assert len(names) == 1, at
        assert (root / names[0]).stat().st_nlink == 1


def test_a_save_while_two_files_change_places_is_not_in_both(copy: Callable[[], Path]) -> None:
    def swap(ws: sh.Workspace) -> None:
        with ws.transaction() as tx:
            tx.rename("a.txt", "t.txt")
            tx.rename("b.txt", "a.txt")
            tx.rename("t.txt", "b.txt")

    def made_root() -> Path:
        root = copy()
        (root / "b.txt").write_text("theirs\n")
        return root

    calls = calls_of(made_root(), swap)
    for at in sample(list(range(1, calls + 1)), 12):
        root = made_root()
        with sh.Workspace(root, storage=Neighbour(saver(root, "a.txt", "truncate"), at=at)) as ws, suppress(EditError):
            swap(ws)
        texts = [(root / name).read_text() for name in ("a.txt", "b.txt")]
        assert sum("theirs\n" in text for text in texts) == 1, at
        assert (root / "a.txt").stat().st_nlink == 1
