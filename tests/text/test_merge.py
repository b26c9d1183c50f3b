from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.merge import merge3

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


@pytest.mark.parametrize(("ours", "theirs", "line", "why"), CONFLICTS, ids=[why for *_, why in CONFLICTS])
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


@pytest.mark.parametrize(("ours", "theirs", "text", "why"), CLEAN, ids=[why for *_, why in CLEAN])
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


def test_git_merges_and_conflicts_alike(tmp_path: Path) -> None:
    chance = random.Random(11)
    clean = 0
    for _ in range(150):
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
    assert 30 < clean < 140


def test_a_large_file_merges() -> None:
    base = [f"line {number}\n" for number in range(20_000)]
    ours = [f"ours {row}" if number % 100 == 0 else row for number, row in enumerate(base)]
    theirs = [f"theirs {row}" if number % 100 == 50 else row for number, row in enumerate(base)]
    both = [o if o != b else t for b, o, t in zip(base, ours, theirs, strict=True)]
    assert merge3("".join(base), "".join(ours), "".join(theirs)).text == "".join(both)
