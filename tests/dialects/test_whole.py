"""Whole files in fences and tags: which fences are files, where they end, and what is written as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.dialects.dialect import Change
from steadyhand.dialects.fences import fences_in
from steadyhand.dialects.formats.whole import DIALECT, WholeReader, write_whole
from steadyhand.dialects.piece import Piece
from steadyhand.dialects.reply import split_reply
from steadyhand.errors import EditError, Kind
from tests.dialects.replies import pieces_of, snippets_of
from tests.table import table


def pieces(reply: str, size: int | None = None) -> list[Piece]:
    """What the reader gives, for a reply that arrives in parts of a size."""
    step = size or len(reply) or 1
    return pieces_of(WholeReader(), (reply[start : start + step] for start in range(0, len(reply), step)))


def files(reply: str) -> list[tuple[str, str]]:
    return snippets_of(pieces(reply))


NOTHING = [
    ("nothing at all", ""),
    ("prose", "Change the greeting in `src/app.py`.\n"),
    ("two fences that only show something", "Run\n```\nmake\n```\nthen\n```\nmake test\n```\n"),
    ("a diff", "```diff\n-a\n+b\n```\n"),
    ("what a command prints", "```console\n$ make\n```\n"),
    ("backticks in a line", "Use ```x``` or ``` y ``` here.\n"),
    ("a fence inside a line", "text ```python\n"),
    ("a tag without a path", "<file>\nx\n</file>\n"),
    ("a tag of HTML", "src/app.py\n<source>\nx = 1\n"),
    ("a tag that closes itself", '<file path="a.py"/>\nx\n'),
    ("an element of a page", '<a path="a.py">\nx\n</a>\n'),
]


@table("reply", [reply for _, reply in NOTHING], ids=[name for name, _ in NOTHING])
def test_what_is_no_file_gives_nothing(reply: str) -> None:
    assert pieces(reply) == []


BROKEN = [
    ("a file that is cut off", "a.py\n```python\nx = 1\n", 3),
    ("the only fence, cut off", "Sure:\n```python\nx = 1\ny = 2", 4),
    ("a tag that is not closed", '<file path="a.py">\nx = 1\n', 2),
    ("a Markdown file that is cut off in a fence", "a.md\n```markdown\ntext\n```yaml\na: 1\n", 5),
    ("a Markdown file that is cut off behind one", "a.md\n```markdown\ntext\n```yaml\na: 1\n```\nmore", 7),
]


@table(("reply", "line"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_file_that_is_cut_off_is_refused_with_its_place(reply: str, line: int) -> None:
    with pytest.raises(EditError) as caught:
        pieces(reply)
    error = caught.value
    assert error.kind is Kind.MALFORMED_PATCH
    assert error.details["line"] == line
    assert error.details["format"] == "whole"
    assert error.hint


X = "x = 1\n"
NAMED = [
    ("a name above", "src/app.py\n```python\nx = 1\n```\n", [("src/app.py", X)]),
    ("a name and a blank line", "### `src/app.py`\n\n```python\nx = 1\n```\n", [("src/app.py", X)]),
    ("a name in the first line", "```python src/app.py\nx = 1\n```\n", [("src/app.py", X)]),
    ("a name behind a colon", "```python:src/app.py\nx = 1\n```\n", [("src/app.py", X)]),
    ("a title", '```python title="src/app.py"\nx = 1\n```\n', [("src/app.py", X)]),
    ("a tag above", '<file path="src/app.py">\n```python\nx = 1\n```\n</file>\n', [("src/app.py", X)]),
    ("aider's tags for a fence", "src/app.py\n<source>\nx = 1\n</source>\n", [("src/app.py", X)]),
    ("aider's tags with a language", "src/app.py\n<source>python\nx = 1\n</source>\n", [("src/app.py", X)]),
    ("tags and no fence", '<file path="src/app.py">\nx = 1\n</file>\n', [("src/app.py", X)]),
    ("a comment in it that is nothing but a path", "```python\n# src/app.py\nx = 1\n```\n", [("src/app.py", X)]),
    ("a comment that says more", "```python\n# see src/app.py\nx = 1\n```\n", [("", "# see src/app.py\nx = 1\n")]),
    ("a comment under a name stays", "a.py\n```\n# a.py\nx = 1\n```\n", [("a.py", "# a.py\nx = 1\n")]),
    ("no name, and no other fence", "Here it is:\n```python\nx = 1\n```\nDone.\n", [("", X)]),
    ("a name in passing, and no other fence", "Now change `src/app.py`:\n\n```\nx = 1\n```\n", [("src/app.py", X)]),
    ("tildes", "a.py\n~~~python\nx = 1\n~~~\n", [("a.py", X)]),
    ("backticks inside tildes", "a.md\n~~~\n```\nx\n```\n~~~\n", [("a.md", "```\nx\n```\n")]),
    ("a longer fence", "a.md\n````markdown\n```\nx\n```\n````\n", [("a.md", "```\nx\n```\n")]),
    ("a longer end", "a.py\n```\nx = 1\n`````\n", [("a.py", X)]),
    ("an indented fence", "a.py\n  ```\n  x = 1\n    y = 2\n z\n  ```\n", [("a.py", "x = 1\n  y = 2\nz\n")]),
    ("an empty fence", "a.py\n```\n```\n", [("a.py", "")]),
    ("no ending at the end of the reply", "a.py\n```\nx = 1\n```", [("a.py", X)]),
    ("lines that end with CR LF, as the reply does", "a.py\r\n```\r\nx = 1\r\n```\r\n", [("a.py", X)]),
    ("lines that end with CR LF, and the reply does not", "a.py\n```\nx = 1\r\n```\n", [("a.py", "x = 1\r\n")]),
    (
        "several files, and one that only shows something",
        "a.py\n```\nx = 1\n```\n\nUse it:\n\n```\nrun\n```\n\nb.py\n```\ny = 2\n```\n",
        [("a.py", X), ("b.py", "y = 2\n")],
    ),
    (
        "a Markdown file with a fence that says a language",
        "README.md\n```markdown\n# Use\n\n```bash\nmake\n```\n\nDone.\n```\n",
        [("README.md", "# Use\n\n```bash\nmake\n```\n\nDone.\n")],
    ),
    (
        "a Markdown file with a fence that says none",
        "README.md\n```markdown\n# Use\n\n```\nmake\n```\n\nDone.\n```\nThat is all.\n",
        [("README.md", "# Use\n\n```\nmake\n```\n\nDone.\n")],
    ),
    (
        "a Markdown file, then an example",
        "README.md\n```markdown\n# Use\n```\n\nTo run it:\n\n```bash\nmake\n```\n",
        [("README.md", "# Use\n")],
    ),
    (
        "a Markdown file, then another file",
        "README.md\n```markdown\n# Use\n```\n\na.py\n```\nx = 1\n```\n",
        [("README.md", "# Use\n"), ("a.py", X)],
    ),
    (
        "a Markdown file that lacks one end",
        "README.md\n```markdown\n# Use\n\n```yaml\na: 1\n```\n",
        [("README.md", "# Use\n\n```yaml\na: 1\n")],
    ),
    (
        "a fence in the text of a program",
        'a.py\n```python\nTEXT = """\n```yaml\na: 1\n```\n"""\n```\n',
        [("a.py", 'TEXT = """\n```yaml\na: 1\n```\n"""\n')],
    ),
]


@table(("reply", "found"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_a_fence_with_a_name_is_a_file(reply: str, found: list[tuple[str, str]]) -> None:
    assert files(reply) == found
    assert files("Sure.\n\n" + reply) == found


def test_a_piece_says_where_it_is() -> None:
    (piece,) = pieces("Sure.\n\na.py\n```\nx = 1\n```\n\nDone.\n")
    assert piece.lines == (4, 6)


@table("reply", [row[1] for row in NAMED], ids=[row[0] for row in NAMED])
@table("size", [1, 2, 3, 7])
def test_however_a_reply_is_cut_it_says_the_same(reply: str, size: int) -> None:
    assert pieces(reply, size) == pieces(reply)


@given(
    st.lists(
        st.sampled_from(["```", "````", "~~~", "```md", "  ```", "a.md", "x", "", "<file path='a.py'>", "</file>"])
    )
)
def test_fences_are_apart_and_hold_the_lines_between_their_marks(rows: list[str]) -> None:
    lines = split_reply("\n".join(rows))
    last = 0
    for fence in fences_in(lines):
        first, end = fence.lines
        assert last < first <= end
        assert [row.number for row in fence.rows] == list(range(first + 1, end + (not fence.is_closed)))[
            : len(fence.rows)
        ]
        assert len(fence.rows) in (end - first - 1, end - first)
        last = end


CANNOT = [
    ("a deletion", Change("a.py", None, "x\n", None)),
    ("a new name", Change("a.py", "b.py", "x\n", "x\n")),
    ("permissions", Change("a.py", "a.py", "x\n", "y\n", 0o644, 0o755)),
    ("a new file that is run", Change(None, "a.sh", None, "x\n", None, 0o755)),
    ("a last line without ending", Change("a.py", "a.py", "x\n", "y")),
    ("a name that is none", Change(None, "what is this", None, "x\n")),
]


@table("change", [change for _, change in CANNOT], ids=[name for name, _ in CANNOT])
def test_what_cannot_be_said_is_refused(change: Change) -> None:
    with pytest.raises(EditError) as caught:
        write_whole([change])
    assert caught.value.kind is Kind.BAD_REQUEST


ROWS = st.sampled_from(
    [
        "x = 1",
        "",
        "  y",
        "```",
        "````yaml",
        "~~~",
        "# a.py",
        "a.py",
        "</file>",
        "…",
        "\u2028",
        "z\r",
        "...",
        "\t",
        "`" * 9,
    ]
)


@given(
    st.lists(st.lists(ROWS), min_size=1, max_size=3),
    st.permutations(["a.py", "docs/read me.md", "Makefile", "src/ü.txt"]),
)
def test_what_is_written_is_read_again(contents: list[list[str]], names: list[str]) -> None:
    changes = [
        Change(name, name, "", "".join(f"{row}\n" for row in rows)) for name, rows in zip(names, contents, strict=False)
    ]
    assert files(write_whole(changes)) == [(change.path_after, change.after) for change in changes]


def test_the_dialect_is_written() -> None:
    assert DIALECT.write is write_whole
    assert not DIALECT.is_marked


APP = "def f():\n    return 1\n\n\ndef g():\n    return 1\n"
BLOCK = "<<<<<<< SEARCH\ndef f():\n    return 1\n=======\ndef f():\n    return 2\n>>>>>>> REPLACE\n"
GIVEN = APP.replace("1", "2", 1)


def beside(whole: str, *, first: bool = False, name: str = "app.py") -> str:
    parts = [f"app.py\n```python\n{BLOCK}```\n", f"The whole file:\n\n{name}\n```python\n{whole}```\n"]
    return "\n".join(reversed(parts) if first else parts)


@table("first", [False, True])
@table(("before", "after"), [(APP, GIVEN), (APP.replace("\n", "\r\n"), GIVEN.replace("\n", "\r\n"))])
def test_blocks_beside_the_whole_file_that_they_give_are_applied(
    tmp_path: Path, before: str, after: str, first: bool
) -> None:
    reply = beside(GIVEN, first=first)
    result = sh.patch(before, reply, path="app.py")
    assert (result.text, result.error) == (after, None)
    assert "a whole file in addition to the patch" in " ".join(result.remarks)
    (tmp_path / "app.py").write_bytes(before.encode())
    assert sh.Workspace(tmp_path).patch(reply).format == "search-replace"
    assert (tmp_path / "app.py").read_bytes() == after.encode()


@table(
    "whole",
    [
        APP,  # as it was
        GIVEN.replace("g()", "h()"),
        GIVEN + "\n\ndef h():\n    return 3\n",
        GIVEN[: GIVEN.index("def g")],
        "# ... existing code ...\n" + GIVEN,
    ],
)
def test_blocks_beside_a_whole_file_that_they_do_not_give_are_refused(tmp_path: Path, whole: str) -> None:
    result = sh.patch(APP, beside(whole), path="app.py")
    assert result.text == APP
    assert result.error is not None
    assert result.error.kind is sh.Kind.MALFORMED_PATCH
    (tmp_path / "app.py").write_text(APP)
    with pytest.raises(sh.EditError) as caught:
        sh.Workspace(tmp_path).patch(beside(whole))
    assert caught.value.kind is sh.Kind.MALFORMED_PATCH
    assert (tmp_path / "app.py").read_text() == APP


def test_the_refusal_names_both_and_the_first_line_that_differs() -> None:
    error = sh.patch(APP, beside(APP), path="app.py").error
    assert error is not None
    assert "edits of app.py and the whole file" in error.message
    assert "line 2: '    return 2' by the edits, '    return 1' in the whole file" in error.message


def test_a_whole_file_beside_blocks_for_another_file_is_refused() -> None:
    assert sh.patch(APP, beside(GIVEN, name="other.py"), path="app.py").error is not None
    assert sh.patch(APP, beside(GIVEN) + f"\napp.py\n```\n{GIVEN}```\n", path="app.py").error is not None
