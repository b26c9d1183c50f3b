"""What headings and list items are called, and which of them a name means.

Exact words come first; a laxer reading is tried only where a stricter one found nothing, and never to break a tie.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.markdown.marks import Document, Section
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source

SEPARATOR = " > "
SHOWN = 10
_LONGEST_PATH = 16
_LONGEST_HINT = 300
_SEPARATORS = lazy_pattern(r">|/|::")
_MARKS = lazy_pattern(r"(#{1,6})[ \t]+")
_INNER_MARKS = lazy_pattern(r"(>|/|::)[ \t]*#{1,6}[ \t]+")
_LINK = lazy_pattern(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_WIKI = lazy_pattern(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_CODE = lazy_pattern(r"`+")
_EMPHASIS = lazy_pattern(r"\*+|~~|(?<![^\W_])_+|_+(?![^\W_])")
_ESCAPE = lazy_pattern(r"\\([!-/:-@\[-`{-~])")
_ATTRIBUTES = lazy_pattern(r"\{[#.:][^{}]*\}$")
_BLANKS = lazy_pattern(r"\s+")


def loose(text: str) -> str:
    """A name as people remember it: without emphasis, links, escapes, attributes, case and invisible characters.

    >>> loose("**Set up** the [`CLI`](x.md) &amp; _go_ {#cli}")
    'set up the cli & go'
    """
    text = _ATTRIBUTES.sub("", text.strip())
    text = _LINK.sub(r"\1", _WIKI.sub(r"\1", text))
    text = _ESCAPE.sub(lambda found: found.group(1), _EMPHASIS.sub("", _CODE.sub("", text)))
    if "&" in text:
        from html import unescape  # a large table that few names need

        text = unescape(text)
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    text = "".join(letter for letter in text if letter not in "\ufe0e\ufe0f\u200b\u200d\ufeff")
    return _BLANKS.sub(" ", text).strip().casefold()


def joined(path: Sequence[str]) -> str:
    """A path of headings as one string, the way addresses say it."""
    return SEPARATOR.join(path).strip(" \t")


@dataclass(frozen=True, slots=True)
class Asked:
    """A name as it was given: its words, and the level that marks in front of it ask for."""

    words: str
    level: int | None

    @classmethod
    def of(cls, name: str) -> Asked:
        """
        >>> Asked.of("### People ##")
        Asked(words='People', level=3)
        """
        name = name.strip(" \t\r\n")
        if name and not name.strip("#") and len(name) <= 6:
            return cls("", len(name))
        inner = [len(found.group().strip(" \t>/:")) for found in _INNER_MARKS.finditer(name)]
        found = _MARKS.match(name)
        words = _without_tail(name[found.end() :]) if found else name
        level = inner[-1] if inner else len(found.group(1)) if found else None
        return cls(_INNER_MARKS.sub(r"\1", words), level)


def _without_tail(words: str) -> str:
    """Words without the marks that may close a heading."""
    bare = words.rstrip("#")
    return bare.rstrip(" \t") if bare != words and bare.endswith((" ", "\t")) else words


@dataclass(frozen=True, slots=True)
class Index:
    """Every suffix of every heading's path, in three readings; values are numbers of sections, in order."""

    exact: Mapping[str, list[int]]
    separated: Mapping[str, list[int]]
    lax: Mapping[str, list[int]]


def index_of(source: Source) -> Index:
    """The names of a source's headings, made once per source."""
    return source.derive(_index)


def _index(source: Source) -> Index:
    document = known_markdown(source)
    exact: dict[str, list[int]] = {}
    separated: dict[str, list[int]] = {}
    lax: dict[str, list[int]] = {}
    for section in paced(document.sections):
        plain = [loose(words) for words in section.path[-_LONGEST_PATH:]]
        for start in range(len(plain)):
            words = joined(section.path[-len(plain) :][start:])
            _add(exact, words, section.number)
            _add(separated, _apart(words), section.number)
            _add(lax, _apart(joined(plain[start:])), section.number)
    return Index(exact, separated, lax)


def _add(names: dict[str, list[int]], name: str, number: int) -> None:
    numbers = names.setdefault(name, [])
    if not numbers or numbers[-1] != number:
        numbers.append(number)


def _apart(words: str) -> str:
    return "\x1f".join(part.strip(" \t") for part in _SEPARATORS.split(words))


def sections_named(source: Source, document: Document, name: str) -> list[Section]:
    """The sections whose path ends as `name` says, by the strictest reading that finds any."""
    index = index_of(source)
    name = name.strip(" \t\r\n")
    if found := index.exact.get(name):
        return [document.sections[number] for number in found]
    asked = Asked.of(name)
    for names, key in (
        (index.exact, asked.words),
        (index.separated, _apart(asked.words)),
        (index.lax, "\x1f".join(loose(part) for part in _SEPARATORS.split(asked.words))),
        (index.lax, _apart(loose(asked.words))),
    ):
        found = [number for number in names.get(key, ()) if _fits(document.sections[number], asked)]
        if found:
            return [document.sections[number] for number in found]
    return []


