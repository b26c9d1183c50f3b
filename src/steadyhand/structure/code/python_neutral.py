"""Whether a change leaves a valid Python text valid, from the statements around it.

The window is cut at two lines. It starts with a line that cannot be inside brackets, since it starts with a word that
no expression has, and ends before a line that is indented no deeper. If what is between them compiles by itself, now
and after the change, the rest of the text reads on as it did. Two things remain:

1. The first line may be in a string that spans lines. Then either the change is one that no string minds, or what
   follows the next triple quote could not be code, or the strings are followed from the start of the text.
2. Names may mean something to statements elsewhere: `global`, `nonlocal` and `from __future__`.

Only the window is compiled, so a text may be of any size. One that is too large or too new for this interpreter's
compiler is else judged by the grammar, which finds errors in some valid code: of such a text more may be proven here
than the full check takes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from keyword import iskeyword, softkwlist

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.python_verdict import is_bounded, python_fault
from steadyhand.structure.format import WIDEST, Change

_QUOTES = ('"""', "'''")
# A line with its indentation and what says that it is empty, or does not start a statement of its own.
_LINE = lazy_pattern(r"([ \t]*)(?:(\r?\n|\#|\Z)|([)\]}\"'\f])|((?:else|elif|except|finally|case)\b))?")
_BLANK, _INSIDE, _CLAUSE = 2, 3, 4
_EMPTY = r"[ \t]*(?:\#|\r?\n|\Z)"
_ANCHOR_WORDS = ("def ", "class ", "import ")
_ANCHOR = lazy_pattern(
    r"([ \t]*)(?:(?:async[ \t]+)?def[ ]+\w|class[ ]+\w)|(?:import[ ]+\w|from[ \t]+[\w.]+[ \t]+import[ ])"
)
_SIMPLE_HEADER = lazy_pattern(
    r"[ \t]*(?:async[ \t]+)?def[ \t]+\w+\((?:[^()\"'#\\]|\"[^\"\\\n]*\"|'[^'\\\n]*')*+\)"
    r"(?:[ \t]*->[ \t]*[\w.\[\], |]+)?:\r?\n"
)
_SIGNS = lazy_pattern(r"[^()\[\]{}\"'\\#\n]+")
_TOUCHY = lazy_pattern(r"[\\{}]|[^\x00-\x7f]")
_PROSE = lazy_pattern(r"([^\W\d]\w*)(?![\w\"'])|[ \t]*\r?\n[ \t]*([^\W\d]\w*)[ ]([^\W\d]\w*)(?![\w\"'])")
_CODE = lazy_pattern(r"(?:[^\"'#\\\n]|\"(?!\"\")[^\"\\\n]*\"|'(?!'')[^'\\\n]*')*+(#)?")
_FLAT_FIELDS = lazy_pattern(r"(?:[^{}]|\{\{|\}\}|\{[^{}]*\})*+\Z")
_ANNOTATED = lazy_pattern(r"\b(?:yield|await)\b|:=")
_SOFT = frozenset(softkwlist) | {"type"}  # a keyword of later versions
_TWO_WORDS = lazy_pattern(r"[ \t]*([^\W\d]\w*)[ ]([^\W\d]\w*)(?![\w\"'])")
_LAST_WORD = lazy_pattern(r"(?:\b([^\W\d]\w{2,})|\.)\Z")  # longer than what may be in front of a quote
_STRINGS_AND_NOTES = frozenset("\"'#\\")
_FORMATTED = lazy_pattern(r"[fFtT][rR]?[\"']")
_DEEPEST = 40  # characters of indentation
_MOST_HOPS = 4_000
_MANY_BRANCHES = 400


@dataclass(frozen=True, slots=True)
class _Window:
    """Statements around a change: where they are in the text before, and how far they are indented.

    `is_inside`: everything from the line behind the first to the change is indented deeper.
    """

    change: Change
    start: int
    end: int
    indent: str
    is_inside: bool

    @property
    def before(self) -> str:
        return self.change.before[self.start : self.end]

    @property
    def after(self) -> str:
        return self.change.after[self.start : self.end + len(self.change.after) - len(self.change.before)]


