"""What a row of a file consists of: literals, comments, words, signs and blanks; and when two rows are the same.

A small lexer, no parser: it looks at one row at a time and knows nothing of the rows before. Where it cannot be sure it
takes more for a literal, because two rows are the same only if their literals agree in every blank; to be wrong that
way costs a refusal and never an edit in the wrong place.

What is folded here is compared and thrown away; it never reaches a file.

What is language-specific is a table by file extension: which quotes make a literal, what starts a comment, beside which
signs a blank means nothing, where a statement may go on in the next row. An unknown language gets a careful default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.typography import INVISIBLE, PLAIN, plain

_PUNCTUATION = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
# Where a closing quote is missing the rest of the row is literal.
_FULL = {
    '"': r'"(?:[^"\\\r\n]|\\[^\r\n])*"?',
    "'": r"'(?:[^'\\\r\n]|\\[^\r\n])*'?",
    "`": r"`(?:[^`\\\r\n]|\\[^\r\n])*`?",
    '"""': r'"""(?:(?!""")[^\r\n])*(?:""")?',
    "'''": r"'''(?:(?!''')[^\r\n])*(?:''')?",
    "c": r"'(?:[^'\\\r\n]|\\[^\r\n][^'\r\n]{0,8})'",  # a character; a lifetime or a label is none
}
# For texts that may be prose: a quote opens a literal only where it closes on its row, an apostrophe in a word never.
_CAREFUL = r""""(?:[^"\\\r\n]|\\[^\r\n])*"|(?:(?<!\w)|(?<=\b[bfruBFRU]))'(?:[^'\\\r\n]|\\[^\r\n])*'(?!\w)"""
_HASH = r"#[^\r\n]*"
_LONE_HASH = r"(?<!\S)#[^\r\n]*"
_DASHES = r"--[^\r\n]*"
_STARRED = r"/\*(?:(?!\*/)[^\r\n])*(?:\*/)?"
_SLASHES = rf"(?<!:)//[^\r\n]*|{_STARRED}|^[ \t]*\*(?=[ \t/])[^\r\n]*"
# Signs that mean something else when a blank parts them are one token.
_OPERATORS = (
    r"\+\+|--|={2,3}|!==?|<=|>=|=>|->|<-|&&|\|\||::|:=|\*\*|//|<<|\?\?|\?\.|\.\.\.?|[-+*/%&|^]=|/\*|\*/|`{3,}|~{3,}"
)
TOKEN = rf"[\w\u0300-\u036f{INVISIBLE}]+|{_OPERATORS}|\\[\"'`]|[^\w\s]"


@dataclass(frozen=True, eq=False)
class Lexer:
    """How one family of languages is written.

    `quotes_alike`: 'x' and "x" mean the same. `loose` are the signs beside which a blank makes no difference.
    `wraps` says where a statement may go on in the next row: anywhere, inside one of the brackets `inside` and after or
    before certain signs, wherever there is a blank, or nowhere. `has_directives`: a row that starts with # is a
    statement of its own. A comment is recognised by its start; a multi-line literal is not known as one.
    """

    name: str
    literals: str = _CAREFUL
    comments: str = ""
    is_prose: bool = False
    quotes_alike: bool = False
    loose: str = _PUNCTUATION
    wraps: Literal["anywhere", "inside", "blanks", "never"] = "never"
    inside: str = ""
    goes_on_after: str = ""
    goes_on_before: str = ""
    has_directives: bool = False

    @cached_property
    def squeezer(self) -> re.Pattern[str]:
        """Literals and escaped quotes (group 1), comments (group 2), and blanks."""
        return re.compile(rf"((?:{self.literals})|\\[\"'`])|({self.comments or '(?!)'})|[ \t]+", re.MULTILINE)

    @cached_property
    def scanner(self) -> re.Pattern[str]:
        """Literals (group 1), comments (group 2), and tokens."""
        return re.compile(rf"({self.literals})|({self.comments or '(?!)'})|{TOKEN}", re.MULTILINE)


