"""Keys of TOML: tables under headers, dotted keys, inline tables, arrays and arrays of tables.

What has no value of its own but headers or dotted keys is only changed through its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from steadyhand.lazy import replace
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Plain, Reading
from steadyhand.structure.config.steps import Step, in_steps
from steadyhand.structure.config.syntax import Syntax, refuse
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.structure.config.toml.brackets import Writes
    from steadyhand.structure.config.toml.places import Page


class Toml(Syntax):
    """TOML 1.0."""

    name: ClassVar[str] = "toml"
    ordered: ClassVar[bool] = False

    def read(self, source: Source) -> Reading | Refusal:
        from steadyhand.structure.config.toml.tree import read_document

        document = source.derive(read_document)
        return document if isinstance(document, Refusal) else document.reading

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        from steadyhand.structure.config.toml.tree import note_of
        from steadyhand.structure.config.toml.write import render_like, render_value, unsayable

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
        after = source.apply(ChangeSet.of(proposal.splices))
        again = after.derive(self.read)
        if isinstance(again, Refusal):
            return again
        found = again.find(item.path)
        place = Span(item.value.start, item.value.start + len(new))
        if len(found) == 1 and found[0].value == place:
            return replace(proposal, after=after)
        return refuse("the text is not one value of TOML", 'write one value, such as "text", 3 or [1, 2]')

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.toml.adding import add_entry
        from steadyhand.structure.config.toml.write import unsayable

        return unsayable(value) or _made(source, lambda page: add_entry(page, container, name, value, index))

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.toml.adding import append_items
        from steadyhand.structure.config.toml.write import unsayable

        return unsayable(value) or _made(source, lambda page: append_items(page, container, [value], index))

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        from steadyhand.structure.config.toml.tree import note_of
        from steadyhand.structure.config.toml.write import render_key

        writes = [(span, render_key(name, span.of(source.text))) for span in note_of(item).names]
        return Proposal.of(source, *writes)

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        from steadyhand.structure.config.toml.removing import remove

        return _made(source, lambda page: remove(page, item))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.toml.carrying import pick_up, put_down, unfit

        page = _page(source)
        if isinstance(page, Refusal):
            return page
        load = unfit(item, container) or pick_up(page, item, (*container.path, *([name] if name is not None else [])))
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
        from steadyhand.structure.config.toml.brackets import put_in
        from steadyhand.structure.config.toml.carrying import put_written
        from steadyhand.structure.config.toml.tree import note_of, read_document

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
        from steadyhand.structure.config.plain import says

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
                "take it away with delete-key and add it anew with add-key",
            )
        there = {str(child.path[-1]): child for child in item.children}
        steps: list[Step] = [self._deleting(child.path) for name, child in there.items() if name not in value]
        kept = {name: inner for name, inner in value.items() if name in there}
        steps += self._sets(item, kept)
        steps += [self._adding(item.path, name, value[name]) for name in value if name not in there]
        return in_steps(source, self.read, steps)

    def _sets(self, item: Item, value: Mapping[str, Plain]) -> list[Step]:
        """A step for each entry that says something else."""
        from steadyhand.structure.config.plain import says

        there = {child.path[-1]: child for child in item.children}
        changed = [name for name in value if not says(there[name], value[name])]
        return [self._setting(there[name].path, value[name]) for name in changed]

    def _setting(self, path: KeyPath, value: Plain) -> Step:
        return lambda source: self.set_value(source, _item(source, path), value)

    def _adding(self, path: KeyPath, name: str, value: Plain) -> Step:
        def step(source: Source) -> Proposal | Refusal:
            container = _item(source, path)
            return self.add(source, container, name, value, len(container.children))

        return step

    def _deleting(self, path: KeyPath) -> Step:
        return lambda source: self.delete(source, _item(source, path))

    def _appending(self, path: KeyPath, values: list[Plain], index: int) -> Step:
        from steadyhand.structure.config.toml.adding import append_items

        return lambda source: _made(source, lambda page: append_items(page, page.document.item(path), values, index))

    def _cutting(self, path: KeyPath, start: int, end: int) -> Step:
        from steadyhand.structure.config.toml.brackets import take_out
        from steadyhand.structure.config.toml.tree import note_of

        def cut(page: Page) -> Writes:
            value = note_of(page.document.item(path)).value
            return [] if value is None else [(span, "") for span in take_out(page.text, value, start, end)]

        return lambda source: _made(source, cut)


def _page(source: Source) -> Page | Refusal:
    from steadyhand.structure.config.toml.places import Page
    from steadyhand.structure.config.toml.tree import read_document

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
    from steadyhand.structure.config.toml.tree import Document, read_document

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
