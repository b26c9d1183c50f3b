"""SQL: what is created. Dialects differ more than one grammar knows, so its errors are not taken at their word."""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.language import Language, Unread

_QUERY = """
(create_table (object_reference) @name) @table
(create_view (object_reference) @name) @view
(create_materialized_view (object_reference) @name) @view
(create_index column: (identifier) @name) @index
(create_function (object_reference) @name) @function
(create_trigger (object_reference) @name) @trigger
(create_type (object_reference) @name) @type
(create_sequence (object_reference) @name) @sequence
(create_schema (identifier) @name) @schema
(statement . [(create_table) (create_view) (create_materialized_view) (create_index)] @inner .) @wrapper
(statement . [(create_function) (create_trigger) (create_type)] @inner .) @wrapper
(statement . [(create_sequence) (create_schema)] @inner .) @wrapper
(comment) @comment
(marginalia) @comment
"""

_BREAKPOINT = r"--> *statement-breakpoint[^\r\n]*"
_BETWEEN = lazy_pattern(
    rf"[ \t]*{_BREAKPOINT}|\s*(?:\r\n?|\n)[ \t]*(?:{_BREAKPOINT}|(?:[Gg][Oo]|/)[ \t]*(?=[\r\n]|\Z))"
)

LANGUAGE = Language(
    name="sql",
    suffixes=(".sql",),
    package="tree_sitter_sql",
    query=_QUERY,
    layout="plain",
    strings=("literal", "function_body"),
    largest=200_000,  # the grammar needs more than linear time for text it does not know
    between=_BETWEEN,
    unread=(Unread.of(r"(?im)^[ \t]*(go|/)(?=[ \t]*\r?$)"),),
    is_checked=False,
)