@lru_cache(maxsize=1_024)
def lexer_of(path: str | None) -> Lexer:
    """The lexer of a file by its name; one that assumes little where the name is missing or says nothing.

    >>> lexer_of("src/app.tsx").name, lexer_of("Makefile").name, lexer_of(None).name
    ('javascript', 'make', 'unknown')
    """
    name = "" if path is None else re.split(r"[/\\]", path)[-1].lower()
    by_name = _by_name()
    return by_name.get(name) or by_name.get("".join(name.rpartition(".")[1:]), _UNKNOWN)


def _quoted(*quotes: str) -> str:
    return "|".join(_FULL[quote] for quote in quotes)


_UNKNOWN = Lexer("unknown", loose=",;()[]{}", wraps="inside", inside="([")
_LEXES: tuple[tuple[Lexer, str], ...] = (
    (
        Lexer(
            "python",
            _quoted('"""', "'''", '"', "'"),
            _HASH,
            quotes_alike=True,
            wraps="inside",
            inside="([{",
            goes_on_after=",",
        ),
        ".py .pyi .pyx .pxd .bzl .star",
    ),
    (
        Lexer(
            "javascript",
            _quoted('"', "'", "`"),
            _SLASHES,
            quotes_alike=True,
            wraps="inside",
            inside="([",
            goes_on_after=",([{=&|?:;}",
            goes_on_before=")]}.&|?:",
        ),
        ".js .jsx .ts .tsx .mjs .cjs .mts .cts",
    ),
    (
        Lexer(
            "swift",
            _quoted('"""', '"', "c"),
            _SLASHES,
            wraps="inside",
            inside="([",
            goes_on_after=",([{=&|;",
            goes_on_before=")]}.",
        ),
        ".swift .kt .kts .scala .sc .groovy .gradle .zig",
    ),
    (
        Lexer(
            "go",
            _quoted('"', "`", "c"),
            _SLASHES,
            wraps="inside",
            inside="([",
            goes_on_after=",([{=&|.;",
            goes_on_before=")]}",
        ),
        ".go",
    ),
    (
        Lexer(
            "ruby", _quoted('"', "'", "`"), _LONE_HASH, loose=",;{}=", wraps="inside", inside="([", goes_on_after=",=&"
        ),
        ".rb .rake .gemspec .cr .ex .exs .jl .r .pl .pm .coffee gemfile rakefile",
    ),
    (Lexer("lua", _quoted('"', "'"), _DASHES, loose=",;(){}=", wraps="inside", inside="([{"), ".lua .hs .elm"),
    (
        Lexer("c", _quoted('"', "c"), _SLASHES, wraps="anywhere", has_directives=True),
        ".c .h .cc .cpp .cxx .hpp .hh .hxx .inl .m .mm .cs .glsl",
    ),
    (Lexer("java", _quoted('"""', '"', "c"), _SLASHES, wraps="anywhere"), ".java .rs .proto .d .v .sv .thrift"),
    (Lexer("php", _quoted('"', "'"), _SLASHES + r"|#(?!\[)[^\r\n]*", wraps="anywhere"), ".php"),
    (Lexer("dart", _quoted('"""', "'''", '"', "'"), _SLASHES, quotes_alike=True, wraps="anywhere"), ".dart"),
    (Lexer("json", _quoted('"'), _SLASHES, wraps="anywhere"), ".json .jsonc .json5 .webmanifest .ipynb"),
    (Lexer("sql", _quoted("'", '"', "`"), rf"{_DASHES}|{_STARRED}", wraps="anywhere"), ".sql"),
    (
        Lexer("css", _quoted('"', "'"), _SLASHES, quotes_alike=True, loose="{};,", wraps="anywhere"),
        ".css .scss .less .sass .styl",
    ),
    (
        Lexer("toml", _quoted('"""', "'''", '"', "'"), _LONE_HASH, loose="=,[]{}", wraps="inside", inside="([{"),
        ".toml .lock",
    ),
    (
        Lexer(
            "hcl",
            _quoted('"'),
            rf"{_LONE_HASH}|//[^\r\n]*",
            loose="=,()[]{}",
            wraps="inside",
            inside="([",
            goes_on_after=",",
        ),
        ".tf .hcl",
    ),
    (Lexer("shell", _quoted('"', "'"), _LONE_HASH, loose=""), ".sh .bash .zsh .fish .ksh .ps1 .env .bats dockerfile"),
    (Lexer("yaml", comments=_LONE_HASH, loose=""), ".yml .yaml"),
    (Lexer("make", comments=_HASH, loose=""), "makefile gnumakefile .mk .mak .cmake cmakelists.txt justfile"),
    (Lexer("settings", comments=r"^[ \t]*[#;][^\r\n]*", loose=""), ".ini .cfg .conf .properties .csv .tsv .gitignore"),
    (
        Lexer("markup", is_prose=True, quotes_alike=True, loose="", wraps="blanks"),
        ".html .htm .xml .svg .vue .svelte .xhtml .jinja .erb .hbs .ejs .plist",
    ),
    (
        Lexer("prose", is_prose=True, loose="", wraps="blanks"),
        ".md .mdx .markdown .rst .txt .adoc .org .tex readme license changelog",
    ),
)


