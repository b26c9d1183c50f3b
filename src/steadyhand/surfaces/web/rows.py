"""The rows of a change as a reader sees them: what went, what came, what is around it, and which words differ.

Rows know nothing of pages: each is a sign, its numbers on both sides and its text as HTML. They are shown one below
the other (`unified`) or side by side (`beside`). Very long rows and very many rows are cut, and say so.

Colours show which parts are comments, strings, numbers, keywords, names of keys or tags. They come from one pass of one
pattern over a whole text, so that a comment or a string of several lines is one wherever a hunk begins in it. No
grammar is loaded: colours are wanted for every file, in a moment, and a wrong one does no harm. Every pattern is
linear, and a text that is too long has none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import accumulate, pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.surfaces.terminal import counted
from steadyhand.surfaces.web.markup import Html, code
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import split_lines
from steadyhand.text.span import Span
from steadyhand.text.visible import first_difference
from steadyhand.text.words import word_changes

if TYPE_CHECKING:
    from steadyhand.session.review.change import ReviewChange

CONTEXT = 3
MOST_ROWS = 300  # of one change; more are shown when they are asked for
_WIDEST = 1_000  # characters of a row
_SIGNS = {"-": "removed", "+": "added", " ": ""}
Colour = tuple[int, int, str]
"""From where to where in its row, and the class: comment, string, number, keyword, property, tag or heading."""

_LONGEST = 400_000  # characters of a text that is coloured
_KEPT = 64  # texts whose colours are remembered

_SPACED = r"(?P<n>\b\d[\w.]*)|(?P<w>[^\W\d][\w$]*)"
_QUOTED = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_PATTERNS = {
    "c": rf"(?P<c>//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))|(?P<s>{_QUOTED}|`(?:[^`\\]|\\[\s\S])*`)|{_SPACED}",
    "python": (r"(?P<c>#[^\n]*)|(?P<s>\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)|" + rf"{_QUOTED})|{_SPACED}"),
    "hash": rf"(?P<c>(?<![^\s])#[^\n]*)|(?P<s>{_QUOTED})|(?P<p>^[ \t-]*[\w.-]+(?=[ \t]*[:=]))|{_SPACED}",
    "json": rf"(?P<p>\"(?:[^\"\\\n]|\\.)*\"(?=[ \t]*:))|(?P<s>{_QUOTED})|(?P<c>//[^\n]*)|{_SPACED}",
    "sql": rf"(?P<c>--[^\n]*|/\*[\s\S]*?(?:\*/|\Z))|(?P<s>'(?:[^']|'')*')|{_SPACED}",
    "css": rf"(?P<c>/\*[\s\S]*?(?:\*/|\Z))|(?P<s>{_QUOTED})|(?P<p>[\w-]+(?=[ \t]*:[ \t]))|{_SPACED}",
    "html": (
        r"(?P<c><!--[\s\S]*?(?:-->|\Z))|(?P<t></?[A-Za-z][\w:-]*|/?>)|(?P<p>[\w:@-]+(?==[\"']))"
        r"|(?P<s>(?<==)(?:\"[^\"\n]*\"|'[^'\n]*'))"
    ),
    "markdown": (
        r"(?P<h>^#{1,6} [^\n]*)|(?P<s>`[^`\n]+`|^```[^\n]*)|(?P<t>\]\([^)\n]*\))|(?P<k>\*\*[^*\n]+\*\*)"
        r"|(?P<c><!--[\s\S]*?(?:-->|\Z))|(?P<p>^[ \t]*(?:[-*+]|\d+\.)(?= ))"
    ),
}
_C_WORDS = (
    "abstract any as async await boolean bool break byte case catch chan char class const continue crate default "
    "defer delete do double dyn else enum export extends extern false final finally float fn for from fun func "
    "function go goto if impl implements import in instanceof int interface internal is let long loop map match mod "
    "module mut namespace new nil none null number object of operator override package private protected pub public "
    "range readonly return self short signed sizeof static string struct super switch template this throw throws "
    "trait true try type typedef typeof undefined union unsafe unsigned use using val var virtual void volatile when "
    "where while with yield"
)
_WORDS: Mapping[str, str] = {
    "c": _C_WORDS,
    "python": (
        "False None True and as assert async await break case class continue def del elif else except finally for from "
        "global if import in is lambda match nonlocal not or pass raise return self try while with yield"
    ),
    "hash": (
        "true false null yes no on off if then else elif fi for while do done case esac in function return export "
        "local def end class module require begin rescue unless until FROM RUN COPY CMD ENTRYPOINT ENV ARG WORKDIR"
    ),
    "json": "true false null",
    "sql": (
        "select from where insert into values update set delete create table index view drop alter add primary key "
        "foreign references join left right inner outer on as and or not null is in exists group by order having limit "
        "union all distinct case when then else end begin commit rollback default unique with"
    ),
}
_ENDINGS = {
    "c": "c h cc cpp cxx hpp cs java js jsx mjs cjs ts tsx go rs kt kts swift scala php dart proto groovy zig",
    "python": "py pyi pyw",
    "hash": "sh bash zsh yaml yml toml ini cfg conf env rb mk make dockerfile makefile properties tf hcl r pl",
    "json": "json jsonc json5 ipynb",
    "sql": "sql",
    "css": "css scss less",
    "html": "html htm xhtml xml svg vue svelte",
    "markdown": "md mdx markdown",
}
_BY_ENDING = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}


class Text(NamedTuple):
    """One side of a file: its rows with their line ends, and their colours."""

    rows: Sequence[str]
    colours: Mapping[int, list[Colour]]

    @classmethod
    def of(cls, text: str, path: str) -> Text:
        return cls(split_lines(text), colours_of(text, path))


class Row(NamedTuple):
    """A row: its sign, its 1-based numbers before and after, and its text as HTML."""

    sign: str
    old: int | None
    new: int | None
    html: str


def count_rows(change: ReviewChange) -> tuple[int, int]:
    """How many rows a change removed and added."""
    return len(split_lines(change.before)), len(split_lines(change.after))


def rows_of(
    change: ReviewChange,
    before: Text | None,
    after: Text | None,
    *,
    shift: int = 0,
    around: int = CONTEXT,
    most: int = MOST_ROWS,
) -> tuple[list[Row], int]:
    """The rows of a change with what is around it, and how many were left out.

    `after` is the present file and `before` the same without its changes; `shift` is how many rows longer the file
    became above this change. Where the files are not at hand the change is shown by itself.
    """
    first = change.lines[0] - 1 if change.lines is not None else 0
    gone, made = Text.of(change.before, change.path), Text.of(change.after, change.path)
    is_placed = after is not None and list(after.rows[first : first + len(made.rows)]) == list(made.rows)
    if change.lines is None or not is_placed:
        after = before = None
    if after is not None:
        made = _part(after, first, len(made.rows))
    start = first - shift
    if before is not None and list(before.rows[start : start + len(gone.rows)]) == list(gone.rows):
        gone = _part(before, start, len(gone.rows))
    rows = list(_changed(gone, made, start, first))
    left = max(len(rows) - most, 0)
    rows = rows[:most]
    if after is None:
        return rows, left
    top = max(first - around, 0)
    end = first + len(made.rows)
    above = _same(after, range(top, first), shift)
    below = (
        ()
        if left
        else _same(after, range(end, min(end + around, len(after.rows))), shift + len(made.rows) - len(gone.rows))
    )
    return [*above, *rows, *below], left


def _part(text: Text, start: int, count: int) -> Text:
    colours = {row - start: text.colours[row] for row in range(start, start + count) if row in text.colours}
    return Text(text.rows[start : start + count], colours)


def _same(text: Text, rows: Iterable[int], shift: int) -> Iterator[Row]:
    for row in rows:
        yield Row(" ", row + 1 - shift, row + 1, _painted(text.rows[row], text.colours.get(row, ())))


def _changed(gone: Text, made: Text, old: int, new: int) -> Iterator[Row]:
    """What differs, in groups: what went, then what came; rows that both have are between them."""
    at = 0
    delta = 0
    for change in diff_rows(list(gone.rows), list(made.rows)):
        for row in range(at, change.before_start):
            yield Row(" ", old + row + 1, new + row + delta + 1, _painted(gone.rows[row], gone.colours.get(row, ())))
        yield from _replaced(
            gone, made, change.before_start, change.before_end, change.after_start, change.after_end, old, new
        )
        at, delta = change.before_end, change.after_end - change.before_end
    for row in range(at, len(gone.rows)):
        yield Row(" ", old + row + 1, new + row + delta + 1, _painted(gone.rows[row], gone.colours.get(row, ())))


def _replaced(gone: Text, made: Text, a: int, b: int, c: int, d: int, old: int, new: int) -> Iterator[Row]:
    came: list[Row] = []
    for row, other in zip_longest(range(a, b), range(c, d)):
        marks: tuple[Sequence[Span], Sequence[Span]] = ((), ())
        at = 0
        if row is not None and other is not None:
            left, right = gone.rows[row], made.rows[other]
            at = first_difference(left, right)
            if left.rstrip("\r\n") != right.rstrip("\r\n"):
                marks = word_changes(left.rstrip("\r\n"), right.rstrip("\r\n"))
        if row is not None:
            yield Row(
                "-", old + row + 1, None, _painted(gone.rows[row], gone.colours.get(row, ()), marks[0], "del", at)
            )
        if other is not None:
            came.append(
                Row(
                    "+",
                    None,
                    new + other + 1,
                    _painted(made.rows[other], made.colours.get(other, ()), marks[1], "ins", at),
                )
            )
    yield from came


def _painted(
    row: str, colours: Sequence[Colour] = (), marks: Sequence[Span] = (), tag: str = "ins", at: int = 0
) -> str:
    """A row as HTML: coloured, with the words that differ marked; of a very long one, what is around an offset."""
    text = row.rstrip("\r\n")
    ending = row[len(text) :]
    note = "" if ending == "\n" else f'<b class="odd">{"no line end" if not ending else code_of(ending)}</b>'
    start, end = 0, len(text)
    if end > _WIDEST:
        start = max(min(at - _WIDEST // 4, end - _WIDEST), 0)
        end = start + _WIDEST
    cuts = {start, end}
    for first, last, _ in colours:
        cuts.update((min(max(first, start), end), min(max(last, start), end)))
    for span in marks:
        cuts.update((min(max(span.start, start), end), min(max(span.end, start), end)))
    places = sorted(cuts)
    pieces: list[str] = [_left_out(start)] if start else []
    is_open = False
    colour, mark = 0, 0
    for first, last in pairwise(places):
        while mark < len(marks) and marks[mark].end <= first:
            mark += 1
        is_marked = mark < len(marks) and marks[mark].start <= first
        if is_marked != is_open:
            pieces.append(f"<{tag}>" if is_marked else f"</{tag}>")
            is_open = is_marked
        while colour < len(colours) and colours[colour][1] <= first:
            colour += 1
        shown = code(text[first:last])
        is_coloured = colour < len(colours) and colours[colour][0] <= first
        pieces.append(f'<i class="{colours[colour][2]}">{shown}</i>' if is_coloured else shown)
    if is_open:
        pieces.append(f"</{tag}>")
    if end < len(text):
        pieces.append(_left_out(len(text) - end))
    return "".join(pieces) + note


def code_of(ending: str) -> str:
    """A line end that is not the usual one, in letters."""
    return ending.replace("\r", "\\r").replace("\n", "\\n")


def _left_out(count: int) -> str:
    return f'<b class="odd">… {counted(count, "more character")} …</b>'


def unified(rows: Sequence[Row], label: str) -> Html:
    """A table with a row for each: number before, number after, sign, text."""
    body = "".join(
        f'<tr class="{_SIGNS[row.sign]}"><td class="ln">{row.old or ""}</td><td class="ln">{row.new or ""}</td>'
        f'<td class="sign">{_sign(row.sign)}</td><td class="code">{row.html}</td></tr>'
        for row in rows
    )
    head = "<th>Line before</th><th>Line after</th><th>Change</th><th>Text</th>"
    return _table("unified", label, "nng", head, body)


def beside(rows: Sequence[Row], label: str) -> Html:
    """A table with what went on the left and what came in its place on the right."""
    body: list[str] = []
    at = 0
    while at < len(rows):
        if rows[at].sign == " ":
            body.append(_pair(rows[at], rows[at]))
            at += 1
            continue
        middle = at
        while middle < len(rows) and rows[middle].sign == "-":
            middle += 1
        end = middle
        while end < len(rows) and rows[end].sign == "+":
            end += 1
        body += [_pair(left, right) for left, right in zip_longest(rows[at:middle], rows[middle:end])]
        at = end
    head = "<th>Line before</th><th>Text before</th><th>Line after</th><th>Text after</th>"
    return _table("beside", label, "n n", head, "".join(body))


def _pair(left: Row | None, right: Row | None) -> str:
    return f"<tr>{_half(left, left.old if left else None)}{_half(right, right.new if right else None)}</tr>"


def _half(row: Row | None, number: int | None) -> str:
    if row is None:
        return '<td class="ln none"></td><td class="code none"></td>'
    style = _SIGNS[row.sign]
    return f'<td class="ln {style}">{number or ""}</td><td class="code {style}">{_sign(row.sign)}{row.html}</td>'


def _sign(sign: str) -> str:
    """The sign for the eye, and a word for those who listen."""
    if sign == " ":
        return '<span class="sg"> </span>'
    return f'<span class="sg" aria-hidden="true">{sign}</span><span class="vh">{_SIGNS[sign]}: </span>'


def _table(kind: str, label: str, columns: str, head: str, body: str) -> Html:
    """A table whose columns are numbers (n), signs (g) or texts."""
    widths = "".join(f'<col class="{each}">' if each != " " else "<col>" for each in columns)
    return Html(
        f'<table class="diff {kind}" aria-label="{escape(label)}"><colgroup>{widths}<col></colgroup>'
        f'<thead class="vh"><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def colours_of(text: str, path: str) -> Mapping[int, list[Colour]]:
    """The coloured parts of each row, 0-based; empty where the language is not known or the text is too long.

    >>> colours_of("x = 1  # one\\n", "a.py")[0]
    [(4, 5, 'n'), (7, 12, 'c')]
    """
    name = path.rsplit("/", 1)[-1].lower()
    syntax = _BY_ENDING.get(name.rsplit(".", 1)[-1])
    return {} if syntax is None or len(text) > _LONGEST else _coloured(text, syntax)


@lru_cache(maxsize=_KEPT)
def _coloured(text: str, syntax: str) -> Mapping[int, list[Colour]]:
    words = frozenset(_WORDS.get(syntax, "").split())
    starts = list(accumulate(map(len, split_lines(text)), initial=0))
    found: dict[int, list[Colour]] = {}
    for match in re.finditer(_PATTERNS[syntax], text, re.MULTILINE):
        name = match.lastgroup or ""
        if name == "w":
            if (match[0].lower() if syntax == "sql" else match[0]) not in words:
                continue
            name = "k"
        start, end = match.span()
        row = bisect_right(starts, start) - 1
        while start < end:
            stop = min(end, starts[row + 1]) if row + 1 < len(starts) else end
            found.setdefault(row, []).append((start - starts[row], stop - starts[row], name))
            start, row = stop, row + 1
    return found
