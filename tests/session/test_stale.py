"""Edits written for a version that is no longer there: moved over what happened since, or refused with both sides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import changes_between

TEN = "".join(f"line {number} of ten\n" for number in range(1, 11))
REBASE = sh.Policy(on_stale="rebase")


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[sh.Workspace]:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="host", policy=REBASE) as workspace:
        yield workspace


def refused(kind: Kind, call: object, *args: object, **options: object) -> EditError:
    with pytest.raises(EditError) as caught:
        call(*args, **options)  # type: ignore[operator]
    assert caught.value.kind is kind, caught.value
    return caught.value


def test_a_clean_edit_is_applied_and_said_to_be_rebased(ws: sh.Workspace, tmp_path: Path) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        digest = two.read("a.txt").digest
        one.edit("a.txt", [sh.Insert(sh.Lines(1), "new\n", where="before"), sh.Replace("line 9 of", "line nine of")])
        receipt = two.edit("a.txt", [sh.Replace(sh.Lines(5), "five\n")], expect=digest)
        assert (receipt.outcomes[0].differs, receipt.outcomes[0].lines) == (("rebased",), (6, 6))
    expected = "new\n" + TEN.replace("line 5 of ten", "five").replace("line 9", "line nine")
    assert (tmp_path / "a.txt").read_text() == expected


def test_two_changes_of_one_line_are_refused_and_joined_in_the_edit_that_is_offered(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        digest = two.read("a.txt").digest
        first = one.edit("a.txt", [sh.Replace("line 5 of", "row 5 of")], reason="rows")
        error = refused(Kind.CONFLICT, two.edit, "a.txt", [sh.Replace("line 5 of ten", "line 5 of 10")], expect=digest)
        (theirs,) = error.details["with"]
        assert (theirs["record"], theirs["reason"], theirs["task"]) == (first.id, "rows", "one")
        assert error.details["corrected"] == {"target": "row 5 of ten\n", "new": "row 5 of 10\n"}
        assert two.edit("a.txt", [dict(error.details["corrected"])]).ok
        assert "row 5 of 10\n" in host_of(ws).source("a.txt").text


def test_two_changes_of_the_same_words_have_nothing_to_offer(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        digest = two.read("a.txt").digest
        one.edit("a.txt", [sh.Replace("line 5", "row 5")])
        error = refused(Kind.CONFLICT, two.edit, "a.txt", [sh.Replace("line 5", "verse 5")], expect=digest)
        assert "corrected" not in error.details
        assert error.details["yours"] == {"before": "line 5", "after": "verse 5"}


def test_several_edits_that_clash_are_all_named(ws: sh.Workspace) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        digest = two.read("a.txt").digest
        one.edit("a.txt", [sh.Replace("line 3", "A"), sh.Replace("line 7", "A")])
        edits = [sh.Replace("line 3", "B"), sh.Replace("line 5", "B"), sh.Replace("line 7", "B")]
        error = refused(Kind.CONFLICT, two.edit, "a.txt", edits, expect=digest)
        assert (error.details["index"], [also["index"] for also in error.details["also"]]) == (0, [2])
        assert len(error.details["conflicts"]) == 2


def test_a_change_outside_is_merged_over(ws: sh.Workspace, tmp_path: Path) -> None:
    digest = ws.read("a.txt").digest
    (tmp_path / "a.txt").write_text("# formatted\n" + TEN)
    receipt = ws.edit("a.txt", [sh.Replace(sh.Lines(5), "five\n")], expect=digest)
    assert receipt.outcomes[0].lines == (6, 6)
    (tmp_path / "a.txt").write_text((tmp_path / "a.txt").read_text().replace("line 2", "LINE 2"))
    error = refused(Kind.CONFLICT, ws.edit, "a.txt", [sh.Replace("line 2", "two")], expect=digest)
    assert error.details["with"][0]["record"] is None


def test_a_version_that_another_process_read_before_a_change_outside_is_merged_from(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    (tmp_path / "b.txt").write_text("")
    with sh.Workspace(tmp_path, actor="one", task="T") as ws:
        ws.write("b.txt", "so that there is a journal\n", overwrite=True)
        digest = ws.read("a.txt").digest
    (tmp_path / "a.txt").write_text("# formatted\n" + TEN)
    with sh.Workspace(tmp_path, actor="one", task="T", policy=REBASE) as ws:
        assert ws.edit("a.txt", [sh.Replace(sh.Lines(5), "five\n")], expect=digest).ok
    assert (tmp_path / "a.txt").read_text() == "# formatted\n" + TEN.replace("line 5 of ten", "five")


def test_equal_lines_are_distinguished_by_what_was_recorded(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("same\n" * 6)
    with sh.Workspace(tmp_path, actor="host", policy=REBASE) as ws, ws.task("one") as one, ws.task("two") as two:
        digest = two.read("a.txt").digest
        one.edit("a.txt", [sh.Insert(sh.Lines(1), "same\n" * 3, where="before")])
        receipt = two.edit("a.txt", [sh.Replace(sh.Lines(2), "mine\n")], expect=digest)
        assert receipt.outcomes[0].lines == (5, 5)
    assert (tmp_path / "a.txt").read_text() == "same\n" * 4 + "mine\n" + "same\n" * 4


def test_only_those_who_changed_the_line_are_named(ws: sh.Workspace) -> None:
    with ws.task("two") as two:
        digest = two.read("a.txt").digest
        for line in range(3, 8):
            with ws.task(f"T{line}") as task:
                task.edit("a.txt", [sh.Replace(sh.Lines(line), f"by task {line}\n")])
        error = refused(Kind.CONFLICT, two.edit, "a.txt", [sh.Replace("line 5", "mine")], expect=digest)
        assert ([other["task"] for other in error.details["with"]], error.details["lines"]) == (["T5"], [5, 5])


def test_a_version_nobody_kept_is_refused_as_stale(ws: sh.Workspace) -> None:
    error = refused(Kind.STALE_SOURCE, ws.edit, "a.txt", [sh.Replace("line 5", "B")], expect="0" * 64)
    assert error.details["actual"] == host_of(ws).source("a.txt").digest


def test_an_edit_that_did_not_fit_its_own_version_is_refused_as_it_would_have_been(ws: sh.Workspace) -> None:
    digest = ws.read("a.txt").digest
    ws.edit("a.txt", [sh.Insert(sh.Lines(1), "line 77\n")])
    refused(Kind.NO_MATCH, ws.edit, "a.txt", [sh.Replace("line 77", "B")], expect=digest)


ROWS = st.lists(st.sampled_from([f"row {name}\n" for name in "abcdefgh"]), max_size=12)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text, and two others made of it by a few changes of lines."""
    base = draw(ROWS)

    def change() -> str:
        rows = list(base)
        for _ in range(draw(st.integers(1, 2))):
            at = draw(st.integers(0, len(rows)))
            rows[at : at + draw(st.integers(0, 2))] = draw(
                st.lists(st.sampled_from(["new 1\n", "new 2\n"]), max_size=2)
            )
        return "".join(rows)

    return "".join(base), change(), change()


