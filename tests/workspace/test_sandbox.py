"""From a path to a handle beneath the root: links, swaps and protected names lead nowhere else."""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.files.listing import Limits
from steadyhand.workspace.files.sandbox import Sandbox, lock_key_of
from steadyhand.workspace.files.storage import Storage
from tests.faults.storage import FaultStorage
from tests.table import table

LIMITS = Limits(32, 10_000, 5.0)
SECRET = b"outside, nobody may see this"


@pytest.fixture(params=["openat2", "walk"] if sys.platform.startswith("linux") else ["walk"])
def resolver(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "docs" / "deep").mkdir(parents=True)
    (root / "docs" / "a.md").write_bytes(b"alpha\n")
    (root / "docs" / "deep" / "b.md").write_bytes(b"beta\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_bytes(SECRET)
    (tmp_path / "ws_evil").mkdir()
    (tmp_path / "ws_evil" / "secret.md").write_bytes(SECRET)
    return root


@pytest.fixture
def box(root: Path, resolver: Any) -> Iterator[Sandbox]:
    before = len(os.listdir("/dev/fd"))
    with Sandbox(root, storage=Storage(), resolver=resolver) as sandbox:
        yield sandbox
    assert len(os.listdir("/dev/fd")) == before, "a handle was left open"


def kind_of(box: Sandbox, path: str, *, writing: bool = False) -> Kind | None:
    try:
        with box.place(path, writing=writing) as place:
            if not writing:
                box.read(place)
        return None
    except EditError as error:
        return error.kind


ESCAPES = {
    "relative link to a file": ("link.md", "../outside/secret.md"),
    "absolute link to a file": ("link.md", "{outside}/secret.md"),
    "absolute link that stays inside": ("link.md", "{root}/docs/a.md"),
    "link to a sibling with the same prefix": ("link.md", "../ws_evil/secret.md"),
    "link to nothing inside": ("link.md", "docs/missing.md"),
    "link to nothing outside": ("link.md", "../outside/new.md"),
    "link to nothing in a missing directory": ("link.md", "nowhere/new.md"),
    "link to itself": ("link.md", "link.md"),
    "link that climbs and returns": ("link.md", "../ws/docs/a.md"),
    "link through the process file system": ("link.md", "/proc/self/cwd"),
}
DIRECTORY_ESCAPES = {
    "relative link to a directory": ("dir", "../outside"),
    "absolute link to a directory": ("dir", "{outside}"),
    "link to the parent": ("dir", ".."),
    "link deep up": ("docs/dir", "../../outside"),
    "dangling directory": ("dir", "gone"),
    "dangling directory outside": ("dir", "../outside/gone"),
    "loop": ("dir", "dir/dir"),
}


def make_link(root: Path, link: str, target: str) -> None:
    (root / link).symlink_to(target.format(outside=root.parent / "outside", root=root))


@contextmanager
def linked(root: Path, link: str, target: str) -> Iterator[None]:
    """With that link, for the length of the block."""
    make_link(root, link, target)
    try:
        yield
    finally:
        (root / link).unlink()


@table(("link", "target"), ESCAPES.values(), ids=ESCAPES)
@table("writing", [False, True])
def test_a_link_that_leaves_or_leads_nowhere_is_outside(
    box: Sandbox, root: Path, link: str, target: str, writing: bool
) -> None:
    with linked(root, link, target):
        assert kind_of(box, link, writing=writing) is Kind.OUTSIDE_ROOT


@table(("link", "target"), DIRECTORY_ESCAPES.values(), ids=DIRECTORY_ESCAPES)
@table("name", ["secret.md", "new.md", "sub/new.md", "../outside/secret.md"])
def test_a_directory_link_that_leaves_or_leads_nowhere_is_outside(
    box: Sandbox, root: Path, link: str, target: str, name: str
) -> None:
    with linked(root, link, target):
        for writing in (False, True):
            assert kind_of(box, f"{link}/{name}", writing=writing) in (Kind.OUTSIDE_ROOT, Kind.NO_SUCH_FILE)
        if not name.startswith(".."):
            assert kind_of(box, f"{link}/{name}", writing=True) is Kind.OUTSIDE_ROOT


def test_two_links_that_point_at_each_other_are_outside(box: Sandbox, root: Path) -> None:
    make_link(root, "a", "b")
    make_link(root, "b", "a")
    assert kind_of(box, "a") is Kind.OUTSIDE_ROOT
    assert kind_of(box, "a/x") is Kind.OUTSIDE_ROOT


def test_a_chain_of_too_many_links_is_outside(box: Sandbox, root: Path) -> None:
    (root / "l0").symlink_to("docs/a.md")
    for n in range(1, 60):
        (root / f"l{n}").symlink_to(f"l{n - 1}")
    assert kind_of(box, "l30") is None
    assert kind_of(box, "l59") is Kind.OUTSIDE_ROOT


def test_a_maze_of_climbing_links_ends_in_bounded_time(box: Sandbox, root: Path) -> None:
    deep = root
    for _ in range(300):
        deep = deep / "d"
    os.makedirs(deep)
    winding = "/".join(["d"] * 300 + ["d/..", "x/.."] * 300 + ["end"])
    (root / "l0").symlink_to(winding)
    for n in range(1, 35):
        (root / f"l{n}").symlink_to(f"l{n - 1}/../l{n - 1}")
    for path in ("l0", "l34", winding):
        assert kind_of(box, path, writing=True) in (Kind.OUTSIDE_ROOT, Kind.BAD_REQUEST, Kind.NO_SUCH_FILE, None)


PROTECTED_WRITES = [
    ".git/config",
    ".GIT/config",
    ".steadyhand/journal.sqlite",
    ".steadyhand/locks/000",
    "docs/.steadyhand-tmp-ab-0",
    ".env",
    ".vscode/settings.json",
    ".g\u00adit/config",
    "docs/../.git/config",
    "id_rsa",
]


@table("path", PROTECTED_WRITES)
def test_protected_names_are_not_written(box: Sandbox, path: str) -> None:
    assert kind_of(box, path, writing=True) is Kind.PROTECTED_PATH


def test_a_link_to_a_protected_name_does_not_open_it(box: Sandbox, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"[core]\n")
    (root / ".env").write_bytes(b"KEY=1\n")
    make_link(root, "g", ".git")
    make_link(root, "e.md", ".env")
    assert kind_of(box, "g/config", writing=True) is Kind.PROTECTED_PATH
    assert kind_of(box, "g/new", writing=True) is Kind.PROTECTED_PATH
    assert kind_of(box, "e.md", writing=True) is Kind.PROTECTED_PATH
    assert kind_of(box, "e.md") is Kind.PROTECTED_PATH


def test_a_protected_name_that_is_a_link_protects_what_it_leads_to(box: Sandbox, root: Path) -> None:
    make_link(root, ".vscode", "docs")
    make_link(root, "way", ".vscode")
    assert kind_of(box, ".vscode/a.md", writing=True) is Kind.PROTECTED_PATH
    assert kind_of(box, "way/a.md", writing=True) is Kind.PROTECTED_PATH
    assert kind_of(box, "docs/a.md", writing=True) is None


def test_a_secret_is_not_read_but_its_size_is_reported(box: Sandbox, root: Path) -> None:
    (root / ".env").write_bytes(b"TOKEN=abc\n")
    with pytest.raises(EditError) as caught:
        box.place(".env", writing=False)
    assert caught.value.details["size"] == 10
    assert "abc" not in str(caught.value.to_json())


def test_our_own_state_is_not_read_and_version_control_is(box: Sandbox, root: Path) -> None:
    for name in (".steadyhand", ".git"):
        (root / name).mkdir()
        (root / name / "x").write_bytes(b"1")
    assert kind_of(box, ".steadyhand/x") is Kind.PROTECTED_PATH
    assert kind_of(box, ".git/x") is None


def test_only_the_host_opens_a_protected_name(root: Path, resolver: Any) -> None:
    (root / ".env").write_bytes(b"A=1\n")
    with Sandbox(root, storage=Storage(), resolver=resolver, allow=(".env",)) as box:
        with box.place(".env", writing=True) as place:
            assert place.secret
            assert box.read(place).data == b"A=1\n"
        assert kind_of(box, ".git/config", writing=True) is Kind.PROTECTED_PATH


def test_an_instruction_file_is_flagged(box: Sandbox) -> None:
    with box.place("AGENTS.md", writing=True) as place:
        assert place.flagged
    with box.place("docs/a.md", writing=True) as place:
        assert place.flagged is None


@pytest.mark.parametrize("path", [".", "docs", "docs/", "docs/deep/..", "docs/.", "a/.."])
def test_a_directory_is_not_a_file(box: Sandbox, path: str) -> None:
    assert kind_of(box, path) in (Kind.BAD_REQUEST, Kind.NOT_TEXT)


def test_special_files_are_refused_at_once(box: Sandbox, root: Path) -> None:
    os.mkfifo(root / "pipe")
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(root)
    try:
        server.bind("sock")
    finally:
        os.chdir(here)
    assert kind_of(box, "pipe") is Kind.NOT_TEXT
    assert kind_of(box, "sock") is Kind.NOT_TEXT
    assert kind_of(box, "docs") is Kind.NOT_TEXT
    server.close()
    assert stat.S_ISFIFO((root / "pipe").lstat().st_mode)


def test_a_device_is_refused(tmp_path: Path, resolver: Any) -> None:
    with Sandbox("/dev", storage=Storage(), resolver=resolver) as box:
        assert kind_of(box, "zero") is Kind.NOT_TEXT
        assert kind_of(box, "null") is Kind.NOT_TEXT


class SwapsAfterStat(Storage):
    """Exchanges the file for something else right after it was looked at."""

    def __init__(self, swap: Any) -> None:
        self.swap = swap

    def stat(self, name: str, *, dir_fd: int) -> os.stat_result:
        found = super().stat(name, dir_fd=dir_fd)
        if name == "a.md":
            self.swap()
        return found


def test_a_file_exchanged_for_a_link_or_pipe_after_the_look_is_not_followed(root: Path, resolver: Any) -> None:
    target = root / "docs" / "a.md"

    def link() -> None:
        target.unlink(missing_ok=True)
        target.symlink_to("../../outside/secret.md")

    def pipe() -> None:
        target.unlink(missing_ok=True)
        os.mkfifo(target)

    for swap, expected in ((link, Kind.OUTSIDE_ROOT), (pipe, Kind.NOT_TEXT)):
        target.unlink(missing_ok=True)
        target.write_bytes(b"alpha\n")
        with Sandbox(root, storage=Storage(), resolver=resolver) as box:
            place = box.place("docs/a.md", writing=False)
        with place, Sandbox(root, storage=SwapsAfterStat(swap), resolver=resolver) as box:
            with pytest.raises(EditError) as caught:
                box.read(place)
            assert caught.value.kind is expected


def test_a_file_over_the_limit_is_refused_before_it_is_read(root: Path, resolver: Any) -> None:
    (root / "big").write_bytes(b"x" * 101)
    storage = FaultStorage()
    with Sandbox(root, storage=storage, resolver=resolver, max_bytes=100) as box:
        with box.place("big", writing=False) as place, pytest.raises(EditError) as caught:
            box.read(place)
        assert caught.value.kind is Kind.TOO_LARGE
        assert (caught.value.details["size"], caught.value.details["limit"]) == (101, 100)
        assert "read" not in storage.calls
        (root / "big").write_bytes(b"x" * 100)
        assert kind_of(box, "big") is None


def test_a_file_that_grows_while_it_is_read_is_still_bounded(root: Path, resolver: Any) -> None:
    grows = root / "grows"
    grows.write_bytes(b"x" * 10)

    class Grows(Storage):
        def read(self, fd: int, limit: int) -> bytes:
            with grows.open("ab") as file:
                file.write(b"y" * 500)
            return super().read(fd, limit)

    with Sandbox(root, storage=Grows(), resolver=resolver, max_bytes=100) as box:
        with box.place("grows", writing=False) as place, pytest.raises(EditError) as caught:
            box.read(place)
        assert caught.value.kind is Kind.TOO_LARGE


def test_other_extensions_are_not_allowed(root: Path, resolver: Any) -> None:
    with Sandbox(root, storage=Storage(), resolver=resolver, extensions=[".md", "TXT"]) as box:
        assert kind_of(box, "docs/a.md", writing=True) is None
        assert kind_of(box, "docs/A.MD", writing=True) is None
        assert kind_of(box, "new.txt", writing=True) is None
        for path in ("app.py", "Makefile", "a.md.py", ".md"):
            assert kind_of(box, path, writing=True) is Kind.NOT_ALLOWED


def test_unportable_names_are_not_made_but_existing_ones_are_edited(box: Sandbox, root: Path) -> None:
    assert kind_of(box, "aux.c", writing=True) is Kind.OUTSIDE_ROOT
    assert kind_of(box, "a:b", writing=True) is Kind.BAD_REQUEST
    assert kind_of(box, "a\\b") is Kind.BAD_REQUEST
    box.place("aux.c", writing=True, known_name=True).close()
    for name in ("aux.c", "a:b", "a\\b"):
        (root / name).write_bytes(b"x")
        assert kind_of(box, name, writing=True) is None


def test_a_file_in_the_middle_of_a_path_is_no_directory(box: Sandbox) -> None:
    assert kind_of(box, "docs/a.md/x") is Kind.NO_SUCH_FILE
    assert kind_of(box, "docs/a.md/x/y", writing=True) is Kind.NO_SUCH_FILE


def test_a_root_that_is_no_directory_is_refused(root: Path) -> None:
    for path in (root / "nowhere", root / "docs" / "a.md"):
        with pytest.raises(EditError) as caught:
            Sandbox(path, storage=Storage())
        assert caught.value.kind is Kind.NO_SUCH_FILE
        assert str(root) not in str(caught.value.to_json())


def test_a_closed_sandbox_refuses(root: Path) -> None:
    box = Sandbox(root, storage=Storage())
    box.close()
    box.close()
    assert kind_of(box, "docs/a.md") is Kind.BAD_REQUEST
    with pytest.raises(EditError):
        box.list_beneath(".", LIMITS)


def test_no_refusal_names_a_path_outside_the_root(box: Sandbox, root: Path) -> None:
    make_link(root, "link.md", "{outside}/secret.md")
    make_link(root, "dir", "../outside")
    for path in ("link.md", "dir/secret.md", "dir/x", "docs/missing.md", "pipe"):
        for writing in (False, True):
            with pytest.raises(EditError) as caught, box.place(path, writing=writing) as place:
                box.read(place)
            assert str(root.parent) not in str(caught.value.to_json())
            assert "outside/" not in str(caught.value.to_json())


def test_a_plain_path_is_read_with_all_its_facts(box: Sandbox, root: Path) -> None:
    os.chmod(root / "docs" / "a.md", 0o640)
    with box.place("docs/a.md", writing=False) as place:
        image = box.read(place)
        found = (root / "docs" / "a.md").stat()
        assert (place.path, place.name, place.missing, place.via_symlink) == ("docs/a.md", "a.md", (), False)
        assert image.data == b"alpha\n"
        assert image.digest == digest_of(b"alpha\n")
        assert (image.mode, image.uid, image.gid, image.nlink) == (0o640, found.st_uid, found.st_gid, 1)
        assert (image.dev, image.ino, image.size) == (found.st_dev, found.st_ino, 6)


def test_an_empty_file_is_a_value(box: Sandbox, root: Path) -> None:
    (root / "empty").write_bytes(b"")
    with box.place("empty", writing=False) as place:
        assert box.read(place).data == b""


SAME_FILE = [
    "docs/a.md",
    "./docs//a.md",
    "docs/deep/../a.md",
    "docs/gone/../a.md",
    "link",
    "dir/a.md",
    "dir/deep/../a.md",
]


def test_every_spelling_of_a_file_gives_one_place(box: Sandbox, root: Path) -> None:
    make_link(root, "link", "docs/a.md")
    make_link(root, "dir", "docs")
    keys = set()
    for spelling in [*SAME_FILE, str(root / "docs" / "a.md")]:
        with box.place(spelling, writing=True) as place:
            assert place.path == "docs/a.md", spelling
            assert box.read(place).data == b"alpha\n"
            keys.add(lock_key_of(place.path))
    assert len(keys) == 1
    assert lock_key_of("Docs/Ä.md") == lock_key_of("docs/a\u0308.md")


def test_a_link_that_stays_inside_is_followed_to_its_target(box: Sandbox, root: Path) -> None:
    make_link(root, "docs/deep/up.md", "../a.md")
    make_link(root, "docs/hop", "deep/up.md")
    with box.place("docs/hop", writing=True) as place:
        assert (place.path, place.via_symlink, place.given) == ("docs/a.md", True, "docs/hop")
        assert os.stat("a.md", dir_fd=place.dir_fd).st_ino == (root / "docs" / "a.md").stat().st_ino


def test_the_root_itself_may_be_reached_through_a_link(root: Path, resolver: Any) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)
    with Sandbox(alias, storage=Storage(), resolver=resolver) as box:
        for path in ("docs/a.md", str(alias / "docs/a.md"), str(root / "docs/a.md")):
            assert kind_of(box, path) is None
        assert kind_of(box, str(root.parent / "outside" / "secret.md")) is Kind.OUTSIDE_ROOT


