"""What a file is made of, as `TextInspect` tells it: Markdown by its parts, other formats by what has an address.

A file that does not parse is described all the same.
"""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.structure.format import OutlineEntry, format_of
from steadyhand.structure.outline import Outline, outline
from steadyhand.text.source import Source
from steadyhand.tools.vault.window import Window

__all__ = ["describe", "format_name"]

_PLAIN = "text"


def format_name(source: Source) -> str:
    """The name of the format that a file's name tells."""
    known = format_of(source.path)
    return _PLAIN if known is None else known.name


def describe(source: Source, window: Window) -> dict[str, object]:
    """What begins in the lines asked about, in the fields that its format has."""
    name = format_name(source)
    if name == _PLAIN:
        return {"outline": []}
    try:
        if name != "markdown":
            return _addresses(outline(source, limit=None), window)
        from steadyhand.tools.vault.markdown import describe_markdown

        return describe_markdown(source, window)
    except EditError as error:
        return {"outline": [], "problem": error.message}


def _addresses(found: Outline, window: Window) -> dict[str, object]:
    def line(entry: OutlineEntry) -> int:
        return found.lines_of(entry)[0]

    def tell(entry: OutlineEntry) -> dict[str, object]:
        first, last = found.lines_of(entry)
        return {"address": entry.address, "kind": entry.kind, "startLine": first, "endLine": last}

    told: dict[str, object] = {"outline": window.listed("outline", found.entries, line, tell)}
    return told if found.gap is None else told | {"problem": f"line {found.gap.line}: {found.gap.message}"}
