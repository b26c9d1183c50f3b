"""What a YAML text is made of: scalars, notes of how items are written, and the lines around them.

What plain YAML text means, and which text may stand there without quotes.

Types are those of PyYAML (YAML 1.1). Text is only left plain where no reader of 1.1 or 1.2 takes it for anything else.

What YAML knows of an item beside its value: how it is written, what it hangs on, its anchor and tag.

Offsets and names only; nothing here reads text.

Lines around YAML entries: where an entry's own lines start and end, which comments are its own, where gaps are.

Only for entries of block collections; what stands in brackets has no lines of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import isnan, nan
from typing import Any, Literal, NamedTuple, cast

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item, ItemKind, Reading
from steadyhand.text.lines import line_start
from steadyhand.text.span import Span

_CORE = "tag:yaml.org,2002:"
_KINDS: dict[str, ItemKind] = {
    "bool": "flag",
    "int": "number",
    "float": "number",
    "null": "null",
    "timestamp": "date",
    "merge": "other",
    "value": "other",
}
_FLAGS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}

_NUMBER_ELSEWHERE = lazy_pattern(
    r"[-+]?(?:[0-9][0-9_]*|0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)"
    r"|[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?"
    r"|[-+]?\.(?:inf|nan)",
    re.IGNORECASE | re.ASCII,
)
_WORD_ELSEWHERE = lazy_pattern(r"y|n|yes|no|on|off|true|false|null|~|=|<<", re.IGNORECASE)
_START_NEVER = lazy_pattern(r"[,\[\]{}#&*!|>'\"%@`]|[-?:](?:[ \t]|\Z)|---|\.\.\.")
_INSIDE_NEVER = lazy_pattern(r":(?:[ \t]|\Z)|[ \t]#")
_IN_FLOW_NEVER = lazy_pattern(r"[,\[\]{}?]|\A[-:]")  # some readers end plain text at `?` there
_UNPRINTABLE = lazy_pattern("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def resolve(value: str, tag: str | None, *, is_plain: bool) -> tuple[ItemKind, object]:
    """What a scalar says: its kind and its plain data. A tag of the file's own is looked past."""
    if tag is not None and tag.startswith(_CORE):
        return _construct(tag, value)
    if not is_plain:
        return "text", value
    found = _implicit(value)
    return ("text", value) if found is None else _construct(found, value)


def is_core(tag: str | None) -> bool:
    """Whether a tag is one of YAML's own, such as `!!str`."""
    return tag is not None and tag.startswith(_CORE)


def may_be_plain(value: str, *, in_flow: bool) -> bool:
    """Whether a text can be written without quotes and is that text for every reader."""
    if not value or value != value.strip() or "\n" in value or "\t" in value or not is_printable(value):
        return False
    if _START_NEVER.match(value) or _INSIDE_NEVER.search(value) or (in_flow and _IN_FLOW_NEVER.search(value)):
        return False
    return not looks_typed(value)


def looks_typed(value: str) -> bool:
    """Whether some reader takes this plain text for a number, a flag, a date, nothing or a merge.

    >>> [word for word in ("on", "12:30", "1e3", "0o17", "1.2.3", "2024-01-01", "one") if looks_typed(word)]
    ['on', '12:30', '1e3', '0o17', '2024-01-01']
    """
    return bool(_WORD_ELSEWHERE.fullmatch(value) or _NUMBER_ELSEWHERE.fullmatch(value)) or is_typed_by_all(value)


def is_typed_by_all(value: str) -> bool:
    """Whether every reader of YAML 1.1 takes this plain text for no text: `on` and not `y`, which few do."""
    return _implicit(value) is not None


def is_printable(value: str) -> bool:
    """Whether every character may stand in a YAML file as it is, and none but LF is a line break to some reader."""
    return _UNPRINTABLE.search(value) is None


def _implicit(value: str) -> str | None:
    """The tag PyYAML gives to plain text; None for text."""
    from yaml.resolver import Resolver

    known = Resolver.yaml_implicit_resolvers
    for tag, pattern in known.get(value[:1], ()):
        if pattern.match(value):
            return str(tag)
    return None


