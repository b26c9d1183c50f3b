"""The same words, signs and literals in the same order, in another layout.

A statement that is wrapped elsewhere (`match/tiers/token.py` says where that is layout), and blanks around signs, are
overlooked. These are not:

1. A token is whole: no find starts or ends inside a word, an operator or a literal, and literals agree in every blank.
2. A blank counts where the language gives it a meaning (`.a .b` and `.a.b` in CSS, `key: x` and `key:x` in YAML).
3. What is comment on one side is comment on the other.
4. A needle that starts or ends with blanks or a line ending starts or ends at the edge of a line, and one of several
   lines is whole lines.

Indentation is not looked at; whoever builds the replacement must.

The work is bounded: a rare word of the needle leads to every place, what is next to it there is compared before
anything is tokenised, and where the budget does not suffice nothing at all is found, because some of the places would
pass for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.lexer import Lexer, Token, lexer_of, read_tokens
from steadyhand.match.rows import seed_of
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.bare_lines import bare_lines
from steadyhand.text.lines import is_whole_lines, line_start
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LONGEST = 200_000  # code points of a needle
_FEWEST = 3  # tokens of a needle
_FREQUENT = 5_000  # places of the rare word
_WORK = 400_000  # code points of the text that are tokenised, besides four times the needle's size
_REACH = 400  # code points that a place may be longer than the needle, at first
_WIDER = (1, 4, 16)  # times the needle's size that is looked at before and after the word
_LONG_ROW = 20_000  # code points
_NEIGHBOURS = 3  # tokens on each side of the word that are compared first
_TO_EDGE = lazy_pattern(r"[ \t]*(?=[\r\n]|\Z)")
_ENDING = lazy_pattern(r"\r\n?|\n")
_BLANK_LINE = lazy_pattern(r"[ \t]*(?:\r\n?|\n)")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The needle's tokens, and the word in the one at `index` that leads to places."""

    text: str
    lexer: Lexer
    tokens: tuple[Token, ...]
    index: int
    word: str
    is_whole: bool
    after: tuple[str, ...]
    before: tuple[str, ...]


class _TooMuchError(Exception):
    """The budget is spent."""


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place with the tokens of the needle, if the work is bearable."""
    wanted = _wanted(source, needle)
    if wanted is None:
        return
    try:
        found = sorted(set(_places(source.text, wanted)))
    except _TooMuchError:
        return
    if sum(bool(row.strip()) for row in needle.rows) > 1:
        found = [span for span in found if is_whole_lines(source.text, span)]
    end = 0
    for span in found:
        if not apart or span.start >= end:
            yield span
            end = span.end


def _wanted(source: Source, needle: Needle) -> _Wanted | None:
    lines = bare_lines(source)
    if lines is not None and not lines.may_have_words(needle.text):
        return None
    seed = seed_of(source, needle.rows) if len(needle.text) <= _LONGEST else None
    if seed is None or not 0 < seed[2] <= _FREQUENT:
        return None
    lexer, word = lexer_of(source.path), seed[0]
    tokens = tuple(read_tokens(lexer, needle.text))
    at = needle.text.find(word)
    index = next((index for index, token in enumerate(tokens) if token.start <= at < token.end), None)
    if index is None or len(tokens) < _FEWEST:
        return None
    is_whole = tokens[index].bare == word
    after = _verbatim(tokens[index + 1 :]) if is_whole else ()
    before = _verbatim(tokens[:index][::-1]) if is_whole else ()
    return _Wanted(needle.text, lexer, tokens, index, word, is_whole, after, before)


def _verbatim(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The first few that are in a file as they are compared, or nowhere."""
    texts: list[str] = []
    for token in tokens[:_NEIGHBOURS]:
        if token.kind == "literal" or not token.bare.isascii() or any(char in "'\"-." for char in token.bare):
            break
        texts.append(token.bare)
    return tuple(texts)


def _places(text: str, wanted: _Wanted) -> Iterator[Span]:
    work = 0
    at = text.find(wanted.word)
    while at >= 0:
        if _has_neighbours(text, at, wanted):
            window, cost = _tokens_around(text, at, wanted)
            work += cost
            if work > _WORK + 4 * len(wanted.text):
                raise _TooMuchError
            span = _span(text, window, wanted)
            if span is not None:
                yield span
        at = text.find(wanted.word, at + len(wanted.word))


