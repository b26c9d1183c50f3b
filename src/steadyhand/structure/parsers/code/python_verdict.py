"""Whether a text is valid Python: what the interpreter's own compiler says.

The compiler recurses on nested text, and takes memory by the square of a dotted name's parts and time by the square of
an f-string's length. `is_bounded` says what may be given to it; the rest is for the grammar to judge.

It also warns, of a text that is valid all the same: of `"\\d"`, of `x is 1`, of `assert (x, "why")`. How warnings are
treated is a setting of the whole process, which other threads rely on and which may make an error of a warning; it is
not touched here. What the compiler would warn of is taken out of the text before it sees it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from keyword import iskeyword

from steadyhand.structure.format import Fault

# A backslash that escapes nothing, or an octal number that is no character. A control character in its place is as good
# inside a string, and as wrong outside one.
_ESCAPE = re.compile(r"\\(\\|(?=[^\n\r'\"abfnrtvxNuU0-7])|(?=[4-7][0-7]{2}))")
_CONTROL = "\x01"
# What may be a literal that is compared by identity, called or indexed, or a tuple that is asserted.
_SUSPECT = re.compile(
    r"""\bassert\s*\(
    | \bis\b\s*(?:not\b\s*)? (?: [-+~(\[{"'\d] | [bfrtuBFRTU]{1,2}["'] )
    | (?: ["'\])}] | (?<![\w.])\d[\w.]* ) (?= \s* (?: is\b | \( | \[ ))""",
    re.VERBOSE,
)
_WARNED = (
    ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set,
    ast.SetComp, ast.GeneratorExp, ast.JoinedStr, ast.FormattedValue, ast.Lambda,
)  # fmt: skip
# A string that is not closed goes to the end of its line, or of the text: each place is looked at once.
_PROSE = re.compile(
    r"""\#[^\n]*
    | \"{3} [^"\\]*+ (?: (?: \\(?:.|\Z) | "(?!"") ) [^"\\]*+ )*+ (\"{3}|\Z)
    | '{3} [^'\\]*+ (?: (?: \\(?:.|\Z) | '(?!'') ) [^'\\]*+ )*+ ('{3}|\Z)
    | " [^"\\\n]*+ (?: \\(?:.|\Z) [^"\\\n]*+ )*+ ("|(?=\n)|\Z)
    | ' [^'\\\n]*+ (?: \\(?:.|\Z) [^'\\\n]*+ )*+ ('|(?=\n)|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_WORD_BEFORE = re.compile(r"(?:\w+|[)\]])$")
_FAR = 2_000  # characters between two brackets
_LONGEST_CHAIN = 500  # operators, calls, indexes and dots of one expression, of which each nests the ones before it
_MOST_BRANCHES = 500  # `elif` in a text
_LONGEST_LITERAL = 20_000  # characters
_SURELY_BOUNDED = 4_000  # characters that the compiler takes whatever they are
_FORMATTED = re.compile(r"\b[fF][rR]?[\"']|\b[rR][fF][\"']")
_DEEPENING = re.compile(r"\b(?:not|await|if|else|and|or|in|is|for)\b|\*\*|//|<<|>>")
_OTHERS = re.compile(r"[\w\s]+")
_LAMBDA = "\x01"
_STRAY = "unexpected character after line continuation character"


def python_fault(text: str) -> Fault | None:
    """The first place where a text is not Python, or None.

    >>> python_fault("x = (1\\n")
    Fault(line=1, message="'(' was never closed", column=5)
    """
    calm = _ESCAPE.sub(lambda found: "\\\\" if found[1] else _CONTROL, text) if "\\" in text else text
    try:
        compile(_calm(calm) if _may_warn(calm) else calm, "<text>", "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        if error.msg.startswith("invalid non-printable character U+0001") and _CONTROL not in text:
            return Fault(error.lineno or 1, _STRAY, (error.offset or 0) + 1)
        return Fault(error.lineno or 1, error.msg, error.offset)
    except (ValueError, RecursionError, MemoryError, OverflowError, UnicodeError) as error:
        return Fault(1, str(error) or "the text is nested too deep to be compiled")
    return None


def is_bounded(text: str) -> bool:
    """Whether the compiler takes no more than linear time and memory for a text, and a moderate stack.

    >>> is_bounded("x = a.b + 1\\n"), is_bounded("import a" + ".a" * 20_000), is_bounded("x = " + "-" * 5_000 + "1")
    (True, False, False)
    """
    if len(text) <= _SURELY_BOUNDED:
        return True
    is_literal_long = len(text) > _LONGEST_LITERAL and _FORMATTED.search(text) is not None
    if is_literal_long and any(found.end() - found.start() > _LONGEST_LITERAL for found in _PROSE.finditer(text)):
        return False
    code = _PROSE.sub("", text).replace("\\\n", "")
    if code.count("elif") > _MOST_BRANCHES:
        return False
    return all(_is_shallow(statement) for statement in _statements(code) if len(statement) > 2 * _LONGEST_CHAIN)


def _statements(code: str) -> Iterator[str]:
    """What is between two line ends outside of brackets."""
    lines: list[str] = []
    depth = 0
    for line in code.split("\n"):
        count = line.count
        depth += count("(") - count(")") + count("[") - count("]") + count("{") - count("}")
        lines.append(line)
        if depth <= 0:
            yield "".join(lines)
            lines.clear()
            depth = 0
    yield "".join(lines)


def _is_shallow(statement: str) -> bool:
    """Whether no expression nests deeper than a chain may be long, in brackets and outside of them."""
    signs = _OTHERS.sub("", _DEEPENING.sub("~", statement.replace("lambda", _LAMBDA)))
    if signs.count(_LAMBDA) > _LONGEST_CHAIN:  # a comma of its parameters does not end it
        return False
    chains = [0]  # how long the expression is that goes on, in each bracket that is open
    nested = 0
    for sign in signs:
        if sign in ",;":
            nested -= chains[-1]
            chains[-1] = 0
        elif sign in ")]}":
            nested -= chains.pop()
            chains = chains or [0]
        else:
            chains[-1] += 1
            nested += 1
            if nested > _LONGEST_CHAIN:
                return False
            if sign in "([{":
                chains.append(0)
    return True


def _may_warn(text: str) -> bool:
    """Whether something in the text looks like what is warned of; what is called or indexed twice does not."""
    code = _PROSE.sub(r"\1\2\3\4", text)
    return any(found[0][0] not in ")]" or not _is_of_a_name(code, found.start()) for found in _SUSPECT.finditer(code))


def _is_of_a_name(text: str, end: int) -> bool:
    """Whether what a bracket closes belongs to a name, or to another bracket: then it is a call or an index."""
    depth = 0
    for at in range(end, max(end - _FAR, -1), -1):
        if text[at] in ")]}":
            depth += 1
        elif text[at] in "([{":
            depth -= 1
            if not depth:
                before = _WORD_BEFORE.search(text, max(at - 30, 0), at)
                return before is not None and not iskeyword(before[0])
    return False


def _calm(text: str) -> ast.Module | str:
    """The tree of a text without what is warned of; the text itself where its tree is too deep to be had."""
    try:
        tree = ast.parse(text, "<text>")
    except RecursionError:
        return text
    for node in ast.walk(tree):
        match node:
            case ast.Compare() if any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
                node.left, *node.comparators = (_veiled(each) for each in (node.left, *node.comparators))
            case ast.Assert():
                node.test = _veiled(node.test)
            case ast.Call():
                node.func = _veiled(node.func)
            case ast.Subscript():
                node.value = _veiled(node.value)
    return tree


def _veiled(node: ast.expr) -> ast.expr:
    """A literal as one of two values, of which the compiler knows no type; anything else as it is."""
    if not isinstance(node, _WARNED):
        return node
    name = ast.copy_location(ast.Name("_", ast.Load()), node)
    return ast.copy_location(ast.IfExp(name, node, name), node)
