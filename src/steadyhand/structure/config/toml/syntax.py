"""Keys of TOML: tables under headers, dotted keys, inline tables, arrays and arrays of tables.

New entries are written as their siblings are; what moves keeps its text and its comments; where the last entry of a
table goes, the table stays. What has no value of its own but headers or dotted keys changes only through its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, replace
from steadyhand.structure.config.item import (
    Item,
    ItemKind,
    KeyPath,
    Plain,
    Reading,
    says,
)
from steadyhand.structure.config.layout import merged, removal, with_endings_of
from steadyhand.structure.config.syntax import Proposer, Syntax, in_steps, refuse
from steadyhand.structure.config.toml.layout import (
    Page,
    Style,
    Writes,
    dotted_prefix,
    pair_slot,
    put_in,
    render_key,
    render_like,
    render_line,
    render_pair,
    render_table,
    render_value,
    section_slot,
    take_out,
    unsayable,
    write_lines,
    write_sections,
    written_name,
)
from steadyhand.structure.config.toml.reader import Pair, Value
from steadyhand.structure.config.toml.tree import (
    Document,
    Form,
    note_of,
    read_document,
)
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import body, line_start, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_IN_SECTIONS: tuple[Form, ...] = ("root", "table", "implicit", "element")


def add_entry(page: Page, container: Item, name: str, value: Plain, index: int) -> Writes:
    """An entry of a mapping, however the mapping is written."""
    is_before_pair = index < len(container.children) and not note_of(container.children[index]).sections
    lines = [] if is_before_pair else _as_sections(page, container, name, value)
    if lines:
        return [write_sections(page, section_slot(page, container, index), "\n".join(lines))]
    return add_written(page, container, name, render_value(value, page.style), index)


def add_written(page: Page, container: Item, name: str, written: str, index: int) -> Writes:
    """An entry whose value is written already."""
    outside = enclosing(page, container)
    if outside is not None:
        return _add_inside(page, outside, container, name, written, index)
    slot = pair_slot(page, container, index)
    return [write_lines(page, slot, render_line(page, slot, container, name, written))]


def _add_inside(page: Page, outside: Value, container: Item, name: str, written: str, index: int) -> Writes:
    """An entry of an inline table, or of dotted keys in one."""
    note = note_of(container)
    like = note.pairs[-1] if note.form == "dotted" else None
    prefix = dotted_prefix(page.text, container, like) if like else ""
    at = len(outside.pairs) if like is None else outside.pairs.index(like) + 1
    if index < len(container.children):
        at = outside.pairs.index(note_of(container.children[index]).pairs[0])
    new = f"{prefix}{render_key(name)}{page.style.equals}{written}"
    return put_in(page.text, outside, at, [new], page.style.padding)


def append_items(page: Page, container: Item, values: Sequence[Plain], index: int) -> Writes | Refusal:
    """Items of an array, or tables of an array of tables."""
    note, style = note_of(container), page.style
    if note.value is not None:
        return put_in(page.text, note.value, index, [render_value(value, style) for value in values])
    if not all(isinstance(value, Mapping) for value in values):
        return Refusal(
            Kind.BAD_REQUEST,
            "this array is written as [[tables]]: each item of it is a table",
            "send an object as the value",
        )
    lines: list[str] = []
    for value in values:
        assert isinstance(value, Mapping)
        lines += [""] * bool(lines) + _section(written_name(page, container), value, style, is_array=True)
    return [write_sections(page, section_slot(page, container, index), "\n".join(lines))]


def enclosing(page: Page, item: Item) -> Value | None:
    """The inline table that a mapping is, or whose dotted keys it is; None where it is written in lines."""
    note = note_of(item)
    while note.form == "dotted" and note.home is None:
        item = page.document.parent(item)
        note = note_of(item)
    return note.value if note.form == "inline" else None


def _as_sections(page: Page, container: Item, name: str, value: Plain) -> list[str]:
    """The value as sections, where the siblings are written so; nothing where it is written as a pair."""
    if note_of(container).form not in _IN_SECTIONS:
        return []
    forms = [note_of(child).form for child in container.children]
    title, style = written_name(page, container, name), page.style
    if isinstance(value, Mapping):
        is_first = note_of(container).form == "root" and not any(form in ("inline", "dotted") for form in forms)
        is_usual = is_first or any(form in ("table", "implicit", "tables") for form in forms)
        return _section(title, value, style, is_array=False) if is_usual else []
    if isinstance(value, list) and value and "tables" in forms and all(isinstance(one, Mapping) for one in value):
        parts = [_section(title, one, style, is_array=True) for one in value if isinstance(one, Mapping)]
        return [line for part in parts for line in ("", *part)][1:]
    return []


def _section(title: str, value: Mapping[str, Plain], style: Style, *, is_array: bool) -> list[str]:
    """A header, its pairs, and the sections of the tables that come behind the last pair."""
    names = list(value)
    pairs = next((at for at in range(len(names), 0, -1) if not _is_table(value[names[at - 1]])), 0)
    header = f"[[{title}]]" if is_array else f"[{title}]"
    lines = [] if names and not pairs and not is_array else [header]
    lines += [render_pair(name, value[name], style) for name in names[:pairs]]
    for name in names[pairs:]:
        inner = value[name]
        assert isinstance(inner, Mapping)
        lines += [""] * bool(lines) + _section(f"{title}.{render_key(name)}", inner, style, is_array=False)
    return lines


def _is_table(value: Plain) -> bool:
    return isinstance(value, Mapping)


def remove(page: Page, item: Item) -> Writes | Refusal:
    """Take an item away, however it is written."""
    parent = page.document.parent(item)
    note, around = note_of(item), note_of(parent)
    if around.form == "array" and around.value is not None:
        at = int(item.path[-1])
        return [(span, "") for span in take_out(page.text, around.value, at, at + 1)]
    if note.sections:
        return _remove_sections(page, item, parent)
    kept: Writes = []
    pairs = note.pairs
    if around.form == "dotted" and len(pairs) == len(around.pairs):
        kept, pairs = [_emptied(page, parent, pairs[0])], pairs[1:]
    return [*kept, *((span, "") for span in _pair_spans(page, parent, pairs, note.home))]


def _pair_spans(page: Page, parent: Item, pairs: tuple[Pair, ...], home: int | None) -> list[Span]:
    if home is not None:
        runs = merged([page.pair_lines(home, pair) for pair in pairs])
        return [part for span in runs for part in removal(page.text, span)]
    outside = enclosing(page, parent)
    if outside is None:
        return []
    numbers = sorted(outside.pairs.index(pair) for pair in pairs)
    if numbers and numbers[-1] - numbers[0] == len(numbers) - 1:
        return take_out(page.text, outside, numbers[0], numbers[-1] + 1)
    return merged([span for number in numbers for span in take_out(page.text, outside, number, number + 1)])


def _emptied(page: Page, parent: Item, pair: Pair) -> tuple[Span, str]:
    """The last of some dotted keys leaves an empty table."""
    segment = next(segment for segment in pair.key if segment.span in note_of(parent).names)
    equals = page.text[pair.key[-1].span.end : pair.value.span.start]
    return Span(segment.span.end, pair.span.end), f"{equals}{{}}"


def _remove_sections(page: Page, item: Item, parent: Item) -> Writes | Refusal:
    note, around = note_of(item), note_of(parent)
    if around.form == "tables" and len(parent.children) == 1:
        return Refusal(
            Kind.BAD_REQUEST,
            "it is the only one of its [[tables]], and an empty array cannot be written that way",
            SendAddress(f"key:{render_table(parent.path)}", "delete the whole array,"),
        )
    spans = section_runs(page, item)
    if around.form == "implicit" and len(around.sections) == len(note.sections):
        rest = [(part, "") for span in spans[1:] for part in removal(page.text, span)]
        place = Span(spans[0].start, spans[0].start + len(body(spans[0].of(page.text))))
        return [(place, f"[{written_name(page, parent)}]"), *rest]
    return [(part, "") for span in spans for part in removal(page.text, span)]


def section_runs(page: Page, item: Item) -> list[Span]:
    """The lines of an item that is written in sections; sections that follow each other are one run."""
    runs: list[list[int]] = []
    for number in note_of(item).sections:
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [Span(page.own_lines(run[0]), page.tail(run[-1])) for run in runs]


@dataclass(frozen=True, slots=True)
class Load:
    """What is carried: a value with the comments above it and behind it, or whole sections."""

    value: str = ""
    above: str = ""
    behind: str = ""
    sections: str = ""


def pick_up(page: Page, item: Item, container: Item, name: str | None) -> Load | Refusal:
    """The item as text; sections get the name that they will have."""
    note = note_of(item)
    if note.form == "dotted":
        return refuse("it is written as dotted keys", "move its keys one by one")
    if note.sections:
        return Load(sections=_renamed_sections(page, item, written_name(page, container, name)))
    if note.home is None or not note.pairs:
        return Load(value=item.value.of(page.text))
    lines = page.pair_lines(note.home, note.pairs[0])
    above = page.text[lines.start : line_start(page.text, item.entry.start)]
    behind = body(page.text[item.value.end : lines.end])
    return Load(item.value.of(page.text), above, behind.rstrip(" \t"))


def put_down(page: Page, load: Load, container: Item, name: str | None, index: int) -> Writes | Refusal:
    """Write a load into a container, in front of child number `index`."""
    note = note_of(container)
    if load.sections:
        span, new = write_sections(page, section_slot(page, container, index), load.sections)
        return [(span, with_endings_of(load.sections, new))]
    if note.form == "array" and note.value is not None:
        return put_in(page.text, note.value, index, [load.value])
    if name is None:
        return refuse("an array of [[tables]] takes only tables", "use append-item with an object as the value")
    if enclosing(page, container) is not None:
        return add_written(page, container, name, load.value, index)
    slot = pair_slot(page, container, index)
    above = "".join(f"{slot.indent}{line.strip()}\n" for line in to_lf(load.above).split("\n")[:-1])
    line = render_line(page, slot, container, name, load.value)
    span, new = write_lines(page, slot, f"{above}{line}{load.behind}")
    return [(span, with_endings_of(load.value, new))]


def put_written(page: Page, written: Document, text: str, container: Item, index: int) -> Writes | Refusal:
    """Write entries that somebody wrote as lines of TOML, as they are, into a table; `written` is what they read as."""
    pairs = written.sections[0].pairs
    note = note_of(container)
    if len(written.sections) > 1:
        if pairs or note.form != "root":
            return refuse("headers can only be inserted at the top of the file", "use add-key or move-key instead")
        return [write_sections(page, section_slot(page, container, index), to_lf(text).strip("\n"))]
    if enclosing(page, container) is not None or note.form == "dotted":
        if len(pairs) != 1 or len(pairs[0].key) != 1:
            return refuse("one entry with a plain name is expected here", "insert them one by one")
        return add_written(page, container, pairs[0].key[0].name, pairs[0].value.span.of(text), index)
    slot = pair_slot(page, container, index)
    return [write_lines(page, slot, _indented(text, pairs, slot.indent).strip("\n"))]


def _indented(text: str, pairs: tuple[Pair, ...], indent: str) -> str:
    """Lines of pairs at another indentation; the lines inside of values stay as they are."""
    made: list[str] = []
    at, ends = 0, [pair.span.end for pair in reversed(pairs)]
    starts = [pair.span.start for pair in reversed(pairs)]
    for line in split_lines(text):
        while ends and ends[-1] <= at:
            ends.pop()
            starts.pop()
        is_inside = bool(starts) and starts[-1] < at
        made.append(line if is_inside or not line.strip() else indent + line.lstrip(" \t"))
        at += len(line)
    return to_lf("".join(made))


def unfit(item: Item, container: Item) -> Refusal | None:
    """Why an item that is written in sections cannot stand in a container, if it cannot."""
    form, around = note_of(item).form, note_of(container).form
    if not note_of(item).sections:
        return None
    if form == "element":
        is_fit = around == "tables"
    else:
        is_fit = around in ("root", "table", "implicit", "element")
    if is_fit:
        return None
    return refuse("it is written with headers, which cannot be there", "add it again with add-key and delete it")


def _renamed_sections(page: Page, item: Item, new: str) -> str:
    """The lines of all its sections, their headers with another name in front."""
    depth = sum(isinstance(step, str) for step in item.path)
    made: list[str] = []
    for run in section_runs(page, item):
        made.append("")
        at = run.start
        for number in note_of(item).sections:
            header = page.document.sections[number].header
            if header is None or not run.start <= header.span.start < run.end:
                continue
            named = Span(header.key[0].span.start, header.key[depth - 1].span.end)
            made[-1] += page.text[at : named.start] + new
            at = named.end
        made[-1] += page.text[at : run.end]
    gap = "\n\n" if page.parts_sections else "\n"
    return gap.join(body(text) for text in made)


class Toml(Syntax):
    """TOML 1.0."""

    name: ClassVar[str] = "toml"
    ordered: ClassVar[bool] = False

    def read(self, source: Source) -> Reading | Refusal:
        document = source.derive(read_document)
        return document if isinstance(document, Refusal) else document.reading

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        if refusal := unsayable(value):
            return refusal
        if note_of(item).value is None:
            return self._set_table(source, item, value)
        if isinstance(value, list) and item.kind == "sequence":
            return self._set_array(source, item, value)
        if isinstance(value, Mapping) and item.kind == "mapping" and list(value) == _names(item):
            return in_steps(source, self.read, self._sets(item, value))
        page = _page(source)
        if isinstance(page, Refusal):
            return page
        if item.is_container:
            return Proposal.of(source, (item.value, render_value(value, page.style)))
        written, notes = render_like(value, item, item.value.of(source.text), page.style)
        return Proposal.of(source, (item.value, written), notes=notes)

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        new = written if not item.path else written.strip(" \t\r\n")
        proposal = Proposal.of(source, (item.value, new))
        head = "" if not item.path else "value = "
        alone = self.read(Source.of_text(head + new))  # what it is in its place is checked with all the rest
        if isinstance(alone, Refusal):
            return alone
        top = alone.documents[0]
        if not item.path or (len(top.children) == 1 and top.children[0].value == Span(len(head), len(head + new))):
            return proposal
        return refuse("the text is not one value of TOML", 'write one value, such as "text", 3 or [1, 2]')

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        made = unsayable(value) or _made(source, lambda page: add_entry(page, container, name, value, index))
        if isinstance(made, Refusal) or not index or not note_of(container.children[index - 1]).sections:
            return made
        is_pair = not made.splices[0].new.lstrip().startswith("[")
        return replace(made, notes=(f"TOML has keys before tables: {name} goes there",)) if is_pair else made

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:
        return unsayable(value) or _made(source, lambda page: append_items(page, container, [value], index))

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        writes = [(span, render_key(name, span.of(source.text))) for span in note_of(item).names]
        return Proposal.of(source, *writes)

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        return _made(source, lambda page: remove(page, item))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        page = _page(source)
        if isinstance(page, Refusal):
            return page
        load = unfit(item, container) or pick_up(page, item, container, name)
        if isinstance(load, Refusal):
            return load
        parent = page.document.parent(item)
        is_before = parent is container and any(child is item for child in container.children[:index])
        path, place = _path_without(container.path, item.path), index - is_before

        def put(left: Source) -> Proposal | Refusal:
            return _made(left, lambda page: put_down(page, load, page.document.item(path), name, place))

        return in_steps(source, self.read, [lambda left: self.delete(left, _item(left, item.path)), put])

    def entries(self, source: Source, written: str, kind: ItemKind) -> tuple[Source, tuple[Item, ...]] | Refusal:
        if kind != "sequence":
            return super().entries(source, written, kind)
        alone = Source.of_text(f"a = [\n{written}\n]\n")
        reading = self.read(alone)
        if isinstance(reading, Refusal):
            return reading
        found = reading.find(("a",))
        return alone, found[0].children if len(reading.documents[0].children) == 1 else ()

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        value = note_of(container).value
        if container.kind == "sequence" and value is not None:
            found = self.entries(source, written, "sequence")
            if isinstance(found, Refusal):
                return found
            items = [item.value.of(found[0].text) for item in found[1]]
            return _made(source, lambda page: put_in(page.text, value, index, items))
        document = read_document(Source.of_text(written))
        if isinstance(document, Refusal) or container.kind != "mapping":
            return document if isinstance(document, Refusal) else refuse("tables are expected", "use append-item")
        return _made(source, lambda page: put_written(page, document, written, container, index))

    def _set_array(self, source: Source, item: Item, values: list[Plain]) -> Proposal | Refusal:
        """Only what differs: items that stay at the start and the end keep how they are written."""
        old = item.children
        least = min(len(old), len(values))
        head = next((at for at in range(least) if not says(old[at], values[at])), least)
        rest = least - head
        tail = next((at for at in range(rest) if not says(old[-1 - at], values[-1 - at])), rest)
        both = min(len(old), len(values)) - tail
        steps = [self._setting((*item.path, at), values[at]) for at in range(head, both)]
        if len(values) > len(old):
            steps.append(self._appending(item.path, values[both : len(values) - tail], both))
        elif len(values) < len(old):
            steps.append(self._cutting(item.path, both, len(old) - tail))
        return in_steps(source, self.read, steps)

    def _set_table(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        """A table that is written with headers or dotted keys: its entries change one by one."""
        if not isinstance(value, Mapping) or item.kind != "mapping":
            return refuse(
                "it is written with headers or dotted keys and cannot become another kind of value",
                "delete it with delete-key and add it again with add-key",
            )
        there = {str(child.path[-1]): child for child in item.children}
        steps: list[Proposer] = [self._deleting(child.path) for name, child in there.items() if name not in value]
        kept = {name: inner for name, inner in value.items() if name in there}
        steps += self._sets(item, kept)
        steps += [self._adding(item.path, name, value[name]) for name in value if name not in there]
        return in_steps(source, self.read, steps)

    def _sets(self, item: Item, value: Mapping[str, Plain]) -> list[Proposer]:
        """A step for each entry that says something else."""
        there = {child.path[-1]: child for child in item.children}
        changed = [name for name in value if not says(there[name], value[name])]
        return [self._setting(there[name].path, value[name]) for name in changed]

    def _setting(self, path: KeyPath, value: Plain) -> Proposer:
        return lambda source: self.set_value(source, _item(source, path), value)

    def _adding(self, path: KeyPath, name: str, value: Plain) -> Proposer:
        def step(source: Source) -> Proposal | Refusal:
            container = _item(source, path)
            return self.add(source, container, name, value, len(container.children))

        return step

    def _deleting(self, path: KeyPath) -> Proposer:
        return lambda source: self.delete(source, _item(source, path))

    def _appending(self, path: KeyPath, values: list[Plain], index: int) -> Proposer:
        return lambda source: _made(source, lambda page: append_items(page, page.document.item(path), values, index))

    def _cutting(self, path: KeyPath, start: int, end: int) -> Proposer:
        def cut(page: Page) -> Writes:
            value = note_of(page.document.item(path)).value
            return [] if value is None else [(span, "") for span in take_out(page.text, value, start, end)]

        return lambda source: _made(source, cut)


def _page(source: Source) -> Page | Refusal:

    document = source.derive(read_document)
    return document if isinstance(document, Refusal) else Page(source.text, document)


def _made(source: Source, make: Callable[[Page], Writes | Refusal]) -> Proposal | Refusal:
    page = _page(source)
    if isinstance(page, Refusal):
        return page
    writes = make(page)
    return writes if isinstance(writes, Refusal) else Proposal.of(source, *writes)


def _item(source: Source, path: KeyPath) -> Item:
    """The item at a path, in a text that was read before."""
    document = source.derive(read_document)
    assert isinstance(document, Document)
    return document.item(path)


def _names(item: Item) -> list[object]:
    return [child.path[-1] for child in item.children]


def _path_without(path: KeyPath, gone: KeyPath) -> KeyPath:
    """A path as it is when an item before it in an array is gone."""
    at = len(gone) - 1
    last, own = gone[at], path[at] if len(path) > at else None
    if isinstance(last, int) and isinstance(own, int) and path[:at] == gone[:at] and own > last:
        return (*path[:at], own - 1, *path[at + 1 :])
    return path


SYNTAX = Toml()
