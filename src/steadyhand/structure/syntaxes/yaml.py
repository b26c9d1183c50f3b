"""YAML: mappings, sequences and scalars, several documents in one file.

Proposes only; the work is done in `parsers/yaml`. Aliases are never expanded and merges never followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.structure.keys.item import Item, ItemKind, Plain, Reading
from steadyhand.structure.keys.syntax import Syntax
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.parsers.yaml.note import Parsed
from steadyhand.structure.parsers.yaml.reading import parse
from steadyhand.structure.parsers.yaml.writing import DEEPEST, Unwritable, depth_of
from steadyhand.text.source import Source


class YamlSyntax(Syntax):
    """Keys and values of YAML."""

    name: ClassVar[str] = "yaml"

    def read(self, source: Source) -> Reading | Refusal:
        parsed = source.derive(parse)
        return parsed if isinstance(parsed, Refusal) else parsed.reading

    def set_value(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.setting import set_value

        return _run(source, value, lambda parsed: set_value(source, parsed, item, value))

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.raw import put_raw

        return _run(source, None, lambda parsed: put_raw(source, parsed, item, written))

    def add(self, source: Source, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.adding import add

        return _run(source, value, lambda parsed: add(source, parsed, container, name, value, index))

    def append(self, source: Source, container: Item, value: Plain, index: int) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.adding import append

        return _run(source, value, lambda parsed: append(source, parsed, container, value, index))

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.adding import rename

        return _run(source, None, lambda parsed: rename(source, parsed, item, name))

    def delete(self, source: Source, item: Item) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.adding import delete

        return _run(source, None, lambda parsed: delete(source, parsed, item))

    def move(self, source: Source, item: Item, container: Item, name: str | None, index: int) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.moving import move

        return _run(source, None, lambda parsed: move(source, parsed, item, container, name, index))

    def entries(self, written: str, kind: ItemKind) -> tuple[Source, tuple[Item, ...]] | Refusal:
        from steadyhand.structure.parsers.yaml.raw import entries

        return entries(written, kind)

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        from steadyhand.structure.parsers.yaml.raw import insert_raw

        return _run(source, None, lambda parsed: insert_raw(source, parsed, container, written, index))


def _run(source: Source, value: Plain, propose: Callable[[Parsed], Proposal | Refusal]) -> Proposal | Refusal:
    """What an operation proposes for a source that can be read and a value that can be written."""
    if depth_of(value) > DEEPEST:
        return Refusal(Kind.TOO_LARGE, "the value is nested too deep", "add its parts one by one", {})
    parsed = source.derive(parse)
    if isinstance(parsed, Refusal):
        return parsed
    try:
        return propose(parsed)
    except Unwritable as error:
        return Refusal(Kind.BAD_REQUEST, f"YAML cannot say this: {error}", "choose another value", {})


SYNTAX = YamlSyntax()
