"""Whether a change leaves a valid YAML text valid, from the changed lines and their neighbours.

Lines are looked at that are entries of the plainest kind: a key, a value in plain words or in quotes. Where such lines
are is not known: among the entries of a block, in a block scalar, in quotes or brackets that span lines. A change is
accepted that is right in all of these, but for those which the lines themselves rule out.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.format import WIDEST, Change, Fault, Unchecked, matched_lines
from steadyhand.text.source import Source

_WORDS = r"(?:/|-{0,2})\w(?:[\w./+=@%$;()<>-]|,[ ](?=\w)|[ ](?=[\w/(]))*+"
_LINE = lazy_pattern(
    r"([ ]*)((?:-[ ]+)*)([A-Za-z_][\w./-]*:(?=[ ]|\r?\n|\Z))?"
    rf"(?:(?(3)[ ]+)(?:({_WORDS})|(\"\w[^\"'\\\r\n]*\")|('\w[^\"'\\\r\n]*')"
    r"|(\[(?:\w[\w.-]*(?:,[ ]\w[\w.-]*)*)?\])))?(?:[ ]+(\#[^\r\n]*)|[ ]*)(?:\r?\n|\Z)"
)
_PLAIN, _DOUBLE, _SINGLE, _LIST, _COMMENT = 4, 5, 6, 7, 8
_STYLES = (_PLAIN, _DOUBLE, _SINGLE, _LIST)
_HEAD = lazy_pattern(r"([ ]*)(-[ ])?([A-Za-z_][\w./-]*:(?=[ ]|\r?\n|\Z))?")
_NOTE = lazy_pattern(r"[ ]*(?:\r?\n|\Z|\#)")
_LONGEST = 500  # characters of a line: longer keys are none
_MOST_LINES = 60

_Line = re.Match[str]


def is_neutral(change: Change) -> bool:
    """Whether the text after is valid if the text before is."""
    if not change.old or not change.new:  # lines that come or go are looked at with the one above, or below
        return _is_neutral(change.widen(above=True)) or _is_neutral(change.widen(above=False))
    return _is_neutral(change)


def _is_neutral(change: Change) -> bool:
    old, new = _lines(change.old), _lines(change.new)
    if not old or not new or not change.new.replace("\r", "").replace("\n", "").isprintable():
        return False
    if len(old) == len(new) and all(map(_is_alike, old, new)):
        return all(_has_room(line, other) for line, other in zip(old, new, strict=True))
    if any(line[_COMMENT] for line in (*old, *new)):  # in quotes it may be text with more of them
        return False
    return _are_items(change, old, new) or _are_entries(change, old, new)


def _lines(text: str) -> list[_Line] | None:
    """Every line, if they are of the plainest kind; None if one is not, or if one is empty."""
    found = matched_lines(_LINE, text)
    if found is None or len(found) > _MOST_LINES:
        return None
    is_plain = all(len(line[0]) <= _LONGEST and (line[2] or line[3] or _style(line)) for line in found)
    return found if is_plain else None


def _style(line: _Line) -> int:
    return next((style for style in _STYLES if line[style] is not None), 0)


def _is_alike(line: _Line, other: _Line) -> bool:
    """Whether two lines differ in nothing but words."""
    return (
        line[1] == other[1]
        and line[2] == other[2]
        and (line[3] is None) == (other[3] is None)
        and _style(line) == _style(other)
        and line[_COMMENT] == other[_COMMENT]
        and line[0].endswith("\n") == other[0].endswith("\n")
    )


def _has_room(line: _Line, other: _Line) -> bool:
    """Whether words take the place of words: what has no key and no dash may be in the middle of anything."""
    return bool(line[3] or line[2]) or "," not in other[0] or line[0] == other[0] or "," in line[0]


def _are_items(change: Change, old: list[_Line], new: list[_Line]) -> bool:
    """Whether items of a list, each on a line, take the place of others; in brackets there are none with a dash."""
    first, last = old[0], old[-1]
    return (
        all(line[1] == first[1] and line[2] == "- " and line[3] is None and _style(line) for line in (*old, *new))
        and _style(last) == _style(new[-1])
        and new[-1][0].endswith("\n")
        and all(_is_unquoted(change, old, new, quote) for quote in "\"'")
    )


def _are_entries(change: Change, old: list[_Line], new: list[_Line]) -> bool:
    """Whether entries of a mapping take the place of others at the same indentation."""
    indent = old[0][1]
    if not all(_is_keyed(lines, indent) for lines in (old, new)) or not new[-1][0].endswith("\n"):
        return False
    if not _style(old[-1]) or not _style(new[-1]):
        return False
    behind = _next(change)
    if behind is None:
        return False
    is_sibling = isinstance(behind, re.Match) and behind[1] == indent and behind[3] is not None and not behind[2]
    if isinstance(behind, re.Match) and not is_sibling and len(behind[1]) >= len(indent):
        return False
    # Entries that no comma separates are in no brackets.
    if len(old) < 2 and not is_sibling:
        return False
    return all(_is_unquoted(change, old, new, quote) for quote in "\"'")


def _is_keyed(lines: list[_Line], indent: str) -> bool:
    """Whether lines are a mapping: entries at one indentation, each with a word or with entries that are deeper."""
    if any(line[3] is None or line[2] for line in lines) or lines[0][1] != indent:
        return False
    open_at = [len(indent)]
    for line, following in zip(lines, (*lines[1:], None), strict=True):
        width = len(line[1])
        while open_at and open_at[-1] > width:
            open_at.pop()
        if not open_at or open_at[-1] != width:
            return False
        if following is not None and len(following[1]) > width:
            if _style(line):
                return False
            open_at.append(len(following[1]))
    return True


def _next(change: Change) -> _Line | str | None:
    """The next line that is no comment: an entry, or an empty text at the end; None for anything else."""
    at, text = change.end, change.before
    while at < len(text) and at - change.end < WIDEST:
        if _NOTE.match(text, at):
            at = text.find("\n", at) + 1 or len(text)
            continue
        return _HEAD.match(text, at)
    return "" if at >= len(text) else None


def _is_unquoted(change: Change, old: list[_Line], new: list[_Line], quote: str) -> bool:
    """Whether the lines are in no scalar of that quote, or have none of it."""
    style = _DOUBLE if quote == '"' else _SINGLE
    if not any(_style(line) == style for line in (*old, *new)):
        return True
    if any(_style(line) == style for line in old):
        return True
    at = change.before.rfind(quote, 0, change.start)
    if at < 0:
        return True
    line = _LINE.match(change.before, change.before.rfind("\n", 0, at) + 1)
    return line is not None and _style(line) == style


def fault_of(source: Source) -> Fault | Unchecked | None:
    """The first place where the text is no YAML."""
    from steadyhand.structure.config.syntax import syntax_named
    from steadyhand.structure.config.yaml_reader import is_readable, parse

    is_new = source.derived(parse) is None
    return None if is_new and source.derive(is_readable) else Fault.of(source.derive(syntax_named("yaml").read))
