"""The statistics as charts: their figures, a picture made with matplotlib, and a page for a browser."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import InstallExtra, Say
from steadyhand.lazy import dataclass
from steadyhand.surfaces.terminal import counted, fit, shown_time, visible_line
from steadyhand.surfaces.web.markup import Html, el, static_document

if TYPE_CHECKING:
    from steadyhand.session.statistics import Proportion, Statistics, Tally, TallyRow

Role = Literal["good", "bad", "plain"]
_MOST = 12


@dataclass(frozen=True, slots=True)
class Figure:
    """One number in words, and what it is made of; `share` from 0 to 1 where it is one."""

    name: str
    value: str
    remark: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of one or more parts, one behind the other."""

    label: str
    parts: tuple[tuple[Role, int], ...]
    remark: str = ""

    @property
    def total(self) -> int:
        return sum(value for _, value in self.parts)


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars on one scale. `legend` names the parts, where there are several."""

    title: str
    bars: tuple[Bar, ...]
    legend: tuple[tuple[Role, str], ...] = ()

    @property
    def longest(self) -> int:
        return max((bar.total for bar in self.bars), default=0)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts; the first `names` columns are names. `shares` are rates with their ends, to be drawn."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int
    shares: tuple[tuple[float, float, float] | None, ...] = ()


_TITLES = {"way": "way", "type": "file type"}
_COUNTED = (
    "calls", "first try", "95 %", "in the end", "tokens", "seconds", "retries", "undone", "rejected", "tolerant",
    "saves", "refused",
)  # fmt: skip
_MOST_ROWS = 40


def table_of(found: Statistics) -> Table:
    """What was counted in each cell, the busiest first."""
    from steadyhand.session.statistics import rows_of

    every = rows_of(found)
    rows = tuple((*key, *_counted(cell)) for key, cell in every[:_MOST_ROWS])
    title = "By " + ", ".join(_TITLES.get(name, name) for name in found.by)
    left = f" ({_MOST_ROWS} of {len(every):,} rows; --json has all)" if len(every) > _MOST_ROWS else ""
    head = (*(_TITLES.get(name, name) for name in found.by), *_COUNTED)
    return Table(title + left, head, rows, len(found.by), tuple(_drawn_share(cell) for _, cell in every[:_MOST_ROWS]))


def _counted(cell: TallyRow) -> tuple[str, ...]:
    share, tiers = cell.first_share, sum(cell.tiers.values())
    low, high = share.interval
    kinds = cell.refusals.most_common(2)
    more = len(cell.refusals) - len(kinds)
    tolerant = tiers - cell.tiers["exact"]
    tokens, seconds = cell.tokens_per_edit, cell.seconds_per_edit
    return (
        f"{cell.calls:,}",
        f"{percent(share.rate)} ({share.hits:,}/{share.of:,})" if share.of else "",
        f"{low * 100:.0f}–{high * 100:.0f}" if share.is_few else "",
        percent(cell.end_share.rate) if share.of else "",
        "" if tokens is None else f"{tokens:,.0f}",
        "" if seconds is None else f"{seconds:,.2f}",
        _some(cell.retries),
        _some(cell.undone),
        _some(cell.rejected),
        percent(tolerant / tiers) if tolerant else "",
        ", ".join(f"{name} {count:,}" for name, count in cell.saved.items()),
        ", ".join([*(f"{kind} {count:,}" for kind, count in kinds), *([f"{more} more"] if more > 0 else [])]),
    )


def _some(count: int) -> str:
    return f"{count:,}" if count else ""


def _drawn_share(cell: TallyRow) -> tuple[float, float, float] | None:
    rate = cell.first_share.rate
    return None if rate is None else (rate, *cell.first_share.interval)


def changes_of(earlier: Statistics, found: Statistics) -> Table:
    """First tries of two periods beside each other, and whether they are shown to differ."""
    from steadyhand.session.statistics import TallyRow, rows_of

    keys = dict.fromkeys(key for each in (found, earlier) for key, _ in rows_of(each))
    rows = []
    for key in list(keys)[:_MOST_ROWS]:
        before, now = (each.cells.get(key, TallyRow()).first_share for each in (earlier, found))
        rows.append((*key, _spread(before), _spread(now), _change(before, now)))
    head = (*(_TITLES.get(name, name) for name in found.by), "first try before", "first try now", "change")
    return Table(f"Compared with {span_of(earlier)}", head, tuple(rows), len(found.by))


def _spread(share: Proportion) -> str:
    low, high = share.interval
    return (
        f"{percent(share.rate)} ({low * 100:.0f}–{high * 100:.0f}, {share.hits:,}/{share.of:,})" if share.of else "none"
    )


def _change(before: Proportion, now: Proportion) -> str:
    if before.rate is None or now.rate is None:
        return ""
    points = f"{(now.rate - before.rate) * 100:+.1f} points"
    return f"{points}, not shown to differ" if before.overlaps(now) else points


def span_of(found: Statistics) -> str:
    """From when to when calls were counted, and what is missing."""
    damaged = f"; {counted(found.damaged, 'row')} of the journal could not be read" if found.damaged else ""
    if found.first_time is None or found.last_time is None:
        return f"no calls recorded{damaged}"
    return f"{shown_time(found.first_time)} to {shown_time(found.last_time)}{damaged}"


def figures_of(found: Statistics) -> list[Figure]:
    """The figures above the charts."""
    total = found.total
    edited, rewritten = total.ways["edited"], total.ways["rewritten"]
    return [
        Figure("calls", f"{total.calls:,}", f"{total.applied:,} applied, {total.refused:,} refused"),
        Figure(
            "first try",
            percent(total.first_rate),
            f"{total.first_applied:,} of {total.first:,} files, by the first call of a conversation about each",
            total.first_rate,
        ),
        Figure(
            "edits",
            percent(total.edit_share),
            f"{edited:,} edited, {rewritten:,} written as a whole; {total.ways['created']:,} created",
            total.edit_share,
        ),
        Figure(
            "retries", f"{total.retries:,}", f"{found.recovered:,} went through in the end, {found.given_up:,} never"
        ),
        Figure("undone", f"{found.undone:,}", "records that were undone"),
    ]


def charts_of(found: Statistics) -> list[Chart]:
    """The charts, without those that would be empty."""
    ends: tuple[tuple[Role, str], ...] = (("good", "applied"), ("bad", "refused"))
    charts = [
        Chart("Calls by tool", _tallies(found.tools), ends),
        Chart("Calls by model", _tallies(found.models), ends),
        Chart("Calls by file type", _tallies(found.types), ends),
        Chart("Edits by the tier that found their place", _counts(found.tiers, "good")),
        Chart("Refusals by kind", _counts(found.refusals, "bad")),
        Chart("Files by how they were changed", _counts(found.total.ways, "plain")),
    ]
    return [chart for chart in charts if chart.bars]


def percent(share: float | None) -> str:
    """A share for people.

    >>> percent(0.8733), percent(1.0), percent(None)
    ('87.3 %', '100 %', 'none')
    """
    if share is None:
        return "none"
    shown = f"{share * 100:.1f}"
    # What is not all must not look like all, nor what is something like nothing.
    near = {"100.0": "99.9", "0.0": "0.1"}.get(shown, shown) if 0 < share < 1 else shown
    return f"{near.removesuffix('.0')} %"


def _tallies(tallies: Mapping[str, Tally]) -> tuple[Bar, ...]:
    from steadyhand.session.statistics import by_calls

    return _cut([Bar(name, (("good", t.applied), ("bad", t.refused)), _remark(t)) for name, t in by_calls(tallies)])


def _remark(tally: Tally) -> str:
    retries = f", {tally.retries:,} retried" if tally.retries else ""
    return f"first try {percent(tally.first_rate)}{retries}" if tally.first else ""


def _counts(counts: Mapping[str, int], role: Role) -> tuple[Bar, ...]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return _cut([Bar(name, ((role, number),)) for name, number in ordered if number])


def _cut(bars: Sequence[Bar]) -> tuple[Bar, ...]:
    """The longest bars; the rest as one."""
    if len(bars) <= _MOST:
        return tuple(bars)
    kept, rest = bars[: _MOST - 1], bars[_MOST - 1 :]
    sums: dict[Role, int] = {}
    for role, value in (part for bar in rest for part in bar.parts):
        sums[role] = sums.get(role, 0) + value
    return (*kept, Bar(f"({len(rest):,} others)", tuple(sums.items())))


_COLORS = {"good": "#1f7a4d", "bad": "#b3402e", "plain": "#3b6ea8"}
_INK, _FAINT = "#1c2024", "#5b6570"
_LONGEST_LABEL = 28
_LONGEST_CELL = 52  # what two rows differ in may be at the end
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
            hint=(InstallExtra("plot"), Say("use --html, which needs nothing")),
        ) from None
    from steadyhand.session.statistics import rows_of

    named = [(" · ".join(key), cell.first_share) for key, cell in rows_of(found)]
    charts, shares = charts_of(found), [(name, share) for name, share in named if share.of][:_MOST]
    heights = [0.34 * len(chart.bars) + 0.75 for chart in charts]
    above = 0.34 * len(shares) + 0.75 if shares else 0.0
    figure = Figure(figsize=(9.0, sum(heights) + above + _HEAD), dpi=110, facecolor="white")
    FigureCanvasAgg(figure)
    _draw_head(figure, found, title)
    whole = figure.get_size_inches()[1]
    if shares:
        axes = figure.add_axes((0.46, (whole - _HEAD - above + 0.35) / whole, 0.26, 0.34 * len(shares) / whole))
        _draw_shares(axes, found.by, shares)
    _draw_charts(figure, charts, heights, whole - _HEAD - above)
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


def _draw_shares(axes: Any, by: Sequence[str], shares: Sequence[tuple[str, Proportion]]) -> None:
    """A dot for each share on a line for its interval."""
    names = ", ".join(_TITLES.get(name, name) for name in by)
    axes.set_title(_drawable(f"First try by {names}, 95 %"), loc="left", fontsize=10, color=_INK, parse_math=False)
    for row, (_, share) in enumerate(shares):
        low, high = share.interval
        axes.plot([low, high], [row, row], color=_COLORS["plain"], linewidth=3, solid_capstyle="round")
        axes.plot([share.rate], [row], marker="o", color=_COLORS["good"])
        said = f"  {percent(share.rate)}  {share.hits:,} of {share.of:,}"
        axes.text(1.03, row, said, va="center", fontsize=8, color=_FAINT, parse_math=False)
    axes.set_xlim(-0.03, 1.03)
    _set_rows(axes, [name for name, _ in shares], _LONGEST_CELL)


def _draw_charts(figure: Any, charts: list[Chart], heights: list[float], top: float) -> None:
    """Each chart beneath the other, with a height that its bars need."""
    whole = figure.get_size_inches()[1]
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
    _set_rows(axes, [bar.label for bar in chart.bars], _LONGEST_LABEL)


def _set_rows(axes: Any, names: Sequence[str], longest: int) -> None:
    """A name at each row, from the top, and nothing else around the chart."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)))
    labels = axes.set_yticklabels([_drawable(fit(name, longest)) for name in names], fontsize=9, color=_INK)
    for label in labels:
        label.set_parse_math(False)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


