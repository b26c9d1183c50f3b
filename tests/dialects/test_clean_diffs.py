"""A reply that is nothing but a diff is read in one go, and gives what the reader of all replies gives."""

from __future__ import annotations

import difflib
import os
import random
from collections.abc import Iterator

from steadyhand.dialects.patch import Patch
from steadyhand.dialects.stream import PatchStream
from steadyhand.dialects.unified.clean import read_clean
from steadyhand.errors import EditError
from tests.dialects.mutations import MARKS, SAMPLES, mutate
from tests.table import table

MANY = int(os.environ.get("STEADYHAND_MUTATIONS", "60"))
WORDS = ("one = 1", "  two = 2", "    three()", "", "  ", "\tfour", "- five", "+ six", "-- seven", "@@ eight", "# nine")
ODD = tuple(mark for sample in SAMPLES for mark in sample.split("\n")) + MARKS


def streamed(reply: str, name: str) -> Patch | EditError:
    stream = PatchStream(format=name)
    try:
        stream.feed(reply)
        return stream.close()
    except EditError as error:
        return error


def lines_of(chance: random.Random, count: int) -> list[str]:
    return [chance.choice(ODD if chance.random() < 0.1 else WORDS) for _ in range(count)]


def file_diff(chance: random.Random, name: str) -> Iterator[str]:
    """The lines of a diff of one file, its rows made of anything that a line can say."""
    before = lines_of(chance, chance.choice([1, 4, 12, 40]))
    after = list(before)
    for _ in range(chance.choice([1, 1, 2, 4])):
        at = chance.randrange(len(after) + 1)
        after[at : at + chance.choice([0, 1, 2])] = lines_of(chance, chance.choice([0, 1, 2]))
    if chance.random() < 0.5:
        yield f"diff --git a/{name} b/{name}"
        yield from ["index 83db48f..bf269f4 100644"] * chance.choice([0, 1])
    yield from difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", n=chance.choice([0, 1, 3]), lineterm="")


def diff(seed: int) -> str:
    """A diff of some files, as it is printed or with a line or two of it made wrong."""
    chance = random.Random(seed)
    rows = [row for number in range(chance.choice([1, 2, 3])) for row in file_diff(chance, f"f{number}.py")]
    for _ in range(chance.choice([0, 0, 1, 2])):
        at = chance.randrange(len(rows) + 1)
        rows[at : at + chance.choice([0, 1])] = chance.choice([[], [chance.choice(ODD)], rows[at : at + 2]])
    return "".join(row + "\n" for row in rows)


@table("name", ["auto", "unified"])
def test_what_is_read_in_one_go_is_what_the_reader_gives(name: str) -> None:
    read = 0
    for seed in range(MANY):
        for reply in (diff(seed), mutate(seed + 3_000_000)):
            pieces = read_clean(reply)
            if pieces is None:
                continue
            read += 1
            found = streamed(reply, name)
            assert isinstance(found, Patch), (seed, reply, found)
            assert Patch.of(found.dialect, pieces, ()) == found, (seed, reply)
    assert read > MANY / 5  # or nothing was compared


@table(
    ("was", "becomes"),
    [
        ("@@ -1,2 +1,2 @@", "@@ -1,3 +1,2 @@"),
        ("@@ -1,2 +1,2 @@", "@@ -1,1 +1,2 @@"),
        ("@@ -1,2 +1,2 @@", "@@ def f @@"),
        (" a\n", "a\n"),
        (" a\n", "\n"),
        ("-b\n+c\n", " b\n"),
        ("+c\n", "+c\n\\ No newline at end of file\n"),
        ("+c\n", "+c"),
        ("+c\n", "+c\r\n"),
        ("+c\n", "+c\n\nThat is all.\n"),
        ("--- a/x\n", "Here it is:\n--- a/x\n"),
        ("--- a/x\n", "--- /dev/null\n"),
        ("--- a/x\n", "--- a/x\t1970-01-01 00:00:00 +0000\n"),
        ("--- a/x\n", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n"),
        ("--- a/x\n", "diff --git a/x b/x\nindex 1234567..89abcde 120000\n--- a/x\n"),
        ("--- a/x\n", 'diff --git "a/x" "b/x"\n--- "a/x"\n'),
    ],
)
def test_whatever_else_a_line_may_be_is_left_to_the_reader(was: str, becomes: str) -> None:
    whole = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert read_clean(whole) is not None
    assert read_clean(whole.replace(was, becomes)) is None
