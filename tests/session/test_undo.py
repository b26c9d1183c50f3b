"""Taking changes back, at any depth, alone or together, with later work left standing."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.receipt import Receipt
from tests.faults.trees import tree_of
from tests.sampling import EXAMPLES
from tests.table import table

TEN = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[sh.Workspace]:
    (tmp_path / "a.md").write_text(TEN)
    with sh.Workspace(tmp_path, actor="tester") as workspace:
        yield workspace


def put(ws: sh.Workspace, line: int, new: str, task: str | None = None) -> str:
    """Replace a whole line's text by its number; gives the record's id."""
    options = {"reason": f"line {line} becomes {new!r}"}
    if task is None:
        return str(ws.edit("a.md", [sh.Replace(sh.Lines(line, line), new)], **options).id)
    with ws.task(task) as bound:
        return str(bound.edit("a.md", [sh.Replace(sh.Lines(line, line), new)], **options).id)


def text(ws: sh.Workspace, path: str = "a.md") -> str:
    return (Path(ws.root) / path).read_text()


def refused(call: object, *args: object, **options: object) -> EditError:
    assert callable(call)
    with pytest.raises(EditError) as caught:
        call(*args, **options)
    assert caught.value.kind is Kind.CANNOT_UNDO, caught.value
    return caught.value


def test_nothing_to_undo_is_said(ws: sh.Workspace) -> None:
    refused(ws.undo, last=True)
    refused(ws.undo, task="T")
    refused(ws.redo)
    with pytest.raises(EditError) as caught:
        ws.undo("abcdef")
    assert caught.value.kind is Kind.NO_SUCH_FILE


def test_two_ways_of_naming_the_record_are_one_too_many(ws: sh.Workspace) -> None:
    with pytest.raises(EditError) as caught:
        ws.undo("abcdef", last=True)
    assert caught.value.kind is Kind.BAD_REQUEST


def test_undoing_a_record_twice_is_refused(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    undo = ws.undo(made)
    error = refused(ws.undo, made)
    assert error.details["undone_by"] == undo.id


def test_overlapping_later_work_refuses_and_names_the_lines(ws: sh.Workspace) -> None:
    first = put(ws, 2, "two")
    second = put(ws, 2, "zwei")
    before = tree_of(Path(ws.root))
    error = refused(ws.undo, first)
    assert error.details["lines"] == [2]
    assert error.details["blocked_by"] == second
    assert tree_of(Path(ws.root)) == before


@pytest.mark.parametrize(
    ("before", "after", "later"),
    [
        ("count = 1", "count = 2", "count = 21"),
        ("count = 1", "count = 2", "count = 12"),
        ("count = ", "count = 2", "count = 21"),
        ("a < b", "a = b", "a == b"),
        ("get(url)", "post(url)", "repost(url)"),
    ],
)
def test_a_word_that_was_written_on_since_is_not_put_together_again(
    before: str, after: str, later: str, ws: sh.Workspace
) -> None:
    put(ws, 2, before)
    made = ws.edit("a.md", [sh.Replace(before, after)])
    second = ws.edit("a.md", [sh.Replace(after, later)])
    error = refused(ws.undo, made.id)
    assert (error.details["lines"], error.details["blocked_by"]) == ([2], second.id)
    assert text(ws).splitlines()[1] == later
    ws.undo(second.id)
    ws.undo(made.id)
    assert text(ws).splitlines()[1] == before


@pytest.mark.parametrize(("later", "left"), [("x = 2  # why", "x = 1  # why"), ("x = 2;", "x = 1;")])
def test_what_was_written_beside_a_word_stays(later: str, left: str, ws: sh.Workspace) -> None:
    put(ws, 2, "x = 1")
    made = ws.edit("a.md", [sh.Replace("x = 1", "x = 2")])
    ws.edit("a.md", [sh.Replace("x = 2", later)])
    ws.undo(made.id)
    assert text(ws).splitlines()[1] == left


@pytest.mark.parametrize(
    ("before", "first", "second"),
    [
        ("1.2.3", ("2", "9"), ("3", "4")),
        ("max-old-size", ("max", "min"), ("size", "len")),
        ("c3", ("c", "d"), ("3", "4")),
    ],
)
def test_a_token_that_was_changed_elsewhere_since_is_not_made_a_value_that_nobody_wrote(
    before: str, first: tuple[str, str], second: tuple[str, str], ws: sh.Workspace
) -> None:
    ws.write("a.md", f"v = {before}\nw = 0\n", overwrite=True, allow_shrink=True)
    record = ws.edit("a.md", [sh.Replace(*first)]).id
    ws.edit("a.md", [sh.Replace(*second)])
    standing = text(ws)
    refused(ws.undo, record)
    assert text(ws) == standing
    ws.edit("a.md", [sh.Replace(second[1], second[0])])
    ws.undo(record)
    assert text(ws) == f"v = {before}\nw = 0\n", "changes that cancel each other are not in the way"


def test_a_created_file_that_was_edited_since_stays(ws: sh.Workspace) -> None:
    created = ws.create("n.md", "one\ntwo\n")
    ws.edit("n.md", [sh.Replace("two", "2")])
    refused(ws.undo, created.id)
    assert text(ws, "n.md") == "one\n2\n"


def test_a_deleted_file_does_not_come_back_over_another(ws: sh.Workspace) -> None:
    gone = ws.delete("a.md")
    ws.create("a.md", "another\n")
    with pytest.raises(EditError) as caught:
        ws.undo(gone.id)
    assert caught.value.kind is Kind.EXISTS_ALREADY
    assert text(ws) == "another\n"


def test_a_file_gone_from_disk_cannot_be_edited_back(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    (Path(ws.root) / "a.md").unlink()
    refused(ws.undo, made)


def test_undo_walks_back_step_by_step(ws: sh.Workspace) -> None:
    states = [text(ws)]
    for n in range(1, 6):
        put(ws, n, f"new {n}")
        states.append(text(ws))
    for expected in reversed(states[:-1]):
        ws.undo(last=True)
        assert text(ws) == expected
    refused(ws.undo, last=True)
    for expected in states[1:]:
        ws.redo()
        assert text(ws) == expected
    refused(ws.redo)


def test_an_old_change_is_taken_back_while_later_ones_stay(ws: sh.Workspace) -> None:
    first = put(ws, 2, "two\nand a half")
    put(ws, 9, "eight")
    ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "zero\n", where="before")])
    ws.undo(first)
    expected = TEN.replace("line 8\n", "eight\n")
    assert text(ws) == "zero\n" + expected


def test_undo_of_an_undo_brings_the_change_back(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    after = text(ws)
    undo = ws.undo(made)
    assert text(ws) == TEN
    ws.undo(undo.id)
    assert text(ws) == after
    ws.undo(made)
    assert text(ws) == TEN


def test_changes_that_cancelled_each_other_are_not_in_the_way(ws: sh.Workspace) -> None:
    first = put(ws, 2, "two")
    second = put(ws, 2, "zwei")
    ws.undo(second)
    put(ws, 9, "nine")
    ws.undo(first)
    assert text(ws) == TEN.replace("line 9", "nine")


def test_an_insertion_at_the_very_place_of_a_deletion_refuses_also_beside_other_work(ws: sh.Workspace) -> None:
    gone = ws.edit("a.md", [sh.Delete(sh.Lines(2, 2))])
    ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "which side?\n", where="after")])
    refused(ws.undo, gone.id)
    put(ws, 3, "a neighbour")
    refused(ws.undo, gone.id)


def test_a_whole_task_is_undone_as_one(ws: sh.Workspace) -> None:
    put(ws, 1, "mine", task="T-1")
    put(ws, 5, "theirs", task="T-2")
    put(ws, 2, "mine too", task="T-1")
    put(ws, 1, "mine again", task="T-1")
    receipt = ws.undo(task="T-1")
    assert text(ws) == TEN.replace("line 5", "theirs")
    assert len(receipt.undoes) == 3
    ws.redo()
    assert text(ws).startswith("mine again\nmine too\n")


def test_a_task_over_several_files_with_creation_and_deletion(ws: sh.Workspace) -> None:
    before = tree_of(Path(ws.root))
    with ws.task("T-1") as task:
        task.create("x/n.md", "one\ntwo\n")
        task.edit("x/n.md", [sh.Replace("two", "2")])
        task.rename("x/n.md", "y/m.md")
        task.edit("y/m.md", [sh.Replace("one", "1")])
        task.edit("a.md", [sh.Replace("line 3\n", "three\n")])
        task.delete("a.md")
    ws.undo(task="T-1")
    assert tree_of(Path(ws.root)) == before


def test_the_latest_change_of_a_file_is_found_by_its_path(ws: sh.Workspace) -> None:
    put(ws, 2, "two")
    ws.create("b.md", "b\n")
    ws.undo(path="a.md")
    assert text(ws) == TEN
    assert text(ws, "b.md") == "b\n"


def test_an_edit_is_undone_under_the_files_new_name(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    ws.rename("a.md", "sub/b.md")
    ws.undo(made)
    assert text(ws, "sub/b.md") == TEN


def test_a_rename_is_undone_with_later_edits_kept(ws: sh.Workspace) -> None:
    moved = ws.rename("a.md", "b.md")
    ws.edit("b.md", [sh.Replace("line 3\n", "three\n")])
    ws.undo(moved.id)
    assert text(ws) == TEN.replace("line 3\n", "three\n")
    assert not (Path(ws.root) / "b.md").exists()


def test_work_from_outside_is_kept_where_it_does_not_overlap(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    path = Path(ws.root) / "a.md"
    path.write_text("from outside\n" + text(ws))
    ws.read("a.md")
    put(ws, 11, "ten")
    path.write_text(text(ws) + "also from outside\n")
    ws.undo(made)
    assert text(ws) == "from outside\n" + TEN.replace("line 10", "ten") + "also from outside\n"


def test_work_from_outside_on_the_same_lines_refuses(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    path = Path(ws.root) / "a.md"
    path.write_text(text(ws).replace("two", "two, edited by hand"))
    error = refused(ws.undo, made)
    assert error.details["lines"] == [2]


def test_a_deletion_brings_bytes_and_mode_back(ws: sh.Workspace) -> None:
    path = Path(ws.root) / "tool.bin"
    path.write_bytes(b"\xff\xfe\x00odd \xe9\r\n")
    path.chmod(0o751)
    gone = ws.delete("tool.bin")
    assert not path.exists()
    ws.undo(gone.id)
    assert path.read_bytes() == b"\xff\xfe\x00odd \xe9\r\n"
    assert path.stat().st_mode & 0o777 == 0o751


def test_a_deletion_brings_the_owner_and_attributes_back(ws: sh.Workspace) -> None:
    path = Path(ws.root) / "a.md"
    uid = 12_345 if os.geteuid() == 0 else os.geteuid()
    os.chown(path, uid, -1)
    with contextlib.suppress(OSError):  # not every file system has them
        os.setxattr(path, "user.note", b"kept")
    attributes = os.listxattr(path)
    gone = ws.delete("a.md")
    ws.undo(gone.id)
    assert path.stat().st_uid == uid
    assert os.listxattr(path) == attributes


def test_an_edit_under_a_deletion_that_was_undone_can_be_undone_too(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    gone = ws.delete("a.md")
    refused(ws.undo, made)
    ws.undo(gone.id)
    ws.undo(made)
    assert text(ws) == TEN


def test_a_mode_change_is_undone_alone(ws: sh.Workspace) -> None:
    path = Path(ws.root) / "a.md"
    mode = path.stat().st_mode & 0o777
    changed = ws.chmod("a.md", 0o600)
    put(ws, 2, "two")
    ws.undo(changed.id)
    assert path.stat().st_mode & 0o777 == mode
    assert "two" in text(ws)


def test_a_preview_of_an_undo_writes_nothing(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    after = text(ws)
    preview = ws.undo(made, preview=True)
    assert "+line 2" in preview.diff()
    assert text(ws) == after
    assert len(ws.history()) == 1


def test_an_undo_joined_bytes_that_are_no_text_are_restored_exactly(ws: sh.Workspace) -> None:
    """Two escaped bytes that an edit brings together read as one character afterwards."""
    path = Path(ws.root) / "odd.txt"
    data = b"x\xc3 and \xa9y \xff\n"
    path.write_bytes(data)
    receipt = ws.edit("odd.txt", [sh.Replace(" and ", "")])
    assert path.read_bytes() == b"x\xc3\xa9y \xff\n"
    ws.undo(receipt.id)
    assert path.read_bytes() == data


def test_the_net_diff_of_a_task_leaves_others_work_out(ws: sh.Workspace) -> None:
    put(ws, 2, "mine", task="T-1")
    put(ws, 5, "theirs", task="T-2")
    put(ws, 2, "mine, better", task="T-1")
    diff = ws.diff_of_task("T-1")
    assert "+mine, better" in diff
    assert "-line 2" in diff
    assert "-line 5" not in diff
    assert "+mine\n" not in diff


def test_the_diff_of_a_record_can_be_had_at_any_depth(ws: sh.Workspace) -> None:
    ids = [put(ws, n, f"new {n}") for n in (1, 5, 9)]
    for n, made in zip((1, 5, 9), ids, strict=True):
        diff = ws.diff_of(made)
        assert f"-line {n}\n+new {n}\n" in diff


def test_undo_needs_no_image_that_gc_dropped_when_splices_tell(ws: sh.Workspace) -> None:
    made = put(ws, 2, "two")
    created = ws.create("n.md", "n\n")
    gone = ws.delete("n.md")
    ws.gc(keep_bytes=0)
    ws.undo(made)
    assert text(ws) == TEN
    refused(ws.undo, gone.id)
    assert created.id in {entry.record.id for entry in ws.history()}


def test_a_file_keeps_the_encoding_it_was_first_read_in(ws: sh.Workspace) -> None:
    """What is left of a legacy file may look like another encoding, or like none."""
    path = Path(ws.root) / "legacy.txt"
    path.write_bytes(b"title caf\xe9\nfoo\nbar\n")
    first = ws.edit("legacy.txt", [sh.Replace("bar", "BAR")])
    second = ws.edit("legacy.txt", [sh.Replace(" caf\xe9", "")])
    ws.edit("legacy.txt", [sh.Replace("foo", "f\xfc\xdf")])
    assert path.read_bytes() == b"title\nf\xfc\xdf\nBAR\n"
    assert ws.read("legacy.txt").text == "title\nf\xfc\xdf\nBAR\n"
    ws.undo(first.id)
    ws.undo(second.id)
    assert path.read_bytes() == b"title caf\xe9\nf\xfc\xdf\nbar\n"


def test_text_of_an_encoding_the_file_no_longer_has_is_not_brought_back(ws: sh.Workspace) -> None:
    path = Path(ws.root) / "legacy.txt"
    path.write_bytes(b"title caf\xe9\nfoo\nbar\n")
    first = ws.edit("legacy.txt", [sh.Replace(" caf\xe9", "")])
    path.write_bytes("title\nfoo\nb\xe4r\n".encode())
    ws.edit("legacy.txt", [sh.Replace("foo", "f\xfc\xdf")], encoding="utf-8")
    before = path.read_bytes()
    refused(ws.undo, first.id)
    assert path.read_bytes() == before


def test_a_guessed_encoding_is_reported(ws: sh.Workspace) -> None:
    (Path(ws.root) / "legacy.txt").write_bytes(b"title caf\xe9\nfoo\n")
    receipt = ws.edit("legacy.txt", [sh.Replace("foo", "bar")])
    assert any("guess" in warning for warning in receipt.warnings)


def test_the_diff_of_a_task_can_be_seen_although_it_cannot_be_undone(ws: sh.Workspace) -> None:
    put(ws, 2, "mine", task="T-1")
    put(ws, 2, "theirs", task="T-2")
    assert "-line 2\n+mine\n" in ws.diff_of_task("T-1")
    with pytest.raises(EditError) as caught:
        ws.diff_of_task("T-9")
    assert caught.value.kind is Kind.NO_SUCH_FILE


def test_a_secret_that_was_changed_says_it_cannot_be_undone(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("TOKEN=1\n")
    with sh.Workspace(tmp_path, allow=[".env"]) as ws:
        receipt = ws.edit(".env", [sh.Replace("1", "2")])
    assert any("cannot be undone" in warning for warning in receipt.warnings)


def test_the_same_words_written_again_by_another_task_are_not_taken_back(ws: sh.Workspace) -> None:
    first = put(ws, 2, "two", task="A")
    put(ws, 2, "zwei", task="B")
    put(ws, 2, "two", task="C")
    put(ws, 9, "nine", task="D")
    refused(ws.undo, first)
    assert text(ws) == TEN.replace("line 2", "two").replace("line 9", "nine")


def test_a_line_that_took_the_place_of_an_undone_one_keeps_its_ending(ws: sh.Workspace) -> None:
    with ws.task("A") as a, ws.task("B") as b:
        put_in = a.edit("a.md", [sh.Insert(sh.Lines(4), "\nput in\n")])
        b.read("a.md")
        b.edit("a.md", [sh.Replace(sh.Lines(4, 5), "one line for two\n")])
    before = text(ws)
    refused(ws.undo, put_in.id)
    assert text(ws) == before


def test_a_file_that_others_changed_and_changed_back_is_not_untouched(ws: sh.Workspace) -> None:
    """The file is again as the record left it, byte by byte, but its words are somebody else's."""
    first = put(ws, 2, "two", task="A")
    put(ws, 2, "zwei", task="B")
    put(ws, 2, "two", task="C")
    before = text(ws)
    refused(ws.undo, first)
    assert text(ws) == before


