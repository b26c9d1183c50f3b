"""Calls that plan while another one has replaced a file and not yet recorded it, or while one commits in between.

Nothing here depends on time: the other call waits at a named point until the one under test asks for its locks.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.workspace.overlay import FileReading
from steadyhand.workspace.store import Store
from steadyhand.workspace.transaction import Transaction

TEXT = "one\ntwo\nthree\nfour\nfive\n"
BY_ADA = sh.Replace(sh.Lines(3), "3 by ada\n")
READS = {"nothing": None, "some lines": (1, 4)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.md", "b.md", "other.md"):
        (tmp_path / name).write_text(TEXT)
    with sh.Workspace(tmp_path, actor="first") as ws:  # now there is a journal
        ws.edit("other.md", [sh.Replace("one", "1")])
    return tmp_path


@contextlib.contextmanager
def in_flight(change: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Another thread makes a change and waits before its record is settled, until this one asks for locks.

    Gives a function that lets it finish.
    """
    settle, locked = Transaction._settle, Store.locked
    reached, released = threading.Event(), threading.Event()
    thread = threading.Thread(target=change)

    def paused(transaction: Transaction) -> object:
        if threading.current_thread() is thread:
            reached.set()
            assert released.wait(60)
        return settle(transaction)

    def releasing(store: Store, *args: object) -> object:
        if threading.current_thread() is not thread:
            released.set()
        return locked(store, *args)  # type: ignore[arg-type]  # whatever it is called with

    def finish() -> None:
        released.set()
        thread.join()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "_settle", paused)
        patch.setattr(Store, "locked", releasing)
        thread.start()
        try:
            assert reached.wait(60)
            yield finish
        finally:
            finish()


def _conflict(call: Callable[[], object]) -> EditError:
    with pytest.raises(EditError) as caught:
        call()
    assert caught.value.kind is Kind.CONFLICT
    return caught.value


@pytest.fixture
def crew(root: Path) -> Iterator[tuple[sh.Workspace, sh.Workspace]]:
    with sh.Workspace(root, actor="ada", task="A") as ada, sh.Workspace(root, actor="bob", task="B") as bob:
        yield ada, bob


def _by_bob(bob: sh.Workspace, path: str = "a.md") -> object:
    return bob.edit(path, [sh.Replace("three", "THREE by bob")])


@pytest.mark.parametrize("seen", READS)
def test_a_change_that_is_not_yet_recorded_is_met(
    seen: str, root: Path, crew: tuple[sh.Workspace, sh.Workspace]
) -> None:
    ada, bob = crew
    if READS[seen] is not None:
        ada.read("a.md", lines=READS[seen])
    with in_flight(lambda: _by_bob(bob)):
        error = _conflict(lambda: ada.edit("a.md", [BY_ADA]))
    assert "bob (B)" in str(error)
    assert (root / "a.md").read_text() == TEXT.replace("three", "THREE by bob")


@pytest.mark.parametrize("seen", READS)
def test_a_transaction_meets_a_change_that_is_not_yet_recorded(
    seen: str, root: Path, crew: tuple[sh.Workspace, sh.Workspace]
) -> None:
    ada, bob = crew
    if READS[seen] is not None:
        ada.read("a.md", lines=READS[seen])

    def transact() -> None:
        with ada.transaction() as batch:
            batch.edit("a.md", [BY_ADA])

    with in_flight(lambda: _by_bob(bob)):
        error = _conflict(transact)
    assert "bob (B)" in str(error)
    assert (root / "a.md").read_text() == TEXT.replace("three", "THREE by bob")


@pytest.mark.parametrize("seen", READS)
def test_a_preview_of_a_change_that_is_not_yet_recorded_hides_it_from_no_later_edit(
    seen: str, root: Path, crew: tuple[sh.Workspace, sh.Workspace]
) -> None:
    ada, bob = crew
    if READS[seen] is not None:
        ada.read("a.md", lines=READS[seen])
    with in_flight(lambda: _by_bob(bob)) as finish:
        ada.preview("a.md", [BY_ADA])
        finish()
        _conflict(lambda: ada.edit("a.md", [BY_ADA]))
    assert (root / "a.md").read_text() == TEXT.replace("three", "THREE by bob")


