"""Building HTML safely: every value that is not `Html` is text and is escaped. Nothing here reads or sends.

Text of files, names and remarks may hold characters that reorder, hide or break what is around them. They are written
out, as they are for a terminal; undecodable bytes too, so that every page can be encoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from steadyhand.surfaces.terminal import UNSAFE, visible, visible_line

_VOID = ("br", "hr", "input", "link", "meta")


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def el(tag: str, *content: str | None, **attributes: str | int | bool | None) -> Html:
    """An element. `class_` is the attribute `class`, `data_id` is `data-id`; None and False leave one out.

    >>> el("a", "x < y", href="/?a=1&b=2", hidden=True)
    '<a href="/?a=1&amp;b=2" hidden>x &lt; y</a>'
    """
    said = "".join(
        f" {name}" if value is True else f' {name}="{escape(visible(str(value)))}"'
        for name, value in ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
        if value is not None and value is not False
    )
    if tag in _VOID:
        return Html(f"<{tag}{said}>")
    return Html(f"<{tag}{said}>{join(content)}</{tag}>")


def join(content: Iterable[str | None]) -> Html:
    """Pieces one behind the other: `Html` as it is, text escaped, None left out."""
    return Html("".join(each if isinstance(each, Html) else escape(visible(each)) for each in content if each))


def code(text: str) -> str:
    """Text of a file, escaped; what nobody would see, or what would reorder its line, is written out.

    >>> code("a < b\\u202e")
    'a &lt; b<b class="odd">\\\\u202e</b>'
    """
    return UNSAFE.sub(lambda found: f'<b class="odd">{visible(found[0])}</b>', escape(text))


def static_document(title: str, style: str, body: Iterable[str | None], *, class_: str | None = None) -> str:
    """A page that needs nothing from anywhere and runs nothing; `class_` is that of its body."""
    import base64
    import hashlib

    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:; base-uri 'none'; form-action 'none'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", visible_line(title)),
        el("link", rel="icon", href="data:,"),
        el("style", Html(style)),
    )
    pieces = Html("\n".join(join([each]) for each in body if each))
    return f"<!doctype html>\n{el('html', head, el('body', pieces, class_=class_), lang='en')}\n"
