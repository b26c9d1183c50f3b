"""Changing files through a workspace: what is refused, what is written, what is remembered."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.location import FOLDER
from tests.faults.trees import tree_of

LINES = "one\ntwo\nthree\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(LINES)
    (tmp_path / "b.md").write_text("alpha\nbeta\n")
    return tmp_path


def refused(kind: Kind, call: object, *args: object, **options: object) -> EditError:
    assert callable(call)
    with pytest.raises(EditError) as caught:
        call(*args, **options)
    assert caught.value.kind is kind, caught.value
    return caught.value


class Meddler(Storage):
    """Somebody else writes the file right after it was read for the n-th time."""

    def __init__(self, path: Path, content: str, *, at: int = 1) -> None:
        self.path, self.content, self.at, self.reads = path, content, at, 0

    def read(self, fd: int, limit: int) -> bytes:
        data = super().read(fd, limit)
        self.reads += 1
        if self.reads == self.at:
            self.path.write_text(self.content)
        return data


def test_a_refused_edit_leaves_no_trace(root: Path) -> None:
    before = tree_of(root)
    with sh.Workspace(root) as ws:
        refused(Kind.NO_MATCH, ws.edit, "a.md", [sh.Replace("four", "4")])
        refused(Kind.NO_SUCH_FILE, ws.edit, "c.md", [sh.Replace("four", "4")])
        refused(Kind.BAD_REQUEST, ws.edit, "a.md", [])
    assert tree_of(root) == before
    assert not (root / FOLDER).exists()


def test_a_preview_shows_what_the_edit_does_and_writes_nothing(root: Path) -> None:
    with sh.Workspace(root) as ws:
        preview = ws.preview("a.md", [sh.Replace("two", "2")])
        assert (preview.id, (root / "a.md").read_text()) == (None, LINES)
        assert not (root / FOLDER).exists()
        receipt = ws.edit("a.md", [sh.Replace("two", "2")])
    assert receipt.diff() == preview.diff() != ""
    assert [f.after for f in receipt.files] == [f.after for f in preview.files]


@pytest.mark.parametrize("expect", ["0" * 15, "xyz" * 8, "", "0" * 65])
def test_a_digest_that_is_none_is_a_bad_request(root: Path, expect: str) -> None:
    with sh.Workspace(root) as ws:
        refused(Kind.BAD_REQUEST, ws.edit, "a.md", [sh.Replace("two", "2")], expect=expect)


def test_any_long_enough_beginning_of_the_digest_will_do(root: Path) -> None:
    with sh.Workspace(root) as ws:
        digest = ws.read("a.md").digest
        ws.edit("a.md", [sh.Replace("two", "2")], expect=digest[:16].upper())
        error = refused(Kind.STALE_SOURCE, ws.edit, "a.md", [sh.Replace("2", "two")], expect=digest)
    assert error.details["expected"] == digest
    assert (root / "a.md").read_text() == "one\n2\nthree\n"


def test_an_edit_is_planned_again_when_the_file_moved_before_the_lock(root: Path) -> None:
    storage = Meddler(root / "a.md", "zero\none\ntwo\nthree\n")
    with sh.Workspace(root, storage=storage) as ws:
        receipt = ws.edit("a.md", [sh.Replace("two", "2")])
    assert (root / "a.md").read_text() == "zero\none\n2\nthree\n"
    assert receipt.outcomes[0].lines == (3, 3)


def test_with_a_digest_the_same_race_is_refused(root: Path) -> None:
    with sh.Workspace(root) as ws:
        digest = ws.read("a.md").digest
    storage = Meddler(root / "a.md", "zero\none\ntwo\nthree\n")
    with sh.Workspace(root, storage=storage) as ws:
        refused(Kind.STALE_SOURCE, ws.edit, "a.md", [sh.Replace("two", "2")], expect=digest)
    assert (root / "a.md").read_text() == "zero\none\ntwo\nthree\n"


def test_a_race_that_takes_the_old_text_away_is_refused(root: Path) -> None:
    storage = Meddler(root / "a.md", "nothing of it\n")
    with sh.Workspace(root, storage=storage) as ws:
        refused(Kind.NO_MATCH, ws.edit, "a.md", [sh.Replace("two", "2")])
    assert (root / "a.md").read_text() == "nothing of it\n"


def test_a_stale_edit_is_moved_to_the_present_version_when_the_policy_says_so(root: Path) -> None:
    policy = sh.Policy(on_stale="rebase")
    with sh.Workspace(root) as ws:
        digest = ws.read("a.md").digest
        refused(Kind.STALE_SOURCE, ws.edit, "a.md", [sh.Replace("two", "2")], expect="0" * 64, policy=policy)
        ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "two\n", where="before")])
        (root / "a.md").write_text((root / "a.md").read_text() + "four\n")
        receipt = ws.edit("a.md", [sh.Replace("two", "2")], expect=digest, policy=policy)
        assert (root / "a.md").read_text() == "two\none\n2\nthree\nfour\n"
        assert "rebased" in receipt.outcomes[0].differs
        assert receipt.outcomes[0].lines == (3, 3)
        error = refused(Kind.CONFLICT, ws.edit, "a.md", [sh.Replace("two", "zwei")], expect=digest, policy=policy)
    (theirs,) = error.details["with"]
    assert (error.details["lines"], theirs["after"], theirs["record"]) == ([3, 3], "2", receipt.id)


def test_overwriting_what_was_never_read_is_refused(root: Path) -> None:
    with sh.Workspace(root) as ws:
        error = refused(Kind.STALE_SOURCE, ws.write, "a.md", "new\n")
        assert error.details["actual"] == ws.read("a.md").digest
        ws.write("a.md", "new\n")
        ws.write("a.md", "newer\n")  # what this task wrote itself, it knows
        (root / "a.md").write_text("somebody else's\n")
        refused(Kind.STALE_SOURCE, ws.write, "a.md", "newest\n")
        ws.write("a.md", "newest\n", overwrite=True)


def test_what_one_task_read_another_has_not(root: Path) -> None:
    with sh.Workspace(root, task="T-1") as ws:
        ws.read("a.md")
        with ws.task("T-2") as other:
            refused(Kind.STALE_SOURCE, other.write, "a.md", "new\n")


def test_a_write_that_changes_nothing_says_so(root: Path) -> None:
    with sh.Workspace(root) as ws:
        refused(Kind.NO_CHANGE, ws.write, "a.md", LINES, overwrite=True)
        refused(Kind.NO_CHANGE, ws.chmod, "a.md", (root / "a.md").stat().st_mode & 0o777)
    assert not (root / FOLDER).exists()


def test_a_transaction_is_all_or_nothing(root: Path) -> None:
    before = tree_of(root)
    with sh.Workspace(root) as ws, pytest.raises(EditError) as caught, ws.transaction() as tx:
        tx.edit("a.md", [sh.Replace("two", "2")])
        tx.create("c.md", "c\n")
        tx.delete("b.md")
        tx.edit("a.md", [sh.Replace("not there", "x")])
    assert (caught.value.kind, caught.value.details["path"]) == (Kind.NO_MATCH, "a.md")
    assert tree_of(root) == before


def test_an_exception_in_the_block_drops_the_transaction(root: Path) -> None:
    before = tree_of(root)
    with sh.Workspace(root) as ws, pytest.raises(ZeroDivisionError), ws.transaction() as tx:
        tx.edit("a.md", [sh.Replace("two", "2")])
        raise ZeroDivisionError
    assert tree_of(root) == before


def test_each_call_of_a_transaction_sees_those_before(root: Path) -> None:
    with sh.Workspace(root) as ws:
        with ws.transaction(reason="shuffle") as tx:
            tx.edit("a.md", [sh.Replace("two", "2")], reason="digit")
            tx.edit("a.md", [sh.Replace("2\nthree", "2\n3")], reason="another")
            tx.rename("a.md", "c.md")
            assert tx.read("c.md").text == "one\n2\n3\n"
            tx.rename("b.md", "a.md")
            tx.create("b.md", "new b\n")
        assert tree_of(root).keys() == {"a.md", "b.md", "c.md"}
        assert (root / "a.md").read_text() == "alpha\nbeta\n"
        assert (root / "b.md").read_text() == "new b\n"
        assert (root / "c.md").read_text() == "one\n2\n3\n"
        assert len(ws.history()) == 1
        ws.undo(tx.receipt.id)
    assert (root / "a.md").read_text() == LINES
    assert (root / "b.md").read_text() == "alpha\nbeta\n"


def test_two_files_can_swap_names_in_one_transaction(root: Path) -> None:
    with sh.Workspace(root) as ws:
        with ws.transaction() as tx:
            tx.rename("a.md", "tmp.md")
            tx.rename("b.md", "a.md")
            tx.rename("tmp.md", "b.md")
        assert ((root / "a.md").read_text(), (root / "b.md").read_text()) == ("alpha\nbeta\n", LINES)
        ws.undo(last=True)
    assert ((root / "a.md").read_text(), (root / "b.md").read_text()) == (LINES, "alpha\nbeta\n")


def test_taken_names_are_refused(root: Path) -> None:
    with sh.Workspace(root) as ws:
        refused(Kind.EXISTS_ALREADY, ws.create, "a.md", "x\n")
        refused(Kind.EXISTS_ALREADY, ws.rename, "a.md", "b.md")


def test_new_directories_come_and_go_with_their_file(root: Path) -> None:
    with sh.Workspace(root) as ws:
        receipt = ws.create("x/y/z.md", "deep\n")
        assert (root / "x/y/z.md").read_text() == "deep\n"
        ws.undo(receipt.id)
        assert not (root / "x").exists()
        ws.redo()
        (root / "x/other.txt").write_text("not ours\n")
        ws.undo(last=True)
    assert sorted(os.listdir(root / "x")) == ["other.txt"]


def test_partial_across_files_says_which(root: Path) -> None:
    requests = sh.requests_from_json(
        {
            "partial": True,
            "files": [
                {"path": "a.md", "edits": [{"target": "two", "new": "2"}]},
                {"path": "b.md", "edits": [{"target": "gamma", "new": "3"}]},
            ],
        }
    )
    with sh.Workspace(root) as ws:
        receipt = ws.apply(requests)
        refused(Kind.NO_MATCH, ws.apply, sh.requests_from_json({"files": requests.to_json()["files"]}))
    assert [(o.path, o.applied) for o in receipt.outcomes] == [("a.md", True), ("b.md", False)]
    assert receipt.error is not None
    assert receipt.error.kind is Kind.NO_MATCH
    assert [file.path for file in receipt.files] == ["a.md"]


def test_partial_inside_a_file_keeps_the_edits_that_fit(root: Path) -> None:
    edits = [{"target": "two", "new": "2"}, {"target": "gamma", "new": "3"}]
    requests = sh.requests_from_json({"partial": True, "files": [{"path": "a.md", "edits": edits}]})
    with sh.Workspace(root) as ws:
        receipt = ws.apply(requests)
    assert [outcome.applied for outcome in receipt.outcomes] == [True, False]
    assert (root / "a.md").read_text() == "one\n2\nthree\n"


def test_long_work_tells_how_far_it_is(root: Path) -> None:
    answer: list[tuple[int, int]] = []
    requests = sh.requests_from_json({"files": [{"path": f"new/{n}.md", "create": "x\n"} for n in range(5)]})
    with sh.Workspace(root) as ws:
        ws.apply(requests, progress=lambda done, total: answer.append((done, total)))
    assert answer == [(n, 5) for n in range(1, 6)]


def test_when_nothing_of_a_partial_call_fits_it_is_refused(root: Path) -> None:
    requests = sh.requests_from_json(
        {"partial": True, "files": [{"path": "b.md", "edits": [{"target": "gamma", "new": "3"}]}]}
    )
    with sh.Workspace(root) as ws:
        refused(Kind.NO_MATCH, ws.apply, requests)


@pytest.mark.parametrize(
    ("mode", "verbs"),
    [
        ("research", ""),
        ("analyze", ""),
        ("generate", "create"),
        ("modify", "edit write delete rename"),
        ("execute", "*"),
    ],
)
def test_modes_allow_what_they_say(root: Path, mode: str, verbs: str) -> None:
    calls = {
        "create": lambda ws: ws.create("new.md", "x\n"),
        "edit": lambda ws: ws.edit("a.md", [sh.Replace("two", "2")]),
        "write": lambda ws: ws.write("b.md", "x\ny\n", overwrite=True),
        "rename": lambda ws: ws.rename("b.md", "c.md"),
        "delete": lambda ws: ws.delete("a.md"),
    }
    with sh.Workspace(root, mode=mode) as ws:
        assert ws.read("a.md").text == LINES
        for verb, call in calls.items():
            if verbs == "*" or verb in verbs.split():
                call(ws)
            else:
                with pytest.raises(EditError) as caught:
                    call(ws)
                assert caught.value.kind is Kind.NOT_ALLOWED


def test_an_unknown_mode_is_refused(root: Path) -> None:
    refused(Kind.BAD_REQUEST, sh.Workspace, root, mode="destroy")


def test_only_named_extensions_are_open(root: Path) -> None:
    (root / "x.py").write_text("x = 1\n")
    with sh.Workspace(root, extensions=[".md"]) as ws:
        refused(Kind.NOT_ALLOWED, ws.read, "x.py")
        refused(Kind.NOT_ALLOWED, ws.edit, "x.py", [sh.Replace("1", "2")])
        refused(Kind.NOT_ALLOWED, ws.rename, "a.md", "a.py")
        ws.edit("a.md", [sh.Replace("two", "2")])


def test_a_read_only_workspace_writes_nothing(root: Path) -> None:
    with sh.Workspace(root, read_only=True) as ws:
        assert ws.read("a.md").text == LINES
        assert ws.history() == []
        refused(Kind.READ_ONLY, ws.edit, "a.md", [sh.Replace("two", "2")])
        refused(Kind.READ_ONLY, ws.create, "n.md", "x\n")
        refused(Kind.READ_ONLY, ws.gc)
    assert not (root / FOLDER).exists()


def test_hard_links_follow_the_policy(root: Path) -> None:
    os.link(root / "a.md", root / "twin.md")
    edit, in_place = [sh.Replace("two", "2")], sh.Policy(hardlinks="in-place")
    with sh.Workspace(root) as ws:
        refused(Kind.NOT_ALLOWED, ws.edit, "a.md", edit)
        refused(Kind.NOT_ALLOWED, ws.chmod, "a.md", 0o600)
        receipt = ws.edit("a.md", edit, policy=in_place)
        assert (root / "twin.md").read_text() == (root / "a.md").read_text() == "one\n2\nthree\n"
        assert (root / "twin.md").stat().st_ino == (root / "a.md").stat().st_ino
        assert any("2 names" in warning for warning in receipt.warnings)
        refused(Kind.NOT_ALLOWED, ws.undo, receipt.id)
    with sh.Workspace(root, policy=in_place) as ws:
        ws.undo(receipt.id)
        assert (root / "twin.md").read_text() == LINES
        ws.edit("a.md", edit, policy=sh.Policy(hardlinks="break"))
    assert ((root / "a.md").read_text(), (root / "twin.md").read_text()) == ("one\n2\nthree\n", LINES)


def test_a_file_that_is_shared_with_a_place_outside_is_not_written_through(root: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-store.md"
    os.link(root / "a.md", outside)
    with sh.Workspace(root) as ws:
        for act in (
            lambda: ws.edit("a.md", [sh.Replace("two", "2")]),
            lambda: ws.write("a.md", LINES + "four\n", overwrite=True),
            lambda: ws.chmod("a.md", 0o600),
        ):
            refused(Kind.NOT_ALLOWED, act)
        ws.rename("a.md", "moved.md")
        ws.delete("moved.md")
    assert outside.read_text() == LINES


def test_a_symbolic_link_stays_one_and_its_file_is_edited(root: Path) -> None:
    (root / "link.md").symlink_to("a.md")
    with sh.Workspace(root) as ws:
        receipt = ws.edit("link.md", [sh.Replace("two", "2")])
        refused(Kind.NOT_ALLOWED, ws.delete, "link.md")
        refused(Kind.NOT_ALLOWED, ws.rename, "link.md", "other.md")
    assert receipt.files[0].path == "a.md"
    assert (root / "link.md").is_symlink()
    assert (root / "a.md").read_text() == "one\n2\nthree\n"


def test_a_bak_copy_is_made_once_and_never_overwritten(root: Path) -> None:
    policy = sh.Policy(backup="bak")
    with sh.Workspace(root) as ws:
        ws.edit("a.md", [sh.Replace("two", "2")], policy=policy)
        ws.edit("a.md", [sh.Replace("three", "3")], policy=policy)
    assert (root / "a.md.bak").read_text() == LINES


SECRET = "hunter2-very-secret"


def test_a_secret_the_host_opened_can_be_set_and_is_never_shown(root: Path) -> None:
    (root / ".env").write_text(f"TOKEN={SECRET}\nOTHER=1\n")
    with sh.Workspace(root) as ws:
        error = refused(Kind.PROTECTED_PATH, ws.read, ".env")
        assert error.details["size"] == (root / ".env").stat().st_size
        refused(Kind.PROTECTED_PATH, ws.edit, ".env", [sh.Replace("OTHER=1", "OTHER=2")])
    with sh.Workspace(root, allow=[".env"]) as ws:
        receipt = ws.edit(".env", [sh.Replace("OTHER=1", "OTHER=2")])
        miss = refused(Kind.NO_MATCH, ws.edit, ".env", [sh.Replace(f"TOKEN={SECRET[:-1]}x", "TOKEN=other")])
        shown = [str(receipt.to_json()), receipt.diff(), ws.diff_of(str(receipt.id)), str(miss.to_json())]
        assert not any(SECRET in text or "OTHER" in text for text in shown)
        refused(Kind.CANNOT_UNDO, ws.undo, receipt.id)
    assert (root / ".env").read_text() == f"TOKEN={SECRET}\nOTHER=2\n"
    kept = b"".join(path.read_bytes() for path in (root / FOLDER).rglob("*") if path.is_file())
    assert SECRET.encode() not in kept
    assert b"OTHER" not in kept


def test_instructions_for_agents_are_editable_but_flagged(root: Path) -> None:
    (root / "AGENTS.md").write_text("be kind\n")
    with sh.Workspace(root) as ws:
        receipt = ws.edit("AGENTS.md", [sh.Replace("kind", "brief")])
    assert any(warning.startswith("AGENTS.md") for warning in receipt.warnings)


def test_a_binary_file_is_not_text(root: Path) -> None:
    data = bytes(range(256)) * 4
    (root / "p.bin").write_bytes(data)
    with sh.Workspace(root) as ws:
        refused(Kind.NOT_TEXT, ws.read, "p.bin")
        refused(Kind.NOT_TEXT, ws.edit, "p.bin", [sh.Replace("ABC", "x")])
        receipt = ws.write("p.bin", b"\x00\x01\xff", overwrite=True)
        ws.undo(receipt.id)
    assert (root / "p.bin").read_bytes() == data


def test_special_bits_are_not_given_and_not_carried_to_new_content(root: Path) -> None:
    (root / "a.md").chmod(0o4755)
    with sh.Workspace(root) as ws:
        refused(Kind.NOT_ALLOWED, ws.chmod, "b.md", 0o4755)
        receipt = ws.edit("a.md", [sh.Replace("two", "2")])
    assert (root / "a.md").stat().st_mode & 0o7777 == 0o755
    assert any("set-user" in warning for warning in receipt.warnings)


def test_every_change_has_a_who_a_when_and_a_why(root: Path) -> None:
    with sh.Workspace(root, actor="agent-7", task="T-12", tool="test") as ws:
        receipt = ws.edit(
            "a.md", [sh.Replace("two", "2", reason="digits"), sh.Replace("three", "3", reason="more")], reason="all"
        )
        record = ws.show(str(receipt.id)).record
    assert (record.actor, record.task, record.tool, record.reason) == ("agent-7", "T-12", "test", "all")
    assert [note.reason for note in record.files[0].edits] == ["digits", "more"]
    assert record.time.endswith("Z")
    assert record.files[0].before is not None
    assert record.files[0].after is not None


def test_a_task_that_ends_badly_is_noted(root: Path) -> None:
    with sh.Workspace(root) as ws:
        with pytest.raises(ZeroDivisionError), ws.task("T-9") as task:
            task.edit("a.md", [sh.Replace("two", "2")])
            raise ZeroDivisionError
        with ws.task("T-10") as task:
            task.edit("a.md", [sh.Replace("three", "3")])
        ends = [(note.body["task"], note.body["end"]) for note in ws._store.journal.notes(type="task")]
    assert ends == [("T-10", "ended well"), ("T-9", "failed: ZeroDivisionError")]


def test_a_listing_is_bounded_and_says_when_it_was_cut(root: Path) -> None:
    (root / "deep").mkdir()
    (root / "deep" / "c.md").write_text("c\n")
    (root / "loop").symlink_to(".")
    with sh.Workspace(root) as ws:
        ws.edit("a.md", [sh.Replace("two", "2")])
        assert (ws.files().files, ws.files().cut) == (("a.md", "b.md", "deep/c.md"), None)
        assert ws.files("deep").files == ("deep/c.md",)
        assert ws.files(limit=1).cut is not None
        refused(Kind.OUTSIDE_ROOT, ws.files, "..")


def test_the_diff_of_a_transaction_is_one_patch_for_git(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = tmp_path_factory.mktemp("copy")
    for name in ("a.md", "b.md"):
        (copy / name).write_bytes((root / name).read_bytes())
    with sh.Workspace(root) as ws:
        with ws.transaction() as tx:
            tx.create("empty.txt", "")
            tx.edit("a.md", [sh.Replace("two", "2")])
            tx.rename("b.md", "sub/c.md")
            tx.create("tool.sh", "#!/bin/sh\n", mode=0o755)
            tx.chmod("a.md", 0o755)
        patches = (tx.receipt.diff(), ws.diff_of(str(tx.receipt.id)))
    wanted = tree_of(root)
    for number, patch in enumerate(patches):
        target = tmp_path_factory.mktemp(f"target{number}")
        for path in copy.iterdir():
            (target / path.name).write_bytes(path.read_bytes())
        subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=target, check=True, capture_output=True)
        assert {path: found[:2] for path, found in tree_of(target).items()} == {
            path: found[:2] for path, found in wanted.items()
        }
        assert (target / "tool.sh").stat().st_mode & 0o111
        assert (target / "a.md").stat().st_mode & 0o111


def test_a_preview_takes_no_lock(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    with sh.Workspace(tmp_path, actor="ada") as ada, sh.Workspace(tmp_path, actor="bob", lock_timeout=0) as bob:
        bob.read("a.txt")
        ada.edit("a.txt", [sh.Replace("two", "2")])
        overlay = ada._store.overlay()
        overlay.look("a.txt")
        with ada._store.locked(overlay):
            with pytest.raises(EditError) as caught:
                bob.edit("a.txt", [sh.Replace("one", "1")])
            assert caught.value.kind is Kind.BUSY
            assert bob.preview("a.txt", [sh.Replace("one", "1")]).files[0].diff() != ""
            with pytest.raises(EditError) as caught:
                bob.preview("a.txt", [sh.Replace(sh.Lines(2, 2), "zwei")])
            assert caught.value.kind is Kind.CONFLICT


def test_a_file_that_changes_between_plan_and_lock_is_planned_once_more(tmp_path: Path) -> None:
    class Meddling(Storage):
        """Saves the file as another program would, right before the first lock of a file."""

        is_done = False

        def lock(self, fd: int) -> bool:
            if not self.is_done:
                self.is_done = True
                (tmp_path / "a.txt").write_text("zero\none\ntwo\n")
            return super().lock(fd)

    (tmp_path / "a.txt").write_text("one\ntwo\n")
    storage = Meddling()
    with sh.Workspace(tmp_path, storage=storage) as ws:
        receipt = ws.edit("a.txt", [sh.Replace("two", "2")])
    assert storage.is_done
    assert receipt.outcomes[0].lines == (3, 3)
    assert (tmp_path / "a.txt").read_text() == "zero\none\n2\n"
