"""Entries of TOML on their way to another place: their text as it is written, with their comments."""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.structure.config.item import Item, KeyPath
from steadyhand.structure.config.lines import with_endings_of
from steadyhand.structure.config.syntax import refuse
from steadyhand.structure.config.toml.adding import add_written, enclosing
from steadyhand.structure.config.toml.brackets import Writes, put_in
from steadyhand.structure.config.toml.parts import Pair
from steadyhand.structure.config.toml.places import (
    Page,
    pair_slot,
    render_line,
    render_table,
    section_slot,
    write_lines,
    write_sections,
)
from steadyhand.structure.config.toml.removing import section_runs
from steadyhand.structure.config.toml.tree import Document, note_of
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import body, line_start, split_lines, to_lf
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class Load:
    """What is carried: a value with the comments above it and behind it, or whole sections."""

    value: str = ""
    above: str = ""
    behind: str = ""
    sections: str = ""


def pick_up(page: Page, item: Item, path: KeyPath) -> Load | Refusal:
    """The item as text; sections get the path that they will have."""
    note = note_of(item)
    if note.form == "dotted":
        return refuse("it is written as dotted keys", "move its keys one by one")
    if note.sections:
        return Load(sections=_renamed_sections(page, item, path))
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
    return refuse("it is written with headers, which cannot stand there", "add it anew with add-key and delete it")


def _renamed_sections(page: Page, item: Item, path: KeyPath) -> str:
    """The lines of all its sections, their headers with another path in front."""
    depth = sum(isinstance(step, str) for step in item.path)
    new = render_table(path)
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
