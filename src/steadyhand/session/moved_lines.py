"""Lines named by number after others moved them: what a task knows as line 8 may be line 9 by now.

A number means the lines as they were last shown, in the version that they were shown of: it counts the lines above that
were not shown as well. Where others put in or took away lines above since then, unseen, the number is another line's,
and an edit that does not say what stands there is not made.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.plan.edit import Edit, edit_to_json
from steadyhand.plan.place import Place
from steadyhand.structure.lines import Lines
from steadyhand.structure.target import Addressed
from steadyhand.text.lines import count_lines
from steadyhand.text.region import Region
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.workspace.news import News

__all__ = ["any_above", "corrected_lines", "is_by_number", "is_shown", "moved_by"]

Placed = tuple[News, Region]
_TRIES = 5


def moved_by(
    edit: Edit, mine: Sequence[Splice], rows: Region, source: Source, theirs: Sequence[Placed], shown: Sequence[Span]
) -> list[Placed]:
    """The news that moved the lines which an edit names by number alone; none where it was shown them as they are.

    A number that counts code blocks, or sections of one name, is as good as one that counts lines.
    """
    if not is_by_number(edit.target):
        return []
    start, end = min(splice.start for splice in mine), max(splice.end for splice in mine)
    if any(span.start <= start and end <= span.end for span in shown):
        return []
    above = [placed for placed in theirs if _is_above(placed[1], rows.start)]
    moving = [placed for placed in above if _delta(placed, source)]
    return moving if _moved(above, source) or not isinstance(edit.target, Lines) else []


def any_above(rows: Region, source: Source, theirs: Sequence[Placed]) -> bool:
    """Whether any news above some rows moves them."""
    return any(_is_above(placed[1], rows.start) and _delta(placed, source) for placed in theirs)


def corrected_lines(
    edit: Edit, rows: Region, source: Source, moving: Sequence[Placed], theirs: Sequence[Placed]
) -> dict[str, object] | None:
    """The edit with the numbers that its lines have now, and what they say; None where others changed those too.

    `moving` is the news that its own numbers do not count.
    """
    if not isinstance(edit.target, Lines):
        return None
    row = rows.start
    for _ in range(_TRIES):
        moved = _moved([placed for placed in moving if _is_above(placed[1], row)], source)
        if row - moved == rows.start:
            break
        row = rows.start + moved
    else:
        return None
    place = Region(row, row + rows.end - rows.start)
    is_known = place.start >= 0 and place.end <= source.table.count and not any(place.meets(r) for _, r in theirs)
    if place.is_boundary or not is_known:
        return None
    text = source.text[source.table.start(place.start) : source.table.start(place.end)]
    lines = {"start": place.start + 1, "end": place.end, "text": text}
    return {**edit_to_json(edit), "target": {"lines": lines}}


def is_by_number(place: Place) -> bool:
    """Whether a number alone says which place is meant."""
    if isinstance(place, Lines):
        return place.text is None
    return isinstance(place, Addressed) and any(getattr(place, name, None) is not None for name in ("index", "nth"))


def is_shown(place: Place, version: Source, shown: Sequence[Span]) -> bool:
    """Whether the lines that a place names by number are, in a version, within the parts of it that were shown."""
    if not isinstance(place, Lines) or not 0 < place.start <= place.end + 1 <= version.table.count + 1:
        return False
    start, end = version.table.start(place.start - 1), version.table.start(place.end)
    return any(span.start <= start and end <= span.end for span in shown)


def _is_above(region: Region, row: int) -> bool:
    return region.end <= row


def _moved(above: Sequence[Placed], source: Source) -> int:
    return sum(_delta(placed, source) for placed in above)


def _delta(placed: Placed, source: Source) -> int:
    """By how many lines a change moves what follows."""
    news = placed[0]
    if news.is_whole or (news.is_part and news.before):
        return 0
    return count_lines(news.span.of(source.text)) - count_lines(news.before)
