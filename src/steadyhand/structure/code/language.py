"""What a programming language is: which files are written in it, its grammar, and what it calls a definition.

A language is an entry of the table in `languages.py`.
Grammars are imported by the parse that needs one, never here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.format import Change, Fault, file_name
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node


_VERSION = lazy_pattern(r"[0-9.]+\Z")
_RUNS = {r"\s": 100, r"\w": 200, "]": 1_000}


@dataclass(frozen=True, slots=True)
class Unread:
    """A construct that is valid and that the grammar cannot read.

    Where the text has errors, the groups of `pattern` (the whole match where it has none) are covered by `fill`: one
    character that is repeated, or a text as long as what it covers. What holds half of a pair of brackets or quotes is
    not covered: nothing that is broken may become valid by it.
    """

    pattern: re.Pattern[str]
    fill: str = " "

    @classmethod
    def of(cls, pattern: str, fill: str = " ") -> Unread:
        """One by its pattern. Runs in it are bounded: it is tried at every place of a text, however long that is."""
        for run, bounded in _RUNS.items():
            pattern = pattern.replace(run + "*", f"{run}{{0,{bounded}}}").replace(run + "+", f"{run}{{1,{bounded}}}")
        return cls(lazy_pattern(pattern), fill)

    def __call__(self, text: str) -> str:
        """The text with the construct covered, as long as it was in bytes of UTF-8.

        >>> Unread.of(r"\\bexport (type) \\*")("export type * from 'a'")
        "export      * from 'a'"
        """
        return self.pattern.sub(self._covered, text)

    def _covered(self, match: re.Match[str]) -> str:
        pieces, at = [], match.start()
        for group in range(1, self.pattern.groups + 1) if self.pattern.groups else (0,):
            start, end = match.span(group)
            if start >= at and _is_paired(match.group(group)):
                pieces += [match.string[at:start], self._filler(match.group(group))]
                at = end
        return "".join([*pieces, match.string[at : match.end()]])

    def _filler(self, written: str) -> str:
        if len(self.fill) > 1:
            return self.fill
        return "".join(
            letter if letter in "\r\n" else self.fill * len(letter.encode("utf-8", "surrogatepass"))
            for letter in written
        )


def _is_paired(written: str) -> bool:
    """Whether every bracket and quote has its counterpart."""
    return not any(brackets_of(written)) and not any(
        written.replace(f"\\{quote}", "").count(quote) % 2 for quote in "\"'`"
    )


def brackets_of(written: str) -> tuple[int, int, int]:
    """How many brackets of each kind a text opens and does not close."""
    return (
        written.count("(") - written.count(")"),
        written.count("[") - written.count("]"),
        written.count("{") - written.count("}"),
    )


def blank(text: str) -> str:
    """Blanks as long as a text in bytes of UTF-8; line ends stay."""
    return re.sub(r"[^\r\n]", lambda letter: " " * len(letter.group().encode("utf-8", "surrogatepass")), text)


@dataclass(frozen=True, slots=True)
class Language:
    """One programming language.

    `package`    the module of the grammar, and `grammar` the function of it that gives the language
    `query`      what is a definition, in the grammar's query language; `reader.py` says how to write it
    `layout`     where the inside of a body is: between braces, in an indented suite, before the word `end`, nowhere
    `strings`    nodes whose lines are data: they are never indented again
    `gaps`       blank lines between definitions at the top and further in, where the file does not show how many it has
    `fragment`   another function of the package, for a piece of text that is no whole file
    `enclosing`  openings in which a piece parses that is no file of its own: members need a class around them
    `claims`     a suffix that belongs to another language, unless the text has this pattern
    `verdict`    says better than the grammar whether a text is valid, of texts up to `judged` code points: a compiler
                 takes a hundred times as much memory, and cannot be stopped
    `is_bounded` whether the `verdict` takes no more than linear time, memory and a moderate stack for a text
    `is_neutral` proves of a small change, from its surroundings, that it leaves a valid text valid; False: unknown
    `newer`      lines of valid text that the `verdict` may be too old for: an error there is no fault
    `unread`     constructs that are valid and that the grammar cannot read
    `nests_comments`  whether `/*` counts inside a comment: the grammar is slow where many are open
    `largest`    texts longer than this many code points are not parsed
    `leads`      whether a definition's node cannot go without changing what those behind it in its group are
    `between`    what separates two statements, as it is behind the first: on its line or below it
    `is_extra`   whether its grammar comes with the extra `languages`
    `is_checked` whether the errors of the grammar are taken at their word; off where valid text often has some
    """

    name: str
    suffixes: tuple[str, ...]
    package: str
    query: str
    layout: Literal["braces", "suite", "end", "plain"] = "braces"
    names: tuple[str, ...] = ()
    grammar: str = "language"
    fragment: str | None = None
    enclosing: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    gaps: tuple[int, int] = (1, 1)
    unit: str = "    "
    interpreters: tuple[str, ...] = ()
    claims: tuple[str, re.Pattern[str]] | None = None
    verdict: Callable[[str], Fault | None] | None = None
    judged: int = 1_000_000
    is_bounded: Callable[[str], bool] | None = None
    is_neutral: Callable[[Language, Change], bool] | None = None
    newer: re.Pattern[str] | None = None
    unread: tuple[Callable[[str], str], ...] = ()
    leads: Callable[[Node], bool] | None = None
    between: re.Pattern[str] | None = None
    nests_comments: bool = False
    largest: int = 4_000_000
    is_extra: bool = False
    is_checked: bool = True

    def judge_of(self, text: str) -> Callable[[str], Fault | None] | None:
        """What says better than the grammar whether this text is valid, if the text is within its bounds."""
        is_within = len(text) <= self.judged and (self.is_bounded is None or self.is_bounded(text))
        return self.verdict if is_within else None


@cache
def languages() -> Mapping[str, Language]:
    """Every language by its name, in alphabetical order."""
    from steadyhand.structure.code.languages import LANGUAGES

    return MappingProxyType({language.name: language for language in LANGUAGES})


@cache
def _by_file() -> Mapping[str, Language]:
    return {key: language for language in languages().values() for key in (*language.suffixes, *language.names)}


def language_of(source: Source) -> Language | None:
    """The language of a file, by its name and, without a telling name, by its first line.

    >>> language_of(Source.of_text("x", path="a/b.py")).name
    'python'
    """
    name = file_name(source.path)
    suffix = name[name.rfind(".") :] if "." in name else ""
    for language in languages().values():
        if language.claims is not None and language.claims[0] == suffix and language.claims[1].search(source.text):
            return language
    found = _by_file().get(name) or _by_file().get(suffix)
    return found or (_by_first_line(source.text) if not suffix else None)


def _by_first_line(text: str) -> Language | None:
    """The language of the interpreter that the first line calls for."""
    line = text[:200].replace("\r", "\n").partition("\n")[0]
    words = [word.rpartition("/")[2] for word in line.removeprefix("#!").split() if not word.startswith("-")]
    called = words[1:2] if words[:1] == ["env"] else words[:1]
    if not line.startswith("#!") or not called:
        return None
    name = _VERSION.sub("", called[0])
    return next((language for language in languages().values() if name in language.interpreters), None)
