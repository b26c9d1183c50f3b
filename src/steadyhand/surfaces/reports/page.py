"""A run as one HTML page that needs nothing else: no script, no request, light and dark, everything escaped.

The page forbids itself to load anything; its one style is allowed by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape

from steadyhand.surfaces.reports.record import (
    HEADINGS,
    Facts,
    articles_of,
    error_of,
    evidence_texts,
    hunks_of,
    summary,
    text_of,
)
from steadyhand.surfaces.terminal import visible, visible_line

__all__ = ["render_run_page"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --faint: #5b6570; --paper: #fff; --line: #d5dae0;
  --good: #e6f4ec; --bad: #fbeae7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --faint: #9aa5b1; --paper: #15181b; --line: #343a41;
  --good: #17352a; --bad: #40201b; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } h3 { font-size: 1rem; font-family: monospace; }
p, li { color: var(--ink); } .faint { color: var(--faint); } .error { font-weight: bold; }
blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); white-space: pre-wrap; }
pre { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; overflow-x: auto; }
pre span { display: block; } .added { background: var(--good); } .removed { background: var(--bad); }
"""


def render_run_page(record: Facts) -> str:
    """The whole page."""
    allowed = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            f"<title>Impact run {_line(record.get('id'))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n",
            *_body(record),
            "</body>\n</html>\n",
        ]
    )


def _body(record: Facts) -> Iterator[str]:
    trigger = record.get("trigger")
    cause: Facts = trigger if isinstance(trigger, dict) else {}
    yield "<h1>Documentation impact</h1>\n"
    yield f"<p>{_line(summary(record))}</p>\n"
    yield (
        f'<p class="faint">change {_line(cause.get("base"))} to {_line(cause.get("head") or "the working tree")}, '
        f"model {_line(record.get('model'))}, run {_line(record.get('id'))}, {_line(record.get('time'))}</p>\n"
    )
    for status, heading in HEADINGS.items():
        found = articles_of(record, status)
        if found:
            yield f"<h2>{heading}</h2>\n"
        for article in found:
            yield from _article(article)


def _article(article: Facts) -> Iterator[str]:
    yield f"<section>\n<h3>{_line(article.get('path'))}</h3>\n"
    evidence = evidence_texts(article)
    if evidence:
        yield f'<p class="faint">because of {_line(", ".join(evidence))}</p>\n'
    error = error_of(article)
    if error is not None:
        yield f'<p class="error">{_line(error)}</p>\n'
    said = text_of(article)
    if said is not None:
        yield f"<blockquote>{escape(visible(said))}</blockquote>\n"
    for hunk, reasons in hunks_of(article):
        yield f"<pre>{''.join(_row(row) for row in hunk.splitlines())}</pre>\n"
        if reasons:
            yield f"<ul>{''.join(f'<li>{_line(reason)}</li>' for reason in reasons)}</ul>\n"
    findings = article.get("findings")
    for finding in findings if isinstance(findings, list) else []:
        yield f"<p>check: {_line(finding.get('message') if isinstance(finding, dict) else finding)}</p>\n"
    yield "</section>\n"


def _row(row: str) -> str:
    style = {"+": ' class="added"', "-": ' class="removed"', "@": ' class="faint"'}.get(row[:1], "")
    return f"<span{style}>{escape(visible_line(row)) or ' '}</span>"


def _line(value: object) -> str:
    return escape(visible_line("" if value is None else str(value)))
