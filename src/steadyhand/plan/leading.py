"""The line that leads in what an edit changes: the nearest above it that is indented less, such as a function's head.

Where the quoted one and the file's have wholly different names, the quoted text is of another function, rule or
section, and what is like it here is its sibling. A name that is merely misremembered has something of the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from steadyhand.lazy import lazy_pattern
from steadyhand.match.lexis import token_key
from steadyhand.match.needle import Needle
from steadyhand.plan.window import Window
from steadyhand.text.indent import width_of
from steadyhand.text.lines import body

__all__ = ["is_led_elsewhere", "is_led_otherwise"]

_NAME = lazy_pattern(r"[^\W\d]\w*")
_PART = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_COMMENTS = ("#", "//", "/*", "*", "--", ";", "%", "<!--")
_CONTROL = frozenset(
    "if elif else for foreach while until unless with switch case when match select try except catch finally do return "
    "and or not in".split()
)
_KEYWORDS = frozenset(
    "def class func function fn sub interface struct enum trait impl module namespace type record object export "
    "default public private protected internal static final abstract async pub override open virtual inline extern "
    "unsafe const readonly var let val void int self new".split()
)
_HEADING = lazy_pattern(r"(#{1,6}) |(\[{1,2})[^\[\]]+\]{1,2}\s*\Z")
_LEVELS = 7  # of headings
_ABOVE = 2_000  # rows above a place in which what leads it in is looked for
_SHARED = 3  # letters at the start that make two names akin


def is_led_otherwise(window: Window, needle: Needle) -> bool:
    """Whether a line that leads in the lines that change is one that the file has under an unrelated name."""
    for lead in _leads_left(window, needle):
        ours = _lead_of_file(window, needle.rows, lead)
        is_named = ours is not None and _names(needle.rows[lead]) and _names(ours)
        if ours is not None and is_named and _are_unrelated(needle.rows[lead], ours):
            return True
    return False


def is_led_elsewhere(window: Window, needle: Needle) -> bool:
    """Whether a line that leads in the lines that change is in the file, but only where it leads in others."""
    from steadyhand.match.rows import find_row

    table, key = window.source.table, partial(token_key, window.lexis)
    leads = [lead for lead in _leads_left(window, needle) if any(map(str.isalnum, needle.rows[lead]))]
    if not leads:
        return False
    first, last = table.rows_of(window.span)
    around = {*range(first, last + 1)}
    depth = min((_depth(text) for row in around if (text := table.text(row)).strip()), default=_LEVELS)
    for row in range(first - 1, max(-1, first - _ABOVE), -1):
        text = table.text(row)
        if text.strip() and _depth(text) < depth:
            depth = _depth(text)
            around.add(row)
    places = (find_row(window.source, needle.rows[lead], key) for lead in leads)
    return any(rows is None or (rows and around.isdisjoint(rows)) for rows in places)


def _leads_left(window: Window, needle: Needle) -> Iterator[int]:
    """The rows that lead in the lines that change and are not in the window, the innermost first."""
    row = min((change.before_start for change in needle.changes or ()), default=None)
    while row is not None:
        row = _lead(needle.rows, row)
        pairing = None if row is None else window.pairing_of(row)
        if row is not None and (pairing is None or not pairing.likeness.is_sure):
            yield row


def _lead(rows: Sequence[str], first: int) -> int | None:
    """The row above a row that is indented less than it, or is a heading above it."""
    depth = next((_depth(row) for row in rows[first:] if row.strip()), None)
    above = [row for row in range(min(first, len(rows)) - 1, -1, -1) if rows[row].strip()]
    if depth is None:
        depth = _depth(rows[above[0]]) if above else 0
    return next((row for row in above if _depth(rows[row]) < depth), None)


def _depth(row: str) -> int:
    """How deep a line is: by its indentation, and all of a section is deeper than its heading."""
    heading = _HEADING.match(row)
    return _LEVELS + width_of(row) if heading is None else len(heading[1] or heading[2])


def _names(row: str) -> bool:
    """Whether a line gives what it leads in a name, as a condition or a comment does not."""
    first = _NAME.search(row)
    return first is not None and first.group() not in _CONTROL and not row.lstrip().startswith(_COMMENTS)


def _lead_of_file(window: Window, rows: Sequence[str], lead: int) -> str | None:
    """The line of the file that leads in the place of the rows behind a lead."""
    inside = [pairing for pairing in window.alignment if lead < pairing.old_start and pairing.likeness.is_sure]
    placed = [one for one in inside if one.start < one.end and any(map(str.strip, rows[one.old_start : one.old_end]))]
    if not placed:
        return None
    at = placed[0].start
    depth = _depth(body(window.rows[at]))
    above = [*window.rows[:at][::-1], *window.above]
    return next((body(row) for row in above if row.strip() and _depth(body(row)) < depth), None)


def _are_unrelated(theirs: str, ours: str) -> bool:
    """Whether each has names that the other has not, and none of them is akin to one of the other's.

    The first name that is no keyword is what the line defines: where it is the same, so is what is led in.
    """
    named = [next((name for name in _NAME.findall(row) if name not in _KEYWORDS), None) for row in (theirs, ours)]
    if named[0] == named[1]:
        return False
    quoted, found = set(_NAME.findall(theirs)), set(_NAME.findall(ours))
    only_theirs, only_ours = quoted - found, found - quoted
    if not only_theirs or not only_ours:
        return False
    return not any(_are_akin(one, other) for one in only_theirs for other in only_ours)


def _are_akin(one: str, other: str) -> bool:
    parts, others = ({part.lower() for part in _PART.findall(name)} for name in (one, other))
    if parts & others:
        return True
    return any(left[:_SHARED] == right[:_SHARED] for left in parts for right in others)
