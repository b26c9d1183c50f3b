"""INI files and their relatives, by the names of their files. What only looks like INI is not read as it."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry, Fault, Format, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.config.key_node import outline_keys

    return outline_keys(source, "ini")


def _fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.syntax import syntaxes

    return Fault.of(source.derive(syntaxes()["ini"].read))


_SUFFIXES = (
    ".ini .cfg .editorconfig .npmrc .gitconfig .gitmodules .pylintrc .flake8 .coveragerc "
    ".desktop .service .socket .timer .mount .target .path .slice .network .netdev"
)
# What is called .conf is often written in a language of its own: it is read as INI, and not held to it.
FORMATS = (
    Format("ini", tuple(_SUFFIXES.split()), _outline, _fault),
    Format("conf", (".conf", ".cnf"), _outline),
)
