"""TypeScript with JSX."""

from __future__ import annotations

from steadyhand.structure.code.ecmascript import (
    JAVASCRIPT,
    STRINGS,
    TYPESCRIPT,
    UNREAD_JAVASCRIPT,
    UNREAD_TYPESCRIPT,
    is_neutral,
)
from steadyhand.structure.code.language import Language

LANGUAGE = Language(
    name="tsx",
    suffixes=(".tsx",),
    package="tree_sitter_typescript",
    grammar="language_tsx",
    query=JAVASCRIPT + TYPESCRIPT,
    strings=STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=is_neutral,
    unread=UNREAD_JAVASCRIPT + UNREAD_TYPESCRIPT,
)
