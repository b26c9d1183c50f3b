"""Where the journal and the state lie, how a tree gets its name, and how clones of one repository know each other."""

from __future__ import annotations

import errno
import os
import subprocess
import threading
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.history.other_clones import repository_of
from steadyhand.workspace.location import Location, plain_address, repo_id
from tests.table import table


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, url: str | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if url is not None:
        git(folder, "remote", "add", "origin", url)
    return folder


def with_config(folder: Path, text: str | bytes) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def state_of(root: Path) -> Location:
    (root / ".steadyhand").mkdir(exist_ok=True)
    return Location.of(root, "postgresql://h/d")


def refused(kind: Kind, call: object, *args: object) -> EditError:
    with pytest.raises(EditError) as caught:
        call(*args)  # type: ignore[operator]
    assert caught.value.kind is kind
    return caught.value


def test_a_journal_is_a_folder_or_a_url(tmp_path: Path) -> None:
    assert Location.of(tmp_path, None).journal == str(tmp_path / ".steadyhand")
    assert Location.of(tmp_path, f"sqlite://{tmp_path}/j").folder == tmp_path / "j"
    server = Location.of(tmp_path, "PostgreSQL://h/d")
    assert (server.folder, server.journal) == (tmp_path / ".steadyhand", "PostgreSQL://h/d")
    refused(Kind.NOT_INSTALLED, Location.of, tmp_path, "mysql://h/d")
    refused(Kind.BAD_REQUEST, Location.of, tmp_path, "sqlite://")
    refused(Kind.BAD_REQUEST, Location.of, tmp_path, " ")
    refused(Kind.BAD_REQUEST, Location.of, tmp_path / "inner", tmp_path)


def test_a_password_is_not_shown_with_the_location(tmp_path: Path) -> None:
    assert "hidden" not in repr(Location.of(tmp_path, "postgresql://me:hidden@h/d"))


def test_a_tree_is_named_once(tmp_path: Path) -> None:
    state = state_of(tmp_path)
    assert state.root_id() is None
    name = state.make_root_id()
    assert len(name) == 16
    assert state.make_root_id() == state.root_id() == Location.of(tmp_path, None).root_id() == name
    assert os.listdir(tmp_path / ".steadyhand") == ["root"]


