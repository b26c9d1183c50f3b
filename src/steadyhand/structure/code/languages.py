"""The table of programming languages, `LANGUAGES`: the grammar of each, its query, and what is particular to it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.ecmascript import JAVASCRIPT, TSX, TYPESCRIPT
from steadyhand.structure.code.language import Language, Unread, blank, brackets_of
from steadyhand.structure.code.python import PYTHON
from steadyhand.structure.code.sql import SQL

if TYPE_CHECKING:
    from tree_sitter import Node


def _declared(inner: str) -> str:
    """A declarator of C, or one behind pointers: a pointer to a pointer is as long a chain as is looked for."""
    once = f"(pointer_declarator declarator: {inner})"
    return f"[{inner} {once} (pointer_declarator declarator: {once})]"


def _returning(inner: str) -> str:
    """A function that returns a pointer to a function: `int (*f(void))(int)`."""
    return f"(function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: {inner})))"


def _held(name: str) -> str:
    """What declares a variable or field of C: a name, pointers to it, arrays of these, a pointer to a function."""
    array = f"(array_declarator declarator: {name})"
    arrays = f"{array} (array_declarator declarator: {array}) (pointer_declarator declarator: {array})"
    pointer = f"(pointer_declarator declarator: {name})"
    function = f"(function_declarator declarator: (parenthesized_declarator {pointer}))"
    functions = f"(function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: {array})))"
    return f"[{name} {pointer} (pointer_declarator declarator: {pointer}) {arrays} {function} {functions}]"


def _typedefs(kind: str) -> str:
    """A struct, union or enum with a body that a `typedef` names once, or several times: then it has the first name."""
    return f"""
