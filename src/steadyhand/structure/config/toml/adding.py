"""New entries of TOML tables and arrays, written as their siblings are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, KeyPath, Plain
from steadyhand.structure.config.toml.brackets import Writes, put_in
from steadyhand.structure.config.toml.parts import Value
from steadyhand.structure.config.toml.places import (
    Page,
    dotted_prefix,
    pair_slot,
    render_line,
    render_table,
    section_slot,
    write_lines,
    write_sections,
)
from steadyhand.structure.config.toml.tree import Form, note_of
from steadyhand.structure.config.toml.write import Style, render_key, render_pair, render_value
from steadyhand.structure.node import Refusal

_IN_SECTIONS: tuple[Form, ...] = ("root", "table", "implicit", "element")


def add_entry(page: Page, container: Item, name: str, value: Plain, index: int) -> Writes | Refusal:
    """An entry of a mapping, however the mapping is written."""
    is_before_pair = index < len(container.children) and not note_of(container.children[index]).sections
    lines = [] if is_before_pair else _as_sections(container, name, value, page.style)
    if lines:
        return [write_sections(page, section_slot(page, container, index), "\n".join(lines))]
    if 0 < index < len(container.children) and all(note_of(one).sections for one in container.children[index - 1 :]):
        return Refusal(Kind.BAD_REQUEST, "a key stands before the tables of its table", "leave before and after out")
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
        lines += [""] * bool(lines) + _section(container.path, value, style, is_array=True)
    return [write_sections(page, section_slot(page, container, index), "\n".join(lines))]


def enclosing(page: Page, item: Item) -> Value | None:
    """The inline table that a mapping is, or whose dotted keys it is; None where it is written in lines."""
    note = note_of(item)
    while note.form == "dotted" and note.home is None:
        item = page.document.parent(item)
        note = note_of(item)
    return note.value if note.form == "inline" else None


def _as_sections(container: Item, name: str, value: Plain, style: Style) -> list[str]:
    """The value as sections, where the siblings are written so; nothing where it is written as a pair."""
    if note_of(container).form not in _IN_SECTIONS:
        return []
    forms = [note_of(child).form for child in container.children]
    path = (*container.path, name)
    if isinstance(value, Mapping):
        is_first = note_of(container).form == "root" and not any(form in ("inline", "dotted") for form in forms)
        is_usual = is_first or any(form in ("table", "implicit") for form in forms)
        return _section(path, value, style, is_array=False) if is_usual else []
    if isinstance(value, list) and value and "tables" in forms and all(isinstance(one, Mapping) for one in value):
        parts = [_section(path, one, style, is_array=True) for one in value if isinstance(one, Mapping)]
        return [line for part in parts for line in ("", *part)][1:]
    return []


def _section(path: KeyPath, value: Mapping[str, Plain], style: Style, *, is_array: bool) -> list[str]:
    """A header, its pairs, and the sections of the tables that come behind the last pair."""
    names = list(value)
    pairs = next((at for at in range(len(names), 0, -1) if not _is_table(value[names[at - 1]])), 0)
    title = f"[[{render_table(path)}]]" if is_array else f"[{render_table(path)}]"
    lines = [] if names and not pairs and not is_array else [title]
    lines += [render_pair(name, value[name], style) for name in names[:pairs]]
    for name in names[pairs:]:
        inner = value[name]
        assert isinstance(inner, Mapping)
        lines += [""] * bool(lines) + _section((*path, name), inner, style, is_array=False)
    return lines


def _is_table(value: Plain) -> bool:
    return isinstance(value, Mapping)