def _has_neighbours(text: str, at: int, wanted: _Wanted) -> bool:
    """Whether the tokens next to the word are those of the needle, as far as that is easy to see."""
    end = at + len(wanted.word)
    if wanted.is_whole and (_continues(text[at - 1 : at]) or _continues(text[end : end + 1])):
        return False
    for token in wanted.after:
        end += len(stretch := text[end : end + _REACH]) - len(stretch.lstrip())
        if not text.startswith(token, end):
            return text[end : end + 1].isspace()  # more blanks than were looked at
        end += len(token)
    for token in wanted.before:
        at -= len(stretch := text[max(0, at - _REACH) : at]) - len(stretch.rstrip())
        if not text.endswith(token, 0, at):
            return text[at - 1 : at].isspace()
        at -= len(token)
    return True


def _continues(char: str) -> bool:
    return char.isalnum() or char == "_"


def _tokens_around(text: str, at: int, wanted: _Wanted) -> tuple[Sequence[Token], int]:
    """As many tokens as the needle has, such that the one at `at` is at the needle's index, and how much was read."""
    before, size, cost = wanted.tokens[wanted.index].start, len(wanted.text), 0
    for times in _WIDER:
        low = _row_start(text, max(0, at - before * times - _REACH))
        high = _row_end(text, min(len(text), at + (size - before) * times + _REACH))
        tokens = list(read_tokens(wanted.lexer, text, low, high))
        cost += high - low
        index = next((index for index, token in enumerate(tokens) if token.start <= at < token.end), None)
        if index is None:
            return (), cost
        first, end = index - wanted.index, index - wanted.index + len(wanted.tokens)
        if (first >= 0 or not low) and (end <= len(tokens) or high == len(text)):
            return tokens[max(first, 0) : end], cost
    return (), cost


def _row_start(text: str, at: int) -> int:
    low = max(0, at - _LONG_ROW)
    start = line_start(text, at, low)
    if start == low and low:
        raise _TooMuchError
    return start


def _row_end(text: str, at: int) -> int:
    ending = _ENDING.search(text, at, at + _LONG_ROW)
    if ending is None and at + _LONG_ROW < len(text):
        raise _TooMuchError
    return len(text) if ending is None else ending.start()


def _span(text: str, found: Sequence[Token], wanted: _Wanted) -> Span | None:
    """The place of these tokens if they are the needle's."""
    if len(found) != len(wanted.tokens) or not _are_same(found, wanted.tokens):
        return None
    if not is_wrapped_alike(wanted.lexer, wanted.tokens, found):
        return None
    start = _start(text, found[0].start, wanted.text[: wanted.tokens[0].start])
    end = _end(text, found[-1].end, wanted.text[wanted.tokens[-1].end :])
    return None if start is None or end is None else Span(start, end)


def _are_same(found: Sequence[Token], wanted: Sequence[Token]) -> bool:
    """Whether the tokens are the same; what is before the first does not matter."""
    if found[0].bare != wanted[0].bare or any(
        one.text != two.text for one, two in zip(found[1:], wanted[1:], strict=True)
    ):
        return False
    return all((one.kind == "comment") == (two.kind == "comment") for one, two in zip(found, wanted, strict=True))


def _start(text: str, at: int, lead: str) -> int | None:
    """From the start of the line if nothing else is before it, and of blank lines before it if the needle has such.

    None where the needle starts with blanks and the place amid a line.
    """
    start = _row_start(text, at)
    if text[start:at].strip(" \t"):
        return None if lead else at
    for _ in _ENDING.finditer(lead):
        row = _row_start(text, start - (2 if text[max(0, start - 2) : start] == "\r\n" else 1)) if start else 0
        if text[row:start].strip(" \t\r\n"):
            break
        start = row
    return start


def _end(text: str, at: int, tail: str) -> int | None:
    """To the end of the line if nothing else is there, with its ending if the needle has one, and blank lines.

    None where the needle ends with blanks and the place amid a line, or the needle with the indentation of a next line.
    """
    edge = _TO_EDGE.match(text, at)
    if edge is None:
        return None if tail else at
    if _ENDING.search(tail) and tail[-1] in " \t":
        return None
    at = edge.end()
    for _ in _ENDING.finditer(tail):
        blank = _BLANK_LINE.match(text, at)
        at = at if blank is None else blank.end()
    return at


