"""Arguments that are not what they should be: a named refusal, nothing opened, nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.location import FOLDER
from tests.faults.trees import tree_of
from tests.table import table


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("one\ntwo\n")
    (tmp_path / ".env").write_text("TOKEN=1\n")
    return tmp_path


SETTINGS: list[dict[str, Any]] = [
    {"protect": "strict"},
    {"protect": None},
    {"protect": False},
    {"allow": "*.md"},
    {"allow": [1]},
    {"extensions": "md"},
    {"mode": "destroy"},
    {"mode": 5},
    {"actor": 5},
    {"task": b"T"},
    {"policy": 5},
    {"actor": "\ud800"},
    {"max_bytes": "x"},
    {"max_bytes": -1},
    {"lock_timeout": "x"},
    {"lock_timeout": float("nan")},
    {"journal": 3},
]


@table("settings", SETTINGS, ids=repr)
def test_a_setting_that_is_none_opens_nothing(root: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(EditError) as caught:
        sh.Workspace(root, **settings)
    assert caught.value.kind is Kind.BAD_REQUEST


EDIT = [sh.Replace("two", "2")]
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("read", (5,), {}),
    ("edit", (None, EDIT), {}),
    ("edit", ("a.md", "two"), {}),
    ("edit", ("a.md", EDIT), {"expect": 5}),
    ("edit", ("a.md", EDIT), {"reason": 5}),
    ("edit", ("a.md", EDIT), {"policy": "lax"}),
    ("write", ("a.md", None), {}),
    ("create", ("b.md", b"bytes"), {}),
    ("create", ("b.md", "x"), {"mode": "755"}),
    ("create", ("b.md", "x"), {"mode": True}),
    ("chmod", ("a.md", "755"), {}),
    ("chmod", ("a.md", None), {}),
    ("chmod", ("a.md", -1), {}),
    ("rename", ("a.md", 5), {}),
    ("why", ("a.md", "1"), {}),
    ("why", ("a.md", True), {}),
    ("undo", (5,), {}),
    ("undo", (), {"task": 3}),
    ("undo", (), {"path": 3}),
    ("redo", (3,), {}),
    ("show", (3,), {}),
    ("apply", (None,), {}),
    ("apply", ([1],), {}),
    ("apply", ({"files": []},), {}),
    ("read", ("a.md",), {"encoding": 3}),
    ("edit", ("a.md", EDIT), {"policy": {}}),
    ("undo", (), {}),
    ("undo", (None,), {}),
    ("undo", ("",), {}),
]


@table(("verb", "args", "options"), CALLS, ids=[f"{verb}{args}{more}" for verb, args, more in CALLS])
def test_a_call_that_is_none_is_a_bad_request(
    root: Path, verb: str, args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    before = tree_of(root)
    with sh.Workspace(root) as ws, pytest.raises(EditError) as caught:
        getattr(ws, verb)(*args, **options)
    assert caught.value.kind is Kind.BAD_REQUEST
    assert tree_of(root) == before
    assert not (root / FOLDER).exists()


@pytest.mark.parametrize("mode", [0o4755, 0o1777, 0o100000])
def test_bits_beyond_permissions_are_not_given_by_any_verb(root: Path, mode: int) -> None:
    calls = (
        lambda ws: ws.chmod("a.md", mode),
        lambda ws: ws.create("b.md", "x", mode=mode),
        lambda ws: ws.apply(sh.Requests((sh_change_mode("a.md", mode),))),
    )
    for call in calls:
        with sh.Workspace(root) as ws, pytest.raises(EditError) as caught:
            call(ws)
        assert caught.value.kind is Kind.NOT_ALLOWED


def sh_change_mode(path: str, mode: int) -> Any:
    from steadyhand.plan.request import ChangeMode

    return ChangeMode(path, mode)


def test_a_reason_has_a_length(root: Path) -> None:
    with sh.Workspace(root) as ws, pytest.raises(EditError) as caught:
        ws.edit("a.md", EDIT, reason="x" * 10_001)
    assert caught.value.kind is Kind.TOO_LARGE


def test_a_path_object_will_do(root: Path) -> None:
    with sh.Workspace(root) as ws:
        assert ws.read(Path("a.md")).text == "one\ntwo\n"
        ws.edit(root / "a.md", EDIT)
        ws.rename(Path("a.md"), Path("b.md"))
        assert [entry.record.verb for entry in ws.history(Path("b.md"))] == ["edit", "edit"]


@pytest.mark.parametrize("expect", ["0", "", "0" * 15])
def test_a_transaction_takes_no_shorter_digest_than_a_call(root: Path, expect: str) -> None:
    with sh.Workspace(root) as ws, pytest.raises(EditError) as caught, ws.transaction() as tx:
        tx.edit("a.md", EDIT, expect=expect)
    assert caught.value.kind is Kind.BAD_REQUEST


def test_a_transaction_that_has_ended_takes_nothing_more(root: Path) -> None:
    with sh.Workspace(root) as ws:
        with ws.transaction() as tx:
            tx.edit("a.md", EDIT)
        with pytest.raises(EditError) as caught:
            tx.create("late.md", "x\n")
        assert caught.value.kind is Kind.BAD_REQUEST
    assert not (root / "late.md").exists()


def test_a_policy_that_wants_reasons_wants_them_from_every_verb(root: Path) -> None:
    policy = sh.Policy(require_reason=True)
    with sh.Workspace(root, policy=policy) as ws:
        calls = (
            lambda: ws.edit("a.md", EDIT),
            lambda: ws.write("a.md", "x\n", overwrite=True),
            lambda: ws.create("b.md", "x\n"),
            lambda: ws.delete("a.md"),
            lambda: ws.rename("a.md", "b.md"),
            lambda: ws.chmod("a.md", 0o600),
        )
        for call in calls:
            with pytest.raises(EditError) as caught:
                call()
            assert caught.value.kind is Kind.REASON_REQUIRED
        with ws.transaction(reason="all of it") as tx:
            tx.edit("a.md", EDIT)
            tx.create("b.md", "x\n")
        ws.edit("a.md", [sh.Replace("2", "zwei")], reason="German")


@pytest.mark.parametrize("task", [3, "\ud800"])
def test_a_task_is_named_by_text(root: Path, task: Any) -> None:
    with sh.Workspace(root) as ws, pytest.raises(EditError) as caught, ws.task(task):
        pass
    assert caught.value.kind is Kind.BAD_REQUEST


def test_a_plan_may_come_as_json(root: Path) -> None:
    with sh.Workspace(root) as ws:
        ws.apply({"files": [{"path": "a.md", "edits": [{"target": "two", "new": "2"}]}]})  # type: ignore[arg-type]
        ws.undo(path=Path("a.md"))
    assert (root / "a.md").read_text() == "one\ntwo\n"


def test_an_unknown_store_is_refused_before_anything_is_made(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    before = tree_of(root)
    with pytest.raises(EditError) as caught:
        sh.Workspace(root, journal="bogus://x")
    assert caught.value.kind is Kind.NOT_INSTALLED
    assert tree_of(root) == before


def test_a_policy_that_is_none_is_refused_by_the_pure_front_too() -> None:
    result = sh.edit("x", [sh.Replace("x", "y")], policy=3)  # type: ignore[arg-type]
    assert result.error is not None
    assert (result.error.kind, result.text) == (Kind.BAD_REQUEST, "x")
