"""Pages that must not reach the parser: what is known to crash it is told apart here, in one pass over the text.

turbohtml dies (a segmentation fault, which no handler catches) on some pages with a `template` inside SVG or MathML.
A page is let through only if it is certain that no SVG or MathML element is open where a `template` begins. This is a
proof about the text, not about a tree: every drawing before a `template` must be written so plainly that any tokenizer
state it may be read in ends at the same `</svg>`. Blanks are those of HTML and letters those of ASCII, or a name that a
tokenizer does not know would count as an end. Nothing here may look at a character twice more than a fixed number
of times, and nothing here may parse.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern

_BLANK = r"\t\n\f\r "
_VALUE = rf"(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^{_BLANK}\"'<>=`]++)"
_REST = (  # of a tag: attributes so plain that no reading of their quotes can run past the closing bracket
    rf"(?:[{_BLANK}/]++[^{_BLANK}\"'<>/=]++(?:[{_BLANK}]*+=[{_BLANK}]*+{_VALUE})?+)*+[{_BLANK}/]*+>"
)
# Elements whose content is read by other rules, inside a drawing or out of it: allowed with plain text in them only.
_LEAF = "title|desc|style|script|mi|mo|mn|ms|mtext"
_BARRED = (
    "template|foreignobject|annotation-xml|textarea|xmp|iframe|noembed|noframes|noscript|plaintext|select|frameset"
)
_DRAWING = lazy_pattern(r"<(?:svg|math)", re.IGNORECASE | re.ASCII)
_STEP = lazy_pattern(
    rf"[^<]*+(?:"
    rf"<(?P<leaf>{_LEAF})(?=[\t\n\f\r />]){_REST}[^<]*+</(?P=leaf)[\t\n\f\r ]*+>"
    rf"|<!--(?!-?>)[^<>]*?-->"
    rf"|<(?P<open>svg|math)(?=[\t\n\f\r />])(?P<rest>{_REST})"
    rf"|</(?P<close>svg|math)[\t\n\f\r ]*+>"
    rf"|</?+(?!(?:{_LEAF}|{_BARRED}|svg|math)[\t\n\f\r />])[a-z][^\t\n\f\r \"'<>/=]*+{_REST}"
    rf")",
    re.IGNORECASE | re.ASCII,
)
_CLOSES_ITSELF = lazy_pattern(r"(?:\A|[\t\n\f\r \"'])/>\Z")  # behind a bare value the slash is part of it
_TEMPLATE = lazy_pattern(r"<template", re.IGNORECASE | re.ASCII)


def is_safe(text: str) -> bool:
    """Whether a text can be parsed: no `template` begins while a drawing may be open.

    >>> is_safe('<svg><path d="M0 0"/></svg><template><p></template>'), is_safe("<svg><template></svg>")
    (True, False)
    """
    drawing = _DRAWING.search(text)
    last = _last_template(text)
    while drawing is not None and drawing.start() < last:
        end = _end_of_drawing(text, drawing.start())
        if end is None:
            return False
        drawing = _DRAWING.search(text, end)
    return True


def mentions_template(text: str) -> bool:
    """Whether a `template` may begin in a text: such a text is never put into a drawing."""
    return _TEMPLATE.search(text) is not None


def _last_template(text: str) -> int:
    return max((found.start() for found in _TEMPLATE.finditer(text)), default=-1)


def _end_of_drawing(text: str, start: int) -> int | None:
    """Where the drawing that begins here is closed beyond doubt; None where there is doubt."""
    open_names: list[str] = []
    at = start
    while True:
        step = _STEP.match(text, at)
        if step is None:
            return None
        at = step.end()
        if step["open"] and not _CLOSES_ITSELF.search(step["rest"]):
            open_names.append(step["open"].lower())
        elif step["close"] and (not open_names or open_names.pop() != step["close"].lower()):
            return None
        if not open_names:
            return at
