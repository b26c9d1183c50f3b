"""YAML: mappings, sequences and scalars, several documents in one file.

Proposes only; the work is done in `parsers/yaml`. Aliases are never expanded and merges never followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Plain, Reading
from steadyhand.structure.config.syntax import Syntax
from steadyhand.structure.config.yaml.note import Parsed
from steadyhand.structure.config.yaml.reading import parse
from steadyhand.structure.config.yaml.writing import DEEPEST, Unwritable, depth_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


class YamlSyntax(Syntax):
    """Keys and values of YAML."""

    name: ClassVar[str] = "yaml"

    def read(self, source: Source) -> Reading | Refusal:
        parsed = source.derive(parse)
        return parsed if isinstance(parsed, Refusal) else parsed.reading

    def reread(self, source: Source, item: Item, end: int) -> Item | Refusal | None:
        from steadyhand.structure.config.yaml.rereading import reread

        return reread(source, item, end)

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.changing import change

        return _run(source, value, lambda parsed: change(source, parsed, item, value))

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.raw import put_raw

        return _run(source, None, lambda parsed: put_raw(source, parsed, item, written))

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.adding import add

        return _run(source, value, lambda parsed: add(source, parsed, container, name, value, index))

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.adding import append

        return _run(source, value, lambda parsed: append(source, parsed, container, value, index))

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.adding import rename

        return _run(source, None, lambda parsed: rename(source, parsed, item, name))

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.adding import delete

        return _run(source, None, lambda parsed: delete(source, parsed, item))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.moving import move

        return _run(source, None, lambda parsed: move(source, parsed, item, container, name, index))

    def carried(self, source: Source, item: Item) -> str | Refusal:
        """An entry or item as another file takes it: with its comments, an item with its dash."""
        from steadyhand.structure.config.yaml.moving import carried

        parsed = source.derive(parse)
        return parsed if isinstance(parsed, Refusal) else carried(source, parsed, item)

    def elsewhere(self, source: Source, path: KeyPath, document: int | None) -> Refusal | None:
        """The refusal of a path that only a merge or an alias leads to, naming the place it is written at."""
        from steadyhand.structure.config.yaml.elsewhere import elsewhere

        parsed = source.derive(parse)
        return None if isinstance(parsed, Refusal) else elsewhere(source, parsed, path, document)

    def entries(
        self,
        source: Source,  # noqa: ARG002
        written: str,
        kind: ItemKind,
    ) -> tuple[Source, tuple[Item, ...]] | Refusal:
        from steadyhand.structure.config.yaml.raw import entries

        return entries(written, kind)

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        from steadyhand.structure.config.yaml.raw import insert_raw

        return _run(source, None, lambda parsed: insert_raw(source, parsed, container, written, index))


def _run(source: Source, value: Plain, propose: Callable[[Parsed], Proposal | Refusal]) -> Proposal | Refusal:
    """What an operation proposes for a source that can be read and a value that can be written."""
    if depth_of(value) > DEEPEST:
        return Refusal(Kind.TOO_LARGE, "the value is nested too deep", "add its parts one by one")
    parsed = source.derive(parse)
    if isinstance(parsed, Refusal):
        return parsed
    try:
        return propose(parsed)
    except Unwritable as error:
        return Refusal(Kind.BAD_REQUEST, f"YAML cannot say this: {error}", "choose another value")


SYNTAX = YamlSyntax()
