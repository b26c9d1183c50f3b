"""Lazy snippets: which replies have some, and what each gives for which file."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.dialects.formats.lazy import DIALECT, LazyReader
from steadyhand.dialects.front import patch
from steadyhand.dialects.piece import Piece
from steadyhand.errors import EditError, Kind
from tests.dialects.replies import pieces_of, snippets_of
from tests.table import table


def pieces(parts: list[str]) -> list[Piece]:
    return pieces_of(LazyReader(), parts)


def files(reply: str) -> list[tuple[str, str]]:
    return snippets_of(pieces([reply]))


NOTHING = [
    ("nothing at all", ""),
    ("a mark in prose", "# ... existing code ...\nx = 1\n"),
    ("a whole file", "a.py\n```\nx = 1\n```\n"),
    ("dots in a line of code", "a.py\n```\nf(...)\nx: tuple[int, ...]\n```\n"),
    ("the body of a stub", "a.pyi\n```\ndef f() -> int:\n    ...\n```\n"),
    ("a diff with a mark", "```diff\n # ... existing code ...\n-a\n+b\n```\n"),
    ("a fence that is cut off, without a mark", "a.py\n```\nx = 1\n"),
]


@table("reply", [reply for _, reply in NOTHING], ids=[name for name, _ in NOTHING])
def test_what_has_no_mark_in_a_fence_gives_nothing(reply: str) -> None:
    assert pieces([reply]) == []


def test_a_snippet_that_is_cut_off_is_refused_with_its_place() -> None:
    with pytest.raises(EditError) as caught:
        pieces(["a.py\n```\n# ...\nx = 1\n"])
    assert caught.value.kind is Kind.MALFORMED_PATCH
    assert caught.value.details["line"] == 4
    assert caught.value.details["format"] == "lazy"


M = "# ... existing code ...\n"
LAZY = [
    ("a name above", f"a.py\n```python\n{M}x = 1\n{M}```\n", [("a.py", f"{M}x = 1\n{M}")]),
    ("no name", f"Here:\n```python\n{M}x = 1\n```\n", [("", f"{M}x = 1\n")]),
    ("a path inside", f"```python\n# src/a.py\n{M}x = 1\n```\n", [("src/a.py", f"{M}x = 1\n")]),
    ("a name in passing", f"In `a.py`:\n```python\n{M}x = 1\n```\n", [("a.py", f"{M}x = 1\n")]),
    (
        "a heading, then words",
        f"### `src/a.py`\n\nAdd the value:\n\n```python\n{M}x = 1\n```\n",
        [("src/a.py", f"{M}x = 1\n")],
    ),
    (
        "several, and a whole file among them",
        f"a.py\n```\n{M}x = 1\n```\nb.py\n```\ny = 2\n```\nUse it:\n```\nrun\n```\n",
        [("a.py", f"{M}x = 1\n"), ("b.py", "y = 2\n")],
    ),
    (
        "two for one file",
        f"a.py\n```\n{M}x = 1\n```\n\na.py\n```\ny = 2\n{M}```\n",
        [("a.py", f"{M}x = 1\n"), ("a.py", f"y = 2\n{M}")],
    ),
    (
        "a Markdown file with a fence inside",
        "a.md\n```markdown\n<!-- ... -->\n```yaml\na: 1\n```\nend\n```\n",
        [("a.md", "<!-- ... -->\n```yaml\na: 1\n```\nend\n")],
    ),
]


@table(("reply", "found"), [row[1:] for row in LAZY], ids=[row[0] for row in LAZY])
def test_a_fence_with_a_mark_is_a_snippet(reply: str, found: list[tuple[str, str]]) -> None:
    assert files(reply) == found
    assert files("Sure.\n\n" + reply + "\nDone.\n") == found


@given(st.sampled_from([row[1] for row in LAZY]), st.integers(0, 10**6))
def test_however_a_reply_is_cut_it_says_the_same(reply: str, seed: int) -> None:
    chance = random.Random(seed)
    cuts = sorted(chance.randrange(len(reply) + 1) for _ in range(chance.randrange(12)))
    parts = [reply[start:end] for start, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert pieces(parts) == pieces([reply])


FILE = "import os\n\n\ndef area(width, height):\n    return width * height\n\n\ndef main():\n    print(area(2, 3))\n"


def test_a_reply_is_merged_through_the_front_door() -> None:
    reply = (
        f"Sure.\n\n```python\n{M}def area(width, height):\n    return abs(width * height)\n\n\ndef main():\n{M}```\n"
    )
    made = patch(FILE, reply, path="shape.py")
    assert made.ok, made.error
    assert made.text == FILE.replace("width * height\n", "abs(width * height)\n")


def test_a_broken_reply_leaves_the_text_as_it_is() -> None:
    chance = random.Random(4)
    rows = [*FILE.splitlines(), "```", "```python", "a.py", M.strip(), "...", "x = 1", "<file path='a.py'>", "~~~"]
    for _ in range(300):
        reply = "\n".join(chance.choice(rows) for _ in range(chance.randrange(25)))
        made = patch(FILE, reply, path="a.py", format=chance.choice(("lazy", "whole", "auto")))
        assert made.ok or made.text == FILE
        if made.error is not None:
            assert made.error.hint


def test_the_dialect_is_read_only() -> None:
    assert DIALECT.write is None
    assert not DIALECT.is_marked
    assert DIALECT.aliases == ("snippet",)
