"""The needle as it is quoted: character for character, or with other line endings, which is as sure."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

# The needle, character for character. Nothing is overlooked.
#
# A find never starts between the CR and the LF of one line ending: a needle that begins with LF means the
# whole ending there, which is the next tier's business.


def find_exact(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place that has the needle."""
    wanted = needle.text
    if not wanted:
        return
    text = source.text
    size = len(wanted)
    step = size if apart else 1
    at = text.find(wanted)
    while at >= 0:
        if wanted[0] == "\n" and at and text[at - 1] == "\r":
            at = text.find(wanted, at + 1)
            continue
        yield Span(at, at + size)
        at = text.find(wanted, at + step)


def exact_literal(_uniform: str | None, needle: str) -> str | None:
    """The needle itself, unless it may start inside CR LF."""
    return None if needle.startswith("\n") else needle


# The needle with other line endings: LF for CR LF and so on, as sure as an exact find.
#
# Both sides are compared with every ending written as LF. An ending is one unit: no find starts or ends inside
# CR LF. A lone CR at the needle's own edge, or a needle that is nothing but endings with a CR among them, speaks
# of the characters themselves and is left to the exact tier.


def find_other_endings(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place whose lines are those of the needle, whatever ends them."""
    plain = _plain(needle.text)
    if plain is None:
        return
    if "\r" not in source.text:
        yield from _places(source.text, plain, None, apart=apart) if plain != needle.text else ()
        return
    pairs = array("Q", (found.start() - index for index, found in enumerate(re.finditer("\r\n", source.text))))
    yield from _places(to_lf(source.text), plain, pairs, apart=apart)


def other_endings_literal(uniform: str | None, needle: str) -> str | None:
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


TIERS: Mapping[str, Tier] = {
    "exact": Tier(
        name="exact",
        rank=10,
        confidence=1.0,
        summary="The old text is in the file, character for character.",
        find=find_exact,
        differs=(),
        matches=(
            Example("b", "a⟦b⟧c"),
            Example("foo()", "⟦foo()⟧\n  ⟦foo()⟧\n"),
            Example("$&", "cost: ⟦$&⟧"),
            Example("\r", "a⟦\r⟧\nb"),
            Example("b\r\nc", "a\r\n⟦b\r\nc⟧"),
        ),
        ignores=(
            Example("A", "a"),
            Example(" foo ", "foobar"),
            Example("a b", "a  b"),
            Example("a\nb", "a b\n\nc"),
            Example("\nb", "a\r\nb"),
            Example("b\n", "a\nb"),
            Example("", "abc"),
        ),
        literal=exact_literal,
    ),
    "newline": Tier(
        name="newline",
        rank=20,
        confidence=1.0,
        summary="The old text is in the file with different line endings.",
        find=find_other_endings,
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
        literal=other_endings_literal,
    ),
}
