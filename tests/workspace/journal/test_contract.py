"""What every store of the journal promises, whichever it is."""

from __future__ import annotations

import threading
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.record import FileChange, Record, State
from steadyhand.workspace.journal.store import Journal, open_journal
from tests.sampling import EXAMPLES
from tests.table import table
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.sample_records import STAGING, commit, edited, image_of, record, state


def refused(kind: Kind) -> object:
    return pytest.raises(EditError, check=lambda error: error.kind is kind)


def ids(journal: Journal, **filters: object) -> list[str]:
    return [entry.record.id for entry in journal.entries(**filters)]  # type: ignore[arg-type]


@table("url", ["mysql://x", "http://x"])
def test_a_scheme_without_a_store_is_not_installed(url: str) -> None:
    with refused(Kind.NOT_INSTALLED):
        open_journal(url)


@pytest.mark.parametrize("name", ["", "abc", "xyzw", "a" * 13, "../..", "0000'; --", "\ud800\ud800\ud800\ud800"])
def test_what_is_no_id_is_a_bad_request(journal: Journal, name: str) -> None:
    with refused(Kind.BAD_REQUEST):
        journal.find(name)


def test_an_id_that_is_not_there_says_so_with_a_hint(journal: Journal) -> None:
    with pytest.raises(EditError) as caught:
        journal.find("abcd")
    assert caught.value.kind is Kind.NO_SUCH_FILE
    assert caught.value.hint


@pytest.mark.parametrize("name", ["0" * 12, "nothex", "\udc80", ""])
def test_settling_or_asking_about_an_unknown_record_is_refused(journal: Journal, name: str) -> None:
    for call in (lambda: journal.settle(name, State.COMMITTED), lambda: journal.undone_by(name)):
        with refused(Kind.NO_SUCH_FILE):
            call()
    with refused(Kind.NO_SUCH_FILE):
        journal.staging(name)


def test_a_prefix_of_several_ids_is_ambiguous_and_lists_them(journal: Journal) -> None:
    twins = [commit(journal, record(id=f"abcd0000000{digit}")).id for digit in range(2)]
    with pytest.raises(EditError) as caught:
        journal.find("abcd")
    assert caught.value.kind is Kind.AMBIGUOUS_MATCH
    assert sorted(caught.value.details["ids"]) == twins  # type: ignore[call-overload]


@pytest.mark.parametrize("settled", [State.COMMITTED, State.ABORTED])
@pytest.mark.parametrize("then", [State.PREPARED, State.COMMITTED, State.ABORTED, State.PARTIAL])
def test_a_settled_record_stays_as_it_is(journal: Journal, settled: State, then: State) -> None:
    made = record()
    journal.prepare(made, STAGING, {})
    journal.settle(made.id, settled)
    if then is not settled:
        with refused(Kind.INTERNAL):
            journal.settle(made.id, then)
    else:
        journal.settle(made.id, then)
    assert journal.find(made.id).state is settled
    assert journal.verify() == []


def test_the_same_id_cannot_be_prepared_twice(journal: Journal) -> None:
    made = record()
    journal.prepare(made, STAGING, {})
    with refused(Kind.INTERNAL):
        journal.prepare(made, STAGING, image_of(b"x"))
    assert not journal.has_image(digest_of(b"x"))
    assert len(journal.unsettled()) == 1


def test_an_image_under_another_digest_is_refused_and_nothing_is_recorded(journal: Journal) -> None:
    with refused(Kind.INTERNAL):
        journal.prepare(record(), STAGING, {digest_of(b"a"): b"b"})
    assert journal.unsettled() == []


def test_prepared_and_aborted_records_are_no_history(journal: Journal) -> None:
    prepared, aborted = record(), record()
    journal.prepare(prepared, STAGING, {})
    journal.prepare(aborted, STAGING, {})
    journal.settle(aborted.id, State.ABORTED, "the disk was full")
    assert ids(journal) == []
    assert journal.latest("docs/a.md") is None
    assert journal.find(aborted.id).note == "the disk was full"
    assert ids(journal, states=(State.PREPARED,)) == [prepared.id]
    assert ids(journal, states=()) == []


def test_a_closed_journal_says_so(journal: Journal) -> None:
    journal.close()
    journal.close()
    with refused(Kind.INTERNAL):
        journal.latest("a")


@pytest.mark.parametrize(
    "write",
    [
        lambda journal: journal.prepare(record(), STAGING, {}),
        lambda journal: journal.settle("0" * 12, State.COMMITTED),
        lambda journal: journal.append_note("x", {}),
        lambda journal: journal.gc(keep_days=0),
        lambda journal: journal.reindex(),
    ],
)
def test_a_read_only_journal_refuses_every_write(opener: Opener, write: object) -> None:
    commit(opener(), record())
    with refused(Kind.READ_ONLY):
        write(opener(read_only=True))  # type: ignore[operator]