def test_a_created_file_that_others_changed_and_changed_back_is_not_removed(ws: sh.Workspace) -> None:
    created = ws.create("n.md", "one\ntwo\n")
    for task, old, new in (("B", "two", "zwei"), ("C", "zwei", "two")):
        with ws.task(task) as bound:
            bound.edit("n.md", [sh.Replace(old, new)])
    refused(ws.undo, created.id)
    assert text(ws, "n.md") == "one\ntwo\n"


def test_what_a_party_changed_and_changed_back_by_hand_is_untouched(ws: sh.Workspace) -> None:
    first = put(ws, 2, "two", task="A")
    put(ws, 2, "zwei", task="B")
    put(ws, 2, "two", task="B")
    ws.undo(first)
    assert text(ws) == TEN


def test_a_line_written_into_an_empty_line_keeps_its_ending(ws: sh.Workspace) -> None:
    with ws.task("A") as a, ws.task("B") as b:
        put_in = a.edit("a.md", [sh.Insert(sh.Lines(4), "\nput in\n")])
        b.read("a.md")
        b.edit("a.md", [sh.Replace(sh.Lines(5, 5), "in the empty\nline\n")])
    before = text(ws)
    refused(ws.undo, put_in.id)
    assert text(ws) == before


def test_what_took_the_place_of_a_line_put_in_where_one_was_deleted_leaves_the_order_open(ws: sh.Workspace) -> None:
    gone = ws.edit("a.md", [sh.Delete(sh.Lines(2, 2))])
    with ws.task("B") as b:
        b.edit("a.md", [sh.Insert(sh.Lines(1, 1), "which side?\n", where="after")])
        b.edit("a.md", [sh.Replace("which side?", "still open")])
    refused(ws.undo, gone.id)


