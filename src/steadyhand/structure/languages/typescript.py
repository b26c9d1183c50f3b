"""TypeScript."""

from __future__ import annotations

from steadyhand.structure.language import Language
from steadyhand.structure.parsers.code.ecmascript import JAVASCRIPT, NEWER, STRINGS, TYPESCRIPT

LANGUAGE = Language(
    name="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    package="tree_sitter_typescript",
    grammar="language_typescript",
    query=JAVASCRIPT + TYPESCRIPT,
    strings=STRINGS,
    unit="  ",
    newer=NEWER,
)