def _construct(tag: str, value: str) -> tuple[ItemKind, object]:
    from yaml.constructor import ConstructorError, SafeConstructor
    from yaml.nodes import ScalarNode

    name = tag.removeprefix(_CORE)
    kind = _KINDS.get(name)
    if kind is None:
        return "text", value
    if kind == "null":
        return "null", None
    if kind == "flag":
        said = _FLAGS.get(value.lower())
        return ("other", value) if said is None else ("flag", said)
    if kind == "other":
        return kind, value
    try:
        made = getattr(SafeConstructor(), f"construct_yaml_{name}")(ScalarNode(tag, value))
    except (ValueError, OverflowError, IndexError, AttributeError, ConstructorError):
        return "other", value  # such as the 31st of February: what it is for others is not known
    is_nan = isinstance(made, float) and isnan(made)
    return kind, nan if is_nan else made  # one NaN, so that two readings are equal


Style = Literal["plain", "single", "double", "literal", "folded", "empty", "alias", "flow", "pair", "block"]


class Note(NamedTuple):
    """The note of a YAML item. Items keep it as a bare tuple, which is fast to make and no work for garbage collection.

    `style`      how the value is written; a `pair` is a mapping of one entry without braces inside `[…]`
    `hang`       right behind what the value hangs on: colon, dash, `---`, or its own anchor and tag
    `start`      where the value starts, with its anchor and tag
    `mark`       where the entry starts: the name with its anchor, `?`, the dash
    `in_flow`    whether it stands inside brackets or braces
    `name`       how its name is written: a scalar's style, or `other` for what is no simple name
    """

    style: Style
    hang: int
    start: int
    mark: int
    in_flow: bool
    anchor: str | None = None
    tag: str | None = None
    tag_span: Span | None = None
    name: Literal["plain", "single", "double", "other"] = "plain"


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor that is defined at an offset, and where the aliases that mean it stand."""

    name: str
    offset: int
    aliases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A source as YAML reads it."""

    reading: Reading
    anchors: tuple[Anchor, ...]

    def family(self, item: Item) -> tuple[Item, int]:
        """The container an item stands in, and which child of it it is."""
        level = list(self.reading.documents)
        for step in item.path[:-1]:
            level = [child for container in level for child in container.children if child.path[-1] == step]
        for container in level:
            for index, child in enumerate(container.children):
                if child is item:
                    return container, index
        raise ValueError("the item is of another reading")

    def aliases_of(self, item: Item) -> tuple[int, ...]:
        """Where the aliases of an item's own anchor stand."""
        name, start, end = note_of(item).anchor, note_of(item).mark, note_of(item).hang
        found = (anchor for anchor in self.anchors if anchor.name == name and start <= anchor.offset < end)
        return next((anchor.aliases for anchor in found), ())

    def lost(self, *places: Span) -> tuple[Anchor, int] | None:
        """An anchor inside some places, and an alias outside all of them that means it; None where there is none."""
        for anchor in self.anchors:
            if any(place.start <= anchor.offset < place.end for place in places):
                for at in anchor.aliases:
                    if not any(place.start <= at < place.end for place in places):
                        return anchor, at
        return None


def note_of(item: Item) -> Note:
    """The note of an item that was read here."""
    return Note._make(cast("tuple[Any, ...]", item.note))


