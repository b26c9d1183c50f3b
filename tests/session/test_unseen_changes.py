"""What is known of others' work is carried on from answer to answer; it must be what a fresh look would find."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.session.host import host_of
from steadyhand.session.tasks import lines_around
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.workspace.history.read_ranges import ReadRanges
from steadyhand.workspace.history.unseen_changes import Checkpoint, UnseenChanges
from steadyhand.workspace.journal.record import Party, SeenVersion
from tests.table import table

LINES = 12


def _edit(chance: random.Random, count: int) -> object:
    at = chance.randint(1, count)
    text = f"text {chance.getrandbits(40)}\n"
    match chance.choice(["replace", "insert", "delete", "several"]):
        case "replace":
            return sh.Replace(sh.Lines(at), text)
        case "insert":
            return sh.Insert(sh.Lines(at), text * chance.randint(1, 2))
        case "delete" if count > 4:
            return sh.Delete(sh.Lines(at))
    return sh.Replace(sh.Lines(at, min(at + 2, count)), text)


def _change_outside(chance: random.Random, file: Path) -> None:
    lines = file.read_text().splitlines(keepends=True)
    lines[chance.randrange(len(lines))] = f"outside {chance.getrandbits(40)}\n"
    file.write_text("".join(lines))


@table("seed", range(25), every=12)
def test_news_that_is_carried_on_is_what_looking_again_tells(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(LINES)))
    party = Party("host", "watcher")
    with sh.Workspace(tmp_path, actor="host", policy=sh.Policy(on_conflict="force")) as ws:
        ws.edit("a.txt", [sh.Replace(sh.Lines(1), "first\n")])  # now there is a journal
        unseen_changes = UnseenChanges(ws._store.journal, ReadRanges(), party, "a.txt", 0)
        checkpoint: Checkpoint | None = None
        seen_versions: list[SeenVersion] = []
        for _ in range(30):
            name = chance.choice(["one", "two", "watcher"])
            with_task = ws._bound(name)
            if chance.random() < 0.2:
                _change_outside(chance, tmp_path / "a.txt")
            present = host_of(ws).source("a.txt")
            edits = [_edit(chance, present.table.count)]  # by numbers of the present text
            with_task.edit("a.txt", edits, expect=present.digest, reason=name)  # type: ignore[arg-type]
            source = host_of(ws).source("a.txt")
            if chance.random() < 0.2:
                whole = None if chance.random() < 0.5 else ((0, len(source.text) // 2),)
                seen_versions.append(SeenVersion(source.digest, ws._store.head(), whole))
            if chance.random() < 0.5:
                again, _ = unseen_changes.unseen("a.txt", source, source.to_bytes(), seen_versions)
                carried, resume = unseen_changes.unseen("a.txt", source, source.to_bytes(), seen_versions, checkpoint)
                checkpoint = resume or checkpoint
                assert {(news.span, news.before, news.is_part) for news in carried} == {
                    (news.span, news.before, news.is_part) for news in again
                }


def test_what_was_answered_before_a_read_is_not_carried_on_after_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 31)))
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.edit("a.txt", [sh.Replace("line 20", "two")])
        two.edit("a.txt", [sh.Replace("line 25", "two")])
        with pytest.raises(sh.EditError):
            two.edit("a.txt", [sh.Replace("not there", "two")])  # there is no news of this version
        receipt = one.edit("a.txt", [sh.Replace("line 6\n", "six\n")])
        two.read("a.txt")
        one.undo(receipt.id)
        with pytest.raises(sh.EditError) as caught:
            two.edit("a.txt", [sh.Replace(sh.Lines(6), "mine\n")])
        assert caught.value.kind is sh.Kind.CONFLICT


def test_an_edit_after_a_change_outside_does_not_walk_over_all_earlier_edits(tmp_path: Path) -> None:
    """How many records are read for an edit does not depend on how many the task has made before it."""
    file = tmp_path / "a.txt"
    file.write_text("".join(f"line {number}\n" for number in range(100)))
    with sh.Workspace(tmp_path, actor="host", task="one") as ws:
        ws.edit("a.txt", [sh.Replace("line 0\n", "first\n")])
        file.write_text(file.read_text() + "outside\n")
        read = [_entries_read(ws, number) for number in range(1, 41)]
        assert read[39] == read[10]


def test_what_was_changed_outside_is_still_news_after_many_edits(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("".join(f"line {number}\n" for number in range(100)))
    with sh.Workspace(tmp_path, actor="host", task="one") as ws:
        ws.read("a.txt")
        file.write_text(file.read_text().replace("line 90\n", "outside\n"))
        for number in range(20):
            ws.edit("a.txt", [sh.Replace(f"line {number}\n", f"mine {number}\n")])
        with pytest.raises(sh.EditError) as caught:
            ws.edit("a.txt", [sh.Replace(sh.Lines(91), "mine\n")])
        assert caught.value.kind is sh.Kind.CONFLICT


def _entries_read(ws: sh.Workspace, number: int) -> int:
    read = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal read
        read += event == "call" and frame.f_code.co_name == "entry_at"

    sys.setprofile(note)
    try:
        ws.edit("a.txt", [sh.Replace(f"line {number}\n", f"mine {number}\n")])
    finally:
        sys.setprofile(None)
    return read


def test_a_change_that_is_made_after_the_file_was_read_is_no_change_outside(tmp_path: Path) -> None:
    """The journal is looked at later than the file: what others did in between is not the past of what was read."""
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 31)))
    with sh.Workspace(tmp_path, actor="host") as ws:
        one, two = ws._bound("one"), ws._bound("two")
        first = host_of(ws).source("a.txt")
        one.edit("a.txt", [sh.Replace("line 3\n", "three\n")])
        read = host_of(ws).source("a.txt")
        two.read("a.txt")
        two.edit("a.txt", [sh.Replace("three\n", "drei\n")])
        two.edit("a.txt", [sh.Replace("line 7\n", "seven\n")])
        latest = host_of(ws).source("a.txt")
        unseen_changes = UnseenChanges(ws._store.journal, ReadRanges(), Party("host", "watcher"), "a.txt", 0)

        def answer(source: sh.Source, *seen: sh.Source) -> list[tuple[str | None, str]]:
            seen_versions = [SeenVersion(each.digest, 0) for each in seen]
            news, _ = unseen_changes.unseen("a.txt", source, source.to_bytes(), seen_versions)
            return [(item.entry and item.entry.record.task, item.before) for item in news]

        assert answer(read, first) == [("one", "line 3")]
        assert answer(latest, first) == [("two", "line 3"), ("two", "line 7")]
        (tmp_path / "a.txt").write_bytes(read.to_bytes())  # somebody takes both changes back, and who has seen them …
        assert {task for task, _ in answer(read, latest)} == {None}  # … learns of a change outside


@given(text=st.lists(st.sampled_from(["\n", "\n", "a", "bb", "x" * 400])).map("".join), data=st.data())
def test_the_lines_shown_with_a_change_do_not_depend_on_how_they_end(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = Span(start, data.draw(st.integers(start, len(text))))
    above = f"{'y' * 400}\r{'y' * 400}\n"  # two lines that are clipped; for the ending of one a table is made
    shown = lines_around(Source.of_text(above + text), span.shift(len(above)))
    assert lines_around(Source.of_text(text), span).shift(len(above)) == shown
