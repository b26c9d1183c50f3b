"""Shares and their intervals: as the formula of the books gives them, and never outside 0 to 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.session.statistics import FEW, Proportion
from tests.table import table


@table(
    ("hits", "of", "low", "high"),
    [
        (0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0),
        (90, 100, 0.8256, 0.9448),
    ],
)  # fmt: skip
def test_the_interval_is_that_of_the_books(hits: int, of: int, low: float, high: float) -> None:
    assert [round(end, 4) for end in Proportion(hits, of).interval] == [low, high]


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_an_interval_holds_its_rate_and_gets_narrower_with_more_cases(one: int, other: int) -> None:
    hits, of = sorted((one, other))
    share = Proportion(hits, of)
    low, high = share.interval
    assert 0.0 <= low <= high <= 1.0
    assert share.rate is None or low <= share.rate <= high
    more = Proportion(4 * hits, 4 * of).interval
    assert more[1] - more[0] <= high - low
    assert share.overlaps(share)
    assert share.is_few is (0 < of < FEW)


def test_a_share_of_more_than_all_is_none() -> None:
    with pytest.raises(ValueError, match="not a share"):
        Proportion(2, 1)
