"""The answer to a refused edit: path, 1-based lines and columns, and one concrete next call.

This module only words refusals; whether something is refused is decided elsewhere.
At most about fifteen lines each, however long the file and the old text are.

Of several places a refusal says the least to quote so that only one is meant: whole lines before or after, or words
where that is enough and the old text is part of a line. Nothing is guessed: what is handed out occurs once in the text,
overlapping occurrences counted. Work is bounded: places are distinguished by comparing what is around them, and the
text itself is read a few times only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import (
    ChooseOccurrence,
    ExpectCount,
    GiveReason,
    Hint,
    LeaveOut,
    NameEncoding,
    OneByOne,
    QuoteMore,
    Reread,
    Say,
    SendCorrected,
    Side,
    lines_named,
)
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.resolve import Miscount, Several
from steadyhand.structure.node import Refusal
from steadyhand.text.diff import shared_prefix
from steadyhand.text.lines import line_ending, split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import clip, show_difference

if TYPE_CHECKING:
    from steadyhand.plan.edit import Edit
    from steadyhand.plan.merge_window import Drifted
    from steadyhand.plan.policy import Policy

_LONGEST = 4_000  # code points of one side of a drift, and of old text with its context


def refused(name: str, refusal: Refusal) -> EditError:
    """The refusal of a target or an action, with the file's name before its message."""
    return EditError(refusal.kind, f"{name}: {refusal.message}", hint=refusal.advice, details=refusal.details)


def ambiguous(
    name: str,
    source: Source,
    found: Several,
    *,
    edit: Edit | None = None,
    policy: Policy | None = None,
    with_numbers: bool = True,
) -> EditError:
    """Several places, and nothing says which: list them, and say what would tell them apart.

    With the `edit` and its policy an edit that means one place alone is offered for each, which costs some searches.
    `with_numbers`: the edit may say which occurrence it means; a patch has no word for that.
    """
    total = str(found.total) if found.is_all else f"more than {found.total}"
    more = found.total if found.is_all else None
    contexts: Sequence[Context | None] = [None] * len(found.candidates)
    offers: Sequence[Mapping[str, object] | None] = ()
    if edit is not None and policy is not None:
        from steadyhand.plan.absent import single_out  # only a refusal needs it

        contexts = find_contexts(source, found.candidates)
        offers = single_out(edit, source, policy, found, contexts)
    if found.tier.is_single:
        what = f"is not in {name}; {total} places are about equally similar:"
    elif found.tier.differs:
        what = f"matches {total} places in {name}, ignoring {' and '.join(found.tier.differs)}:"
    else:
        what = f"matches {total} places in {name}:"
    details = {
        "tier": found.tier.name,
        "total": found.total,
        "total_is_exact": found.is_all,
        "candidates": _candidates(source, found, offers, with_numbers=with_numbers),
    }
    message = "\n".join([what, *list_places(source, found.candidates, more)])
    hints: list[Hint] = [tell_apart(source, found.candidates, contexts)]
    if with_numbers and not found.tier.is_single:
        hints.append(ChooseOccurrence(found.total if found.is_all else None))
    return EditError(Kind.AMBIGUOUS_MATCH, message, subject="old", hint=hints, details=details)


def _candidates(
    source: Source, found: Several, offers: Sequence[Mapping[str, object] | None], *, with_numbers: bool
) -> list[dict[str, object]]:
    """What programs get for each place: also how to ask for it, and an edit that means it alone.

    `unique_old` is the old text of that edit; with the new text that was sent, what it quotes besides would be lost.
    """
    facts = describe_places(source, found.candidates)
    for fact, number in zip(facts, occurrences_of(found.candidates), strict=True):
        if number is not None and with_numbers and not found.tier.is_single:
            fact["occurrence"] = number
    for fact, offer in zip(facts, offers, strict=False):
        if offer is not None and "new" in offer:
            fact |= {"unique_old": offer["target"], "corrected": dict(offer)}
    return facts


def miscount(name: str, source: Source, found: Miscount) -> EditError:
    """There are more or fewer places than the caller said, or not as many as the occurrence asked for."""
    places = f"{found.total} place{'' if found.total == 1 else 's'}"
    if found.is_expected:
        what = f"matches {places} in {name}, not {found.wanted}:"
        hint: Hint = ExpectCount(found.total)
    else:
        what = f"matches {places} in {name}, so there is no occurrence {found.wanted}:"
        hint = ChooseOccurrence(found.total)
    return EditError(
        Kind.COUNT_MISMATCH,
        "\n".join([what, *list_places(source, found.candidates, found.total)]),
        subject="old",
        hint=hint,
        details={
            "tier": found.tier.name,
            "total": found.total,
            "wanted": found.wanted,
            "candidates": describe_places(source, found.candidates),
        },
    )


