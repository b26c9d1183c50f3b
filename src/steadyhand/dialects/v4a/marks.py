"""The lines of a V4A patch that are no rows: its `*** …` marks, its `@@` lines, and what is wrapped around a patch.

Each question is about one line alone; in which order lines may come is the reader's matter.
"""

from __future__ import annotations

import re
from typing import Literal

from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["MARKS", "Anchor", "Mark", "anchor_in", "heredoc_word", "is_fence", "is_unknown_mark", "mark_in"]

MarkName = Literal["begin", "end", "end-of-file", "add", "update", "delete", "move", "environment"]

MARKS = "*** Update File:, *** Add File:, *** Delete File:, *** Move to:, *** End of File or *** End Patch"

_PLAIN: dict[str, MarkName] = {"begin patch": "begin", "end patch": "end", "end of file": "end-of-file"}
_NAMING: dict[str, MarkName] = {
    "add file": "add",
    "update file": "update",
    "delete file": "delete",
    "move to": "move",
    "environment id": "environment",
}
_STARS = "***"
_NUMBERS = lazy_pattern(r"[ \t]*[-+]?\d+(?:,\d+)?(?:[ \t]+[-+]?\d+(?:,\d+)?)?[ \t]*(?:@@|\Z)", re.ASCII)
_FENCE = lazy_pattern(r"(?:`{3,}[^`]*|~{3,}.*)\Z")
_HEREDOC = lazy_pattern(r"(?<!<)<<-?[ \t]*[\"'\\]?(\w+)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A `*** …` line; `value` is the path or id behind its colon, without blanks around it."""

    name: MarkName
    value: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An `@@` line; `header` is the line of the file it quotes, empty where it quotes none.

    `is_numbered`: it has the line numbers of a unified diff, which this format does not know.
    """

    header: str = ""
    is_numbered: bool = False


def mark_in(text: str) -> Mark | None:
    """The mark that a line is, whatever blanks are around it.

    >>> mark_in("*** Update File: a.py "), mark_in("*** End Patch"), mark_in("***")
    (Mark(name='update', value='a.py'), Mark(name='end', value=''), None)
    """
    line = text.strip()
    if not line.startswith(_STARS):
        return None
    key, colon, value = line[len(_STARS) :].partition(":")
    words = " ".join(key.lower().split())
    if words in _PLAIN:
        return Mark(_PLAIN[words]) if not value.strip() else None
    return Mark(_NAMING[words], value.strip()) if words in _NAMING and colon else None


def is_unknown_mark(text: str) -> bool:
    """Whether a line has the form of a mark and is none; three stars alone are a rule in a text.

    >>> is_unknown_mark("*** Rename File: a"), is_unknown_mark("***"), is_unknown_mark("***bold***")
    (True, False, False)
    """
    return text.startswith(_STARS + " ") and bool(text[len(_STARS) :].strip()) and mark_in(text) is None


def anchor_in(text: str) -> Anchor | None:
    """The `@@` line that a line is; none where something other than a blank follows, as in Ruby's `@@count`.

    >>> anchor_in("@@ class A:").header, anchor_in("@@ -3,2 +3,4 @@ class A:"), anchor_in("@@count = 1")
    ('class A:', Anchor(header='', is_numbered=True), None)
    """
    if not text.startswith("@@"):
        return None
    rest = text[2:]
    if _NUMBERS.match(rest):
        return Anchor(is_numbered=True)
    if rest and rest[0] not in " \t":
        return None
    header = rest[1:].rstrip()
    header = header[:-2].rstrip() if header.endswith((" @@", "\t@@")) else header
    return Anchor("" if header.strip() in ("", "@@", "...") else header)


def is_fence(text: str) -> bool:
    """Whether a line is nothing but a code fence, with or without a language."""
    return _FENCE.match(text.strip()) is not None


def heredoc_word(text: str) -> str | None:
    """The word that ends the text a shell call is given, as in `apply_patch <<'EOF'`.

    >>> heredoc_word("bash -lc \\"apply_patch <<'EOF'"), heredoc_word("see below")
    ('EOF', None)
    """
    found = _HEREDOC.search(text) if "<<" in text else None
    return found.group(1) if found is not None else None