def test_missing_parents_are_reported_with_the_deepest_directory_that_is_there(box: Sandbox, root: Path) -> None:
    with box.place("docs/new/er/x.md", writing=True) as place:
        assert (place.missing, place.name, place.path) == (("new", "er"), "x.md", "docs/new/er/x.md")
        assert place.directory == "docs"
        assert os.fstat(place.dir_fd).st_ino == (root / "docs").stat().st_ino
        os.fsync(place.dir_fd)
    with box.place("top.md", writing=True) as place:
        assert (place.missing, place.directory) == ((), "")


def test_a_new_file_behind_a_directory_link_is_placed_in_the_target(box: Sandbox, root: Path) -> None:
    make_link(root, "dir", "docs/deep")
    with box.place("dir/new.md", writing=True) as place:
        assert (place.path, place.missing) == ("docs/deep/new.md", ())


def test_a_missing_file_is_answered_with_names_like_it(box: Sandbox, root: Path) -> None:
    (root / ".steadyhand-tmp-x-0").write_bytes(b"")
    for given, meant in (("docs/A.md", "docs/a.md"), ("doc/a.md", "docs"), ("docs/deep/bb.md", "docs/deep/b.md")):
        with box.place(given, writing=False) as place, pytest.raises(EditError) as caught:
            box.read(place)
        assert caught.value.kind is Kind.NO_SUCH_FILE
        assert meant in caught.value.details["similar"]  # type: ignore[operator]
    with box.place(".steadyhand-tnp-x-0", writing=False) as place, pytest.raises(EditError) as caught:
        box.read(place)
    assert caught.value.details["similar"] == []
    assert "docs" in caught.value.details["available"]  # type: ignore[operator]
    assert not any(name.startswith(".steadyhand") for name in caught.value.details["available"])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("wanted", "first"),
    [("a.pyy", "a.py"), ("a.htm", "a.html"), ("confg.py", "conf.py"), ("config.yml", "config.yaml"), ("A.py", "a.py")],
)
def test_of_several_similar_names_the_one_with_the_nearest_ending_comes_first(
    wanted: str, first: str, box: Sandbox, root: Path
) -> None:
    for name in ("a.html", "a.json", "a.md", "a.py", "conf.py", "config.json", "config.toml", "config.yaml"):
        (root / name).write_text("x\n")
    with box.place(wanted, writing=False) as place, pytest.raises(EditError) as caught:
        box.read(place)
    assert caught.value.details["similar"][0] == first  # type: ignore[index]