def one_place(name: str, key: str) -> EditError:
    """A target that is no old text is one place, and a further one was asked for."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"a target by {key} is one place in {name}; the edit asks for several",
        hint=LeaveOut(("occurrence", "expected")),
        details={"total": 1},
    )


def other_count(name: str, named: str, count: int, expected: int) -> EditError:
    """An address names more or fewer places than the edit expects."""
    return EditError(
        Kind.COUNT_MISMATCH,
        f"{name}: {named} matches {count} place{'' if count == 1 else 's'}, not {expected} as expected",
        hint=ExpectCount(count),
        details={"count": count, "expected": expected},
    )


def clashing_addresses(name: str, first: EditError | None) -> EditError:
    """Edits by address of one call that are right singly and not together."""
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"{name}: the edits of this call conflict when all apply to the original file"
        + ("" if first is None else f" ({first.message})"),
        hint=OneByOne(),
        details={"batch": "snapshot"} | ({} if first is None else {"kind": str(first.kind), **first.details}),
    )


def too_many(name: str, limit: int) -> EditError:
    """More places than one edit may change."""
    return EditError(
        Kind.TOO_LARGE,
        f"matches more than {limit} places in {name}",
        subject="old",
        hint=QuoteMore(),
        details={"limit": limit},
    )


def overlapping(name: str, index: int, earlier: int, lines: tuple[int, int]) -> EditError:
    """An edit touches what an earlier edit of the call wrote; edits are shown counted from 1."""
    where = lines_named(*lines)
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"edit {index + 1} overlaps the result of edit {earlier + 1} of this call, {where} of {name}",
        hint=f"merge the two edits, or send edit {index + 1} in a second call",
        details={"earlier": earlier, "lines": list(lines)},
    )


def drift(
    name: str,
    source: Source,
    lines: tuple[int, int],
    expected: str,
    actual: str,
    corrected: Mapping[str, object] | None = None,
    *,
    is_clear: bool = True,
) -> EditError:
    """The place is found, and the very lines to be changed say something else than the edit quotes.

    `lines` are those of the file that are in the way, `expected` and `actual` what the edit and the file have there;
    `corrected` is an edit that would keep both changes. `is_clear` is as in `Drifted`.
    """
    where = lines_named(*lines)
    subject: Side = "old"
    what = f"differs from {where} of {name}"
    hints: list[Hint] = [Reread(name, lines)]
    there = actual or source.table.text(max(min(lines[0], source.table.count) - 1, 0))
    pairs = _pairs(lines[0], expected, there)
    if not is_clear:
        subject = "new"
        what = f"has new lines at {where} of {name} whose indentation is ambiguous"
        hints = [Say(f"copy {where} exactly, and send every new line with its full indentation")]
    elif not expected.strip() and not actual.strip():
        what = f"has other blank lines than {name} around {where}"
        hints = [Say(f"read {name} around {where} and copy its blank lines")]
    details: dict[str, object] = {
        "lines": list(lines),
        "expected": clip(expected, width=_LONGEST),
        "actual": clip(actual, width=_LONGEST),
    }
    if corrected is not None:
        details["corrected"] = dict(corrected)
        hints.insert(0, SendCorrected("to keep both changes"))
    elif expected.strip() and not actual.strip():
        hints = [Say(f"read {name} around {where}: the text to change is gone")]
    message = "\n".join([what, *pairs])
    return EditError(Kind.DRIFT_CONFLICT, message, subject=subject, hint=hints, details=details)


def drift_at(
    name: str, source: Source, drifted: Drifted, edit: Edit | None, span: Span, policy: Policy | None = None
) -> EditError:
    """The same for a place that was built on, with the edit that would keep both changes where there is one.

    It is offered for the `policy` it is sent under; None: nothing is offered.
    """
    from steadyhand.plan.absent import correct  # only a refusal needs it

    corrected = None if edit is None or policy is None else correct(edit, source, span, policy)
    lines, is_clear = source.lines_of(drifted.span), drifted.is_clear
    return drift(name, source, lines, drifted.expected, drifted.actual, corrected, is_clear=is_clear)


def unclear_words(name: str, source: Source, span: Span) -> EditError:
    """The words are there in another layout, and it is not clear which of equal ones the edit changes."""
    first, last = source.lines_of(span)
    where = lines_named(first, last)
    return EditError(
        Kind.LOW_CONFIDENCE,
        f"matches {where} of {name} in another layout; which of several equal words to change is ambiguous",
        subject="old",
        hint=Reread(name, (first, last)),
        details={"lines": [first, last]},
    )


def bad_elisions(name: str, what: str) -> EditError:
    """The new text does not keep what the old text leaves out."""
    return EditError(
        Kind.BAD_REQUEST,
        f"{what}; {name} stays as it is",
        hint="repeat the same placeholder lines in the new text, in the same order",
    )


def _pairs(line: int, expected: str, actual: str) -> list[str]:
    """The first two rows that differ, with the difference made visible; none where only blank lines may differ."""
    quoted, there = split_bodies(expected) or [""], split_bodies(actual) or [""]
    if quoted == there or not any(row.strip() for row in (*quoted, *there)):
        return []  # nothing against nothing shows no difference
    shared = min(len(quoted), len(there))
    at = next((row for row in range(shared) if quoted[row] != there[row]), shared)
    sent, has = show_difference(_row(quoted, at), _row(there, at))
    return two_lines(line + at, sent if at < len(quoted) else None, has if at < len(there) else None)


def _row(rows: Sequence[str], at: int) -> str:
    return rows[at] if at < len(rows) else ""


def two_lines(line: int, sent: str | None, there: str | None) -> list[str]:
    """What a line has and what the edit quotes for it, one below the other; None: no such line on that side."""
    has = "nothing" if there is None else there
    return [f"  line {line}: {has}", f"  you sent: {'nothing' if sent is None else sent}"]


def no_change(name: str, what: str, hint: str = "send a different new text") -> EditError:
    """The edit would leave everything as it is."""
    return EditError(Kind.NO_CHANGE, f"{name}: {what}", hint=hint)


def made_before(name: str, source: Source, span: Span) -> EditError:
    """The lines that an edit would add are beside the quoted ones."""
    lines = source.lines_of(span)
    return EditError(
        Kind.ALREADY_APPLIED,
        f"the lines to add are already next to {lines_named(*lines)} of {name}",
        hint="to add them twice, quote the lines on both sides",
        details={"lines": list(lines)},
    )


def empty_old(name: str, *, is_patch: bool = False) -> EditError:
    """Nothing is quoted, so nothing says where; the line numbers of a patch are hints and no place."""
    if is_patch:
        return EditError(
            Kind.BAD_REQUEST,
            f"a part of the patch only adds lines, without context from {name}",
            hint="include unchanged lines around the addition, as `git diff -U3` prints them",
        )
    return EditError(
        Kind.BAD_REQUEST,
        f"is empty, but {name} is not",
        subject="old",
        hint="quote the text to replace, or insert next to a quoted line",
    )


def not_text(name: str) -> EditError:
    """The file cannot be edited as text."""
    return EditError(
        Kind.NOT_TEXT,
        f"{name} is not text: NUL bytes, no known encoding",
        hint=NameEncoding(is_binary=True),
    )


def reason_required(index: int) -> EditError:
    """The policy wants to know why."""
    return EditError(Kind.REASON_REQUIRED, f"edit {index + 1} has no reason", hint=GiveReason())


WIDTH = 80
_LISTED = 8
_AHEAD = 24  # code points of a long line that are shown before the place


def list_places(source: Source, spans: Sequence[Span], total: int | None) -> list[str]:
    """One line for each of the first places; `total` is None where nobody knows how many there are."""
    rows = Counter(source.table.row_at(span.start) for span in spans)
    shown = [f"  {_shown(source, span, rows)}" for span in spans[:_LISTED]]
    if total is None:
        return [*shown, "  … and more"]
    more = total - len(shown)
    return [*shown, f"  … and {more} more"] if more > 0 else shown


def describe_places(source: Source, spans: Sequence[Span]) -> list[dict[str, object]]:
    """Lines, column and text of each place, for programs."""
    return [_facts(source, span) for span in spans]


def occurrences_of(spans: Sequence[Span]) -> Iterator[int | None]:
    """The number by which each place can be asked for: left to right without overlap, None for one in between."""
    count = end = 0
    for span in spans:
        if span.start >= end:
            count, end = count + 1, span.end
            yield count
        else:
            yield None


def _shown(source: Source, span: Span, rows: Counter[int]) -> str:
    """The line of a place; its column and neighbourhood where the line is long or holds several."""
    row, column = _position(source, span)
    text = source.table.text(row)
    if rows[row] == 1 and len(text.strip()) <= WIDTH:
        return f"line {row + 1}: {shorten(text)}"
    return f"line {row + 1}, column {column + 1}: {_around(text, column)}"


def _facts(source: Source, span: Span) -> dict[str, object]:
    first, last = source.table.rows_of(span)
    row, column = _position(source, span)
    text = source.table.text(row)
    shown = shorten(text) if len(text.strip()) <= WIDTH else _around(text, column)
    return {"lines": [first + 1, last + 1], "column": column + 1, "text": shown}


def _position(source: Source, span: Span) -> tuple[int, int]:
    row = source.table.row_at(span.start)
    return row, span.start - source.table.start(row)


def _around(text: str, column: int) -> str:
    """A window of a line that has the place in it."""
    start = max(0, min(column - _AHEAD, len(text) - WIDTH))
    window = text[start : start + WIDTH]
    return f"{'…' if start else ''}{window.strip()}{'…' if start + WIDTH < len(text) else ''}"


def shorten(text: str) -> str:
    """A line without the blanks around it, cut where it is long."""
    stripped = text.strip()
    return stripped if len(stripped) <= WIDTH else f"{stripped[: WIDTH - 1]}…"


_MOST = 8  # places that get their context
_REACH = 2_000  # code points of context on either side
_LINES = 12
_WORDS = 400  # code points of a line that are read in words, on either side
_RIVALS = 300  # other occurrences that are compared
_SCANNED = 60_000_000  # code points of text read in search of occurrences, in all
_WORD = lazy_pattern(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Context:
    """A place with what tells it from the others; `lines` and `words` say what was added in front and behind."""

    span: Span
    lines: tuple[int, int]
    words: tuple[int, int]

    @property
    def cost(self) -> tuple[int, int, int]:
        """Fewest lines first, then fewest words, then what is in front rather than behind."""
        return sum(self.lines), sum(self.words), self.lines[1] + self.words[1]


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where context may begin or end: at which offset, and how many lines and words it then adds."""

    offset: int
    lines: int = 0
    words: int = 0


