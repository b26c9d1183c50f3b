"""Somebody exchanges directories and files for links to the outside while we work: nothing out there is touched."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from steadyhand.errors import EditError
from steadyhand.workspace.files.listing import Limits
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.sandbox import Sandbox
from steadyhand.workspace.files.storage import Storage, refuse_os
from steadyhand.workspace.files.writer import discard, stage, write_in_place
from tests.hostile.attacks import running
from tests.sampling import sample

LIMITS = Limits(32, 10_000, 5.0)
ROUNDS = 2000
MOST_ROUNDS = 1_000_000
INSIDE = b"inside"
OUTSIDE = b"outside: must be neither read nor written"
RESOLVERS = ["openat2", "walk"] if sys.platform.startswith("linux") else ["walk"]


Work = Callable[[int], object]


def make_box(base: Path) -> None:
    for name in ("ws/sub/dir", "out/dir"):
        (base / name).mkdir(parents=True)
    (base / "ws/sub/dir/a.md").write_bytes(INSIDE)
    (base / "out/dir/a.md").write_bytes(OUTSIDE)
    (base / "out/a.md").write_bytes(OUTSIDE)


@pytest.fixture(params=RESOLVERS)
def box(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    make_box(tmp_path)
    with Sandbox(tmp_path / "ws", storage=Storage(), resolver=request.param) as sandbox:
        yield sandbox


def directory_swap(base: Path) -> Callable[[], None]:
    """`ws/sub` is the real directory, then a link to the outside, then the real one again."""
    sub, kept, link = base / "ws/sub", base / "kept", base / "link"
    with suppress(FileExistsError):
        link.symlink_to("../out")

    def swap() -> None:
        os.rename(sub, kept)
        os.rename(link, sub)
        os.rename(sub, link)
        os.rename(kept, sub)

    return swap


def file_swap(base: Path) -> Callable[[], None]:
    """`ws/sub/dir/a.md` is a file, then a link to a file outside, then a file again; each by one rename."""
    target = base / "ws/sub/dir/a.md"

    def swap() -> None:
        (base / "l").symlink_to("../../../out/a.md")
        os.rename(base / "l", target)
        (base / "f").write_bytes(INSIDE)
        os.rename(base / "f", target)

    return swap


SWAPS = {"a directory": directory_swap, "a file": file_swap}


def assert_outside_untouched(base: Path) -> None:
    assert sorted(os.listdir(base / "out")) == ["a.md", "dir"]
    assert os.listdir(base / "out/dir") == ["a.md"]
    for name in ("out/a.md", "out/dir/a.md"):
        assert (base / name).read_bytes() == OUTSIDE
        assert (base / name).stat().st_nlink == 1


def outcomes(work: Work, *, until: Collection[str] = ("done",)) -> dict[str, int]:
    """What became of many tries: at least `ROUNDS`, and more while the other process is kept from its swapping."""
    counted: dict[str, int] = {}
    for turn in range(MOST_ROUNDS):
        if turn >= ROUNDS and counted.keys() >= set(until):
            break
        try:
            work(turn)
            kind = "done"
        except EditError as error:
            kind = str(error.kind)
        counted[kind] = counted.get(kind, 0) + 1
    return counted


def reading(box: Sandbox) -> Work:
    def read(_: int) -> None:
        with box.place("sub/dir/a.md", writing=False) as place:
            assert box.read(place).data != OUTSIDE

    return read


def replacing(box: Sandbox) -> Work:
    storage = Storage()

    def write(turn: int) -> None:
        temp = f"{TEMP_PREFIX}race-{turn}"
        with box.place("sub/dir/a.md", writing=True) as place:
            if place.missing:
                return
            stage(storage, place.dir_fd, b"ours", temp_name=temp, path=place.path)
            try:
                storage.rename(temp, place.name, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)
            except OSError as error:
                raise refuse_os(error, "replace", place.path) from None
            finally:
                discard(storage, place.dir_fd, temp)

    return write


def writing_in_place(box: Sandbox) -> Work:
    """Also creates a file, and lists all there are."""
    storage = Storage()

    def work(turn: int) -> None:
        with box.place("sub/dir/a.md", writing=True) as place:
            if not place.missing:
                write_in_place(storage, place, b"ours", None)
        with box.place(f"sub/new{turn % 7}.md", writing=True) as place:
            if not place.missing:
                with suppress(FileExistsError):
                    os.close(storage.create(place.name, 0o600, dir_fd=place.dir_fd))
        assert not any("out" in path for path in box.list_beneath(".", LIMITS).files)

    return work


WORKS: dict[str, Callable[[Sandbox], Work]] = {
    "read": reading,
    "replaced": replacing,
    "written in place, created or listed": writing_in_place,
}


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "swap"), sample(list(itertools.product(WORKS, SWAPS)), 3))
def test_nothing_outside_is_reached_under_a_race(box: Sandbox, tmp_path: Path, name: str, swap: str) -> None:
    with running(SWAPS[swap](tmp_path)):
        counted = outcomes(WORKS[name](box))
    assert "done" in counted, counted
    assert name != "read" or set(counted) <= {"done", "outside-root", "no-such-file", "not-text"}, counted
    assert_outside_untouched(tmp_path)


def test_links_that_change_while_they_are_followed_stay_beneath(box: Sandbox, tmp_path: Path) -> None:
    """A link inside that points now to the inside and now to the outside, reached through another link."""
    (tmp_path / "ws/way").symlink_to("turn/dir")
    turn = tmp_path / "ws/turn"
    turn.symlink_to("sub")

    def swap() -> None:
        for target in ("../out", "sub", str(tmp_path / "out"), "sub"):
            (tmp_path / "next").symlink_to(target)
            os.rename(tmp_path / "next", turn)

    def read(_: int) -> None:
        with box.place("way/a.md", writing=True) as place:
            assert place.path == "sub/dir/a.md"
            assert box.read(place).data == INSIDE

    with running(swap):
        counted = outcomes(read, until=("done", "outside-root"))
    assert set(counted) <= {"done", "outside-root"}, counted
    assert_outside_untouched(tmp_path)
