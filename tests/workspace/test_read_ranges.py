"""What a process remembers of versions that were seen: one copy, and no more than there is room for."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.workspace.history.read_ranges import VERSIONS, ReadRanges, Versions, joined
from steadyhand.workspace.journal.record import Party, SeenVersion

PART = st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda part: (part[0], sum(part)))
SEEN = st.builds(
    SeenVersion,
    st.sampled_from("abcd"),
    st.integers(0, 5),
    st.none() | st.lists(PART, min_size=1, max_size=2).map(tuple),
)


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    versions = Versions(10)
    for digest in ("a", "b", "a", "c"):
        versions.keep(digest, b"1234")
    assert [digest for digest in "abc" if versions.get(digest) is not None] == ["a", "c"]


def test_workspaces_that_see_the_same_version_share_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n" * 1_000)
    kept = []
    for task in ("one", "two"):
        with sh.Workspace(tmp_path, task=task) as workspace:
            kept.append(VERSIONS.get(workspace.read("a.txt").digest))
    assert kept[0] is not None
    assert kept[0] is kept[1]


@given(st.lists(SEEN, min_size=1, max_size=12))
@example([SeenVersion("a", 0), *(SeenVersion(name, seq, ((0, 1),)) for seq, name in enumerate("bac", start=1))])
def test_what_is_seen_one_by_one_is_joined_as_if_all_of_it_were_looked_at(seen: list[SeenVersion]) -> None:
    ranges, party = ReadRanges(), Party("host", "task")
    known = list(accumulate(seen, lambda held, one: joined([*held, one]), initial=()))[1:]
    assert [ranges.add(party, "a.txt", one) for one in seen] == known
