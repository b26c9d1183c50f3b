"""Where JSON may begin in a reply, and where brackets say that it ends. Looks at lines, reads no value.

JSON stands alone on its lines, in a fence that is none of another language, behind a tag, or behind words that lead to
it. Text between backticks in a line is talk about JSON.
"""

from __future__ import annotations

import re

from steadyhand.dialects.labels import label_in, label_in_info
from steadyhand.dialects.structured.fields import NAMES
from steadyhand.dialects.structured.quotes import plain_name
from steadyhand.lazy import lazy_pattern

__all__ = ["Brackets", "Fences", "find_orphan", "find_start", "goes_on", "has_known_key"]

_FENCE = lazy_pattern(r"""\s*(`{3,}|~{3,})\s*((?:[\w{.][^`"']*(?:=["'][^`"']*["']\s*)?)?)$""")
_INFOS = frozenset(
    ("", "json", "jsonc", "json5", "jsonl", "ndjson", "text", "txt", "plaintext", "edits", "apply_edits", "ranges")
)
_BLANK = lazy_pattern(r"\s*\Z")
_OPENER = lazy_pattern(r"[{\[]")
_LEAD = lazy_pattern(
    r"""[,;\s]*(?:(?:[-*+>]|\d+[.)])\s+)?(?:<[^<>]{1,200}>\s*)*(?:[^{}\[\]"'`<>]{0,200}[:=(]\s*)?""", re.ASCII
)
_INSIDE = {
    "{": lazy_pattern(r"""\s*(?:["'}/]|([A-Za-z_]\w*)\s*:)""", re.ASCII),
    "[": lazy_pattern(r"\s*[{\]/]"),
}
_KEYED = lazy_pattern(r"""[{\[][{\[\s]*["'](\w+)["']\s*:""", re.ASCII)
_TOKEN = lazy_pattern(r""""[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}"']""")
_ORPHAN = lazy_pattern(r"""\b(?:old|new)_?(?:string|str|text|content)["']\s{0,80}:\s{0,80}["']""", re.I | re.ASCII)
_LONGEST_LEAD = 400
_MOST_OPENERS = 40
_MARKDOWN = ("markdown", "md", "mdx")


class Fences:
    """The code fence that a line of a reply is in, and whether JSON in it is meant for us."""

    def __init__(self) -> None:
        self._mark = ""
        self._info = ""
        self._above = ""
        self._is_file = False

    @property
    def is_open(self) -> bool:
        return bool(self._mark)

    @property
    def allow(self) -> bool:
        """Whether JSON may begin here."""
        return not self._mark or ((self._info in _INFOS or self._info.startswith("tool")) and not self._is_file)

    def take(self, line: str) -> bool:
        """Whether a line is a fence; it is taken note of."""
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found is None:
            self._above = line if line.strip() else self._above
            return False
        mark, info = found.group(1), found.group(2).strip()
        if self._mark and not info and mark[0] == self._mark[0] and len(mark) >= len(self._mark):
            self._mark = ""
        elif not self._mark or (info and self._info not in _MARKDOWN):
            self._mark, self._info = mark, info.split()[0].lower() if info else ""
            name = label_in_info(info) or label_in(self._above) or ""
            self._is_file = label_in_info(info) is not None or name.lower().endswith((".json", ".jsonc", ".json5"))
        return True


def find_start(line: str, column: int = 0) -> int:
    """Where JSON may begin in a line, from a column on; -1 where it may not."""
    for count, found in enumerate(_OPENER.finditer(line, column)):
        at = found.start()
        if count == _MOST_OPENERS or line[at - 1 : at] == "`":
            return -1
        inside = goes_on(line, at + 1, found.group())
        if inside is False:
            continue
        is_led = at - column <= _LONGEST_LEAD and _LEAD.fullmatch(line, column, at) is not None
        if is_led or has_known_key(line, at):
            return at
    return -1


def goes_on(line: str, at: int, opener: str) -> bool | None:
    """Whether what is at an offset may follow an opener; None where nothing but blanks does."""
    if _BLANK.match(line, at):
        return None
    found = _INSIDE[opener].match(line, at)
    if found is None:
        return False
    word = found.group(1) if opener == "{" else None
    return word is None or NAMES.known(plain_name(word))


def find_orphan(text: str, start: int, end: int | None = None) -> int:
    """Where a stretch of text has a field of an edit; -1 where it has none."""
    found = _ORPHAN.search(text, start, len(text) if end is None else end)
    return -1 if found is None else found.start()


def has_known_key(line: str, at: int) -> bool:
    """Whether an object with a known key begins at an offset."""
    found = _KEYED.match(line, at)
    return found is not None and NAMES.known(plain_name(found.group(1)))


class Brackets:
    """How deep a JSON text is in brackets, line by line, as long as it is plain JSON."""

    def __init__(self) -> None:
        self._depth = 0

    def close_at(self, line: str, at: int) -> int | None:
        """Where the last bracket closes in a line; None where it does not, -1 where the text is no plain JSON."""
        for token in _TOKEN.finditer(line, at):
            text = token.group()
            if text in ("{", "["):
                self._depth += 1
            elif text in ("}", "]"):
                self._depth -= 1
                if self._depth <= 0:
                    return token.end()
            elif len(text) == 1:
                return -1
        return None
