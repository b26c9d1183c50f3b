"""HTML entities for the five characters that HTML escapes, one level of them.

Whoever escapes a text escapes every `<` in it. A character that is escaped in one place and plain in another,
in either text, is therefore content somewhere, and the texts are left; but a new text without entities was not
escaped at all and stays as it is. Other entities are never touched.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern
from steadyhand.match.repair import Repair, Repaired, RepairExample

_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY = lazy_pattern(r"&(?:(lt|gt|amp|quot|apos)|#(?:0*(34|38|39|60|62)|[xX]0*(22|26|27|3[cCeE])));")


def repair(old: str, new: str) -> Repaired | None:
    """Both texts with these entities read once."""
    if not _ENTITY.search(old):
        return None
    both = f"{old}\n{new}" if _ENTITY.search(new) else old
    escaped = {_character(found) for found in _ENTITY.finditer(both)}
    if escaped & set(_ENTITY.sub("", both)):
        return None
    return Repaired(_ENTITY.sub(_character, old), _ENTITY.sub(_character, new))


def _character(found: re.Match[str]) -> str:
    named, decimal, hexadecimal = found.groups()
    if named:
        return _NAMED[named]
    return chr(int(decimal) if decimal else int(hexadecimal, 16))


REPAIR = Repair(
    name="HTML entities",
    rank=70,
    summary="HTML entities in the old text are read as the characters they stand for.",
    apply=repair,
    examples=(
        RepairExample("a &lt; b", "a &gt; b", "a < b", "a > b"),
        RepairExample("a &lt; b", "a &lt; b &amp;&amp; c", "a < b", "a < b && c"),
        RepairExample('f("x") -&gt; y', 'f("z") -&gt; y', 'f("x") -> y', 'f("z") -> y'),
        RepairExample("&#39;a&#x27;&apos;", "&quot;&#34;b", "'a''", '""b'),
        RepairExample("&lt;p&gt;&amp;lt;", "&lt;p&gt;&amp;nbsp;", "<p>&lt;", "<p>&nbsp;"),
        RepairExample("a &lt; b && c", "a &lt; d && c", "a < b && c", "a < d && c"),
        RepairExample("a &lt; b", "c", "a < b", "c"),
        RepairExample("a &lt; b", "a < c && d", "a < b", "a < c && d"),
        RepairExample("&lt;b&gt;x", "&lt;b&gt;&nbsp;", "<b>x", "<b>&nbsp;"),
    ),
    leaves=(
        RepairExample("a < b", "a &lt; b"),
        RepairExample("&nbsp;", "&nbsp;&nbsp;"),
        RepairExample("&lt", "&gt"),
        RepairExample("<p>a &lt; b</p>", "<p>a &lt; c</p>"),
        RepairExample("a &lt; b", "a < b &lt;"),
        RepairExample("a &lt; b", "<p>&amp;"),
        RepairExample('f("x") &lt; 1', "f(&quot;x&quot;) &lt; 1"),
        RepairExample("&amp;&nbsp;", "&amp;"),
    ),
)
