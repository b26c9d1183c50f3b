"""The journal for people: where it is, what it holds, its statistics, and the reports of `check`, `gc` and `doctor`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.history import fact_lines
from steadyhand.surfaces.plot import Bar, Chart, Figure, charts_of, figures_of, span_of
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, fit, pad, shown_time, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.session.journals import Moved
    from steadyhand.session.statistics import Statistics
    from steadyhand.workspace.journal.gc import GcReport
    from steadyhand.workspace.outside import CheckReport

_NAMES = {"root_id": "tree", "repo_id": "repository"}


def check_lines(result: CheckReport) -> list[Line]:
    """Each finding on a line, then the sum."""
    lines: list[Line] = [(Piece(str(p.kind), "error"), Piece(f": {p.message}")) for p in result.problems]
    lines += [
        (Piece("pending", "error"), Piece(f": record {record} is neither done nor undone")) for record in result.pending
    ]
    for drift in result.drifted:
        since = f" since record {drift.record}"
        lines.append((Piece("changed outside", "warning"), Piece(f": {visible_name(drift.path)} {drift.state}{since}")))
    lines += [(Piece("note", "warning"), Piece(f": {note}")) for note in result.notes]
    seen = f"{counted(result.records_checked, 'record')}, {counted(result.files_checked, 'file')}"
    if result.ok:
        return [*lines, (Piece("sound", "good"), Piece(f": {seen}"))]
    wrong = counted(len(result.problems) + len(result.pending), "problem")
    return [*lines, (Piece(wrong, "error"), Piece(f" in {seen}"))]


def gc_lines(result: GcReport) -> list[Line]:
    """What was dropped and what was kept, in one line."""
    verb = "would drop" if result.dry_run else "dropped"
    dropped = f"{verb} {counted(result.dropped_images, 'old version')} ({shown_size(result.dropped_bytes)})"
    kept = f"kept {counted(result.kept_images, 'version')} ({shown_size(result.kept_bytes)})"
    return [(Piece(f"{dropped}, {kept}"),)]


def doctor_lines(facts: Mapping[str, object]) -> list[Line]:
    """Every fact on a line; a group of facts is spelled with dots."""
    return fact_lines((name, _word(value)) for name, value in _flatten("", facts))


def _flatten(prefix: str, facts: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flatten(f"{prefix}{name}.", value)
        else:
            yield f"{prefix}{name}", value


def _word(value: object) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def shown_size(size: int) -> str:
    """A number of bytes for people.

    >>> shown_size(512), shown_size(1_500_000)
    ('512 B', '1.5 MB')
    """
    amount, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"


def journal_lines(facts: Mapping[str, object]) -> list[Line]:
    """Where the journal is and what it holds."""
    shown: list[tuple[str, object]] = []
    for name, value in facts.items():
        if name == "bytes" and isinstance(value, int):
            shown.append(("size", shown_size(value)))
        elif name in ("oldest", "newest") and isinstance(value, str):
            shown.append(("since" if name == "oldest" else "until", shown_time(value)))
        elif name == "error" and isinstance(value, Mapping):
            shown.append((name, value.get("message")))
        elif value not in (None, [], ()):
            shown.append((_NAMES.get(name, name), value))
    return fact_lines(shown)


def moved_lines(moved: Moved, *, needs_password: bool) -> list[Line]:
    """What was copied, and what to do so that it is used."""
    copied = moved.copied
    size = f"{counted(copied.rows, 'row')} and {counted(copied.images, 'image')} ({shown_size(copied.image_bytes)})"
    lines: list[Line] = [(Piece("copied and verified", "good"), Piece(f": {size}, from {moved.source}"))]
    if copied.problems:
        lines.append((Piece("copied as damaged as it was", "warning"), Piece(f": {len(copied.problems)} problems")))
    lines.append((Piece(f"use it from now on: --journal {moved.target}, or STEADYHAND_JOURNAL={moved.target}"),))
    if needs_password:
        lines.append((Piece("with the password as before: in the URL, as PGPASSWORD or in ~/.pgpass", "dim"),))
    lines.append((Piece("the old journal stays as it is; what is changed with it is not in the new one", "dim"),))
    return lines


_STYLES = {"good": "good", "bad": "error", "plain": "place"}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LONGEST_LABEL = 28
_LONGEST_BAR = 40
_SHORTEST_BAR = 8


def stats_lines(found: Statistics, *, width: int, blocks: bool) -> list[Line]:
    """Figures and charts; `blocks`: whether the reader's encoding has block characters to draw bars with."""
    lines: list[Line] = [(Piece(fit(span_of(found), width), "dim"),)]
    if not found.total.calls:
        return lines
    lines.append(())
    lines += _figure_lines(figures_of(found), width)
    for chart in charts_of(found):
        lines += [(), *_chart_lines(chart, width, blocks=blocks)]
    return lines


