"""What every store promises about parties, seen versions, leases and what happened, whichever it is."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.record import EditNote, Entry, Lease, Note, Party, SeenVersion, Staging, State
from steadyhand.workspace.journal.store import Journal
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.sample_records import STAGING, commit, edited, lease, record, start, until

ANN, BOB = Party("ann", "T-1"), Party("bob")
ODD = Party("\ud800\udc00", "\udcff\0" * 2000)
ONE, TWO = b"one\n" * 400, b"two\n" * 400


def refused(kind: Kind) -> object:
    return pytest.raises(EditError, check=lambda error: error.kind is kind)


def seen_version(content: bytes, seq: int = 1, *spans: tuple[int, int]) -> SeenVersion:
    return SeenVersion(digest_of(content), seq, spans or None)


def answer(journal: Journal, after_seq: int = 0, limit: int = 100) -> list[str]:
    """Ids of records and types of notes."""
    happened = journal.happened(after_seq=after_seq, limit=limit)
    return [each.what.record.id if isinstance(each.what, Entry) else each.what.type for each in happened]


@pytest.mark.parametrize(
    "write",
    [
        lambda journal: journal.see(ANN, "a.md", [seen_version(ONE)]),
        lambda journal: journal.forget(ANN),
        lambda journal: journal.keep_lease(lease()),
        lambda journal: journal.end_lease("L-1"),
        lambda journal: journal.load([], []),
    ],
)
def test_a_read_only_journal_keeps_nothing_of_parties(opener: Opener, write: Callable[[Journal], object]) -> None:
    commit(opener(), record())
    with refused(Kind.READ_ONLY):
        write(opener(read_only=True))


@pytest.mark.parametrize("path", ["a.md", "\udcff/\ud83d\ude00", "", "x" * 4000])
def test_what_was_never_seen_is_nothing(journal: Journal, path: str) -> None:
    assert journal.seen_versions(ANN, path) == ()
    assert journal.seen_content(path, digest_of(ONE)) is None
    assert journal.leases(path) == journal.leases() == []
    assert journal.end_lease(path) is False
    journal.forget(ANN)


def test_the_head_is_the_last_row(journal: Journal) -> None:
    assert journal.head() == 0
    commit(journal, record())
    assert journal.head() == 2
    assert journal.append_note("x", {}) == journal.head() == 3


def test_what_happened_is_reported_oldest_first_from_a_row_on(journal: Journal) -> None:
    one = commit(journal, record())
    journal.append_note("refusal", {"path": "a.md"})
    prepared, aborted = record(), record()
    journal.prepare(prepared, STAGING, {})
    journal.prepare(aborted, STAGING, {})
    journal.settle(aborted.id, State.ABORTED)
    journal.settle(prepared.id, State.PARTIAL, "b.md stayed")
    assert answer(journal) == [one.id, "refusal", prepared.id]
    assert answer(journal, limit=2) == [one.id, "refusal"]
    assert answer(journal, limit=0) == answer(journal, limit=-1) == []
    assert answer(journal, after_seq=2) == ["refusal", prepared.id]
    assert answer(journal, after_seq=journal.head()) == answer(journal, after_seq=1 << 70) == []
    assert answer(journal, after_seq=-(1 << 70)) == answer(journal)
    last = journal.happened(after_seq=2, limit=10)[-1]
    assert isinstance(last.what, Entry)
    assert (last.seq, last.what.state, last.what.note) == (journal.head(), State.PARTIAL, "b.md stayed")


def test_each_row_tells_what_was_said_then(journal: Journal) -> None:
    made = record()
    journal.prepare(made, STAGING, {})
    journal.settle(made.id, State.PARTIAL, "half")
    journal.settle(made.id, State.COMMITTED)
    whats = [each.what for each in journal.happened(after_seq=0, limit=10)]
    assert [(what.state, what.note) for what in whats if isinstance(what, Entry)] == [
        (State.PARTIAL, "half"),
        (State.COMMITTED, None),
    ]


def test_many_things_that_happened_come_page_by_page(journal: Journal) -> None:
    for number in range(30):
        journal.append_note("n", {"number": number})
    seen: list[int] = []
    while page := journal.happened(after_seq=seen[-1] if seen else 0, limit=7):
        seen += [each.seq for each in page]
    assert seen == list(range(1, 31))


def test_notes_of_a_type_are_found_among_many_others(journal: Journal) -> None:
    for number in range(40):
        journal.append_note("odd\udcff" if number % 20 == 1 else "refusal", {"number": number})
    assert [note.body["number"] for note in journal.notes(type="odd\udcff")] == [21, 1]
    assert [note.body["number"] for note in journal.notes(type="odd\udcff", limit=1)] == [21]
    assert list(journal.notes(type="odd")) == list(journal.notes(limit=0)) == []
    journal.reindex()
    assert [note.seq for note in journal.notes(type="odd\udcff")] == [22, 2]
    assert journal.verify() == []


def test_a_party_is_met_once(opener: Opener) -> None:
    first, second = opener(), opener()
    assert first.meet(ANN) == 0
    commit(first, record())
    assert second.meet(BOB) == second.meet(ODD) == 2
    commit(second, record())
    assert [second.meet(party) for party in (ANN, BOB, ODD)] == [0, 2, 2]
    assert first.meet(Party("ann", "T-2")) == first.meet(Party("ann")) == 4
    first.forget(ANN)
    assert second.meet(ANN) == 4


def test_a_read_only_journal_meets_a_stranger_now_every_time(opener: Opener) -> None:
    writer = opener()
    writer.meet(BOB)
    commit(writer, record())
    reader = opener(read_only=True)
    assert (reader.meet(BOB), reader.meet(ANN)) == (0, 2)


def test_seen_versions_are_kept_for_each_party_and_file(opener: Opener) -> None:
    journal, other = opener(), opener()
    seen = (seen_version(ONE, 3), seen_version(TWO, 5, (1, 4), (9, 9)))
    for party in (ANN, ODD):
        journal.see(party, "\udcff/a.md", seen)
    journal.see(ANN, "b.md", seen[:1])
    assert other.seen_versions(ANN, "\udcff/a.md") == other.seen_versions(ODD, "\udcff/a.md") == seen
    assert other.seen_versions(Party("ann"), "\udcff/a.md") == other.seen_versions(ANN, "a.md") == ()
    other.see(ANN, "\udcff/a.md", seen[1:])
    assert journal.seen_versions(ANN, "\udcff/a.md") == seen[1:]
    journal.see(ANN, "\udcff/a.md", [])
    assert other.seen_versions(ANN, "\udcff/a.md") == ()
    assert opener(read_only=True).seen_versions(ANN, "b.md") == seen[:1]
    assert journal.verify() == []


def test_parties_of_like_names_are_distinguished(journal: Journal) -> None:
    parties = [Party("a", "b"), Party("a b"), Party('a", "b'), Party("a"), Party("a", ""), Party("", "a")]
    parties += [Party("x" * 3000, name) for name in ("1", "2")]
    for number, party in enumerate(parties):
        journal.see(party, "p" * 3000, [seen_version(ONE, number)])
    assert [journal.seen_versions(party, "p" * 3000)[0].seq for party in parties] == list(range(len(parties)))


def test_a_version_that_only_a_party_has_seen_is_found_by_the_start_of_its_digest(journal: Journal) -> None:
    journal.see(ANN, "a.md", [seen_version(ONE)], ONE)
    journal.see(BOB, "a.md", [seen_version(ONE), seen_version(TWO)], TWO)
    assert journal.seen_content("a.md", digest_of(ONE)) == ONE
    assert journal.seen_content("a.md", digest_of(TWO)[:16]) == TWO
    assert journal.seen_content("b.md", digest_of(ONE)) is None
    for nothing in ("", "abc", "Z" * 16, digest_of(b"three"), digest_of(ONE) + "0"):
        assert journal.seen_content("a.md", nothing) is None


def test_content_of_another_version_is_refused(journal: Journal) -> None:
    for seen in ([seen_version(TWO)], []):
        with refused(Kind.INTERNAL):
            journal.see(ANN, "a.md", seen, ONE)
    assert journal.seen_versions(ANN, "a.md") == ()


def test_a_version_is_kept_as_long_as_somebody_needs_it(journal: Journal) -> None:
    journal.see(ANN, "a.md", [seen_version(ONE)], ONE)
    journal.see(BOB, "a.md", [seen_version(ONE)], ONE)
    journal.see(ANN, "a.md", [seen_version(ONE), seen_version(TWO)])
    journal.forget(BOB)
    assert journal.seen_content("a.md", digest_of(ONE)) == ONE
    journal.see(ANN, "a.md", [seen_version(TWO)])
    assert journal.seen_content("a.md", digest_of(ONE)) is None


def test_a_party_that_is_forgotten_leaves_nothing(journal: Journal) -> None:
    journal.see(ANN, "a.md", [seen_version(ONE)], ONE)
    journal.see(BOB, "a.md", [seen_version(TWO)], TWO)
    journal.keep_lease(lease("L-1", party=ANN))
    journal.keep_lease(lease("L-2", party=BOB))
    journal.forget(ANN)
    assert journal.seen_versions(ANN, "a.md") == ()
    assert journal.seen_content("a.md", digest_of(ONE)) is None
    assert journal.seen_content("a.md", digest_of(TWO)) == TWO
    assert [each.id for each in journal.leases()] == ["L-2"]


def test_seen_versions_are_no_history(journal: Journal) -> None:
    journal.see(ANN, "a.md", [seen_version(ONE)], ONE)
    journal.keep_lease(lease())
    stats = journal.stats()
    assert (journal.head(), stats.rows, stats.images) == (0, 0, 0)
    journal.gc(keep_days=0, keep_bytes=0)
    assert journal.seen_content("a.md", digest_of(ONE)) == ONE


def test_leases_are_seen_by_all_oldest_first(opener: Opener) -> None:
    first, second = opener(), opener()
    made = [
        lease("L-2", "a.md", ANN, digest="d" * 64, span=(3, 9)),
        lease("L-\udcff" * 900, "\udcff.md", ODD, seconds=3600),
        lease("L-1", "a.md", BOB, seconds=1e300),
    ]
    for each in made:
        first.keep_lease(each)
    assert first.leases() == second.leases() == made
    assert second.leases("a.md") == [made[0], made[2]]
    assert second.leases("\udcff.md") == [made[1]]
    assert opener(read_only=True).leases() == made
    assert second.end_lease("L-2") is True
    assert second.end_lease("L-2") is False
    assert first.leases() == made[1:]


def test_a_lease_announced_again_is_replaced(journal: Journal) -> None:
    journal.keep_lease(lease("L-1", "a.md"))
    journal.keep_lease(lease("L-2", "a.md"))
    journal.keep_lease(lease("L-1", "b.md"))
    assert [(each.id, each.path) for each in journal.leases()] == [("L-2", "a.md"), ("L-1", "b.md")]


@pytest.mark.parametrize("seconds", [0, -1, -math.inf, math.nan])
def test_a_lease_without_time_is_over_at_once(journal: Journal, seconds: float) -> None:
    journal.keep_lease(lease(seconds=seconds))
    assert journal.leases() == []
    assert journal.end_lease("L-1") is False


@pytest.mark.parametrize("seconds", [1e9, 10**30, math.inf, None])
def test_a_lease_for_very_long_lasts(journal: Journal, seconds: float | None) -> None:
    journal.keep_lease(lease(seconds=seconds))
    assert [each.seconds for each in journal.leases()] == [seconds]


def test_a_lease_ends_when_its_time_is_over(journal: Journal) -> None:
    journal.keep_lease(lease(seconds=0.05))
    until(lambda: journal.leases() == [], "the lease lasts")


def test_leases_end_when_their_journal_is_closed(opener: Opener) -> None:
    first, second = opener(), opener()
    first.keep_lease(lease("L-1"))
    second.keep_lease(lease("L-2"))
    reader = opener(read_only=True)
    first.close()
    until(lambda: len(second.leases()) == 1, "the lease lasts")
    assert [each.id for each in reader.leases()] == [each.id for each in second.leases()] == ["L-2"]


def test_leases_end_with_the_process_that_announced_them(location: str, journal: Journal) -> None:
    journal.keep_lease(lease("mine"))
    script = "journal = open_journal(sys.argv[1]); journal.keep_lease(lease('theirs')); print('kept', flush=True)\n"
    other = start(script + "sys.stdin.read()", location)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "kept\n"
        assert [each.id for each in journal.leases()] == ["mine", "theirs"]
    finally:
        other.kill()
        other.communicate(timeout=300)
    until(lambda: len(journal.leases()) == 1, "the lease outlives its holder")
    assert [each.id for each in journal.leases()] == ["mine"]


def test_a_hold_is_one_as_long_as_nobody_else_can_have_it(journal: Journal) -> None:
    with journal.hold(["a.md", "b.md"], timeout=300) as hold:
        assert journal.still_holds(hold, ["a.md", "b.md"])
        made = record(edited("a.md"))
        staging = Staging("machine-1", 4711, (), ("a.md", "b.md"), hold.number)
        journal.prepare(made, staging, {})
        assert journal.staging(made.id) == staging
        journal.settle(made.id, State.COMMITTED)
    with journal.hold(["b.md"], timeout=300) as later:
        assert later.number > hold.number or later.number == hold.number == 0
    assert journal.verify() == []


def test_what_an_edit_was_forced_over_is_read_back(journal: Journal) -> None:
    change = edited("a.md")
    forced = type(change)(
        change.before, change.after, change.changes, change.encoding, (EditNote(splices=(0,), forced=("b" * 12,)),)
    )
    made = commit(journal, record(forced))
    assert journal.find(made.id).record == made


def test_a_note_is_reported_as_it_was_written(journal: Journal) -> None:
    journal.append_note("conflict", {"path": "a\udcff", "lines": [1, 2]})
    (happening,) = journal.happened(after_seq=0, limit=1)
    assert isinstance(happening.what, Note)
    assert (happening.what.type, happening.what.body) == ("conflict", {"path": "a\udcff", "lines": [1, 2]})


def test_a_lease_is_read_back_as_it_was_written(journal: Journal) -> None:
    made = Lease("L", ODD, "a", "2026-01-01T00:00:00.000Z", None, None, (0, 0), 60)
    journal.keep_lease(made)
    assert journal.leases() == [made]
