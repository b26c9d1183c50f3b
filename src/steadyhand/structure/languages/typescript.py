"""TypeScript."""

from __future__ import annotations

import re

from steadyhand.structure.language import Language
from steadyhand.structure.parsers.code.ecmascript import JAVASCRIPT, STRINGS, TYPESCRIPT

_NEWER = re.compile(r"\bin\s+out\b|\busing\s+\w|\bimport\s+(?:defer|source)\b")

LANGUAGE = Language(
    name="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    package="tree_sitter_typescript",
    grammar="language_typescript",
    query=JAVASCRIPT + TYPESCRIPT,
    strings=STRINGS,
    unit="  ",
    newer=_NEWER,
)