def address_of(source: Source, section: Section, part: str = "") -> str:
    """The address that singles out a section: its path, and its number where several have that path."""
    number = source.derive(_numbers)[section.number]
    said = "" if number is None else f"[{number}]"
    return f"heading{part}{said}:{joined(section.path[-_LONGEST_PATH:])}"


def _numbers(source: Source) -> list[int | None]:
    """Of each section, which one it is of those that its path means; None where it is the only one."""
    sections, exact = known_markdown(source).sections, index_of(source).exact
    numbers: list[int | None] = [None] * len(sections)
    seen: set[str] = set()
    for section in sections:
        path = joined(section.path[-_LONGEST_PATH:])
        same = exact[path]
        if len(same) == 1 or path in seen:
            continue
        seen.add(path)
        for place, number in enumerate(same, start=1):
            if joined(sections[number].path[-_LONGEST_PATH:]) == path:
                numbers[number] = place
    return numbers


def rows_under(source: Source, document: Document, name: str | None) -> range | Refusal:
    """The rows of the one section a name means, where it only says in which part of a file to look; None: all rows."""
    if name is None:
        return range(document.count)
    found = sections_named(source, document, name)
    if len(found) == 1:
        return range(found[0].mark.first, found[0].end)
    if not found:
        return no_such_heading(source, document, name)
    places = [{"address": address_of(source, section), "line": section.mark.first + 1} for section in found[:SHOWN]]
    shown = ", ".join(f"{joined(section.path)} (line {section.mark.first + 1})" for section in found[:5])
    return Refusal(
        Kind.AMBIGUOUS_MATCH,
        f"the heading {name[:80]!r} is in {len(found)} places: {shown}",
        "give a longer path of headings",
        {"count": len(found), "places": places},
    )


def _fits(section: Section, asked: Asked) -> bool:
    return asked.level is None or section.mark.level == asked.level


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are similar to `name`, the likeliest first; of paths of headings, their ends count."""
    ends: dict[str, list[str]] = {}
    for each in dict.fromkeys(known):
        ends.setdefault(loose(each.rsplit(SEPARATOR, 1)[-1]), []).append(each)
    found = similar_names(loose(_SEPARATORS.split(Asked.of(name).words)[-1]), ends, SHOWN)
    return [each for end in found for each in ends[end]][:SHOWN]


def no_such_heading(source: Source, document: Document, name: str) -> Refusal:
    """The refusal of a heading that is not there: the nearest, or what else can be named."""
    if not document.sections:
        return Refusal(
            Kind.NO_SUCH_TARGET,
            "the file has no headings",
            "name lines, such as lines:1-3, or the text to be replaced",
            {"nearest": []},
        )
    known: dict[str, list[Section]] = {}
    for section in document.sections:
        known.setdefault(joined(section.path), []).append(section)
    level = Asked.of(name).level
    of_level = f" of level {level}" if level else ""
    addresses = {
        path: [address_of(source, section) for section in sections] for path, sections in _first(known, name).items()
    }
    return no_such_name(f"there is no heading {name[:80]!r}{of_level}", nearest(name, known), addresses)


def _first(known: Mapping[str, list[Section]], name: str) -> dict[str, list[Section]]:
    """Of many names, those that a refusal lists: the similar ones, and the first of the others."""
    return {path: known[path] for path in dict.fromkeys([*nearest(name, known), *islice(known, SHOWN)])}


def no_such_name(message: str, near: Sequence[str], known: Mapping[str, Sequence[str]]) -> Refusal:
    """The refusal of a name that is not there: what is similar, or that nothing is and what there is instead.

    `known` has the addresses of each name that may be listed.
    """
    listed = near or list(known)[:SHOWN]
    places = [address for name in listed for address in known[name]][:SHOWN]
    what = "similar" if near else "none is similar; there are" if listed else "none is similar"
    shown = f": {'; '.join(listed[:5])[:300]}{' …' if len(listed) > 5 else ''}" if listed else ""
    short = next((each for each in places if len(each) <= _LONGEST_HINT), None)
    if short is None:
        hint = "name lines, a heading, or the text to be replaced"
    else:
        hint = f"send {short}" if near else f"send the one that is meant, such as {short}"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"{message}; {what}{shown}",
        hint,
        {"nearest": places} if near else {"nearest": [], "available": places},
    )


def which_of(kind: str, count: int) -> str:
    """The hint to send the one that is meant of those that are counted from 0."""
    return f"send {kind}:0" if count == 1 else f"send the one that is meant, from {kind}:0 to {kind}:{count - 1}"
