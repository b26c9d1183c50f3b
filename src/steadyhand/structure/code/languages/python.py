"""Python. The grammar finds the places, the interpreter's own compiler says whether a text is valid."""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.language import Language, Unread
from steadyhand.structure.code.python_verdict import is_bounded, python_fault
from steadyhand.structure.neutral import Change

_QUERY = """
(function_definition name: (_) @name body: (_) @body) @function
(class_definition name: (_) @name body: (_) @body) @class
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @variable))
(type_alias_statement left: (type (identifier) @name)) @type
(decorated_definition definition: (_) @inner) @wrapper
(expression_statement (assignment right: (assignment))) @several
(expression_statement . (string) .) @behind
(decorator) @attribute
(comment) @comment
"""

_NEWER = lazy_pattern(
    r"\b(?:def|class)\s+\w+\s*\[|^\s*type\s+\w+|\bexcept\*?\s+[\w.]+\s*,|\b(?:[fFtT][rR]?|[rR][fFtT])['\"]"
)

# The defaults of type parameters, `class A[T = int, *Ts = *tuple[int], **P = [str]]`: one is covered at a time.
_INNER = r"\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\]){0,200}\]){0,400}\]"
_DEFAULT = Unread.of(
    r"\b(?:def|class|type)\s+\w+\s*\[(?:[^\[\]=]|" + _INNER + r"){1,400}"
    r"(=\s*\*?(?:[\w.|\s\"']|" + _INNER + r"){1,400})(?=[,\]])"
)
_MOST_DEFAULTS = 6


def _is_neutral(language: Language, change: Change) -> bool:
    from steadyhand.structure.code.python_neutral import is_neutral

    return is_neutral(language, change)


LANGUAGE = Language(
    name="python",
    suffixes=(".py", ".pyi", ".pyw"),
    package="tree_sitter_python",
    query=_QUERY,
    layout="suite",
    strings=("string",),
    gaps=(2, 1),
    interpreters=("python",),
    verdict=python_fault,
    is_bounded=is_bounded,
    is_neutral=_is_neutral,
    newer=_NEWER,
    unread=(_DEFAULT,) * _MOST_DEFAULTS,
)