@given(edited())
def test_a_clean_rebase_equals_applying_it_first_and_replaying_the_others(texts: tuple[str, str, str]) -> None:
    base, mine, theirs = texts
    me, they = changes_between(base, mine), changes_between(base, theirs)
    moved, replayed = me.rebase(they), they.rebase(me)
    assert isinstance(moved, Clash) == isinstance(replayed, Clash), "both or neither"
    if isinstance(moved, ChangeSet) and isinstance(replayed, ChangeSet):
        assert moved.apply(theirs) == replayed.apply(mine)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edited())
def test_what_the_workspace_rebases_is_what_would_have_come_of_being_first(
    tmp_path_factory: pytest.TempPathFactory, texts: tuple[str, str, str]
) -> None:
    base, mine, theirs = texts
    me, they = changes_between(base, mine), changes_between(base, theirs)
    if not me or not they:
        return
    root = tmp_path_factory.mktemp("rebase")
    (root / "a.txt").write_text(base)
    edits = [sh.Replace(sh.Lines(*_rows(base, splice.start, splice.old)), splice.new) for splice in me.splices]
    with sh.Workspace(root, actor="me", policy=sh.Policy(on_stale="rebase", batch="snapshot")) as ws:
        digest = ws.read("a.txt").digest
        (root / "a.txt").write_text(theirs)
        replayed = they.rebase(me)
        try:
            ws.edit("a.txt", edits, expect=digest)
        except EditError as error:
            assert error.kind is Kind.CONFLICT
            assert (root / "a.txt").read_text() == theirs
            return
        assert isinstance(replayed, ChangeSet)
        assert (root / "a.txt").read_text() == replayed.apply(mine)


def _rows(text: str, start: int, old: str) -> tuple[int, int]:
    first = text.count("\n", 0, start) + 1
    return first, first + old.count("\n") - 1


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-16-le", "cp1252", "shift_jis"])
def test_the_version_an_edit_was_written_for_is_read_in_the_encoding_of_the_file(
    ws: sh.Workspace, tmp_path: Path, encoding: str
) -> None:
    content = TEN.replace("of", "日本" if encoding == "shift_jis" else "é")
    (tmp_path / "a.txt").write_bytes(content.encode(encoding))
    with ws.task("one") as one, ws.task("two") as two:
        digest = two.read("a.txt", encoding=encoding).digest
        one.edit("a.txt", [sh.Insert(sh.Lines(1), "new\n", where="before")], encoding=encoding)
        two.edit("a.txt", [sh.Replace(sh.Lines(5), "five\n")], expect=digest, encoding=encoding)
    rows = content.splitlines(keepends=True)
    assert (tmp_path / "a.txt").read_bytes() == "".join(["new\n", *rows[:4], "five\n", *rows[5:]]).encode(encoding)


def test_what_only_the_version_before_the_records_lacks_has_not_changed_since(ws: sh.Workspace, tmp_path: Path) -> None:
    with ws.task("one") as one, ws.task("two") as two:
        one.edit("a.txt", [sh.Replace("line 1 of ten", "first")])
        content = (tmp_path / "a.txt").read_text().replace("line 5", "by an editor\nline 5")
        (tmp_path / "a.txt").write_text(content)
        digest = two.read("a.txt").digest
        (tmp_path / "a.txt").write_text(content.replace("line 9", "line nine"))
        two.edit("a.txt", [sh.Replace("by an editor", "B")], expect=digest)
    assert (tmp_path / "a.txt").read_text() == content.replace("line 9", "line nine").replace("by an editor", "B")