def is_neutral(change: Change) -> bool:
    """Whether the text after is valid Python if the text before is."""
    old, new = change.old, change.new
    if "__future__" in old or "__future__" in new:
        return False
    window = _window(change)
    if window is None or not _is_plain(window.before) or not _is_plain(window.after):
        return False
    return (
        _is_code(window, old, new)
        and _is_same_scope(window, old, new)
        and (_shape(old) == _shape(new) or _compiles(window.before, window.indent))
        and _compiles(window.after, window.indent)
        and not (_ANNOTATED.search(new) and not _compiles(window.after, window.indent, postponed=True))
        and not ("elif" in new and change.after.count("elif") > _MANY_BRANCHES)
        and not (("!=" in new or "<>" in new) and "FLUFL" in change.before)
    )


def _window(change: Change) -> _Window | None:
    """The least that can be cut out around a change."""
    text, low = change.before, _lowest(change.old, _lowest(change.new, None))
    floor, at, indent = max(change.end - WIDEST, 0), change.start, ""
    while True:
        word = max(text.rfind(word, floor, at) for word in _ANCHOR_WORDS)
        if word < 0:
            if floor or low or not change.end:
                return None
            at = 0
            break
        at = text.rfind("\n", 0, word) + 1
        found = _ANCHOR.match(text, at)
        if found is None or at < floor:
            continue
        indent = found[1] or ""
        if (low is None or low.startswith(indent)) and not _shallower(indent).search(text, at, change.start):
            break
    end = _end(text, change.end, indent, at + WIDEST)
    if end is None or len(indent) > _DEEPEST:
        return None
    is_inside = low != indent and not _no_deeper(indent).search(text, at, change.start)
    return _Window(change, at, end, indent, is_inside)


def _end(text: str, at: int, indent: str, limit: int) -> int | None:
    """The first line that is indented no deeper, and starts a statement if what is before it is complete."""
    while found := _no_deeper(indent).search(text, max(at - 1, 0), limit):
        at = found.start() + 1
        line = _LINE.match(text, at)
        assert line is not None
        if line.lastindex == _CLAUSE and line[1] == indent and indent:
            return None
        if line.lastindex not in (_INSIDE, _CLAUSE) or (line.lastindex == _CLAUSE and line[1] != indent):
            return at if indent.startswith(line[1]) else None
        at += 1
    return None if limit < len(text) else len(text)


@lru_cache(64)
def _shallower(indent: str) -> re.Pattern[str]:
    """The line end before a line that does not have all of an indentation."""
    return re.compile(rf"\n(?!{indent}|{_EMPTY})")


@lru_cache(64)
def _no_deeper(indent: str) -> re.Pattern[str]:
    """The line end before a line that is not indented deeper."""
    return re.compile(rf"\n(?!{indent}[ \t]|{_EMPTY})")


def _lowest(lines: str, low: str | None) -> str | None:
    """The indentation that all lines have, empty ones aside; `low` is that of others."""
    at = 0
    while at < len(lines):
        found = _LINE.match(lines, at)
        assert found is not None
        if found.lastindex != _BLANK:
            low = found[1] if low is None else _common(low, found[1]) or ""
        at = lines.find("\n", at) + 1 or len(lines)
    return low


def _common(one: str | None, two: str) -> str | None:
    """The lesser of two indentations; None where neither starts with the other."""
    if one is None or one.startswith(two):
        return two
    return one if two.startswith(one) else None


def _is_plain(code: str) -> bool:
    """Whether lines end as they seem to, and indentation is what it seems."""
    return "\f" not in code and "\0" not in code and code.count("\r") == code.count("\r\n")


def _shape(lines: str) -> str:
    """What of some lines decides in which strings and brackets the next line is."""
    shape = _SIGNS.sub(" ", lines)
    return shape if shape.strip(" \n") else ""


def _compiles(code: str, indent: str, *, postponed: bool = False) -> bool:
    text = f"class _:\n{code}" if indent else code
    return is_bounded(text) and python_fault(text, postponed=postponed) is None


def _is_code(window: _Window, old: str, new: str) -> bool:
    """Whether the first line of a window starts a statement, or nothing depends on it."""
    text, start = window.change.before, window.start
    if text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        return False
    if not start:
        return True
    before, after = window.before, window.after
    is_quoted = any(quote in before or quote in after for quote in _QUOTES)
    if not is_quoted and not _TOUCHY.search(old) and not _TOUCHY.search(new):
        return True
    return all(_rules_out(text, window, quote) for quote in _QUOTES) or _is_outside(text, start)