# Where a line ending may come or go without changing what is said: the same tokens, wrapped elsewhere.
#
# A line ending counts where it ends something: after a comment or a directive, between statements of a language that
# needs no semicolon, between the lines of a list or a table, between paragraphs. Elsewhere it is layout. Whatever is
# not known to be layout counts. How many blank lines part two rows is never looked at.

_TELLING = 6  # tokens; fewer may be one below the other for another reason than a full line
_OPENERS = {")": "(", "]": "[", "}": "{"}
_REMARKS = frozenset({"#", "//", "--", "%", ";"})  # what starts a comment somewhere
_MARKUP = frozenset("#|>=~-*+:.") | {"**", "--", "...", "..", "::", "==", "===", "```", "~~~"}


def is_wrapped_alike(lexer: Lexer, wanted: Sequence[Token], found: Sequence[Token]) -> bool:
    """Whether two runs of the same tokens have line endings at the same places, those that are layout left out."""
    differing = [at for at in range(1, len(wanted)) if bool(wanted[at].breaks) != bool(found[at].breaks)]
    if not differing:
        return True
    if len(wanted) < _TELLING or any(_is_bound(wanted[at - 1]) or _is_bound(wanted[at]) for at in differing):
        return False
    if lexer.wraps == "inside":
        return _are_inside(lexer, wanted, differing)
    if lexer.wraps == "blanks":
        return not _has_markup(wanted) and not _has_markup(found) and not _part_paragraphs(wanted, found, differing)
    return lexer.wraps == "anywhere"


def _is_bound(token: Token) -> bool:
    return token.kind in ("comment", "directive")


def _are_inside(lexer: Lexer, tokens: Sequence[Token], places: Sequence[int]) -> bool:
    """Whether the language lets a statement go on in the next row at each place."""
    if not lexer.comments and any(token.bare in _REMARKS for token in tokens):
        return False
    innermost = _innermost(tokens)
    return all(
        innermost[at] in lexer.inside
        or tokens[at - 1].text[-1] in lexer.goes_on_after
        or tokens[at].bare[0] in lexer.goes_on_before
        for at in places
    )


def _innermost(tokens: Sequence[Token]) -> list[str]:
    """The bracket that is open before each token, a line feed where none is.

    Brackets that are closed and were not opened must have been open from the start.
    """
    signs = [token.bare if token.kind == "plain" else "" for token in tokens]
    open_before = _unopened(signs)
    innermost: list[str] = []
    for sign in signs:
        innermost.append(open_before[-1] if open_before else "\n")
        if sign in ("(", "[", "{"):
            open_before.append(sign)
        elif sign in _OPENERS and open_before:
            open_before.pop()
    return innermost


def _unopened(signs: Sequence[str]) -> list[str]:
    """The openers that closers without one ask for, outermost first."""
    depth = 0
    missing: list[str] = []
    for sign in signs:
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in _OPENERS and depth:
            depth -= 1
        elif sign in _OPENERS:
            missing.append(_OPENERS[sign])
    return missing[::-1]


def _has_markup(tokens: Sequence[Token]) -> bool:
    """Whether a row starts with what makes it a heading, an item of a list, a row of a table and so on."""
    rows = (at for at, token in enumerate(tokens) if not at or token.breaks)
    return any(tokens[at].bare in _MARKUP or _is_number_of_item(tokens, at) for at in rows)


def _is_number_of_item(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].bare.isdigit() and at + 1 < len(tokens) and tokens[at + 1].bare in (".", ")")


def _part_paragraphs(wanted: Sequence[Token], found: Sequence[Token], places: Sequence[int]) -> bool:
    return any(wanted[at].breaks > 1 or found[at].breaks > 1 for at in places)


