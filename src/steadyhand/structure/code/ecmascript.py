"""JavaScript and TypeScript: the queries they share, what their grammars lack, and the languages."""

from __future__ import annotations

from itertools import pairwise

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.language import Language, Unread
from steadyhand.structure.format import Change

# What both grammars lack: any word is a name in the braces of an import or export, and these are names almost anywhere.
_UNREAD_JAVASCRIPT = (
    Unread.of(r"(?<=\sas)\s+([a-z]+)(?=\s*[,}])", "x"),
    Unread.of(r"(?<=[{,])\s*([a-z]+)(?=\s+as\s)", "x"),
    Unread.of(r"(?<![\w$.])(using|accessor|abstract|satisfies)(?=\s*[=.(,;:)?])", "x"),
    Unread.of(r"(?<![\w$.])(using)(?=\s+[\w$]+\s*=)", "const"),
    Unread.of(r"\bimport\s+(defer|source)\s+(?=[\w$*]+\s)"),
    Unread.of(r"(?<=['\"])\s*(assert\s*\{[^{}]*\})"),
    Unread.of(r"(?<![\w$.])(accessor)\s+(?=[\w$#\[])"),
    Unread.of(r"(\\[ux])(?![0-9a-fA-F{])", "x"),
    Unread.of(r"(?<==)\"([^\"\r\n]*&[^\"\r\n]*)\"", "x"),  # a bare ampersand in an attribute
)

# No alternative starts like another and nothing is tried again: a text of comparisons costs no more than reading it.
_BRACES = r"\{(?:[^{}`]|\{(?:[^{}`]|\{[^{}`]{0,400}+\}){0,400}+\}){0,800}+\}"
_INNER = rf"[^<>{{}}`;=]|=>?|{_BRACES}"
_ARGUMENTS = rf"<(?:{_INNER}|<(?:{_INNER}|<(?:{_INNER}){{0,400}}+>){{0,400}}+>){{0,400}}+>"
_ROW = lazy_pattern(r"(?m)^[ \t]*([ \t])(?=<(?:[\w$]|\s*$)|in\??:)")
_NOTE = lazy_pattern(r"(?m)[ \t]*(?://|/?\*)[^\n]*$")
_BEHIND = lazy_pattern(r"//[^\n\"'`]*$")


def _with_semicolons(text: str) -> str:
    """Members of a type that nothing separates but the line, where the next one starts with `<` or is called `in`.

    The grammar reads both as part of the line before. The last blank in front of such a member becomes a semicolon.
    """
    cut = [match.start(1) for match in _ROW.finditer(text) if _ends_member(text, match.start())]
    pieces = [text[start + 1 : end] for start, end in pairwise([-1, *cut, len(text)])]
    return ";".join(pieces)


def _ends_member(text: str, row: int) -> bool:
    """Whether what is before a row, comments aside, can be the end of a member that has no semicolon."""
    while row > 0:
        start = text.rfind("\n", 0, row - 1) + 1
        line = text[start : row - 1]
        if line.strip() and not _NOTE.match(line):
            line = _BEHIND.sub("", line).rstrip()
            return line[-1:] in "\"'`)]}$_" or line[-1:].isalnum() or (line.endswith(">") and not line.endswith("=>"))
        row = start
    return False


_UNREAD_TYPESCRIPT = (
    Unread.of(r"\bexport\s+(type)(?=\s*\*)"),
    Unread.of(r"\bexport\s+(default function)(?=\s*[(<])", "function _______"),
    Unread.of(r"(?<![\w$.])(import\s*\(\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*\))", "x"),
    Unread.of(r"(?m)(?:[<,]|\*/|^|\bconst)\s*((?:in\s+)?(?:in|out))\s+(?=[\w$]+\s*(?:[,>=]|extends\s))"),
    Unread.of(rf"(?<=[\w$)\]])({_ARGUMENTS})(?=\s*`)"),
    Unread.of(r"(?<=[{,])\s*(type)(?=\s*[,}])", "x"),
    Unread.of(r"\(\s*(any|bigint|boolean|never|number|object|string|symbol|unknown)(?=\s*\)\s*=>)", "x"),
    Unread.of(r"(?m)^\s*(global)(?=\s*\{)"),
    Unread.of(r"(\\`)", "x"),
)
_UNREAD_TYPES = (*_UNREAD_JAVASCRIPT, *_UNREAD_TYPESCRIPT, _with_semicolons)

_FUNCTION_VALUE = """[
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)
]"""

_QUERY = f"""
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
(object (pair key: [(property_identifier) (string)] @name value: (object)) @passed)
(lexical_declaration
  (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @function @listed) @statement
(variable_declaration
  (variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @function @listed) @statement
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable @listed) @statement)
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable @listed) @statement)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable @listed) @statement)
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable @listed) @statement)
(program (expression_statement (assignment_expression
  left: (member_expression property: (_) @name) right: {_FUNCTION_VALUE})) @function)
(export_statement declaration: (_) @inner) @wrapper
(lexical_declaration (variable_declarator) (variable_declarator)) @several
(variable_declaration (variable_declarator) (variable_declarator)) @several
(comment) @comment
(decorator) @attribute
"""

_FIELDS_QUERY = """
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @function
(field_definition property: (_) @name value: (function_expression body: (_) @body)) @function
(field_definition property: (_) @name) @field
"""

_TYPED_QUERY = """
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(enum_body name: (_) @name @member @listed)
(enum_body (enum_assignment name: (_) @name) @member @listed)
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

_STRINGS = ("template_string", "string")


def _is_neutral(language: Language, change: Change) -> bool:
    """Whether a change is proven to leave a valid text valid."""
    from steadyhand.structure.code.ecmascript_neutral import is_neutral

    return is_neutral(language, change)


JAVASCRIPT = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    package="tree_sitter_javascript",
    query=_QUERY + _FIELDS_QUERY,
    strings=_STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=_is_neutral,
    interpreters=("node", "nodejs", "bun"),
    unread=_UNREAD_JAVASCRIPT,
)


TSX = Language(
    name="tsx",
    suffixes=(".tsx",),
    package="tree_sitter_typescript",
    grammar="language_tsx",
    query=_QUERY + _TYPED_QUERY,
    strings=_STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=_is_neutral,
    unread=_UNREAD_JAVASCRIPT + _UNREAD_TYPESCRIPT,
)


TYPESCRIPT = Language(
    name="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    package="tree_sitter_typescript",
    grammar="language_typescript",
    query=_QUERY + _TYPED_QUERY,
    strings=_STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=_is_neutral,
    unread=_UNREAD_TYPES,
)
