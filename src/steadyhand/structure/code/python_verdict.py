r"""Whether a text is valid Python: what the interpreter's own compiler says.

The compiler recurses on nested text, and takes memory by the square of a dotted name's parts and time by the square of
an f-string's length. `is_bounded` says what may be given to it; the rest is for the grammar to judge.

It also warns, of a text that is valid all the same: of `"\d"`, of `x is 1`, of `assert (x, "why")`. How warnings are
treated is a setting of the whole process, which other threads rely on and which may make an error of a warning; it is
not touched here. What the compiler would warn of is taken out of the text before it sees it.
"""

from __future__ import annotations
import __future__

import re
from collections.abc import Iterator
from keyword import iskeyword

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.format import Fault

# A backslash that escapes nothing, or an octal number that is no character. A control character in its place is as good
# inside a string, and as wrong outside one.
_ESCAPE = lazy_pattern(r"\\(\\|(?=[^\n\r'\"abfnrtvxNuU0-7])|(?=[4-7][0-7]{2}))")
_CONTROL = "\x01"
# What may be a literal that is compared by identity, called or indexed, or a tuple that is asserted.
_SUSPECT = lazy_pattern(
    r"""\bassert\s*\(
    | \bis\b\s*(?:not\b\s*)? (?= [-+~(\[{"'\d] | [bfrtuBFRTU]{1,2}["'] )
    | (?: ["'\])}] | \.\.\. | (?<![\w.])(?:None|True|False|\d[\w.]*) ) (?= \s* (?: is\b | \( | \[ ))""",
    re.VERBOSE,
)
# The same, each pattern starting with characters that are fast to look for; brackets are looked at more closely.
_FOLLOWED = r"(?=\s*(?:is\b|\(|\[))"
_SURE = tuple(
    map(
        lazy_pattern,
        (
            r"assert(?<!\wassert)\s*\(",
            r"is(?<!\wis)\b\s*(?:not\b\s*)?(?:[-+~(\[{\"'\d]|[bfrtuBFRTU]{1,2}[\"'])",
            rf"[\"'}}]{_FOLLOWED}",
            rf"\.\.\.{_FOLLOWED}",
            rf"\d(?<![\w.]\d)[\w.]*{_FOLLOWED}",
            rf"(?:None|True)(?<![\w.].{{4}}){_FOLLOWED}",
            rf"False(?<![\w.].{{5}}){_FOLLOWED}",
        ),
    )
)
_BRACKETED = lazy_pattern(rf"[\])]{_FOLLOWED}")
_IDENTITY = lazy_pattern(r"\bis\b(?:\s*\b(not)\b)?")
_BLANK = lazy_pattern(r"\s*")
# A string that is not closed goes to the end of its line, or of the text: each place is looked at once. Every choice
# starts with a character, not with a repetition of one, so that the places where none starts are passed quickly.
_PROSE = lazy_pattern(
    r"""\#[^\n]*
    | \"\"\" [^"\\]*+ (?: (?: \\(?:.|\Z) | "(?!"") ) [^"\\]*+ )*+ (\"{3}|\Z)
    | ''' [^'\\]*+ (?: (?: \\(?:.|\Z) | '(?!'') ) [^'\\]*+ )*+ ('{3}|\Z)
    | " [^"\\\n]*+ (?: \\(?:.|\Z) [^"\\\n]*+ )*+ ("|(?=\n)|\Z)
    | ' [^'\\\n]*+ (?: \\(?:.|\Z) [^'\\\n]*+ )*+ ('|(?=\n)|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_WORD_BEFORE = lazy_pattern(r"(?:\w+|[)\]])\Z")
_FAR = 2_000  # characters between two brackets
_LONGEST_CHAIN = 500  # operators, calls, indexes and dots of one expression, of which each nests the ones before it
_MOST_BRANCHES = 500  # `elif` in a text
_LONGEST_LITERAL = 20_000  # characters
_SURELY_BOUNDED = 4_000  # characters that the compiler takes whatever they are
_FORMATTED = lazy_pattern(r"\b[fF][rR]?[\"']|\b[rR][fF][\"']")
_DEEPENING = lazy_pattern(r"\b(?:not|await|if|else|and|or|in|is|for)\b|\*\*|//|<<|>>")
_OTHERS = lazy_pattern(r"[\w\s]+")
_LAMBDA = "\x01"
_STRAY = "unexpected character after line continuation character"


def python_fault(text: str, *, postponed: bool = False) -> Fault | None:
    """The first place where a text is not Python, or None. `postponed`: its annotations are not evaluated.

    >>> python_fault("x = (1\\n")
    Fault(line=1, message="'(' was never closed", column=5)
    """
    calm = _ESCAPE.sub(lambda found: "\\\\" if found[1] else _CONTROL, text) if "\\" in text else text
    calm, inserted = _calmed(calm) if _may_warn(calm) else (calm, [])
    flags = __future__.annotations.compiler_flag if postponed else 0
    try:
        compile(calm, "<text>", "exec", flags, dont_inherit=True, optimize=0)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset
        if column is not None:
            column = _without(text, inserted, line, column)
        if error.msg.startswith("invalid non-printable character U+0001") and _CONTROL not in text:
            return Fault(line, _STRAY, (column or 0) + 1)
        return Fault(line, error.msg, column)
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
    # What ends a string is a group: `split` gives the text around prose with it, and nothing is done per string here.
    code = "".join(filter(None, _PROSE.split(text))).replace("\\\n", "  ")
    if any(sure.search(code) for sure in _SURE):
        return True
    return not all(_is_of_a_name(code, found) for found in _BRACKETED.finditer(code))


def _calmed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without what is warned of; where and how long each thing is that was put in.

    An identity becomes an equality, what is asserted becomes part of a choice, and what is called or indexed an
    attribute: each is valid where the other is. No tree is made of the text: on Python 3.11 the interpreter counts how
    deep the tree is that it makes in one place for all threads, and fails in whoever else makes one meanwhile.
    """
    code = _PROSE.sub(lambda found: (" " if found[0][0] == "#" else '"') * len(found[0]), text).replace("\\\n", "  ")
    suspects = [found for found in _SUSPECT.finditer(code) if found[0][0] not in ")]" or not _is_of_a_name(code, found)]
    changes = [
        change
        for found in _IDENTITY.finditer(code)
        for change in (
            (found.start(), found.start() + 2, "!=" if found[1] else "=="),
            *([(found.start(1), found.end(1), "   ")] if found[1] else []),
        )
    ]
    depth = last = 0
    for found in suspects:
        before = code[last : found.end()]
        depth += sum(map(before.count, "([{")) - sum(map(before.count, ")]}"))
        last = found.end()
        if found[0].startswith("assert"):
            changes.append((found.start() + 6, found.start() + 6, " 0 or"))
        elif not found[0].startswith("is") and _calls(code, found.end(), is_inside=depth > 0):
            changes.append((found.end(), found.end(), " ._"))
    changes.sort()
    pieces: list[str] = []
    last = 0
    for start, end, new in changes:
        pieces += [text[last:start], new]
        last = end
    return "".join([*pieces, text[last:]]), [(start, len(new)) for start, end, new in changes if start == end]


def _without(text: str, inserted: list[tuple[int, int]], line: int, column: int) -> int:
    """The column of the text, for one of the text that has something put in."""
    start = sum(len(each) + 1 for each in text.split("\n", line - 1)[: line - 1])
    for at, size in inserted:
        if at >= start and at - start + size < column:
            column -= size
    return column


def _calls(code: str, at: int, *, is_inside: bool) -> bool:
    """Whether what ends there is called or indexed: a bracket on another line belongs to it only inside of others."""
    blank = _BLANK.match(code, at)
    assert blank is not None
    return code[blank.end() : blank.end() + 1] in ("(", "[") and (is_inside or "\n" not in blank[0])


def _is_of_a_name(text: str, closing: re.Match[str]) -> bool:
    """Whether what a bracket closes belongs to a name, or to another bracket: then it is a call or an index."""
    depth, end = 0, closing.start()
    for at in range(end, max(end - _FAR, -1), -1):
        if text[at] in ")]}":
            depth += 1
        elif text[at] in "([{":
            depth -= 1
            if not depth:
                before = _WORD_BEFORE.search(text, max(at - 30, 0), at)
                return before is not None and not iskeyword(before[0])
    return False