def _rules_out(text: str, window: _Window, quote: str) -> bool:
    """Whether the text nearby shows that a window does not start in a string of such quotes."""
    if quote in window.before:
        return _opens(window.before, quote)
    last = text.rfind(quote, 0, window.start)
    return last < 0 or _closes(text, last, quote)


def _closes(text: str, at: int, quote: str) -> bool:
    """Whether a triple quote cannot be one that opens a string: what is before it could not be code."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    if text[at - 1 : at] == "\\" or text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        return False
    if not line.strip():
        above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        words = _TWO_WORDS.match(above)
        return words is not None and not set(above) & _STRINGS_AND_NOTES and not _are_operators(words)
    if line.lstrip().startswith(quote):
        return line.count(quote) == 1 and _opens(line, quote)
    last = _LAST_WORD.search(line)
    return last is not None and not set(line) & _STRINGS_AND_NOTES and not _are_operators(last)


def _opens(code: str, quote: str) -> bool:
    """Whether the first triple quote cannot be one that closes: behind it is what no code can be."""
    at = code.find(quote)
    found = _PROSE.match(code, at + 3)
    if found is None or code[at - 1 : at] == "\\":
        return False
    return not _are_operators(found)


def _are_operators(found: re.Match[str]) -> bool:
    """Whether one of the words found may be beside a string or a name in code."""
    return any(word is not None and (iskeyword(word) or word in _SOFT) for word in found.groups())


def _is_outside(text: str, end: int) -> bool:
    """Whether a place is in no string that spans lines: every triple quote before it is followed."""
    at = 0
    for _ in range(_MOST_HOPS):
        double, single = text.find('"""', at, end), text.find("'''", at, end)
        if double < 0 and single < 0:
            return True
        opens = single if double < 0 else double if single < 0 else min(single, double)
        line = max(text.rfind("\n", 0, opens) + 1, at)
        if text[max(line - 3, 0) : line].rstrip("\r\n").endswith("\\"):
            return False
        before = _CODE.match(text, line, opens)
        if before is not None and before[1]:
            at = text.find("\n", opens)
            continue
        if before is None or before.end() != opens or _FORMATTED.search(text, line, opens):
            return False
        quote = text[opens : opens + 3]
        closes = text.find(quote, opens + 3)
        while closes >= 0 and text[closes - 1] == "\\":
            if (closes - len(text[:closes].rstrip("\\"))) % 2 == 0:
                break
            closes = text.find(quote, closes + 1)
        if closes < 0 or closes + 3 > end or text[closes + 3 : closes + 4] == quote[0]:
            return False
        is_formatted = set(text[max(opens - 2, 0) : opens].lower()) & {"f", "t"}
        if is_formatted and not _FLAT_FIELDS.match(text, opens + 3, closes):
            return False
        at = closes + 3
    return False


def _is_noted(lines: str) -> bool:
    """Whether lines are comments, or blank: as code, they do nothing."""
    return all(line.lstrip(" \t\r").startswith("#") or not line.strip(" \t\r") for line in lines.split("\n"))


def _is_same_scope(window: _Window, old: str, new: str) -> bool:
    """Whether what the change does with names matters to no statement outside the window."""
    if _is_noted(old) and _is_noted(new):
        return True
    text = window.change.before
    if window.indent and "nonlocal" in new:
        return False
    header = _SIMPLE_HEADER.match(text, window.start, window.change.start) if window.is_inside else None
    if header is not None and ":=" not in text[window.start : header.end()]:
        return True
    if (not window.start or text.startswith("from", window.start)) and text.find("__future__", window.end) >= 0:
        return False
    if window.indent and "nonlocal" in text:
        return False
    if "global" in new or "global" in old:
        return False
    words = set(re.findall(r"\w+", new))
    at = text.find("global")
    while at >= 0:
        line_end = text.find("\n", at)
        declared = text[at : line_end if line_end >= 0 else len(text)]
        if declared.rstrip().endswith("\\") or words & set(re.findall(r"\w+", declared)) - {"global"}:
            return False
        at = text.find("global", at + 6)
    return True
