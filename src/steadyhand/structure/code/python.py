r"""Python: its entry of the table, whether a text is valid, and whether a change leaves a valid text valid.

The interpreter's own compiler says whether a text is valid. It recurses on nested text, and takes memory by the square
of a dotted name's parts and time by the square of an f-string's length: `is_bounded` says what may be given to it, and
the rest is for the grammar to judge. It also warns, of a text that is valid all the same: of `"\d"`, of `x is 1`, of
`assert (x, "why")`. How warnings are treated is a setting of the whole process, which is not touched here: what the
compiler would warn of is taken out of the text before it sees it.

A change is proven by the statements around it. The window is cut at two lines. It starts with a line that cannot be
inside brackets, since it starts with a word that no expression has, and ends before a line that is indented no deeper.
If what is between them compiles by itself, now and after the change, the rest of the text reads on as it did. Two
things remain:

1. The first line may be in a string that spans lines. Then either the change is one that no string minds, or what
   follows the next triple quote could not be code, or the strings are followed from the start of the text.
2. Names may mean something to statements elsewhere: `global`, `nonlocal` and `from __future__`.

Only the window is compiled, so a text may be of any size. One that is too large or too new for this interpreter's
compiler is else judged by the grammar, which finds errors in some valid code: of such a text more may be proven here
than the full check takes.
"""

from __future__ import annotations
import __future__

