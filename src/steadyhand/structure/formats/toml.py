"""TOML, by the names of its files."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Fault, Format
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.nodes.key import outline_keys

    return outline_keys(source, "toml")


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
    return Fault.of(document)


FORMATS = (
    Format(
        "toml",
        (".toml",),
        _outline,
        _fault,
        ("pipfile", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "gopkg.lock"),
    ),
)
