"""Syntax colours: which parts of a text are comments, strings, numbers, keywords, names of keys or tags.

One pass of one pattern over a whole text, so that a comment or a string of several lines is one wherever a hunk begins
in it. No grammar is loaded: colours are wanted for every file, in a moment, and a wrong one does no harm. Every pattern
is linear, and a text that is too long has none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import accumulate

from steadyhand.text.lines import split_lines

Colour = tuple[int, int, str]
"""From where to where in its row, and the class: comment, string, number, keyword, property, tag or heading."""

_LONGEST = 400_000  # characters of a text that is coloured
_KEPT = 64  # texts whose colours are remembered

_SPACED = r"(?P<n>\b\d[\w.]*)|(?P<w>[^\W\d][\w$]*)"
_QUOTED = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_PATTERNS = {
    "c": rf"(?P<c>//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))|(?P<s>{_QUOTED}|`(?:[^`\\]|\\[\s\S])*`)|{_SPACED}",
    "python": (r"(?P<c>#[^\n]*)|(?P<s>\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)|" + rf"{_QUOTED})|{_SPACED}"),
    "hash": rf"(?P<c>(?<![^\s])#[^\n]*)|(?P<s>{_QUOTED})|(?P<p>^[ \t-]*[\w.-]+(?=[ \t]*[:=]))|{_SPACED}",
    "json": rf"(?P<p>\"(?:[^\"\\\n]|\\.)*\"(?=[ \t]*:))|(?P<s>{_QUOTED})|(?P<c>//[^\n]*)|{_SPACED}",
    "sql": rf"(?P<c>--[^\n]*|/\*[\s\S]*?(?:\*/|\Z))|(?P<s>'(?:[^']|'')*')|{_SPACED}",
    "css": rf"(?P<c>/\*[\s\S]*?(?:\*/|\Z))|(?P<s>{_QUOTED})|(?P<p>[\w-]+(?=[ \t]*:[ \t]))|{_SPACED}",
    "html": (
        r"(?P<c><!--[\s\S]*?(?:-->|\Z))|(?P<t></?[A-Za-z][\w:-]*|/?>)|(?P<p>[\w:@-]+(?==[\"']))"
        r"|(?P<s>(?<==)(?:\"[^\"\n]*\"|'[^'\n]*'))"
    ),
    "markdown": (
        r"(?P<h>^#{1,6} [^\n]*)|(?P<s>`[^`\n]+`|^```[^\n]*)|(?P<t>\]\([^)\n]*\))|(?P<k>\*\*[^*\n]+\*\*)"
        r"|(?P<c><!--[\s\S]*?(?:-->|\Z))|(?P<p>^[ \t]*(?:[-*+]|\d+\.)(?= ))"
    ),
}
_C_WORDS = (
    "abstract any as async await boolean bool break byte case catch chan char class const continue crate default "
    "defer delete do double dyn else enum export extends extern false final finally float fn for from fun func "
    "function go goto if impl implements import in instanceof int interface internal is let long loop map match mod "
    "module mut namespace new nil none null number object of operator override package private protected pub public "
    "range readonly return self short signed sizeof static string struct super switch template this throw throws "
    "trait true try type typedef typeof undefined union unsafe unsigned use using val var virtual void volatile when "
    "where while with yield"
)
_WORDS: Mapping[str, str] = {
    "c": _C_WORDS,
    "python": (
        "False None True and as assert async await break case class continue def del elif else except finally for from "
        "global if import in is lambda match nonlocal not or pass raise return self try while with yield"
    ),
    "hash": (
        "true false null yes no on off if then else elif fi for while do done case esac in function return export "
        "local def end class module require begin rescue unless until FROM RUN COPY CMD ENTRYPOINT ENV ARG WORKDIR"
    ),
    "json": "true false null",
    "sql": (
        "select from where insert into values update set delete create table index view drop alter add primary key "
        "foreign references join left right inner outer on as and or not null is in exists group by order having limit "
        "union all distinct case when then else end begin commit rollback default unique with"
    ),
}
_ENDINGS = {
    "c": "c h cc cpp cxx hpp cs java js jsx mjs cjs ts tsx go rs kt kts swift scala php dart proto groovy zig",
    "python": "py pyi pyw",
    "hash": "sh bash zsh yaml yml toml ini cfg conf env rb mk make dockerfile makefile properties tf hcl r pl",
    "json": "json jsonc json5 ipynb",
    "sql": "sql",
    "css": "css scss less",
    "html": "html htm xhtml xml svg vue svelte",
    "markdown": "md mdx markdown",
}
_BY_ENDING = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}


def colours_of(text: str, path: str) -> Mapping[int, list[Colour]]:
    """The coloured parts of each row, 0-based; empty where the language is not known or the text is too long.

    >>> colours_of("x = 1  # one\\n", "a.py")[0]
    [(4, 5, 'n'), (7, 12, 'c')]
    """
    name = path.rsplit("/", 1)[-1].lower()
    syntax = _BY_ENDING.get(name.rsplit(".", 1)[-1])
    return {} if syntax is None or len(text) > _LONGEST else _coloured(text, syntax)


@lru_cache(maxsize=_KEPT)
def _coloured(text: str, syntax: str) -> Mapping[int, list[Colour]]:
    words = _words(syntax)
    starts = list(accumulate(map(len, split_lines(text)), initial=0))
    found: dict[int, list[Colour]] = {}
    for match in _pattern(syntax).finditer(text):
        name = match.lastgroup or ""
        if name == "w":
            if (match[0].lower() if syntax == "sql" else match[0]) not in words:
                continue
            name = "k"
        start, end = match.span()
        row = bisect_right(starts, start) - 1
        while start < end:
            stop = min(end, starts[row + 1]) if row + 1 < len(starts) else end
            found.setdefault(row, []).append((start - starts[row], stop - starts[row], name))
            start, row = stop, row + 1
    return found


@cache
def _pattern(syntax: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[syntax], re.MULTILINE)


@cache
def _words(syntax: str) -> frozenset[str]:
    return frozenset(_WORDS.get(syntax, "").split())
