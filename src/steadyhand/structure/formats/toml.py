"""TOML, by the names of its files."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.structure.format import Entry, Fault, Format
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.keys.syntax import syntaxes
    from steadyhand.structure.nodes.key import key_entries

    reading = source.derive(syntaxes()["toml"].read)
    return reading if isinstance(reading, Refusal) else key_entries(reading)


def _fault(source: Source) -> Fault | None:
    """The first error; what is only nested too deeply to be read is none."""
    import tomllib

    from steadyhand.structure.parsers.toml.tree import read_document

    try:
        tomllib.loads(source.text)
    except RecursionError:
        return None
    except ValueError:
        document = source.derive(read_document)
    else:
        return None
    if not isinstance(document, Refusal) or document.kind != Kind.UNPARSABLE:
        return None
    line, column = document.details.get("line"), document.details.get("column")
    return Fault(
        line if isinstance(line, int) else 1,
        str(document.details.get("reason", document.message)),
        column if isinstance(column, int) else None,
    )


FORMATS = (
    Format(
        "toml",
        (".toml",),
        _outline,
        _fault,
        ("pipfile", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "gopkg.lock"),
    ),
)
