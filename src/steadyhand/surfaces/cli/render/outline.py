"""What can be addressed, as an indented table; where an address leads, with the lines there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.phrases import typed
from steadyhand.surfaces.cli.render.match import lines_of
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, head_of, pad, visible_line

if TYPE_CHECKING:
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.text.source import Source

_KIND = 16  # columns of a kind at most
_LABEL = 16  # columns of a label at least
_DEEPEST = 24  # levels that are indented
_SHOWN = 20  # lines of a place
_HEAD = 12  # of them before those that are left out


def outline_lines(outline: Outline, *, width: int) -> list[Line]:
    """A row for each entry: lines, kind, label indented by depth, and the address. Only the label is ever cut."""
    if not outline.entries:
        return [(Piece("nothing in it can be addressed but its lines", "dim"),), *_gap(outline)]
    rows = [
        (
            _range(outline.lines_of(entry)),
            entry.kind,
            "  " * min(entry.depth, _DEEPEST) + visible_line(entry.label),
            typed(entry.address, one_line=True),
        )
        for entry in outline.entries
    ]
    lines, kind, label = _widths(rows, width)
    shown: list[Line] = [
        (
            Piece(f"{row[0]:>{lines}}  {pad(row[1], kind)}  ", "dim"),
            Piece(pad(row[2], label) + "  "),
            Piece(row[3], "place"),
        )
        for row in rows
    ]
    return shown + _left_out(outline) + _gap(outline)


def _range(lines: tuple[int, int]) -> str:
    first, last = lines
    return str(first) if first >= last else f"{first}–{last}"


def _widths(rows: Sequence[Sequence[str]], width: int) -> tuple[int, int, int]:
    """Columns as wide as their content; labels give way to addresses, but not for the sake of a few long ones."""
    lines, kind, label, address = (max(cells(row[column]) for row in rows) for column in range(4))
    kind = min(kind, _KIND)
    room = width - lines - kind - min(address, width // 2) - 6
    return lines, kind, min(label, max(room, _LABEL))


def _gap(outline: Outline) -> list[Line]:
    """Where the file does not parse, if what is around it may be missing."""
    if outline.gap is None:
        return []
    what = visible_line(f"line {outline.gap.line} does not parse ({outline.gap.message}): ")
    return [(Piece(what, "dim"), Piece("definitions around it may be missing here", "hint"))]


def _left_out(outline: Outline) -> list[Line]:
    """How much is not shown, and how to see it; nothing where all is shown."""
    if not outline.left_out:
        return []
    what = f"… {outline.left_out:,} of {outline.total:,} entries left out, the deepest first: "
    return [(Piece(what, "dim"), Piece("--within ADDRESS, --depth N or --limit 0 shows more", "hint"))]


def location_lines(source: Source, places: Sequence[Location]) -> Iterator[Line]:
    """Each place: address, what it is, where; then its lines, numbered, its first and last character marked."""
    for number, place in enumerate(places):
        if number:
            yield ()
        kind = "" if place.kind == "lines" else f" {place.kind},"
        yield (Piece(typed(place.address, one_line=True), "place"), Piece(f" {kind}{lines_of(place.lines)}"))
        yield (Piece(_extent(place), "dim"),)
        yield from _text_lines(source, place)


def _extent(place: Location) -> str:
    characters = f"characters {place.span.start:,}–{place.span.end:,} ({place.span.length:,})"
    size = place.byte_span.length
    return f"{characters}, bytes {place.byte_span.start:,}–{place.byte_span.end:,} ({size:,})"


def _text_lines(source: Source, place: Location) -> Iterator[Line]:
    first, last = place.lines[0] - 1, min(place.lines[1], source.table.count) - 1
    digits, count = len(str(last + 1)), last + 1 - first
    is_marked = not _is_whole(source, place)
    cut = count - _SHOWN if count > _SHOWN else 0
    for row in range(first, first + _HEAD if cut else last + 1):
        yield _row(source, place, row, digits, is_marked=is_marked)
    if cut:
        yield (Piece(f"{'…':>{digits}}  {counted(cut, 'more line')}", "dim"),)
        for row in range(first + _HEAD + cut, last + 1):
            yield _row(source, place, row, digits, is_marked=is_marked)


def _row(source: Source, place: Location, row: int, digits: int, *, is_marked: bool) -> Line:
    """One line; with `is_marked`, ⟦ and ⟧ show where the place begins and ends."""
    start, text = source.table.start(row), source.table.text(row)
    number = Piece(f"{row + 1:>{digits}}  ", "dim")
    if not is_marked:
        return (number, *head_of(text))
    begins = row == place.lines[0] - 1
    ends = row == place.lines[1] - 1
    begin = min(place.span.start - start, len(text)) if begins else 0
    end = min(place.span.end - start, len(text)) if ends else len(text)
    return (
        number,
        *head_of(text[:begin]),
        Piece("⟦" if begins else "", "place"),
        *head_of(text[begin:end]),
        Piece("⟧" if ends else "", "place"),
        *head_of(text[end:]),
    )


def _is_whole(source: Source, place: Location) -> bool:
    """Whether the place is whole lines, with or without the ending of the last one."""
    table, last = source.table, min(place.lines[1], source.table.count) - 1
    if place.span.is_empty or table.start(place.lines[0] - 1) != place.span.start:
        return False
    return table.start(last) + len(table.text(last)) <= place.span.end
