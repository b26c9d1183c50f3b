"""Kotlin. The grammar takes much valid code on one line for broken, so its errors are not taken at their word."""

from __future__ import annotations

from steadyhand.structure.code.language import Language

_QUERY = """
(class_declaration "interface" name: (_) @name (class_body)? @body) @interface
(class_declaration name: (_) @name (enum_class_body) @body) @enum
(class_declaration name: (_) @name (class_body) @body) @class
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name (class_body) @body) @object
(object_declaration name: (_) @name) @object
(companion_object name: (_) @name (class_body) @body) @object
(companion_object (class_body) @body (#set! named "Companion")) @object
(function_declaration name: (_) @name (function_body (block) @body)) @function
(function_declaration name: (_) @name (function_body (_) @body)) @function
(function_declaration name: (_) @name) @function
(secondary_constructor (block)? @body (#set! named "constructor")) @constructor
(property_declaration (variable_declaration . (identifier) @name)) @property
(type_alias . (identifier) @name) @type
(modifiers (annotation) @attribute)
[(line_comment) (block_comment)] @comment
"""

LANGUAGE = Language(
    name="kotlin",
    suffixes=(".kt", ".kts"),
    nests_comments=True,
    package="tree_sitter_kotlin",
    query=_QUERY,
    strings=("multiline_string_literal",),
    enclosing=("class X {",),
    is_checked=False,
)
