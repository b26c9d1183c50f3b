"""TypeScript."""

from __future__ import annotations

from steadyhand.structure.language import Language
from steadyhand.structure.parsers.code.ecmascript import JAVASCRIPT, STRINGS, TYPESCRIPT, UNREAD_TYPES, is_neutral

LANGUAGE = Language(
    name="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    package="tree_sitter_typescript",
    grammar="language_typescript",
    query=JAVASCRIPT + TYPESCRIPT,
    strings=STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=is_neutral,
    unread=UNREAD_TYPES,
)
