"""What speaks against a place although a tier has found it there. One function, one doubt; `DOUBTS` is all of them.

A doubt only says that the place is not to be believed; what the caller is told is decided in `plan/locating.py`. Old
text that stands in the file as it is quoted is never doubted, except that a line with less indentation may be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice, pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.needle import Needle
from steadyhand.match.repairs.diff_signs import may_be_signed
from steadyhand.match.resolve import SHOWN, Found, Nothing, Several, resolve
from steadyhand.match.tier import BLANKS, LITERAL, STRICT, tier_named
from steadyhand.plan.draft import Draft
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.place import Old
from steadyhand.plan.window import window_at
from steadyhand.text.lines import body, is_whole_lines, line_start, split_bodies
from steadyhand.text.seeds import places_of
from steadyhand.text.span import Span

__all__ = ["DOUBTS", "Finding", "find_other_indents", "is_already_there", "is_doubtful", "is_telling"]

_ENTITY = lazy_pattern(r"&(?:lt|gt|amp|quot|apos|#\d+|#x[0-9a-fA-F]+);")
_TO_EDGE = lazy_pattern(r"[ \t]*(?=[\r\n]|\Z)")
_COMPARED = 20  # lines, the longest, that are looked for elsewhere
_LOOKED_AT = 10_000  # lines that start like one
_SOON = 3  # lines
_SOME = 200  # places of one row
_WIDE = 400  # characters of the row beside one
_VISIBLE = 30  # characters from which one line does not stand somewhere by chance


@dataclass(frozen=True, slots=True)
class Finding:
    """An edit, how its old text was found, and in what."""

    edit: Edit
    found: Found
    draft: Draft

    @property
    def span(self) -> Span:
        return self.found.matches[0].span


def is_doubtful(finding: Finding) -> bool:
    """Whether old text that does not stand in the file as it is was found where it may not be meant."""
    return finding.found.tier.rank >= LITERAL and any(doubt(finding) for doubt in DOUBTS)


def _is_fenced(finding: Finding) -> bool:
    """Fences taken off the old text were quoted and no accident: they are right around the place, or one soon after
    it that the edit as it was sent takes away.
    """
    edit = finding.edit
    if "Markdown fence" not in finding.found.mended or not isinstance(edit.target, Old):
        return False
    text, span = finding.draft.source.text, finding.span
    rows = list(islice(filter(str.strip, split_bodies(text[span.end :])), _SOON))
    if any(map(_is_fence, (*split_bodies(text[: span.start])[-1:], *rows[:1]))):
        return True
    sent, left = (sum(map(_is_fence, split_bodies(part))) for part in (edit.target.text, edit.text))
    return sent == 1 and left == 0 and any(map(_is_fence, rows))


def _is_as_quoted_elsewhere(finding: Finding) -> bool:
    """What a repair took off was meant: with it the old text is in the file elsewhere, but for blanks and typography.

    A list whose items have other blanks is no diff of the lines beside it.
    """
    edit, found = finding.edit, finding.found
    if not found.mended or found.tier.is_single or not isinstance(edit.target, Old):
        return False
    needle = Needle(edit.target.text, edit.text)
    spans = (tier_named(name).find(finding.draft.source, needle, apart=False) for name in ("whitespace", "typography"))
    return any(not span.overlaps(finding.span) for span in islice(chain.from_iterable(spans), _SOON))


def _is_blank_elsewhere(finding: Finding) -> bool:
    """Blank lines taken off the old text say where lines come that the edit adds, and the file has no blank line there:
    a line between the two was left out.
    """
    edit, found = finding.edit, finding.found
    if "blank lines" not in found.mended or not isinstance(edit.target, Old) or not isinstance(edit, Replace):
        return False
    text, span = finding.draft.source.text, finding.span
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


def _is_already_there(finding: Finding) -> bool:
    """The new text stands somewhere but for blanks and typography: the edit was made, and this is another place."""
    return finding.found.tier.is_single and is_already_there(finding.edit, finding.draft)


def is_already_there(edit: Edit, draft: Draft) -> bool:
    """Whether the new text is in the file but for blanks and typography, and not by chance."""
    if not isinstance(edit, Replace) or not is_telling(edit.new):
        return False
    return not isinstance(resolve(draft.find, edit.new, laxest="typography"), Nothing)


def _is_signed(finding: Finding) -> bool:
    """The old text has a blank before each line that the file does not have, and the new text `+` in that column: the
    sign of a diff, or content, and no repair could tell.
    """
    edit, found = finding.edit, finding.found
    if found.mended or not isinstance(edit.target, Old) or not may_be_signed(edit.target.text, edit.text):
        return False
    text = finding.draft.source.text
    return not any(_is_line_of(text, row.rstrip()) for row in split_bodies(edit.target.text) if row.strip())


def _has_a_shape(finding: Finding) -> bool:
    """The texts have a shape that should have been taken off first: without it the old text is more like the place."""
    from steadyhand.plan.corrected import most_alike

    found = finding.found
    if found.tier.rank <= BLANKS:
        return False
    texts = found.old, found.new or ""
    return most_alike(*texts, finding.span.of(finding.draft.source.text)) != texts


def _is_escaped(finding: Finding) -> bool:
    """Rows with HTML entities stand otherwise in the file, and the new text would bring such entities into it."""
    found = finding.found
    if not found.tier.is_single or not _ENTITY.search(found.new or ""):
        return False
    text = finding.draft.source.text
    return any(_ENTITY.search(row) and row.strip() not in text for row in split_bodies(found.old))


def _stands_elsewhere(finding: Finding) -> bool:
    """No line stands at the place as it is quoted, yet each does elsewhere: where that is, something came between."""
    text, span = finding.draft.source.text, finding.span
    rows = [row.rstrip() for row in split_bodies(finding.found.old) if any(map(str.isalnum, row))]
    here = {row.rstrip() for row in split_bodies(text[line_start(text, span.start) : span.end])}
    longest = sorted(rows, key=len, reverse=True)[:_COMPARED]
    return bool(rows) and here.isdisjoint(rows) and all(_is_line_of(text, row) for row in longest)


def _is_whole_elsewhere(finding: Finding) -> bool:
    """A blank line that is not quoted is between a row that changes and the row beside it, and elsewhere that row has
    no blank line there: the row that changes may have been changed at that place. One that says much is only here.
    """
    found, source = finding.found, finding.draft.source
    needle = Needle(found.old, found.new, found.signs)
    if found.new is None or any(_is_long(needle.rows[row]) for row in needle.changed):
        return False
    window = window_at(source, finding.span, found.old)
    known = [pairing for pairing in window.alignment if pairing.is_one_to_one and not pairing.is_blank]
    for above, below in pairwise(known):
        changes = [needle.touches(one.old_start, one.old_end) for one in (above, below)]
        if above.old_end == below.old_start and above.end < below.start and changes[0] != changes[1]:
            row, behind = (below, False) if changes[0] else (above, True)
            if _has_neighbour(source.text, body(window.rows[row.start]), finding.span, behind=behind):
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


def _is_a_sibling(finding: Finding) -> bool:
    """What leads in the lines that change goes by an unrelated name here: the quoted text is of another part."""
    from steadyhand.plan.leading import is_led_otherwise

    found = finding.found
    if not found.tier.is_single or found.new is None:
        return False
    window = window_at(finding.draft.source, finding.span, found.old)
    return is_led_otherwise(window, Needle(found.old, found.new, found.signs))


def _is_line_of(text: str, row: str) -> bool:
    """Whether a row is a whole line of a text, blanks behind it aside; many that start like it count as one that is."""
    if text.startswith(row) and _TO_EDGE.match(text, len(row)):
        return True
    starts = chain.from_iterable(places_of(text, ending + row) for ending in "\n\r")
    ends = enumerate(at + 1 + len(row) for at in starts)
    return any(seen == _LOOKED_AT or _TO_EDGE.match(text, end) for seen, end in ends)


DOUBTS: tuple[Callable[[Finding], bool], ...] = (
    _is_fenced,
    _is_blank_elsewhere,
    _is_as_quoted_elsewhere,
    _is_already_there,
    _is_signed,
    _has_a_shape,
    _is_escaped,
    _stands_elsewhere,
    _is_whole_elsewhere,
    _is_a_sibling,
)


def find_other_indents(finding: Finding) -> Several | None:
    """Lines that differ from the old text in their indentation, where it was found inside a longer indentation.

    Quoted with some of its indentation, such a line may as well be another one with less of it.
    """
    found, start = finding.found, finding.span.start
    if finding.edit.occurrence is not None or len(found.matches) > 1 or found.tier.name not in STRICT:
        return None
    if found.old[0] not in " \t" or finding.draft.read(start - 1, start) not in (" ", "\t"):
        return None
    whitespace = tier_named("whitespace")
    places = list(whitespace.find(finding.draft.source, Needle(found.old, found.new), apart=False))
    return Several(whitespace, tuple(places[:SHOWN]), len(places), is_all=True) if len(places) > 1 else None


def is_telling(new: str) -> bool:
    """Two lines that are not blank, or so many characters that they do not stand somewhere by chance."""
    rows = [row for row in split_bodies(new) if row.strip()]
    return len(rows) >= 2 or _is_long(new)


def _is_long(text: str) -> bool:
    return sum(not char.isspace() for char in text) >= _VISIBLE
