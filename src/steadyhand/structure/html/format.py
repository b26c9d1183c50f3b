"""HTML pages and the templates that are written as such, by the names of their files.

Everything parses as HTML, so there is no fault to find.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.structure.format import Format, OutlineEntry, file_name, format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

_SUFFIXES = (
    ".html .htm .xhtml .jinja .jinja2 .j2 .njk .twig .hbs .handlebars .mustache .ejs .erb .html.erb"
    " .html.jinja .html.j2 .html.twig .djhtml .gohtml .liquid .phtml"
)


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Elements with an id, landmarks, headings, forms and tables, each with a selector that singles it out."""
    from steadyhand.structure.html.element import list_page

    return list_page(source)


def no_page(path: str | None) -> Refusal | None:
    """Why a file has no elements: Vue, Svelte, JSX and XML look like HTML, and end tags and elements elsewhere."""
    found, name = format_of(path), "" if path is None else file_name(path)
    if found.name in ("html", "php") if found is not None else "." not in name or name.endswith(".svg"):
        return None
    return Refusal(
        Kind.BAD_REQUEST,
        f"{path} is not an HTML page",
        ByText() if found is None else f"name what the outline of this {found.name} file lists, or edit by text",
        {"path": path},
    )


FORMATS = (Format("html", tuple(_SUFFIXES.split()), outline),)
