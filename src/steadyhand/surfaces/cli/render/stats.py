"""The statistics for people at a terminal: the figures, then each chart as bars that fill the width there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steadyhand.surfaces.plot.charts import Bar, Chart, Figure, charts_of, figures_of, span_of
from steadyhand.surfaces.terminal import Line, Piece, cells, fit, pad, visible_line

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics

__all__ = ["stats_lines"]

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
