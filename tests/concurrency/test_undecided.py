"""A journal that is lost in the middle of a write: nobody goes on with the files before it is known how that ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.location import FOLDER
from tests.concurrency.crew import check_chain, check_sound, shared_root
from tests.concurrency.worker import FIRST, FORCE, SHARED, START
from tests.postgres.proxy import Proxy, proxy_to
from tests.postgres.server import Server

PATH = SHARED[0]


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    with shared_root(tmp_path) as made:
        yield made


@pytest.fixture
def proxy(postgres_server: Server) -> Iterator[Proxy]:
    with proxy_to(postgres_server.home) as made:
        yield made


class LosingStorage(Storage):
    """Loses the journal's next commit once a file has been changed."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self.is_armed = False

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        super().exchange(one, other, one_dir_fd=one_dir_fd, other_dir_fd=other_dir_fd)
        if self.is_armed:
            self.is_armed = False
            self._proxy.mishap = "stuck"


def _through(proxy: Proxy, server: Server, url: str) -> str:
    return url.replace(str(server.home), str(proxy.home))


def _insert(ws: sh.Workspace, text: str) -> sh.Receipt:
    return ws.edit(PATH, [sh.Insert(FIRST, f"{text}\n")], policy=FORCE)


def _notes(root: Path) -> int:
    return len(os.listdir(root / FOLDER / "pending"))


def test_a_record_that_may_be_prepared_keeps_its_note_until_the_journal_was_asked(
    root: Path, proxy: Proxy, postgres_server: Server, postgres_url: str
) -> None:
    url = _through(proxy, postgres_server, postgres_url)
    with sh.Workspace(root, actor="one", journal=url, lock_timeout=1) as ws:
        first = _insert(ws, "first")
        proxy.mishap = "stuck"
        before = (root / PATH).read_bytes()
        with pytest.raises(EditError) as caught:
            _insert(ws, "lost")
        assert (caught.value.kind, caught.value.details["state"]) == (Kind.TIMED_OUT, "unknown")
        assert (root / PATH).read_bytes() == before
        assert _notes(root) == 1
        postgres_server.terminate_backends()
        second = _insert(ws, "second")
        assert _notes(root) == 0
    with check_sound(root, postgres_url) as ws:
        assert [entry.record.id for entry in ws.history()] == [second.id, first.id]
        check_chain(ws, PATH)


def test_a_change_that_the_journal_could_not_confirm_is_settled_before_others_build_on_it(
    root: Path, proxy: Proxy, postgres_server: Server, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, storage = _through(proxy, postgres_server, postgres_url), LosingStorage(proxy)
    one = sh.Workspace(root, actor="one", journal=url, lock_timeout=1, storage=storage)
    storage.is_armed = True
    made = _insert(one, "made")
    assert not made.durable
    assert _notes(root) == 1
    postgres_server.terminate_backends()
    with monkeypatch.context() as patch:
        patch.setenv("STEADYHAND_MACHINE", "another")
        other = sh.Workspace(root, actor="other", journal=postgres_url, lock_timeout=1)
        with pytest.raises(EditError) as caught:
            _insert(other, "too early")
        assert caught.value.kind is Kind.BUSY
    one.close()
    assert _notes(root) == 0
    with monkeypatch.context() as patch, other:
        patch.setenv("STEADYHAND_MACHINE", "another")
        built = _insert(other, "built on it")
    assert (root / PATH).read_text() == START.replace(FIRST, f"{FIRST}built on it\nmade\n")
    with check_sound(root, postgres_url) as ws:
        assert [entry.record.id for entry in ws.history()] == [built.id, made.id]
        check_chain(ws, PATH)
