"""How the languages of the world are written, as far as finding old text needs to know: a table by file extension.

What is said here is about rows: which quotes make a literal, what starts a comment, beside which signs a blank means
nothing, where a statement may go on in the next row. A language that is missing is treated with care, not wrongly.
Nothing here looks at a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from types import MappingProxyType
from typing import Literal

from steadyhand.lazy import dataclass
from steadyhand.text.typography import INVISIBLE

__all__ = ["TOKEN", "Lexis", "lexis_of"]

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
class Lexis:
    """How one family of languages is written.

    `quotes_alike`: 'x' and "x" mean the same. `loose` are the signs beside which a blank may stand or not.
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


def lexis_of(path: str | None) -> Lexis:
    """The lexis of a file by its name; one that assumes little where the name is missing or says nothing.

    >>> lexis_of("src/app.tsx").name, lexis_of("Makefile").name, lexis_of(None).name
    ('javascript', 'make', 'unknown')
    """
    name = "" if path is None else re.split(r"[/\\]", path)[-1].lower()
    by_name = _by_name()
    return by_name.get(name) or by_name.get("".join(name.rpartition(".")[1:]), _UNKNOWN)


def _quoted(*quotes: str) -> str:
    return "|".join(_FULL[quote] for quote in quotes)


_UNKNOWN = Lexis("unknown", loose=",;()[]{}", wraps="inside", inside="([")
_LEXES: tuple[tuple[Lexis, str], ...] = (
    (
        Lexis(
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
        Lexis(
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
        Lexis(
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
        Lexis(
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
        Lexis(
            "ruby", _quoted('"', "'", "`"), _LONE_HASH, loose=",;{}=", wraps="inside", inside="([", goes_on_after=",=&"
        ),
        ".rb .rake .gemspec .cr .ex .exs .jl .r .pl .pm .coffee gemfile rakefile",
    ),
    (Lexis("lua", _quoted('"', "'"), _DASHES, loose=",;(){}=", wraps="inside", inside="([{"), ".lua .hs .elm"),
    (
        Lexis("c", _quoted('"', "c"), _SLASHES, wraps="anywhere", has_directives=True),
        ".c .h .cc .cpp .cxx .hpp .hh .hxx .inl .m .mm .cs .glsl",
    ),
    (Lexis("java", _quoted('"""', '"', "c"), _SLASHES, wraps="anywhere"), ".java .rs .proto .d .v .sv .thrift"),
    (Lexis("php", _quoted('"', "'"), _SLASHES + r"|#(?!\[)[^\r\n]*", wraps="anywhere"), ".php"),
    (Lexis("dart", _quoted('"""', "'''", '"', "'"), _SLASHES, quotes_alike=True, wraps="anywhere"), ".dart"),
    (Lexis("json", _quoted('"'), _SLASHES, wraps="anywhere"), ".json .jsonc .json5 .webmanifest .ipynb"),
    (Lexis("sql", _quoted("'", '"', "`"), rf"{_DASHES}|{_STARRED}", wraps="anywhere"), ".sql"),
    (
        Lexis("css", _quoted('"', "'"), _SLASHES, quotes_alike=True, loose="{};,", wraps="anywhere"),
        ".css .scss .less .sass .styl",
    ),
    (
        Lexis("toml", _quoted('"""', "'''", '"', "'"), _LONE_HASH, loose="=,[]{}", wraps="inside", inside="([{"),
        ".toml .lock",
    ),
    (
        Lexis(
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
    (Lexis("shell", _quoted('"', "'"), _LONE_HASH, loose=""), ".sh .bash .zsh .fish .ksh .ps1 .env .bats dockerfile"),
    (Lexis("yaml", comments=_LONE_HASH, loose=""), ".yml .yaml"),
    (Lexis("make", comments=_HASH, loose=""), "makefile gnumakefile .mk .mak .cmake cmakelists.txt justfile"),
    (Lexis("settings", comments=r"^[ \t]*[#;][^\r\n]*", loose=""), ".ini .cfg .conf .properties .csv .tsv .gitignore"),
    (
        Lexis("markup", is_prose=True, quotes_alike=True, loose="", wraps="blanks"),
        ".html .htm .xml .svg .vue .svelte .xhtml .jinja .erb .hbs .ejs .plist",
    ),
    (
        Lexis("prose", is_prose=True, loose="", wraps="blanks"),
        ".md .mdx .markdown .rst .txt .adoc .org .tex readme license changelog",
    ),
)


@cache
def _by_name() -> Mapping[str, Lexis]:
    """From file names and extensions to how such files are written."""
    return MappingProxyType({name: lexis for lexis, names in _LEXES for name in names.split()})
