"""Java."""

from __future__ import annotations

from steadyhand.structure.code.language import Language, Unread

_QUERY = """
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(record_declaration name: (_) @name body: (_) @body) @record
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(method_declaration name: (_) @name body: (_) @body) @method
(method_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name body: (_) @body) @constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(modifiers [(annotation) (marker_annotation)] @attribute)
[(line_comment) (block_comment)] @comment
"""

_UNREAD = (
    Unread.of(r"\bimport\s+(module)\s+(?=\w)"),
    Unread.of(r"(?<=[;{}])\s*(super|this)(?=\s*\()", "x"),
)

LANGUAGE = Language(
    name="java",
    suffixes=(".java",),
    package="tree_sitter_java",
    query=_QUERY,
    strings=("string_literal",),
    enclosing=("class X {",),
    unread=_UNREAD,
)
