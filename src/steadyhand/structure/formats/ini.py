"""INI files and their relatives, by the names of their files. What only looks like INI is not read as it."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Format
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.keys.syntax import syntaxes
    from steadyhand.structure.nodes.key import key_entries

    reading = source.derive(syntaxes()["ini"].read)
    return reading if isinstance(reading, Refusal) else key_entries(reading)


_SUFFIXES = (
    ".ini .cfg .conf .cnf .editorconfig .npmrc .gitconfig .gitmodules .pylintrc .flake8 .coveragerc "
    ".desktop .service .socket .timer .mount .target .path .slice .network .netdev"
)
FORMATS = (Format("ini", tuple(_SUFFIXES.split()), _outline),)
