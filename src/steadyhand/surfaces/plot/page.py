"""The statistics as one HTML page that needs nothing else: inline SVG, no script, no request, light and dark.

Every word that did not come from this file is escaped, with what could reorder or hide text written out. The page
forbids itself to load anything; its one style is allowed by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from steadyhand.surfaces.plot.charts import Bar, Chart, Figure, charts_of, figures_of, span_of
from steadyhand.surfaces.terminal import fit, visible_line

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics

__all__ = ["render_page"]

_WIDTH, _LABELS, _BARS, _ROW = 820, 180, 280, 26
_LONGEST_LABEL = 24
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --faint: #5b6570; --paper: #ffffff; --line: #d5dae0;
  --good: #1f7a4d; --bad: #b3402e; --plain: #3b6ea8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --faint: #9aa5b1; --paper: #15181b; --line: #343a41;
  --good: #4fb783; --bad: #e0735f; --plain: #7fb0e6; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 51rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: 0; color: var(--faint); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
dl > div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
dt { color: var(--faint); font-size: .85rem; } dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
dd small { display: block; font-size: .8rem; color: var(--faint); }
svg { display: block; width: 100%; height: auto; overflow: visible; font: 13px system-ui, sans-serif; }
.label, .value { fill: var(--ink); } .remark { fill: var(--faint); } .track { fill: var(--line); opacity: .45; }
.good { fill: var(--good); } .bad { fill: var(--bad); } .plain { fill: var(--plain); }
"""


def render_page(found: Statistics, *, title: str) -> str:
    """The whole page."""
    allowed = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n',
            '<meta name="referrer" content="no-referrer">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n",
            f"<h1>{_text(title)}</h1>\n<p>{_text(span_of(found))}</p>\n",
            *_figures(figures_of(found)),
            *(part for chart in charts_of(found) for part in _chart(chart)),
            "</body>\n</html>\n",
        ]
    )


def _figures(figures: Iterable[Figure]) -> Iterator[str]:
    yield "<dl>\n"
    for figure in figures:
        remark = f"<small>{_text(figure.remark)}</small>"
        yield f"<div><dt>{_text(figure.name)}</dt><dd>{_text(figure.value)}{remark}</dd></div>\n"
    yield "</dl>\n"


def _chart(chart: Chart) -> Iterator[str]:
    legend = "".join(_legend(chart))
    height = len(chart.bars) * _ROW + (_ROW if legend else 0)
    yield f"<h2>{_text(chart.title)}</h2>\n"
    yield f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{_text(chart.title)}">\n'
    for row, bar in enumerate(chart.bars):
        yield from _bar(bar, chart.longest, row * _ROW)
    if legend:
        yield f'<g transform="translate({_LABELS} {height - _ROW})">{legend}</g>\n'
    yield "</svg>\n"


def _bar(bar: Bar, longest: int, top: int) -> Iterator[str]:
    middle = top + 17
    said = f"{bar.label}: {', '.join(f'{value:,}' for _, value in bar.parts)}"
    yield f"<g><title>{_text(said)}</title>"
    label = _text(fit(bar.label, _LONGEST_LABEL))
    yield f'<text class="label" x="{_LABELS - 10}" y="{middle}" text-anchor="end">{label}</text>'
    yield f'<rect class="track" x="{_LABELS}" y="{top + 5}" width="{_BARS}" height="{_ROW - 10}" rx="3"/>'
    left = float(_LABELS)
    for role, value in bar.parts:
        width = _BARS * value / longest if longest else 0.0
        if width:
            yield f'<rect class="{role}" x="{left:.1f}" y="{top + 5}" width="{width:.1f}" height="{_ROW - 10}" rx="3"/>'
        left += width
    numbers = " + ".join(f"{value:,}" for _, value in bar.parts)
    remark = f'<tspan class="remark" dx="10">{_text(bar.remark)}</tspan>' if bar.remark else ""
    yield f'<text class="value" x="{_LABELS + _BARS + 10}" y="{middle}">{numbers}{remark}</text></g>\n'


def _legend(chart: Chart) -> Iterator[str]:
    for number, (role, name) in enumerate(chart.legend):
        left = number * 110
        yield f'<rect class="{role}" x="{left}" y="7" width="12" height="12" rx="2"/>'
        yield f'<text class="remark" x="{left + 18}" y="17">{_text(name)}</text>'


def _text(text: str) -> str:
    return escape(visible_line(text))
