"""Names that a page and a change have in common: paths, definitions, command-line flags and environment variables.

A weak hint, for pages without rules and for proposing rules. Short and ordinary words are no names: `run` in a sentence
says nothing about a function of that name, `run()` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal

from steadyhand.articles.changes import ChangedFile, Changes
from steadyhand.articles.definitions import changed_symbols
from steadyhand.articles.library import Library, read_page
from steadyhand.articles.search import Evidence
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.session.workspace import Workspace
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.source import Source

__all__ = ["Name", "is_distinctive", "mentioned", "names_in"]

_WORD: Final = lazy_pattern(r"(?<![\w./-])(?:--[a-z][\w-]{1,60}|\.{0,2}/?[\w@$][\w@$./:#-]{1,300})")
_FLAG: Final = lazy_pattern(r"(?<![\w-])--[a-z][a-z0-9-]{1,60}\b")
_VARIABLE: Final = lazy_pattern(r"\b[A-Z][A-Z0-9]{1,60}_[A-Z0-9_]{1,60}\b")
_LONGEST: Final = 2 << 20  # characters of a page that are looked through
_FEWEST: Final = 4  # letters of a name

Kind = Literal["path", "symbol", "flag", "variable"]


@dataclass(frozen=True, slots=True)
class Name:
    """Something that a page can name, and the file that has it."""

    kind: Kind
    file: ChangedFile


def mentioned(workspace: Workspace, library: Library, changes: Changes) -> Iterator[tuple[str, list[Evidence]]]:
    """The pages that name something of a change: one piece of evidence for each changed file that they name."""
    wanted = _names_of(changes)
    if not wanted:
        return
    for path in library.pages:
        check_cancelled()
        source = read_page(workspace, path, [])
        found = {} if source is None else _found(path, source.text, wanted)
        if found:
            yield path, [found[file] for file in sorted(found)]


def names_in(text: str) -> Iterator[tuple[str, int, bool]]:
    """The words of a page that may be names, where each is, and whether it is written as a call."""
    for found in _WORD.finditer(text, 0, _LONGEST):
        word = _bare(found[0])
        if len(word) >= 2:
            yield word, found.start(), text.startswith("(", found.end())


def _bare(word: str) -> str:
    return word.removeprefix("./").rstrip(".:/-")


def is_distinctive(name: str) -> bool:
    """Whether a name says by itself that it is one.

    >>> [is_distinctive(name) for name in ("login", "max_tries", "loginUser", "Session.login", "HTTP")]
    [False, True, True, True, False]
    """
    bare = name.strip("_")
    if len(bare) < _FEWEST:
        return False
    return any(char in bare for char in "._") or any(low.islower() and up.isupper() for low, up in pairwise(bare))


def _found(path: str, text: str, wanted: dict[str, list[Name]]) -> dict[str, Evidence]:
    found: dict[str, tuple[int, Evidence]] = {}
    if not any(_bare(word) in wanted for word in set(_WORD.findall(text, 0, _LONGEST))):
        return {}  # most pages, and a word that is often on a page is looked at once
    for word, at, is_call in names_in(text):
        for name in wanted.get(word, ()):
            file = name.file
            if file.path == path or (name.kind == "symbol" and not is_call and not is_distinctive(word)):
                continue
            rank = _RANKS.index(name.kind)
            if file.path not in found or rank < found[file.path][0]:
                line = text.count("\n", 0, at) + 1
                found[file.path] = rank, Evidence(None, file.path, "mention", file.commits, mention=word, line=line)
    return {file: evidence for file, (_, evidence) in found.items()}


_RANKS: Final = ("path", "symbol", "flag", "variable")


def _names_of(changes: Changes) -> dict[str, list[Name]]:
    """What a page could name of a change."""
    names: dict[str, dict[tuple[str, str], Name]] = {}

    def add(word: str, kind: Kind, file: ChangedFile) -> None:
        names.setdefault(word, {})[kind, file.path] = Name(kind, file)

    for file in changes.files:
        check_cancelled()
        for path in file.names:
            add(path, "path", file)
        sides = changes.sides(file)
        if isinstance(sides, str):
            continue
        for symbol in changed_symbols(*sides):
            add(symbol, "symbol", file)
            add(symbol.rpartition(".")[2], "symbol", file)
        for line in _changed_lines(*sides):
            for flag in _FLAG.findall(line):
                add(flag, "flag", file)
            for variable in _VARIABLE.findall(line):
                add(variable, "variable", file)
    return {word: list(each.values()) for word, each in names.items()}


def _changed_lines(before: Source | None, after: Source | None) -> Iterator[str]:
    """Lines that only one side has."""
    old, new = (set() if side is None else set(side.lines) for side in (before, after))
    yield from sorted(old ^ new)
