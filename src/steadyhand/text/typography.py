"""Characters that type-setting puts in the place of plain ones, and the plain ones. Pure; only for comparing.

No text that is written to a file goes through here: what a file has stays as it is.
"""

from __future__ import annotations

import unicodedata

from steadyhand.lazy import lazy_pattern

__all__ = ["INVISIBLE", "PLAIN", "plain"]

_QUOTES = "‘’‚‛′“”„‟″"
_DASHES = "‐‑‒–—―−"
_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

# One for one, so that offsets hold.
PLAIN = str.maketrans(_QUOTES + _DASHES + _BLANKS, "'''''" + '"""""' + "-" * len(_DASHES) + " " * len(_BLANKS))
_SHORTER = {**PLAIN, ord("…"): "...", **dict.fromkeys(map(ord, INVISIBLE))}
_ODD = lazy_pattern(f"[{_QUOTES}{_DASHES}{_BLANKS}{INVISIBLE}…]")


def plain(text: str) -> str:
    """The text with plain quotes, dashes, dots and blanks, nothing invisible, and composed characters.

    >>> plain("“it’s”\\u00a0— wait…")
    '"it\\'s" - wait...'
    """
    if text.isascii():
        return text
    if _ODD.search(text):
        text = text.translate(_SHORTER)
    return unicodedata.normalize("NFC", text)
