"""Whether an edit leaves everything around it what it was: the text is read again, and every part outside compared.

A line of new text can end a list, open a fence or underline a paragraph; what it does not say it changes, it must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steadyhand.errors import Kind
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.parsers.markdown.content import Content
from steadyhand.structure.parsers.markdown.marks import Document
from steadyhand.structure.parsers.markdown.reading import known_markdown, read_markdown
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice


class _Part(NamedTuple):
    kind: str
    start: int
    end: int
    detail: str


def checked(
    source: Source,
    proposal: Proposal,
    content: Content | None = None,
    *,
    own: Span | None = None,
    after: Document | None = None,
) -> Proposal | Refusal:
    """The proposal, if all it does not touch is read as before, and the headings of its content as the content says.

    `own` is what the edit may change besides the characters it writes: a table that gets a row is another table.
    `after` is the structure after the proposal, where the caller has read it already.
    """
    changes = _fitted(source, proposal)
    before, now = known_markdown(source), after or read_after(source, proposal)
    if isinstance(now, Refusal):
        return now
    spans, touched = changes.after_spans(), [splice.span for splice in changes.splices]
    mine = [] if own is None else [own]
    grown = [Span(changes.map_position(one.start, assoc=-1), changes.map_position(one.end, assoc=1)) for one in mine]
    kept = [_moved(part, changes) for part in _outside(before, [*touched, *mine])]
    there = list(_outside(now, [*spans, *grown]))
    if sorted(kept) != sorted(there):
        return _disturbed(now, kept, there)
    if content is not None and _headings_in(now, spans) != [
        (section.mark.level, section.mark.text) for section in content.document.sections
    ]:
        return Refusal(
            Kind.BAD_REQUEST,
            "at this place the content would not be read as it is written",
            "put a blank line at its start, or edit the lines by number",
        )
    return proposal


def read_after(source: Source, proposal: Proposal) -> Document | Refusal:
    """The structure of a text after a proposal, its lines ended as they will be."""
    return read_markdown(Source.of_text(_fitted(source, proposal).apply(source.text), path=source.path))


def _fitted(source: Source, proposal: Proposal) -> ChangeSet:
    """The change that is made of a proposal: LF in new text becomes what the lines around end with."""
    splices: list[Splice] = []
    for splice in proposal.splices:
        ending = source.newline_at(splice.start)
        new = splice.new if ending == "\n" or "\r" in splice.new else splice.new.replace("\n", ending)
        splices.append(Splice(splice.start, splice.old, new))
    return ChangeSet(tuple(splice for splice in splices if not splice.changes_nothing))


def _parts(document: Document) -> Iterator[_Part]:
    """Every leaf with its place and what it stands in; of quotes and list items only where they start."""
    table, rows = document.table, document.rows
    if document.front is not None:
        yield _Part("front matter", 0, table.start(document.front.end - 1), document.front.mark)
    for mark in document.marks:
        end = table.start(mark.end - 1) + len(rows[mark.end - 1])
        detail = mark.text if mark.kind in ("heading", "fence") else ""
        around = "/".join(one.kind for one in document.chain(mark.container)) if mark.container else ""
        yield _Part(mark.kind, document.start_of(mark.first, mark.container), end, f"{around} {mark.level} {detail}")
    for one in document.containers[1:]:
        yield _Part(one.kind, table.start(one.first), table.start(one.first), "")


def _outside(document: Document, spans: Sequence[Span]) -> Iterator[_Part]:
    for part in _parts(document):
        if part.start == part.end:  # a quote that starts where something is inserted may start with it
            is_outside = all(part.start < span.start or part.start > span.end for span in spans)
        else:
            is_outside = all(part.end <= span.start or part.start >= span.end for span in spans)
        if is_outside:
            yield part


def _moved(part: _Part, changes: ChangeSet) -> _Part:
    start = changes.map_position(part.start, assoc=1)
    end = start if part.start == part.end else changes.map_position(part.end, assoc=-1)
    return part._replace(start=start, end=end)


def _headings_in(document: Document, spans: Sequence[Span]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for section in document.sections:
        start = document.start_of(section.mark.first, section.mark.container)
        if any(span.start <= start < span.end for span in spans):
            found.append((section.mark.level, section.mark.text))
    return found


def _disturbed(after: Document, kept: list[_Part], now: list[_Part]) -> Refusal:
    there, wanted = set(now), set(kept)
    lost = next((part for part in kept if part not in there), None)
    part = lost or next((part for part in now if part not in wanted), None) or kept[0]
    line = after.table.row_at(part.start) + 1
    words = after.rows[line - 1][:60] if line <= after.count else ""
    return Refusal(
        Kind.BAD_REQUEST,
        f"what stands outside of the edit would be read differently: line {line} after it, {words!r}",
        "close what the content opens, and keep a blank line between it and what follows",
        {"line": line},
    )
