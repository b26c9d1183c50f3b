"""Which files are read as Markdown: by suffix, and those whose suffix says nothing else."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.format import file_name, format_of
from steadyhand.structure.markdown.marks import Document
from steadyhand.structure.markdown.reading import read_markdown
from steadyhand.structure.markdown.suffixes import SUFFIXES
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

_OTHER_PROSE = (".txt", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".log", ".csv", ".tsv", ".xml")


def markdown_of(source: Source, what: str) -> Document | Refusal:
    """The document a source holds; `what` names in the plural what is looked for in it."""
    path = source.path
    if path is None:
        return read_markdown(source)
    suffix = "." + file_name(path).rpartition(".")[2]
    found = format_of(path)
    if suffix in _OTHER_PROSE or (found is not None and found.name != "markdown"):
        return Refusal(
            Kind.BAD_REQUEST,
            f"{path} is no Markdown file: {what} can only be named in {', '.join(SUFFIXES)}",
            "name lines or the text to be replaced"
            if found is None
            else f"name what the outline of this {found.name} file lists",
            {"path": path},
        )
    return read_markdown(source)
