"""Retention: images go, oldest first, never what recovery needs; history stays."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.maintenance import ImageUse, Retention, choose_dropped
from steadyhand.workspace.journal.record import FileChange, Record, State, utc_text
from steadyhand.workspace.journal.store import Journal
from tests.table import table
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.sample_records import STAGING, commit, edited, image_of, record, state


def days_ago(days: float) -> str:
    return utc_text(datetime.now(UTC) - timedelta(days=days))


def created(content: bytes, *, time: str | None = None) -> Record:
    return record(FileChange(None, state("a", content)), time=time)


def keep(journal: Journal, content: bytes, *, time: str | None = None) -> Record:
    return commit(journal, created(content, time=time), image_of(content))


def kept(journal: Journal, *contents: bytes) -> list[bool]:
    return [journal.has_image(digest_of(content)) for content in contents]


def test_without_a_rule_nothing_is_dropped(journal: Journal) -> None:
    keep(journal, b"one", time=days_ago(900))
    rows = journal.stats().rows
    report = journal.gc()
    assert (report.dropped_images, report.kept_images) == (0, 1)
    assert kept(journal, b"one") == [True]
    assert journal.stats().rows == rows


def test_a_dry_run_only_tells(journal: Journal) -> None:
    keep(journal, b"one", time=days_ago(9))
    report = journal.gc(keep_days=5, dry_run=True)
    assert (report.dropped_images, report.kept_images, report.dry_run, report.vacuumed) == (1, 0, True, False)
    assert kept(journal, b"one") == [True]


@pytest.mark.parametrize("settled", [None, State.PARTIAL])
def test_what_recovery_may_need_is_never_dropped(journal: Journal, settled: State | None) -> None:
    pending = created(b"pending", time=days_ago(100))
    journal.prepare(pending, STAGING, image_of(b"pending"))
    if settled is not None:
        journal.settle(pending.id, settled)
    keep(journal, b"old", time=days_ago(99))
    journal.gc(keep_days=1, keep_bytes=0)
    assert kept(journal, b"pending", b"old") == [True, False]


def test_an_old_image_that_a_young_record_needs_stays(journal: Journal) -> None:
    keep(journal, b"shared", time=days_ago(100))
    keep(journal, b"old", time=days_ago(99))
    commit(journal, created(b"shared"))
    journal.gc(keep_days=1)
    assert kept(journal, b"shared", b"old") == [True, False]


def chain(journal: Journal, path: str, *ages: float) -> bytes:
    """Edits of one file that lead on from one another, each so many days old; only the first version is an image."""
    texts = [b"%s%d\n" % (path.encode(), number) for number in range(len(ages) + 1)]
    for number, age in enumerate(ages):
        step = record(edited(path, texts[number], texts[number + 1]), time=days_ago(age))
        commit(journal, step, image_of(texts[0]) if number == 0 else {})
    return texts[-1]


def test_the_image_a_young_record_is_rebuilt_from_stays(journal: Journal) -> None:
    chain(journal, "b", 100, 99)
    chain(journal, "a", 98, 97, 0)
    journal.gc(keep_days=1)
    assert kept(journal, b"b0\n", b"a0\n") == [False, True]
    journal.gc(keep_bytes=0)
    assert kept(journal, b"a0\n") == [False]


def test_an_image_stays_for_a_young_record_of_the_file_under_its_new_name(journal: Journal) -> None:
    last = chain(journal, "a", 98, 97)
    moved = FileChange(state("a", last), state("c", last))
    commit(journal, record(moved, FileChange(state("z", b"z"), state("a", b"z")), time=days_ago(96)))
    chain(journal, "y", 95)
    commit(journal, record(edited("c", last, b"young\n")))
    journal.gc(keep_days=1)
    assert kept(journal, b"a0\n", b"y0\n") == [True, False]


def _aborted(journal: Journal, last: bytes) -> None:
    made = record(edited("a", last, b"young\n"))
    journal.prepare(made, STAGING, {})
    journal.settle(made.id, State.ABORTED)


STOPS: dict[str, Callable[[Journal, bytes], object]] = {
    "another image": lambda journal, last: commit(
        journal, record(edited("a", b"by hand\n", b"young\n")), image_of(b"by hand\n")
    ),
    "an outside change whose image is gone": lambda journal, last: commit(
        journal, record(edited("a", b"by hand\n", b"young\n"))
    ),
    "another file of the same name": lambda journal, last: (
        commit(journal, record(FileChange(state("a", last), None), time=days_ago(90))),
        keep(journal, b"young"),
    ),
    "a record that was taken back": _aborted,
}


@pytest.mark.parametrize("stop", STOPS.values(), ids=STOPS.keys())
def test_an_image_goes_with_the_last_old_record_that_is_rebuilt_from_it(
    journal: Journal, stop: Callable[[Journal, bytes], object]
) -> None:
    stop(journal, chain(journal, "a", 98, 97))
    journal.gc(keep_days=1)
    assert kept(journal, b"a0\n") == [False]


def test_room_goes_first_to_the_images_with_the_youngest_records(journal: Journal) -> None:
    last = chain(journal, "a", 3)
    chain(journal, "b", 2)
    commit(journal, record(edited("a", last, b"young\n")))
    journal.gc(keep_bytes=3)
    assert kept(journal, b"a0\n", b"b0\n") == [True, False]


def test_a_clock_that_once_ran_ahead_keeps_too_much_rather_than_too_little(journal: Journal) -> None:
    keep(journal, b"first", time=days_ago(100))
    keep(journal, b"ahead", time=days_ago(-100))
    keep(journal, b"behind", time=days_ago(90))
    journal.gc(keep_days=1)
    assert kept(journal, b"first", b"ahead", b"behind") == [False, True, True]


def test_age_drops_the_old_and_a_checkpoint_says_so(journal: Journal) -> None:
    old, young = keep(journal, b"old" * 900, time=days_ago(10)), keep(journal, b"young" * 900)
    chain = journal.stats().head_chain
    report = journal.gc(keep_days=5)
    assert (report.dropped_images, report.kept_images, report.vacuumed) == (1, 1, True)
    assert report.dropped_bytes > 0
    assert journal.image(digest_of(b"old" * 900)) is None
    assert journal.image(digest_of(b"young" * 900)) == b"young" * 900
    assert [entry.record for entry in journal.entries()] == [young, old]
    (checkpoint,) = journal.notes(type="checkpoint")
    assert checkpoint.body["chain"] == chain
    assert checkpoint.body["dropped_images"] == 1
    assert journal.verify() == []


def test_room_is_kept_for_the_newest(journal: Journal) -> None:
    contents = [bytes([number]) for number in range(5)]
    for content in contents:
        keep(journal, content)
    journal.gc(keep_bytes=2)
    assert kept(journal, *contents) == [False, False, False, True, True]


def test_dropping_gives_room_back_to_the_disk(journal: Journal) -> None:
    noise = [Random(number).randbytes(200_000) for number in range(8)]  # an empty journal takes room, too
    for content in noise:
        keep(journal, content)
    before = journal.stats().file_bytes
    journal.gc(keep_bytes=0)
    assert journal.stats().file_bytes < before / 2


@pytest.mark.parametrize("store", ["sqlite"])
def test_vacuum_is_given_up_while_another_reads_and_nothing_is_lost(opener: Opener) -> None:
    journal = opener(timeout=0.05)
    keep(journal, b"one")
    reader = sqlite3.connect(Path(journal.location) / "journal.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM log").fetchone()
    journal.gc(keep_bytes=0)
    reader.close()
    assert kept(journal, b"one") == [False]
    assert journal.verify() == []


@table("days", [1e12, 1e308, float("inf")])
def test_an_age_before_all_time_keeps_everything(days: float) -> None:
    assert Retention(keep_days=days).keep_since() is None


uses = st.lists(st.builds(ImageUse, st.text("abc", min_size=1, max_size=3), st.integers(0, 9), st.integers(1, 9)))


@given(
    uses,
    st.sets(st.text("abc", min_size=1, max_size=1)),
    st.none() | st.integers(1, 10),
    st.none() | st.integers(0, 30),
)
def test_the_choice_drops_no_younger_image_before_an_older_one(
    images: list[ImageUse], pinned: set[str], young_seq: int | None, keep_bytes: int | None
) -> None:
    dropped = choose_dropped(images, pinned=frozenset(pinned), young_seq=young_seq, keep_bytes=keep_bytes)
    left = [image for image in images if image not in dropped]
    assert not any(image.digest in pinned for image in dropped)
    free = [image for image in left if image.digest not in pinned]
    if young_seq is None and keep_bytes is None:
        assert dropped == []
    if young_seq is not None:
        assert all(image.last_seq >= young_seq for image in free)
    if keep_bytes is not None:
        assert sum(image.stored for image in left) <= keep_bytes or free == []
    if dropped and free:
        assert max(image.last_seq for image in dropped) <= min(image.last_seq for image in free)
