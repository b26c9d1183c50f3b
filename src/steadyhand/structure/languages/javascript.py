"""JavaScript, with JSX."""

from __future__ import annotations

from steadyhand.structure.language import Language
from steadyhand.structure.parsers.code.ecmascript import FIELDS, JAVASCRIPT, STRINGS, UNREAD_JAVASCRIPT

LANGUAGE = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    package="tree_sitter_javascript",
    query=JAVASCRIPT + FIELDS,
    strings=STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    interpreters=("node", "nodejs", "bun"),
    unread=UNREAD_JAVASCRIPT,
)