_WIDTH, _LABELS, _BARS, _ROW = 855, 215, 280, 26
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --faint: #5b6570; --paper: #ffffff; --line: #d5dae0;
  --good: #1f7a4d; --bad: #b3402e; --plain: #3b6ea8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --faint: #9aa5b1; --paper: #15181b; --line: #343a41;
  --good: #4fb783; --bad: #e0735f; --plain: #7fb0e6; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 88rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: 0; color: var(--faint); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
dl > div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
dt { color: var(--faint); font-size: .85rem; } dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
dd small { display: block; font-size: .8rem; color: var(--faint); }
svg { display: block; width: 100%; max-width: 53rem; height: auto; overflow: visible; }
svg text { font: 13px system-ui, sans-serif; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; white-space: nowrap; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: normal; } .number { text-align: right; font-variant-numeric: tabular-nums; }
svg.share { width: 7.5rem; height: 1rem; }
.label, .value { fill: var(--ink); } .remark { fill: var(--faint); } .track { fill: var(--line); opacity: .45; }
.good { fill: var(--good); } .bad { fill: var(--bad); } .plain { fill: var(--plain); }
"""


def render_page(found: Statistics, *, title: str, earlier: Statistics | None = None) -> str:
    """The whole page; with an earlier period, what has changed since."""
    tables = [table_of(found), *([] if earlier is None else [changes_of(earlier, found)])]
    parts = [
        el("h1", visible_line(title)),
        el("p", visible_line(span_of(found))),
        el("dl", *map(_figure, figures_of(found))),
        *(part for table in tables if table.rows for part in _table(table)),
        *(part for chart in charts_of(found) for part in _chart(chart)),
    ]
    return static_document(title, _STYLE, parts)


_SHARE_WIDTH = 120


def _table(table: Table) -> Iterator[Html]:
    """A table; beside the names a line for the interval of the share and a dot for the share."""
    has_shares = any(share is not None for share in table.shares)
    filled = [at for at in range(len(table.head)) if at < table.names or any(row[at] for row in table.rows)]

    def cells(tag: str, row: Sequence[str], share: Html | str) -> Html:
        kinds = {at: None if at < table.names else "number" for at in filled}
        made = [el(tag, visible_line(row[at]), class_=kinds[at]) for at in filled]
        if has_shares:
            made.insert(table.names, el(tag, share))
        return el("tr", *made)

    shares = table.shares or [None] * len(table.rows)
    rows = [cells("td", row, _share(share)) for row, share in zip(table.rows, shares, strict=True)]
    head = el("thead", cells("th", table.head, "first try, 95 %"))
    yield el("h2", visible_line(table.title))
    yield el("div", el("table", head, el("tbody", *rows)), class_="wide")


def _share(share: tuple[float, float, float] | None) -> Html | str:
    if share is None:
        return ""
    rate, low, high = (round(4 + each * (_SHARE_WIDTH - 8), 1) for each in share)
    said = f"{percent(share[0])}, {share[1] * 100:.0f} to {share[2] * 100:.0f} %"
    width = f"{max(high - low, 1):.1f}"
    return el(
        "svg",
        el("title", said),
        el("rect", class_="track", x=4, y=7, width=_SHARE_WIDTH - 8, height=2),
        el("rect", class_="plain", x=str(low), y=6, width=width, height=4, rx=2),
        el("circle", class_="good", cx=str(rate), cy=8, r=4),
        class_="share",
        viewBox=f"0 0 {_SHARE_WIDTH} 16",
        role="img",
        aria_label=said,
    )


def _figure(figure: Figure) -> Html:
    value = el("dd", figure.value, el("small", visible_line(figure.remark)))
    return el("div", el("dt", figure.name), value)


def _chart(chart: Chart) -> Iterator[Html]:
    height = len(chart.bars) * _ROW + (_ROW if chart.legend else 0)
    bars = [_bar(bar, chart.longest, row * _ROW) for row, bar in enumerate(chart.bars)]
    legend = [mark for number, (role, name) in enumerate(chart.legend) for mark in _legend(role, name, number * 110)]
    below = el("g", *legend, transform=f"translate({_LABELS} {height - _ROW})") if legend else None
    yield el("h2", chart.title)
    yield el("svg", *bars, below, viewBox=f"0 0 {_WIDTH} {height}", role="img", aria_label=chart.title)


def _bar(bar: Bar, longest: int, top: int) -> Html:
    middle, across = top + 17, {"y": top + 5, "height": _ROW - 10, "rx": 3}
    said = f"{bar.label}: {', '.join(f'{value:,}' for _, value in bar.parts)}"
    label = fit(bar.label, _LONGEST_LABEL)
    marks = [
        el("title", visible_line(said)),
        el("text", label, class_="label", x=_LABELS - 10, y=middle, text_anchor="end"),
        el("rect", class_="track", x=_LABELS, width=_BARS, **across),
    ]
    left = float(_LABELS)
    for role, value in bar.parts:
        width = _BARS * value / longest if longest else 0.0
        if width:
            marks.append(el("rect", class_=role, x=f"{left:.1f}", width=f"{width:.1f}", **across))
        left += width
    numbers = " + ".join(f"{value:,}" for _, value in bar.parts)
    remark = el("tspan", visible_line(bar.remark), class_="remark", dx=10) if bar.remark else None
    return el("g", *marks, el("text", numbers, remark, class_="value", x=_LABELS + _BARS + 10, y=middle))


def _legend(role: Role, name: str, left: int) -> tuple[Html, Html]:
    box = el("rect", class_=role, x=left, y=7, width=12, height=12, rx=2)
    return box, el("text", name, class_="remark", x=left + 18, y=17)