def test_two_deletions_whose_order_an_older_undo_has_left_open_are_not_undone_together(ws: sh.Workspace) -> None:
    with ws.task("B") as b, ws.task("D") as d:
        gone = b.edit("a.md", [sh.Delete(sh.Lines(9, 9))])
        d.edit("a.md", [sh.Replace("line 10\n", "")])
        ws.undo(gone.id)
        d.edit("a.md", [sh.Replace("line 9\n", "")])
        put(ws, 2, "two")
        refused(ws.undo, task=d.task_id)


def test_a_change_that_two_redos_bring_back_comes_back_once(ws: sh.Workspace) -> None:
    made = ws.edit("a.md", [sh.Replace("line 3", "line 3 and more")])
    first = ws.undo(made.id)
    second = ws.undo(ws.redo(str(first.id)).id)
    put(ws, 8, "eight")
    ws.undo(first.id)
    before = text(ws)
    assert before.count("and more") == 1
    refused(ws.redo, str(second.id))
    assert text(ws) == before


def test_a_task_that_wrote_the_same_words_several_times_is_undone_as_one(ws: sh.Workspace) -> None:
    for turn in range(24):  # "mine 10" has a figure that "mine 1" had
        put(ws, 2, f"mine {turn}", task="A")
        put(ws, 9, f"theirs {turn}", task="B")
    ws.undo(task="A")
    assert text(ws) == TEN.replace("line 9", "theirs 23")


