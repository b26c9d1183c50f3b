"""How whole lines come and go between the rows of a Markdown text, with the blank lines of its style.

The style is how a file separates its parts: blank lines around headings and between paragraphs, as most places have
them. Only proposes. Where a place needs one blank line more than the style says, so that what is inserted is not read
as part of its neighbours, it gets it; where no blank line helps, the edit is refused.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, replace
from steadyhand.structure.markdown.check import Name, after_all, checked, hidden_at
from steadyhand.structure.markdown.document import Document, Item, Mark
from steadyhand.structure.markdown.reader import Content, known_markdown, prefixed, read_content
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.text.source import Source, once
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice

_MOST = 3


@dataclass(frozen=True, slots=True)
class Spacing:
    """Blank lines above a heading, and beneath it."""

    above: int
    beneath: int


@once
def spacing_of(source: Source) -> Spacing:
    """The blank lines around the headings of a text; one where it has none."""
    document = known_markdown(source)
    above: Counter[int] = Counter()
    beneath: Counter[int] = Counter()
    top = document.front.end if document.front else 0
    for section in document.sections:
        if section.mark.container:
            continue
        before = blanks_above(document, section.mark.first)
        if section.mark.first - before > top:
            above[before] += 1
        after = blanks_below(document, section.mark.end)
        if section.mark.end + after < section.own_end:
            beneath[after] += 1
    return Spacing(_usual(above), _usual(beneath))


def _usual(seen: Counter[int]) -> int:
    return min(max(seen, key=lambda blanks: (seen[blanks], -abs(blanks - 1))), _MOST) if seen else 1


def blanks_above(document: Document, row: int, container: int = 0) -> int:
    """How many blank rows are directly above a row."""
    count = 0
    while row - count > 0 and document.is_blank(row - count - 1, container):
        count += 1
    return count


def blanks_below(document: Document, row: int, container: int = 0) -> int:
    """How many blank rows there are from a row on."""
    count = 0
    while row + count < document.count and document.is_blank(row + count, container):
        count += 1
    return count


# Blank lines more than the style has, above and below, until what is written is read as it should be.
MORE = ((0, 0), (1, 0), (0, 1), (1, 1))


def insert_content(
    source: Source, document: Document, row: int, content: Content, container: int = 0
) -> Proposal | Refusal:
    """Content between the rows above `row` and from `row` on, in a container."""
    before = mark_at(document, row - blanks_above(document, row, container) - 1)
    if before is not None and not before.is_closed and before.container == container:
        return _swallowed(document, before)
    hidden = hidden_at(source, row)
    if hidden is not None:
        return hidden
    above, below = _gaps(source, document, row, content, container)
    is_row = above == 0 and before is not None and before.kind == "table" and not content.starts_with_heading
    own = document.span_of(before.first, before.end, container) if is_row and before is not None else None
    insertions = (
        _insertion(source, document, row, content, container, above + more_above, below + more_below)
        for more_above, more_below in MORE
    )
    return first_sound(checked(source, Proposal.of(source, write), content, own=own) for write in insertions)


def first_sound(attempts: Iterable[Proposal | Refusal]) -> Proposal | Refusal:
    """The first attempt that is a proposal; where none is, the first refusal. There is at least one."""
    refusal: Refusal | None = None
    for made in attempts:
        if isinstance(made, Proposal):
            return made
        refusal = refusal or made
    assert refusal is not None
    return refusal


def _swallowed(document: Document, fence: Mark) -> Refusal:
    number = document.codes.index(fence)
    return refuse(
        f"the code block opened in line {fence.first + 1} is never closed: text after it would be code",
        SendAddress(
            f"code_block.fenced:{number}", "close it first: replace", more=f" by the same lines and {fence.markup}"
        ),
        {"line": fence.first + 1},
    )


def replace_rows(
    source: Source, document: Document, first: int, end: int, content: Content, container: int
) -> Proposal | Refusal:
    """Content in the place of rows, which are not blank at either end; their neighbours' blank lines stay."""
    span = document.span_of(first, end, container)
    prefix = prefix_near(document, first, end, container)
    if document.is_led(first, container):
        text = prefixed(content.lines, prefix)[len(prefix) :].removesuffix("\n")
        return checked(source, Proposal.of(source, (span, text)), content)
    texts = (prefixed([*[""] * above, *content.lines, *[""] * below], prefix) for above, below in MORE)
    if span.of(source.text)[-1:] not in ("\n", "\r"):
        texts = (text.removesuffix("\n") for text in texts)
    return first_sound(checked(source, Proposal.of(source, (span, text)), content) for text in texts)


