"""Which rows answer to which: every row of both sides once, in order, and nothing taken for sure that is not."""

from __future__ import annotations

from itertools import combinations
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match import align as match_align
from steadyhand.match.align import Alignment, Likeness, Pairing, align, likeness_of, max_weight_path, weight_of
from steadyhand.match.lexer import lexer_of, token_key
from tests.table import table

UNSURE = [
    ("x = 'a  b'", "x = 'a b'", "blanks inside a literal"),
    ("total = one", "total = two", "another name"),
    ("retries = 3", "retries = 30", "another number"),
    ("a - b", "a -- b", "another operator"),
    ("isready()", "is ready()", "a word divided"),
    ("# note: x", "note: x", "a comment that is none"),
]
SURE = [
    ("x = 1", "x = 1", Likeness.SAME),
    ("x = 1", "    x  =  1  ", Likeness.LAYOUT),
    ("x = 'a'", 'x = "a"', Likeness.TYPOGRAPHY),
    ("say(a – b)", "say(a - b)", Likeness.TYPOGRAPHY),
    ("f( a,b )", "f(a, b)", Likeness.TOKENS),
]
ROWS = st.lists(
    st.sampled_from(["", "  ", "}", "  }", "a = 1", "    a  = 1", "b(a, c)", "b( a,c )", "b(a,", "c)", "return a"]),
    max_size=9,
)


def pair(old: list[str], rows: list[str], path: str = "x.py") -> Alignment:
    return align(old, rows, lexer_of(path))


def shown(alignment: Alignment) -> list[str]:
    return [f"{p.old_start}:{p.old_end} {p.start}:{p.end} {p.likeness.name}" for p in alignment]


@table(("old", "row", "why"), UNSURE, ids=[why for *_, why in UNSURE])
def test_rows_that_say_something_else_are_never_sure(old: str, row: str, why: str) -> None:
    assert not any(pairing.likeness.is_sure for pairing in pair([old], [row])), why


def test_rows_that_have_nothing_in_common_are_alone() -> None:
    assert shown(pair(["alpha beta"], ["9 + 9"])) == ["0:1 0:0 NONE", "1:1 0:1 NONE"]


def test_a_blank_row_never_answers_to_one_that_is_not() -> None:
    assert shown(pair(["", "a"], ["a", ""])) == ["0:1 0:0 SAME", "1:2 0:1 SAME", "2:2 1:2 SAME"]


@table(("old", "row", "likeness"), SURE)
def test_rows_that_say_the_same_are_described_by_what_they_differ_in(old: str, row: str, likeness: Likeness) -> None:
    lexer = lexer_of("x.py")
    assert likeness_of(lexer, old, row) is likeness_of(lexer, row, old) is likeness
    assert [pairing.likeness for pairing in pair([old], [row])] == [likeness]


def test_a_statement_wrapped_elsewhere_is_one_pairing_of_the_fewest_rows() -> None:
    old = ["start()", "f(a, b)", "g(c)", "end()"]
    rows = ["start()", "f(", "    a,", "    b)", "g(", "    c)", "end()"]
    assert shown(pair(old, rows)) == ["0:1 0:1 SAME", "1:2 1:4 TOKENS", "2:3 4:6 TOKENS", "3:4 6:7 SAME"]


def test_a_row_that_was_misremembered_is_paired_with_the_row_most_like_it() -> None:
    found = pair(["a()", "# twice the width", "b()"], ["a()", "# double the width", "b()"])
    assert shown(found) == ["0:1 0:1 SAME", "1:2 1:2 SIMILAR", "2:3 2:3 SAME"]
    assert 0.6 <= found[1].similarity < 1


def test_rows_alike_decide_which_of_two_equal_rows_is_meant() -> None:
    old = ["return one_value", "}"]
    rows = ["return x", "}", "return one_values", "}"]
    assert [(p.old_start, p.start) for p in pair(old, rows, "x.js") if not p.is_added] == [(0, 2), (1, 3)]


def test_beyond_the_budget_equal_rows_are_still_paired_and_others_left_alone() -> None:
    old = [f"value_{row} = {row}" for row in range(300)]
    rows = [f"{text} + 1" if row % 100 == 50 else text for row, text in enumerate(old)]
    found = pair(["first()", *old], ["other()", *rows])
    assert sum(pairing.likeness is Likeness.SAME for pairing in found) == 297
    assert_covers(found, 301, 301)


