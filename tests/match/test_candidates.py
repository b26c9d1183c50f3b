"""Places for an old text with misremembered lines: what speaks for a place, what against, and which is best."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from steadyhand.match.align import weight_of
from steadyhand.match.tier import Needle, tier_named
from steadyhand.match.tiers import fuzzy
from steadyhand.match.tiers.fuzzy import (
    Candidate,
    best_candidates,
    candidates_at,
    find_anchors,
    find_context,
    place_at,
    stands_out,
    sure_at_most,
)
from steadyhand.text.source import Source
from tests.table import table

TWINS = """\
def one(item):
    check(item)
    save(item)
    return item


def two(item):
    check(item)
    save(item)
    return item
"""
STEPS = "first()\nload(path)\ncheck(path)\nsave(path)\nlast()\n"


def find_candidates(source: Source, needle: Needle) -> list[Candidate] | None:
    anchors = find_anchors(source, needle)
    return None if anchors is None else candidates_at(source, needle, anchors)


def candidates(text: str, old: str, new: str) -> list[Candidate]:
    found = find_candidates(Source.of_text(text, path="a.py"), Needle(old, new))
    assert found is not None
    return found


def quoted(name: str, saved: str = "save") -> str:
    return f"def {name}(item):\n    check(item)\n    {saved}(item)\n    return item\n"


@table(
    ("old", "new"),
    [
        (quoted("two"), quoted("two")),
        (quoted("two"), None),
        ("", "x\n"),
        ("row\n" * 401, "row\n" * 400),
    ],
    ids=["nothing changes", "the new text is not known", "nothing is quoted", "too long"],
)
def test_there_is_no_looking_for_places_without_a_change_to_hold_on_to(old: str, new: str | None) -> None:
    assert find_candidates(Source.of_text(TWINS), Needle(old, new)) is None


def test_too_many_places_are_not_looked_at() -> None:
    source = Source.of_text("pass\n" * 200 + TWINS)
    assert find_candidates(source, Needle("begin()\npass\n", "begin()\nstop\n")) is None


def test_a_place_without_the_line_that_changes_is_none() -> None:
    assert candidates(TWINS, quoted("two", "store"), quoted("two", "keep")) == []


def test_a_third_name_is_as_near_to_the_one_as_to_the_other() -> None:
    first, second = candidates(TWINS, quoted("six"), quoted("six", "store"))
    assert (first.first, second.first) == (0, 6)
    assert first.fit == second.fit
    assert first.is_renamed
    assert second.is_renamed
    needle = Needle(quoted("six"), quoted("six", "store"))
    assert len(list(tier_named("fuzzy").find(Source.of_text(TWINS, path="a.py"), needle, apart=False))) != 1


def test_a_name_that_only_looks_more_like_one_of_two_does_not_decide() -> None:
    """`twos` is nearer to `two` by its letters; likeness speaks for nothing."""
    one, two = candidates(TWINS, quoted("twos"), quoted("twos", "store"))
    assert one.fit == two.fit


def test_the_right_name_decides() -> None:
    best, other = candidates(TWINS, quoted("two"), quoted("two", "store"))
    assert (best.first, best.last, best.seat) == (6, 9, 8)
    assert best.similarity == 1.0
    assert best.fit > other.fit


def test_rows_in_another_order_count_against_a_place_and_are_known_as_moved() -> None:
    text = STEPS.replace("first()", "first = open_the_first_of_all_files(path)")
    old = "first = open_the_first_of_all_files(path)\ncheck(path)\nload(path)\nsave(path)\n"
    (found,) = candidates(text, old, old.replace("save", "store"))
    assert found.moved > 0
    assert found.displaced > 0
    assert found.fit < found.best_fit
    assert found.similarity < 1


def test_a_row_too_many_or_too_few_displaces_and_one_in_place_of_another_does_not() -> None:
    whole = "first()\nload(path)\ncheck(path)\nsave(path)\n"
    made_up = whole.replace("check(path)\n", "check(path)\nnever_there(path)\n")
    left_out = whole.replace("check(path)\n", "")
    replaced = whole.replace("check(path)", "frobnicate(9)")
    cases = {old: candidates(STEPS, old, old.replace("save", "store"))[0] for old in (made_up, left_out, replaced)}
    assert cases[made_up].displaced > 0
    assert cases[left_out].displaced > 0
    assert cases[replaced].displaced == 0
    assert all(found.strange > 0 and found.spots == 1 for found in cases.values())


def test_an_unknown_row_beside_a_row_that_changes_is_noticed() -> None:
    old = "first()\nload(path)\nsave(path)\n"
    assert not candidates(STEPS, old, old.replace("save", "store"))[0].is_beside
    assert candidates(STEPS, old, old.replace("first", "start"))[0].is_beside


def test_sure_rows_at_another_indentation_are_noticed() -> None:
    old = "  first()\n  load(path)\n  check(path)\n"
    (found,) = candidates(STEPS, old, old.replace("check", "test"))
    assert found.is_shifted
    assert not candidates(STEPS, old.replace("  ", ""), "first()\nload(path)\n")[0].is_shifted


def test_rows_that_are_only_repeated_lead_to_places_whose_changed_rows_are_gone() -> None:
    text = TWINS.replace("save(item)", "keep(item)", 1)
    needle = Needle(quoted("one"), quoted("one", "store"))
    source = Source.of_text(text, path="a.py")
    found = find_context(source, needle)
    assert {place.first for place in found} >= {0}
    best = max(found, key=lambda place: place.context_fit)
    assert best.first == 0
    assert list(tier_named("fuzzy").find(source, needle, apart=False)) == []


def test_lines_that_are_added_are_anchored_by_their_neighbours() -> None:
    old = "load(path)\ncheck(path)\n"
    (found,) = candidates(STEPS, old, "load(path)\nadded()\ncheck(path)\n")
    assert (found.first, found.last, found.seat) == (1, 2, 2)


def test_a_place_that_contradicts_no_more_rows_is_as_near() -> None:
    """Someone changed the row that distinguished two places; in the other one a row came between."""
    body = "    def new(value):\n        return value\n    def join(left, other):\n        return left | other\n"
    text = f"# the first\nclass Flags(Base, Flag2):\n{body}\n# the first\n@final\nclass Flags(Base, Flag):\n{body}"
    old = f"# the first\nclass Flags(Base, Flag):\n{body}"
    needle = Needle(old, old.replace("left | other", "left & other"))
    assert len(list(tier_named("fuzzy").find(Source.of_text(text, path="a.py"), needle, apart=False))) == 2


def test_rows_in_the_place_of_misremembered_ones_keep_no_row_behind_them_away() -> None:
    rows = "call(one, two, three)\nload(path)\n{} = Checker\nfourth: Checker\n"
    text = rows.format("third_and_longest_name_of_them_all") + "\n" + rows.format("third")
    needle = Needle(rows.format("other"), rows.format("other").replace("load(path)", "save(path)"))
    assert len(list(tier_named("fuzzy").find(Source.of_text(text, path="a.py"), needle, apart=False))) == 2


def test_rows_that_are_quoted_several_times_do_not_hide_the_place_whose_changed_row_was_changed_since() -> None:
    part = (
        "        encode(source, target);\n" * 5
        + "        rounds -= {0};\n        {1};\n    }}\n    if (rounds >= {2}) {{\n"
    )
    text = part.format(8, "goto next", 4) + part.format(4, "continue", 2) + part.format(2, "break", 1)
    old = part.format(8, "continue", 4)
    needle = Needle(old, old.replace("continue", "return"))
    assert not list(tier_named("fuzzy").find(Source.of_text(text, path="a.c"), needle, apart=False))


NAMES = ("load_path", "loadPath", "load_paths", "other_path", "store_it", "loader")
AS_NEAR = ["    (void *) loadPath,", "    (stafi *) loadPath,", "    (void *) load_path,"]
INNER = ["    open_the_first_file(path)", "    read_all_of_it(path)", "    sort_them_all(path)", "    close(it)"]
ROWS = st.sampled_from([f"    ({kind} *) {name}," for kind in ("void", "char", "stafi") for name in NAMES])


@given(st.lists(ROWS, min_size=3, max_size=3, unique=True), st.lists(ROWS, max_size=3), st.booleans())
@example(AS_NEAR, ["    (void *) loader,"], True)
def test_a_third_row_at_either_end_is_as_near_to_both_whatever_rows_lie_beyond(
    edges: list[str], beyond: list[str], is_last: bool
) -> None:
    """A row further on that resembles the quoted one more does not make a place contradict more of the edit."""

    def block(edge: str, further: list[str]) -> list[str]:
        return [*INNER, edge, *further] if is_last else [*further[::-1], edge, *INNER]

    text = "\n".join([*block(edges[0], []), "", "# between the two", "", *block(edges[1], beyond)]) + "\n"
    old = "\n".join(block(edges[2], [])) + "\n"
    needle = Needle(old, old.replace("sort_them_all(path)", "sort_none(path)"))
    assert len(list(tier_named("fuzzy").find(Source.of_text(text, path="a.c"), needle, apart=False))) != 1


_ROWS = st.lists(
    st.sampled_from(
        ["call(one,", "two)", "call(one, two)", "x = 'a'", 'x = "a"', "  x  =  'a'", "", "done()", "other"]
    ),
    min_size=1,
    max_size=9,
)


@given(file=_ROWS, old=_ROWS, data=st.data())
def test_no_more_is_sure_at_a_place_than_its_keys_allow(file: list[str], old: list[str], data: st.DataObject) -> None:
    """A place is aligned only if its keys leave it a chance, so they may never promise too little."""
    row = data.draw(st.integers(0, len(old) - 1))
    at = data.draw(st.integers(0, len(file)))
    file = [*file[:at], old[row] or "found()", *file[at:]]
    old[row] = file[at]
    changed = data.draw(st.integers(0, len(old) - 1))
    source = Source.of_text("\n".join(file) + "\n", path="a.py")
    needle = Needle("\n".join(old), "\n".join([*old[:changed], "new()", *old[changed + 1 :]]))
    (sure,) = sure_at_most(source, needle, [(row, at)])
    place = place_at(source, needle, row, at)
    assert place is not None
    assert place.sure_rows <= len(sure)
    assert place.context <= len(sure - needle.changed)
    weight = sum(weight_of(needle.rows[each]) for each in sure - needle.changed)
    assert place.context_fit <= weight + 1e-9


@given(file=_ROWS, old=_ROWS, data=st.data())
def test_places_that_are_not_aligned_change_no_answer(file: list[str], old: list[str], data: st.DataObject) -> None:
    """The best candidate, whether one stands out, and what the tier finds are those of all places."""
    changed = data.draw(st.integers(0, len(old) - 1))
    quoted = [row for row in old if row] or ["other"]
    noise = data.draw(st.lists(st.sampled_from([*quoted, "else()"]), max_size=4))
    text = "\n".join([*file, *quoted, *noise, *quoted[: len(quoted) // 2 + 1], *file]) + "\n"
    source = Source.of_text(text, path="a.py")
    needle = Needle("\n".join(old), "\n".join([*old[:changed], "new()", *old[changed + 1 :]]))
    anchors = find_anchors(source, needle) or []
    every = candidates_at(source, needle, anchors)
    some = best_candidates(source, needle, anchors, list(sure_at_most(source, needle, anchors)))
    assert some[:1] == every[:1]
    for first in range(source.table.count):
        here = next((place for place in every if first <= place.seat <= first + 2), None)
        others = [place for place in every if here is not None and place.seat != here.seat]
        alone = here is not None and all(place.contradicted > here.contradicted for place in others)
        assert stands_out(source, needle, first, first + 2) == (alone if every else None)
    found = list(tier_named("fuzzy").find(source, needle, apart=False))
    with patch.object(
        fuzzy, "best_candidates", lambda source, needle, anchors, _: candidates_at(source, needle, anchors)
    ):
        with patch.object(fuzzy, "least_unsure", lambda _, sure: [0 for _ in sure]):
            assert list(tier_named("fuzzy").find(Source.of_text(text, path="a.py"), needle, apart=False)) == found