def delete_rows(source: Source, document: Document, first: int, end: int, container: int = 0) -> Proposal | Refusal:
    """Rows taken away, with the blank lines on one side of them: the larger gap stays between their neighbours."""
    if document.is_led(first, container):
        return checked(source, Proposal.of(source, (document.span_of(first, end, container), "")))
    one = document.containers[container]
    while one.kind == "quote" and first <= one.first and end >= one.end:
        container, one = one.parent, document.containers[one.parent]  # nothing of the quote would be left
    floor = max(document.front.end if document.front else 0, one.first)
    behind = min(blanks_below(document, end, container), max(one.end - end, 0))
    before = min(blanks_above(document, first, container), first - floor)
    if end + behind >= document.count:
        return checked(source, Proposal.of(source, (_tail(source, document, first - before), "")))
    is_last = bool(container) and end + behind >= one.end
    if is_last or (behind > before and first - before > floor):
        span = Span(document.at(first - before), document.table.start(end))
    else:
        span = Span(document.at(first), document.table.start(end + behind))
    made = checked(source, Proposal.of(source, (span, "")))
    if isinstance(made, Refusal):
        gap = prefixed([""], document.prefix(container))
        parted = checked(source, Proposal.of(source, (span, gap)))
        return parted if isinstance(parted, Proposal) else made
    return made


def deleted_in_turn(
    source: Source, places: Sequence[tuple[int, int, int]], made: Sequence[Proposal]
) -> list[Proposal] | None:
    """Deletions as they are one after the other: each with the blank lines beside it that those before it left.

    None where one of them is anything else than rows at the margin with blank lines beside them.
    """
    document, gone = known_markdown(source), _Gone()
    if source.text[-1:] not in ("\n", "\r"):
        return None
    turns: list[Proposal] = []
    for (first, end, container), proposal in zip(places, made, strict=True):
        while end > first and document.is_blank(end - 1):
            end -= 1
        alone = _rows_deleted(document, _Gone(), first, end)
        if container or alone is None or _without(source, document, alone) != proposal.splices:
            return None
        rows = _rows_deleted(document, gone, first, end)
        if rows is None:
            return None
        gone.take(rows)
        turns.append(replace(proposal, splices=_without(source, document, rows)))
    return turns


