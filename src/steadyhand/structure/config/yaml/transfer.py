"""Text that is carried into YAML: what a caller wrote, and entries from elsewhere in the file.

Text that a caller wrote as YAML: put in the place of a value, or in as new entries, indented for its place.

It may stand at the margin, indented as a whole, or with all but its first line indented as the file is. Where two of
these make sense and mean different things it is refused.

Takes a YAML entry to another place as it is written: its lines shifted as a whole, its comments with it.

What would have to be written anew to stand there, such as a block list between brackets, is refused.
"""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item, ItemKind, plain_of
from steadyhand.structure.config.yaml.document import (
    Parsed,
    column_of,
    end_of_line,
    may_be_plain,
    next_line,
    note_of,
    region_of,
)
from steadyhand.structure.config.yaml.entries import (
    ends_in_text,
    insert_in_brackets,
    insert_rows,
    remove,
    rename,
)
from steadyhand.structure.config.yaml.reader import parse_part
from steadyhand.structure.config.yaml.style import Manner, Written, indented, manner_of, name_text
from steadyhand.structure.config.yaml.value import Slot, Write, keeps_anchors, placed, put
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
    manner = manner_of(source, parent)
    top = _top(margin)
    is_block = top is not None and note_of(top).style == "block"
    value = Written("", tuple(margin), is_below=True) if is_block else Written(margin[0], tuple(margin[1:]))
    slot = Slot(source.text, item)
    made = placed(slot, value, manner, is_list=top is not None and top.kind == "sequence")
    if made.is_compact and slot.is_commented and not slot.is_block:
        column = slot.owner + manner.width  # a line of its own: the comment must not come between the written lines
        made = Written("", tuple(indented(margin, column)), is_below=True)
    return Proposal.of(source, *put(slot, made))


