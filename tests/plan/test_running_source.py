"""The lines of a running text are those of the same text counted afresh."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.plan import many_edits
from steadyhand.plan.draft import RunningDraft, Taken
from steadyhand.plan.many_edits import CountedRows
from steadyhand.text.source import Source
from steadyhand.text.span import Span

texts = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=12).map("".join)


@pytest.fixture(scope="module", params=[0, 10, 100_000], ids=["table", "table after a few questions", "no table"])
def _questions(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_edits, "_QUESTIONS", request.param)
        yield


@pytest.mark.usefixtures("_questions")
@given(texts, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4), texts), max_size=5))
def test_every_line_and_every_place_of_a_running_text_is_counted_as_in_a_text_of_its_own(
    text: str, wishes: list[tuple[int, int, str]]
) -> None:
    draft = RunningDraft(Source.of_text(text))
    seen = [(draft.source, draft.source.text)]
    for number, (start, size, new) in enumerate(wishes):
        placed = draft.place(Span(min(start, draft.length), min(start + size, draft.length)), new)
        if not isinstance(placed, Taken):
            draft.write([placed], number)
            seen.append((draft.source, draft.source.text))
    for source, content in seen:  # asked after everything was written: an earlier source is still the earlier text
        assert_same_lines(source, Source.of_text(content))


@given(texts, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4), texts), min_size=1, max_size=5))
def test_rows_that_are_counted_are_those_of_the_text_or_are_not_counted_at_all(
    text: str, wishes: list[tuple[int, int, str]]
) -> None:
    draft = RunningDraft(Source.of_text(text))
    kept: CountedRows | None = None
    for number, (start, size, new) in enumerate(wishes):
        placed = draft.place(Span(min(start, draft.length), min(start + size, draft.length)), new)
        if isinstance(placed, Taken):
            continue
        before = list(draft.splices)
        draft.write([placed], number)
        if not CountedRows.can_count(draft):
            return
        added = [
            (index, splice) for index, splice in enumerate(draft.splices) if not any(splice is one for one in before)
        ]
        if kept is not None and len(draft.splices) == len(before) + 1 and len(added) == 1:
            kept.add(*added[0])
        else:
            kept = CountedRows(draft)
        plain = Source.of_text(draft.source.text).table
        for rows in (kept, CountedRows(draft)):
            assert rows.count == plain.count
            assert [rows.start(row) for row in range(plain.count + 1)] == [
                plain.start(row) for row in range(plain.count + 1)
            ]
            assert [rows.text(row) for row in range(plain.count)] == [plain.text(row) for row in range(plain.count)]


def assert_same_lines(source: Source, plain: Source) -> None:
    assert source.text == plain.text
    assert source.table.count == plain.table.count
    for row in range(plain.table.count + 1):
        assert source.table.start(row) == plain.table.start(row)
    for row in range(plain.table.count):
        assert source.table.text(row) == plain.table.text(row)
    for start in range(len(plain.text) + 1):
        assert source.line_of(start) == plain.table.row_at(start) + 1 == plain.line_of(start)
        for end in range(start, len(plain.text) + 1):
            assert source.lines_of(Span(start, end)) == plain.lines_of(Span(start, end))
            assert source.table.rows_of(Span(start, end)) == plain.table.rows_of(Span(start, end))
