"""Swift. Members of an extension are addressed by the name of the type it extends."""

from __future__ import annotations

from steadyhand.structure.code.language import Language

_QUERY = """
(class_declaration "extension" name: (_) @of body: (_) @body) @extension
(class_declaration "struct" name: (_) @name body: (_) @body) @struct
(class_declaration "enum" name: (_) @name body: (_) @body) @enum
(class_declaration name: (_) @name body: (_) @body) @class
(protocol_declaration name: (_) @name body: (_) @body) @interface
(function_declaration name: (simple_identifier) @name body: (_) @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @property
(init_declaration body: (_) @body (#set! named "init")) @constructor
(deinit_declaration body: (_) @body (#set! named "deinit")) @function
(subscript_declaration (#set! named "subscript")) @function
(source_file (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @variable)
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @variable)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @property)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(typealias_declaration name: (type_identifier) @name) @type
(property_declaration name: (_) name: (_)) @several
(modifiers (attribute) @attribute)
[(comment) (multiline_comment)] @comment
"""

LANGUAGE = Language(
    name="swift",
    suffixes=(".swift",),
    nests_comments=True,
    package="tree_sitter_swift",
    query=_QUERY,
    strings=("multi_line_string_literal", "raw_string_literal"),
    enclosing=("class X {",),
    is_checked=False,
)
