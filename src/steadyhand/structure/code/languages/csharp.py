"""C#. Each part of a partial class is a definition of its own; members are addressed by the name of the class."""

from __future__ import annotations

import re
from collections import Counter

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.language import Language, Unread, brackets_of

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

_BRANCH = lazy_pattern(r"(?m)^[ \t]*#[ \t]*(if|elif|else|endif)\b")
_DEEPEST = 50
_DIRECTIVE = Unread.of(r"(?m)^[ \t]*#[ \t]*(?:if|elif|else|endif)\b[^\r\n]*")


def _one_branch(text: str) -> str:
    """The text with the first branch of every `#if` only, as one compilation reads it.

    Branches that open and close different brackets are left as they are: one of them may be broken.
    """
    pieces: list[str] = []
    branches: list[list[Counter[int]]] = []  # of every `#if` that is open: the brackets of its branches
    at = 0
    for match in _BRANCH.finditer(text):
        part = text[at : match.start()]
        pieces.append(_blank(part) if any(len(each) > 1 for each in branches) else part)
        opened = dict(enumerate(brackets_of(part)))
        for each in reversed(branches):
            each[-1].update(opened)
            if len(each) > 1:
                break  # what is around a further branch has the first one for it
        at = match.start()
        if match.group(1) == "if":
            branches.append([Counter()])
            if len(branches) > _DEEPEST:
                return text
        elif branches and match.group(1) == "endif":
            first, *others = branches.pop()
            if any(branch != first for branch in others):
                return text
        elif branches:
            branches[-1].append(Counter())
    return _DIRECTIVE("".join([*pieces, text[at:]]))


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", lambda letter: " " * len(letter.group().encode("utf-8", "surrogatepass")), text)


_UNREAD = (
    _one_branch,
    Unread.of(r"(\?)(?=\.[\w.]+\s*(?:[-+*/|&^%]|<<|>>>?|\?\?)?=[^=>])"),
    Unread.of(r"\b(allows\s+ref\s+struct)\b", "x"),
    Unread.of(r"\b(extension)(?=\s*(?:<[^<>]*>\s*)?\([^()]*\)[^{};()]*\{)", "class xxx"),
    Unread.of(r"\bclass xxx(\s*(?:<[^<>]*>\s*)?\([^()]*\))", "x"),
)

LANGUAGE = Language(
    name="csharp",
    suffixes=(".cs", ".csx"),
    package="tree_sitter_c_sharp",
    query=_QUERY,
    strings=("verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"),
    enclosing=("class X {",),
    unread=_UNREAD,
)