@pytest.mark.parametrize("rule", [{"keep_days": -1}, {"keep_bytes": -1}, {"keep_days": float("nan")}])
def test_a_retention_that_means_nothing_is_refused(journal: Journal, rule: dict[str, float]) -> None:
    with refused(Kind.BAD_REQUEST):
        journal.gc(**rule)  # type: ignore[arg-type]


def test_a_record_is_read_back_as_it_was_written(opener: Opener) -> None:
    made = record(edited("docs/a.md"), FileChange(None, state("neu/ü\udcff.txt", b"x")))
    with opener() as first:
        commit(first, made, image_of(b"x"))
    entry = opener().find(made.id[:4])
    assert entry.record == made
    assert (entry.state, entry.note, entry.undone_by) == (State.COMMITTED, None, None)
    assert opener(read_only=True).find(made.id.upper()).record == made


def test_what_was_prepared_and_not_settled_is_found_with_its_staging(opener: Opener) -> None:
    made = [record(), record()]
    with opener() as first:
        commit(first, record())
        for each in made:
            first.prepare(each, STAGING, {})
    assert opener().unsettled() == [(each, STAGING) for each in made]
    assert opener().staging(made[0].id) == STAGING


def test_a_partial_record_is_history_and_can_still_be_settled(journal: Journal) -> None:
    made = record()
    journal.prepare(made, STAGING, {})
    journal.settle(made.id, State.PARTIAL, "b.md was changed by somebody else")
    assert journal.unsettled() == []
    assert [(entry.state, entry.note) for entry in journal.entries()] == [
        (State.PARTIAL, "b.md was changed by somebody else")
    ]
    journal.settle(made.id, State.COMMITTED)
    assert journal.find(made.id).state is State.COMMITTED
    assert journal.verify() == []


def test_entries_are_filtered_by_path_task_actor_and_bounds(journal: Journal) -> None:
    moved = FileChange(state("old.md", b"x"), state("new.md", b"x"))
    one = commit(journal, record(edited("a.md"), task="T-1", actor="ann"))
    two = commit(journal, record(moved, task="T-2", actor="bob"))
    three = commit(journal, record(edited("a.md"), edited("b.md"), task=None, actor="ann"))
    assert ids(journal) == [three.id, two.id, one.id]
    assert ids(journal, newest_first=False) == [one.id, two.id, three.id]
    assert ids(journal, path="a.md") == [three.id, one.id]
    assert ids(journal, path="old.md") == ids(journal, path="new.md") == [two.id]
    assert ids(journal, task="T-2") == [two.id]
    assert ids(journal, actor="ann", path="a.md", task="T-1") == [one.id]
    assert ids(journal, path="") == ids(journal, path="A.md") == ids(journal, path="a.m%") == []
    assert ids(journal, limit=2) == [three.id, two.id]
    assert ids(journal, limit=0) == ids(journal, limit=-1) == []
    seqs = [entry.seq for entry in journal.entries()]
    assert ids(journal, before_seq=seqs[0]) == [two.id, one.id]
    assert ids(journal, after_seq=seqs[2]) == [three.id, two.id]
    assert ids(journal, after_seq=seqs[2], before_seq=seqs[0], path="old.md") == [two.id]
    latest = journal.latest("a.md")
    assert latest is not None
    assert latest.record.id == three.id


def test_paths_tasks_and_actors_that_are_no_text_are_found(journal: Journal) -> None:
    made = commit(journal, record(edited("\udcff/\ud83d\ude00"), task="\udc80", actor="\ud800"))
    assert ids(journal, path="\udcff/\ud83d\ude00", task="\udc80", actor="\ud800") == [made.id]
    assert ids(journal, path="\udcff/😀") == []


def test_reading_goes_on_while_the_same_journal_is_written(journal: Journal) -> None:
    old = [commit(journal, record()).id for _ in range(20)]
    reading = journal.entries()
    first = list(islice(reading, 3))
    added = commit(journal, record())
    rest = list(reading)
    assert [entry.record.id for entry in first + rest] == old[::-1]
    assert ids(journal, limit=1) == [added.id]


def test_images_are_kept_once_whatever_their_size(journal: Journal) -> None:
    contents = [b"", b"x", b"line\n" * 10_000, bytes(range(256)) * 5]
    for _ in range(2):
        commit(journal, record(), image_of(*contents))
    assert [journal.image(digest_of(content)) for content in contents] == contents
    assert journal.stats().images == len(contents)
    assert journal.stats().image_bytes == sum(map(len, contents)) > journal.stats().stored_bytes


