"""Rust. Methods are addressed by the type of their `impl`, and by the whole name of that `impl` as well."""

from __future__ import annotations

from steadyhand.structure.code.language import Language, Unread

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

_UNREAD = (
    Unread.of(r"\b(safe|default|gen|auto)\s+(?=(?:(?:unsafe|async|const|extern)\s+)*(?:fn|static|impl|type|trait)\b)"),
    Unread.of(r"\b(const)\s+(?=(?:unsafe\s+)?trait\b)"),
    Unread.of(r"(~const|\[const\])(?=\s+\w)"),
    Unread.of(r"\b(trait)(?=\s+\w+(?:<[^<>{};=]*>)?\s*=)", "type "),
    Unread.of(r"\btype\s+\w+(?:<[^<>{};=]*>)?\s*(:[^=;{}]+)(?==)"),
    Unread.of(r"\bstruct\s+\w+(?:<[^<>{};]*>)?\s*(where\s[^;{(]*)(?=;)"),
    Unread.of(r"(?<![\w#])(try)(?=!)", "x"),
    Unread.of(r"(?<=[{,])\s*(\.\.)(?=\s*\}\s*=[^=>])"),
    Unread.of(r"(?<=[{,])\s*(\d+)(?=\s*:)", "x"),
    Unread.of(r"(?<=[=(,>|])\s*(#\[[^\[\]]*\])"),
)

LANGUAGE = Language(
    name="rust",
    suffixes=(".rs",),
    nests_comments=True,
    package="tree_sitter_rust",
    query=_QUERY,
    strings=("string_literal", "raw_string_literal"),
    enclosing=("impl X {", "struct X {"),
    unread=_UNREAD,
)
