"""The needle, character for character. Nothing is overlooked.

A find never starts between the CR and the LF of one line ending: a needle that begins with LF means the
whole ending there, which is the next tier's business.
"""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.source import Source
from steadyhand.text.span import Span


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
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


def literal(_uniform: str | None, needle: str) -> str | None:
    """The needle itself, unless it may start inside CR LF."""
    return None if needle.startswith("\n") else needle


TIER = Tier(
    name="exact",
    rank=10,
    confidence=1.0,
    summary="The old text is in the file character for character.",
    find=find,
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
    literal=literal,
)
