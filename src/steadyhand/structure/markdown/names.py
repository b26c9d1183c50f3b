"""What the parts of a Markdown text are called: headings, list items, named blocks, links.

Exact words come first; a laxer reading is tried only where a stricter one found nothing, and never to break a tie. A
block is named by `^id` behind its last words, or on a line of its own beneath it.

Links are only listed, nothing is located or edited by them. Paragraphs that are very long are passed over, as is raw
HTML; after much text with brackets in it the list ends, since a hostile one would cost the more the longer it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from steadyhand.errors import Kind
from steadyhand.hints import ByText, SendAddress
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.format import OutlineEntry
from steadyhand.structure.markdown.document import Document, Item, Mark, Section, front_source, front_span
from steadyhand.structure.markdown.reader import known_markdown, read_markdown
from steadyhand.structure.node import Node, Refusal
from steadyhand.structure.target import address_of as target_address
from steadyhand.structure.target import numbered
from steadyhand.text.cancel import check_each
from steadyhand.text.lines import split_bodies
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source, once

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


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


@once
def index_of(source: Source) -> Index:
    """The names of a source's headings, made once per source."""
    document = known_markdown(source)
    exact: dict[str, list[int]] = {}
    separated: dict[str, list[int]] = {}
    lax: dict[str, list[int]] = {}
    for section in check_each(document.sections):
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
        there = [document.sections[number] for number in names.get(key, ())]
        if fitting := [section for section in there if asked.level in (None, section.mark.level)]:
            return fitting
    return []


def address_of(source: Source, section: Section, part: str = "") -> str:
    """The address that singles out a section: its path, and its number where several have that path."""
    number = source.derive(_numbers)[section.number]
    return target_address(f"heading{part}", joined(section.path[-_LONGEST_PATH:]), number)


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
    listing = "\n  ".join(f"{joined(section.path)} (line {section.mark.first + 1})" for section in found[:5])
    return Refusal(
        Kind.AMBIGUOUS_MATCH,
        f"the heading {name[:80]!r} is in {len(found)} places:\n  {listing}",
        "give a longer path of headings",
        {"count": len(found), "places": places},
    )


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
        return Refusal(Kind.NO_SUCH_TARGET, "the file has no headings", ByText(), {"nearest": []})
    known: dict[str, list[Section]] = {}
    for section in document.sections:
        known.setdefault(joined(section.path), []).append(section)
    level = Asked.of(name).level
    of_level = f" of level {level}" if level else ""
    near = nearest(name, known)
    listed = dict.fromkeys([*near, *islice(known, SHOWN)])  # an address takes time to find
    addresses = {path: [address_of(source, section) for section in known[path]] for path in listed}
    return no_such_name(f"there is no heading {name[:80]!r}{of_level}", near, addresses)


def no_such_name(message: str, near: Sequence[str], known: Mapping[str, Sequence[str]]) -> Refusal:
    """The refusal of a name that is not there: what is similar, or that nothing is and what there is instead.

    `known` has the addresses of each name that may be listed.
    """
    listed = near or list(known)[:SHOWN]
    places = [address for name in listed for address in known[name]][:SHOWN]
    what = "similar" if near else "none is similar; there are" if listed else "none is similar"
    shown = f": {'; '.join(listed[:5])[:300]}{' …' if len(listed) > 5 else ''}" if listed else ""
    short = next((each for each in places if len(each) <= _LONGEST_HINT), None)
    hint = ByText("name a heading") if short is None else SendAddress(short, is_example=not near)
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"{message}; {what}{shown}",
        hint,
        {"nearest": places} if near else {"nearest": [], "available": places},
    )


def no_such_number(kind: str, message: str, said: Sequence[str]) -> Refusal:
    """The refusal of one of those that are counted from 0; `said` is what each is, for a person."""
    count = len(said)
    near = [f"{kind}:{number}" for number in range(min(count, SHOWN))]
    shown = ", ".join(f"{address} ({what})" for address, what in zip(near[:5], said, strict=False))
    more = "" if count == 1 else f" or {kind}:{count - 1}"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        message + (f": {shown}" if shown else ""),
        SendAddress(f"{kind}:0", is_example=count > 1, more=more) if count else ByText("name a heading"),
        {"count": count, "nearest": near[:1] if count == 1 else [], "available": near},
    )


_REF = lazy_pattern(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]{1,100})[ \t]*$")
BOX = lazy_pattern(r"\[([ xX])\](?=[ \t]|$)")


@dataclass(frozen=True, slots=True)
class Ref:
    """A block that has a name. `end` is the end of the block, `behind` that of the line its name is in.

    `item` is the list item it is, where it is one; `is_apart` says that the name has a line of its own.
    """

    name: str
    kind: str
    first: int
    end: int
    container: int
    behind: int
    item: Item | None
    is_apart: bool


