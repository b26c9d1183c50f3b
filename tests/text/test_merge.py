"""Three-way merges take what one side changed, and say where both did."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import Change, diff_rows
from steadyhand.text.merge import merge3, merge_tokens, overwrite
from steadyhand.text.splice import Splice
from steadyhand.text.words import split_tokens
from tests.sampling import WHOLE
from tests.table import table

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d\r", "\n", "end"]), max_size=10).map("".join)
BASE = "1\n2\n3\n4\n5\n"

CONFLICTS = [
    ("1\nA\n3\n4\n5\n", "1\nB\n3\n4\n5\n", 2, "the same line"),
    ("1\nA\n3\n4\n5\n", "1\n2\nB\n4\n5\n", 2, "neighbouring lines"),
    ("1\nA\n2\n3\n4\n5\n", "1\nB\n2\n3\n4\n5\n", 2, "two insertions at one place"),
    ("1\n3\n4\n5\n", "1\nB\n3\n4\n5\n", 2, "one deletes what the other changes"),
    ("1\n2\n3\n4\n5", "1\n2\n3\n4\nfive\n", 5, "one drops the final newline"),
    ("", "1\n2\n3\n4\nB\n", 1, "one empties the text"),
]


@table(("ours", "theirs", "line", "why"), CONFLICTS, ids=[why for *_, why in CONFLICTS])
def test_changes_that_touch_conflict(ours: str, theirs: str, line: int, why: str) -> None:
    merge = merge3(BASE, ours, theirs)
    assert not merge.is_clean
    assert [conflict.base_line for conflict in merge.conflicts] == [line]
    assert merge.text == ours
    conflict = merge.conflicts[0]
    assert conflict.span.of(merge.text) == conflict.ours
    assert conflict.base in BASE
    assert conflict.theirs in theirs


CLEAN = [
    ("A\n2\n3\n4\n5\n", "1\n2\n3\n4\nB\n", "A\n2\n3\n4\nB\n", "apart"),
    ("A\n2\n3\n4\n5\n", "1\n2\nB\n4\n5\n", "A\n2\nB\n4\n5\n", "one line between"),
    ("1\nX\n3\n4\n5\n", "1\nX\n3\n4\n5\n", "1\nX\n3\n4\n5\n", "the same change"),
    ("1\nX\n3\n4\n5\n", "1\nX\n3\n4\nY\n", "1\nX\n3\n4\nY\n", "the same change and another"),
    ("1\r\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", "1\r\n2\n3\n4\n5\n6\n", "an ending of a line"),
    ("1\n2\n", "0\n1\n2\n3\n4\n5\n", "0\n1\n2\n", "a deletion and an insertion apart"),
]


@table(("ours", "theirs", "text", "why"), CLEAN, ids=[why for *_, why in CLEAN])
def test_changes_apart_are_both_taken(ours: str, theirs: str, text: str, why: str) -> None:
    assert merge3(BASE, ours, theirs).text == text
    assert merge3(BASE, theirs, ours).text == text
    assert merge3(BASE, ours, theirs).is_clean


@given(TEXT, TEXT)
def test_a_side_that_changed_nothing_gives_way(base: str, other: str) -> None:
    assert merge3(base, base, other).text == merge3(base, other, base).text == other
    assert merge3(base, other, other).text == other


@given(TEXT, TEXT, TEXT)
def test_the_sides_can_be_exchanged(base: str, ours: str, theirs: str) -> None:
    one, two = merge3(base, ours, theirs), merge3(base, theirs, ours)
    assert one.is_clean == two.is_clean
    if one.is_clean:
        assert one.text == two.text
    assert [(c.base, c.ours, c.theirs) for c in one.conflicts] == [(c.base, c.theirs, c.ours) for c in two.conflicts]
    for conflict in one.conflicts:
        assert conflict.span.of(one.text) == conflict.ours


def edited(rows: list[str], chance: random.Random) -> list[str]:
    rows = list(rows)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(rows) + 1)
        rows[at : at + chance.randrange(2)] = chance.choices(["x\n", "y\n", "z\r\n"], k=chance.randrange(2))
    return rows


@pytest.mark.sampled
def test_git_merges_and_conflicts_alike(tmp_path: Path) -> None:
    chance = random.Random(11)
    clean = 0
    for _ in range(150 if WHOLE else 40):
        base = [f"line {number}\n" for number in range(chance.randrange(1, 25))]
        texts = {"base": "".join(base), "ours": "".join(edited(base, chance)), "theirs": "".join(edited(base, chance))}
        for side in chance.sample(sorted(texts), chance.randrange(2)):
            texts[side] = texts[side].removesuffix("\n")
        for side, text in texts.items():
            (tmp_path / side).write_bytes(text.encode())
        git = subprocess.run(
            ["git", "merge-file", "-p", "-q", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, check=False
        )
        merge = merge3(texts["base"], texts["ours"], texts["theirs"])
        assert merge.is_clean == (git.returncode == 0), texts
        if merge.is_clean:
            assert merge.text.encode() == git.stdout, texts
        clean += merge.is_clean
    assert clean, "some can be merged"


def test_a_large_file_merges() -> None:
    base = [f"line {number}\n" for number in range(20_000)]
    ours = [f"ours {row}" if number % 100 == 0 else row for number, row in enumerate(base)]
    theirs = [f"theirs {row}" if number % 100 == 50 else row for number, row in enumerate(base)]
    both = [o if o != b else t for b, o, t in zip(base, ours, theirs, strict=True)]
    assert merge3("".join(base), "".join(ours), "".join(theirs)).text == "".join(both)


# By tokens: what both changed is a conflict, and no value comes out that neither wrote.

ONE_TOKEN = [
    ("c = 3", "c = 30", "c = 4"),
    ("c = 3", "c = -3", "c = 4"),
    ("v = 1.2.3", "v = 1.3.3", "v = 1.2.4"),
    ("at 10:30", "at 11:30", "at 10:45"),
    ("due 2026-01-05", "due 2027-01-05", "due 2026-02-05"),
    ("1,000 items", "2,000 items", "1,500 items"),
    ("https://old.example.com/a", "https://new.example.com/a", "https://old.example.com/b"),
    ("use re\u0301sume\u0301", "use ce\u0301sume\u0301", "use re\u0301gume\u0301"),
    ("max-old-size", "max-new-size", "min-old-size"),
    ("a.b.c(x)", "a.d.c(x)", "z.b.c(x)"),
    ("x", "ax", "xb"),
]


@table(("base", "ours", "theirs"), ONE_TOKEN)
def test_a_token_that_both_changed_is_not_put_together(base: str, ours: str, theirs: str) -> None:
    assert merge_tokens(base, ours, theirs) is None
    assert merge_tokens(base, theirs, ours) is None


PARTS = ["c", "10", "1.2.3", "a.b", "max-size", "'it's'", "10:30", "é", "=", "==", "(", ")", ",", "-", "x_1", "0", "%"]
LINES = st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(["", " ", "  ", "."])), max_size=8).map(
    lambda parts: "".join(part + gap for part, gap in parts)
)


@st.composite
def changed_lines(draw: st.DrawFn) -> tuple[str, str, str]:
    base = draw(LINES)
    sides = []
    for _ in range(2):
        start = draw(st.integers(0, len(base)))
        end = draw(st.integers(start, min(len(base), start + 4)))
        sides.append(base[:start] + draw(st.sampled_from([*PARTS, "", "7", " "])) + base[end:])
    return base, sides[0], sides[1]


@given(changed_lines())
def test_a_merged_line_has_no_token_that_nobody_wrote(lines: tuple[str, str, str]) -> None:
    base, ours, theirs = lines
    merged = merge_tokens(base, ours, theirs)
    assert merged == merge_tokens(base, theirs, ours)
    if ours in (base, theirs) or theirs == base:
        assert merged == (theirs if ours == base else ours)
    if merged is not None:
        written = {token for line in lines for token in split_tokens(line)}
        assert set(split_tokens(merged)) <= written


@given(changed_lines())
def test_changes_of_one_token_by_both_sides_are_no_merge(lines: tuple[str, str, str]) -> None:
    base, ours, theirs = lines
    mine, yours = (diff_rows(split_tokens(base), split_tokens(side)) for side in (ours, theirs))
    shared = [(a, b) for a in mine for b in yours if a.before_start < b.before_end and b.before_start < a.before_end]
    if shared and ours != theirs:
        merged = merge_tokens(base, ours, theirs)
        assert merged is None or all(_same(split_tokens(ours), a, split_tokens(theirs), b) for a, b in shared)


def _same(ours: list[str], mine: Change, theirs: list[str], yours: Change) -> bool:
    return ours[mine.after_start : mine.after_end] == theirs[yours.after_start : yours.after_end]


@st.composite
def change_sets(draw: st.DrawFn) -> tuple[str, ChangeSet, ChangeSet]:
    rows = draw(st.lists(LINES, min_size=1, max_size=5))
    base = "\n".join(rows) + draw(st.sampled_from(["", "\n"]))
    sides = []
    for _ in range(2):
        starts = st.sampled_from([0, *(at + 1 for at, sign in enumerate(base) if sign == "\n")])
        marks = sorted(draw(st.lists(st.integers(0, len(base)) | starts, min_size=2, max_size=4)))
        pairs = zip(marks[::2], marks[1::2], strict=False)
        new = st.sampled_from([*PARTS, "", "7", "new line\n", "\nnew line", "y\n"])
        splices = [Splice(start, base[start:end][:30], draw(new)) for start, end in pairs]
        sides.append(ChangeSet.of(splices))
    return base, sides[0], sides[1]


@given(change_sets())
def test_what_is_written_over_others_has_no_token_that_nobody_wrote(sides: tuple[str, ChangeSet, ChangeSet]) -> None:
    base, mine, theirs = sides
    present = theirs.apply(base)
    over = ChangeSet(tuple(each.splice for each in overwrite(base, mine, theirs)))
    after = over.apply(present)
    written = {token for text in (base, present, mine.apply(base)) for token in split_tokens(text)}
    assert set(split_tokens(after)) <= written
    if not theirs:
        assert after == mine.apply(base)
    if not mine:
        assert after == present
    rebased = mine.rebase(theirs)
    if isinstance(rebased, Clash) is False and not over and mine.trim():
        assert mine.apply(base) == present, "what is left out had been done"
