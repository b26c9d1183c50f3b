"""The chain: whatever is changed in the log or in an image is seen, reported once, and never used."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.log import GENESIS, Problem, Row, RowType, audit_rows, checksum_of, link, row_after
from steadyhand.workspace.journal.record import Note, State
from steadyhand.workspace.journal.store import open_journal
from tests.workspace.journal.sample_records import STAGING, behind_its_back, commit, image_of, record


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of three committed records (rows 1 to 6), one note (row 7) and one image."""
    folder = tmp_path_factory.mktemp("written") / ".steadyhand"
    with open_journal(folder) as journal:
        for digit in "abc":
            commit(journal, record(id=digit * 12), image_of(b"precious" * 300))
        journal.append_note("recovery", {"path": "x"})
    return folder


@pytest.fixture
def folder(tmp_path: Path, written: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / ".steadyhand"))


def damaged_find(folder: Path, id: str) -> bool:
    with open_journal(folder) as journal:
        try:
            return journal.find(id) is None
        except EditError as error:
            return error.kind is Kind.JOURNAL_DAMAGED


CHANGES = {
    "type": ["committed", "note", 5, b"prepared", ""],
    "record": ["d" * 12, "c" * 12, "a" * 12, None, b"x", ""],
    "time": ["2020-01-01T00:00:00.000Z", 5, ""],
    "codec": [1, 7, "x", 0.5],
    "body": [b"", b"[]", "{}", 5],
    "checksum": [bytes(32), b"", "x", 5],
    "chain": [bytes(32), b"", "x", 5],
}


@pytest.mark.parametrize(("column", "value"), [(name, value) for name, values in CHANGES.items() for value in values])
def test_a_changed_column_of_a_record_is_reported_and_the_record_is_refused(
    folder: Path, column: str, value: object
) -> None:
    behind_its_back(folder, (f"UPDATE log SET {column} = ? WHERE seq = 3", (value,)))
    with open_journal(folder) as journal:
        assert journal.damage is None
        problems = journal.verify()
        assert {problem.seq for problem in problems} == {3}
        with pytest.raises(EditError) as caught:
            journal.find("bbbb")
        assert caught.value.kind is Kind.JOURNAL_DAMAGED
        answer: list[Problem] = []
        assert [entry.record.id[0] for entry in journal.entries(on_damage=answer.append)] == ["c", "a"]
        assert [problem.seq for problem in answer] == [3]
    assert not damaged_find(folder, "aaaa")
    assert not damaged_find(folder, "cccc")


@pytest.mark.parametrize(("column", "value"), [(name, value) for name, values in CHANGES.items() for value in values])
def test_a_changed_column_of_a_settled_state_is_reported_and_the_record_is_refused(
    folder: Path, column: str, value: object
) -> None:
    if (column, value) == ("type", "committed"):
        value = "aborted"
    behind_its_back(folder, (f"UPDATE log SET {column} = ? WHERE seq = 4", (value,)))
    with open_journal(folder) as journal:
        assert {problem.seq for problem in journal.verify()} == {4}
    assert damaged_find(folder, "bbbb")
    assert not damaged_find(folder, "cccc")


def test_the_newest_record_of_a_path_refuses_when_it_is_damaged(folder: Path) -> None:
    behind_its_back(folder, ("UPDATE log SET body = x'00' WHERE seq = 5", ()))
    with open_journal(folder) as journal, pytest.raises(EditError) as caught:
        journal.latest("docs/a.md")
    assert caught.value.kind is Kind.JOURNAL_DAMAGED


def test_a_damaged_pending_record_is_reported_and_left_alone(folder: Path) -> None:
    with open_journal(folder) as journal:
        journal.prepare(record(id="d" * 12), STAGING, {})
    behind_its_back(folder, ("UPDATE log SET body = x'00' WHERE seq = 8", ()))
    with open_journal(folder) as journal:
        answer: list[Problem] = []
        assert journal.unsettled(on_damage=answer.append) == []
        assert [problem.seq for problem in answer] == [8]