@given(ROWS, ROWS)
def test_every_row_of_both_sides_is_covered_once_and_in_order(old: list[str], rows: list[str]) -> None:
    found = pair(old, rows)
    assert_covers(found, len(old), len(rows))
    for pairing in found:
        left, right = old[pairing.old_start : pairing.old_end], rows[pairing.start : pairing.end]
        assert pairing.is_blank == (not any(row.strip() for row in (*left, *right)))
        if pairing.likeness.is_sure and not pairing.is_blank:
            assert said(left) == said(right)
        if pairing.likeness is Likeness.SAME and not pairing.is_blank:
            assert left == right


@given(ROWS)
def test_a_text_answers_to_itself_row_by_row(rows: list[str]) -> None:
    assert pair(rows, rows) == tuple(
        Pairing(row, row + 1, row, row + 1, Likeness.SAME, is_blank=not text.strip()) for row, text in enumerate(rows)
    )


@given(ROWS, ROWS, st.integers(0, 5), st.integers(0, 5))
def test_a_pairing_turned_twice_or_moved_there_and_back_is_itself(
    old: list[str], rows: list[str], up: int, down: int
) -> None:
    for pairing in pair(old, rows):
        assert pairing.turned(len(old), len(rows)).turned(len(old), len(rows)) == pairing
        assert pairing.moved(up, down).moved(-up, -down) == pairing


def test_a_longer_row_never_says_less() -> None:
    weights = [weight_of("x" * size) for size in range(60)]
    assert weights == sorted(weights)
    assert weight_of("   }   ") == weight_of("}")


@given(st.data(), st.integers(0, 4), st.integers(0, 4))
def test_the_path_of_max_weight_is_worth_as_much_as_the_best_of_all_that_pair_only_what_scores(
    data: st.DataObject, height: int, width: int
) -> None:
    quarters = st.integers(0, 8).map(lambda count: count / 4)
    scores = [[data.draw(quarters) for _ in range(width)] for _ in range(height)]
    row_costs, column_costs = ([data.draw(quarters) / 2 for _ in range(size)] for size in (height, width))
    path = max_weight_path(scores, row_costs, column_costs)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in combinations(path, 2))
    ways = [way for way in all_paths(height, width) if all(scores[one][two] > 0 for one, two in way)]
    best = max(worth(way, scores, row_costs, column_costs) for way in ways)
    assert worth(path, scores, row_costs, column_costs) == best


def all_paths(height: int, width: int) -> list[list[tuple[int, int]]]:
    """Every way to pair some rows with as many columns, in order."""
    sizes = range(min(height, width) + 1)
    return [
        list(zip(rows, columns, strict=True))
        for size in sizes
        for rows in combinations(range(height), size)
        for columns in combinations(range(width), size)
    ]


def worth(
    path: list[tuple[int, int]], scores: list[list[float]], row_costs: list[float], column_costs: list[float]
) -> float:
    """What the pairs score, less the cost of what lies before the last of them and is passed over."""
    if not path:
        return 0.0
    rows, columns = ({pair[side] for pair in path} for side in (0, 1))
    passed = [cost for row, cost in enumerate(row_costs[: path[-1][0]]) if row not in rows]
    passed += [cost for column, cost in enumerate(column_costs[: path[-1][1]]) if column not in columns]
    return sum(scores[one][two] for one, two in path) - sum(passed)


def said(rows: list[str]) -> str:
    return "\0".join(token_key(lexer_of("x.py"), row) for row in rows if row.strip())


def assert_covers(alignment: Alignment, old_count: int, count: int) -> None:
    at = to = 0
    for pairing in alignment:
        assert (pairing.old_start, pairing.start) == (at, to)
        assert pairing.old_end > at or pairing.end > to
        at, to = pairing.old_end, pairing.end
    assert (at, to) == (old_count, count)


@given(ROWS, st.data())
def test_rows_that_differ_at_their_edges_are_aligned_as_by_comparing_all(rows: list[str], data: st.DataObject) -> None:
    edges = st.sampled_from(["", " ", "\t", "    "])
    old = [data.draw(edges) + row.strip() + data.draw(edges) if row.strip() else data.draw(edges) for row in rows]
    quick = pair(old, rows)
    with patch.object(match_align, "_as_quoted", lambda _old, _rows: None):
        assert pair(old, rows) == quick
