"""The needle with other line endings: LF for CR LF and so on, as sure as an exact find.

Both sides are compared with every ending written as LF. An ending is one unit: no find starts or ends inside
CR LF. A lone CR at the needle's own edge, or a needle that is nothing but endings with a CR among them, speaks
of the characters themselves and is left to the exact tier.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator

from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place whose lines are those of the needle, whatever ends them."""
    plain = _plain(needle.text)
    if plain is None:
        return
    if "\r" not in source.text:
        yield from _places(source.text, plain, None, apart=apart) if plain != needle.text else ()
        return
    pairs = array("Q", (found.start() - index for index, found in enumerate(re.finditer("\r\n", source.text))))
    yield from _places(to_lf(source.text), plain, pairs, apart=apart)


def literal(uniform: str | None, needle: str) -> str | None:
    """The needle with the endings the text has, where it has only one kind."""
    plain = _plain(needle)
    if plain is None:
        return ""  # finds nothing anywhere
    return None if uniform is None else plain.replace("\n", uniform)


def _plain(needle: str) -> str | None:
    """The needle with LF endings, or None when this tier has nothing to add to the exact one."""
    plain = to_lf(needle)
    if "\n" not in plain:
        return None
    starts_with_cr = needle.startswith("\r") and not needle.startswith("\r\n")
    is_only_endings = not plain.strip("\n") and "\r" in needle
    return None if starts_with_cr or needle.endswith("\r") or is_only_endings else plain


def _places(text: str, needle: str, pairs: array[int] | None, *, apart: bool) -> Iterator[Span]:
    """Finds in the LF text, as spans of the real one; `pairs` are the places in the LF text that were CR LF."""
    size = len(needle)
    at = text.find(needle)
    while at >= 0:
        end = at + size
        yield Span(at, end) if pairs is None else Span(at + bisect_left(pairs, at), end + bisect_left(pairs, end))
        at = text.find(needle, end if apart else at + 1)


TIER = Tier(
    name="newline",
    rank=20,
    confidence=1.0,
    summary="The old text is in the file with other line endings.",
    find=find,
    differs=("line endings",),
    matches=(
        Example("a\nb", "⟦a\r\nb⟧\r\n"),
        Example("a\nb\nc", "⟦a\r\nb\nc⟧\n"),
        Example("a\r\nb", "⟦a\nb⟧\n"),
        Example("a\nb", "⟦a\rb⟧"),
        Example("a\rb", "⟦a\nb⟧"),
        Example("\nb", "a⟦\r\nb⟧"),
        Example("b\n", "a\r\n⟦b\r\n⟧"),
        Example("\n", "a⟦\r\n⟧b⟦\r\n⟧"),
    ),
    ignores=(
        Example("a\nb", "a b"),
        Example("a\n\nb", "a\r\nb"),
        Example("a\nb", "a\u2028b"),
        Example("a\nb", "a\r\n\r\nb"),
        Example("a", "A\r\n"),
        Example("\r", "a\nb\n"),
        Example("\r\n", "a\nb\n"),
        Example("a\r", "a\n"),
        Example("b\n", "a\r\nb"),
    ),
    literal=literal,
)
