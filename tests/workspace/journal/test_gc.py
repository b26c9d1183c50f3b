"""Retention: images go, oldest first, never what recovery needs; history stays."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.record import FileChange, Record, State, utc_text
from steadyhand.workspace.journal.retention import ImageUse, Retention, choose_dropped
from steadyhand.workspace.journal.store import Journal
from tests.workspace.journal.conftest import Opener
from tests.workspace.journal.making import STAGING, commit, image_of, record, state


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
    noise = [bytes((number * 7919 + index * index) % 251 for index in range(60_000)) for number in range(8)]
    for content in noise:
        keep(journal, content)
    before = journal.stats().file_bytes
    journal.gc(keep_bytes=0)
    assert journal.stats().file_bytes < before / 2


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


@pytest.mark.parametrize("days", [1e12, 1e308, float("inf")])
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
