"""Two tasks on one file: what lands, what is a conflict, who learns what, and what the policy makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit
from steadyhand.session.host import host_of

TEN = "".join(f"line {number}\n" for number in range(1, 11))
FORCE, SKIP = sh.Policy(on_conflict="force"), sh.Policy(on_conflict="skip")


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[sh.Workspace]:
    (tmp_path / "a.txt").write_text(TEN)
    (tmp_path / "b.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="host") as workspace:
        yield workspace


def conflict(call: object, *args: object, **options: object) -> EditError:
    with pytest.raises(EditError) as caught:
        call(*args, **options)  # type: ignore[operator]
    assert caught.value.kind is Kind.CONFLICT, caught.value
    return caught.value


def text(ws: sh.Workspace, path: str = "a.txt") -> str:
    return host_of(ws).source(path).text


def lines(first: int, last: int | None = None) -> sh.Lines:
    return sh.Lines(first, last)


# What one task did, what another that had read the file before wants, and why both land.
BOTH_LAND = [
    (sh.Replace("line 4", "A"), sh.Replace(sh.Lines(5), "B\n"), "the line below"),
    (sh.Replace("line 4", "A"), sh.Replace(sh.Lines(3), "B\n"), "the line above"),
    (sh.Replace("line 4", "A"), sh.Insert(sh.Lines(4), "B\n", where="before"), "an insertion above it"),
    (sh.Replace("line 4", "A"), sh.Insert(sh.Lines(4), "B\n", where="after"), "an insertion below it"),
    (sh.Insert(sh.Lines(4), "A\n", where="after"), sh.Replace(sh.Lines(4), "B\n"), "the line above an insertion"),
    (sh.Insert(sh.Lines(4), "A\n", where="after"), sh.Replace("line 5", "B"), "the line below an insertion"),
    (sh.Insert(sh.Lines(4), "A\n", where="after"), sh.Insert(sh.Lines(4), "B\n", where="before"), "other boundaries"),
    (sh.Delete(sh.Lines(4)), sh.Replace("line 5", "B"), "the line below one that went away"),
    (sh.Delete(sh.Lines(4)), sh.Replace("line 3", "B"), "the line above one that went away"),
    (sh.Replace("line 4", "A"), sh.Replace("A\n", "B\n"), "it quotes what the other wrote"),
    (sh.Replace("line 4", "A"), sh.Replace("line 3\nA\nline 5", "B"), "it quotes it among other lines"),
    (sh.Replace("line 4", "one two three"), sh.Replace("two", "2"), "it quotes only words of the other's"),
    (sh.Insert(sh.Lines(4), "A 1\nA 2\nA 3\n"), sh.Replace("A 2", "B"), "it quotes a line that the other put in"),
    (sh.Delete(sh.Lines(4)), sh.Replace("line 3\nline 5", "B"), "it quotes both sides of what went away"),
    (sh.Replace("line 4", "A"), sh.Replace(sh.Lines(4, 4, "A"), "B"), "it says what is on the line"),
]


@pytest.mark.parametrize(("first", "second", "why"), BOTH_LAND, ids=[why for *_, why in BOTH_LAND])
def test_edits_of_two_tasks_both_land(ws: sh.Workspace, first: Edit, second: Edit, why: str) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [first])
        receipt = two.edit("a.txt", [second])
    assert receipt.ok, why
    assert "B" in text(ws) or "2" in text(ws)


CLASHES = [
    (sh.Replace("line 4", "A"), sh.Replace(sh.Lines(4), "B\n"), (4, 4), "the same line"),
    (sh.Replace("line 4", "A"), sh.Replace(sh.Lines(2, 6), "B\n"), (2, 6), "the line among others"),
    (sh.Replace(sh.Lines(2, 6), "A\nA\nA\nA\nA\n"), sh.Replace(sh.Lines(4), "B\n"), (4, 4), "one of its lines"),
    (sh.Replace("line 4", "line 4!"), sh.Replace("line 4", "B"), (4, 4), "it quotes a part that was there before"),
    (sh.Insert(sh.Lines(4), "A\n"), sh.Insert("line 4\n", "B\n", where="after"), (5, 5), "the same boundary"),
    (sh.Insert(sh.Lines(4), "A\n"), sh.Insert("line 5\n", "B\n", where="before"), (6, 6), "the same boundary, below"),
    (sh.Insert(sh.Lines(10), "A\n"), sh.Insert(sh.Lines(11, 10), "B\n"), (11, 11), "both at the end of the file"),
    (sh.Delete(sh.Lines(4)), sh.Insert("line 3\n", "B\n", where="after"), (4, 4), "where a line went away"),
    (sh.Delete(sh.Lines(4)), sh.Replace(sh.Lines(3, 4), "B\n"), (3, 4), "around a line that went away"),
    (sh.Delete(sh.Lines(4)), sh.Delete(sh.Lines(2, 8)), (2, 8), "a larger deletion"),
]


@pytest.mark.parametrize(("first", "second", "where", "why"), CLASHES, ids=[why for *_, why in CLASHES])
def test_an_edit_on_what_another_task_changed_is_a_conflict(
    ws: sh.Workspace, first: Edit, second: Edit, where: tuple[int, int], why: str
) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        receipt = one.edit("a.txt", [first], reason="because")
        before = text(ws)
        error = conflict(two.edit, "a.txt", [second])
        assert text(ws) == before, "nothing of the call"
        (other,) = error.details["with"]
        assert (other["actor"], other["task"], other["record"], other["reason"]) == (
            "host",
            "one",
            receipt.id,
            "because",
        )
        assert tuple(error.details["lines"]) == where, why
        two.read("a.txt")
        assert two.edit("a.txt", [second]).ok, "once it has been read it is known"


def test_both_sides_are_shown_and_the_corrected_edit_goes_through(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "line four", reason="words")], reason="all of it")
        error = conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "4\n", reason="digits")])
        (other,) = error.details["with"]
        assert (other["before"], other["after"], other["reason"], other["lines"]) == (
            "line 4",
            "line four",
            "words",
            [4, 4],
        )
        assert error.details["yours"] == {"before": "line four\n", "after": "4\n"}
        corrected = error.details["corrected"]
        assert corrected == {"target": "line four\n", "new": "4\n", "reason": "digits"}
        assert two.edit("a.txt", [dict(corrected)]).ok
    assert text(ws) == TEN.replace("line 4", "4")


def test_a_long_line_is_shown_whole_and_its_corrected_edit_is_offered(ws: sh.Workspace, tmp_path: Path) -> None:
    before, after = "word " * 300 + "end", "word " * 300 + "other end"
    (tmp_path / "a.txt").write_text(f"{before}\nlast\n")
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace(before, after)])
        error = conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(1), "mine\n")])
        (other,) = error.details["with"]
        assert other["after"] == after
        assert error.details["yours"] == {"before": f"{after}\n", "after": "mine\n"}
        assert two.edit("a.txt", [dict(error.details["corrected"])]).ok
    assert text(ws) == "mine\nlast\n"


ELSEWHERE = [
    (
        "[a]\ntimeout = 10\n[b]\nx = 1\n",
        [sh.Replace("timeout = 10", "timeout = 30"), sh.Insert("x = 1\n", "timeout = 10\n")],
        sh.Replace("timeout = 10", "timeout = 20"),
    ),
    ("a = 2\n\nb = 1\n", [sh.Replace("a = 2", "a = 3"), sh.Replace("b = 1", "b = 2")], sh.Replace("= 2", "= 9")),
    ("f(1)\n\ng(2)\n", [sh.Delete("f(1)\n"), sh.Insert("g(2)\n", "f(1)\n")], sh.Replace("f(1)\n", "f(9)\n")),
]


@pytest.mark.parametrize(("base", "theirs", "mine"), ELSEWHERE)
def test_old_text_that_others_took_away_and_wrote_elsewhere_is_not_edited_there(
    ws: sh.Workspace, base: str, theirs: list[Edit], mine: Edit
) -> None:
    ws.write("a.txt", base, overwrite=True, allow_shrink=True)
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", theirs)
        before = text(ws)
        conflict(two.edit, "a.txt", [mine])
        assert text(ws) == before
        two.read("a.txt")
        assert two.edit("a.txt", [mine]).ok, "once it has been read it is known"


GONE = [
    (sh.Replace("line 4", "four"), sh.Replace("line 4", "B"), "the very words"),
    (
        sh.Replace("line 4\n", "four\nfour\n"),
        sh.Replace("line 3\nline 4\nline 5\n", "line 3\nB\nline 5\n"),
        "among lines",
    ),
    (sh.Delete("line 4\n"), sh.Replace("line 4", "B"), "a line that went away"),
    (sh.Replace("line 4", "four"), sh.Replace(sh.Lines(4, 4, "line 4"), "B"), "a line given by number and text"),
]


@pytest.mark.parametrize(("first", "second", "why"), GONE, ids=[why for *_, why in GONE])
def test_old_text_that_another_task_changed_is_a_conflict_and_not_merely_absent(
    ws: sh.Workspace, first: Edit, second: Edit, why: str
) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        receipt = one.edit("a.txt", [first], reason="because")
        error = conflict(two.edit, "a.txt", [second])
        (other,) = error.details["with"]
        assert (other["record"], other["reason"]) == (receipt.id, "because"), why
        assert error.details["conflicts"], "kept for a person"


def test_old_text_that_the_task_itself_changed_is_merely_absent(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 9", "nine")])
        two.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
        with pytest.raises(EditError) as caught:
            two.edit("a.txt", [sh.Replace("line 2\n", "zwei\n")])
        assert caught.value.kind is not Kind.CONFLICT


def test_sending_the_same_edit_again_does_not_help(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        first = conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        again = conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert first.details["conflicts"] == again.details["conflicts"], "and it is kept once"


def test_a_task_that_never_read_the_file_knows_what_was_there_when_it_began(ws: sh.Workspace) -> None:
    with ws.task("before") as before:
        before.edit("a.txt", [sh.Replace("line 2", "A")])
        with ws.task("during") as during:
            assert during.edit("a.txt", [sh.Replace(sh.Lines(2), "B\n")]).ok
            before.edit("a.txt", [sh.Replace("line 4", "A")])
            conflict(during.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])


def test_own_edits_are_known_and_do_not_hide_the_others(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 8", "A")])
        two.edit("a.txt", [sh.Replace("line 2", "B")])
        two.edit("a.txt", [sh.Replace(sh.Lines(2), "C\n")])
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(8), "D\n")])
        with pytest.raises(EditError) as caught:
            two.write("a.txt", "all of it\n", allow_shrink=True)
        assert caught.value.kind is Kind.STALE_SOURCE, "what it wrote is known, the file as a whole is not"


def test_what_a_reply_showed_is_known(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        two.edit("a.txt", [sh.Replace("line 6", "B")])  # answered with three lines around it
        assert two.edit("a.txt", [sh.Replace(sh.Lines(4), "C\n")]).ok


def test_regions_move_with_later_edits(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two, ws.task("three") as three:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        three.edit("a.txt", [sh.Insert(sh.Lines(1), "x\ny\nz\n", where="before"), sh.Delete("line 2\n")])
        assert text(ws).split("\n")[5] == "A"
        answer = conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")]).details
        assert (answer["with"][0]["task"], answer["lines"]) == ("one", [6, 6]), "the line that is 4 in what it has read"
        assert two.edit("a.txt", [sh.Replace("line 3", "B")]).ok


def test_what_was_put_in_and_then_rewritten_is_still_put_in(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Insert(sh.Lines(4), "draft\n")])
        one.edit("a.txt", [sh.Replace("draft\n", "final\n")])
        error = conflict(two.edit, "a.txt", [sh.Insert("line 5\n", "B\n", where="before")])
        assert (error.details["with"][0]["before"], error.details["with"][0]["after"]) == ("", "final\n")


def test_what_was_changed_and_changed_back_is_no_news(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A"), sh.Replace("line 8", "A")])
        one.edit("a.txt", [sh.Replace("line 3\nA\n", "line 3\nline 4\n")])
        assert two.edit("a.txt", [sh.Replace(sh.Lines(4), "B\n")]).ok


def test_reading_some_lines_makes_those_known(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 2", "A"), sh.Replace("line 8", "A")])
        two.read("a.txt", lines=(1, 3))
        assert two.edit("a.txt", [sh.Replace(sh.Lines(2), "B\n")]).ok
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(8), "B\n")])
        two.read("a.txt", lines=(7, None))
        assert two.edit("a.txt", [sh.Replace(sh.Lines(8), "B\n")]).ok


def test_an_edit_for_the_present_version_knows_it(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        digest = one.edit("a.txt", [sh.Replace("line 4", "A")]).files[0].after
        assert two.edit("a.txt", [sh.Replace(sh.Lines(4), "B\n")], expect=digest).ok


def test_skip_leaves_out_the_edit_and_says_so(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 2", "A")])
        edits = [sh.Replace("line 6", "B"), sh.Replace(sh.Lines(2), "B\n"), sh.Replace("line 9", "B")]
        receipt = two.edit("a.txt", edits, policy=SKIP, reason="why")
        assert [outcome.applied for outcome in receipt.outcomes] == [True, False, True]
        assert receipt.outcomes[1].error is not None
        assert receipt.outcomes[1].error.kind is Kind.CONFLICT
        assert [outcome.index for outcome in receipt.outcomes] == [0, 1, 2]
        assert text(ws) == TEN.replace("line 2", "A").replace("line 6", "B").replace("line 9", "B")
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(2), "B\n")], policy=SKIP)
    assert [note.reason for note in ws.history()[0].record.files[0].edits] == ["why", "why"]
    assert len(list(ws._store.journal.notes(type="conflict"))) == 2


def test_force_writes_and_the_record_says_over_what(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        first = one.edit("a.txt", [sh.Replace("line 4", "A")])
        receipt = two.edit("a.txt", [sh.Replace("line 2", "B"), sh.Replace(sh.Lines(4), "B\n")], policy=FORCE)
        assert [outcome.forced for outcome in receipt.outcomes] == [(), (first.id,)]
    assert [note.forced for note in ws.show(receipt.id or "").record.files[0].edits] == [(), (first.id,)]
    assert text(ws) == TEN.replace("line 2", "B").replace("line 4", "B")


def test_the_refusal_of_one_file_stops_a_transaction(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        with pytest.raises(EditError) as caught, two.transaction() as tx:
            tx.edit("b.txt", [sh.Replace("line 3", "B")])
            tx.edit("a.txt", [sh.Insert(sh.Lines(1), "top\n", where="before")])
            tx.edit("a.txt", [sh.Replace(sh.Lines(5), "B\n")])
        assert caught.value.kind is Kind.CONFLICT
    assert text(ws, "b.txt") == TEN


def test_deleting_what_another_task_changed_is_a_conflict(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        conflict(two.delete, "a.txt")
        two.rename("a.txt", "c.txt")  # a name is no text
        conflict(two.edit, "c.txt", [sh.Replace(sh.Lines(4), "B\n")])
        two.read("c.txt")
        assert two.delete("c.txt").ok


def test_a_file_that_was_renamed_keeps_its_regions(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        one.rename("a.txt", "c.txt")
        conflict(two.edit, "c.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert two.edit("c.txt", [sh.Replace(sh.Lines(5), "B\n")]).ok


def test_an_undo_by_another_is_news_too(ws: sh.Workspace) -> None:
    with ws.task("one") as one:
        receipt = one.edit("a.txt", [sh.Replace("line 4", "A")])
        ws.undo(receipt.id)
        error = conflict(one.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert error.details["with"][0]["actor"] == "host"


def test_changes_outside_are_news_and_are_recorded_as_such(ws: sh.Workspace, tmp_path: Path) -> None:
    with ws.task("one") as one:
        one.read("a.txt")
        (tmp_path / "a.txt").write_text(TEN.replace("line 4", "formatted"))
        error = conflict(one.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert (error.details["with"][0]["record"], error.details["with"][0]["after"]) == (None, "formatted")
        assert one.edit("a.txt", [sh.Replace("line 9", "B")]).ok
        (tmp_path / "a.txt").write_text(text(ws).replace("line 7", "again"))
        conflict(one.edit, "a.txt", [sh.Replace(sh.Lines(7), "B\n")])
        one.edit("a.txt", [sh.Replace("line 1\n", "B\n")])
        (note,) = ws._store.journal.notes(type="outside")
        assert (note.body["path"], note.body["lines"]) == ("a.txt", [[7, 7]])


def test_what_a_change_that_cannot_be_distinguished_did_is_the_whole_file(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.delete("a.txt")
        one.create("a.txt", TEN.replace("line 4", "A"))
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert two.edit("a.txt", [sh.Replace("line 6", "B")]).ok, "the words quoted are only theirs"


def test_two_actors_without_tasks_are_two_parties(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="one") as one, sh.Workspace(tmp_path, actor="two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])


def test_what_a_named_party_has_read_is_known_in_the_next_process(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="one", task="T1") as one:
        one.edit("a.txt", [sh.Replace("line 9", "A")])
        with sh.Workspace(tmp_path, actor="two", task="T2") as two:
            two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
    with sh.Workspace(tmp_path, actor="two", task="T2") as two:
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert two.edit("a.txt", [sh.Replace("line 6", "B")]).ok
        with sh.Workspace(tmp_path, actor="two", task="T2") as later:
            assert later.edit("a.txt", [sh.Replace(sh.Lines(9), "B\n")]).ok, "that was there when it read the file"


def test_a_person_at_the_shell_who_has_read_nothing_meets_nobody(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="one", task="T1") as one:
        one.edit("a.txt", [sh.Replace("line 4", "A")])
    with sh.Workspace(tmp_path) as person:
        assert person.edit("a.txt", [sh.Replace(sh.Lines(4), "B\n")]).ok


def test_a_task_that_ended_has_seen_nothing(ws: sh.Workspace) -> None:
    with ws.task("one") as one:
        one.read("a.txt")
    with ws.task("two") as two:
        two.edit("a.txt", [sh.Replace("line 4", "A")])
    with ws.task("one") as one:
        with pytest.raises(EditError) as caught:
            one.write("a.txt", "new\n", allow_shrink=True)
        assert "never read" in caught.value.message
        assert one.edit("a.txt", [sh.Replace(sh.Lines(4), "B\n")]).ok, "what was there when it began is known"


def test_files_that_nobody_may_read_meet_nobody(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=hidden\nOTHER=hidden\n")
    with sh.Workspace(tmp_path, actor="host", allow=[".env"]) as ws, ws.task("one") as one, ws.task("two") as two:
        two.edit(".env", [sh.Act(sh.Key("OTHER"), "set-key", value="secret0")])
        assert one.edit(".env", [sh.Act(sh.Key("KEY"), "set-key", value="secret1")]).ok
        assert two.edit(".env", [sh.Act(sh.Key("KEY"), "set-key", value="secret2")]).ok, "it could not read it again"
        assert all("secret" not in repr(note.body) for note in ws._store.journal.notes())


def test_a_preview_meets_the_same_conflict_and_keeps_nothing(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 4", "A")])
        error = conflict(two.preview, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])
        assert "conflicts" not in error.details
    assert list(ws._store.journal.notes(type="conflict")) == []


def test_the_bytes_of_another_encoding_are_compared_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Grüße\r\nline 2\r\nline 3\r\n".encode("cp1252"))
    with sh.Workspace(tmp_path, actor="host") as ws, ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("Grüße", "Größe")], encoding="cp1252")
        conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(1), "B\n")])
        assert two.edit("a.txt", [sh.Replace(sh.Lines(2), "B\n")]).ok
        assert (tmp_path / "a.txt").read_bytes() == "Größe\r\nB\r\nline 3\r\n".encode("cp1252")


def test_tasks_that_only_use_the_shell_are_known_from_their_first_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    for name in ("T1", "T2"):
        with sh.Workspace(tmp_path, actor="shell", task=name) as ws:
            ws.read("a.txt")
    with sh.Workspace(tmp_path, actor="shell", task="T1") as ws:
        ws.edit("a.txt", [sh.Replace(sh.Lines(4), "A\n")])
    with sh.Workspace(tmp_path, actor="shell", task="T2") as ws:
        conflict(ws.edit, "a.txt", [sh.Replace(sh.Lines(4), "B\n")])


def test_reading_without_a_task_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="somebody") as ws:
        ws.read("a.txt")
    with sh.Workspace(tmp_path, task="T", read_only=True) as ws:
        ws.read("a.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_line_that_a_later_edit_wrote_as_it_was_is_still_its_authors_news(ws: sh.Workspace) -> None:
    with ws.task("reader") as reader, ws.task("author") as author, ws.task("neighbour") as neighbour:
        reader.read("a.txt")
        author.edit("a.txt", [sh.Insert(lines(4), "theirs\n", where="after")])
        neighbour.read("a.txt")
        neighbour.edit("a.txt", [sh.Replace("theirs\n", "above\ntheirs\n")])
        neighbour.edit("a.txt", [sh.Replace("above\n", "")])
        error = conflict(reader.edit, "a.txt", [sh.Replace(lines(5), "mine\n")])
        assert [other["task"] for other in error.details["with"]] == ["author"]
        assert "theirs\n" in text(ws)


def test_whose_line_was_written_over_is_not_named_for_the_line_ending(ws: sh.Workspace) -> None:
    with ws.task("reader") as reader, ws.task("first") as first, ws.task("second") as second:
        reader.read("a.txt")
        first.edit("a.txt", [sh.Replace(lines(4), "first\n")])
        second.read("a.txt")
        second.edit("a.txt", [sh.Replace("first", "second")])
        error = conflict(reader.edit, "a.txt", [sh.Replace(lines(4), "mine\n")])
        assert [other["task"] for other in error.details["with"]] == ["second"]


def test_what_lands_between_reading_a_file_and_showing_it_is_reported_with_its_authors(ws: sh.Workspace) -> None:
    with ws.task("reader") as reader, ws.task("other") as other:
        other.edit("a.txt", [sh.Replace("line 2", "two")])
        source = host_of(reader).source("a.txt")
        for number in (4, 5, 6):
            other.edit("a.txt", [sh.Replace(f"line {number}\n", f"other {number}\n")])
        host_of(reader).saw(source)
        error = conflict(reader.edit, "a.txt", [sh.Replace(lines(5), "mine\n")])
        assert [found.get("task") for found in error.details["with"]] == ["other"]


def test_old_text_that_is_gone_is_a_conflict_only_with_those_whose_change_was_not_seen(ws: sh.Workspace) -> None:
    with ws.task("reader") as reader, ws.task("shown") as shown, ws.task("other") as other:
        reader.read("a.txt")
        shown.edit("a.txt", [sh.Replace("line 5", "shown")])
        reader.edit("a.txt", [sh.Replace("line 6", "own")])
        reader.read("a.txt", lines=(3, 8))
        other.edit("a.txt", [sh.Replace("line 4", "theirs")])
        error = conflict(reader.edit, "a.txt", [sh.Replace("line 4\n", "mine\n")])
        assert [found["task"] for found in error.details["with"]] == ["other"]


def test_a_change_outside_is_met_by_the_next_process_of_the_task_that_had_read_the_file(tmp_path: Path) -> None:
    for name, content in (("small", TEN), ("too large to be kept", TEN + "x" * (1 << 20) + "\n")):
        path = tmp_path / f"{name}.txt"
        path.write_text(content)
        with sh.Workspace(tmp_path, actor="ada", task="T") as before:
            before.read(path.name)
        path.write_text(content.replace("line 5", "by an editor"))
        with sh.Workspace(tmp_path, actor="ada", task="T") as after:
            error = conflict(after.edit, path.name, [sh.Replace(lines(5), "B\n")])
            assert error.details["with"][0]["by"] == "outside", name


def test_many_changes_of_its_own_do_not_make_a_task_forget_what_it_read(ws: sh.Workspace, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN * 40)
    with ws.task("one") as one, ws.task("two") as two:
        one.edit("a.txt", [sh.Replace(lines(50), "seen\n")])
        two.read("a.txt")
        (tmp_path / "a.txt").write_text(text(ws).replace("line 5\n", "by an editor\n", 1))
        for number in range(40):
            two.edit("a.txt", [sh.Replace(lines(100 + number * 7), "B\n")])
        conflict(two.edit, "a.txt", [sh.Replace(lines(5), "B\n")])
        assert two.edit("a.txt", [sh.Replace(lines(50), "B\n")]).ok


@pytest.mark.parametrize("shown", [(1, 4), (5, 6)])
def test_what_went_away_at_the_edge_of_the_lines_that_were_shown_was_not_seen(
    ws: sh.Workspace, shown: tuple[int, int]
) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Delete(lines(5))])
        two.read("a.txt", lines=shown)
        conflict(two.edit, "a.txt", [sh.Replace(lines(4, 5), "B\n")])
        two.read("a.txt", lines=(4, 5))
        assert two.edit("a.txt", [sh.Replace(lines(4, 5), "B\n")]).ok


def test_words_that_went_away_are_seen_with_their_line_and_not_with_the_one_above(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 5", "5")])
        two.read("a.txt", lines=(1, 4))
        conflict(two.edit, "a.txt", [sh.Replace(lines(5), "B\n")])
        two.read("a.txt", lines=(5, 5))
        assert two.edit("a.txt", [sh.Replace(lines(5), "B\n")]).ok


def test_the_lines_of_a_change_that_were_shown_are_seen_and_the_others_are_not(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace(lines(3, 6), "A 3\nA 4\nA 5\nA 6\n")])
        two.read("a.txt", lines=(4, 5))
        conflict(two.edit, "a.txt", [sh.Replace(lines(3), "B\n")])
        conflict(two.edit, "a.txt", [sh.Replace(lines(5, 6), "B\n")])
        assert two.edit("a.txt", [sh.Replace(lines(4, 5), "B\n")]).ok


def test_around_lines_that_a_task_took_away_three_on_each_side_are_seen(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 9", "A"), sh.Replace("line 1\n", "A\n")])
        two.edit("a.txt", [sh.Delete(lines(5))])
        conflict(two.edit, "a.txt", [sh.Replace(lines(1), "B\n")])
        conflict(two.edit, "a.txt", [sh.Replace(lines(8), "B\n")])


@pytest.mark.parametrize(("line", "place"), [(1, sh.Lines(1, 0)), (10, sh.Lines(10, 9))])
def test_no_edit_is_offered_where_none_could_show_that_the_change_is_known(
    ws: sh.Workspace, line: int, place: sh.Lines
) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Delete(lines(line))])
        assert "corrected" not in conflict(two.edit, "a.txt", [sh.Insert(place, "B\n")]).details


def test_an_edit_whose_text_is_gone_meets_the_others_behind_lines_of_the_same_call(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 9", "A")])
        with pytest.raises(EditError) as caught, two.transaction() as batch:
            batch.edit("a.txt", [sh.Delete(lines(1, 6))])
            batch.edit("a.txt", [sh.Replace("line 9", "B")])
        assert caught.value.kind is Kind.CONFLICT
        assert caught.value.details["with"][0]["lines"] == [3, 3]


@pytest.mark.parametrize("outside", [False, True])
def test_lines_that_were_read_in_a_transaction_are_those_it_changes(
    outside: bool, ws: sh.Workspace, tmp_path: Path
) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        with pytest.raises(EditError) as caught, two.transaction() as batch:
            assert batch.read("a.txt").text == TEN
            batch.edit("a.txt", [sh.Replace(lines(8), "B\n")])
            if outside:
                (tmp_path / "a.txt").write_text("A\n" + TEN)
            else:
                one.edit("a.txt", [sh.Insert(sh.Lines(1, 0), "A\n")])
        assert caught.value.kind is Kind.CONFLICT
    assert text(ws) == "A\n" + TEN


def test_what_a_transaction_looked_at_and_did_not_show_was_not_read(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 9", "A")])
        with pytest.raises(EditError) as caught, two.transaction() as batch:
            assert "A" in batch.source("a.txt").text
            batch.edit("a.txt", [sh.Replace(lines(9), "B\n")])
        assert caught.value.kind is Kind.CONFLICT


def test_what_a_call_replaced_as_a_whole_holds_nothing_of_others(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 9", "A")])
        with two.transaction() as batch:
            batch.write("a.txt", b"new\n", overwrite=True, allow_shrink=True)
            batch.edit("a.txt", [sh.Replace(lines(1), "B\n")])
    assert text(ws) == "B\n"


def test_edits_whose_text_others_changed_are_left_out_like_the_others(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 3\n", "A\n"), sh.Replace("line 8\n", "A\n")])
        edits = [sh.Replace(lines(3), "B\n"), sh.Replace("line 8\n", "B\n"), sh.Replace("line 5\n", "B\n")]
        receipt = two.edit("a.txt", edits, policy=SKIP)
        answer = [outcome.error and outcome.error.kind for outcome in receipt.outcomes]
        assert answer == [Kind.CONFLICT, Kind.CONFLICT, None]
        assert len(ws.conflicts()) == 2


def test_what_was_read_under_an_earlier_name_was_read(ws: sh.Workspace, tmp_path: Path) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        one.edit("a.txt", [sh.Replace("line 5", "A")])
        two.read("a.txt")
        (tmp_path / "a.txt").write_text(text(ws).replace("line 9", "by an editor"))
        one.rename("a.txt", "c.txt")
        conflict(two.edit, "c.txt", [sh.Replace(lines(9), "B\n")])
        assert two.edit("c.txt", [sh.Replace(lines(5), "B\n")]).ok


def test_who_may_read_a_file_with_secrets_is_stopped_on_it_and_shown_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nKEY=hunter2\n")
    with sh.Workspace(tmp_path, actor="host", allow=[".env"]) as ws, ws.task("one") as one, ws.task("two") as two:
        two.read(".env")
        one.edit(".env", [sh.Replace(lines(2), "KEY=hunter3\n")])
        error = conflict(two.edit, ".env", [sh.Replace(lines(2), "KEY=hunter4\n")])
        (kept,) = ws.conflicts()
        assert "hunter" not in f"{error.message} {error.hint} {dict(error.details)} {kept.to_json()}"
        two.read(".env")
        assert two.edit(".env", [sh.Replace(lines(2), "KEY=hunter4\n")]).ok


def test_line_numbers_that_others_moved_are_not_believed(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Insert(sh.Lines(1), "top\n", where="before")], reason="a title")
        error = conflict(two.edit, "a.txt", [sh.Replace(sh.Lines(8), "eight\n", reason="a word")])
        assert "moved" in error.message
        assert error.details["with"][0]["reason"] == "a title"
        corrected = error.details["corrected"]
        assert corrected["target"] == {"lines": {"start": 9, "end": 9, "text": "line 8\n"}}
        assert two.edit("a.txt", [dict(corrected)]).ok
    assert text(ws) == "top\n" + TEN.replace("line 8", "eight")


@pytest.mark.parametrize("target", [sh.CodeBlock(index=1), sh.Heading("B", nth=2)], ids=["code block", "heading"])
def test_places_counted_by_number_that_others_moved_are_not_believed(
    target: sh.CodeBlock | sh.Heading, ws: sh.Workspace
) -> None:
    ws.create("b.md", "# A\n\n```\n1\n```\n\n## B\n\none\n\n```\n2\n```\n\n## B\n\ntwo\n")
    with ws.task("one") as one, ws.task("two") as two:
        two.read("b.md")
        one.edit("b.md", [sh.Insert("# A\n", "\n## B\n\nnew\n\n```\n0\n```\n")])
        before = text(ws, "b.md")
        error = conflict(two.edit, "b.md", [sh.Replace(target, "X\n")])
        assert ("moved" in error.details, "corrected" in error.details) == (True, False)
        assert text(ws, "b.md") == before
        two.read("b.md")
        assert two.edit("b.md", [sh.Replace(target, "X\n")]).ok


def test_line_numbers_below_which_others_changed_something_are_believed(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Insert(sh.Lines(8), "more\n"), sh.Replace("line 2", "A")])
        assert two.edit("a.txt", [sh.Replace(sh.Lines(5), "five\n")]).ok, "nothing above it moved"
        one.edit("a.txt", [sh.Delete("line 3\n"), sh.Insert("line 4\n", "A\n")])
        assert two.edit("a.txt", [sh.Replace(sh.Lines(7), "seven\n")]).ok, "one line went, another came"
    assert text(ws).split("\n")[6] == "seven"


def test_line_numbers_of_what_was_just_shown_are_believed(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Insert(sh.Lines(1), "top\n", where="before")])
        conflict(two.edit, "a.txt", [sh.Delete(sh.Lines(8))])
        conflict(two.edit, "a.txt", [sh.Insert(sh.Lines(8), "B\n")])
        two.read("a.txt", lines=(7, 9))
        assert two.edit("a.txt", [sh.Replace(sh.Lines(8), "B\n")]).ok
    assert text(ws).split("\n")[7] == "B"


def test_line_numbers_that_the_task_itself_moved_are_its_own_business(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        two.read("a.txt")
        one.edit("a.txt", [sh.Replace("line 9", "A")])
        two.edit("a.txt", [sh.Insert(sh.Lines(1), "top\n", where="before")])
        assert two.edit("a.txt", [sh.Replace(sh.Lines(6), "B\n")]).ok


def test_a_refused_write_of_secrets_leaves_nothing_of_them(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=hidden\n")
    with sh.Workspace(tmp_path, actor="host", allow=[".env", ".env.local"]) as ws:
        ws.create("a.txt", "so that there is a journal\n")
        for write in (lambda text: ws.write(".env", text, overwrite=True), lambda text: ws.create(".env.local", text)):
            with pytest.raises(EditError) as caught:
                write("TOKEN=hunter2  # ... rest of the file unchanged ...\n")
            assert "hunter2" not in repr(caught.value.to_json())
        assert all("hunter2" not in repr(note.body) for note in ws._store.journal.notes())
