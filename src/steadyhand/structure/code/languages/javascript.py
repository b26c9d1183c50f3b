"""JavaScript, with JSX."""

from __future__ import annotations

from steadyhand.structure.code.ecmascript import FIELDS, JAVASCRIPT, STRINGS, UNREAD_JAVASCRIPT, is_neutral
from steadyhand.structure.code.language import Language

LANGUAGE = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    package="tree_sitter_javascript",
    query=JAVASCRIPT + FIELDS,
    strings=STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=is_neutral,
    interpreters=("node", "nodejs", "bun"),
    unread=UNREAD_JAVASCRIPT,
)