import re
from collections.abc import Iterator
from functools import lru_cache
from keyword import iskeyword, softkwlist

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.language import Language, Unread
from steadyhand.structure.format import WIDEST, Change, Fault

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
# The same, each pattern behind a text that all it finds has in it: most texts have few of them.
_FOLLOWED = r"(?=\s*(?:is\b|\(|\[))"
_SURE = tuple(
    (held, lazy_pattern(pattern))
    for held, pattern in (
        ("assert", r"assert(?<!\wassert)\s*\("),
        ("is", r"is(?<!\wis)\b\s*(?:not\b\s*)?(?:[-+~(\[{\"'\d]|[bfrtuBFRTU]{1,2}[\"'])"),
        ('"', rf"\"{_FOLLOWED}"),
        ("'", rf"'{_FOLLOWED}"),
        ("}", rf"}}{_FOLLOWED}"),
        ("...", rf"\.\.\.{_FOLLOWED}"),
        ("", rf"\d(?<![\w.]\d)[\w.]*{_FOLLOWED}"),
        ("None", rf"None(?<![\w.].{{4}}){_FOLLOWED}"),
        ("True", rf"True(?<![\w.].{{4}}){_FOLLOWED}"),
        ("False", rf"False(?<![\w.].{{5}}){_FOLLOWED}"),
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
    has_prose = "#" in text or '"' in text or "'" in text
    code = ("".join(filter(None, _PROSE.split(text))) if has_prose else text).replace("\\\n", "  ")
    for held, pattern in _SURE:
        if held in code and pattern.search(code) is not None:
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


_QUOTES = ('"""', "'''")
# A line with its indentation and what says that it is empty, or does not start a statement of its own.
_LINE = lazy_pattern(r"([ \t]*)(?:(\r?\n|\#|\Z)|([)\]}\"'\f])|((?:else|elif|except|finally|case)\b))?")
_EMPTY_LINE, _INSIDE, _CLAUSE = 2, 3, 4
_EMPTY = r"[ \t]*(?:\#|\r?\n|\Z)"
_ANCHOR_WORDS = ("def ", "class ", "import ")
_ANCHOR = lazy_pattern(
    r"([ \t]*)(?:(?:async[ \t]+)?def[ ]+\w|class[ ]+\w)|(?:import[ ]+\w|from[ \t]+[\w.]+[ \t]+import[ ])"
)
_SIMPLE_HEADER = lazy_pattern(
    r"[ \t]*(?:async[ \t]+)?def[ \t]+\w+\((?:[^()\"'#\\]|\"[^\"\\\n]*\"|'[^'\\\n]*')*+\)"
    r"(?:[ \t]*->[ \t]*[\w.\[\], |]+)?:\r?\n"
)
_SIGNS = lazy_pattern(r"[^()\[\]{}\"'\\#\n]+")
_CLOSED = lazy_pattern(r"[ ]*(?:\([ ]*\)|\[[ ]*\])[ ]*")
_DEEPEST_CLOSED = 20
_TOUCHY = lazy_pattern(r"[\\{}]|[^\x00-\x7f]")
_WORDS_BEHIND = lazy_pattern(r"([^\W\d]\w*)(?![\w\"'])|[ \t]*\r?\n[ \t]*([^\W\d]\w*)[ ]([^\W\d]\w*)(?![\w\"'])")
_CODE = lazy_pattern(r"(?:[^\"'#\\\n]|\"(?!\"\")[^\"\\\n]*\"|'(?!'')[^'\\\n]*')*+(#)?")
_FLAT_FIELDS = lazy_pattern(r"(?:[^{}]|\{\{|\}\}|\{[^{}]*\})*+\Z")
_ANNOTATED = lazy_pattern(r"\b(?:yield|await)\b|:=")
_SOFT = frozenset(softkwlist) | {"type"}  # a keyword of later versions
_TWO_WORDS = lazy_pattern(r"[ \t]*([^\W\d]\w*)[ ]([^\W\d]\w*)(?![\w\"'])")
_LAST_WORD = lazy_pattern(r"(?:\b([^\W\d]\w{2,})|\.)\Z")  # longer than what may be in front of a quote
_STRINGS_AND_NOTES = frozenset("\"'#\\")
_FORMATS = lazy_pattern(r"[fFtT][rR]?[\"']")
_DEEPEST = 40  # characters of indentation
_MOST_HOPS = 4_000
_MANY_BRANCHES = 400


@dataclass(frozen=True, slots=True)
class _Window:
    """Statements around a change: where they are in the text before, and how far they are indented.

    `is_inside`: everything from the line behind the first to the change is indented deeper.
    """

    change: Change
    start: int
    end: int
    indent: str
    is_inside: bool

    @property
    def before(self) -> str:
        return self.change.before[self.start : self.end]

    @property
    def after(self) -> str:
        return self.change.after[self.start : self.end + len(self.change.after) - len(self.change.before)]


def is_neutral(_language: Language, change: Change) -> bool:
    """Whether the text after is valid Python if the text before is."""
    old, new = change.old, change.new
    if "__future__" in old or "__future__" in new:
        return False
    window = _window(change)
    if window is None or not _is_plain(window.before) or not _is_plain(window.after):
        return False
    return (
        _is_code(window, old, new)
        and _is_same_scope(window, old, new)
        and (_shape(old) == _shape(new) or _compiles(window.before, window.indent))
        and _compiles(window.after, window.indent)
        and not (_ANNOTATED.search(new) and not _compiles(window.after, window.indent, postponed=True))
        and not ("elif" in new and change.after.count("elif") > _MANY_BRANCHES)
        and not (("!=" in new or "<>" in new) and "FLUFL" in change.before)
    )


def _window(change: Change) -> _Window | None:
    """The least that can be cut out around a change."""
    text, low = change.before, _lowest(change.old, _lowest(change.new, None))
    floor, at, indent = max(change.end - WIDEST, 0), change.start, ""
    while True:
        word = max(text.rfind(word, floor, at) for word in _ANCHOR_WORDS)
        if word < 0:
            if floor or low or not change.end:
                return None
            at = 0
            break
        at = text.rfind("\n", 0, word) + 1
        found = _ANCHOR.match(text, at)
        if found is None or at < floor:
            continue
        indent = found[1] or ""
        if (low is None or low.startswith(indent)) and not _shallower(indent).search(text, at, change.start):
            break
    end = _end(text, change.end, indent, at + WIDEST)
    if end is None or len(indent) > _DEEPEST:
        return None
    is_inside = low != indent and not _no_deeper(indent).search(text, at, change.start)
    return _Window(change, at, end, indent, is_inside)


def _end(text: str, at: int, indent: str, limit: int) -> int | None:
    """The first line that is indented no deeper, and starts a statement if what is before it is complete."""
    while found := _no_deeper(indent).search(text, max(at - 1, 0), limit):
        at = found.start() + 1
        line = _LINE.match(text, at)
        assert line is not None
        if line.lastindex == _CLAUSE and line[1] == indent and indent:
            return None
        if line.lastindex not in (_INSIDE, _CLAUSE) or (line.lastindex == _CLAUSE and line[1] != indent):
            return at if indent.startswith(line[1]) else None
        at += 1
    return None if limit < len(text) else len(text)


@lru_cache(64)
def _shallower(indent: str) -> re.Pattern[str]:
    """The line end before a line that does not have all of an indentation."""
    return re.compile(rf"\n(?!{indent}|{_EMPTY})")


@lru_cache(64)
def _no_deeper(indent: str) -> re.Pattern[str]:
    """The line end before a line that is not indented deeper."""
    return re.compile(rf"\n(?!{indent}[ \t]|{_EMPTY})")


def _lowest(lines: str, low: str | None) -> str | None:
    """The indentation that all lines have, empty ones aside; `low` is that of others."""
    at = 0
    while at < len(lines):
        found = _LINE.match(lines, at)
        assert found is not None
        if found.lastindex != _EMPTY_LINE:
            low = found[1] if low is None else _common(low, found[1]) or ""
        at = lines.find("\n", at) + 1 or len(lines)
    return low


def _common(one: str | None, two: str) -> str | None:
    """The lesser of two indentations; None where neither starts with the other."""
    if one is None or one.startswith(two):
        return two
    return one if two.startswith(one) else None


def _is_plain(code: str) -> bool:
    """Whether lines end as they seem to, and indentation is what it seems."""
    return "\f" not in code and "\0" not in code and code.count("\r") == code.count("\r\n")


def _shape(lines: str) -> str:
    """What of some lines decides in which strings and brackets the next line is.

    Round and square brackets that a line closes itself decide nothing: in a string they are text, and elsewhere the
    line leaves as many open as it found. Braces do in a string with fields, and a backslash may be before a bracket.

    >>> [_shape(line).strip() for line in ("a = b(c[0], d())\\n", "a = b(c[0],\\n", "a = {}\\n")]
    ['', '(', '{}']
    """
    shape = _SIGNS.sub(" ", lines)
    for _ in range(0 if "\\" in shape else _DEEPEST_CLOSED):
        fewer = _CLOSED.sub(" ", shape)
        if fewer == shape:
            break
        shape = fewer
    return shape if shape.strip(" \n") else ""


def _compiles(code: str, indent: str, *, postponed: bool = False) -> bool:
    text = f"class _:\n{code}" if indent else code
    return is_bounded(text) and python_fault(text, postponed=postponed) is None


def _is_code(window: _Window, old: str, new: str) -> bool:
    """Whether the first line of a window starts a statement, or nothing depends on it."""
    text, start = window.change.before, window.start
    if text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        return False
    if not start:
        return True
    before, after = window.before, window.after
    is_quoted = any(quote in before or quote in after for quote in _QUOTES)
    if not is_quoted and not _TOUCHY.search(old) and not _TOUCHY.search(new):
        return True
    return all(_rules_out(text, window, quote) for quote in _QUOTES) or _is_outside(text, start)


def _rules_out(text: str, window: _Window, quote: str) -> bool:
    """Whether the text nearby shows that a window does not start in a string of such quotes."""
    if quote in window.before:
        return _opens(window.before, quote)
    last = text.rfind(quote, 0, window.start)
    return last < 0 or _closes(text, last, quote)


def _closes(text: str, at: int, quote: str) -> bool:
    """Whether a triple quote cannot be one that opens a string: what is before it could not be code."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    if text[at - 1 : at] == "\\" or text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        return False
    if not line.strip():
        above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        words = _TWO_WORDS.match(above)
        return words is not None and not set(above) & _STRINGS_AND_NOTES and not _are_operators(words)
    if line.lstrip().startswith(quote):
        return line.count(quote) == 1 and _opens(line, quote)
    last = _LAST_WORD.search(line)
    return last is not None and not set(line) & _STRINGS_AND_NOTES and not _are_operators(last)


def _opens(code: str, quote: str) -> bool:
    """Whether the first triple quote cannot be one that closes: behind it is what no code can be."""
    at = code.find(quote)
    found = _WORDS_BEHIND.match(code, at + 3)
    if found is None or code[at - 1 : at] == "\\":
        return False
    return not _are_operators(found)


def _are_operators(found: re.Match[str]) -> bool:
    """Whether one of the words found may be beside a string or a name in code."""
    return any(word is not None and (iskeyword(word) or word in _SOFT) for word in found.groups())


def _is_outside(text: str, end: int) -> bool:
    """Whether a place is in no string that spans lines: every triple quote before it is followed."""
    at = 0
    for _ in range(_MOST_HOPS):
        double, single = text.find('"""', at, end), text.find("'''", at, end)
        if double < 0 and single < 0:
            return True
        opens = single if double < 0 else double if single < 0 else min(single, double)
        line = max(text.rfind("\n", 0, opens) + 1, at)
        if text[max(line - 3, 0) : line].rstrip("\r\n").endswith("\\"):
            return False
        before = _CODE.match(text, line, opens)
        if before is not None and before[1]:
            at = text.find("\n", opens)
            continue
        if before is None or before.end() != opens or _FORMATS.search(text, line, opens):
            return False
        quote = text[opens : opens + 3]
        closes = text.find(quote, opens + 3)
        while closes >= 0 and text[closes - 1] == "\\":
            if (closes - len(text[:closes].rstrip("\\"))) % 2 == 0:
                break
            closes = text.find(quote, closes + 1)
        if closes < 0 or closes + 3 > end or text[closes + 3 : closes + 4] == quote[0]:
            return False
        is_formatted = set(text[max(opens - 2, 0) : opens].lower()) & {"f", "t"}
        if is_formatted and not _FLAT_FIELDS.match(text, opens + 3, closes):
            return False
        at = closes + 3
    return False


def _is_noted(lines: str) -> bool:
    """Whether lines are comments, or blank: as code, they do nothing."""
    return all(line.lstrip(" \t\r").startswith("#") or not line.strip(" \t\r") for line in lines.split("\n"))


def _is_same_scope(window: _Window, old: str, new: str) -> bool:
    """Whether what the change does with names matters to no statement outside the window."""
    if _is_noted(old) and _is_noted(new):
        return True
    text = window.change.before
    if window.indent and "nonlocal" in new:
        return False
    header = _SIMPLE_HEADER.match(text, window.start, window.change.start) if window.is_inside else None
    if header is not None and ":=" not in text[window.start : header.end()]:
        return True
    if (not window.start or text.startswith("from", window.start)) and text.find("__future__", window.end) >= 0:
        return False
    if window.indent and "nonlocal" in text:
        return False
    if "global" in new or "global" in old:
        return False
    if not window.is_inside and "global" in window.after:  # a declaration may end up in another scope
        return False
    words = set(re.findall(r"\w+", new))
    at = text.find("global")
    while at >= 0:
        line_end = text.find("\n", at)
        declared = text[at : line_end if line_end >= 0 else len(text)]
        if declared.rstrip().endswith("\\") or words & set(re.findall(r"\w+", declared)) - {"global"}:
            return False
        at = text.find("global", at + 6)
    return True


_ITEMS = "(identifier) @name @variable"
_UNPACKED = f"""[(tuple_pattern {_ITEMS}) (list_pattern {_ITEMS}) (pattern_list [{_ITEMS}
  (list_splat_pattern {_ITEMS}) (tuple_pattern {_ITEMS}) (list_pattern {_ITEMS})])]"""


def _chained(depth: int) -> str:
    """What is assigned so many signs behind the first: `y` and `z` of `x = y = z = 1`."""
    inner = f"(assignment left: [{_ITEMS} {_UNPACKED}])"
    for _ in range(depth):
        inner = f"(assignment right: {inner})"
    return f"(expression_statement {inner}) @statement\n"


_PYTHON_QUERY = f"""
(function_definition name: (_) @name body: (_) @body) @function
(class_definition name: (_) @name body: (_) @body) @class
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(block (expression_statement (assignment left: (identifier) @name)) @variable)
(expression_statement (assignment left: (identifier) @name @variable right: (assignment))) @statement
(expression_statement (assignment left: {_UNPACKED})) @statement
{_chained(1)}{_chained(2)}{_chained(3)}
(type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)])) @type
(decorated_definition definition: (_) @inner) @wrapper
(expression_statement (assignment right: (assignment))) @several
(expression_statement . (string) .) @behind
(decorator) @attribute
(comment) @comment
"""

_NEWER = lazy_pattern(
    r"\b(?:def|class)\s+\w+\s*\[|^\s*type\s+\w+|\bexcept\*?\s+[\w.]+\s*,|\b(?:[fFtT][rR]?|[rR][fFtT])['\"]"
)

# The defaults of type parameters, `class A[T = int, *Ts = *tuple[int], **P = [str]]`: one is covered at a time.
_INNER = r"\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\]){0,200}\]){0,400}\]"
_DEFAULT = Unread.of(
    r"\b(?:def|class|type)\s+\w+\s*\[(?:[^\[\]=]|" + _INNER + r"){1,400}"
    r"(=\s*\*?(?:[\w.|\s\"']|" + _INNER + r"){1,400})(?=[,\]])"
)
_MOST_DEFAULTS = 6


# The grammar finds the places, the interpreter's own compiler says whether a text is valid.
PYTHON = Language(
    name="python",
    suffixes=(".py", ".pyi", ".pyw"),
    package="tree_sitter_python",
    query=_PYTHON_QUERY,
    layout="suite",
    strings=("string",),
    gaps=(2, 1),
    interpreters=("python",),
    verdict=python_fault,
    is_bounded=is_bounded,
    is_neutral=is_neutral,
    newer=_NEWER,
    unread=(_DEFAULT,) * _MOST_DEFAULTS,
)
