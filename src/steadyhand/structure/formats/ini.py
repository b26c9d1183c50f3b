"""INI files and their relatives, by the names of their files. What only looks like INI is not read as it."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.structure.format import Entry, Fault, Format
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.keys.syntax import syntaxes
    from steadyhand.structure.nodes.key import key_entries

    reading = source.derive(syntaxes()["ini"].read)
    return reading if isinstance(reading, Refusal) else key_entries(reading)


def _fault(source: Source) -> Fault | None:
    from steadyhand.structure.keys.syntax import syntaxes

    reading = source.derive(syntaxes()["ini"].read)
    if not isinstance(reading, Refusal) or reading.kind != Kind.UNPARSABLE:
        return None
    line = reading.details.get("line")
    return Fault(line if isinstance(line, int) else 1, reading.message.partition(": ")[2] or reading.message)


_SUFFIXES = (
    ".ini .cfg .editorconfig .npmrc .gitconfig .gitmodules .pylintrc .flake8 .coveragerc "
    ".desktop .service .socket .timer .mount .target .path .slice .network .netdev"
)
# What is called .conf is often written in a language of its own: it is read as INI, and not held to it.
FORMATS = (
    Format("ini", tuple(_SUFFIXES.split()), _outline, _fault),
    Format("conf", (".conf", ".cnf"), _outline),
)
