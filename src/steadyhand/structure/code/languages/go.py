"""Go. A method is addressed by the type of its receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.structure.code.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node


_TYPE = """[
  (type_identifier) @scope
  (generic_type type: (type_identifier) @scope)
  (pointer_type (type_identifier) @scope)
  (pointer_type (generic_type type: (type_identifier) @scope))
]"""

_QUERY = f"""
(function_declaration name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: {_TYPE})) name: (_) @name body: (_) @body) @method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(interface_type (method_elem name: (_) @name) @method)
(struct_type (field_declaration_list (field_declaration name: (_) @name) @field))
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @variable)))
((type_declaration [(type_spec) (type_alias)] @inner) @wrapper (#set! unless "("))
((const_declaration (const_spec) @inner) @wrapper (#set! unless "("))
((var_declaration (var_spec) @inner) @wrapper (#set! unless "("))
(comment) @comment
"""


def _leads(node: Node) -> bool:
    """Whether constants below in its group repeat its value, or count with `iota` how many are above them."""
    if node.type != "const_spec":
        return False
    below = node.next_named_sibling
    while below is not None:
        value = below.child_by_field_name("value")
        if below.type == "const_spec" and (value is None or _counts(value)):
            return True
        below = below.next_named_sibling
    return False


def _counts(value: Node) -> bool:
    """Whether an expression has `iota` in it."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node.type == "iota":
            return True
        waiting += node.children
    return False


LANGUAGE = Language(
    name="go",
    suffixes=(".go",),
    package="tree_sitter_go",
    query=_QUERY,
    strings=("raw_string_literal",),
    unit="\t",
    leads=_leads,
)
