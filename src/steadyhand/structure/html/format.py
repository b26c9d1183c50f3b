"""HTML pages and the templates that are written as such, by the names of their files.

Everything parses as HTML, so there is no fault to find.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Format, OutlineEntry
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

_SUFFIXES = (
    ".html .htm .xhtml .jinja .jinja2 .j2 .njk .twig .hbs .handlebars .mustache .ejs .erb .html.erb"
    " .html.jinja .html.j2 .html.twig"
)


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Elements with an id, landmarks, headings, forms and tables, each with a selector that singles it out."""
    from steadyhand.structure.html.element import list_page

    return list_page(source)


FORMATS = (Format("html", tuple(_SUFFIXES.split()), outline),)