class _Gone:
    """The rows that are gone already, and the nearest one that is left above or below another, found in little time."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}
        self._last: dict[int, int] = {}

    def take(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._next[row], self._last[row] = row + 1, row - 1

    def below(self, row: int) -> int:
        """The first row from this one on that is left."""
        return _followed(self._next, row)

    def above(self, row: int) -> int:
        """The last row down to this one that is left; -1 for none."""
        return _followed(self._last, row)


def _followed(links: dict[int, int], row: int) -> int:
    passed: list[int] = []
    while row in links:
        passed.append(row)
        row = links[row]
    for each in passed:
        links[each] = row
    return row


def _rows_deleted(document: Document, gone: _Gone, first: int, end: int) -> list[int] | None:
    """What `delete_rows` takes away where some rows are gone already; None where one of its own is."""
    own = list(range(first, end))
    if any(gone.below(row) != row for row in own):
        return None
    behind: list[int] = []
    before: list[int] = []
    following, last = gone.below(end), gone.above(first - 1)
    while following < document.count and document.is_blank(following):
        behind.append(following)
        following = gone.below(following + 1)
    floor = document.front.end if document.front else 0
    while last >= floor and document.is_blank(last):
        before.append(last)
        last = gone.above(last - 1)
    if following >= document.count:
        return sorted([*before, *own, *behind])
    return sorted([*before, *own] if len(behind) > len(before) and last >= floor else [*own, *behind])


def _without(source: Source, document: Document, rows: Sequence[int]) -> tuple[Splice, ...]:
    """The splices that take rows away, which are sorted."""
    starts = [row for row, before in zip(rows, (-2, *rows), strict=False) if row != before + 1]
    ends = [row + 1 for row, behind in zip(rows, (*rows[1:], -2), strict=True) if row + 1 != behind]
    spans = [Span(document.at(start), document.table.start(end)) for start, end in zip(starts, ends, strict=True)]
    return tuple(Splice(span.start, span.of(source.text), "") for span in spans)


def _tail(source: Source, document: Document, row: int) -> Span:
    """The rows from `row` to the end of the text; without the row above's ending where the text ends without one."""
    start, end = document.at(row), len(source.text)
    if row and source.text[-1:] not in ("\n", "\r"):
        start = document.table.start(row - 1) + len(document.rows[row - 1])
    return Span(start, end)


def prefix_near(document: Document, first: int, end: int, container: int) -> str:
    """The prefix of a container's lines as rows near a place have it."""
    if not container:
        return ""
    one = document.containers[container]
    for row in (*range(first, end), *range(max(one.first, first - 20), min(one.end, end + 20))):
        if row < document.count and document.shows_prefix(row, container):
            return document.prefix(container, row)
    return document.prefix(container)


def _insertion(
    source: Source, document: Document, row: int, content: Content, container: int, above: int, below: int
) -> tuple[Span, str]:
    prefix = prefix_near(document, row, row, container)
    top = document.front.end if document.front else 0
    has_above, has_below = blanks_above(document, row, container), blanks_below(document, row, container)
    more_above = max(above - has_above, 0) if row - has_above > top else 0
    more_below = max(below - has_below, 0) if row + has_below < document.count else 0
    text = prefixed([*[""] * more_above, *content.lines, *[""] * more_below], prefix)
    return put_lines(source, document.at(row), text)


def put_lines(source: Source, at: int, text: str) -> tuple[Span, str]:
    """Lines in front of those at a place; behind a text that ends without a line ending they end so, too."""
    if at == len(source.text) and source.text and source.text[-1] not in "\r\n":
        text = "\n" + text.removesuffix("\n")
    return Span(at, at), text


def _gaps(source: Source, document: Document, row: int, content: Content, container: int) -> tuple[int, int]:
    spacing = spacing_of(source)
    last = row - blanks_above(document, row, container) - 1
    following = row + blanks_below(document, row, container)
    before, behind = mark_at(document, last), mark_at(document, following)
    if content.starts_with_heading:
        above = spacing.above
    elif before is not None and before.kind == "heading":
        above = spacing.beneath
    else:
        above = 0 if _continues(document, before, last, content, container) else 1
    if behind is not None and behind.kind == "heading" and behind.first == following:
        below = max(spacing.above, 1) if behind.is_setext else spacing.above
    elif container and following >= document.containers[container].end:
        below = 0
    else:
        below = spacing.beneath if content.ends_with_heading else 1
    return above, below


def mark_at(document: Document, row: int) -> Mark | None:
    """The leaf that a row belongs to."""
    if not 0 <= row < document.count:
        return None
    place = bisect_right(document.marks, row, key=lambda mark: mark.first) - 1
    found = document.marks[place] if place >= 0 else None
    return found if found is not None and row < found.end else None