@cache
def _by_name() -> Mapping[str, Lexer]:
    """From file names and extensions to how such files are written."""
    return MappingProxyType({name: lexer for lexer, names in _LEXES for name in names.split()})


_BLANKS = lazy_pattern(r"[ \t]+")
_ENDINGS = lazy_pattern(r"\r\n?|\n")
_SPACED_DASHES = lazy_pattern(r"(?<= )--(?= )")
_TOKEN = lazy_pattern(TOKEN)
_WORD = lazy_pattern(r"[A-Za-z]?[a-z]{3,}")
_SHORT = 400  # code points of a row whose key is kept for a while
_GLUED = "\u2060"  # before the text of a token that must follow the one before it at once


class Token(NamedTuple):
    """A word, a sign or a literal; `text` is what is compared, with a mark in front where it must follow at once.

    `breaks` counts the line endings between the token before and this one.
    """

    start: int
    end: int
    text: str
    kind: Literal["plain", "literal", "comment", "directive"]
    breaks: int

    @property
    def is_glued(self) -> bool:
        """Whether a blank before it would make it something else."""
        return self.text.startswith(_GLUED)

    @property
    def bare(self) -> str:
        """The text without the mark."""
        return self.text.removeprefix(_GLUED)


def squeeze(lexer: Lexer, row: str) -> str:
    """The row without blanks at its ends and with one for several, except inside literals.

    >>> squeeze(lexer_of("a.py"), "  x  =  'a  b'  # two   blanks ")
    "x = 'a  b' # two blanks"
    """
    row = row.strip(" \t\r\n")
    if "  " not in row and "\t" not in row:
        return row
    return lexer.squeezer.sub(_one_blank, row)


def fold(lexer: Lexer, row: str) -> str:
    """The squeezed row with plain typography; where both kinds of quotes mean the same, with the same kind.

    >>> fold(lexer_of("a.md"), "It’s\\u00a0 done\\u2014almost…")
    "It's done-almost..."
    >>> fold(lexer_of("a.py"), 'x = "a"') == fold(lexer_of("a.py"), "x = 'a'")
    True
    """
    return _row_fold(lexer, row) if len(row) <= _SHORT else _fold(lexer, row)


def _fold(lexer: Lexer, row: str) -> str:
    row = squeeze(lexer, plain(row))
    if lexer.is_prose and " -- " in row:
        row = _SPACED_DASHES.sub("-", row)
    if lexer.quotes_alike and '"' in row:
        row = lexer.squeezer.sub(_same_quotes, row)
    return row


def tokens(lexer: Lexer, text: str) -> list[tuple[int, int]]:
    """Where the words, signs and literals of a text are; a literal is one token as far as its row goes.

    >>> tokens(lexer_of("a.js"), "f('a b',x1)")
    [(0, 1), (1, 2), (2, 7), (7, 8), (8, 10), (10, 11)]
    """
    return [(token.start, token.end) for token in read_tokens(lexer, text)]


def token_key(lexer: Lexer, row: str) -> str:
    """What two rows have in common that differ in layout and typography only; rows that fold alike have one key.

    Keys of several rows, joined with NUL, are the key of a statement that is wrapped over these rows.

    >>> token_key(lexer_of("a.py"), "f( 'a b',x )") == token_key(lexer_of("a.py"), 'f("a b", x)')
    True
    """
    return _row_key(lexer, row) if len(row) <= _SHORT else _key(lexer, row)


