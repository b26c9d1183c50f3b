"""TOML, by the names of its files."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Fault, Format, Unchecked
from steadyhand.structure.neutral import Change
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.config.key_node import outline_keys

    return outline_keys(source, "toml")


def _fault(source: Source) -> Fault | Unchecked | None:
    """The first error. The standard library needs memory by the square of a dotted key: our scan comes first."""
    import tomllib

    from steadyhand.structure.config.toml.scan import may_be_deep
    from steadyhand.structure.config.toml.tree import read_document

    if not may_be_deep(source.text):
        try:
            tomllib.loads(source.text)
        except RecursionError:
            return Unchecked("the values are nested too deep")
        except ValueError:
            pass
        else:
            return None
    return Fault.of(source.derive(read_document))


def _is_neutral(change: Change) -> bool:
    from steadyhand.structure.config.toml.neutral import is_neutral

    return is_neutral(change)


FORMATS = (
    Format(
        "toml",
        (".toml",),
        _outline,
        _fault,
        ("pipfile", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "gopkg.lock"),
        is_neutral=_is_neutral,
    ),
)