def find_contexts(source: Source, spans: Sequence[Span]) -> list[Context | None]:
    """For each of the first places its context; None where nothing within reach tells it apart.

    >>> text = "class A:\\n    x = 1\\nclass B:\\n    x = 1\\n"
    >>> found = find_contexts(Source.of_text(text), [Span(9, 19), Span(28, 38)])
    >>> [context.span.of(text) for context in found]
    ['class A:\\n    x = 1\\n', 'class B:\\n    x = 1\\n']
    """
    search = _Search(source)
    return [search.find(span) for span in spans[:_MOST]]


class _Search:
    """The contexts of one call; every reading of the text is paid from one budget."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._budget = _SCANNED
        self._known: dict[str, list[int]] = {}

    def find(self, span: Span) -> Context | None:
        if span.is_empty or span.length > _LONGEST:
            return None
        places = self._places(span.of(self._text))
        rivals = [place for place in places if place != span.start]
        if len(rivals) == len(places) and len(places) <= _RIVALS:
            return None  # the place itself was not met: the budget is spent
        shared = [self._shared(span, place) for place in rivals]
        found = min(self._options(span, shared), key=lambda context: (context.cost, context.span.length), default=None)
        if found is None or found.span.length > _LONGEST:
            return None
        return found if len(rivals) < _RIVALS or self._is_single(found.span) else None

    def _places(self, old: str) -> list[int]:
        """The first occurrences of a text; none when the budget is spent."""
        if old not in self._known:
            may_read = self._budget > 0
            self._budget -= len(self._text)
            self._known[old] = list(islice(every_place_of(self._text, old), _RIVALS + 1)) if may_read else []
        return self._known[old]

    def _is_single(self, span: Span) -> bool:
        may_read = self._budget > 0
        self._budget -= len(self._text)
        return may_read and len(list(islice(every_place_of(self._text, span.of(self._text)), 2))) == 1

    def _shared(self, span: Span, place: int) -> tuple[int, int]:
        """How much the text in front of two occurrences agrees, and how much behind them."""
        text, end = self._text, place + span.length
        ahead = shared_prefix(_reversed_ahead(text, span.start), _reversed_ahead(text, place))
        return ahead, shared_prefix(text[span.end : span.end + _REACH], text[end : end + _REACH])

    def _options(self, span: Span, shared: Sequence[tuple[int, int]]) -> Iterator[Context]:
        """For each start of a context the nearest end with which no other occurrence agrees."""
        ends = list(self._ends(span))
        for start in self._starts(span):
            agreeing = [behind for ahead, behind in shared if ahead >= span.start - start.offset]
            needed = max(agreeing, default=-1)
            end = next((end for end in ends if end.offset - span.end > needed), None)
            if end is not None:
                yield Context(Span(start.offset, end.offset), (start.lines, end.lines), (start.words, end.words))

    def _starts(self, span: Span) -> Iterator[_Edge]:
        """The place's own start, the words in front of it, the start of its line, and of the lines before."""
        table = self._source.table
        row = table.row_at(span.start)
        yield _Edge(span.start)
        low = max(table.start(row), span.start - _WORDS)
        words = [found.start() + low for found in _WORD.finditer(self._text[low : span.start])]
        whole = [start for start in words if start > low or low == table.start(row)]
        for count, start in enumerate(reversed(whole)):
            yield _Edge(start, words=count + 1)
        for lines in range(min(_LINES, row) + 1):
            start = table.start(row - lines)
            if span.start - start > _REACH:
                return
            if start < span.start:
                yield _Edge(start, lines, len(whole) if lines == 0 else 0)

    def _ends(self, span: Span) -> Iterator[_Edge]:
        """The place's own end, the words behind it, the end of its line, and of the lines after."""
        table, text = self._source.table, self._text
        yield _Edge(span.end)
        has_ending = bool(line_ending(text[span.end - 1 : span.end]))
        row = table.row_at(span.end - 1 if has_ending else span.end)
        high = min(_end_of_line(self._source, row), span.end + _WORDS)
        words = [found.end() + span.end for found in _WORD.finditer(text[span.end : high])]
        is_cut = high < _end_of_line(self._source, row)
        whole = [end for end in words if end < high or not is_cut]
        for count, end in enumerate(whole):
            yield _Edge(end, words=count + 1)
        for lines in range(min(_LINES, table.count - 1 - row) + 1):
            end = table.start(row + lines + 1) if has_ending else _end_of_line(self._source, row + lines)
            if end - span.end > _REACH:
                return
            if end > span.end:
                yield _Edge(end, lines, len(whole) if lines == 0 else 0)


