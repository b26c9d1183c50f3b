"""What an edit that cannot be made is told: path, 1-based lines, the nearest places, and one concrete next call.

Only messages are made here; whether something is refused is decided elsewhere.
At most about fifteen lines each, however long the file and the old text are.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.match.resolve import Miscount, Nothing, Several
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LISTED = 8
_WIDTH = 80
_NEAR = 0.8


def no_match(name: str, source: Source, old: str, nothing: Nothing, *, search: bool) -> EditError:
    """The old text is nowhere; with `search`, say what comes nearest."""
    from steadyhand.text.nearest import find_nearest  # only a refusal needs the alignment

    details: dict[str, object] = {"tried": list(nothing.tried)}
    places = find_nearest(source, old) if search else ()
    if not places:
        hint = f"read {name} again and quote the old text as it stands there"
        return EditError(Kind.NO_MATCH, f"the old text is nowhere in {name}", hint=hint, details=details)
    best = places[0]
    lines = _lines(best.first_line, best.last_line)
    message = [f"the old text is not in {name}; nearest is {lines}, {best.similarity:.0%} alike"]
    if best.difference is not None:
        message += _two_lines(best.difference.line, best.difference.expected, best.difference.actual)
    details["nearest"] = [
        {"lines": [place.first_line, place.last_line], "similarity": round(place.similarity, 3)} for place in places
    ]
    hint = f"read {lines} of {name} and quote {'it' if best.first_line == best.last_line else 'them'} exactly"
    if best.similarity >= _NEAR and best.span.length <= 4_000:
        details["old"] = best.span.of(source.text)
        hint = _as_it_stands(lines, best.span.of(source.text))
    return EditError(Kind.NO_MATCH, "\n".join(message), hint=hint, details=details)


def _as_it_stands(lines: str, old: str) -> str:
    if len(old) <= _WIDTH and "\n" not in old.strip("\n"):
        return f"if {lines} is meant, send {old!r} as the old text"
    return f"if {lines} are meant, send the text given as `old` in the details as the old text"


def _two_lines(line: int, expected: str, actual: str) -> list[str]:
    from steadyhand.text.nearest import show_difference

    sent, there = show_difference(expected, actual)
    return [f"  line {line} has: {there}", f"  you sent{' ' * len(str(line))} : {sent}"]


def already_applied(name: str, lines: tuple[int, int]) -> EditError:
    """The old text is gone and the new text is there."""
    return EditError(
        Kind.ALREADY_APPLIED,
        f"the old text is not in {name}, and the new text stands in {_lines(*lines)} already",
        hint="nothing is left to do; go on with the next edit",
        details={"lines": list(lines)},
    )


def ambiguous(name: str, source: Source, found: Several) -> EditError:
    """Several places, and nothing says which: list them, and say what would tell them apart."""
    total = str(found.total) if found.is_all else f"more than {found.total}"
    rows = [source.table.row_at(span.start) for span in found.candidates]
    message = [f"the old text stands in {total} places of {name}:", *_listing(source, rows, found.total)]
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
    """There are more or fewer places than the caller said."""
    rows = [source.table.row_at(span.start) for span in found.candidates]
    places = f"{found.total} place{'' if found.total == 1 else 's'}"
    message = [f"the old text stands in {places} of {name}, not {found.wanted}:", *_listing(source, rows, found.total)]
    return EditError(
        Kind.COUNT_MISMATCH,
        "\n".join(message),
        hint=f"look at the places; if all are meant, expect {found.total}",
        details={
            "tier": found.tier.name,
            "total": found.total,
            "wanted": found.wanted,
            "candidates": [_candidate(source, span) for span in found.candidates],
        },
    )


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


def _listing(source: Source, rows: Sequence[int], total: int) -> list[str]:
    shown = [f"  line {row + 1}: {_shorten(source.table.text(row))}" for row in rows[:_LISTED]]
    more = total - len(shown)
    return [*shown, f"  … and {more} more"] if more > 0 else shown


def _candidate(source: Source, span: Span) -> dict[str, object]:
    first, last = source.table.rows_of(span)
    return {"lines": [first + 1, last + 1], "text": _shorten(source.table.text(first))}


def _distinction(source: Source, spans: Sequence[Span]) -> str:
    """A neighbouring line that one of the places has and no other that is known."""
    rows = [source.table.rows_of(span) for span in spans]
    for side, step in (("before", -1), ("after", 1)):
        near = [_neighbour(source, first - 1 if step < 0 else last + 1) for first, last in rows]
        for (first, _), text in zip(rows, near, strict=True):
            if text.strip() and len(text) <= _WIDTH and near.count(text) == 1:
                quote = f"for line {first + 1}, quote also the line {side} it, {text!r}"
                return f"{quote}; or say which occurrence: 1, 2 …"
    return "quote more lines around the place that is meant, or say which occurrence: 1, 2 …"


def _neighbour(source: Source, row: int) -> str:
    return source.table.text(row) if 0 <= row < source.table.count else ""


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _shorten(text: str) -> str:
    stripped = text.strip()
    return stripped if len(stripped) <= _WIDTH else f"{stripped[: _WIDTH - 1]}…"
