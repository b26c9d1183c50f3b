"""What an edit that cannot be made is told: path, 1-based lines and columns, and one concrete next call.

Only messages are made here; whether something is refused is decided elsewhere.
At most about fifteen lines each, however long the file and the old text are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.match.resolve import Miscount, Several
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LISTED = 8
_WIDTH = 80
_AHEAD = 24  # code points of a long line that are shown before the place


def ambiguous(name: str, source: Source, found: Several) -> EditError:
    """Several places, and nothing says which: list them, and say what would tell them apart."""
    total = str(found.total) if found.is_all else f"more than {found.total}"
    more = found.total if found.is_all else None
    message = [f"the old text stands in {total} places of {name}:", *_listing(source, found.candidates, more)]
    details = {
        "tier": found.tier.name,
        "total": found.total,
        "total_is_exact": found.is_all,
        "candidates": [_candidate(source, span) for span in found.candidates],
    }
    return EditError(
        Kind.AMBIGUOUS_MATCH, "\n".join(message), hint=_distinction(source, found.candidates), details=details
    )


def miscount(name: str, source: Source, found: Miscount) -> EditError:
    """There are more or fewer places than the caller said, or not as many as the occurrence asked for."""
    places = f"{found.total} place{'' if found.total == 1 else 's'}"
    if found.is_expected:
        what = f"the old text stands in {places} of {name}, not in {found.wanted} as expected:"
        hint = f"look at the places; if all are meant, expect {found.total}"
    else:
        what = f"there is no {_ordinal(found.wanted)} occurrence, the old text stands in {places} of {name}:"
        hint = f"say which occurrence is meant: {_choices(found.total)}"
    return EditError(
        Kind.COUNT_MISMATCH,
        "\n".join([what, *_listing(source, found.candidates, found.total)]),
        hint=hint,
        details={
            "tier": found.tier.name,
            "total": found.total,
            "wanted": found.wanted,
            "candidates": [_candidate(source, span) for span in found.candidates],
        },
    )


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth")
    if number <= len(words):
        return words[number - 1]
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _choices(total: int) -> str:
    if total == 1:
        return "1, the only one"
    numbers = " or ".join(map(str, range(1, total + 1))) if total <= 3 else f"1 to {total}"
    return f'{numbers}, or "last"'


def one_place(name: str, key: str) -> EditError:
    """A target that is no old text is one place, and a further one was asked for."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"a target by {key} is one place of {name}, and the edit asks for more",
        hint="leave occurrence and expected out",
        details={"total": 1},
    )


def too_many(name: str, limit: int) -> EditError:
    """More places than one edit may change."""
    return EditError(
        Kind.TOO_LARGE,
        f"the old text stands in more than {limit} places of {name}",
        hint="quote more of the text around the places that are meant",
        details={"limit": limit},
    )


def overlapping(name: str, index: int, earlier: int, lines: tuple[int, int]) -> EditError:
    """An edit touches what an earlier edit of the call wrote; edits are shown counted from 1."""
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"edit {index + 1} touches what edit {earlier + 1} of the same call has written, {_lines(*lines)} of {name}",
        hint=f"make one edit of the two, or send edit {index + 1} in a call of its own",
        details={"earlier": earlier, "lines": list(lines)},
    )


def no_change(name: str, what: str) -> EditError:
    """The edit would leave everything as it is."""
    return EditError(Kind.NO_CHANGE, f"{what}; {name} would stay as it is", hint="send the new text that is wanted")


def empty_old(name: str) -> EditError:
    """Nothing is quoted, so nothing says where."""
    return EditError(
        Kind.BAD_REQUEST,
        f"the old text is empty, and {name} is not",
        hint="quote the text to replace; to add text, insert before or after a quoted line",
    )


def not_text(name: str) -> EditError:
    """The file cannot be edited as text."""
    return EditError(
        Kind.NOT_TEXT,
        f"{name} is not text: it holds NUL bytes and bytes of no known encoding",
        hint="leave it alone, or give its encoding with encoding=…",
    )


def reason_required(index: int) -> EditError:
    """The policy wants to know why."""
    return EditError(Kind.REASON_REQUIRED, f"edit {index + 1} gives no reason", hint="say in `reason` why it is made")


def _listing(source: Source, spans: Sequence[Span], total: int | None) -> list[str]:
    """One line for each of the first places; `total` is None where nobody knows how many there are."""
    rows = Counter(source.table.row_at(span.start) for span in spans)
    shown = [f"  {_shown(source, span, rows)}" for span in spans[:_LISTED]]
    if total is None:
        return [*shown, "  … and more"]
    more = total - len(shown)
    return [*shown, f"  … and {more} more"] if more > 0 else shown


def _shown(source: Source, span: Span, rows: Counter[int]) -> str:
    """The line of a place; its column and neighbourhood where the line is long or holds several."""
    row, column = _position(source, span)
    text = source.table.text(row)
    if rows[row] == 1 and len(text.strip()) <= _WIDTH:
        return f"line {row + 1}: {_shorten(text)}"
    return f"line {row + 1}, column {column + 1}: {_around(text, column)}"


def _position(source: Source, span: Span) -> tuple[int, int]:
    row = source.table.row_at(span.start)
    return row, span.start - source.table.start(row)


def _around(text: str, column: int) -> str:
    """A window of a line that has the place in it."""
    start = max(0, min(column - _AHEAD, len(text) - _WIDTH))
    window = text[start : start + _WIDTH]
    return f"{'…' if start else ''}{window.strip()}{'…' if start + _WIDTH < len(text) else ''}"


def _candidate(source: Source, span: Span) -> dict[str, object]:
    first, last = source.table.rows_of(span)
    row, column = _position(source, span)
    text = source.table.text(row)
    shown = _shorten(text) if len(text.strip()) <= _WIDTH else _around(text, column)
    return {"lines": [first + 1, last + 1], "column": column + 1, "text": shown}


def _distinction(source: Source, spans: Sequence[Span]) -> str:
    """A neighbouring line that one of the places has and no other that is known."""
    rows = [source.table.rows_of(span) for span in spans]
    for side, step in (("before", -1), ("after", 1)):
        near = [_neighbour(source, first - 1 if step < 0 else last + 1) for first, last in rows]
        for (first, _), text in zip(rows, near, strict=True):
            if text.strip() and len(text) <= _WIDTH and near.count(text) == 1:
                quote = f"for line {first + 1}, quote also the line {side} it, {text!r}"
                return f"{quote}; or say which occurrence: 1, 2 …"
    crowded = next((first for first, _ in rows if sum(first == other for other, _ in rows) > 1), None)
    what = "more lines around the place" if crowded is None else f"more of line {crowded + 1} around the place"
    return f"quote {what} that is meant, or say which occurrence: 1, 2 …"


def _neighbour(source: Source, row: int) -> str:
    return source.table.text(row) if 0 <= row < source.table.count else ""


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _shorten(text: str) -> str:
    stripped = text.strip()
    return stripped if len(stripped) <= _WIDTH else f"{stripped[: _WIDTH - 1]}…"