def _figure_lines(figures: list[Figure], width: int) -> list[Line]:
    names = max(cells(figure.name) for figure in figures)
    values = max(cells(figure.value) for figure in figures)
    room = width - names - values - 4
    return [
        (
            Piece(f"{pad(figure.name, names)}  ", "dim"),
            Piece(" " * (values - cells(figure.value)) + figure.value, "heading"),
            Piece(f"  {pad(figure.remark, room).rstrip()}" if room > 10 else "", "dim"),
        )
        for figure in figures
    ]


def _chart_lines(chart: Chart, width: int, *, blocks: bool) -> list[Line]:
    names = min(max(cells(visible_line(bar.label)) for bar in chart.bars), _LONGEST_LABEL, width // 3)
    numbers = [" + ".join(f"{value:,}" for _, value in bar.parts) for bar in chart.bars]
    digits = max(map(len, numbers))
    remarks = max(cells(bar.remark) for bar in chart.bars)
    room = min(width - names - digits - remarks - 6, _LONGEST_BAR)
    if room < _SHORTEST_BAR:  # the bars are what one looks at
        remarks, room = 0, max(min(width - names - digits - 4, _LONGEST_BAR), 1)
    legend = f"  ({' + '.join(name for _, name in chart.legend)})" if chart.legend else ""
    left = width - cells(chart.title)
    title = Piece(fit(chart.title, width), "heading"), Piece(legend if cells(legend) <= left else "", "dim")
    lines: list[Line] = [title]
    for bar, number in zip(chart.bars, numbers, strict=True):
        drawn = list(_drawn(bar, chart.longest, room, blocks=blocks))
        filled = sum(cells(piece.text) for piece in drawn)
        lines.append(
            (
                Piece(pad(bar.label, names) + "  "),
                *drawn,
                Piece(" " * (room - filled) + f"  {number:>{digits}}"),
                Piece(f"  {bar.remark}" if remarks and bar.remark else "", "dim"),
            )
        )
    return lines


def _drawn(bar: Bar, longest: int, room: int, *, blocks: bool) -> Iterator[Piece]:
    """The parts of a bar; what is not nothing is drawn, however short, and the whole is never too long."""
    parts = [(role, value) for role, value in bar.parts if value]
    so_far = drawn = 0
    for number, (role, value) in enumerate(parts, 1):
        so_far += value
        end = so_far * room / longest
        left = len(parts) - number
        if blocks and not left and role != "bad":
            yield Piece(_blocks(end - drawn), _STYLES[role])
            return
        columns = min(max(round(end) - drawn, 1), room - left - drawn)
        yield Piece(_mark(role, blocks=blocks) * columns, _STYLES[role])
        drawn += columns


def _blocks(columns: float) -> str:
    """A bar to an eighth of a column, at least that long."""
    whole, eighths = divmod(max(round(columns * 8), 1), 8)
    return "█" * whole + (_EIGHTHS[eighths] if eighths else "")


def _mark(role: str, *, blocks: bool) -> str:
    """What a part is drawn with; the two ends of a call differ also where there is no colour."""
    if blocks:
        return "▒" if role == "bad" else "█"
    return "-" if role == "bad" else "#"