@once
def refs_of(source: Source) -> tuple[Ref, ...]:
    """Every named block of a file, in order; found once per source."""
    document = known_markdown(source)
    items = {item.paragraph.first: item for item in document.items if item.paragraph is not None}
    found: list[Ref] = []
    for place, mark in enumerate(document.marks):
        name = ref_in(document.rows[mark.end - 1]) if mark.kind == "paragraph" else None
        if name is None:
            continue
        if mark.text == f"^{name}":
            above = _above(document, place, mark, name)
            if above is not None:
                found.append(above)
            continue
        item = items.get(mark.first)
        if item is not None and item.inside == mark.container:
            found.append(Ref(name, "list item", item.first, item.end, item.container, mark.end, item, False))
        else:
            found.append(Ref(name, "paragraph", mark.first, mark.end, mark.container, mark.end, None, False))
    return tuple(found)


def ref_address(source: Source, ref: Ref) -> str:
    """The address that singles out a named block."""
    return target_address("block", f"^{ref.name}", source.derive(_ref_numbers)[ref])


def item_address(source: Source, item: Item) -> str:
    """The address that singles out a list item: its name where it has one, else its words."""
    ref, number = source.derive(_item_numbers)[item.number]
    if ref is not None:
        return ref_address(source, ref)
    return target_address("block", words_of(item), number)


def _ref_numbers(source: Source) -> dict[Ref, int | None]:
    return dict(zip(refs_of(source), numbered(ref.name for ref in refs_of(source)), strict=True))


@once
def items_by_words(source: Source) -> Mapping[str, Sequence[Item]]:
    """The list items that start with words, in order, by what they say; found once per source."""
    found: dict[str, list[Item]] = {}
    for item in known_markdown(source).items:
        if item.paragraph is not None:
            found.setdefault(words_of(item), []).append(item)
    return found


def _item_numbers(source: Source) -> dict[int, tuple[Ref | None, int | None]]:
    """Of each item its name, and which one it is of those that say the same."""
    names = {ref.item.number: ref for ref in refs_of(source) if ref.item is not None}
    items = [item for item in known_markdown(source).items if item.paragraph is not None]
    pairs = zip(items, numbered(map(words_of, items)), strict=True)
    return {item.number: (names.get(item.number), number) for item, number in pairs}


def ref_in(row: str) -> str | None:
    """The name at the end of a line.

    >>> ref_in("Some words ^a-1"), ref_in("x^2")
    ('a-1', None)
    """
    at = row.rfind("^")
    found = _REF.search(row, max(at - 1, 0)) if at >= 0 else None
    return found.group(1) if found else None


def without_ref(text: str) -> str:
    """Words without the name at their end."""
    name = ref_in(text)
    return text if name is None else text[: text.rindex("^")].rstrip(" \t")


def _above(document: Document, place: int, mark: Mark, name: str) -> Ref | None:
    """The block that a name on its own line belongs to: the one before it in the same container."""
    before = document.marks[place - 1] if place else None
    if before is None:
        return None
    if before.container == mark.container:
        kind = {"fence": "code block", "indented": "code block", "html": "HTML"}.get(before.kind, before.kind)
        return Ref(name, kind, before.first, before.end, mark.container, mark.end, None, True)
    number = before.container
    while number > mark.container and document.containers[number].parent != mark.container:
        number = document.containers[number].parent
    if number <= mark.container:
        return None
    one = document.containers[number]
    if one.kind == "quote":
        return Ref(name, "quote", one.first, one.end, mark.container, mark.end, None, True)
    items = [item for item in document.items if item.inside == number]
    siblings = [item for item in document.items if item.list == items[0].list]
    return Ref(name, "list", siblings[0].first, one.end, mark.container, mark.end, None, True)


def words_of(item: Item) -> str:
    """What a list item says, without its box and its name."""
    if item.paragraph is None:
        return ""
    text = item.paragraph.text
    box = BOX.match(text)
    return without_ref(text[box.end() :].strip(" \t") if box else text)


__all__ = ["Link", "links_of"]

_LONGEST = 5_000  # characters of a paragraph
_MOST = 300_000  # characters in all
_DEEPEST = 20
_SIGN = lazy_pattern(r"\]\s*[\[(]|\[|<[a-zA-Z]")
_WIKI_LINK = lazy_pattern(r"(!?)\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")


@dataclass(frozen=True, slots=True)
class Link:
    """One link. `row` counts from 0; `text` is what is shown of it, `target` where it leads as it is written."""

    row: int
    kind: Literal["link", "image", "wiki"]
    text: str
    target: str


def links_of(source: Source, first: int = 0, end: int | None = None) -> Iterator[Link]:
    """The links in some rows of a text that could be read as Markdown, in order, made one by one."""
    document = known_markdown(source)
    parser = _parser()
    env: Mapping[str, Any] = {"references": _references(parser, document)}
    left, stop = _MOST, document.count if end is None else end
    for mark, row, past in _paragraphs(document):
        if row < first or row >= stop or not any(_SIGN.search(each) for each in document.rows[row:past]):
            continue
        text = document.plain(row, past, mark.container)
        left -= len(text)
        if left < 0:
            return
        if len(text) > _LONGEST:
            continue
        rows = split_bodies(text)
        (inline,) = parser.parseInline(text.strip("\n"), dict(env))
        for breaks, kind, words, target in _found(inline.children or ()):
            yield Link(row + _row_of(rows, breaks, target, words), kind, words, target)