def every_place_of(text: str, old: str) -> Iterator[int]:
    """Every place of a text in another, overlapping ones too."""
    start = text.find(old)
    while start >= 0:
        yield start
        start = text.find(old, start + 1)


def _end_of_line(source: Source, row: int) -> int:
    end = source.table.start(row + 1)
    return end - len(line_ending(source.text[max(end - 2, 0) : end]))


def _reversed_ahead(text: str, offset: int) -> str:
    return text[max(offset - _REACH, 0) : offset][::-1]


def tell_apart(source: Source, spans: Sequence[Span], contexts: Sequence[Context | None]) -> QuoteMore:
    """What to quote for the place that takes the least; more of any where none is known."""
    known = [(context.cost, number) for number, context in enumerate(contexts) if context is not None]
    for _, number in sorted(known):
        context = contexts[number]
        if context is not None and (found := _addition(source, spans[number], context)):
            return found
    rows = [source.table.row_at(span.start) for span in spans]
    crowded = next((row for row in rows if rows.count(row) > 1), None)
    return QuoteMore(None if crowded is None else crowded + 1)


def _addition(source: Source, span: Span, context: Context) -> QuoteMore | None:
    """What to quote as well, where it is short enough to be shown."""
    line, (before, after) = source.line_of(span.start), context.lines
    if before + after == 1:
        text = source.table.text(line - 2 if before else source.lines_of(span)[1])
        return QuoteMore(line, before, after, text) if len(text) <= WIDTH else None
    if before or after:
        return QuoteMore(line, before, after, is_offered=True)
    quoted = context.span.of(source.text)
    return QuoteMore(line, text=quoted) if len(quoted) <= 2 * WIDTH and "\n" not in quoted else None