def _key(lexer: Lexer, row: str) -> str:
    check_cancelled()
    return "\0".join([token.text for token in read_tokens(lexer, fold(lexer, row))])


_row_key = lru_cache(maxsize=4_096)(_key)  # rows around a place are compared again and again
_row_fold = lru_cache(maxsize=4_096)(_fold)


def misspelt(lexer: Lexer, quoted: str, row: str) -> list[str] | None:
    """The words of a quoted row that are misspelt in it; None where the row says something else.

    A slip of the pen changes one letter inside a plain word, or blanks between words and signs. Another ending
    makes another word, and a name, a number or a literal with another letter is another one.

    >>> misspelt(lexer_of("a.html"), "<p>Other text hree</p>", "<p>Other text three</p>")
    ['hree']
    >>> misspelt(lexer_of("a.html"), "<p>3 items</p>", "<p>4 items</p>")
    """
    from rapidfuzz.distance import OSA

    words, others = ([token.bare for token in read_tokens(lexer, fold(lexer, text))] for text in (quoted, row))
    if len(words) != len(others):
        return None
    pairs = [(word, other) for word, other in zip(words, others, strict=True) if word != other]
    is_slip = all(
        _WORD.fullmatch(word)
        and _WORD.fullmatch(other)
        and word[-1] == other[-1]
        and OSA.distance(word, other, score_cutoff=1) == 1
        for word, other in pairs
    )
    return [word for word, _ in pairs] if is_slip else None


def token_text(lexer: Lexer, token: str) -> str:
    """A token as it is compared: plain typography, and one kind of quotes where both mean the same."""
    token = token if token.isascii() else plain(token)
    return _with_apostrophes(token) if lexer.quotes_alike and token.startswith('"') else token


def read_tokens(lexer: Lexer, text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of `text[start:end]` with their places in `text`; `start` should be the start of a row.

    Characters that nobody sees are no tokens.
    """
    at, before, breaks, is_directive = start, "", 0, False
    for first, last, kind in _pieces(lexer, text, start, end):
        breaks += _count_endings(text, at, first) if first > at else 0
        is_glued = first == at and before != ""
        at = last
        content = token_text(lexer, text[first:last])
        if not content:
            continue
        if lexer.has_directives and (breaks or not before):
            is_directive = content == "#"
        loose = "" if is_directive else lexer.loose
        if is_glued and before not in loose and (kind == "literal" or content[0] not in loose):
            content = _GLUED + content
        yield Token(first, last, content, "directive" if is_directive and kind == "plain" else kind, breaks)
        before, breaks = ("a" if kind == "literal" else content[-1]), 0


def _pieces(
    lexer: Lexer, text: str, start: int, end: int | None
) -> Iterator[tuple[int, int, Literal["plain", "literal", "comment"]]]:
    part = text[start:end]
    part = part if part.isascii() else part.translate(PLAIN)
    for found in lexer.scanner.finditer(part):
        first, last = found.span()
        if found.lastindex is None:
            yield start + first, start + last, "plain"
        elif found.lastindex == 1:
            visible = found[0].rstrip(" \t")  # a literal that is not closed goes to the end of its row
            yield start + first, start + first + len(visible), "literal"
        else:
            for inner in _TOKEN.finditer(part, first, last):
                yield start + inner.start(), start + inner.end(), "comment"


def _count_endings(text: str, start: int, end: int) -> int:
    """How many line endings are in a stretch of blanks."""
    between = text[start:end]
    return 0 if between == " " else sum(1 for _ in _ENDINGS.finditer(between))


def _one_blank(found: re.Match[str]) -> str:
    if found[1] is not None:
        return found[1]
    return " " if found[2] is None else _BLANKS.sub(" ", found[2])


def _same_quotes(found: re.Match[str]) -> str:
    return _with_apostrophes(found[1]) if found[1] is not None else found[0]


def _with_apostrophes(literal: str) -> str:
    """The literal in the other quotes, if it is closed and no quote inside would then mean something else."""
    for quotes in ('"""', '"'):
        size = len(quotes)
        if len(literal) >= 2 * size and literal.startswith(quotes) and literal.endswith(quotes):
            content = literal[size:-size]
            return literal if '"' in content or "'" in content else quotes.replace('"', "'") + content + "'" * size
    return literal