@pytest.mark.parametrize("seen", READS)
def test_a_change_that_lands_while_the_files_of_a_call_are_read_is_met(
    seen: str, root: Path, crew: tuple[sh.Workspace, sh.Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = crew
    if READS[seen] is not None:
        ada.read("b.md", lines=READS[seen])
    look, landed = Store.look, []

    def after_bob(store: Store, path: str) -> FileReading:
        if path == "b.md" and not landed:
            landed.append(path)
            _by_bob(bob, "b.md")
        return look(store, path)

    monkeypatch.setattr(Store, "look", after_bob)
    mine = {"path": "b.md", "edits": [{"target": {"lines": [3, 3]}, "new": "3 by ada\n"}]}
    files = [{"path": "a.md", "edits": [{"target": "two", "new": "2"}]}, mine]
    _conflict(lambda: ada.apply({"files": files}))
    assert landed
    assert (root / "a.md").read_text() == TEXT
    assert (root / "b.md").read_text() == TEXT.replace("three", "THREE by bob")


def test_the_own_work_of_a_task_is_no_conflict_while_it_is_not_yet_recorded(root: Path) -> None:
    edit = {"path": "b.md", "edits": [{"target": "three", "new": "3"}]}
    with sh.Workspace(root, actor="x", task="T") as one, sh.Workspace(root, actor="x", task="T") as two:
        one.read("a.md")
        two.read("a.md")
        with in_flight(lambda: one.edit("a.md", [sh.Replace("two", "2")])):
            receipt = two.apply({"partial": True, "files": [edit, {"path": "a.md", "delete": True}]})
    assert [(outcome.path, outcome.applied) for outcome in receipt.outcomes] == [("b.md", True), ("a.md", True)]
    assert not (root / "a.md").exists()


def test_a_version_that_is_rebased_over_a_change_not_yet_recorded_names_who_made_it(
    root: Path, crew: tuple[sh.Workspace, sh.Workspace]
) -> None:
    ada, bob = crew
    known = ada.read("a.md").digest
    by_number = [{"target": {"lines": [3, 3]}, "new": "3 by ada\n"}]
    files = [
        {"path": "b.md", "edits": [{"target": "one", "new": "1"}]},
        {"path": "a.md", "expect": known, "edits": by_number},
    ]
    with in_flight(lambda: _by_bob(bob)):
        receipt = host_of(ada).bound(policy=sh.Policy(on_stale="rebase")).apply({"partial": True, "files": files})
    refused = receipt.outcomes[1].error
    assert refused is not None
    assert refused.kind is Kind.CONFLICT
    assert "bob (B)" in str(refused)
    assert (root / "a.md").read_text() == TEXT.replace("three", "THREE by bob")


@pytest.mark.parametrize("at", range(1, 7))
def test_a_call_that_is_cancelled_is_cancelled_also_where_refusals_are_outcomes(at: int, root: Path) -> None:
    asked: list[None] = []

    def tick() -> None:
        asked.append(None)
        if len(asked) == at:
            raise EditError(Kind.BUSY, "cancelled")

    files = [{"path": f"{name}.md", "edits": [{"target": "one", "new": "1"}]} for name in "ab"]
    with sh.Workspace(root, actor="x") as ws, pytest.raises(EditError, match="cancelled"):
        host_of(ws).bound(tick=tick).apply({"partial": True, "files": files})
    assert [(root / f"{name}.md").read_text() for name in "ab"] == [TEXT, TEXT]


@pytest.mark.parametrize("path", ["a.md", "new.md"])
def test_a_lease_that_is_announced_while_a_call_waits_for_its_locks_is_met(
    path: str, root: Path, crew: tuple[sh.Workspace, sh.Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = crew
    locked = Store.locked

    with contextlib.ExitStack() as leases:

        def announced(store: Store, *args: object) -> object:
            leases.enter_context(bob.lease(path, reason="mine"))
            return locked(store, *args)  # type: ignore[arg-type]  # whatever it is called with

        monkeypatch.setattr(Store, "locked", announced)
        edits = [{"target": "one", "new": "1"}]
        request = {"path": path, **({"edits": edits} if path == "a.md" else {"create": "text\n"})}
        with pytest.raises(EditError) as caught:
            host_of(ada).bound(policy=sh.Policy(on_lease="refuse")).apply({"files": [request]})
    assert caught.value.kind is Kind.BUSY
    assert (root / "a.md").read_text() == TEXT
    assert not (root / "new.md").exists()