def _paragraphs(document: Document) -> Iterator[tuple[Mark, int, int]]:
    """Rows that are read together: headings and paragraphs whole, tables row by row."""
    for mark in document.marks:
        if mark.kind in ("heading", "paragraph"):
            yield mark, mark.first, mark.end
        elif mark.kind == "table":
            yield from ((mark, row, row + 1) for row in range(mark.first, mark.end))


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]  # as it is written, whatever it is
    parser.validateLink = bool  # type: ignore[method-assign,assignment]
    return parser


def _references(parser: MarkdownIt, document: Document) -> Mapping[str, Any]:
    """What the labels of the text stand for."""
    rows = [row.lstrip(" \t>") for one in document.definitions for row in document.rows[one.first : one.end]]
    environment: dict[str, Any] = {}
    parser.parse("\n".join([*rows, ""]), environment)
    known: Mapping[str, Any] = environment.get("references", {})
    return known


def _found(tokens: Sequence[Token]) -> Iterator[tuple[int, Literal["link", "image", "wiki"], str, str]]:
    """The links among the parts of a paragraph, each with the number of line breaks before it."""
    row = 0
    opened: tuple[int, str, list[str]] | None = None
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            row += 1
        elif token.type == "link_open":
            opened = (row, str(token.attrs.get("href", "")), [])
        elif token.type == "link_close" and opened is not None:
            yield opened[0], "link", "".join(opened[2]), opened[1]
            opened = None
        elif token.type == "image":
            yield row, "image", token.content, str(token.attrs.get("src", ""))
        elif token.type == "text" and opened is None:
            for found in _WIKI_LINK.finditer(token.content):
                yield row, "image" if found[1] else "wiki", found[3] or found[2], found[2]
        if opened is not None:
            opened[2].append(" " if token.type in ("softbreak", "hardbreak") else token.content)


def _row_of(rows: Sequence[str], row: int, target: str, words: str) -> int:
    """The row a link is in: code and tags that span lines have breaks that are not counted."""
    for wanted in (target, words):
        at = next((number for number in range(row, len(rows)) if wanted and wanted in rows[number]), None)
        if at is not None:
            return at
    return min(row, max(len(rows) - 1, 0))


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Front matter and its keys, headings, code blocks, tables and named blocks, in the order of the file."""
    document = read_markdown(source)
    if isinstance(document, Refusal):
        return document
    from steadyhand.structure.markdown.block import block_node
    from steadyhand.structure.markdown.code_block import PARTS, code_block_node
    from steadyhand.structure.markdown.table import table_node

    nodes: list[Node] = [code_block_node(document, number, PARTS[0]) for number in range(len(document.codes))]
    nodes += [table_node(document, number) for number in range(len(document.tables))]
    nodes += [block_node(source, document, ref) for ref in refs_of(source)]
    found = _sections(source, document)
    found += [(None, OutlineEntry(node.address, node.kind, node.label, node.span)) for node in nodes]
    found.sort(key=lambda each: (each[1].span.start, each[0] is None))  # headings before what starts where they do
    return [*_front(source, document), *_deepened(found)]


def _sections(source: Source, document: Document) -> list[tuple[Section | None, OutlineEntry]]:
    found: list[tuple[Section | None, OutlineEntry]] = []
    for section in check_each(document.sections):
        span = document.span_of(section.mark.first, section.end, section.mark.container)
        label = f"{'#' * section.mark.level} {section.mark.text}"[:120]
        entry = OutlineEntry(address_of(source, section), "section", label, span, len(section.path) - 1)
        found.append((section, entry))
    return found


def _deepened(found: Sequence[tuple[Section | None, OutlineEntry]]) -> list[OutlineEntry]:
    """Entries one deeper than the section they are in."""
    entries: list[OutlineEntry] = []
    open_sections: list[tuple[int, int]] = []  # where each ends, and its depth
    for section, entry in found:
        while open_sections and open_sections[-1][0] <= entry.span.start:
            open_sections.pop()
        if section is not None:
            open_sections.append((entry.span.end, entry.depth))
            entries.append(entry)
        else:
            depth = open_sections[-1][1] + 1 if open_sections else 0
            entries.append(OutlineEntry(entry.address, entry.kind, entry.label, entry.span, depth))
    return entries


def _front(source: Source, document: Document) -> list[OutlineEntry]:
    from steadyhand.structure.config.key import key_entries
    from steadyhand.structure.config.syntax import syntax_named

    if document.front is None:
        return []
    span = front_span(document.table, document.front)
    whole = OutlineEntry("front_matter:", "front matter", f"front matter ({document.front.syntax})", span)
    reading = syntax_named(document.front.syntax).read(source.derive(front_source))
    if isinstance(reading, Refusal):
        return [whole]
    keys = key_entries(reading, offset=span.start, prefix="front_matter", depth=1)
    return [whole, *(entry for entry in keys if entry.depth == 1)]
