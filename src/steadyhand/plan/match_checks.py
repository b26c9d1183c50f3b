"""Reasons to reject a place that a tier has found. One function is one check; `CHECKS` lists them all.

A check only rejects the place; `plan/locator.py` decides what the caller gets. Old text that the file has just as it
is quoted is never doubted, except that a line with less indentation may be meant. The header of what an edit changes is
the nearest line above it that is indented less, such as a function's head: where the quoted header and the file's have
wholly different names, the quoted text is of another function, rule or section.

What is known of the place of old text besides the text (whole lines, lines above it, the end of the file, a line) only
rules places out or decides between equal ones; no place is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, islice, pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.lexer import token_key
from steadyhand.match.margins import may_be_signed
from steadyhand.match.resolve import SHOWN, Finder, Found, Nothing, Several, resolve
from steadyhand.match.tier import BLANKS, LITERAL, STRICT, Needle, Tier, tier_named
from steadyhand.plan.draft import Draft
from steadyhand.plan.edit import Edit, Old, Replace
from steadyhand.plan.merge_window import Window, window_at
from steadyhand.text.indent import width_of
from steadyhand.text.lines import body, is_whole_lines, line_start, split_bodies
from steadyhand.text.match import Match
from steadyhand.text.seeds import places_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart

_ENTITY = lazy_pattern(r"&(?:lt|gt|amp|quot|apos|#\d+|#x[0-9a-fA-F]+);")
_TO_EDGE = lazy_pattern(r"[ \t]*(?=[\r\n]|\Z)")
_COMPARED = 20  # lines, the longest, that are looked for elsewhere
_LOOKED_AT = 10_000  # lines that start like one
_SOON = 3  # lines
_SOME = 200  # places of one row
_WIDE = 400  # characters of the row beside one
_TRIED = 20  # places of old text in a short text, before its lines are listed
_SHORT_TEXT = 20_000  # characters of a text that is searched as a whole sooner than its lines are listed
_VISIBLE = 30  # characters from which one line is not somewhere by chance


@dataclass(frozen=True, slots=True)
class FoundEdit:
    """An edit, how its old text was found, and in what."""

    edit: Edit
    found: Found
    draft: Draft

    @property
    def span(self) -> Span:
        return self.found.matches[0].span


def is_doubtful(found_edit: FoundEdit) -> bool:
    """Whether old text that is not in the file as it is quoted was found where it may not be meant."""
    return found_edit.found.tier.rank >= LITERAL and any(doubt(found_edit) for doubt in CHECKS)


def _is_fenced(found_edit: FoundEdit) -> bool:
    """Fences taken off the old text were quoted and no accident: they are right around the place, or one soon after
    it that the edit as it was sent takes away.
    """
    edit = found_edit.edit
    if "Markdown fence" not in found_edit.found.repaired or not isinstance(edit.target, Old):
        return False
    text, span = found_edit.draft.source.text, found_edit.span
    rows = list(islice(filter(str.strip, split_bodies(text[span.end :])), _SOON))
    if any(map(_is_fence, (*split_bodies(text[: span.start])[-1:], *rows[:1]))):
        return True
    sent, left = (sum(map(_is_fence, split_bodies(part))) for part in (edit.target.text, edit.text))
    return sent == 1 and left == 0 and any(map(_is_fence, rows))


def _is_as_quoted_elsewhere(found_edit: FoundEdit) -> bool:
    """What a repair took off was meant: with it the old text is in the file elsewhere, but for blanks and typography.

    A list whose items have other blanks is no diff of the lines beside it.
    """
    edit, found = found_edit.edit, found_edit.found
    if not found.repaired or found.tier.is_single or not isinstance(edit.target, Old):
        return False
    needle = Needle(edit.target.text, edit.text)
    spans = (
        tier_named(name).find(found_edit.draft.source, needle, apart=False) for name in ("whitespace", "typography")
    )
    return any(not span.overlaps(found_edit.span) for span in islice(chain.from_iterable(spans), _SOON))


def _is_blank_elsewhere(found_edit: FoundEdit) -> bool:
    """Blank lines taken off the old text say where lines come that the edit adds, and the file has no blank line there:
    a line between the two was left out.
    """
    edit, found = found_edit.edit, found_edit.found
    if "blank lines" not in found.repaired or not isinstance(edit.target, Old) or not isinstance(edit, Replace):
        return False
    text, span = found_edit.draft.source.text, found_edit.span
    above, below = split_bodies(text[: span.start])[-1:], split_bodies(text[span.end :].removeprefix("\n"))[:1]
    old, new = split_bodies(edit.target.text), split_bodies(edit.new)
    return _comes_after(old, new, below) or _comes_after(old[::-1], new[::-1], above)


def _comes_after(old: Sequence[str], new: Sequence[str], beside: Sequence[str]) -> bool:
    """Whether rows come between the last visible row of old text and a blank one, and another row is there instead."""
    if not old or old[-1].strip() or not beside or not beside[0].strip():
        return False
    last = next((row for row in reversed(old) if row.strip()), "")
    rows = [row for row in new if row.strip()]
    return last in rows[:-1] and rows[-1] != last


def _is_fence(row: str) -> bool:
    return row.strip().startswith(("```", "~~~"))


def _is_already_there(found_edit: FoundEdit) -> bool:
    """The new text is somewhere but for blanks and typography: the edit was made, and this is another place."""
    return found_edit.found.tier.is_single and is_already_there(found_edit.edit, found_edit.draft)


def is_already_there(edit: Edit, draft: Draft) -> bool:
    """Whether the new text is in the file but for blanks and typography, and not by chance."""
    if not isinstance(edit, Replace) or not is_telling(edit.new):
        return False
    return not isinstance(resolve(draft.find, edit.new, laxest="typography"), Nothing)


def _is_signed(found_edit: FoundEdit) -> bool:
    """The old text has a blank before each line that the file does not have, and the new text `+` in that column: the
    sign of a diff, or content, and no repair could tell.
    """
    edit, found = found_edit.edit, found_edit.found
    if found.repaired or not isinstance(edit.target, Old) or not may_be_signed(edit.target.text, edit.text):
        return False
    text = found_edit.draft.source.text
    return not any(_is_line_of(text, row.rstrip()) for row in split_bodies(edit.target.text) if row.strip())


def _has_a_shape(found_edit: FoundEdit) -> bool:
    """The texts have a shape that should have been taken off first: without it the old text is more like the place."""
    from steadyhand.plan.absent import most_alike

    found = found_edit.found
    if found.tier.rank <= BLANKS:
        return False
    texts = found.old, found.new or ""
    return most_alike(*texts, found_edit.span.of(found_edit.draft.source.text)) != texts


def _is_escaped(found_edit: FoundEdit) -> bool:
    """Rows with HTML entities are otherwise in the file, and the new text would bring such entities into it."""
    found = found_edit.found
    if not found.tier.is_single or not _ENTITY.search(found.new or ""):
        return False
    text = found_edit.draft.source.text
    return any(_ENTITY.search(row) and row.strip() not in text for row in split_bodies(found.old))


def _is_elsewhere(found_edit: FoundEdit) -> bool:
    """No line is at the place as it is quoted, yet each does elsewhere: where that is, something came between."""
    text, span = found_edit.draft.source.text, found_edit.span
    rows = [row.rstrip() for row in split_bodies(found_edit.found.old) if any(map(str.isalnum, row))]
    here = {row.rstrip() for row in split_bodies(text[line_start(text, span.start) : span.end])}
    longest = sorted(rows, key=len, reverse=True)[:_COMPARED]
    return bool(rows) and here.isdisjoint(rows) and all(_is_line_of(text, row) for row in longest)


def _is_whole_elsewhere(found_edit: FoundEdit) -> bool:
    """A blank line that is not quoted is between a row that changes and the row beside it, and elsewhere that row has
    no blank line there: the row that changes may have been changed at that place. One that says much is only here.
    """
    found, source = found_edit.found, found_edit.draft.source
    needle = Needle(found.old, found.new, found.signs)
    if found.new is None or any(_is_long(needle.rows[row]) for row in needle.changed):
        return False
    window = window_at(source, found_edit.span, found.old)
    known = [pairing for pairing in window.alignment if pairing.is_one_to_one and not pairing.is_blank]
    for above, below in pairwise(known):
        if above.old_end != below.old_start or above.end >= below.start:
            continue
        changes = [needle.touches(one.old_start, one.old_end) for one in (above, below)]
        if changes[0] != changes[1]:
            row, behind = (below, False) if changes[0] else (above, True)
            if _has_neighbour(source.text, body(window.rows[row.start]), found_edit.span, behind=behind):
                return True
    return False


def _has_neighbour(text: str, row: str, beside: Span, *, behind: bool) -> bool:
    """Whether a row that is not there by chance is somewhere else, too, right before or behind a row with text."""
    if not _is_long(row):
        return False
    for at in islice(places_of(text, row), _SOME):
        end = at + len(row)
        if beside.start <= at < beside.end or not is_whole_lines(text, Span(at, end)):
            continue
        around = (
            split_bodies(text[end : end + _WIDE])[1:2] if behind else split_bodies(text[max(at - _WIDE, 0) : at])[-1:]
        )
        if any(map(str.strip, around)):
            return True
    return False


def _is_a_sibling(found_edit: FoundEdit) -> bool:
    """What leads in the lines that change goes by an unrelated name here: the quoted text is of another part."""
    found = found_edit.found
    if not found.tier.is_single or found.new is None:
        return False
    window = window_at(found_edit.draft.source, found_edit.span, found.old)
    return has_other_header(window, Needle(found.old, found.new, found.signs))


def _is_line_of(text: str, row: str) -> bool:
    """Whether a row is a whole line of a text, blanks behind it aside; many that start like it count as one that is."""
    if text.startswith(row) and _TO_EDGE.match(text, len(row)):
        return True
    starts = chain.from_iterable(places_of(text, ending + row) for ending in "\n\r")
    ends = enumerate(at + 1 + len(row) for at in starts)
    return any(seen == _LOOKED_AT or _TO_EDGE.match(text, end) for seen, end in ends)


CHECKS: tuple[Callable[[FoundEdit], bool], ...] = (
    _is_fenced,
    _is_blank_elsewhere,
    _is_as_quoted_elsewhere,
    _is_already_there,
    _is_signed,
    _has_a_shape,
    _is_escaped,
    _is_elsewhere,
    _is_whole_elsewhere,
    _is_a_sibling,
)


def find_other_indents(found_edit: FoundEdit) -> Several | None:
    """Lines that differ from the old text in their indentation, where it was found inside a longer indentation.

    Quoted with some of its indentation, such a line may as well be another one with less of it.
    """
    found, start = found_edit.found, found_edit.span.start
    if found_edit.edit.occurrence is not None or len(found.matches) > 1 or found.tier.name not in STRICT:
        return None
    if found.old[0] not in " \t" or found_edit.draft.read(start - 1, start) not in (" ", "\t"):
        return None
    whitespace = tier_named("whitespace")
    places = list(whitespace.find(found_edit.draft.source, Needle(found.old, found.new), apart=False))
    return Several(whitespace, tuple(places[:SHOWN]), len(places), is_all=True) if len(places) > 1 else None


def is_telling(new: str) -> bool:
    """Two lines that are not blank, or so many characters that they are not somewhere by chance."""
    rows = [row for row in split_bodies(new) if row.strip()]
    return len(rows) >= 2 or _is_long(new)


def _is_long(text: str) -> bool:
    return sum(not char.isspace() for char in text) >= _VISIBLE


_NAME = lazy_pattern(r"[^\W\d]\w*")
_PART = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_COMMENTS = ("#", "//", "/*", "*", "--", ";", "%", "<!--")
_CONTROL = frozenset(
    "if elif else for foreach while until unless with switch case when match select try except catch finally do return "
    "and or not in".split()
)
_KEYWORDS = frozenset(
    "def class func function fn sub interface struct enum trait impl module namespace type record object export "
    "default public private protected internal static final abstract async pub override open virtual inline extern "
    "unsafe const readonly var let val void int self new".split()
)
_HEADING = lazy_pattern(r"(#{1,6}) |(\[{1,2})[^\[\]]+\]{1,2}\s*\Z")
_SECTIONS = ("#", "[")
_LEVELS = 7  # of headings
_ABOVE = 2_000  # rows above a place in which what leads it in is looked for
_SHARED = 3  # letters at the start that make two names akin


def has_other_header(window: Window, needle: Needle) -> bool:
    """Whether a line that leads in the lines that change is one that the file has under an unrelated name."""
    for lead in _leads_left(window, needle):
        ours = _lead_of_file(window, needle.rows, lead)
        is_named = ours is not None and _names(needle.rows[lead]) and _names(ours)
        if ours is not None and is_named and _are_unrelated(needle.rows[lead], ours):
            return True
    return False


def has_header_elsewhere(window: Window, needle: Needle) -> bool:
    """Whether a line that leads in the lines that change is in the file, but only where it leads in others."""
    from steadyhand.match.rows import find_row

    table, key = window.source.table, partial(token_key, window.lexer)
    leads = [lead for lead in _leads_left(window, needle) if any(map(str.isalnum, needle.rows[lead]))]
    if not leads:
        return False
    first, last = table.rows_of(window.span)
    around = {*range(first, last + 1)}
    depth = min((_depth(text) for row in around if (text := table.text(row)).strip()), default=_LEVELS)
    for row in range(first - 1, max(-1, first - _ABOVE), -1):
        if depth <= 1:
            break  # nothing is less deep than a first heading
        text = table.text(row)
        if depth <= _LEVELS and not text.startswith(_SECTIONS):
            continue
        if text.strip() and _depth(text) < depth:
            depth = _depth(text)
            around.add(row)
    places = (find_row(window.source, needle.rows[lead], key) for lead in leads)
    return any(rows is None or (rows and around.isdisjoint(rows)) for rows in places)


def _leads_left(window: Window, needle: Needle) -> Iterator[int]:
    """The rows that lead in the lines that change and are not in the window, the innermost first."""
    row = min((change.before_start for change in needle.changes or ()), default=None)
    while row is not None:
        row = _lead(needle.rows, row)
        pairing = None if row is None else window.pairing_of(row)
        if row is not None and (pairing is None or not pairing.likeness.is_sure):
            yield row


def _lead(rows: Sequence[str], first: int) -> int | None:
    """The row above a row that is indented less than it, or is a heading above it."""
    depth = next((_depth(row) for row in rows[first:] if row.strip()), None)
    above = [row for row in range(min(first, len(rows)) - 1, -1, -1) if rows[row].strip()]
    if depth is None:
        depth = _depth(rows[above[0]]) if above else 0
    return next((row for row in above if _depth(rows[row]) < depth), None)


def _depth(row: str) -> int:
    """How deep a line is: by its indentation, and all of a section is deeper than its heading."""
    if not row.startswith(_SECTIONS):
        return _LEVELS + width_of(row)
    heading = _HEADING.match(row)
    return _LEVELS + width_of(row) if heading is None else len(heading[1] or heading[2])


def _names(row: str) -> bool:
    """Whether a line gives what it leads in a name, as a condition or a comment does not."""
    first = _NAME.search(row)
    return first is not None and first.group() not in _CONTROL and not row.lstrip().startswith(_COMMENTS)


def _lead_of_file(window: Window, rows: Sequence[str], lead: int) -> str | None:
    """The line of the file that leads in the place of the rows behind a lead."""
    inside = [pairing for pairing in window.alignment if lead < pairing.old_start and pairing.likeness.is_sure]
    placed = [one for one in inside if one.start < one.end and any(map(str.strip, rows[one.old_start : one.old_end]))]
    if not placed:
        return None
    at = placed[0].start
    depth = _depth(body(window.rows[at]))
    above = [*window.rows[:at][::-1], *window.above]
    return next((body(row) for row in above if row.strip() and _depth(body(row)) < depth), None)


def _are_unrelated(theirs: str, ours: str) -> bool:
    """Whether each has names that the other has not, and none of them is akin to one of the other's.

    The first name that is no keyword is what the line defines: where it is the same, so is its block.
    """
    named = [next((name for name in _NAME.findall(row) if name not in _KEYWORDS), None) for row in (theirs, ours)]
    if named[0] == named[1]:
        return False
    quoted, found = set(_NAME.findall(theirs)), set(_NAME.findall(ours))
    only_theirs, only_ours = quoted - found, found - quoted
    if not only_theirs or not only_ours:
        return False
    return not any(_are_akin(one, other) for one in only_theirs for other in only_ours)


def _are_akin(one: str, other: str) -> bool:
    parts, others = ({part.lower() for part in _PART.findall(name)} for name in (one, other))
    if parts & others:
        return True
    return any(left[:_SHARED] == right[:_SHARED] for left in parts for right in others)


_EDGES = ("", "\n", "\r")
_AHEAD = 8  # old texts below that are looked for to learn how far lines are off


def finder_within(draft: Draft, old: Old, regions: Sequence[Span] | None = None) -> Finder:
    """Asks tiers on the draft, for places that fit what is known; `regions` are those that a place must touch."""
    if old.fit == "free" and regions is None and not old.at_end:
        return draft.find

    def find(tier: Tier, needle: Needle, *, apart: bool) -> Iterator[Span]:
        def places() -> Iterator[Span]:
            spans = draft.find(tier, needle, apart=apart and old.fit == "free")
            # In a patch only the last line of a file has no ending.
            is_last = needle.signs is not None and tier.rank <= LITERAL and needle.text[-1:] not in _EDGES
            if is_last and old.fit == "lines":
                spans = (span for span in spans if span.end == draft.length)
            return (span for span in spans if _fits(draft, span, old, regions))

        found = places()
        if old.fit != "free":
            found = _with_last(draft, needle, tier, (span for span in found if _is_whole(draft, span, tier)))
        if old.fit == "lines-first":
            first = next(found, None)
            found = places() if first is None else chain((first,), found)
        return kept_apart(found) if apart else found

    return find


def regions_under(source: Source, under: Sequence[str], *, to_end: bool = False) -> list[Span]:
    """The parts of a text that are under lines, each inside what the line before it leads in; none: no such line.

    What a line leads in are the lines after it that are indented further, blank ones aside; with `to_end` everything
    after it. The line itself belongs to its part.
    """
    regions = [Span(0, len(source.text))]
    for wanted in under:
        regions = _leading(source, regions, wanted.strip(), to_end=to_end)
    return regions


def missing_header(source: Source, under: Sequence[str]) -> str | None:
    """The first of some lines above that a text does not have where it should be; None where it has all of them."""
    counts = range(1, len(under) + 1)
    return next((under[count - 1] for count in counts if not regions_under(source, under[:count], to_end=True)), None)


class LineHint:
    """The line at which old text is said to be, moved by as much as the places before it were found to be off.

    `edits` are all of the call, in order: before any is found, an old text below may tell how far all are off.
    """

    def __init__(self, draft: Draft, edits: Sequence[Edit] = ()) -> None:
        self._draft = draft
        self._edits = edits
        self._off = 0
        self._has_learned = False

    def at(self, old: Old) -> Found | None:
        """The place at the line itself, if the text is there as it is, as whole lines."""
        row = self._row(old)
        if row is None or row < 0 or old.fit == "free" or not old.text:
            return None
        at = self._start_of(row, old.text)
        start = None if at is None else self._draft.from_original(at)
        span = None if start is None else Span(start, start + len(old.text))
        if span is None or self._draft.read(span.start, span.end) != old.text:
            return None
        tier = tier_named("exact")
        return Found((Match(span, "exact"),), (), 1, tier) if _is_whole(self._draft, span, tier) else None

    def _start_of(self, row: int, old: str) -> int | None:
        """Where a row of the original starts. In a short text the places of what is looked for often tell."""
        original = self._draft.original
        if not original.is_large and original.length <= _SHORT_TEXT and "\r" not in original.text:
            text, number, last = original.text, 0, 0
            for at in islice(places_of(text, old), _TRIED):
                number, last = number + text.count("\n", last, at), at
                if number >= row:
                    if number == row and text[at - 1 : at] in ("", "\n"):
                        return at
                    break
        table = original.table
        return table.start(row) if row < table.count else None

    def of(self, old: Old) -> Callable[[Span], bool] | None:
        """Says of a place whether it is at the line."""
        row = self._row(old)
        return None if row is None else lambda span: self._row_of(span) == row

    def learn(self, old: Old, span: Span) -> None:
        """Take note of where a text with a line was found."""
        if old.line is not None:
            self._off = self._row_of(span) - (old.line - 1)
            self._has_learned = True

    @cached_property
    def _olds(self) -> list[Old]:
        return [edit.target for edit in self._edits if isinstance(edit.target, Old)]

    def looks_ahead(self, old: Old) -> bool:
        """Take the lines as far off as the next old text below is that the file has once; whether one was found.

        Only where none above has been found.
        """
        if self._has_learned or old.line is None or old not in self._olds:
            return False
        start = self._olds.index(old) + 1
        text, table = self._draft.original.text, self._draft.original.table
        for other in self._olds[start : start + _AHEAD]:
            at = text.find(other.text) if other.line is not None and other.text and other.fit != "free" else -1
            if at >= 0 and text.find(other.text, at + 1) < 0 and text[at - 1 : at] in _EDGES:
                self._off = table.row_at(at) - ((other.line or 1) - 1)
                return self._off != 0
        return False

    def _row(self, old: Old) -> int | None:
        return None if old.line is None else old.line - 1 + self._off

    def _row_of(self, span: Span) -> int:
        return self._draft.original.table.row_at(self._draft.to_original(span.start))


def is_beside(draft: Draft, edit: Edit, found: Found) -> bool:
    """Whether whole lines that an edit only adds to the quoted ones are right there already, so it was made before.

    Only where nothing is quoted on their other side: a line that is quoted there may well be repeated.
    """
    if not isinstance(edit, Replace) or not isinstance(edit.target, Old) or edit.target.fit == "free":
        return False
    span, old, new = found.matches[0].span, found.old, found.new or ""
    if found.tier.rank > LITERAL or len(found.matches) > 1:
        return False
    behind = new[len(old) :] if new.startswith(old) else ""
    ahead = new[: -len(old)] if new.endswith(old) and old else ""
    places = (Span(span.end, span.end + len(behind)), Span(max(span.start - len(ahead), 0), span.start))
    return any(
        is_telling(added) and draft.read(place.start, place.end) == added and _is_whole_at(draft, place)
        for added, place in zip((behind, ahead), places, strict=True)
    )


def is_ended(draft: Draft, edit: Edit, found: Found) -> bool:
    """Whether all that lines at the end are to get is a newline, and they have one."""
    if not isinstance(edit, Replace) or not isinstance(edit.target, Old) or not edit.target.at_end:
        return False
    end = found.matches[0].span.end
    return edit.new == f"{edit.target.text}\n" and draft.read(end, end + 1) in _EDGES[1:]


def _is_whole_at(draft: Draft, place: Span) -> bool:
    """Whether lines begin and end where a place does, or their endings do."""
    edges = (place.start, place.end)
    return all(draft.read(at - 1, at) in _EDGES or draft.read(at, at + 1) in _EDGES for at in edges)


def _fits(draft: Draft, span: Span, old: Old, regions: Sequence[Span] | None) -> bool:
    if regions is not None and not any(map(span.overlaps, regions)):
        return False
    return not old.at_end or not draft.read(span.end, draft.length).strip()


def _is_whole(draft: Draft, span: Span, tier: Tier) -> bool:
    """Whether a place is whole lines: to the letter where the text is as quoted, else but for blanks."""
    if tier.rank > LITERAL:
        return is_whole_lines(draft.source.text, span)
    if draft.read(span.start - 1, span.start) not in _EDGES:
        return False
    return draft.read(span.end - 1, span.end) in _EDGES or draft.read(span.end, span.end + 1) in _EDGES


def _with_last(draft: Draft, needle: Needle, tier: Tier, found: Iterator[Span]) -> Iterator[Span]:
    """The places, and the one of a last line without ending: as lines it is the same, so none of them is unique."""
    first = next(found, None)
    if first is None:
        return
    yield first
    yield from found
    text = body(needle.text)
    start = draft.length - len(text)
    is_open = tier.rank <= LITERAL and text != needle.text and start >= 0 and text[-1:] not in _EDGES
    if is_open and draft.read(start, draft.length) == text and draft.read(start - 1, start) in _EDGES:
        yield Span(start, draft.length)


def _leading(source: Source, regions: Sequence[Span], wanted: str, *, to_end: bool) -> list[Span]:
    """The parts that a line leads in; a line that merely begins so counts where none is the same."""
    table = source.table
    heads = [(row, region) for region in regions for row in _rows_with(source, region, wanted)]
    same = [(row, region) for row, region in heads if table.text(row).strip() == wanted]
    return [
        Span(table.start(row), region.end if to_end else _end_of(source, row, table.row_at(region.end - 1)))
        for row, region in same or heads
    ]


def _rows_with(source: Source, region: Span, wanted: str) -> Iterator[int]:
    """The rows of a region that begin with a text, blanks in front aside."""
    text, table = source.text, source.table
    at = text.find(wanted, region.start, region.end) if wanted else -1
    while at >= 0:
        row = table.row_at(at)
        if not text[table.start(row) : at].strip():
            yield row
        at = text.find(wanted, table.start(row + 1), region.end)


def _end_of(source: Source, head: int, last: int) -> int:
    """Where the lines end that are indented further than a line."""
    table, margin = source.table, width_of(source.table.text(head))
    for row in range(head + 1, last + 1):
        text = table.text(row)
        if text.strip() and width_of(text) <= margin:
            return table.start(row)
    return table.start(last + 1)
