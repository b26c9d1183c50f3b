"""PHP, and the HTML around it, which is left alone."""

from __future__ import annotations

from steadyhand.structure.code.language import Language, Unread

_QUERY = """
(namespace_definition name: (_) @name body: (_) @body) @namespace
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(trait_declaration name: (_) @name body: (_) @body) @trait
(enum_declaration name: (_) @name body: (_) @body) @enum
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_) @body) @method
(method_declaration name: (_) @name) @method
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @property
(attribute_group) @attribute
(comment) @comment
"""

_UNREAD = (Unread.of(r"(?<=[;{}\s])(\(\s*void\s*\))"),)

LANGUAGE = Language(
    name="php",
    suffixes=(".php", ".phtml"),
    package="tree_sitter_php",
    grammar="language_php",
    fragment="language_php_only",
    query=_QUERY,
    strings=("heredoc", "nowdoc", "string", "encapsed_string", "shell_command_expression", "text"),
    enclosing=("class X {",),
    interpreters=("php",),
    unread=_UNREAD,
)
