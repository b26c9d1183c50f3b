"""Whole lines of configuration files: which comments belong to an entry, and how lines come and go.

Knows blanks, comment signs and line ends, and nothing of what the lines say.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from steadyhand.text.lines import NewlineFacts, line_start, to_lf
from steadyhand.text.span import Span


def first_of(text: str) -> int:
    """Where the first line starts: behind the mark that some editors put at the head of a file."""
    return 1 if text.startswith("\ufeff") else 0


def line_end(text: str, at: int) -> int:
    """Where the line that an offset lies in ends, its ending included.

    >>> line_end("a\\r\\nb", 0), line_end("a\\r\\nb", 3)
    (3, 4)
    """
    lf = text.find("\n", at)
    cr = text.find("\r", at, lf if lf >= 0 else len(text))
    if cr >= 0:
        return cr + (2 if cr + 1 == lf else 1)
    return len(text) if lf < 0 else lf + 1


def is_blank_line(text: str, start: int) -> bool:
    """Whether the line that starts there has nothing on it; the end of the text is no line."""
    return start < len(text) and not text[start : line_end(text, start)].strip(" \t\r\n")


def is_comment_line(text: str, start: int, signs: str = "#") -> bool:
    """Whether the line that starts there is a comment."""
    return text[start : line_end(text, start)].lstrip(" \t")[:1] in tuple(signs)


def line_above(text: str, start: int) -> int:
    """Where the line before the one that starts at `start` starts; `start` is not 0."""
    at = start - 2 if text[start - 2 : start] == "\r\n" else start - 1
    return line_start(text, at)


def comments_above(text: str, start: int, low: int, signs: str = "#") -> int:
    """Where the comment lines directly above a line start, no further up than `low`.

    >>> comments_above("a\\n# b\\n# c\\nd", 10, 0)
    2
    """
    while start > low:
        above = line_above(text, start)
        if above < low or not is_comment_line(text, above, signs):
            break
        start = above
    return start


def comments_below(text: str, start: int, high: int, signs: str = "#") -> int:
    """Where the comment lines that start directly at `start` end, no further down than `high`."""
    while start < high and is_comment_line(text, start, signs):
        start = line_end(text, start)
    return start


def own_head(text: str, span: Span, low: int, *, follows_entry: bool, signs: str = "#") -> int:
    """Where the lines of an entry start, with the comments above that are its own.

    Comments at the head of the file, and those that head several entries, stay when one of them goes: `follows_entry`
    says that an entry, no header, ends at `low`.
    """
    start = line_start(text, span.start, low)
    first = comments_above(text, start, low, signs)
    end = line_end(text, span.end)
    is_next_entry = end < len(text) and not is_blank_line(text, end) and not is_comment_line(text, end, signs)
    is_group = is_next_entry and text[end : line_end(text, end)].lstrip(" \t")[:1] != "["
    if first == start or first == 0 or (is_group and not (follows_entry and first == low)):
        return start
    return first


def removal(text: str, span: Span) -> list[Span]:
    """What to take away so that whole lines go and no gap stays: of two gaps one, at the end of the file none.

    The lines and what goes with them are parted: earlier edits of the same call may have taken lines between them.
    """
    start, end = span
    while start and end == len(text) and is_blank_line(text, above := line_above(text, start)):
        start = above
    if not start or is_blank_line(text, line_above(text, start)):
        while is_blank_line(text, end):
            end = line_end(text, end)
    first = start
    if end == len(text) and start and not text.endswith(("\n", "\r")):
        first -= 2 if text[start - 2 : start] == "\r\n" else 1
    return parted([Span(first, end)], (start, *span))


def insertion(text: str, at: int, lines: str) -> tuple[Span, str]:
    """New lines, without their last ending, in front of the line that starts at `at`, or behind the last."""
    at = max(at, first_of(text))
    if at == len(text) and text and not text.endswith(("\n", "\r")):
        return Span(at, at), f"\n{lines}"
    return Span(at, at), f"{lines}\n"


def with_endings_of(carried: str, new: str) -> str:
    """New lines around a text that is carried to another place get its line endings, where it has one kind only.

    >>> with_endings_of("a\\r\\nb", "# c\\na\\r\\nb\\n")
    '# c\\r\\na\\r\\nb\\r\\n'
    """
    ending = NewlineFacts.of(carried).uniform
    return new if ending in (None, "\n") else to_lf(new).replace("\n", ending)


def parted(spans: list[Span], seams: Iterable[int]) -> list[Span]:
    """The same spans, cut at some places.

    >>> parted([Span(0, 6), Span(8, 9)], (4, 0))
    [Span(start=0, end=4), Span(start=4, end=6), Span(start=8, end=9)]
    """
    known = set(seams)
    cuts = [sorted({*span, *(seam for seam in known if span.start < seam < span.end)}) for span in spans]
    return [Span(*edge) for cut in cuts for edge in pairwise(cut)]


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order, those that touch or overlap made one.

    >>> merged([Span(4, 6), Span(0, 2), Span(2, 3)])
    [Span(start=0, end=3), Span(start=4, end=6)]
    """
    made: list[Span] = []
    for span in sorted(spans):
        if made and made[-1].end >= span.start:
            made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
        else:
            made.append(span)
    return made
