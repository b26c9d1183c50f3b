"""The statistics as a PNG, drawn by matplotlib, which is imported here and nowhere else.

Nothing is shown on a screen and no state of matplotlib's is used: the figure is made, drawn and let go.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.plot.charts import Chart, charts_of, figures_of, span_of
from steadyhand.surfaces.terminal import fit

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics

__all__ = ["render_picture"]

_COLORS = {"good": "#1f7a4d", "bad": "#b3402e", "plain": "#3b6ea8"}
_INK, _FAINT = "#1c2024", "#5b6570"
_LONGEST_LABEL = 28
_HEAD = 1.5  # inches


def render_picture(found: Statistics, *, title: str) -> bytes:
    """The picture. Refuses with `not-installed` where matplotlib is not there."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise EditError(
            Kind.NOT_INSTALLED,
            "a PNG needs matplotlib, which is not installed",
            hint="pip install 'steadyhand[plot]', or ask for --html, which needs nothing",
        ) from None
    charts = charts_of(found)
    heights = [0.34 * len(chart.bars) + 0.75 for chart in charts]
    figure = Figure(figsize=(9.0, sum(heights) + _HEAD), dpi=110, facecolor="white")
    FigureCanvasAgg(figure)
    _draw_head(figure, found, title)
    _draw_charts(figure, charts, heights)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()


def _drawable(text: str) -> str:
    """A text with a box for each letter that the font lacks.

    matplotlib would draw it so by itself and warn; how warnings are treated is for the whole process to say.
    """
    from matplotlib.font_manager import FontProperties, findfont, get_font

    known = get_font(findfont(FontProperties())).get_charmap()
    return "".join(char if ord(char) in known else "\u25a1" for char in text)


def _draw_head(figure: Any, found: Statistics, title: str) -> None:
    height = figure.get_size_inches()[1]
    figure.text(
        0.03, 1 - 0.35 / height, _drawable(fit(title, 90)), fontsize=14, color=_INK, weight="bold", parse_math=False
    )
    right = {"ha": "right", "fontsize": 8, "color": _FAINT, "parse_math": False}
    figure.text(0.97, 1 - 0.35 / height, _drawable(fit(span_of(found), 90)), **right)
    figures = figures_of(found)
    for number, each in enumerate(figures):
        left = 0.03 + number * 0.95 / len(figures)
        figure.text(left, 1 - 0.72 / height, each.name, fontsize=9, color=_FAINT, parse_math=False)
        figure.text(left, 1 - 1.05 / height, each.value, fontsize=15, color=_INK, parse_math=False)


def _draw_charts(figure: Any, charts: list[Chart], heights: list[float]) -> None:
    """Each chart beneath the other, with a height that its bars need."""
    whole = figure.get_size_inches()[1]
    top = whole - _HEAD
    for chart, height in zip(charts, heights, strict=True):
        bars = 0.34 * len(chart.bars)
        axes = figure.add_axes((0.27, (top - height + 0.35) / whole, 0.45, bars / whole))
        _draw_bars(axes, chart)
        top -= height


def _draw_bars(axes: Any, chart: Chart) -> None:
    legend = " + ".join(name for _, name in chart.legend)
    title = f"{chart.title}  ({legend})" if legend else chart.title
    axes.set_title(_drawable(title), loc="left", fontsize=10, color=_INK, parse_math=False)
    longest = chart.longest or 1
    for row, bar in enumerate(chart.bars):
        left = 0
        for role, value in bar.parts:
            axes.barh(row, value, left=left, height=0.7, color=_COLORS[role])
            left += value
        numbers = " + ".join(f"{value:,}" for _, value in bar.parts)
        said = f"  {numbers}  {bar.remark}"
        axes.text(longest, row, _drawable(said), va="center", fontsize=8, color=_FAINT, parse_math=False)
    axes.set_xlim(0, longest)
    axes.set_ylim(len(chart.bars) - 0.5, -0.5)
    axes.set_yticks(range(len(chart.bars)))
    labels = axes.set_yticklabels(
        [_drawable(fit(bar.label, _LONGEST_LABEL)) for bar in chart.bars], fontsize=9, color=_INK
    )
    for label in labels:
        label.set_parse_math(False)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