def test_deep_paths_need_few_handles(root: Path, resolver: Any) -> None:
    parts = ["d"] * 900
    fd = os.open(root, os.O_RDONLY)
    for part in parts:
        os.mkdir(part, dir_fd=fd)
        below = os.open(part, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    with (
        Sandbox(root, storage=Storage(), resolver=resolver) as box,
        box.place("/".join([*parts, "x"]), writing=True) as p,
    ):
        assert p.missing == ()


def test_reading_makes_no_call_that_changes_anything(root: Path, resolver: Any) -> None:
    storage = FaultStorage()
    (root / "link").symlink_to("docs/a.md")
    with Sandbox(root, storage=storage, resolver=resolver) as box:
        for path in ("docs/a.md", "link"):
            assert kind_of(box, path) is None
        assert kind_of(box, "new/x", writing=True) is None
        box.list_beneath(".", LIMITS)
    assert storage.mutations == []


def test_an_error_at_any_call_is_a_refusal_and_leaks_nothing(root: Path, resolver: Any) -> None:
    (root / "way").symlink_to("docs/deep/../deep")
    for path in ("docs/a.md", "way/b.md", "new/x.md", "docs/../docs/a.md"):
        for at in range(1, 60):
            before = len(os.listdir("/dev/fd"))
            storage = FaultStorage()
            with Sandbox(root, storage=storage, resolver=resolver) as box:
                storage.at, storage.count, storage.error = at, 0, errno.EMFILE
                try:
                    with box.place(path, writing=True) as place:
                        box.read(place)
                except EditError:
                    pass
                done = storage.faults == 0
                storage.at = None
            assert len(os.listdir("/dev/fd")) == before
            if done:
                break
        else:
            pytest.fail("never got through")


def test_threads_share_a_sandbox(box: Sandbox) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(200):
                with box.place("docs/deep/../a.md", writing=False) as place:
                    assert box.read(place).data == b"alpha\n"
                assert len(box.list_beneath(".", LIMITS).files) == 2
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_listing_hides_our_state_version_control_and_temporaries(box: Sandbox, root: Path) -> None:
    for name in (".git/config", ".steadyhand/journal", ".hg/x", "sub/.git/x"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_bytes(b"")
    (root / "docs" / ".steadyhand-tmp-1-0").write_bytes(b"")
    (root / ".env").write_bytes(b"")
    os.mkfifo(root / "pipe")
    make_link(root, "out", "../outside")
    make_link(root, "loop", ".")
    listing = box.list_beneath(".", LIMITS)
    assert listing.files == (".env", "docs/a.md", "docs/deep/b.md")
    assert listing.links == ("loop", "out")
    assert listing.cut is None


def test_a_listing_leaves_out_names_that_no_path_can_name(box: Sandbox, root: Path) -> None:
    for name in (b"\xff.md", b"a\nb.md", b"\x1b[2J.md"):
        (root / os.fsdecode(name)).write_bytes(b"")
    assert box.list_beneath(".", LIMITS).files == ("docs/a.md", "docs/deep/b.md")


def test_a_listing_says_when_it_was_cut(box: Sandbox, root: Path) -> None:
    for n in range(20):
        (root / f"f{n:02}").write_bytes(b"")
    cut = box.list_beneath(".", Limits(32, 5, 5.0))
    assert cut.cut == "more than 5 entries"
    assert len(cut.files) <= 5
    assert box.list_beneath(".", Limits(1, 10_000, 5.0)).cut == "deeper than 1 directories"
    assert box.list_beneath(".", Limits(32, 10_000, 0)).cut == "more than 0 seconds"
    assert box.list_beneath(".", Limits(32, 100, 5.0)).cut is None


def test_a_listing_starts_where_it_should_and_nowhere_else(box: Sandbox, root: Path) -> None:
    (root / ".steadyhand").mkdir()
    make_link(root, "inside", "docs")
    make_link(root, "out", "../outside")
    assert box.list_beneath("docs/deep", LIMITS).files == ("docs/deep/b.md",)
    assert box.list_beneath("docs/", LIMITS).files == ("docs/a.md", "docs/deep/b.md")
    assert box.list_beneath("docs/..", LIMITS).files == ("docs/a.md", "docs/deep/b.md")
    assert box.list_beneath("inside", LIMITS).files == ("docs/a.md", "docs/deep/b.md")
    for path, kind in (
        ("out", Kind.OUTSIDE_ROOT),
        ("..", Kind.OUTSIDE_ROOT),
        ("gone", Kind.NO_SUCH_FILE),
        ("docs/a.md", Kind.NO_SUCH_FILE),
        (".steadyhand", Kind.PROTECTED_PATH),
    ):
        with pytest.raises(EditError) as caught:
            box.list_beneath(path, LIMITS)
        assert caught.value.kind is kind


def test_mount_points_beneath_the_root_are_reported() -> None:
    with Sandbox("/", storage=Storage()) as box:
        assert "proc" in box.mount_points()


def test_one_file_system_refuses_what_is_mounted_beneath(resolver: Any) -> None:
    with Sandbox("/", storage=Storage(), resolver=resolver, one_filesystem=True) as box:
        with pytest.raises(EditError) as caught:
            box.place("proc/version", writing=False)
        assert caught.value.kind is Kind.OUTSIDE_ROOT
    with Sandbox("/", storage=Storage(), resolver=resolver) as box:
        assert kind_of(box, "proc/version") is None
        assert kind_of(box, "proc/self/root/etc/passwd") is Kind.OUTSIDE_ROOT


@table("name", [".env", ".git/config", ".git/hooks/pre-commit", "deep/.vscode/settings.json", "deep/.bashrc"])
def test_another_hard_link_of_a_protected_file_is_not_written(tmp_path: Path, name: str) -> None:
    for folder in (".git/hooks", "deep/.vscode", "deep/er"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / name).write_text("x\n")
    os.link(tmp_path / name, tmp_path / "deep/er/notes.txt")
    (tmp_path / "plain.txt").write_text("x\n")
    os.link(tmp_path / "plain.txt", tmp_path / "deep/other.txt")
    with Sandbox(tmp_path, storage=Storage()) as box:
        with pytest.raises(EditError) as refused, box.place("deep/er/notes.txt", writing=True):
            pass
        assert refused.value.kind is Kind.PROTECTED_PATH
        box.place("deep/other.txt", writing=True).close()
    with Sandbox(tmp_path, storage=Storage(), allow=("**/*",)) as box:
        box.place("deep/er/notes.txt", writing=True).close()


@table("name", [".env", ".ssh/id_ed25519", "deep/.env.local", ".git/config", "deep/.aws/credentials"])
def test_another_hard_link_of_a_secret_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("TOKEN=x\n")
    with Sandbox(tmp_path, storage=Storage()) as box:
        for number in range(3):  # what is remembered of a directory is forgotten when it changes
            path = f"deep/er/notes-{number}.txt"
            os.link(tmp_path / name, tmp_path / path)
            with pytest.raises(EditError) as refused, box.place(path, writing=False):
                pass
            assert refused.value.kind is Kind.PROTECTED_PATH
            assert "another name" in refused.value.message
    with Sandbox(tmp_path, storage=Storage(), allow=("**/*", "*")) as box, box.place(path, writing=False) as place:
        assert place.secret


def test_what_is_remembered_of_secrets_is_forgotten_when_a_directory_changes(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x\n")
    os.link(tmp_path / "notes.txt", tmp_path / "more.txt")
    os.utime(tmp_path, (1, 1))
    with Sandbox(tmp_path, storage=Storage()) as box:
        for _ in range(2):
            box.place("notes.txt", writing=False).close()
        os.link(tmp_path / "notes.txt", tmp_path / ".env")
        with pytest.raises(EditError), box.place("notes.txt", writing=False):
            pass
        (tmp_path / ".env").unlink()
        box.place("notes.txt", writing=False).close()


def test_many_hard_linked_files_are_read_without_a_listing_for_each(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.txt").write_text("x\n")
        os.link(tmp_path / f"{number}.txt", tmp_path / f"{number}.copy")
    os.utime(tmp_path, (1, 1))
    storage = FaultStorage()
    with Sandbox(tmp_path, storage=storage) as box:
        for number in range(20):
            box.place(f"{number}.txt", writing=False).close()
    assert storage.calls.count("listdir") == 1


@table(
    "name",
    ["PROGRA~1", "a.txt:stream", "a.txt ", "a.txt.", "NUL", "con.md", "a\u200bb.md", "\ufeffa.md", "a|b"],
    ids=ascii,
)
def test_names_of_other_systems_are_refused_where_they_are_new_and_open_where_they_are_there(
    tmp_path: Path, name: str
) -> None:
    with Sandbox(tmp_path, storage=Storage()) as box:
        with pytest.raises(EditError) as refused, box.place(f"sub/{name}", writing=True):
            pass
        assert refused.value.kind in (Kind.BAD_REQUEST, Kind.OUTSIDE_ROOT)
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / name).write_text("x\n")
        box.place(f"sub/{name}", writing=True).close()


@table("name", ["GIT~1", "git~1", ".git ", ".git.", ".g\u200cit", ".GI\u200dT", ".git::$INDEX_ALLOCATION"], ids=ascii)
def test_spellings_that_other_systems_take_for_git_are_refused_even_where_they_are_there(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "config").write_text("x\n")
    with Sandbox(tmp_path, storage=Storage()) as box:
        for path in (f"{name}/config", f"{name}/new"):
            with pytest.raises(EditError) as refused, box.place(path, writing=True):
                pass
            assert refused.value.kind is Kind.PROTECTED_PATH
