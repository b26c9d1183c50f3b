"""C#. Each part of a partial class is a definition of its own; members are addressed by the name of the class."""

from __future__ import annotations

import re

from steadyhand.structure.language import Language

_QUERY = """
(file_scoped_namespace_declaration name: (_) @name) @package
(namespace_declaration name: (_) @name body: (_) @body) @namespace
(class_declaration name: (_) @name body: (_) @body) @class
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(struct_declaration name: (_) @name body: (_) @body) @struct
(record_declaration name: (_) @name body: (_) @body) @record
(record_declaration name: (_) @name) @record
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (block) @body) @method
(method_declaration name: (_) @name body: (arrow_expression_clause (_) @body)) @method
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name body: (block) @body) @constructor
(constructor_declaration name: (_) @name) @constructor
(local_function_statement name: (_) @name body: (block) @body) @function
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name accessors: (_) @body) @property
(property_declaration name: (_) @name value: (arrow_expression_clause (_) @body)) @property
(property_declaration name: (_) @name) @property
(indexer_declaration (#set! named "this")) @property
(delegate_declaration name: (_) @name) @type
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(global_statement (local_function_statement) @inner) @wrapper
(attribute_list) @attribute
(comment) @comment
"""

_NEWER = re.compile(r"\bextension\s*[<(]|\?\.[\w.]+\s*[-+*/|&^%?]*=(?!=)")

LANGUAGE = Language(
    name="csharp",
    suffixes=(".cs", ".csx"),
    package="tree_sitter_c_sharp",
    query=_QUERY,
    strings=("verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"),
    newer=_NEWER,
)
