"""C. Macros make valid files look broken to the grammar; what the preprocessor would make of them is not known here."""

from __future__ import annotations

from steadyhand.structure.code.c_family import C
from steadyhand.structure.code.language import Language

LANGUAGE = Language(
    name="c",
    suffixes=(".c", ".h"),
    package="tree_sitter_c",
    query=C,
    strings=("string_literal",),
    enclosing=("struct X {",),
    is_checked=False,
)