_TO_END = lazy_pattern(r"[^\r\n]*")
_BREAK = lazy_pattern(r"\r\n?|\n")
_BLANK = lazy_pattern(r"[ \t]*(?:\r\n?|\n)")
_COMMENT = lazy_pattern(r"(?P<indent>[ \t]*)#[^\r\n]*(?:\r\n?|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Region:
    """The lines of an entry: comments of its own above, the entry, the comment behind it, deeper comments below.

    `lines`       whole lines; for an entry that shares its first line with a dash before it, from the entry on
    `first`       where the line of the entry itself starts, below its comments
    `content_end` before the line break of the last line
    """

    lines: Span
    first: int
    content_end: int
    is_compact: bool


def start_of_line(text: str, offset: int) -> int:
    """Where the line of an offset starts; a byte order mark is in front of the first line."""
    lf = text.rfind("\n", 0, offset) + 1
    start = line_start(text, offset, lf)  # looks for CR on this line only
    return 1 if start == 0 and offset > 0 and text.startswith("\ufeff") else start


def end_of_line(text: str, offset: int) -> int:
    """Where the line of an offset ends, before its line break."""
    found = _TO_END.match(text, offset)
    return offset if found is None else found.end()


def next_line(text: str, offset: int) -> int:
    """Where the line after that of an offset starts."""
    end = end_of_line(text, offset)
    found = _BREAK.match(text, end)
    return end if found is None else found.end()


def line_above(text: str, start: int) -> int:
    """Where the line above one that starts at `start` starts."""
    return start_of_line(text, max(start - (2 if text[start - 2 : start] == "\r\n" else 1), 0))


def column_of(text: str, offset: int) -> int:
    """How far right an offset stands on its line, from 0."""
    return offset - start_of_line(text, offset)


def region_of(text: str, parent: Item, index: int) -> Region:
    """The lines of child number `index` of a block collection."""
    child = parent.children[index]
    mark = note_of(child).mark
    first = start_of_line(text, mark)
    end = below(text, child)
    content_end = end
    if end > last_of(child) and text[end - 1] in "\r\n":
        content_end -= 2 if text[end - 2 : end] == "\r\n" else 1
    if text[first:mark].strip(" "):
        return Region(Span(mark, end), mark, content_end, is_compact=True)
    return Region(Span(_own_start(text, parent, index, first), end), first, content_end, is_compact=False)


def last_of(item: Item) -> int:
    """Where the last character of an entry stands behind which nothing but a comment is on the line."""
    return max(item.entry.end, note_of(item).hang)


def below(text: str, item: Item) -> int:
    """Where the line after an entry starts; comments further right than the entry belong to it."""
    end = next_line(text, last_of(item))
    column = column_of(text, note_of(item).mark)
    at = end
    while at < len(text):
        while blank := _BLANK.match(text, at):
            at = blank.end()
        found = _COMMENT.match(text, at)
        if found is None or len(found.group("indent")) <= column:
            break
        end = at = found.end()
    return end


def _own_start(text: str, parent: Item, index: int, first: int) -> int:
    """Where the comments start that belong to a child: directly above it, as far right, and for no group.

    Comments that the file starts with are the file's: a licence, a line for some editor.
    """
    floor = 0 if index == 0 else next_line(text, last_of(parent.children[index - 1]))
    column = column_of(text, note_of(parent.children[index]).mark)
    at = first
    while at > floor:
        above = line_above(text, at)
        found = _COMMENT.match(text, above)
        if found is None or above < floor or len(found.group("indent")) != column:
            break
        at = above
    is_head = at == start_of_line(text, min(1, len(text)))
    return first if at == first or is_head or _heads_group(text, parent, index, at) else at


def _heads_group(text: str, parent: Item, index: int, comment: int) -> bool:
    """Whether comments stand above several entries: after a blank line or first of all, the next entry right below."""
    if index + 1 == len(parent.children):
        return False
    follows = end_of_line(text, last_of(parent.children[index]))
    between = text[follows : start_of_line(text, note_of(parent.children[index + 1]).mark)]
    is_next = len(_BREAK.findall(between)) == 1
    is_apart = index == 0 or not text[line_above(text, comment) : comment].strip()
    return is_next and is_apart


def blank_lines_at(text: str, offset: int) -> int:
    """Where the blank lines that start at a line end."""
    while offset < len(text) and (found := _BLANK.match(text, offset)):
        offset = found.end()
    return offset


def blanks_between(text: str, parent: Item) -> int:
    """How many blank lines usually part the children of a block collection."""
    counts: Counter[int] = Counter()
    for one, two in pairwise(parent.children[-20:]):
        at, count = next_line(text, last_of(one)), 0
        stop = start_of_line(text, note_of(two).mark)
        while at < stop:
            after = next_line(text, at)
            count += not text[at:after].strip()
            at = after
        counts[count] += 1
    return min(counts.most_common(1)[0][0], 2) if counts else 0
