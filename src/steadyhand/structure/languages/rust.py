"""Rust. Methods are addressed by the type of their `impl`, and by the whole name of that `impl` as well."""

from __future__ import annotations

import re

from steadyhand.structure.language import Language

_QUERY = """
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @signature
(struct_item name: (_) @name body: (_) @body) @struct
(struct_item name: (_) @name) @struct
(enum_item name: (_) @name body: (_) @body) @enum
(union_item name: (_) @name body: (_) @body) @union
(trait_item name: (_) @name body: (_) @body) @trait
(impl_item trait: (_) @as type: (_) @of body: (_) @body) @impl
(impl_item type: (_) @of body: (_) @body) @impl
(mod_item name: (_) @name body: (_) @body) @module
(mod_item name: (_) @name) @module
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(macro_definition name: (_) @name) @macro
(field_declaration_list (field_declaration name: (_) @name) @field @listed)
(attribute_item) @attribute
[(line_comment) (block_comment)] @comment
"""

_NEWER = re.compile(r"\bsafe\s+(?:fn|static)\b|\btrait\s+\w+[^{]*=")

LANGUAGE = Language(
    name="rust",
    suffixes=(".rs",),
    nests_comments=True,
    package="tree_sitter_rust",
    query=_QUERY,
    strings=("string_literal", "raw_string_literal"),
    newer=_NEWER,
)
