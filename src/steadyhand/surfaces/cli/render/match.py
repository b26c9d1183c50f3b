"""How an old text was found, in words: the tier, how sure it is, how alike both are, and what differed.

Nothing is said of a place that was quoted exactly, or named by an address.
"""

from __future__ import annotations

from collections.abc import Container, Sequence


def finding(tier: str | None, confidence: float | None, similarity: float | None, differs: Sequence[str]) -> str | None:
    """A sentence on a place that was found with differences; None where there were none.

    >>> finding("whitespace", 0.98, 0.96, ("indentation",))
    'found at the whitespace tier, 98% sure, 96% alike; what differed: indentation'
    """
    if tier in (None, "exact") or tier in _addresses():
        return None
    shares = [(share, word) for share, word in ((confidence, "sure"), (similarity, "alike")) if share is not None]
    told = {_percent(share): word for share, word in shares if share < 1}  # one share is shown once
    measures = "".join(f", {percent} {word}" for percent, word in told.items())
    return f"found at the {tier} tier{measures}" + (f"; what differed: {', '.join(differs)}" if differs else "")


def _addresses() -> Container[str]:
    """The kinds of targets that stand for a tier where nothing was quoted; they overlook nothing."""
    from steadyhand.structure.target import targets  # the list of commands must not load them

    return targets()


def lines_of(lines: tuple[int, int] | None) -> str:
    """Where a text is now: ` line 3`, ` lines 3–5`, or nothing.

    >>> lines_of((3, 5))
    ' lines 3–5'
    """
    if lines is None:
        return ""
    first, last = lines
    return f" line {first}" if first >= last else f" lines {first}–{last}"


def _percent(share: float) -> str:
    """Whole percents, rounded so that only what is whole is called 100%."""
    return "100%" if share >= 1 else f"{min(share, 0.99):.0%}"
