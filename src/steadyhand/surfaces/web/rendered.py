"""A Markdown or HTML file as readers would see it, harmless: for a frame that runs nothing and loads nothing.

Only what marks text up is kept: no script, style, form, frame, picture or address survives, whatever the file holds.
The frame is sandboxed and its policy allows no connection, so this is the second of two walls, not the only one. What
a change touched is marked.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Container, Iterable, Sequence
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from steadyhand.surfaces.terminal import visible
from steadyhand.surfaces.web.markup import Html
from steadyhand.text.lines import split_lines

if TYPE_CHECKING:
    from steadyhand.session.review.change import ReviewChange

_MARKDOWN = (".md", ".mdx", ".markdown")
_HTML = (".html", ".htm", ".xhtml")
_LONGEST = 400_000  # characters
_KEPT = frozenset(
    "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt "
    "em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q s samp section "
    "small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr".split()
)
_EMPTY = frozenset("br hr wbr col".split())
_SILENT = frozenset("script style template noscript iframe object embed svg math title head select textarea".split())
_ATTRIBUTES = frozenset("colspan rowspan lang dir start reversed open datetime".split())

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2126; --paper: #fff; --faint: #5d6773; --line: #d8dde3; --mark: #d3f0df; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe3e8; --paper: #16191d; --faint: #98a2ae; --line: #363c44;
  --mark: #1f4a35; } }
body { margin: 1rem 1.25rem; max-width: 44rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
pre, code, kbd, samp { font: .88em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--faint); }
a, .link { text-decoration: underline; text-underline-offset: 2px; }
.image { border: 1px dashed var(--line); color: var(--faint); padding: .1rem .4rem; border-radius: .3rem; }
.before { --mark: #fbe0de; } @media (prefers-color-scheme: dark) { .before { --mark: #542725; } }
.front { color: var(--faint); } mark { background: var(--mark); color: inherit; border-radius: 2px; }
.touched { background: var(--mark); border-radius: 3px; box-shadow: 0 0 0 4px var(--mark); }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
FRAME_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox"
)


def can_render(path: str) -> bool:
    """Whether there is more to see of a file than its text."""
    return path.lower().endswith((*_MARKDOWN, *_HTML))


def changed_rows(changes: Iterable[ReviewChange], shifts: Any, *, is_after: bool) -> set[int]:
    """The 0-based rows that changes touched, on one side."""
    rows: set[int] = set()
    for change in changes:
        if change.id not in shifts or change.lines is None:
            continue
        first = change.lines[0] - 1 - (0 if is_after else shifts[change.id])
        count = len(split_lines(change.after if is_after else change.before))
        rows.update(range(first, first + count))
    return rows


def framed(rows: Sequence[str], path: str, changed: Container[int], side: str) -> str:
    """The document for the frame; `side` is `before` or `after`."""
    text = "".join(rows)
    if len(text) > _LONGEST:
        body = "<p>This file is too long to be rendered.</p>"
    elif path.lower().endswith(_HTML):
        page = _Harmless(changed)
        page.feed(visible(text))
        page.close()
        body = Html("".join(page.made))
    else:
        body = _markdown(rows, changed)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(visible(path))}</title>'
        f'<style>{_STYLE}</style></head><body class="{side}">{body}</body></html>\n'
    )


def _markdown(rows: Sequence[str], changed: Container[int]) -> Html:
    from markdown_it import MarkdownIt

    skipped = _front_matter(rows)
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    for name, rule in (("link_open", _link), ("link_close", _link), ("image", _image)):
        parser.add_render_rule(name, rule)
    tokens = parser.parse(visible("".join(rows[skipped:])))
    for token in tokens:
        is_leaf = token.type in ("paragraph_open", "heading_open", "fence", "code_block", "tr_open", "hr")
        if is_leaf and token.map and any(row + skipped in changed for row in range(*token.map)):
            token.attrJoin("class", "touched")
    front = visible("".join(rows[:skipped]))
    touched = " touched" if any(row in changed for row in range(skipped)) else ""
    head = f'<pre class="front{touched}">{escape(front)}</pre>' if skipped else ""
    return Html(head + parser.renderer.render(tokens, parser.options, {}))


def _front_matter(rows: Sequence[str]) -> int:
    """How many rows at the start are front matter."""
    if not rows or rows[0].rstrip() != "---":
        return 0
    return next((at + 1 for at in range(1, len(rows)) if rows[at].rstrip() in ("---", "...")), 0)


def _link(self: Any, tokens: Sequence[Any], at: int, options: Any, env: Any) -> str:
    """A link leads nowhere; where it would lead is said."""
    if tokens[at].nesting < 0:
        return "</span>"
    return f'<span class="link" title="{escape(str(tokens[at].attrGet("href") or ""))}">'


def _image(self: Any, tokens: Sequence[Any], at: int, options: Any, env: Any) -> str:
    said = escape(str(tokens[at].content or tokens[at].attrGet("src") or ""))
    return f'<span class="image">image: {said}</span>'


class _Harmless(HTMLParser):
    """Writes the elements that mark text up, and the text; leaves out everything else."""

    def __init__(self, changed: Container[int]) -> None:
        super().__init__(convert_charrefs=True)
        self.made: list[str] = []
        self._changed = changed
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT and tag != "head":
            self._silent.append(tag)
        if self._silent:
            return
        if tag == "img":
            said = next((value for name, value in attrs if name == "alt" and value), "without a text")
            self.made.append(f'<span class="image">image: {escape(said)}</span>')
        elif tag in _KEPT:
            kept = "".join(
                f' {name}="{escape(value or "")}"' for name, value in attrs if name in _ATTRIBUTES and tag != "a"
            )
            where = next((value for name, value in attrs if tag == "a" and name == "href" and value), None)
            self.made.append(f"<{tag}{kept}{f' title={chr(34)}{escape(where)}{chr(34)}' if where else ''}>")

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag in self._silent:
                del self._silent[self._silent.index(tag) :]
            return
        if tag in _KEPT and tag not in _EMPTY:
            self.made.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        row = self.getpos()[0] - 1
        for at, line in enumerate(data.splitlines(keepends=True)):
            shown = escape(line)
            self.made.append(f"<mark>{shown}</mark>" if row + at in self._changed and line.strip() else shown)
