"""What JavaScript and TypeScript call a definition: the queries their languages share, and what the grammars lack."""

from __future__ import annotations

import re

# What is valid TypeScript and newer than the grammar.
NEWER = re.compile(r"\bin\s+out\b|\busing\s+\w|\bimport\s+(?:defer|source)\b")

_FUNCTION_VALUE = """[
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]"""

JAVASCRIPT = f"""
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
((method_definition name: (_) @name body: (_) @body) @constructor (#set! called "constructor"))
(object (method_definition name: (_) @name body: (_) @body) @function @listed)
(method_definition name: (_) @name body: (_) @body) @function
(lexical_declaration (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE})) @function
(variable_declaration (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE})) @function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @variable)
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name)) @variable)
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name)) @variable)
(object (pair key: (_) @name value: {_FUNCTION_VALUE}) @function @listed)
(program (expression_statement (assignment_expression
  left: (member_expression property: (_) @name) right: {_FUNCTION_VALUE})) @function)
(export_statement declaration: (_) @inner) @wrapper
(lexical_declaration (variable_declarator) (variable_declarator)) @several
(variable_declaration (variable_declarator) (variable_declarator)) @several
(comment) @comment
(decorator) @attribute
"""

FIELDS = """
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @function
(field_definition property: (_) @name value: (function_expression body: (_) @body)) @function
(field_definition property: (_) @name) @field
"""

TYPESCRIPT = """
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(type_alias_declaration name: (_) @name) @type
(internal_module name: (_) @name body: (_) @body) @namespace
(module name: (_) @name body: (_) @body) @namespace
(function_signature name: (_) @name) @signature
(abstract_method_signature name: (_) @name) @signature
(class_body (method_signature name: (_) @name) @signature)
(interface_body (method_signature name: (_) @name) @function)
(interface_body (property_signature name: (_) @name) @property)
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @function
(public_field_definition name: (_) @name value: (function_expression body: (_) @body)) @function
(public_field_definition name: (_) @name) @field
(statement_block (lexical_declaration (variable_declarator name: (identifier) @name)) @variable)
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name)) @variable)
(expression_statement (internal_module) @inner) @wrapper
(ambient_declaration (_) @inner) @wrapper
(class_body (decorator) @attribute)
"""

STRINGS = ("template_string",)