def insert_raw(source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
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
    if container.children:
        return Proposal.of(source, *insert_rows(source.text, container, index, rows))
    if note_of(container).in_flow:
        return _several_lines()
    slot = Slot(source.text, container)
    value = Written("", tuple(rows), is_below=True)
    manner = manner_of(source, container)
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


_BREAK = lazy_pattern(r"\r\n?|\n")


def move(
    source: Source, parsed: Parsed, item: Item, container: Item, name: str | None, index: int
) -> Proposal | Refusal:
    """The splices that take an item out and put it in front of child number `index` of a container."""
    text = source.text
    parent, at = parsed.family(item)
    if parent is container and index in (at, at + 1):
        return Proposal(()) if name is None else rename(source, parsed, item, name)
    if "pair" in (note_of(container).style, note_of(parent).style):
        return _refused("a pair without braces has exactly one entry")
    manner = manner_of(source, container)
    written = _label(text, item, name, manner, container)
    if note_of(container).style in ("flow", "pair") and container.children:
        line = _on_one_line(text, item, written)
        if isinstance(line, Refusal):
            return line
        taken = remove(text, parent, at)
        if _has_comments(text, item, taken):
            return _refused("its comments would be lost")
        return _together(source, parsed, item, taken, insert_in_brackets(text, container, index, line))
    rows = _rows(text, parent, at, written, manner)
    if isinstance(rows, Refusal):
        return rows
    if note_of(item).in_flow and _has_comments(text, item, remove(text, parent, at)):
        return _refused("its comments would be lost")
    if not container.children:
        if note_of(container).in_flow:
            return _refused("the empty brackets it would go to are between brackets")
        slot = Slot(text, container)
        value = Written("", tuple(rows), is_below=True)
        given = put(slot, placed(slot, value, manner, is_list=container.kind == "sequence"))
        return _together(source, parsed, item, remove(text, parent, at), given)
    return _together(source, parsed, item, remove(text, parent, at), insert_rows(text, container, index, rows))


def carried(source: Source, parsed: Parsed, item: Item) -> str | Refusal:
    """An entry with its comments, or an item with its dash, as another file takes it.

    It stands at the margin, or further right as a whole where its lines could be meant in two ways.
    """
    if not item.path:
        return item.value.of(source.text)
    parent, at = parsed.family(item)
    label = None if item.name is None else item.name.of(source.text)
    rows = _rows(source.text, parent, at, label, Manner())
    if isinstance(rows, Refusal):
        return rows
    if note_of(item).in_flow and _has_comments(source.text, item, remove(source.text, parent, at)):
        return _refused("its comments would be lost")
    written = "".join(f"{row}\n" for row in rows)
    return written if at_margin(written) == rows else "".join(f"{row}\n" for row in indented(rows, 2))


def _has_comments(text: str, item: Item, taken: list[Write]) -> bool:
    """Whether something beside the entry goes with it that is a comment."""
    start, end = note_of(item).mark, item.entry.end
    pieces = (text[span.start : min(span.end, start)] + text[max(span.start, end) : span.end] for span, _ in taken)
    return any("#" in piece for piece in pieces)


def _label(text: str, item: Item, name: str | None, manner: Manner, container: Item) -> str | None:
    """The name as it is written there; None in a sequence."""
    if name is None:
        return None
    if item.name is not None and item.path[-1] == name:
        return item.name.of(text)
    return name_text(name, manner.name, manner, in_flow=note_of(container).style == "flow")


def _on_one_line(text: str, item: Item, label: str | None) -> str | Refusal:
    """An entry as it can stand between brackets."""
    note = note_of(item)
    whole = Span(note_of(item).start, item.entry.end).of(text)
    is_plain = note.style == "plain" and not note.in_flow
    is_fit = note.style not in ("block", "literal", "folded", "pair") and not set("\r\n") & set(whole)
    if not is_fit or (is_plain and not may_be_plain(str(item.data), in_flow=True) and item.kind == "text"):
        return _refused("between brackets it would have to be rewritten")
    if item.value.is_empty and whole:
        whole += " "  # a tag ends with a blank
    if label is not None:
        return f"{label}: {whole}"
    return whole or _refused("there is nothing written")


def _rows(text: str, parent: Item, index: int, label: str | None, manner: Manner) -> list[str] | Refusal:
    """An entry with its comments as rows at the margin."""
    item = parent.children[index]
    if note_of(item).in_flow:
        line = _from_brackets(text, item, label)
        return line if isinstance(line, Refusal) else [line]
    region = region_of(text, parent, index)
    column = column_of(text, note_of(item).mark)
    above = _dedented(Span(region.lines.start, region.first).of(text), column)
    if note_of(item).mark != (item.name.start if item.name is not None else note_of(item).mark):
        return _as_it_is(text, item, label, above, region.content_end, column)
    if label is not None and item.name is not None:
        rest = _dedented(Span(item.name.end, region.content_end).of(text), column, is_first_cut=True)
        return [*above, label + rest[0], *rest[1:]]
    if label is None and item.name is None:
        rest = _dedented(Span(note_of(item).mark, region.content_end).of(text), column, is_first_cut=True)
        return [*above, *rest]
    return _relabelled(text, item, label, above, region.content_end, manner)


def _as_it_is(text: str, item: Item, label: str | None, above: list[str], end: int, column: int) -> list[str] | Refusal:
    """An entry with `?` or an anchored name moves only under its own name."""
    if item.name is None or label != item.name.of(text):
        return _refused("its name is not a simple one")
    return [*above, *_dedented(Span(note_of(item).mark, end).of(text), column, is_first_cut=True)]


def _relabelled(
    text: str, item: Item, label: str | None, above: list[str], end: int, manner: Manner
) -> list[str] | Refusal:
    """A value that hung on a name hangs on a dash, or the other way round."""
    slot = Slot(text, item)
    head = "-" if label is None else f"{label}:"
    hang = note_of(item).hang
    behind = _first_hang(text, item)
    if not slot.is_block:
        rest = _dedented(Span(behind, end).of(text), slot.owner, is_first_cut=True)
        return [
            *above,
            head + (rest[0] if rest[0].startswith((" ", "\t")) or not rest[0] else f" {rest[0]}"),
            *rest[1:],
        ]
    column = column_of(text, item.value.start)
    start = next_line(text, hang) if slot.starts_below else item.value.start
    lead = "" if slot.starts_below else " " * column
    value = _dedented(lead + Span(start, end).of(text), column)
    line = text[behind : end_of_line(text, hang)] if slot.starts_below else text[behind:hang].rstrip()
    is_plain_head = not line.strip() and value[0].strip() and not value[0].startswith("#")
    if label is None and is_plain_head:
        return [*above, "-" + " " * (manner.width - 1) + value[0], *indented(value[1:], manner.width)]
    step = manner.width if label is None else manner.dash if item.kind == "sequence" else manner.step
    return [*above, (head + line).rstrip(), *indented(value, step)]


def _first_hang(text: str, item: Item) -> int:
    """Right behind the colon or dash, before an anchor or tag."""
    if item.name is None:
        return note_of(item).mark + 1
    return text.index(":", item.name.end) + 1


def _from_brackets(text: str, item: Item, label: str | None) -> str | Refusal:
    """An entry of a flow collection on a line of its own."""
    whole = Span(note_of(item).start, item.entry.end).of(text)
    if set("\r\n") & set(whole) or note_of(item).style == "pair":
        return _refused("it is on several lines between brackets")
    head = "-" if label is None else f"{label}:"
    return f"{head} {whole}".rstrip()


def _dedented(text: str, column: int, *, is_first_cut: bool = False) -> list[str]:
    """Rows moved to the margin; one that stands further left than the margin only has blanks that say nothing."""
    rows = _BREAK.split(text)  # a last empty row counts: kept blank lines of a text are in it
    if not is_first_cut and not rows[-1]:
        rows.pop()
    made: list[str] = rows[:1] if is_first_cut else []
    for row in rows[len(made) :]:
        blanks = len(row) - len(row.lstrip(" "))
        made.append(row[min(blanks, column) :])
    return made


def _together(source: Source, parsed: Parsed, item: Item, taken: list[Write], given: list[Write]) -> Proposal | Refusal:
    """Both halves; what is put right behind the end of a file whose last line goes takes its line break."""
    parted = _parted(source, parsed, item, given[0][0].start)
    if parted is not None:
        return parted
    made: list[Write] = []
    for span, new in given:
        inside = next((place for place, _ in taken if place.start < span.start < place.end and span.is_empty), None)
        if inside is not None and inside.end == len(source.text) and new.endswith("\n"):
            made.append((Span(inside.start, inside.start), "\n" + new.removesuffix("\n")))
        elif inside is not None:
            return _refused("it would go where its own lines are")
        else:
            is_open = span.end == len(source.text) and not new.endswith("\n") and ends_in_text(item)
            made.append((span, new + "\n" if is_open else new))
    ending = source.newlines.uniform or "\n"  # what is moved keeps its own line endings
    return Proposal.of(source, *((span, new.replace("\n", ending)) for span, new in [*made, *taken]))


def _parted(source: Source, parsed: Parsed, item: Item, place: int) -> Refusal | None:
    """The refusal of a move that takes an anchor behind one of its aliases."""
    own = Span(note_of(item).mark, item.entry.end)
    for anchor in parsed.anchors:
        is_inside = own.start <= anchor.offset < own.end
        for alias in anchor.aliases:
            if is_inside == (own.start <= alias < own.end):
                continue
            if (place > alias) if is_inside else (place <= anchor.offset):
                line = source.line_of(alias)
                return Refusal(
                    Kind.BAD_REQUEST,
                    f"the anchor &{anchor.name[:60]} would be below the alias on line {line}",
                    "move it to a place above, or the alias with it",
                    {"anchor": anchor.name, "line": line},
                )
    return None


def _refused(reason: str) -> Refusal:
    return Refusal(
        Kind.BAD_REQUEST,
        f"it cannot be moved there as it is written: {reason}",
        "add the value there with add-key or append-item, and delete it here",
    )