TIER = Tier(
    name="token",
    rank=70,
    confidence=0.94,
    summary="The old text is in the file with the same words and symbols in a different layout.",
    find=find,
    differs=("layout",),
    matches=(
        Example("f( one,two )", "x = ⟦f(one, two)⟧ + 1\n"),
        Example("total=first+second", "⟦    total = first + second⟧  # sum\n", "a.py"),
        Example("call(one, two, three)\n", "⟦  call(\n    one,\n    two, three)\n⟧x\n", "a.py"),
        Example("call(\n  one,\n  two,\n)", "a\n⟦call(one, two,)⟧\n", "a.py"),
        Example("one, two, three)", "call(⟦one,\n    two, three)⟧\n", "a.py"),
        Example("if (x) { return one; }", "⟦if (x)\n{\n  return one;\n}⟧\n", "a.c"),
        Example("const a = {b: one, c: two}", "⟦const a = {\n  b: one,\n  c: two\n}⟧\n", "a.ts"),
        Example("first\n  .then(a)\n  .then(b)", "⟦first.then(a).then(b)⟧\n", "a.js"),
        Example('{"a": [1, 2], "b": word}', '⟦{ "a":[1,2],\r\n  "b":word }⟧\r\n', "a.json"),
        Example('log( "a  b" , x )', "⟦log('a  b', x)⟧\n", "a.py"),
        Example("f(“one”, …, two )", '⟦f("one", ..., two)⟧\n', "a.py"),
        Example("one two three\nfour five six seven", "⟦one two\nthree four five\nsix seven⟧\n\neight\n", "a.md"),
        Example("f( word );\n\n", "a\n⟦f(word);\n\n⟧b\n", "a.c"),
        Example("g( word )", "⟦g(word)⟧ + ⟦g(word)⟧"),
    ),
    ignores=(
        Example("a\nb", "a b\n\nc"),
        Example("aa\nbb", "aa bb\n\ncc", "a.py"),
        Example("aa bb\ncc", "aa\nbb cc\n", "a.c"),
        Example(" foo ", "foobar"),
        Example(" foo(x) ", "(foo( x ))", "a.py"),
        Example("\nfoo(x)", "a.foo( x )", "a.py"),
        Example("foo(x)\n", "foo( x ).bar", "a.py"),
        Example("oo(bar)", "foo( bar )", "a.py"),
        Example("foo(ba", "foo( bar )", "a.py"),
        Example('print("a b")', 'print( "a  b" )', "a.py"),
        Example('print("a b")', 'print( "a  b" )'),
        Example("print( 'say \"hi\"' )", "print(\"say 'hi'\")", "a.py"),
        Example("f(one, two)", "f(one, two, three)"),
        Example("f(one, two)", "f(one two)", "a.py"),
        Example("f(one,)", "f( one )", "a.py"),
        Example("f( One )", "f(one)", "a.py"),
        Example("aa + +bb", "aa ++bb", "a.c"),
        Example("aa - -bb", "aa--bb", "a.c"),
        Example("aa = =bb", "aa == bb", "a.c"),
        Example("aa == bb", "aa === bb", "a.js"),
        Example(".aa.bb { x }", ".aa .bb { x }", "a.css"),
        Example("a :hover { }", "a:hover{}", "a.css"),
        Example("key:value: 1", "key: value: 1", "a.yaml"),
        Example("x = value", "x=value", "a.sh"),
        Example("#define AREA(x) x", "#define AREA (x) x", "a.c"),
        Example("#define AA\nint bb;int cc;", "#define AA int bb;int cc;\n", "a.c"),
        Example("f(one, // two\n three, four)", "f(one, // two three, four)\n", "a.c"),
        Example("f(one, # two\n three, four)", "f(one, # two three, four)\n", "a.py"),
        Example("f(one, # two\n three, four)", "f(one, # two three, four)\n"),
        Example("x = aa + bb\n-cc", "x = aa + bb - cc\n", "a.py"),
        Example("return\nfirst(a, b)", "return first(a, b)\n", "a.js"),
        Example("foo(() => {\n  return\n  word + 1 })", "foo(() => {\n  return word + 1 })", "a.js"),
        Example("- one two\n- three four five", "- one two - three four five\n", "a.md"),
        Example("# one two three\nfour five six", "# one two three four five six\n", "a.md"),
        Example("one two three\n\nfour five six", "one two three four five six\n", "a.md"),
        Example("one two three four\nfive six seven", "one two three four five six seven\n"),
        Example("a: one two three four\n  five six", "a: one two three four five six\n", "a.yml"),
        Example("( , )", "(,)", "a.py"),
        Example("", "abc"),
        Example("\n\n", "a\n\n\nb"),
    ),
)
