"""TypeScript."""

from __future__ import annotations

from steadyhand.structure.code.ecmascript import JAVASCRIPT, STRINGS, TYPESCRIPT, UNREAD_TYPES, is_neutral
from steadyhand.structure.code.language import Language

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
