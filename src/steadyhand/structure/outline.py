"""What can be addressed in a file, and where an address leads.

Nothing is changed here. An outline that is too long is cut, says so, and leaves out the deepest entries first.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.schema import bad_request
from steadyhand.structure.format import Fault, Format, OutlineEntry, format_named, format_of, formats
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import Addressed, Target, parse_address
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source
from steadyhand.text.span import Span

LIMIT = 200


@dataclass(frozen=True, slots=True)
class Location:
    """Where an address leads: what is there, its span in code points and in bytes, its first and last line."""

    address: str
    kind: str
    label: str
    span: Span
    byte_span: Span
    lines: tuple[int, int]

    def to_json(self) -> dict[str, object]:
        return {
            "address": self.address,
            "kind": self.kind,
            "label": self.label,
            "lines": list(self.lines),
            "span": list(self.span),
            "bytes": list(self.byte_span),
        }


@dataclass(frozen=True, slots=True)
class Outline:
    """What can be addressed in a file, in the order of the file.

    `total` counts everything, also what is left out.
    `gap` is where the text does not parse, so that something around it may be missing.
    """

    format: str
    entries: tuple[OutlineEntry, ...]
    total: int
    source: Source
    gap: Fault | None = None

    @property
    def left_out(self) -> int:
        return self.total - len(self.entries)

    def lines_of(self, entry: OutlineEntry) -> tuple[int, int]:
        """The first and the last line of an entry, from 1."""
        first, last = self.source.table.rows_of(entry.span)  # there are many entries
        return first + 1, last + 1

    def to_json(self) -> dict[str, object]:
        entries = [
            {
                "address": entry.address,
                "kind": entry.kind,
                "label": entry.label,
                "depth": entry.depth,
                "lines": list(self.lines_of(entry)),
            }
            for entry in self.entries
        ]
        said: dict[str, object] = {"format": self.format, "total": self.total, "left_out": self.left_out}
        if self.gap is not None:
            said["gap"] = {"line": self.gap.line, "message": self.gap.message}
        return said | {"entries": entries}


def outline(
    text: str | bytes | Source,
    *,
    path: str | None = None,
    format: str | None = None,
    within: Target | str | None = None,
    depth: int | None = None,
    limit: int | None = LIMIT,
) -> Outline:
    """What can be addressed in a text. `path` or `format` says how it is written; `within` looks at one place only.

    Entries deeper than `depth` are left out; with more than `limit`, the deepest, and of the rest those at the end.
    Refuses with `bad-request` where no format is known, `unparsable`, `no-such-target` for `within`.
    """
    source = source_of(text, path)
    known = _format(source.path, format)
    found = known.outline(source)
    if isinstance(found, Refusal):
        raise found.to_error()
    entries = list(found) if within is None else _inside(source, found, within)
    deepest = max((entry.depth for entry in entries), default=0) if depth is None else max(depth, 0)
    kept = [entry for entry in entries if entry.depth <= deepest]
    while limit is not None and len(kept) > limit and deepest > 0:
        deepest -= 1
        kept = [entry for entry in kept if entry.depth <= deepest]
    kept = kept if limit is None else kept[: max(limit, 0)]
    gap = None if known.gap is None else known.gap(source)
    return Outline(known.name, tuple(kept), len(entries), source, gap)


def locate(
    text: str | bytes | Source, target: Target | str, *, path: str | None = None, which: Occurrence = "unique"
) -> tuple[Location, ...]:
    """Where an address leads: one place, or with `which="all"` every one. Refuses as an edit there would.

    >>> locate("one\\ntwo\\n", "lines:2-2")[0].byte_span
    Span(start=4, end=8)
    """
    source = source_of(text, path)
    place = parse_address(target) if isinstance(target, str) else target
    if isinstance(place, Addressed):
        nodes = place.resolve(source, which)
        if isinstance(nodes, Refusal):
            raise nodes.to_error()
        return tuple(_location(source, node.address, node.kind, node.label, node.span) for node in nodes)
    match = place.locate(source)
    if isinstance(match, Refusal):
        raise match.to_error()
    address = target if isinstance(target, str) else f"{place.key}:{place.to_value()}"
    return (_location(source, address, place.key, address, match.span),)


def source_of(text: str | bytes | Source, path: str | None) -> Source:
    """A source of whatever was handed in."""
    if isinstance(text, Source):
        return text if path is None else replace(text, path=path)
    if isinstance(text, str):
        return Source.of_text(text, path=path)
    if isinstance(text, bytes | bytearray | memoryview):
        return Source.of_bytes(bytes(text), path=path)
    raise bad_request("text", "str, bytes or a source is expected")


def _location(source: Source, address: str, kind: str, label: str, span: Span) -> Location:
    lead = len(source.encoding.encode(source.text[: span.start]))
    length = len(source.encoding.encode(source.text[: span.end])) - lead
    return Location(address, kind, label, span, Span(lead, lead + length), source.lines_of(span))


def _format(path: str | None, name: str | None) -> Format:
    found = format_of(path) if name is None else format_named(name)
    if found is not None:
        return found
    asked = repr(name) if name is not None else f"the name {path!r}"
    raise EditError(
        Kind.BAD_REQUEST,
        f"no format is known for {asked}" if path or name else "the format is not known: neither path nor format given",
        hint=f"formats: {', '.join(item.name for item in formats())}",
    )


def _inside(source: Source, entries: Sequence[OutlineEntry], within: Target | str) -> list[OutlineEntry]:
    (place,) = locate(source, within)
    inside = [entry for entry in entries if place.span.start <= entry.span.start and entry.span.end <= place.span.end]
    least = min((entry.depth for entry in inside), default=0)
    return [replace(entry, depth=entry.depth - least) for entry in inside]
