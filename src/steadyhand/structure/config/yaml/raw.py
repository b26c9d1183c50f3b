"""Text that a caller wrote as YAML: put in the place of a value, or in as new entries, indented for its place.

It may stand at the margin, indented as a whole, or with all but its first line indented as the file is. Where two of
these make sense and mean different things it is refused.
"""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item, ItemKind
from steadyhand.structure.config.plain import plain_of
from steadyhand.structure.config.yaml.inserting import insert_in_brackets, insert_rows, refuse_open_text
from steadyhand.structure.config.yaml.manner import manner_of
from steadyhand.structure.config.yaml.note import Parsed, note_of
from steadyhand.structure.config.yaml.putting import Slot, Write, put
from steadyhand.structure.config.yaml.reading import parse_part
from steadyhand.structure.config.yaml.setting import keeps_anchors, placed
from steadyhand.structure.config.yaml.writing import Written, indented
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_HEADER = lazy_pattern(r":[ \t]*(?:[&!][^\s]*[ \t]*)*(?:[ \t]#.*)?\Z")


def put_raw(source: Source, parsed: Parsed, item: Item, written: str) -> Proposal | Refusal:
    """The splices that put written text in the place of a value."""
    if written == item.value.of(source.text):
        return Proposal(())
    refused = keeps_anchors(source, parsed, item.value)
    if refused is not None:
        return refused
    rows = split_bodies(written)
    if note_of(item).in_flow or len(rows) < 2:
        return Proposal.of(source, *_on_line(source.text, item, written.strip(" \r\n\t")))
    margin = at_margin(written)
    if isinstance(margin, Refusal):
        return margin
    parent = parsed.family(item)[0] if item.path else item
    manner = manner_of(source, parsed, parent)
    top = _top(margin)
    is_block = top is not None and note_of(top).style == "block"
    value = Written("", tuple(margin), is_below=True) if is_block else Written(margin[0], tuple(margin[1:]))
    slot = Slot(source.text, item)
    made = placed(slot, value, manner, is_list=top is not None and top.kind == "sequence")
    if made.is_compact and slot.is_commented and not slot.is_block:
        column = slot.owner + manner.width  # a line of its own: the comment must not come between the written lines
        made = Written("", tuple(indented(margin, column)), is_below=True)
    return Proposal.of(source, *put(slot, made))


def insert_raw(source: Source, parsed: Parsed, container: Item, written: str, index: int) -> Proposal | Refusal:
    """The splices that put written entries into a container."""
    margin = at_margin(written)
    if isinstance(margin, Refusal):
        return margin
    top = _top(margin)
    rows = margin if top is None or top.kind == container.kind else _as_item(margin)
    if note_of(container).style in ("flow", "pair") and container.children:
        if len(rows) > 1:
            return _several_lines()
        line = rows[0].removeprefix("- ") if container.kind == "sequence" else rows[0]
        return Proposal.of(source, *insert_in_brackets(source.text, container, index, line))
    refused = refuse_open_text(source, container, index)
    if refused is not None:
        return refused
    if container.children:
        return Proposal.of(source, *insert_rows(source.text, container, index, rows))
    if note_of(container).in_flow:
        return _several_lines()
    slot = Slot(source.text, container)
    value = Written("", tuple(rows), is_below=True)
    manner = manner_of(source, parsed, container)
    return Proposal.of(source, *put(slot, placed(slot, value, manner, is_list=container.kind == "sequence")))


def entries(written: str, kind: ItemKind) -> tuple[Source, tuple[Item, ...]] | Refusal:
    """Written entries of a mapping, or items of a sequence, read as a text of their own."""
    margin = at_margin(written)
    if isinstance(margin, Refusal):
        return margin
    source = Source.of_text("\n".join(margin))
    parsed = parse_part(source)
    if isinstance(parsed, Refusal):
        return parsed
    top = _tops(parsed)[0] if len(_tops(parsed)) == 1 else None
    if top is None:
        return source, ()
    if top.kind == kind:
        return source, top.children
    return source, (top,) if kind == "sequence" else ()


def at_margin(written: str) -> list[str] | Refusal:
    """Written text as rows at the margin.

    >>> at_margin("  a: 1\\n  b: 2\\n"), at_margin("a: 1\\n    b: 2")
    (['a: 1', 'b: 2'], ['a: 1', 'b: 2'])
    """
    rows = split_bodies(written)
    while rows and not rows[-1].strip():
        rows.pop()
    while rows and not rows[0].strip():
        rows.pop(0)
    if not rows:
        return Refusal(Kind.BAD_REQUEST, "the new text is empty", "delete the entry, or write null")
    first = _blanks(rows[0])
    if first:
        return [row[min(first, _blanks(row)) :] for row in rows]
    other = min((_blanks(row) for row in rows[1:] if row.strip()), default=0)
    shifted = [rows[0], *(row[min(other, _blanks(row)) :] for row in rows[1:])]
    one = parse_part(Source.of_text("\n".join(rows)))
    two = parse_part(Source.of_text("\n".join(shifted))) if other else one
    if isinstance(one, Refusal):
        return one if isinstance(two, Refusal) else shifted
    if isinstance(two, Refusal) or not other or not _is_collection(one) or _data(one) == _data(two):
        return rows
    if len(_tops(one)) == 1 and len(_tops(one)[0].children) == 1 and _is_header_like(rows[0]):
        return rows
    return _unclear()


def _is_header_like(row: str) -> bool:
    """Whether a first row is a name that waits for what stands below it."""
    return _HEADER.search(row) is not None


def _data(parsed: Parsed) -> list[object]:
    return [plain_of(top) for top in parsed.reading.documents]


def _tops(parsed: Parsed) -> tuple[Item, ...]:
    return parsed.reading.documents


def _is_collection(parsed: Parsed) -> bool:
    return len(_tops(parsed)) == 1 and note_of(_tops(parsed)[0]).style == "block"


def _top(rows: list[str]) -> Item | None:
    found = parse_part(Source.of_text("\n".join(rows)))
    return found.reading.documents[0] if isinstance(found, Parsed) and found.reading.documents else None


def _as_item(rows: list[str]) -> list[str]:
    """A bare value as an item of a sequence."""
    return [f"- {rows[0]}", *(f"  {row}" if row else row for row in rows[1:])]


def _on_line(text: str, item: Item, written: str) -> list[Write]:
    note = note_of(item)
    if note.in_flow:
        lead = " " if item.value.is_empty and text[item.value.start - 1 : item.value.start] == ":" else ""
        return [(item.value, lead + written)]
    if written[:1] in ("&", "!") and (note.anchor is not None or note.tag is not None):
        start = min(item.entry.start, item.value.start) if item.name is None else _properties_start(text, item)
        return [(Span(start, max(item.value.end, note.hang)), written)]
    return put(Slot(text, item), Written(written))


def _properties_start(text: str, item: Item) -> int:
    start = text.index(":", item.name.end if item.name is not None else item.entry.start) + 1
    while text[start] in " \t":
        start += 1
    return start


def _blanks(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def _unclear() -> Refusal:
    return Refusal(
        Kind.BAD_REQUEST,
        "the new text means one thing with its first line at the margin, another with it as far right as the rest",
        "write the first line with the indentation it should have",
    )


def _several_lines() -> Refusal:
    return Refusal(
        Kind.BAD_REQUEST,
        "text of several lines cannot be put between brackets",
        "write it on one line, with brackets of its own",
    )