(type_definition type: ({kind}_specifier body: (_) @body) declarator: (type_identifier) @name) @{kind}
(type_definition type: ({kind}_specifier !name body: (_) @body) @{kind} . declarator: (type_identifier) @name
  . declarator: (_)) @statement"""


_FUNCTION = "(function_declarator declarator: [(identifier) (field_identifier)] @name)"
_TYPE = _held("(type_identifier) @name")

_C_QUERY = f"""
(function_definition declarator: {_declared(_FUNCTION)} body: (_) @body) @function
(function_definition declarator: {_returning(_FUNCTION)} body: (_) @body) @function
(function_definition) @function
(declaration declarator: {_declared(_FUNCTION)}) @prototype
(declaration declarator: {_returning(_FUNCTION)}) @prototype
(declaration declarator: {_declared(_FUNCTION)} @prototype @listed) @statement
(declaration declarator: {_held("(identifier) @name")}) @variable
(declaration declarator: (init_declarator declarator: {_held("(identifier) @name")})) @variable
(declaration declarator: {_held("(identifier) @name")} @variable @listed) @statement
(declaration declarator: (init_declarator declarator: {_held("(identifier) @name")}) @variable @listed) @statement
(field_declaration declarator: {_declared(_FUNCTION)}) @prototype
(field_declaration declarator: {_held("(field_identifier) @name")}) @field
(field_declaration declarator: {_held("(field_identifier) @name")} @field @listed) @statement
(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @union
(enum_specifier name: (_) @name body: (_) @body) @enum
{_typedefs("struct")}{_typedefs("union")}{_typedefs("enum")}
(enum_specifier body: (_)) @enum
(enumerator name: (_) @name) @member @listed
(type_definition declarator: {_TYPE}) @type
(type_definition type: [(primitive_type) (type_identifier) (sized_type_specifier) (struct_specifier name: (_))
  (union_specifier name: (_)) (enum_specifier name: (_))] . declarator: {_TYPE} @type @listed) @statement
(type_definition declarator: (_) declarator: {_TYPE} @type @listed) @statement
(preproc_def name: (_) @name) @macro
(preproc_function_def name: (_) @name) @macro
(declaration declarator: (_) declarator: (_)) @several
(field_declaration declarator: (_) declarator: (_)) @several
(type_definition declarator: (_) declarator: (_)) @several
(comment) @comment
"""


_BASH_QUERY = """
(function_definition name: (_) @name body: (_) @body) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
(program [(declaration_command (variable_assignment name: (variable_name) @name @variable))
  (variable_assignments (variable_assignment name: (variable_name) @name @variable))] @statement)
(declaration_command [(variable_assignment) (variable_name)] [(variable_assignment) (variable_name)]) @several
(list (function_definition) @inner) @wrapper
(list (redirected_statement) @inner) @wrapper
(list (list) @inner) @wrapper
(pipeline (function_definition) @inner) @wrapper
(redirected_statement (function_definition) @inner) @wrapper
(comment) @comment
"""

# Shell scripts: functions, and variables set at the top.
_BASH = Language(
    name="bash",
    suffixes=(".sh", ".bash", ".bats", ".ksh", ".zsh"),
    names=(".bashrc", ".bash_profile", ".bash_aliases", ".profile"),
    package="tree_sitter_bash",
    is_extra=True,
    query=_BASH_QUERY,
    strings=("heredoc_body", "heredoc_end", "string", "raw_string", "ansi_c_string"),
    interpreters=("sh", "bash", "dash", "ksh", "zsh"),
    is_checked=False,
)


_GUARDED = lazy_pattern(
    r"(?m)^[ \t]*#[ \t]*if(?:def)?[ \t]+(?:defined[ \t(]+)?__cplusplus[ \t)]*\r?$(.{0,300}?)^[ \t]*#[ \t]*endif\b",
    re.DOTALL,
)
_LINKAGE = lazy_pattern(r"(?:[ \t]*(?:extern[ \t]+\"C\"[ \t\r\n]*\{|\}|//[^\r\n]*|/\*[^*]*\*/)[ \t\r\n;]*)+")


def _without_linkage(text: str) -> str:
    """The text without the `extern "C" {` and `}` that only C++ reads, if there are as many of one as of the other."""
    found = [match.span(1) for match in _GUARDED.finditer(text) if _LINKAGE.fullmatch(match.group(1).strip("\r\n"))]
    inside = "".join(text[start:end] for start, end in found)
    if not found or inside.count("{") != inside.count("}"):
        return text
    edges = [0, *(edge for span in found for edge in span), len(text)]
    parts = [text[start:end] for start, end in pairwise(edges)]
    return "".join(blank(part) if at % 2 else part for at, part in enumerate(parts))


# Macros make valid files look broken to the grammar; what the preprocessor would make of them is not known here. What
# looks like a macro that expands to attributes or to nothing is covered where the text has errors.
_C_UNREAD = (
    _without_linkage,
    Unread.of(r"(?m)^(_{0,2}[A-Z][A-Z0-9_]{2,})(?=[ \t]*\r?$)"),  # `G_BEGIN_DECLS`
    Unread.of(
        r"(?m)^(?:(?:static|extern|inline)[ \t]+){0,3}([A-Z][A-Z0-9_]{2,})(?=[ \t]+(?:(?:const|unsigned|signed|static"
        r"|extern|inline|struct|enum|union|long|short|virtual|constexpr)[ \t]+){0,5}\w+[ \t*&]{0,100}(?:[ \t*&]|\r?\n)"
        r"\w+[ \t]*\()"
    ),  # `EXPORT int f(void);`
    Unread.of(r"(?<=[\w*][ \t])(__[a-z_]+)(?=[ \t]+\w+[ \t]*\()"),  # `static int __init f(void)`
    Unread.of(r"(?m)^([A-Z][A-Z0-9_]{2,}\([^(){};\r\n]{0,200}\))(?=[ \t]*\r?$)(?!\s{0,100}\{)"),  # `DECLARE_LIST(x)`
    Unread.of(
        r"(?m)^extern[ \t]+([A-Z][A-Z0-9_]{2,})(?=[ \t]+(?:(?:const|unsigned|struct|volatile)[ \t]+){0,3}\w+"
        r"[ \t*]{1,100}(?:const[ \t]+)?\w+[ \t]*[;\[])"
    ),  # `extern API int limit;`
    Unread.of(
        r"(?<=\))((?:\s{1,9}__\w+(?:[ \t]*\((?:[^(){};]|\([^(){};]{0,100}\)){0,200}\))?){1,6})(?=\s{0,9};)"
    ),  # `int f(void) __THROW __nonnull ((1));`
    Unread.of(r"(?<=[\w*][ \t])([A-Z][A-Z0-9_]*UNUSED[A-Z_]*|UNUSED)(?=[ \t]*[,)])"),  # `int argc UNUSED`
)

_C = Language(
    name="c",
    suffixes=(".c", ".h"),
    package="tree_sitter_c",
    is_extra=True,
    query=_C_QUERY,
    strings=("string_literal",),
    enclosing=("struct X {",),
    unread=_C_UNREAD,
    is_checked=False,
)


_CPP_NAMES = "[(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name"
_CPP_FUNCTION = f"(function_declarator declarator: {_CPP_NAMES})"
_CPP_ANY = f"[{_CPP_FUNCTION} (pointer_declarator declarator: {_CPP_FUNCTION}) (reference_declarator {_CPP_FUNCTION})]"

_CPP_QUERY = f"""
((function_definition !type declarator: (function_declarator declarator: (identifier) @called
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @scope)
  . (parameter_declaration type: (type_identifier) @name) .)) body: (_) @body) @function
  (#set! called "TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P"))
(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @namespace
(function_definition declarator: {_CPP_ANY} body: (_)? @body) @function
(field_declaration declarator: {_CPP_ANY}) @prototype
(declaration declarator: {_CPP_ANY}) @prototype
(function_definition declarator: (operator_cast type: (_) @name) body: (_) @body) @function
(function_definition declarator: (qualified_identifier scope: (_) @scope name: (operator_cast type: (_) @name))
  body: (_) @body) @function
(declaration declarator: (operator_cast type: (_) @name)) @prototype
(declaration declarator: (init_declarator declarator: (qualified_identifier) @name)) @variable
(declaration declarator: (init_declarator declarator: (reference_declarator (identifier) @name))) @variable
(declaration declarator: (init_declarator declarator: (reference_declarator (identifier) @name)) @variable @listed)
  @statement
(declaration declarator: (init_declarator declarator: (structured_binding_declarator (identifier) @name @variable)))
  @statement
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @field
(field_declaration declarator: (reference_declarator (field_identifier) @name) @field @listed) @statement
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(linkage_specification body: [(function_definition) (declaration)] @inner) @wrapper
(template_declaration [(class_specifier) (struct_specifier) (function_definition)] @inner) @wrapper
(template_declaration [(declaration) (alias_declaration) (concept_definition)] @inner) @wrapper
"""

_TEST_CASE = lazy_pattern(r"(?m)^(?:TEST_CASE|SCENARIO)\(\"[^\"\r\n]*\"[^()\r\n]*\)(?=\s{0,100}\{)")
_CPP_UNREAD = (
    *_C_UNREAD,
    Unread.of(r"\b(?:class|struct)[ \t]+([A-Z][A-Z0-9_]{2,})(?=[ \t]+\w+[ \t]*(?:final[ \t]*)?[:{\r\n])"),
    Unread.of(r"(?m)^[ \t]+((?:Q_[A-Z_]+|[A-Z][A-Z0-9_]*_BODY)(?:\([^()\r\n]*\))?)(?=[ \t]*\r?$)"),
    Unread.of(r"\bclass[ \t]+\w+[^;{}]{0,400}\{\s*(Q_[A-Z]+)\b"),
    Unread.of(r"(?m)^[ \t]*(MOCK_[A-Z_]*METHOD\w*\((?:[^();{}]|\([^()]{0,400}\)){0,400}\)[ \t]*;)"),
    Unread.of(r"(?m)^[ \t]*((?:extern[ \t]+)?template[ \t]+(?:class|struct)\b[^;{}]{1,300};)"),
    lambda text: _TEST_CASE.sub(lambda found: "void x()".ljust(len(found.group().encode("utf-8", "replace"))), text),
)

# `Class::method` outside its class is addressed as `Class.method`, as the one inside is.
_CPP = Language(
    name="cpp",
    is_extra=True,
    suffixes=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp"),
    package="tree_sitter_cpp",
    query=_CPP_QUERY + _C_QUERY,
    strings=("raw_string_literal", "string_literal"),
    enclosing=("class X {",),
    claims=(".h", lazy_pattern(r"(?m)^[ \t]*(?:class|namespace|template|public|private|protected)\b[ \t]*[\w:<{]")),
    unread=_CPP_UNREAD,
    is_checked=False,
)


_CSHARP_QUERY = """
(file_scoped_namespace_declaration name: (_) @name) @package
(namespace_declaration name: (_) @name body: (_) @body) @namespace
(class_declaration name: (_) @name body: (_)? @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(struct_declaration name: (_) @name body: (_) @body) @struct
(record_declaration name: (_) @name body: (_)? @body) @record
(enum_declaration name: (_) @name body: (_) @body) @enum
(enum_member_declaration name: (_) @name) @member @listed
(operator_declaration operator: _ @name body: (block)? @body) @method
(conversion_operator_declaration type: (_) @name body: (block)? @body) @method
(destructor_declaration name: (_) body: (block) @body (#set! named "Finalize")) @method
(method_declaration name: (_) @name body: (block) @body) @method
(method_declaration name: (_) @name body: (arrow_expression_clause (_) @body)) @method
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name body: (block)? @body) @constructor
(local_function_statement name: (_) @name body: (block)? @body) @function
(property_declaration name: (_) @name accessors: (_) @body) @property
(property_declaration name: (_) @name value: (arrow_expression_clause (_) @body)) @property
(property_declaration name: (_) @name) @property
(indexer_declaration (#set! named "this")) @property
(event_declaration name: (_) @name accessors: (_) @body) @property
(delegate_declaration name: (_) @name) @type
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(field_declaration (variable_declaration (variable_declarator name: (_) @name) @field @listed)) @statement
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
        pieces.append(blank(part) if any(len(each) > 1 for each in branches) else part)
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


_CSHARP_UNREAD = (
    _one_branch,
    Unread.of(r"(\?)(?=\.[\w.]+\s*(?:[-+*/|&^%]|<<|>>>?|\?\?)?=[^=>])"),
    Unread.of(r"\b(allows\s+ref\s+struct)\b", "x"),
    Unread.of(r"\b(extension)(?=\s*(?:<[^<>]*>\s*)?\([^()]*\)[^{};()]*\{)", "class xxx"),
    Unread.of(r"\bclass xxx(\s*(?:<[^<>]*>\s*)?\([^()]*\))", "x"),
)

# Each part of a partial class is a definition of its own; members are addressed by the name of the class.
_CSHARP = Language(
    name="csharp",
    is_extra=True,
    suffixes=(".cs", ".csx"),
    package="tree_sitter_c_sharp",
    query=_CSHARP_QUERY,
    strings=("verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"),
    enclosing=("class X {",),
    unread=_CSHARP_UNREAD,
)


_GO_TYPE = """[
  (type_identifier) @scope
  (generic_type type: (type_identifier) @scope)
  (pointer_type (type_identifier) @scope)
  (pointer_type (generic_type type: (type_identifier) @scope))
]"""

_GO_QUERY = f"""
(function_declaration name: (_) @name body: (_)? @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: {_GO_TYPE})) name: (_) @name body: (_) @body) @method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (_) @name type: (interface_type) @body) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(interface_type (method_elem name: (_) @name) @method)
(struct_type (field_declaration_list (field_declaration name: (_) @name) @field))
(struct_type (field_declaration_list (field_declaration name: (_) @name @field @listed) @statement))
(source_file (const_declaration (const_spec (identifier) @name) @constant))
(source_file (const_declaration (const_spec (identifier) @name @constant) @statement))
(source_file (var_declaration (var_spec name: (_) @name @variable @listed !value) @statement))
(source_file (var_declaration (var_spec name: (_) @name @variable) @statement))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name @variable @listed !value) @statement)))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name @variable) @statement)))
(source_file (var_declaration (var_spec name: (_) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @variable)))
((type_declaration [(type_spec) (type_alias)] @inner) @wrapper (#set! unless "("))
((const_declaration (const_spec) @inner) @wrapper (#set! unless "("))
((var_declaration (var_spec) @inner) @wrapper (#set! unless "("))
(comment) @comment
"""


def _go_leads(node: Node) -> bool:
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


# A method is addressed by the type of its receiver.
_GO = Language(
    name="go",
    suffixes=(".go",),
    package="tree_sitter_go",
    is_extra=True,
    query=_GO_QUERY,
    strings=("raw_string_literal",),
    unit="\t",
    leads=_go_leads,
)


_JAVA_QUERY = """
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(record_declaration name: (_) @name body: (_) @body) @record
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(method_declaration name: (_) @name body: (_)? @body) @method
(annotation_type_element_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name body: (_) @body) @constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(field_declaration declarator: (variable_declarator name: (_) @name) @field @listed) @statement
(enum_constant name: (_) @name body: (_)? @body) @member @listed
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(modifiers [(annotation) (marker_annotation)] @attribute)
[(line_comment) (block_comment)] @comment
"""

_JAVA_UNREAD = (
    Unread.of(r"\bimport\s+(module)\s+(?=\w)"),
    Unread.of(r"(?<=[;{}])\s*(super|this)(?=\s*\()", "x"),
)

_JAVA = Language(
    name="java",
    suffixes=(".java",),
    package="tree_sitter_java",
    is_extra=True,
    query=_JAVA_QUERY,
    strings=("string_literal",),
    enclosing=("class X {",),
    unread=_JAVA_UNREAD,
)


_KOTLIN_QUERY = """
(class_declaration "interface" name: (_) @name (class_body)? @body) @interface
(class_declaration name: (_) @name (enum_class_body) @body) @enum
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name (class_body)? @body) @enum
(enum_entry . (identifier) @name (class_body)? @body) @member @listed
(class_declaration name: (_) @name (class_body)? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @object
(companion_object name: (_) @name (class_body) @body) @object
(companion_object (class_body) @body (#set! named "Companion")) @object
(function_declaration [(user_type) (nullable_type)] @scope . "." . name: (_) @name
  (function_body [(block) (_)] @body)?) @function
(function_declaration name: (_) @name (function_body (block) @body)) @function
(function_declaration name: (_) @name (function_body (_) @body)) @function
(function_declaration name: (_) @name) @function
(property_declaration [(user_type) (nullable_type)] @scope . "." .
  (variable_declaration . (identifier) @name)) @property
(secondary_constructor (block)? @body (#set! named "constructor")) @constructor
(property_declaration (variable_declaration . (identifier) @name)) @property
(type_alias . (identifier) @name) @type
(modifiers (annotation) @attribute)
[(line_comment) (block_comment)] @comment
"""

# The grammar wants a line or a semicolon before the end of a body: `{ fun run() }`. It takes other valid code for
# broken, too, so its errors are not taken at their word.
_KOTLIN_UNREAD = (Unread.of(r"(?<=[\w)\]>\"}?])([ \t])(?=\})", ";"),)

_KOTLIN = Language(
    name="kotlin",
    is_extra=True,
    suffixes=(".kt", ".kts"),
    nests_comments=True,
    package="tree_sitter_kotlin",
    query=_KOTLIN_QUERY,
    strings=("multiline_string_literal",),
    enclosing=("class X {",),
    unread=_KOTLIN_UNREAD,
    is_checked=False,
)


_PHP_QUERY = """
(namespace_definition name: (_) @name body: (_) @body) @namespace
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(trait_declaration name: (_) @name body: (_) @body) @trait
(enum_declaration name: (_) @name body: (_) @body) @enum
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_)? @body) @method
(enum_case name: (_) @name) @member
(const_declaration (const_element . (name) @name)) @constant
(const_declaration (const_element . (name) @name) @constant @listed) @statement
(property_declaration (property_element name: (variable_name (name) @name))) @property
(property_declaration (property_element name: (variable_name (name) @name)) @property @listed) @statement
(attribute_group) @attribute
(comment) @comment
"""

_PHP_UNREAD = (Unread.of(r"(?<=[;{}\s])(\(\s*void\s*\))"),)

# The HTML around it is left alone.
_PHP = Language(
    name="php",
    is_extra=True,
    suffixes=(".php", ".phtml"),
    package="tree_sitter_php",
    grammar="language_php",
    fragment="language_php_only",
    query=_PHP_QUERY,
    strings=("heredoc", "nowdoc", "string", "encapsed_string", "shell_command_expression", "text"),
    enclosing=("class X {",),
    interpreters=("php",),
    unread=_PHP_UNREAD,
)


_RUBY_SEVERAL = """[(assignment left: (constant) @name @constant right: (assignment))
  (assignment right: (assignment left: (constant) @name @constant))
  (assignment left: (left_assignment_list (constant) @name @constant))]"""

_RUBY_QUERY = f"""
(module name: (_) @name body: (_)? @body) @module
(class name: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function
(singleton_class) @class
(program [(assignment left: (constant) @name) (operator_assignment left: (constant) @name)] @constant)
(body_statement [(assignment left: (constant) @name) (operator_assignment left: (constant) @name)] @constant)
(program {_RUBY_SEVERAL} @statement)
(body_statement {_RUBY_SEVERAL} @statement)
(alias name: [(identifier) (constant) (operator)] @name) @function
(call method: (identifier) arguments: (argument_list . (method) @inner .)) @wrapper
(assignment right: (assignment)) @several
(comment) @comment
"""

_WORDS = r"(?:[^\"'`()\[\]{}\r\n#]|\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\)|\[[^\[\]\r\n]*\]|\{[^{}\r\n]*\})+"

_RUBY_UNREAD = (
    Unread.of(rf"(?m)\bdef\s+[\w.?!]+(?:\([^()\r\n]*\))?\s*=\s*([a-z_]\w*[?!]?[ \t]+(?!=){_WORDS})$", "x"),
    Unread.of(r"(?<![:\w]):(\$[^\w\s\"'])", "x"),
)

# Methods of the class itself are addressed as its other methods are: `Module.method`.
_RUBY = Language(
    name="ruby",
    is_extra=True,
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    names=("rakefile", "gemfile", "vagrantfile"),
    package="tree_sitter_ruby",
    query=_RUBY_QUERY,
    layout="end",
    strings=("string", "heredoc_body", "regex", "subshell", "delimited_symbol"),
    unit="  ",
    interpreters=("ruby",),
    unread=_RUBY_UNREAD,
)


_RUST_QUERY = """
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @signature
(struct_item name: (_) @name body: (_)? @body) @struct
(enum_item name: (_) @name body: (_) @body) @enum
(union_item name: (_) @name body: (_) @body) @union
(trait_item name: (_) @name body: (_) @body) @trait
(impl_item trait: (_) @as type: (_) @of body: (_) @body) @impl
(impl_item type: (_) @of body: (_) @body) @impl
(mod_item name: (_) @name body: (_)? @body) @module
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(macro_definition name: (_) @name) @macro
(field_declaration_list (field_declaration name: (_) @name) @field @listed)
(enum_variant name: (_) @name body: (field_declaration_list) @body) @member @listed
(enum_variant name: (_) @name) @member @listed
(attribute_item) @attribute
[(line_comment) (block_comment)] @comment
"""

_RUST_UNREAD = (
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

# Methods are addressed by the type of their `impl`, and by the whole name of that `impl` as well.
_RUST = Language(
    name="rust",
    suffixes=(".rs",),
    nests_comments=True,
    package="tree_sitter_rust",
    is_extra=True,
    query=_RUST_QUERY,
    strings=("string_literal", "raw_string_literal"),
    enclosing=("impl X {", "struct X {"),
    unread=_RUST_UNREAD,
)


_SWIFT_QUERY = """
(class_declaration "extension" name: (_) @of body: (_) @body) @extension
(class_declaration "struct" name: (_) @name body: (_) @body) @struct
(class_declaration "enum" name: (_) @name body: (_) @body) @enum
(class_declaration name: (_) @name body: (_) @body) @class
(protocol_declaration name: (_) @name body: (_) @body) @interface
(function_declaration "func" . name: _ @name body: (_) @body) @function
(enum_entry name: (simple_identifier) @name) @member
(enum_entry name: (simple_identifier) @name @member) @statement
(protocol_function_declaration "func" . name: _ @name) @function
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @property
(associatedtype_declaration name: (_) @name) @type
(init_declaration body: (_)? @body (#set! named "init")) @constructor
(deinit_declaration body: (_) @body (#set! named "deinit")) @function
(subscript_declaration (#set! named "subscript")) @function
(source_file (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @variable)
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @variable)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @property)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(typealias_declaration name: (type_identifier) @name) @type
(property_declaration name: (_) name: (_)) @several
(source_file (property_declaration name: (pattern bound_identifier: (_) @name @variable)) @statement)
(source_file (property_declaration name: (pattern (pattern (simple_identifier) @name @variable))) @statement)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name @property)) @statement)
(modifiers (attribute) @attribute)
[(comment) (multiline_comment)] @comment
"""

# Members of an extension are addressed by the name of the type it extends.
_SWIFT = Language(
    name="swift",
    is_extra=True,
    suffixes=(".swift",),
    nests_comments=True,
    package="tree_sitter_swift",
    query=_SWIFT_QUERY,
    strings=("multi_line_string_literal", "raw_string_literal"),
    enclosing=("class X {",),
    is_checked=False,
)

LANGUAGES = (
    _BASH,
    _C,
    _CPP,
    _CSHARP,
    _GO,
    _JAVA,
    JAVASCRIPT,
    _KOTLIN,
    _PHP,
    PYTHON,
    _RUBY,
    _RUST,
    SQL,
    _SWIFT,
    TSX,
    TYPESCRIPT,
)  # by the alphabet
