"""TypeScript with JSX."""

from __future__ import annotations

from steadyhand.structure.language import Language
from steadyhand.structure.parsers.code.ecmascript import JAVASCRIPT, NEWER, STRINGS, TYPESCRIPT

LANGUAGE = Language(
    name="tsx",
    suffixes=(".tsx",),
    package="tree_sitter_typescript",
    grammar="language_tsx",
    query=JAVASCRIPT + TYPESCRIPT,
    strings=STRINGS,
    unit="  ",
    newer=NEWER,
)