@table("has_links", [True, False])
def test_many_who_name_a_tree_at_once_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    def no_link(*_names: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not has_links:
        monkeypatch.setattr(os, "link", no_link)
    state = state_of(tmp_path)
    found: list[str] = []
    start = threading.Barrier(16)

    def name() -> None:
        start.wait()
        found.append(state.make_root_id())

    threads = [threading.Thread(target=name) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16
    assert set(found) == {state.root_id()}
    assert os.listdir(tmp_path / ".steadyhand") == ["root"]


@table("damage", [b"", b"../../etc\n", b"0123", b"\xff" * 16, b"0" * 100_000])
def test_a_damaged_name_is_refused_and_left(tmp_path: Path, damage: bytes) -> None:
    state = state_of(tmp_path)
    (tmp_path / ".steadyhand" / "root").write_bytes(damage)
    assert state.root_id() is None
    error = refused(Kind.JOURNAL_DAMAGED, state.make_root_id)
    assert ".steadyhand/root" in (error.hint or "")
    assert (tmp_path / ".steadyhand" / "root").read_bytes() == damage


@table("kind", ["fifo", "directory", "dangling"])
def test_a_name_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    state = state_of(tmp_path)
    place = tmp_path / ".steadyhand" / "root"
    {"fifo": lambda: os.mkfifo(place), "directory": place.mkdir, "dangling": lambda: place.symlink_to("gone")}[kind]()
    assert state.root_id() is None
    refused(Kind.JOURNAL_DAMAGED, state.make_root_id)


def test_a_folder_that_is_gone_is_a_refusal(tmp_path: Path) -> None:
    error = refused(Kind.NO_SUCH_FILE, Location.of(tmp_path, "postgresql://h/d").make_root_id)
    assert str(tmp_path) not in str(error)


# Written differently, the same repository.
SAME = [
    "git@example.org:team/site.git",
    "example.org:team/site",
    "example.org:/team/site.git/",
    "ssh://git@example.org/team/site.git",
    "ssh://git@example.org:2222/team/site",
    "https://example.org/team/site",
    "https://EXAMPLE.org/team/site.git/",
    "https://me:pass@example.org:443/team/site.git",
    "https://me@corp.example:token@example.org/team/site.git",
    "git://example.org/team/site.git",
    "  https://example.org/team/site.git\t",
]
OTHER = [
    "https://example.org/team/site2",
    "https://example.org/team/site/wiki",
    "https://example.com/team/site",
    "https://me@corp.example:token@example.net/team/site.git",
    "ssh://git@[::1]:22/team/site",
    "ssh://git@[::2]:22/team/site",
    "/team/site",
    "/srv/example.org/team/site",
]


@table("url", SAME)
def test_one_repository_has_one_address_however_it_is_written(url: str) -> None:
    assert plain_address(url) == "example.org/team/site"


def test_other_repositories_have_other_addresses() -> None:
    addresses = [plain_address(url) for url in OTHER]
    assert len({*addresses, "example.org/team/site"}) == len(OTHER) + 1
    assert plain_address("file:///srv/site.git") == plain_address("/srv/site")
    assert not any("token" in address for address in addresses)


def test_clones_share_a_name_and_others_have_none_or_another(tmp_path: Path) -> None:
    one = repository(tmp_path / "one", "git@example.org:team/site.git")
    two = repository(tmp_path / "two", "https://me:x@example.org/team/site")
    other = repository(tmp_path / "other", "https://example.org/team/other")
    assert repo_id(one) == repo_id(two) is not None
    assert repo_id(other) not in (None, repo_id(one))
    assert repo_id(repository(tmp_path / "alone")) is None
    assert repo_id(tmp_path) is None


def test_a_clone_on_this_disk_knows_its_origin(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    for name, url in (("one", str(origin)), ("two", f"file://{origin}")):
        git(tmp_path, "clone", "-q", url, name)
    assert repo_id(tmp_path / "one") == repo_id(tmp_path / "two") is not None


@table("url", ["../origin", "origin.git", "./x/y"])
def test_an_origin_that_means_another_place_for_everybody_is_no_name(tmp_path: Path, url: str) -> None:
    assert repo_id(repository(tmp_path / "one", url)) is None


def test_work_trees_and_submodules_are_followed(tmp_path: Path) -> None:
    one = repository(tmp_path / "one", "git@example.org:team/site.git")
    git(one, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert repo_id(tmp_path / "tree") == repo_id(one) is not None
    part = repository(tmp_path / "part")
    git(one, "submodule", "add", "-q", f"file://{part}", "lib")
    assert (one / "lib" / ".git").is_file()
    git(tmp_path, "clone", "-q", f"file://{part}", "clone")
    assert repo_id(one / "lib") == repo_id(tmp_path / "clone") not in (None, repo_id(one))


def test_a_folder_of_a_clone_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    names = set()
    for name in ("one", "two"):
        root = repository(tmp_path / name, "git@example.org:team/site.git")
        for folder in ("docs", "src"):
            (root / folder).mkdir()
        names |= {repository_of(root), repository_of(root / "docs"), repository_of(root / "src")}
    assert len(names) == 3
    assert repository_of(tmp_path) is None


ODD = {
    "quoted": '[remote "origin"]\n\turl = "https://example.org/team/site"\n',
    "on the line of its section": '[remote "origin"] url=https://example.org/team/site\n',
    "with other spelling": '[Remote "origin"]\r\n  URL = https://example.org/team/site\r\n',
    "among broken lines": '= x\n[\n[remote "origin"\n[remote "origin"]\n%(x)s\nurl=https://example.org/team/site\n=\n',
    "twice": '[remote "origin"]\nurl = https://example.org/team/site\nurl = https://example.org/b\n',
    "behind others": '[remote "fork"]\nurl = a:b\n[core]\nurl = c:d\n[remote "origin"]\nfetch = x\nurl = '
    "https://example.org/team/site\n",
    "with bytes that are no text": b'[core]\nx = \xff\xfe\0\n[remote "origin"]\nurl = https://example.org/team/site\n',
}


@table("how", ODD)
def test_a_configuration_is_read_however_it_is_written(tmp_path: Path, how: str) -> None:
    expected = repo_id(repository(tmp_path / "usual", "https://example.org/team/site"))
    assert repo_id(with_config(tmp_path / "odd", ODD[how])) == expected is not None


@table("text", ["", "[remote", '[remote "origin"]\nurl\n', '[remote "origin"]\nurl =\n', "\0" * 99])
def test_a_configuration_that_says_nothing_gives_no_name(tmp_path: Path, text: str) -> None:
    assert repo_id(with_config(tmp_path / "odd", text)) is None


def test_only_the_beginning_of_a_huge_configuration_is_read(tmp_path: Path) -> None:
    origin = '[remote "origin"]\nurl = https://example.org/team/site\n'
    filling = "[x]\n" + "a = b\n" * 2_000_000
    assert repo_id(with_config(tmp_path / "first", origin + filling)) is not None
    assert repo_id(with_config(tmp_path / "last", filling + origin)) is None


@table("said", [b"gitdir: gone\n", b"gitdir:\n", b"\xff\xfe", b"gitdir: a\0b", b"x" * 1_000_000])
def test_a_link_to_a_git_folder_that_leads_nowhere_gives_no_name(tmp_path: Path, said: bytes) -> None:
    (tmp_path / ".git").write_bytes(said)
    assert repo_id(tmp_path) is None


def test_nothing_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "config")
    assert repo_id(tmp_path) is None