@pytest.mark.parametrize("digest", ["", "abc", "0" * 64, "\udc80" * 64, "Z" * 64])
def test_an_image_that_is_not_kept_is_none(journal: Journal, digest: str) -> None:
    assert journal.image(digest) is None
    assert not journal.has_image(digest)


def test_notes_are_read_newest_first_and_by_type(journal: Journal) -> None:
    for number in range(3):
        journal.append_note("recovery", {"number": number, "path": "a\udcff"})
    journal.append_note("other", {})
    assert [note.body["number"] for note in journal.notes(type="recovery")] == [2, 1, 0]
    assert [note.type for note in journal.notes(limit=2)] == ["other", "recovery"]
    assert ids(journal) == []


def test_undo_redo_and_undo_again_are_derived_from_the_records(journal: Journal) -> None:
    change = commit(journal, record())
    undo = commit(journal, record(verb="undo", undoes=(change.id,)))
    assert journal.undone_by(change.id) == undo.id
    redo = commit(journal, record(verb="redo", undoes=(undo.id,)))
    assert (journal.undone_by(change.id), journal.undone_by(undo.id)) == (None, redo.id)
    again = commit(journal, record(verb="undo", undoes=(change.id,)))
    assert journal.undone_by(change.id) == again.id
    assert journal.find(change.id).undone_by == again.id


def test_an_undo_counts_only_once_it_is_committed(journal: Journal) -> None:
    change = commit(journal, record())
    undo = record(verb="undo", undoes=(change.id,))
    journal.prepare(undo, STAGING, {})
    assert journal.undone_by(change.id) is None
    journal.settle(undo.id, State.ABORTED)
    assert journal.undone_by(change.id) is None


def test_a_record_that_undoes_itself_or_a_later_one_undoes_nothing(journal: Journal) -> None:
    made = commit(journal, record(id="a" * 12, undoes=("a" * 12, "b" * 12)))
    commit(journal, record(id="b" * 12))
    assert journal.undone_by(made.id) is None
    assert journal.undone_by("b" * 12) is None
    assert journal.verify() == []


def _is_undone(index: int, history: list[tuple[set[int], bool]]) -> bool:
    """The definition, word by word."""
    return any(
        committed and index in undoes and not _is_undone(later, history)
        for later, (undoes, committed) in enumerate(history)
        if later > index
    )


@settings(max_examples=EXAMPLES // 2)
@given(st.lists(st.tuples(st.sets(st.integers(0, 11), max_size=3), st.booleans()), max_size=12))
def test_undone_is_what_the_definition_says_and_what_a_rebuilt_index_says(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[set[int], bool]]
) -> None:
    with open_journal(tmp_path_factory.mktemp("undo") / "state") as journal:
        made: list[Record] = []
        for undoes, is_committed in history:
            known = tuple(made[index].id for index in sorted(undoes) if index < len(made))
            made.append(record(verb="undo" if known else "edit", undoes=known))
            journal.prepare(made[-1], STAGING, {})
            journal.settle(made[-1].id, State.COMMITTED if is_committed else State.ABORTED)
        expected = [_is_undone(index, history) for index in range(len(made))]
        assert [journal.undone_by(each.id) is not None for each in made] == expected
        before = [journal.find(each.id) for each in made]
        assert journal.verify() == []
        journal.reindex()
        assert [journal.find(each.id) for each in made] == before


def test_threads_share_one_journal(journal: Journal) -> None:
    made = [[record() for _ in range(10)] for _ in range(6)]

    def work(batch: list[Record]) -> None:
        for each in batch:
            commit(journal, each, image_of(each.id.encode()))
            assert journal.find(each.id).record == each

    threads = [threading.Thread(target=work, args=(batch,)) for batch in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids(journal)) == sorted(each.id for batch in made for each in batch)
    assert journal.verify() == []


def test_stats_count_what_is_there(journal: Journal) -> None:
    assert journal.stats().records == 0
    assert journal.stats().oldest is None
    one = commit(journal, record(), image_of(b"abc"))
    journal.prepare(record(), STAGING, {})
    stats = journal.stats()
    assert (stats.records, stats.rows, stats.images, stats.image_bytes) == (2, 3, 1, 3)
    assert dict(stats.states) == {"committed": 1, "prepared": 1}
    assert stats.oldest == one.time
    assert stats.file_bytes > 0


def test_verify_tells_how_far_it_is(journal: Journal) -> None:
    answer: list[tuple[int, int]] = []
    commit(journal, record())
    assert journal.verify(lambda done, total: answer.append((done, total))) == []
    assert answer[-1] == (2, 2)