def test_a_damaged_note_is_reported_and_not_shown(folder: Path) -> None:
    behind_its_back(folder, ("UPDATE log SET body = x'7b7d' WHERE seq = 7", ()))
    with open_journal(folder) as journal:
        assert [problem.seq for problem in journal.verify()] == [7]
        assert list(journal.notes()) == []


@pytest.mark.parametrize("column", ["codec", "size", "checksum", "data", "digest"])
@pytest.mark.parametrize("value", [b"\0", 5, "x", bytes(32)])
def test_a_changed_column_of_an_image_is_reported_and_the_image_is_refused(
    folder: Path, column: str, value: object
) -> None:
    behind_its_back(folder, (f"UPDATE images SET {column} = ?", (value,)))
    with open_journal(folder) as journal:
        assert [problem.kind for problem in journal.verify()] == ["image"]
        digest = digest_of(b"precious" * 300)
        if column == "digest":
            assert journal.image(digest) is None
        else:
            with pytest.raises(EditError) as caught:
                journal.image(digest)
            assert caught.value.kind is Kind.JOURNAL_DAMAGED
        journal.gc(keep_days=0)


def test_a_damaged_image_is_repaired_when_the_same_content_comes_again(folder: Path) -> None:
    behind_its_back(folder, ("UPDATE images SET data = x'00'", ()))
    with open_journal(folder) as journal:
        commit(journal, record(), image_of(b"precious" * 300))
        assert journal.image(digest_of(b"precious" * 300)) == b"precious" * 300
        assert journal.verify() == []


@pytest.mark.parametrize("row", [1, 3, 4, 7])
def test_a_row_that_was_cut_out_is_missed_or_its_index_is(folder: Path, row: int) -> None:
    behind_its_back(folder, (f"DELETE FROM log WHERE seq = {row}", ()))
    with open_journal(folder) as journal:
        problems = journal.verify()
        expected = [(None, "index")] if row == 7 else [(row, "missing-row")]  # nothing follows the last row
        assert [(problem.seq, problem.kind) for problem in problems] == expected


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("UPDATE log SET body = x'00' WHERE seq = 7", ["a", "b", "c"]),
        ("UPDATE log SET type = 'note' WHERE seq = 3", ["a", "c", "recovery"]),
        ("UPDATE log SET chain = x'00' WHERE seq = 4", ["a", "c", "recovery"]),
        ("DELETE FROM log WHERE seq = 2", ["b", "c", "recovery"]),
        ("UPDATE records SET seq = 99 WHERE seq = 5", ["a", "b", "recovery"]),
        ("DELETE FROM records", ["recovery"]),
    ],
)
def test_what_is_damaged_is_not_reported_to_those_who_watch(folder: Path, statement: str, answer: list[str]) -> None:
    behind_its_back(folder, (statement, ()))
    with open_journal(folder) as journal:
        found = [each.what for each in journal.happened(after_seq=0, limit=10)]
        assert [what.type if isinstance(what, Note) else what.record.id[0] for what in found] == answer
        assert len(journal.happened(after_seq=0, limit=1)) == 1


