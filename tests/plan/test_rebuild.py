"""What is written where old text was found with differences: the edit's change, and the file's bytes for all else."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.plan.merge_window import Drifted, Made, make, window_at
from steadyhand.plan.rebuild import RowEdit, Versions, settled
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.table import table

DRIFTS = [
    ("a row to be changed says something else", "a = 2\nb\n", "a = 1\nb\n", "a = 3\nb\n"),
    ("a row to be removed says something else", "x\na = 2\ny\n", "x\na = 1\ny\n", "x\ny\n"),
    ("a row to be changed is not there", "a\nc\n", "a\nbeta\nc\n", "a\nBETA\nc\n"),
    ("an unknown row where one is added", "a\nunknown_row()\nb\n", "a\nb\n", "a\nnew\nb\n"),
    ("an unknown row inside what is replaced", "a\nunknown_row()\nb\n", "a\nb\n", "x\n"),
    ("a missing row where one is added", "a\nc\n", "a\nbeta\nc\n", "a\nbeta\nnew\nc\n"),
    ("what is added is there already", "a\nnew(1)\nb\n", "a\n", "a\nnew(1)\n"),
    ("another number of blank rows than the edit changes", "a\n\n\nb\n", "a\n\nb\n", "a\nb\n"),
    ("a stranger among rows that go deeper", "a\nunknown_row()\nb\n", "a\nb\n", "if c:\n    a\n    b\n"),
    (
        "a bracket is not as deep as quoted",
        "f {\n  g {\n    x()\n  }\n}\n",
        "f {\ng {\nx()\n}\n}\n",
        "f {\ng {\nx()\n]\n}\n",
    ),
    ("blank rows with no telling where they go", "a1\n\nb1\n", "a1\nb1\n", "c1\nd1\ne1\n"),
    ("blank rows that would come together", "x\n\nb\n\ny\n", "x\nb\ny\n", "x\ny\n"),
    ("a stranger between two rows one of which goes", "a\nb()\nunknown\nb()\nc\n", "a\nb()\nb()\nc\n", "a\nb()\nc\n"),
    ("a stranger between two rows that go or stay", "x\n}\nunknown\n}\n", "x\n}\n}\n", "y\n}\n"),
    ("a stranger further up among rows that go in pairs", "a\nunknown\nb\na\nb\nc\n", "a\nb\na\nb\nc\n", "a\nb\nc\n"),
    ("a stranger in front of a bracket that comes twice", "x\nunknown\n}\nc\n", "x\n}\nc\n", "y\n}\n}\nc\n"),
    (
        "one of two equal rows goes, one has drifted",
        "call(1, b)\ncall(2, b)\n",
        "call(2, b)\ncall(2, b)\n",
        "call(2, b)\n",
    ),
    (
        "a row as deep as the first, which no rule explains",
        "  a\nb\nc\n",
        "    \ta\n    b\n    c\n",
        "    \ta\n    \td\n    b\n    c\n",
    ),
    ("a row further left than any, for rows of two depths", "    a\n\nb\n", "      a\n\n  b\n", "\nc\n"),
    ("blank rows that the edit may repeat and the file lacks", "a\n\nb1\nc\n", "a\n\n\nb1\nc\n", "\n\nb2\nc\n"),
    ("blank rows that may be those between paragraphs", "a\n\nb1\nc\n", "a\n\n\nb1\nc\n", "d\n\n\nc\n"),
    ("both changed what a repeated row says", "a ‘x’\nb\n", "a 'x'\nb\n", 'a "x"\nb\n'),
]


@dataclass(frozen=True, slots=True)
class Way:
    """What old text, new text and file say, and what the file says after."""

    name: str
    old: str
    new: str
    file: str
    after: str


WAYS = [
    Way("all three agree", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n"),
    Way("a row changes", "a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n"),
    Way("a repeated row keeps the file's blanks", "a = 1\nb\n", "a = 1\nB\n", "a  =  1  \nb\n", "a  =  1  \nB\n"),
    Way("a repeated row keeps the file's quotes", "f('a')\nb\n", "f('a')\nB\n", 'f("a")\nb\n', 'f("a")\nB\n'),
    Way("a repeated row that drifted stays", "# twice\nb\n", "# twice\nB\n", "# twofold\nb\n", "# twofold\nB\n"),
    Way("a changed row comes at the file's indentation", "a\n  b\n", "a\n  B\n", "  a\n    b\n", "  a\n    B\n"),
    Way("a changed row keeps the file's quotes", "f('a', 1)\n", "f('a', 2)\n", 'f("a", 1)\n', 'f("a", 2)\n'),
    Way("a row goes", "a\nb\nc\n", "a\nc\n", "  a\n  b\n  c\n", "  a\n  c\n"),
    Way("a row comes", "a\nc\n", "a\nb\nc\n", "  a\n  c\n", "  a\n  b\n  c\n"),
    Way("a row comes with the file's ending", "a\nc\n", "a\nb\nc\n", "a \r\nc\r\n", "a \r\nb\r\nc\r\n"),
    Way("a row comes in the file's unit", "a:\n    b\n", "a:\n    b\n    c\n", "a:\n\tb\n", "a:\n\tb\n\tc\n"),
    Way("a row goes deeper", "a\nb\n", "if c:\n    a\nb\n", "  a\n  b\n", "  if c:\n      a\n  b\n"),
    Way(
        "a row that only moves is the file's",
        "a = 1\nb()\nc()\n",
        "b()\nc()\na = 1\n",
        "a  =  1\nb()\nc()\n",
        "b()\nc()\na  =  1\n",
    ),
    Way(
        "both texts lack the indentation of their first row, which goes",
        "info()\n    if a:\n        b()\n",
        "if a:\n        b()\n",
        "    info()\n    if a:\n        b()\n",
        "    if a:\n        b()\n",
    ),
    Way(
        "new text that is indented as the file is, which the old text is not",
        "        return a\n        done()\n",
        "    return a\n    fresh()\n    done()\n",
        "    return a\n    done()\n",
        "    return a\n    fresh()\n    done()\n",
    ),
    Way(
        "both texts lack the indentation of their first row",
        "if a:\n        b()\n        c()\n",
        "if  a:\n        c()\n",
        "    if a:\n        b()\n        c()\n",
        "    if  a:\n        c()\n",
    ),
    Way(
        "a bracket that did not move is the one that stays",
        "\t\t}  \n\t}\n}  \nend\n",
        "\t\t}  \n\tx\n}  \ny\nend\n",
        "\t\t}\n\t}\n}\nend\n",
        "\t\t}\n\tx\n}\ny\nend\n",
    ),
    Way(
        "one of two equal rows goes, a stranger is elsewhere",
        "a\nb()\nb()\nc\nd\n",
        "a\nb()\nc\nd\n",
        "a\nb()\nb()\nc\nunknown\nd\n",
        "a\nb()\nc\nunknown\nd\n",
    ),
    Way("trailing blanks that the edit adds", "a\nb \n", "a  \nb \n", "a\nb\n", "a  \nb\n"),
    Way("blank rows of the file stay", "a\nb\nc\n", "a\nB\nc\n", "a\n\nb\n\nc\n", "a\n\nB\n\nc\n"),
    Way("blanks in a blank row stay", "a\n\nb\n", "a\n\nB\n", "a\n\t\nb\n", "a\n\t\nB\n"),
    Way("a blank row goes", "a\n\nb\n", "a\nb\n", "a \n\nb\n", "a \nb\n"),
    Way("a blank row comes", "a\nb\n", "a\n\nb\n", "a \nb\n", "a \n\nb\n"),
    Way("a statement in another layout", "f(a, b)\n", "f(a, c)\n", "f(\n    a,\n    b\n)\n", "f(\n    a,\n    c\n)\n"),
    Way("the last row has no ending", "a\nb\n", "a\nB\n", " a\n b", " a\n B"),
    Way("a row comes behind one without ending", "a\nb", "a\nb\nc", " a\n b", " a\n b\n c"),
    Way("the last row goes and had no ending", "a\nb", "a", " a\n b", " a"),
]
VERSIONS = [
    ("a", "a", "a", "a"),
    ("a", "a", "b", "b"),
    ("a", "b", "a", "b"),
    ("a", "b", "b", "b"),
    ("a", "b", "c", None),
]
ROWS = st.lists(st.sampled_from(["a = 1", "b(c)", "    d()", "", "}", "e = 'f'", "return g"]), min_size=1, max_size=6)


def made(file: str, old: str, new: str, *, on_drift: str = "refuse", path: str = "a.py") -> str | None:
    """The file after; None for drift."""
    source = Source.of_text(file, path=path)
    found = make(window_at(source, Span(0, len(file)), old), new, on_drift=on_drift)
    return None if isinstance(found, Drifted) else written(file, found)


def written(file: str, found: Made) -> str:
    for span, text in reversed(found.writes):
        file = file[: span.start] + text + file[span.end :]
    return file


@table(("why", "file", "old", "new"), DRIFTS, ids=[why for why, *_ in DRIFTS])
def test_nothing_is_written_where(why: str, file: str, old: str, new: str) -> None:
    assert made(file, old, new) is None, why


@table("way", WAYS, ids=[way.name for way in WAYS])
def test_what_is_written_where(way: Way) -> None:
    assert made(way.file, way.old, way.new) == way.after


def test_drift_is_reported_with_both_sides() -> None:
    source = Source.of_text("a\nlimit = 2\nb\n", path="a.py")
    found = make(window_at(source, Span(0, 14), "a\nlimit = 1\nb\n"), "a\nlimit = 3\nb\n")
    assert found == Drifted(Span(2, 12), "limit = 1", "limit = 2\n")


def test_drift_is_merged_word_by_word_or_overwritten_where_that_was_chosen() -> None:
    file, old, new = "f(a, size=2)\n", "f(a, size=1)\n", "f(b, size=1)\n"
    assert made(file, old, new) is None
    assert made(file, old, new, on_drift="merge") == "f(b, size=2)\n"
    assert made(file, old, new, on_drift="new") == "f(b, size=2)\n"  # the edit repeats the size, it does not change it
    assert made("f(c, size=1)\n", old, new, on_drift="merge") is None
    assert made("f(c, size=1)\n", old, new, on_drift="new") == new


@table("on_drift", ["merge", "new"])
def test_a_row_that_is_not_there_is_not_written_whatever_was_chosen(on_drift: str) -> None:
    assert made("a\nc\n", "a\nbeta\nc\n", "a\nBETA\nc\n", on_drift=on_drift) is None
    assert made("a\nunknown_row()\nb\n", "a\nb\n", "x\n", on_drift=on_drift) is None


def test_words_that_both_changed_are_never_merged() -> None:
    assert made("size = 2\n", "size = 1\n", "size = 3\n", on_drift="merge") is None


@table(
    ("file", "old", "new"),
    [
        ("v = 1.3.3\n", "v = 1.2.3\n", "v = 1.2.4\n"),
        ("c = 30\n", "c = 3\n", "c = 4\n"),
        ("at 11:30 we meet\n", "at 10:30 we meet\n", "at 10:45 we meet\n"),
        ("use max-new-size\n", "use max-old-size\n", "use min-old-size\n"),
    ],
)
def test_a_merge_of_drifted_lines_makes_no_value_that_neither_has(file: str, old: str, new: str) -> None:
    rest = "foo(bar)\nbaz()\n"
    assert made(file + rest, old + rest, new + rest, on_drift="merge") is None


@table(("old", "ours", "new", "expected"), VERSIONS)
def test_an_aspect_belongs_to_who_changed_it(old: str, ours: str, new: str, expected: str | None) -> None:
    assert Versions(old, ours, new).said == expected
    trail = {"a": "", "b": " ", "c": "\t"}
    versions = Versions(*("x" + trail[one] for one in (old, ours, new)))
    assert versions.trail == trail[expected or ours]


@given(ROWS, ROWS)
def test_where_the_file_says_what_is_quoted_nothing_but_the_new_text_is_written(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{row}\n" for row in rows) for rows in (old, new))
    assert made(before, before, after) in (after, None)


@given(st.lists(st.sampled_from(["keep", "change", "remove", "add"]), min_size=1, max_size=6))
def test_where_no_row_is_like_another_every_edit_is_made_as_plain_replacement_makes_it(what: list[str]) -> None:
    old = [f"value_{row} = {row}" for row in range(len(what))]
    new: list[str] = []
    for row, done in enumerate(what):
        new += {"keep": [old[row]], "change": [f"other({row})"], "remove": [], "add": [f"new({row})", old[row]]}[done]
    before, after = ("".join(f"{row}\n" for row in rows) for rows in (old, new))
    assert made(before, before, after) == after


@given(ROWS, st.data())
def test_pieces_are_whole_rows_in_order_and_apart(old: list[str], data: st.DataObject) -> None:
    new = data.draw(st.permutations(old))
    file = "".join(f"  {row}\n" for row in old)
    source = Source.of_text(file, path="a.py")
    found = make(window_at(source, Span(0, len(file)), "\n".join(old)), "\n".join(new))
    if isinstance(found, Made):
        starts = {0, *(at + 1 for at, char in enumerate(file) if char == "\n")}
        edges = [edge for span, _ in found.writes for edge in (span.start, span.end)]
        assert edges == sorted(edges)
        assert set(edges) <= starts


@given(ROWS, st.lists(st.text("xy\n", max_size=4), max_size=6))
def test_settling_only_concerns_the_end_of_the_window(rows: list[str], texts: list[str]) -> None:
    """Pieces of single rows; the window's last row has an ending, so there is nothing to settle."""
    lines = [f"{row}\n" for row in rows]
    pieces = [RowEdit(at, at + 1, f"{text}\n") for at, text in enumerate(texts[: len(lines)])]
    kept = list(settled(pieces, lines, "\n"))
    assert kept == [piece for piece in pieces if piece.text != lines[piece.start]]
