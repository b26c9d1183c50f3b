"""C++. `Class::method` outside its class is addressed as `Class.method`, as the one inside is."""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.c_family import C
from steadyhand.structure.code.language import Language

_NAMES = "[(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name"
_FUNCTION = f"(function_declarator declarator: {_NAMES})"
_ANY = f"[{_FUNCTION} (pointer_declarator declarator: {_FUNCTION}) (reference_declarator {_FUNCTION})]"

_QUERY = f"""
(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @namespace
(function_definition declarator: {_ANY} body: (_) @body) @function
(function_definition declarator: {_ANY}) @function
(field_declaration declarator: {_ANY}) @prototype
(declaration declarator: {_ANY}) @prototype
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(linkage_specification body: [(function_definition) (declaration)] @inner) @wrapper
(template_declaration [(class_specifier) (struct_specifier) (function_definition)] @inner) @wrapper
(template_declaration [(declaration) (alias_declaration) (concept_definition)] @inner) @wrapper
"""

LANGUAGE = Language(
    name="cpp",
    suffixes=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp"),
    package="tree_sitter_cpp",
    query=_QUERY + C,
    strings=("raw_string_literal", "string_literal"),
    enclosing=("class X {",),
    claims=(".h", lazy_pattern(r"(?m)^[ \t]*(?:class|namespace|template|public|private|protected)\b[ \t]*[\w:<{]")),
    is_checked=False,
)
