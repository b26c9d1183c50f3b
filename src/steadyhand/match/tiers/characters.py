"""The needle's rows in characters that look alike: other blanks, or plain quotes and dashes for typographic ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate

from steadyhand.match.lexer import fold, lexer_of, squeeze
from steadyhand.match.rows import find_windows, rows_with
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart
from steadyhand.text.typography import plain

# The needle's lines with other blanks: at their ends, in front of them, between their words, between the lines.
#
# Compared line by line. Blanks inside string literals count; a word is never joined or divided; the first and the last
# line are whole lines. Where the lines have another indentation, the place is found all the same.


def find_other_blanks(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place whose lines differ from the needle's in nothing but blanks."""
    return find_windows(source, needle, partial(squeeze, lexer_of(source.path)), apart=apart)


# The needle with plain quotes for typographic ones, a hyphen for a dash, blanks for no-break spaces, and the reverse.
#
# Whole lines are compared with their blanks squeezed as well; a needle of one line may also be inside a line, but not
# inside a word of it. Where a language makes no difference between 'x' and "x", neither does this tier.

_LONGEST = 20_000  # code points of a needle that is part of a line
_PIECE = 4_000
_INVISIBLE = 200  # characters without a shape that may be between the others


class _UnmappableError(Exception):
    """A place is composed otherwise than character by character, so that its edges are not known."""


