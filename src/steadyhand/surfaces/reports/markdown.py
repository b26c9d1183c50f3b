"""A run as Markdown for a pull request: what was changed and why, part by part, what was left and why, what failed.

Every word from outside is made harmless: no markup, no link, no picture, and nobody is notified by a name in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steadyhand.lazy import lazy_pattern
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

__all__ = ["render_markdown"]

_MARKUP = lazy_pattern(r"[\\`*_{}\[\]()<>#+!|~$&-]")
_TURNED = lazy_pattern(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=:)(?=//)|(?<=www)(?=\.)")
_FENCE = lazy_pattern(r"`{3,}")


def render_markdown(record: Facts) -> str:
    """The whole report; it ends with a newline."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: Facts) -> Iterator[str]:
    trigger = record.get("trigger")
    cause: Facts = trigger if isinstance(trigger, dict) else {}
    ends = [_commit(cause.get(name)) for name in ("base", "head")]
    yield "## Documentation impact"
    yield ""
    yield f"{plain(summary(record))}."
    yield f"Change {ends[0]} to {ends[1]}; model {_code(str(record.get('model')))}; run {_code(str(record.get('id')))}."
    for status, heading in HEADINGS.items():
        found = articles_of(record, status)
        if found:
            yield ""
            yield f"### {heading}"
        for article in found:
            yield from _article(article, status)
    cycles = record.get("cycles")
    for cycle in cycles if isinstance(cycles, list) else []:
        yield ""
        yield f"These articles attend to each other: {' → '.join(_code(str(path)) for path in cycle)}."


def _article(article: Facts, status: str) -> Iterator[str]:
    yield ""
    yield f"#### {_code(str(article.get('path')))}"
    yield ""
    evidence = evidence_texts(article)
    if evidence:
        more = f" and {len(evidence) - 5} more" if len(evidence) > 5 else ""
        yield f"Because of {', '.join(_code(each) for each in evidence[:5])}{more}."
    error = error_of(article)
    if error is not None:
        yield f"**{plain(error)}**"
    said = text_of(article)
    if said is not None:
        yield f"> {plain(said)}"
    if status in ("updated", "partial") or article.get("patch"):
        for hunk, reasons in hunks_of(article):
            yield ""
            yield from _fenced(hunk)
            yield from (f"- {plain(reason)}" for reason in reasons)
    findings = article.get("findings")
    for finding in findings if isinstance(findings, list) else []:
        yield f"- check: {plain(str(finding.get('message') if isinstance(finding, dict) else finding))}"


def plain(text: str) -> str:
    """A text on one line that is nothing but text.

    >>> plain("see <b>*@ada*</b>\\nhttps://example.org ![x](y)")
    'see \\\\<b\\\\>\\\\*@<!-- -->ada\\\\*\\\\</b\\\\> https:<!-- -->//example.org \\\\!\\\\[x\\\\]\\\\(y\\\\)'
    """
    one_line = " ".join(visible(text).split())
    escaped = _MARKUP.sub(lambda found: f"\\{found[0]}", one_line)
    return _TURNED.sub("<!-- -->", escaped)


def _code(text: str) -> str:
    """A text as code, which markup and mentions cannot leave."""
    shown = visible_line(text)
    runs = re.findall("`+", shown)
    fence = "`" * (max(map(len, runs), default=0) + 1)
    return f"{fence} {shown} {fence}" if runs else f"{fence}{shown}{fence}"


def _fenced(text: str) -> Iterator[str]:
    shown = visible(text)
    fence = "`" * max([3, *(len(each) + 1 for each in _FENCE.findall(shown))])
    yield f"{fence}diff"
    yield shown
    yield fence


def _commit(name: object) -> str:
    return _code(str(name)[:12]) if isinstance(name, str) else "the working tree"
