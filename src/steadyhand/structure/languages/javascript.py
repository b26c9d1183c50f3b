"""JavaScript, with JSX."""

from __future__ import annotations

import re

from steadyhand.structure.language import Language
from steadyhand.structure.parsers.code.ecmascript import FIELDS, JAVASCRIPT, STRINGS

_NEWER = re.compile(r"\bassert\s*\{.*\}|\baccessor\s+\w|\busing\s+\w|\bimport\s+(?:defer|source)\b")

LANGUAGE = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    package="tree_sitter_javascript",
    query=JAVASCRIPT + FIELDS,
    strings=STRINGS,
    unit="  ",
    interpreters=("node", "nodejs", "bun"),
    newer=_NEWER,
)
