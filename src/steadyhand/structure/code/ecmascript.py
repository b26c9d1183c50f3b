"""JavaScript and TypeScript: the languages, and whether a change leaves a valid text valid.

They share their queries, and what their grammars lack.

A change is proven by the block or the declarations around it. The window is the body of a block of statements, between
a line that can only open one and the brace that closes it; or whole declarations of a module, from a line that can only
start one to the next such line. If it parses by itself, now and after the change, the rest of the text reads on as it
did. The first line must not be in a comment or a template: a comment is ruled out by the last place before it where one
opens or closes; in a template either the change does no harm, or what follows the next backtick could not be code.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.language import Language, Unread
from steadyhand.structure.format import WIDEST, Change

_TYPE = r"(?::[\w.<>\[\],| ]+)?"
_OPENS_BLOCK = lazy_pattern(
    rf"""[ \t]*(?:
        (?:\}}[ ])?(?:(?:else[ ])?if|for|while|catch)[ ]?\([^"'`/\\\n]*\)
      | (?:\}}[ ])?(?:else|try|finally|do)
      | (?:export[ ])?(?:default[ ])?(?:async[ ])?function[ ]?\*?[ ]?[\w$]*\([^"'`/\\\n]*\){_TYPE}
      | (?:export[ ])?(?:const|let|var)[ ][\w$]+[ ]=[ ](?:async[ ])?(?:\([^"'`/\\\n()]*\){_TYPE}|[\w$]+)[ ]=>
      | ((?:(?:public|private|protected|static|override|async|get|set)[ ])*(?!switch\b)[\w$]+\([^"'`/\\\n]*\){_TYPE})
    )[ ]\{{[ \t]*\r?\n""",
    re.VERBOSE,
)
_STARTS_DECLARATION = lazy_pattern(
    r"export[ ](?:default|const|let|var|function|class|interface|type|enum|async|abstract|declare|namespace)\b"
    r"|import[ ][\w{*\"'$]"
)
_IS_STATEMENT = lazy_pattern(
    r"\s*(?:(?:return|const|let|var|if|for|while|throw|switch|try)\b|[^\n\"'`/]*;[ \t]*\r?$)", re.MULTILINE
)
_INDENT = lazy_pattern(r"[ \t]*")
_SIGNS = lazy_pattern(r"[^()\[\]{}\"'`/\\\n]+")
_WORD = lazy_pattern(r"[\w$]+")
_OPERATORS = frozenset({"in", "of", "instanceof", "as", "satisfies"})
_MODULE, _EXPORTS = "", "export"
_BLOCKS = ("function_declaration", "statement_block")
_RESERVED = frozenset(
    "break case catch class const continue debugger default delete do else enum export extends false finally for"
    " function if implements import in instanceof interface let new null package private protected public return"
    " static super switch this throw true try typeof var void while with yield async await of".split()
)
_TOUCHY = lazy_pattern(r"[`\\]|\$\{")


def is_neutral(language: Language, change: Change) -> bool:
    """Whether the text after parses if the text before does."""
    old, new = change.old, change.new
    if any(cover(new) != new for cover in language.unread) or "\u2028" in new or "\u2029" in new or "\0" in new:
        return False
    return _in_block(language, change, old, new) or _among_declarations(language, change, old, new)


def _in_block(language: Language, change: Change, old: str, new: str) -> bool:
    text, at = change.before, change.start
    lines = (line for line in chain(old.split("\n"), new.split("\n")) if line.strip())
    low = min((len(line) - len(line.lstrip(" \t")) for line in lines), default=WIDEST)
    while True:
        if not at or change.end - at > WIDEST:
            return False
        at = text.rfind("\n", 0, at - 1) + 1
        indent = _INDENT.match(text, at)
        assert indent is not None
        if text[indent.end() : indent.end() + 1] in ("\n", "\r", ""):
            continue
        width = indent.end() - at
        found = _OPENS_BLOCK.match(text, at) if width < low else None
        if found is not None:
            break
        low = min(low, width)
    if found[1] and not _follows_member(text, at):
        return False
    if language.name != "typescript" and not _IS_STATEMENT.match(text, found.end()):
        return False  # in the text of an element braces hold an expression
    closing, end = f"{indent[0]}}}", change.end
    while not text.startswith(closing, end):
        indent = _INDENT.match(text, end)
        assert indent is not None
        is_blank = text[indent.end() : indent.end() + 1] in ("\n", "\r")
        if (not is_blank and indent.end() - end <= width) or end - at > WIDEST or end >= len(text):
            return False
        end = text.find("\n", end) + 1 or len(text)
    return _is_code(change, at, end, old, new) and all(
        _reads_on(language, change, found.end(), end, opening) for opening in _openings(old, new)
    )


def _follows_member(text: str, at: int) -> bool:
    """Whether what looks like a method can be one: a name in front of brackets may also be what a class extends."""
    above = text[max(at - 300, 0) : at].rstrip()
    return above.endswith((";", "{", "}", ",", "*/")) and "//" not in above[above.rfind("\n") + 1 :]


def _among_declarations(language: Language, change: Change, old: str, new: str) -> bool:
    text, at, end = change.before, change.start, change.end
    while at:
        if change.end - at > WIDEST:
            return False
        at = text.rfind("\n", 0, at - 1) + 1
        if _STARTS_DECLARATION.match(text, at):
            break
    while end < len(text) and not _STARTS_DECLARATION.match(text, end):
        if end - at > WIDEST:
            return False
        end = text.find("\n", end) + 1 or len(text)
    is_last_line_kept = bool(text[change.end : end].strip())
    ends = text[at:end].rstrip()[-1:], change.after[at : end + len(change.after) - len(text)].rstrip()[-1:]
    if not is_last_line_kept and not all(last in (";", "}") for last in ends):
        return False
    # The grammar takes exports, and nothing else of a module, for members of a type.
    opening = _EXPORTS if text.startswith("export", at) else _MODULE
    return _is_code(change, at, end, old, new) and _reads_on(language, change, at, end, opening)


def _is_code(change: Change, start: int, end: int, old: str, new: str) -> bool:
    """Whether a line is in no comment and no string, or the change does no harm there."""
    text = change.before
    if not start:
        return True
    if text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        return False
    opened = text.rfind("/*", 0, start)
    if opened >= 0 and text.find("*/", opened + 2, start) < 0:
        return False
    tick = text.find("`", start, end)
    if tick < 0 and not _TOUCHY.search(old) and not _TOUCHY.search(new):
        return True
    if tick >= 0 and text[tick - 1] != "\\":
        word = _WORD.match(text, tick + 1)
        if word is not None and word[0] not in _OPERATORS:
            return True
    return text.find("`", 0, start) < 0


def _openings(old: str, new: str) -> tuple[str, ...]:
    """What blocks to read statements in. Grammars take some reserved words for names in one kind of block only."""
    words = _RESERVED.intersection(_WORD.findall(new)).difference(_WORD.findall(old))
    return ("function _(){", "{") if words else ("function _(){",)


def _reads_on(language: Language, change: Change, start: int, end: int, opening: str) -> bool:
    """Whether a part of the text parses by itself after the change, and ends for the parser where it ended before."""
    moved = len(change.after) - len(change.before)
    if not _parses(language, change.after[start : end + moved], opening):
        return False
    old, new = change.old, change.new
    if "/" not in old and "/" not in new and _shape(old) == _shape(new):
        return True
    return _parses(language, change.before[start:end], opening)


def _shape(lines: str) -> str:
    shape = _SIGNS.sub(" ", lines)
    return shape if shape.strip(" \n") else ""


def _parses(language: Language, code: str, opening: str) -> bool:
    """Whether some statements parse: those of a block in one that nothing in them closes, or those of a module."""
    from steadyhand.structure.code.tree import grammar_of, parse_bounded, parsed_bytes, unfit

    text = f"{opening}\n{code}}}" if opening.endswith("{") else code
    if unfit(language, text) is not None:
        return False
    try:
        grammar = grammar_of(language.package, language.grammar)
    except ModuleNotFoundError:
        return False
    tree = parse_bounded(grammar, parsed_bytes(text))
    if isinstance(tree, int) or tree.root_node.has_error:
        return False
    kinds = [child.type for child in tree.root_node.children]
    if opening == _EXPORTS:
        return set(kinds) <= {"export_statement", "comment"}
    return opening == _MODULE or (len(kinds) == 1 and kinds[0] in _BLOCKS)


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

_UNPACKED = (
    "(object_pattern (shorthand_property_identifier_pattern) @name @variable)",
    "(object_pattern (pair_pattern value: (identifier) @name @variable))",
    "(object_pattern (object_assignment_pattern left: (_) @name @variable))",
    "(object_pattern (rest_pattern (identifier) @name @variable))",
    "(array_pattern (identifier) @name @variable)",
    "(array_pattern (rest_pattern (identifier) @name @variable))",
)
_UNPACKED_ONE = """[
  (object_pattern . [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)] .)
  (array_pattern . (identifier) @name .)
]"""


def _unpacked() -> str:
    """The names that a declaration at the top takes out of a value: `const { a, b: c } = d`."""
    several = [f"(lexical_declaration (variable_declarator name: {names})) @statement" for names in _UNPACKED]
    one = f"(lexical_declaration (variable_declarator name: {_UNPACKED_ONE})) @variable"
    return "\n".join(f"(program {inner})\n(export_statement {inner})" for inner in (*several, one))


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
{_unpacked()}
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


JAVASCRIPT = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    package="tree_sitter_javascript",
    query=_QUERY + _FIELDS_QUERY,
    strings=_STRINGS,
    enclosing=("class X {", "x = {"),
    unit="  ",
    is_neutral=is_neutral,
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
    is_neutral=is_neutral,
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
    is_neutral=is_neutral,
    unread=_UNREAD_TYPES,
)