FORCE = sh.Policy(on_conflict="force")


@pytest.mark.hypothesis
def test_at_random_an_undo_takes_away_only_what_its_records_wrote_last(tmp_path: Path) -> None:
    done = refusals = 0
    with sh.Workspace(tmp_path, actor="host", policy=FORCE) as ws:
        for seed in range(EXAMPLES // 2):
            history = History(ws, tmp_path / f"{seed}.txt", random.Random(seed))
            history.live(14)
            done, refusals = done + history.undone, refusals + history.refusals
    assert done
    assert refusals


class History:
    """Several tasks that write words of their own over each other's, and take their work back. Knows who wrote what.

    Every word is written once, and whole lines or words inside a line are replaced. So whatever is there at any time,
    two words have the same order as whenever both were there, and are on one line or on two as they were then. Words
    that a forced edit writes again, because its task saw them last, say nothing more.
    """

    def __init__(self, ws: sh.Workspace, file: Path, chance: random.Random) -> None:
        self.ws, self.file, self.chance = ws, file, chance
        self.count = self.undone = self.refusals = 0
        self.writers: dict[str, str] = {}  # of each word: the record that wrote it
        self.removed: dict[str, set[str]] = {}
        self.brought: dict[str, set[str]] = {}
        self.records: list[str] = []
        self.again: set[str] = set()  # words that were written again
        self.versions: list[dict[str, tuple[int, int]]] = []  # the line and the place of each word
        file.write_text("".join(f"{self._word()} {self._word()}\n" for _ in range(6)))
        self.versions.append(self._places())

    def live(self, steps: int) -> None:
        with contextlib.ExitStack() as stack:
            tasks = [stack.enter_context(self.ws.task(f"{name} {self.file.name}")) for name in "ABCD"]
            for _ in range(steps):
                self._step(self.chance.choice(tasks))

    def _step(self, task: sh.Workspace) -> None:
        before = self.file.read_text()
        choice = self.chance.random()
        try:
            if choice < 0.2 and self.records:
                self._undo(before, task.undo(self.chance.choice(self.records)))
            elif choice < 0.3:
                self._undo(before, task.undo(task=task.task_id))
            elif choice < 0.35 and self.brought:
                self._undo(before, task.redo(self.chance.choice(list(self.brought))))
            elif choice < 0.55:
                task.read(self.file.name)
            else:
                self._edited(before, task.edit(self.file.name, [self._edit(before)]))
        except EditError as error:
            self.refusals += error.kind is Kind.CANNOT_UNDO
            assert self.file.read_text() == before

    def _edit(self, text: str) -> sh.Replace | sh.Insert | sh.Delete:
        rows = text.splitlines()
        first = self.chance.randint(1, max(len(rows), 1))
        lines = sh.Lines(first, min(first + self.chance.choice([0, 0, 1, 2]), max(len(rows), 1)))
        new = "".join(f"{self._word()}\n" for _ in range(self.chance.randint(1, 2)))
        match self.chance.randrange(5):
            case 0:
                return sh.Insert(lines, self.chance.choice(["", "\n"]) + new)
            case 1:
                return sh.Delete(lines)
            case 2:
                return sh.Replace(self.chance.choice(text.split() or ["none"]), self._word())
            case 3:  # one line with its words and one more
                row = self.chance.choice(rows or ["none"])
                return sh.Replace(row or "none", f"{row} {self._word()}")
        return sh.Replace(lines, new)

    def _word(self) -> str:
        self.count += 1
        return f"w{self.count}"

    def _places(self) -> dict[str, tuple[int, int]]:
        rows = self.file.read_text().splitlines()
        words = [(word, row) for row, line in enumerate(rows) for word in line.split()]
        return {word: (row, at) for at, (word, row) in enumerate(words)}

    def _moved(self, now: dict[str, tuple[int, int]]) -> set[str]:
        """Words that are in another order now than ever before, or no longer on one line, or now on one."""
        found: set[str] = set()
        for then in self.versions:
            common = sorted((word for word in then.keys() & now.keys() - self.again), key=lambda word: then[word][1])
            for one, two in pairwise(common):
                as_then = (then[one][0] == then[two][0]) == (now[one][0] == now[two][0])
                if now[one][1] > now[two][1] or not as_then:
                    found |= {one, two}
        return found

    def _edited(self, before: str, receipt: Receipt) -> None:
        name = str(receipt.id)
        was, words = set(before.split()), self.file.read_text().split()
        now = set(words)
        self.again |= {word for word in now if words.count(word) > 1} | ((now - was) & self.writers.keys())
        self.again |= {word for word in now - was if any(word in then for then in self.versions)}
        self.again |= self._moved(self._places())
        self.versions.append(self._places())
        self.records.append(name)
        self.writers |= dict.fromkeys(now - was, name)
        self.removed[name] = was - now

    def _undo(self, before: str, receipt: Receipt) -> None:
        name = str(receipt.id)
        was, words = set(before.split()), self.file.read_text().split()
        now = set(words)
        self.undone += 1
        undoes = set(receipt.undoes)
        written = {word for word, record in self.writers.items() if record in undoes}
        brought = {word for record in undoes for word in self.brought.get(record, ())}  # by an undo, which is redone
        removed = {word for record in undoes for word in self.removed[record]}
        assert now <= set().union(*self.versions), "none is joined to another"
        assert (was - now) - self.again <= written | brought, "only its own goes"
        assert (now - was) - self.again <= removed, "only what it took away comes back"
        assert not now & written - brought - self.again, "all of its own goes"
        assert all(words.count(word) == 1 for word in now - self.again), "each once"
        assert not self._moved(self._places()), "in its place"
        self.versions.append(self._places())
        self.removed[name], self.brought[name] = was - now, now - was
        self.records.append(name)


@table("is_reopened", [False, True])
def test_an_undo_comes_out_alike_in_the_process_that_made_the_change_and_in_another(
    is_reopened: bool, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    file.write_text("x\ny\nx\nz\n")
    ada = sh.Workspace(tmp_path, actor="ada", task="A")
    receipt = ada.edit("a.md", [sh.Replace(sh.Lines(2, 2), "x\n")])
    with sh.Workspace(tmp_path, actor="bob", task="B") as bob:
        bob.read("a.md")
        bob.edit("a.md", [sh.Delete(sh.Lines(2, 2))])
    if is_reopened:
        ada.close()
        ada = sh.Workspace(tmp_path, actor="ada", task="A")
    with ada, pytest.raises(EditError) as refused:
        ada.undo(receipt.id)
    assert refused.value.kind is Kind.CANNOT_UNDO
    assert file.read_text() == "x\nx\nz\n"