def find_plain_characters(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place that differs from the needle in typography, and perhaps in blanks."""
    found = find_windows(source, needle, partial(fold, lexer_of(source.path)), apart=apart)
    first = next(found, None)
    if first is not None:
        yield first
        yield from found
    elif needle.rows == (needle.text,):
        yield from _inside_lines(source, needle.text, apart=apart)


def _inside_lines(source: Source, wanted: str, *, apart: bool) -> Iterator[Span]:
    """Parts of lines; both sides are compared character by character, with what each plainly is."""
    target = plain(wanted)
    if not target.strip() or len(wanted) > _LONGEST:
        return
    try:
        found = [span for row in rows_with(source, [wanted]) or () for span in _parts_of_line(source, row, target)]
    except _UnmappableError:
        return
    if any(_cuts_word(source.text, at) for span in found for at in (span.start, span.end)):
        return  # part of a word is something else, and the other places alone would look like all of them
    yield from kept_apart(found) if apart else found


def _cuts_word(text: str, at: int) -> bool:
    """Whether a position is inside a word, in writing that puts something between words."""
    return 0 < at < len(text) and _is_of_word(text[at - 1]) and _is_of_word(text[at])


def _is_of_word(char: str) -> bool:
    return char == "_" or char.isdigit() or char.lower() != char.upper()


def _parts_of_line(source: Source, row: int, target: str) -> Iterator[Span]:
    """A long line is looked at piece by piece, each as long as the target and overlapping the next by as much."""
    line, start = source.table.span(row), source.table.start(row)
    size = max(_PIECE, 4 * len(target))
    position = start
    while position < line.end:
        piece = source.text[position : min(position + size + 2 * len(target) + _INVISIBLE, line.end)]
        yield from (span for span in _parts_of_piece(piece, target, position) if span.start < position + size)
        position += size


def _parts_of_piece(piece: str, target: str, offset: int) -> Iterator[Span]:
    if piece.isascii():  # it is plain already, so offsets hold
        starts: Sequence[int] = range(len(piece) + 1)
        yield from _parts(piece, target, starts, offset)
        return
    shown = [plain(char) for char in piece]
    if "".join(shown) == plain(piece):
        yield from _parts("".join(shown), target, list(accumulate(map(len, shown), initial=0)), offset)
    elif target in plain(piece):
        raise _UnmappableError  # it is there, and other places alone would look like all of them


def _parts(text: str, target: str, starts: Sequence[int], offset: int) -> Iterator[Span]:
    """Places of the target in the plain text that begin and end with a whole character of the real one."""
    at = text.find(target)
    while at >= 0:
        end = at + len(target)
        first, last = bisect_left(starts, at), bisect_left(starts, end)
        if starts[first] == at and starts[last] == end:
            yield Span(offset + first, offset + last)
        at = text.find(target, at + 1)


TIERS: Mapping[str, Tier] = {
    "whitespace": Tier(
        name="whitespace",
        rank=40,
        confidence=0.98,
        summary="The old text's lines are in the file with different whitespace or blank lines.",
        find=find_other_blanks,
        differs=("blanks",),
        matches=(
            Example("    foo", "⟦  foo⟧\nx\n"),
            Example("a = 1\nb = 2", "x\n⟦a = 1  \nb = 2⟧\n"),
            Example("a = 1 \nb = 2\t\n", "x\n⟦a = 1\nb = 2\n⟧y\n"),
            Example("if x:\n    y()", "def f():\n⟦    if x:\n        y()⟧\n", "a.py"),
            Example("  if x {\n    y()", "⟦\tif x {\n\t\ty()⟧\n", "a.go"),
            Example("a1\nb1", "⟦a1\n\nb1⟧\n"),
            Example("a1\n\n\nb1", "⟦a1\nb1⟧\n"),
            Example("one  two", "⟦one two⟧\n"),
            Example("x = 'a  b'  # c", "⟦x  =  'a  b' # c⟧\n", "a.py"),
            Example("a1\nb1\n", "x\n⟦a1\nb1⟧"),
            Example("  end", "if a\n⟦end⟧\nif b\n⟦end⟧\n"),
            Example("a1\nb1", "⟦a1  \r\nb1⟧\r\n"),
        ),
        ignores=(
            Example(" foo ", "foobar\n"),
            Example('print("a b")', 'print("a  b")\n', "a.py"),
            Example("a\nb", "a b\n\nc\n"),
            Example("a b", "a\nb\n"),
            Example("foo(a)", "foo( a )\n", "a.py"),
            Example("a1 \nb1", "a1\nx\nb1\n"),
            Example("foo  bar", "x foo bar\n"),
            Example("foo  bar", "foo bar baz\n"),
            Example("a1\nb1  ", "b1\na1\n"),
            Example("it’s  so", "it's so\n"),
            Example("  \n\n", "a\n\nb\n"),
            Example("Foo  bar", "foo bar\n"),
        ),
    ),
    "typography": Tier(
        name="typography",
        rank=60,
        confidence=0.97,
        summary="The old text is in the file with different quotes, dashes, ellipses or special spaces.",
        find=find_plain_characters,
        differs=("typography",),
        matches=(
            Example("it's done", "⟦it’s done⟧\n"),
            Example('say "hi"\nnow - or never', "⟦say “hi”\nnow – or never⟧\n", "a.md"),
            Example("wait...", "I said ⟦wait…⟧ there\n"),
            Example("10\u00a0km", "it is ⟦10 km⟧ away\n"),
            Example("x = ’a’", "⟦x = 'a'⟧\n", "a.py"),
            Example("x = 'a'\n", '⟦x = "a"\n⟧', "a.py"),
            Example("caf\u00e9 au lait", "⟦cafe\u0301 au lait⟧\n"),
            Example("the pla\u200bce", "at ⟦the place⟧ here\n"),
            Example("等等...", "我说⟦等等…⟧了\n"),
        ),
        ignores=(
            Example("it's", "its\n"),
            Example("a-b", "a_b\n"),
            Example("x = 'a'", 'x = "a"\n', "a.sh"),
            Example("x = 'a b'", 'x = "a  b"\n', "a.py"),
            Example("wait..", "wait…\n"),
            Example("don't  stop", "now don’t stop it\n"),
            Example("cafe", "café\n"),
            Example("state\u200b:", "value_state: 1\n", "a.yaml"),
            Example("it’s", "it's here, said the bandit's friend\n"),
            Example("it's a caf\u00e9", "now it’s a caf\u00e9 here\nand it’s a cafe\u0301 there\n"),
        ),
    ),
}