def _continues(document: Document, before: Mark | None, last: int, content: Content, container: int) -> bool:
    """Whether content goes on with the tight list, or with the table, that ends in row `last`."""
    if before is not None and before.kind == "table" and before.container == container:
        first = content.first
        return first is not None and first.kind == "paragraph" and first.text.startswith("|")
    new = content.document.items[0] if content.document.items else None
    if new is None or new.first != 0 or new.container != 0:
        return False
    ending = [item for item in document.items if item.container == container and item.end == last + 1]
    return bool(ending) and not ending[-1].is_loose and is_like(ending[-1], new)


def is_like(item: Item, other: Item) -> bool:
    """Whether two items could be in one list: the same bullet, or the same delimiter behind their numbers."""
    return item.marker[-1:] == other.marker[-1:] and (len(item.marker) > 1) == (len(other.marker) > 1)


class Part(Node):
    """A part of a text, rows `first` to `end` of a container: what the verbs mean for all of them.

    Several edits of one call are proposed on one text and checked once at the end, if none writes what another looks at
    and none brings, takes away or renames what another is addressed by.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def place(self) -> tuple[int, int, int]:
        """Its first row, the end of its rows, and their container."""

    @property
    @abstractmethod
    def names(self) -> Collection[Name]:
        """What its address depends on; a name without words stands for all of its kind."""

    def delete(self, source: Source) -> Proposal | Refusal:
        return delete_rows(source, known_markdown(source), *self.place)

    def replace_all(self, source: Source, new: str) -> Proposal | Refusal:
        """Put other lines in the place of all its rows."""
        document, (first, end, container) = known_markdown(source), self.place
        content = read_content(new, prefix_near(document, first, end, container))
        if isinstance(content, Refusal):
            return content
        if not content.lines:
            return self.delete(source)
        end = document.last_row(first + 1, end, container)  # of a fence that is never closed
        return replace_rows(source, document, first, end, content, container)

    def insert_beside(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        """Put lines before or after its rows."""
        document, (first, end, container) = known_markdown(source), self.place
        content = read_content(text, prefix_near(document, first, end, container))
        if isinstance(content, Refusal):
            return content
        if where == "before" and document.is_led(first, container):
            return refuse(
                f"the {self.kind} follows the marker of a list item; nothing can be inserted between them",
                "insert after it, or edit the lines by number",
            )
        row = first if where == "before" else end
        return insert_content(source, document, row, content, container) if content.lines else Proposal(())

    def carried(self, source: Source) -> str | Refusal:
        return known_markdown(source).plain(*self.place)

    def prove_batch(self, source: Source, proposal: Proposal) -> Proposal | Refusal:
        return checked(source, proposal)

    def looks_at(self, document: Document, first: int, end: int, *, is_gone: bool) -> tuple[int, int]:  # noqa: ARG002
        """The rows that decide how this writes rows `first` to `end`, or takes them away.

        Usually up to the nearest row on each side that says something.
        """
        container = self.place[2]
        while first > 0 and document.is_blank(first - 1, container):
            first -= 1
        while end < document.count and document.is_blank(end, container):
            end += 1
        return max(first - 1, 0), min(end + 1, document.count)

    def propose_batch(
        self, source: Source, asked: Sequence[tuple[Node, Callable[[Node], Proposal | Refusal]]]
    ) -> Sequence[Proposal] | None:
        nodes: list[Part] = []
        made: list[Proposal] = []
        for node, propose in asked:
            proposal = propose(node) if isinstance(node, Part) else None
            if not isinstance(node, Part) or not isinstance(proposal, Proposal):
                return None
            nodes.append(node)
            made.append(proposal)
        in_turn = deleted_in_turn(source, [node.place for node in nodes], made)
        after = after_all(source, nodes, in_turn or made, in_turn=in_turn is not None)
        return None if after is None else [*(in_turn or made)[:-1], replace((in_turn or made)[-1], after=after)]
