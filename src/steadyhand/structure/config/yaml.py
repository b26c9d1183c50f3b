"""Keys of YAML: mappings, sequences and scalars, several documents in one file.

A value is written as the old one was where that can be; its anchor stays, so that its aliases see the new value, and a
tag stays where it still fits. An entry moves with its lines and comments, shifted as a whole; what would have to be
written again to be there, such as a block list between brackets, is refused. Aliases are never expanded and merges
never followed: a key that one of them brings is refused with the place where it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, cast

from steadyhand.errors import Kind
from steadyhand.hints import Act, Hint, SendAddress
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.structure.config.item import (
    Item,
    ItemKind,
    KeyPath,
    Plain,
    Reading,
    Step,
    counted,
    plain_of,
    render_path,
    same_data,
    says,
)
from steadyhand.structure.config.layout import HASHED, Brackets, Piece, Usual, Write, line_end, with_endings_of
from steadyhand.structure.config.syntax import Syntax
from steadyhand.structure.config.yaml_layout import (
    Slot,
    below,
    blanks_of,
    ends_in_text,
    first_hang,
    insert_rows,
    remove_rows,
    rows_of,
)
from steadyhand.structure.config.yaml_reader import (
    Parsed,
    end_of_line,
    is_core,
    last_of,
    note_of,
    parse,
    parse_part,
    reread,
    resolve,
)
from steadyhand.structure.config.yaml_style import (
    Quoting,
    Style,
    Unwritable,
    Written,
    ends_with_newline,
    entry_rows,
    fits_literal,
    folded,
    in_brackets,
    indented,
    is_of_one_version,
    is_typed_by_all,
    item_rows,
    literal,
    looks_typed,
    may_be_plain,
    name_text,
    scalar,
    style_of,
    value_rows,
)
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_HEADER = lazy_pattern(r":[ \t]*(?:[&!][^\s]*[ \t]*)*(?:[ \t]#.*)?\Z")
_WIDEST = 80
_MERGE = "<<"
_MOST_MERGES = 100


class Yaml(Syntax):
    """Keys and values of YAML."""

    name: ClassVar[str] = "yaml"
    comment = lazy_pattern(r"(?:\A|(?<=[ \t\r\n]))#[^\r\n]*")

    def read(self, source: Source) -> Reading | Refusal:
        parsed = source.derive(parse)
        return parsed if isinstance(parsed, Refusal) else parsed.reading

    def read_rest(self, source: Source) -> Reading | Refusal:
        parsed = source.derive(parse_part)  # the anchor may be on its way
        return parsed if isinstance(parsed, Refusal) else parsed.reading

    def reread(self, before: Source, source: Source, item: Item, end: int) -> Item | Refusal | None:
        return reread(before, source, item, end)

    def is_said(self, item: Item, value: Plain) -> bool:
        """What JSON has no type for is never said."""
        if item.kind in ("date", "other"):
            return False
        if not item.is_container:
            return same_data(item.data, value)
        return says(item, value) and not any(part.kind in ("date", "other") for part in item.walk())

    def change_notes(self, source: Source, item: Item) -> tuple[str, ...]:
        """Who else sees another value of an item."""
        count = len(_parsed(source).aliases_of(item)) if note_of(item).anchor is not None else 0
        aliases = "1 alias has" if count == 1 else f"{count} aliases have"
        return (f"&{note_of(item).anchor} is set: its {aliases} the new value too",) if count else ()

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        return _guarded(lambda: super(Yaml, self).set_value(source, item, value))

    def write(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        if self.is_said(item, value) and not is_of_one_version(source.text, item):
            return Proposal(())
        refused = _keeps_anchors(source, item.value) or _keeps_tag(item, value)
        if refused is not None:
            return refused
        style = _own_style(source, item)
        writes = _value_writes(source, item, value, style.inside(item.path[-1]) if item.path else style)
        if not _is_tag_kept(item, value):
            writes.append(_without_tag(source.text, item))
        end = Slot(source.text, item).block_end if note_of(item).style == "block" else item.value.end
        notes = (*self.change_notes(source, item), *self.lost_comments(source, item, end))
        return Proposal.of(source, *writes, notes=notes)

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        if written == item.value.of(source.text):
            return Proposal(())
        rows = split_bodies(written)
        margin = _at_margin(written) if len(rows) > 1 and not note_of(item).in_flow else []
        refused = _keeps_anchors(source, item.value)
        if refused is not None or isinstance(margin, Refusal):
            return refused or cast("Refusal", margin)
        bare = written.strip(" \r\n\t")
        top = _top(margin or [bare])
        is_tag_kept = top is None or _is_kept_raw(item, top, written)
        untagged = [] if is_tag_kept else [_without_tag(source.text, item)]
        if not margin:
            return Proposal.of(source, *_on_line(source.text, item, bare), *untagged)
        style = _own_style(source, item)
        is_block = top is not None and note_of(top).style == "block"
        value = Written("", tuple(margin), is_below=True) if is_block else Written(margin[0], tuple(margin[1:]))
        slot = Slot(source.text, item)
        made = slot.placed(value, style, is_list=top is not None and top.kind == "sequence")
        if made.is_compact and slot.is_commented and not slot.is_block:
            # On a line of its own: the comment must not come between the written lines.
            made = Written("", tuple(indented(margin, slot.owner + style.width)), is_below=True)
        return Proposal.of(source, *slot.put(made), *untagged)

    def add(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Proposal | Refusal:
        written = "" if container.children else container.value.of(source.text)
        is_blank = not written or (not note_of(container).in_flow and not written[1:-1].strip())
        if not container.children and is_blank:  # it may be written over as a block
            whole: Plain = [value] if name is None else {name: value}
            return _guarded(lambda: self.write(source, container, whole))
        return _guarded(lambda: super(Yaml, self).add(source, container, name, value, index))

    def compose(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Piece | Refusal:
        if note_of(container).style == "pair":
            return _one_pair()
        style, is_block = style_of(source, container), note_of(container).style == "block"
        if name is None:
            inner = style.inside(index)
            written = "\n".join(item_rows(value, inner)) if is_block else in_brackets(value, inner)
        elif is_block:
            written = "\n".join(entry_rows(name, value, style, like=_typed_name(source, container)))
        else:
            shown = name_text(name, style.name, style, in_flow=True, like=_typed_name(source, container))
            colon = _colon(source.text, container) if shown[:1] in "\"'" else ": "
            written = f"{shown}{colon}{in_brackets(value, style.inside(name))}"
        return Piece(f"{written}\n" if is_block and ends_with_newline(value) else written)

    def lift(self, source: Source, item: Item, container: Item, name: str | None) -> Piece | Refusal:
        text = source.text
        parent, at = self.known(source).family(item)
        if "pair" in (note_of(container).style, note_of(parent).style):
            return _unmovable("a pair without braces has exactly one entry")
        style, label = style_of(source, container), None
        if name is not None:
            is_own = item.name is not None and item.path[-1] == name
            in_flow = note_of(container).style == "flow"
            label = item.name.of(text) if is_own and item.name else name_text(name, style.name, style, in_flow=in_flow)
        if _is_bracketed(container):
            line = _on_one_line(text, item, label)
            piece = _brackets(text, parent).piece(at) if note_of(item).in_flow else Piece("")
            return line if isinstance(line, Refusal) else replace(piece, entry=line)
        rows = _rows(text, parent, at, label, style)
        if isinstance(rows, Refusal):
            return rows
        ending = source.newlines.uniform or "\n"  # what is moved keeps its own line endings
        return Piece(ending.join(rows) + ending * ends_in_text(item))

    def put(self, source: Source, container: Item, index: int, pieces: Sequence[Piece]) -> list[Write] | Refusal:
        text = source.text
        if _is_bracketed(container):
            return _brackets(text, container).insert(index, pieces, Usual())
        rows = [row for piece in pieces for row in split_bodies(piece.entry)]
        if container.children:
            writes = [insert_rows(text, container, index, rows)]
        else:
            slot, value = Slot(text, container), Written("", tuple(rows), is_below=True)
            style = style_of(source, container)
            writes = slot.put(slot.placed(value, style, is_list=container.kind == "sequence"))
        span, new = writes[-1]
        if pieces[-1].entry.endswith(("\n", "\r")) and span.end == len(text) and not new.endswith("\n"):
            new += "\n"  # at the end of a file without a final newline a literal text that ends with one needs it
        return [*writes[:-1], (span, with_endings_of(pieces[0].entry, new))]

    def remove(self, source: Source, item: Item) -> list[Write] | Refusal:
        parent, at = self.known(source).family(item)
        if note_of(parent).style == "pair":
            return _one_pair()
        if note_of(parent).style == "flow":
            return _brackets(source.text, parent).remove(at)
        return remove_rows(source.text, parent, at)

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        """Without the entry; refused while an alias elsewhere needs an anchor in it."""
        made = super().delete(source, item)
        if isinstance(made, Refusal):
            return made
        return _keeps_anchors(source, *(splice.span for splice in made.splices)) or made

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        """Another name, in the quotes of the old one where that can be."""
        note, span = note_of(item), item.name
        assert span is not None
        old, quoting, in_flow = span.of(source.text), note.name, note.in_flow
        if quoting == "other" or (quoting == "plain" and item.path[-1] == _MERGE):
            return refuse(
                f"{old[:60]} is not a simple name", "add the entry under its new name with add-key, and delete this one"
            )
        style, like = _own_style(source, item), old if quoting == "plain" else None
        lead = " " if span.is_empty and source.text[span.start - 1 : span.start] == "?" else ""

        def written() -> Proposal | Refusal:
            return Proposal.of(source, (span, lead + name_text(name, quoting, style, in_flow=in_flow, like=like)))

        return _guarded(written)

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        def moved() -> Proposal | Refusal:
            piece = self.lift(source, item, container, name) if _parsed(source).anchors else None
            there = self.put(source, container, index, [piece]) if isinstance(piece, Piece) else None
            parted = _parted(source, item, there[0][0].start) if isinstance(there, list) else None
            return parted or super(Yaml, self).move(source, item, container, name, index)

        return _guarded(moved)

    def entries(
        self,
        source: Source,  # noqa: ARG002
        written: str,
        kind: ItemKind,
    ) -> tuple[Source, tuple[Item, ...]] | Refusal:
        margin = _at_margin(written)
        if isinstance(margin, Refusal):
            return margin
        alone = Source.of_text("\n".join(margin))
        parsed = parse_part(alone)
        if isinstance(parsed, Refusal):
            return parsed
        tops = parsed.reading.documents
        if len(tops) == 1 and tops[0].kind == kind:
            return alone, tops[0].children
        return alone, tops if len(tops) == 1 and kind == "sequence" else ()

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        margin = _at_margin(written)
        if isinstance(margin, Refusal):
            return margin
        top = _top(margin)
        rows = margin
        if top is not None and top.kind != container.kind:  # a bare value, as an item
            rows = [f"- {margin[0]}", *indented(margin[1:], 2)]
        if _is_bracketed(container):
            if len(rows) > 1:
                return refuse(
                    "text of several lines cannot be put between brackets",
                    "write it on one line, with its own brackets",
                )
            rows = [rows[0].removeprefix("- ") if container.kind == "sequence" else rows[0]]
        return self.written(source, container, index, [Piece("\n".join(rows))])

    def carried(self, source: Source, item: Item) -> str | Refusal:
        """An entry with its comments, or an item with its dash, as another file takes it.

        It is at the margin, or further right as a whole where its lines could be meant in two ways.
        """
        if not item.path:
            return item.value.of(source.text)
        parent, at = self.known(source).family(item)
        rows = _rows(source.text, parent, at, None if item.name is None else item.name.of(source.text), Style())
        if isinstance(rows, Refusal):
            return rows
        written = "".join(f"{row}\n" for row in rows)
        return written if _at_margin(written) == rows else "".join(f"{row}\n" for row in indented(rows, 2))

    def elsewhere(self, source: Source, path: KeyPath, document: int | None) -> Refusal | None:
        """The refusal of a path that only a merge or an alias leads to, naming the place it is written at."""
        documents = self.known(source).documents
        for top in documents if document is None else documents[document - 1 : document]:
            item = top
            for at, step in enumerate(path):
                found = _child(item, step)
                if found is None:
                    return _brought(source, top, item, path, at)
                item = found
        return None


def _parsed(source: Source) -> Parsed:
    parsed = source.derive(parse)
    assert isinstance(parsed, Parsed)  # an item of it was found
    return parsed


def _own_style(source: Source, item: Item) -> Style:
    """How the siblings of an item are written."""
    return style_of(source, SYNTAX.known(source).family(item)[0] if item.path else item)


def _guarded(propose: Callable[[], Proposal | Refusal]) -> Proposal | Refusal:
    """What is proposed for a value that can be written."""
    try:
        return propose()
    except Unwritable as error:
        return refuse(f"YAML cannot express this: {error}", "choose another value")


def _brackets(text: str, container: Item) -> Brackets:
    spans = [Span(note_of(child).mark, child.entry.end) for child in container.children]
    return Brackets(text, container.value, spans, HASHED)


def _is_bracketed(container: Item) -> bool:
    """Whether a new entry of a container goes between its brackets; empty ones outside of others become a block."""
    note = note_of(container)
    return note.style in ("flow", "pair") and (bool(container.children) or note.in_flow)


def _one_pair() -> Refusal:
    return refuse(
        "a pair inside brackets without braces has exactly one entry",
        "name the item itself, or replace it with a mapping in braces",
    )


# Anchors and tags.


def _keeps_anchors(source: Source, *places: Span) -> Refusal | None:
    """The refusal of taking text away that holds an anchor whose alias stays."""
    lost = _parsed(source).lost(*places)
    if lost is None:
        return None
    line = source.line_of(lost[1])
    return refuse(
        f"the anchor &{lost[0].name[:60]} in it is used by the alias on line {line}",
        f"set the value on line {line} first",
        {"anchor": lost[0].name, "line": line},
    )


def _parted(source: Source, item: Item, place: int) -> Refusal | None:
    """The refusal of a move that takes an anchor behind one of its aliases."""
    own = Span(note_of(item).mark, item.entry.end)
    for anchor in _parsed(source).anchors:
        is_inside = own.start <= anchor.offset < own.end
        for alias in anchor.aliases:
            if is_inside == (own.start <= alias < own.end):
                continue
            if (place > alias) if is_inside else (place <= anchor.offset):
                line = source.line_of(alias)
                return refuse(
                    f"the anchor &{anchor.name[:60]} would be below the alias on line {line}",
                    "move it to a place above, or the alias with it",
                    {"anchor": anchor.name, "line": line},
                )
    return None


def _is_tag_kept(item: Item, value: Plain) -> bool:
    """Whether a value can be behind the tag of an item: the file's own tags stay, YAML's where they fit."""
    tag = note_of(item).tag
    if not is_core(tag) or tag is None:
        return True
    if isinstance(value, str):
        return tag.endswith(":str")
    if isinstance(value, list | tuple | dict):
        return tag.endswith(":seq" if isinstance(value, list | tuple) else ":map")
    said = scalar(value, "plain", Style(), in_flow=False)
    return same_data(resolve(said, tag, is_plain=True)[1], value)


def _is_kept_raw(item: Item, top: Item, written: str) -> bool:
    """The same for written text: `!!str` and `!!float` make of it what the value was before."""
    tag = str(note_of(item).tag)
    if not is_core(tag) or written.lstrip()[:1] in ("&", "!"):
        return True
    if top.kind in ("date", "other"):
        return tag.endswith((":str", ":timestamp"))
    return tag.endswith((":str", ":float")) or _is_tag_kept(item, cast("Plain", plain_of(top)))


def _keeps_tag(item: Item, value: Plain) -> Refusal | None:
    tag = note_of(item).tag
    kind = "mapping" if isinstance(value, dict) else "sequence" if isinstance(value, list | tuple) else "scalar"
    old = item.kind if item.is_container else "scalar"
    if tag is None or is_core(tag) or kind == old:
        return None
    return refuse(
        f"the value has the tag {tag[:60]}, which may not fit a {kind}",
        "replace the value's text, including the tag it should have",
        {"tag": tag},
    )


def _without_tag(text: str, item: Item) -> Write:
    hang = note_of(item).hang
    start, end = note_of(item).tag_span or (hang, hang)
    return Span(len(text[:start].rstrip(" \t")), end), ""


# A value in the place of another.


def _value_writes(source: Source, item: Item, value: Plain, style: Style) -> list[Write]:
    text = source.text
    if note_of(item).in_flow:
        written = in_brackets(value, replace(style, text=_quoting(item, style)))
        is_bare = item.value.is_empty and text[item.value.start - 1 : item.value.start] not in (" ", "\t")
        lead = " " if is_bare else ""
        if item.name is not None and item.value.is_empty and item.value.start == item.name.end:
            lead = ": "  # a name in braces without a colon
        return [(item.value, lead + written)]
    slot = Slot(text, item)
    if isinstance(value, str):
        return slot.put(_text(slot, value, style))
    writes = slot.put(slot.placed(value_rows(value, style), style, is_list=isinstance(value, list | tuple)))
    span, new = writes[-1]
    is_open = ends_with_newline(value) and span.end == len(text) and not new.endswith("\n")
    return [*writes[:-1], (span, new + "\n")] if is_open else writes


def _quoting(item: Item, style: Style) -> Quoting:
    """The style of the old text, where there was one."""
    old = note_of(item).style
    if item.kind == "text" and (old == "plain" or old == "single" or old == "double"):
        return old
    return style.text


def _text(slot: Slot, value: str, style: Style) -> Written:
    """A text as the old value was written, where that can be."""
    old = note_of(slot.item).style
    owner = max(slot.owner, 0)
    usual = style.width if slot.is_item else style.step
    indent = (slot.body_indent() or owner + usual) - owner
    indent = indent if 0 < indent <= 9 else usual
    made = folded(value, indent, max(_WIDEST - owner, 20)) if old == "folded" else None
    is_block = old in ("literal", "folded")
    if "\n" in value and old not in ("literal", "folded", "double") and slot.owner >= 0:
        # A comment that follows would be taken into a literal text.
        is_block = slot.is_block or below(slot.text, slot.item) <= line_end(slot.text, last_of(slot.item))
    is_apart = slot.owner >= 0 or not value.lstrip("\n").startswith(" ")
    if made is None and is_block and is_apart and fits_literal(value):
        made = literal(value, indent)
    if made is None:
        return Written(scalar(value, _quoting(slot.item, style), style, in_flow=False))
    is_last = end_of_line(slot.text, slot.item.value.end) == len(slot.text)  # and needs the newline it ends with
    return Written(made[0], (*indented(made[1], owner), *([""] if is_last and value.endswith("\n") else [])))


# New entries.


def _typed_name(source: Source, container: Item) -> str | None:
    """A plain name in a mapping that some reader takes for no text; one that all readers do, if there is such."""
    named = (item.name.of(source.text) for item in container.children if item.name and note_of(item).name == "plain")
    names = [name for name in named if looks_typed(name) and name != _MERGE]
    return next(filter(is_typed_by_all, names), names[0] if names else None)


def _colon(text: str, container: Item) -> str:
    """What is between name and value in a flow mapping whose names are quoted."""
    for item in reversed(container.children):
        if item.name is not None and not item.value.is_empty and note_of(item).hang <= item.value.start:
            between = text[item.name.end : item.value.start]
            if between in (":", ": "):
                return between
    return ": "


# Text that a caller wrote.


def _at_margin(written: str) -> list[str] | Refusal:
    """Written text as rows at the margin.

    It may be there, indented as a whole, or with all but its first line indented as the file is. Where two of these
    make sense and mean different things it is refused.

    >>> _at_margin("  a: 1\\n  b: 2\\n"), _at_margin("a: 1\\n    b: 2")
    (['a: 1', 'b: 2'], ['a: 1', 'b: 2'])
    """
    rows = split_bodies(written)
    while rows and not rows[-1].strip():
        rows.pop()
    while rows and not rows[0].strip():
        rows.pop(0)
    if not rows:
        return refuse("the new text is empty", "delete the entry, or write null")
    first = blanks_of(rows[0])
    if first:
        return [row[min(first, blanks_of(row)) :] for row in rows]
    other = min((blanks_of(row) for row in rows[1:] if row.strip()), default=0)
    shifted = [rows[0], *(row[min(other, blanks_of(row)) :] for row in rows[1:])]
    one = parse_part(Source.of_text("\n".join(rows)))
    two = parse_part(Source.of_text("\n".join(shifted))) if other else one
    if isinstance(one, Refusal):
        return one if isinstance(two, Refusal) else shifted
    tops = one.reading.documents
    is_collection = len(tops) == 1 and note_of(tops[0]).style == "block"
    if isinstance(two, Refusal) or not other or not is_collection:
        return rows
    if list(map(plain_of, tops)) == list(map(plain_of, two.reading.documents)):
        return rows
    if len(tops[0].children) == 1 and _HEADER.search(rows[0]):  # a name that waits for what is below it
        return rows
    return refuse(
        "the new text is ambiguous: its first line is not indented and the rest is",
        "write the first line with its indentation",
    )


def _top(rows: list[str]) -> Item | None:
    found = parse_part(Source.of_text("\n".join(rows)))
    return found.reading.documents[0] if isinstance(found, Parsed) and found.reading.documents else None


def _on_line(text: str, item: Item, written: str) -> list[Write]:
    note = note_of(item)
    if note.in_flow:
        lead = " " if item.value.is_empty and text[item.value.start - 1 : item.value.start] == ":" else ""
        return [(item.value, lead + written)]
    if written[:1] in ("&", "!") and (note.anchor is not None or note.tag is not None):
        start = min(item.entry.start, item.value.start)
        if item.name is not None:
            start = first_hang(text, item)
            start += len(text[start:]) - len(text[start:].lstrip(" \t"))
        return [(Span(start, max(item.value.end, note.hang)), written)]
    return Slot(text, item).put(Written(written))


# Entries that move.


def _on_one_line(text: str, item: Item, label: str | None) -> str | Refusal:
    """An entry as it can be between brackets."""
    note = note_of(item)
    whole = Span(note.start, item.entry.end).of(text)
    is_plain = note.style == "plain" and not note.in_flow
    is_fit = note.style not in ("block", "literal", "folded", "pair") and not set("\r\n") & set(whole)
    if not is_fit or (is_plain and not may_be_plain(str(item.data), in_flow=True) and item.kind == "text"):
        return _unmovable("it would have to be rewritten to fit between brackets")
    if item.value.is_empty and whole:
        whole += " "  # a tag ends with a blank
    if label is not None:
        return f"{label}: {whole}"
    return whole or _unmovable("it has no text")


def _rows(text: str, parent: Item, index: int, label: str | None, style: Style) -> list[str] | Refusal:
    """An entry with its comments as rows at the margin, under a name or with a dash."""
    item = parent.children[index]
    note = note_of(item)
    if not note.in_flow:
        rows = rows_of(text, parent, index, label, style)
        return _unmovable("its name is not a simple one") if rows is None else rows
    whole = Span(note.start, item.entry.end).of(text)
    if set("\r\n") & set(whole) or note.style == "pair":
        return _unmovable("it is on several lines between brackets")
    piece = _brackets(text, parent).piece(index)
    return [*piece.above, f"{'-' if label is None else f'{label}:'} {whole}".rstrip() + piece.behind]


def _unmovable(reason: str) -> Refusal:
    return refuse(
        f"it cannot be moved there unchanged: {reason}",
        "add the value there with add-key or append-item, and delete it here",
    )


# Keys that an alias or a merge brings.


def _brought(source: Source, top: Item, item: Item, path: KeyPath, at: int) -> Refusal | None:
    alias, anchored = item, None
    if note_of(item).style == "alias":
        anchored = _anchored(top, item)
    else:
        ways = (way for way in _merged(top, item) if _child(way[1], path[at]) is not None)
        alias, anchored = next(ways, (item, None))
    if anchored is None:
        return None
    where = render_path((*anchored.path, *path[at:]))
    name = note_of(anchored).anchor or ""
    line, there = source.line_of(alias.value.start), source.line_of(note_of(anchored).start)
    by = "merge" if alias.path[-1:] == (_MERGE,) or _MERGE in alias.path[-2:] else "alias"
    hints: list[Hint] = [SendAddress(f"key:{where[:120]}", "edit", more=f", which changes it wherever *{name[:60]} is")]
    if by == "merge" and top.kind == "mapping":
        hints.append(Act("add-key", render_path(path[:at])[:120], str(path[at])[:80], "to give it its own value"))
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"{render_path(path)[:80]} is not written there: it comes from the {by} *{name[:60]} on line {line}"
        f" from the anchor &{name[:60]} on line {there}",
        tuple(hints),
        {"nearest": [f"key:{where}"], "line": line, "anchor": name, "anchor_line": there},
    )


def _child(item: Item, step: Step) -> Item | None:
    return next(iter(item.at(counted(item, step))), None)


def _merged(top: Item, item: Item) -> Iterator[tuple[Item, Item]]:
    """The mappings that are merged into one, each with the alias in it that leads there, those that count first."""
    waiting = [(alias, alias) for alias in _merges(item)]
    for _ in range(_MOST_MERGES):
        if not waiting:
            return
        first, alias = waiting.pop(0)
        anchored = _anchored(top, alias)
        if anchored is not None:
            yield first, anchored
            waiting[:0] = [(first, inner) for inner in _merges(anchored)]


def _merges(item: Item) -> list[Item]:
    """The aliases behind the `<<` of a mapping."""
    parts = (part for child in item.at(_MERGE) for part in (child, *child.children))
    return [part for part in parts if note_of(part).style == "alias"]


def _anchored(top: Item, alias: Item) -> Item | None:
    """What an alias means: the last thing above it with that anchor."""
    name = alias.data[1] if isinstance(alias.data, tuple) else None
    found = None
    for item in top.walk():
        if note_of(item).start >= alias.value.start and not item.is_container:
            break
        if note_of(item).anchor == name and note_of(item).start < alias.value.start:
            found = item
    return found


SYNTAX = Yaml()