def test_the_last_records_cut_off_are_missed_by_the_index(folder: Path) -> None:
    behind_its_back(folder, ("DELETE FROM log WHERE seq >= 5", ()))
    with open_journal(folder) as journal:
        assert {problem.kind for problem in journal.verify()} == {"index"}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET state = 'aborted', settled = 2 WHERE seq = 3",
        "UPDATE records SET state = 'nonsense' WHERE seq = 3",
        "UPDATE records SET state = 7, settled = 'x' WHERE seq = 3",
        "UPDATE records SET settled = NULL WHERE seq = 3",
        "UPDATE records SET id = 'bbbb00000000' WHERE seq = 3",
        "UPDATE records SET undone_by = 5.5 WHERE seq = 3",
        "UPDATE records SET undone_by = x'00' WHERE seq = 3",
        "UPDATE records SET seq = 4 WHERE seq = 3",
        "DELETE FROM records WHERE seq = 3",
        "DELETE FROM files",
        "UPDATE files SET path = x'62' WHERE seq = 3",
        "INSERT INTO undos VALUES ('bbbbbbbbbbbb', 5)",
    ],
)
def test_a_wrong_index_is_reported_never_trusted_and_rebuilt_from_the_log(folder: Path, statement: str) -> None:
    with open_journal(folder) as journal:
        sound = list(journal.entries())
    behind_its_back(folder, (statement, ()))
    with open_journal(folder) as journal:
        assert {problem.kind for problem in journal.verify()} == {"index"}
        assert all(entry in sound for entry in journal.entries())
        assert all(entry in sound for entry in journal.entries(path="b"))
        journal.reindex()
        assert journal.verify() == []
        assert list(journal.entries()) == sound


def test_a_damaged_record_stays_refused_after_the_index_was_rebuilt(folder: Path) -> None:
    behind_its_back(folder, ("UPDATE log SET body = x'00' WHERE seq = 3", ()))
    with open_journal(folder) as journal:
        journal.reindex()
    assert damaged_find(folder, "bbbb")


def test_the_chain_goes_on_after_a_damaged_last_row(folder: Path) -> None:
    behind_its_back(folder, ("UPDATE log SET chain = 'x' WHERE seq = 7", ()))
    with open_journal(folder) as journal:
        commit(journal, record(id="d" * 12))
        assert [problem.seq for problem in journal.verify()] == [7]
        assert journal.find("dddd").state is State.COMMITTED


def test_a_row_rewritten_with_its_checksum_breaks_the_chain(folder: Path) -> None:
    behind_its_back(
        folder,
        (
            "UPDATE log SET time = 'never', checksum = ? WHERE seq = 2",
            (checksum_of(2, "committed", "a" * 12, "never", 0, b"{}"),),
        ),
    )
    with open_journal(folder) as journal:
        assert [(problem.seq, problem.kind) for problem in journal.verify()] == [(2, "chain")]
    assert damaged_find(folder, "aaaa")


def made_rows(count: int) -> list[Row]:
    rows: list[Row] = []
    for seq in range(1, count + 1):
        head = rows[-1].chain if rows else GENESIS
        rows.append(row_after((seq - 1, head), RowType.NOTE, None, "now", (0, b"{}")))
    return rows


@given(st.integers(1, 12), st.data())
def test_one_wound_is_one_problem_at_its_row(count: int, data: st.DataObject) -> None:
    rows = made_rows(count)
    wound = data.draw(st.integers(0, count - 1))
    field, value = data.draw(
        st.sampled_from([("time", "then"), ("body", b"{ }"), ("checksum", bytes(32)), ("chain", bytes(32))])
    )
    rows[wound] = rows[wound]._replace(**{field: value})
    assert [problem.seq for _, problem in audit_rows(rows) if problem] == [wound + 1]


@given(st.integers(0, 12))
def test_a_log_as_written_is_sound(count: int) -> None:
    assert [problem for _, problem in audit_rows(made_rows(count)) if problem] == []


def test_the_chain_is_what_the_document_says() -> None:
    first, second = made_rows(2)
    assert first.chain == link(bytes(32), first.checksum)
    assert second.chain == link(first.chain, second.checksum)


fields = st.lists(st.none() | st.integers() | st.text(max_size=4) | st.binary(max_size=4), max_size=4)


@given(fields, fields)
def test_different_fields_have_different_checksums(left: list[object], right: list[object]) -> None:
    same = [(type(item), item) for item in left] == [(type(item), item) for item in right]
    assert (checksum_of(*left) == checksum_of(*right)) is same  # type: ignore[arg-type]
