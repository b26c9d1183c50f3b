"""What C and C++ call a definition: the query the two share.

A name stands at the end of a chain of declarators; a pointer to a pointer is as long a chain as is looked for.
"""

from __future__ import annotations


def _declared(inner: str) -> str:
    """A declarator, or one behind pointers and references."""
    once = f"(pointer_declarator declarator: {inner})"
    return f"[{inner} {once} (pointer_declarator declarator: {once})]"


_FUNCTION = "(function_declarator declarator: [(identifier) (field_identifier)] @name)"

C = f"""
(function_definition declarator: {_declared(_FUNCTION)} body: (_) @body) @function
(function_definition) @function
(declaration declarator: {_declared(_FUNCTION)}) @prototype
(declaration declarator: {_declared("(identifier) @name")}) @variable
(declaration declarator: (init_declarator declarator: {_declared("(identifier) @name")})) @variable
(declaration declarator: (array_declarator declarator: (identifier) @name)) @variable
(declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @variable
(field_declaration declarator: {_declared(_FUNCTION)}) @prototype
(field_declaration declarator: {_declared("(field_identifier) @name")}) @field
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @field
(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @union
(enum_specifier name: (_) @name body: (_) @body) @enum
(type_definition type: (struct_specifier body: (_) @body) declarator: (type_identifier) @name) @struct
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (function_declarator declarator:
  (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @type
(preproc_def name: (_) @name) @macro
(preproc_function_def name: (_) @name) @macro
(declaration declarator: (_) declarator: (_)) @several
(field_declaration declarator: (_) declarator: (_)) @several
(comment) @comment
"""
