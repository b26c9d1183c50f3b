"""An edit whose first line is quoted without its indentation: what it says when it is quoted in full.

Models often drop the blanks in front of the first line of a text, and of that line only. Here the blanks are put back
before anything is built, so that such an edit takes the same way as the one that is quoted in full.

Rules:

1. The first line is bare where the lines after it show at which indentation the text is quoted, and it is not quoted
   at that one. Where there is no other line, it is bare if it has less indentation than the file's line.
2. A first line of new text gets the indentation that the first line of old text has lost, unless it has one of its
   own, or repeats a later line of old text: then it has that one's. Further lines are written as they are sent.
   Where only new text begins at the margin, where all that it repeats has moved to the left, or where it repeats the
   first line at an indentation that is not the file's, it is not clear what is meant.
3. One line of old text does not show how further lines of new text are meant: as they are, or relative to the line.
   They are taken as they are where that parses and the lines around agree with it, else relative to the line, if
   that is any better. Where both would do, or nothing is clear, the answer is not sure.
4. New text in tabs for a file in blanks, or the other way round, is in another unit before it is anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.align import Likeness, Pairing
from steadyhand.match.lexer import fold
from steadyhand.plan.merge_window import Window, window_at
from steadyhand.structure.format import Fault, format_of
from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of, width_of
from steadyhand.text.lines import line_ending, line_start, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

UNSURE = 0.95  # how sure an edit is that may be read in another way as well

_UNITS = ("\t", "  ", "   ", "    ", "        ")
_CONTINUES = lazy_pattern(r"[.?:&|+*/=-]|<(?![A-Za-z/!])")
_CLOSER = lazy_pattern(r"[)\]}]|</|(?:end|fi|done|esac)\b")
_ITEM = lazy_pattern(r"(?:[-*+]|[0-9]+[.)])\s")
_OPENS = lazy_pattern(r"(?:[:=\\|]|=>|->|\b(?:do|then|else|begin))\s*\Z")
_TAG = lazy_pattern(r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)[A-Za-z][^<>]*(?<!/)>\Z")


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Reading:
    """Old and new text as they are when quoted in full.

    `is_sure` is false where another reading would do as well, `is_clear` where a line behind the first is quoted like
    the first, so that it may have lost its indentation too.
    """

    old: str
    new: str
    is_sure: bool = True
    is_clear: bool = True


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class FullQuote:
    """Whole lines of a file, the old text that is there, and the new text.

    `is_moved`: it is not what comes of replacing the old text as it was quoted. `is_clear` is as in `Reading`.
    """

    span: Span
    old: str
    new: str
    is_moved: bool
    is_clear: bool


def quote_in_full(source: Source, span: Span, old: str, new: str, *, asks_parser: bool = True) -> FullQuote | None:
    """The edit in full where its old text begins behind the indentation of a line; None where that says nothing.

    Part of a line is replaced as it is; so is everything where the indentation that stays is surely the one meant.
    """
    text, rows = source.text, split_bodies(old)
    start = line_start(text, span.start)
    lead = text[start : span.start]
    ends_line = old.endswith(("\n", "\r")) or span.end == len(text) or text[span.end] in "\r\n"
    if not lead or lead.strip(" \t") or not rows[0].strip() or not (ends_line or len(rows) > 1):
        return None
    whole = Span(start, span.end)
    reading = read_in_full(window_at(source, whole, old), new, asks_parser=asks_parser)
    if reading is None or (reading.is_sure and reading.new == lead + new):
        return None
    is_moved = reading.new != lead + new
    return FullQuote(whole, lead + old, reading.new, is_moved, is_clear=reading.is_clear or not is_moved)


def read_in_full(window: Window, new: str, *, asks_parser: bool = True) -> Reading | None:
    """The edit with the indentation that its first line has lost; None where it has lost none.

    `asks_parser`: the whole file is parsed where that decides between two readings.
    """
    first = _first_pair(window)
    if first is None:
        return None
    others = _pairs_behind(window, first)
    if not others and _is_only_new_bare(window, new, first):
        return _only_new_bare(window, new, first)
    if others:
        reading = _among_others(window, new, first, others)
    else:
        reading = _alone(window, new, first, asks_parser=asks_parser)
    if (reading is None or reading.new == new) and _is_only_new_bare(window, new, first):
        return Reading(window.old, new, is_clear=False)
    return reading


def _only_new_bare(window: Window, new: str, first: Pair) -> Reading:
    """Not clear, unless the margin of the edit would be left of the file's: then the line has lost its indentation."""
    if first.before != first.after and first.after.endswith(first.before):
        old, lead = _with_indent(window.old, first.after), first.after.removesuffix(first.before)
        return Reading(old, _with_indent(new, lead), is_sure=False, is_clear=False)
    units = unit_of(split_bodies(window.old), split_bodies(new)), window.unit
    is_lost = first.before != first.after and carry([first], *units)("", first.row) is None
    return Reading(window.old, _with_indent(new, first.before) if is_lost else new, is_clear=is_lost)


def _is_only_new_bare(window: Window, new: str, first: Pair) -> bool:
    """Whether the first line of new text is at the margin without a line that old text has there or moves there."""
    rows = split_bodies(new)
    if not first.before or not rows or not rows[0].strip() or indent_of(rows[0]):
        return False
    old = {fold(window.lexer, row): indent_of(row) for row in split_bodies(window.old)}
    moved = any(old.get(said) for said in _said_at(window, rows[1:], ""))
    return old.get(fold(window.lexer, rows[0])) != "" and not moved


def _first_pair(window: Window) -> Pair | None:
    """The first line of the old text and the file's line that answers to it."""
    old = split_bodies(window.old)
    row = next((row for row, text in enumerate(old) if text.strip()), None)
    pairing = None if row is None else window.pairing_of(row)
    if row is None or pairing is None or not _is_comparable(pairing) or (window.is_partial and not pairing.start):
        return None
    return Pair(row, indent_of(old[row]), indent_of(window.rows[pairing.start]))


def _pairs_behind(window: Window, first: Pair) -> list[Pair]:
    """The lines behind the first that both sides have: those that say the same, or else those that are alike."""
    old = split_bodies(window.old)
    paired = [one for one in window.alignment if one.old_start > first.row and _is_comparable(one)]
    sure = [one for one in paired if one.likeness.is_sure]
    return [
        Pair(one.old_start, indent_of(old[one.old_start]), indent_of(window.rows[one.start])) for one in sure or paired
    ]


def _is_comparable(pairing: Pairing) -> bool:
    """Whether rows of both sides answer to each other, so that their indentation can be compared."""
    is_nothing = pairing.is_blank or pairing.is_kept or pairing.likeness is Likeness.NONE
    return not is_nothing and pairing.start < pairing.end


def _among_others(window: Window, new: str, first: Pair, others: Sequence[Pair]) -> Reading | None:
    """The first line at the indentation that the lines behind it are quoted at."""
    edit_unit, file_unit = cache(lambda: unit_of(split_bodies(window.old), split_bodies(new))), lambda: window.unit
    there = carry(others, edit_unit, file_unit)
    if not there.is_rule or there(first.before, first.row) == first.after:
        return None
    back = carry([Pair(pair.row, pair.after, pair.before) for pair in others], file_unit, edit_unit)
    if not back.is_rule:
        return None
    if first.before and any(carry([first, *others], unit, file_unit).is_rule for unit in (edit_unit, *_UNITS)):
        return None  # another unit explains them all
    head, *later = split_bodies(window.old)[first.row :]
    full = back(first.after, first.row)
    if full is None or there(full, first.row) != first.after:
        is_repeated = next((row for row in split_bodies(new) if row.strip()), head) == head
        return None if first.before or is_repeated else Reading(window.old, new, is_clear=False)
    if len(full) < len(first.before) and len(others) < 2:
        return None  # it has more than the other line, and one of the two is odd
    if not any(pair.before or pair.after for pair in others):
        new = _in_unit_of_file(window, new, first)
    first_said, known = fold(window.lexer, head), Counter(_said_at(window, later, first.before))
    rows = split_bodies(new)
    brought = Counter(_said_at(window, rows[1:], first.before))
    said = next(iter(_said_at(window, rows[:1], first.before)), None)
    # A line that is quoted as it was further down comes first because the lines before it go.
    is_bare = said is not None and (said not in known or said == first_said)
    is_shown = bool(first.before) and any(pair.before == first.before for pair in others)
    is_clear = is_shown or brought <= known or brought.keys() <= known.keys() - {first_said}
    if said == first_said and said in known and brought[said] != known[said]:
        is_clear = False  # one of several lines that look alike goes or comes, and nothing says which
    lost = _lost_indent(window, rows, later, full, is_same=said == first_said) if is_bare else None
    is_shown = lost is not None if is_bare else not _is_moved_otherwise(window, rows, first, there)
    is_disputed = any(there.is_disputed(indent_of(row)) for row in rows[is_bare:] if row.strip())
    is_clear = is_clear and is_shown and not is_disputed
    text = _with_indent(new, full if lost is None else lost) if is_bare else new
    return Reading(_with_indent(window.old, full), text, is_clear=is_clear)


def _lost_indent(window: Window, rows: Sequence[str], later: Sequence[str], full: str, *, is_same: bool) -> str | None:
    """What the first row of new text has lost: as much as the first of old text, or what it has further down there.

    None where the rows behind it that are in old text, too, have moved to the left, and it may have moved with them.
    `is_same`: it says what the first of old text says.
    """
    said, sent = ([fold(window.lexer, row) for row in side] for side in (later, rows))
    times = Counter(said)
    old = {key: indent_of(row) for key, row in zip(said, later, strict=True) if key and times[key] == 1}
    behind = [(old[key], indent_of(row)) for key, row in zip(sent[1:], rows[1:], strict=True) if key in old]
    own = None if is_same else old.get(sent[0])
    moves = {len(after) - len(before) for before, after in behind}
    if own is None:
        return None if moves and max(moves) < 0 else full
    if not moves:
        return min(own, full, key=len)  # what led it in goes, or what was in front of a line that closes
    if moves == {0}:
        return own
    return full if moves == {len(full) - len(own)} else None


def _is_moved_otherwise(window: Window, rows: Sequence[str], first: Pair, there: Carried) -> bool:
    """Whether new text begins with the first line of old text at an indentation that is not the line's in the file."""
    head = next((row for row in rows if row.strip()), "")
    if indent_of(head) == first.before or fold(window.lexer, head) != _said(window, first):
        return False
    return there(indent_of(head), first.row) != first.after


def _said(window: Window, first: Pair) -> str:
    """What the first line of old text says."""
    return fold(window.lexer, split_bodies(window.old)[first.row])


def _said_at(window: Window, rows: Sequence[str], indent: str) -> list[str]:
    """What the rows say that have an indentation."""
    return [fold(window.lexer, row) for row in rows if row.strip() and indent_of(row) == indent]


def _alone(window: Window, new: str, first: Pair, *, asks_parser: bool) -> Reading | None:
    """One line of old text with less indentation than the file's line."""
    if first.before == first.after or not first.after.endswith(first.before):
        return None
    old = _with_indent(window.old, first.after)
    rows = [row for row in split_bodies(new) if row.strip()]
    if not rows:
        return Reading(old, new)
    again = _again(window, rows[1:], first)
    if first.before in again and first.after not in again:
        shifted = _shifted(window, new, first)
        return Reading(old, new, is_clear=False) if shifted is None else Reading(old, shifted, is_sure=False)
    new = _in_unit_of_file(window, new, first)
    if _is_in_no_unit_of_file(window, new):
        return Reading(old, new, is_sure=False, is_clear=False)
    lead = indent_of(next(row for row in split_bodies(new) if row.strip()))
    again = _again(window, rows, first)
    if lead == first.after or (lead != first.before and first.after in again):
        return Reading(old, new)  # it has its indentation
    if lead.startswith(first.after) and not again:
        return Reading(old, new)
    # A blank line may have come in its place, and the line behind it is another.
    is_first = bool(split_bodies(new)[0].strip()) != bool(first.row) or first.before in again
    literal = _with_indent(new, first.after.removesuffix(first.before) + lead) if is_first else new
    if lead != first.before:
        return Reading(old, literal, is_sure=False, is_clear=False)
    if is_first and len(rows) == 1:
        return Reading(old, literal)
    return _chosen(window, old, literal, _shifted(window, new, first), first, asks_parser=asks_parser)


def _again(window: Window, rows: Sequence[str], first: Pair) -> list[str]:
    """The indentation of lines of new text that say what the line of old text says."""
    said = _said(window, first)
    return [indent_of(row) for row in rows if fold(window.lexer, row) == said]


def _in_unit_of_file(window: Window, new: str, first: Pair) -> str:
    """New text with the file's tabs for its blanks, or the other way round, where the file has none of its kind."""
    rows = [row for row in split_bodies(new) if row.strip()]
    if window.unit is None or not _is_in_no_unit_of_file(window, new):
        return new
    kinds = {row[0] for row in rows if row[0] in " \t"}
    levels = len(first.after) // len(window.unit)
    least = len(indent_of(rows[0])) // max(levels, 1)
    unit = "\t" if kinds == {"\t"} else unit_of(rows) or " " * least
    if unit not in _UNITS:
        return new
    return _moved(new, carry([Pair(0, unit, window.unit)], unit, window.unit)) or new


def _is_in_no_unit_of_file(window: Window, new: str) -> bool:
    """Whether new text is indented with blanks alone where all lines around have tabs, or the other way round."""
    rows = [row for row in split_bodies(new) if row.strip()]
    around = [row for row in (*window.above, *window.rows, *window.below) if row.strip()]
    kinds, known = ({row[0] for row in texts if row[0] in " \t"} for texts in (rows, around))
    return len(kinds) == 1 and len(known) == 1 and kinds != known


def _shifted(window: Window, new: str, first: Pair) -> str | None:
    """New text whose lines are all quoted relative to its first; None where one would be left of the margin."""
    return _moved(new, carry([first], unit_of(split_bodies(new)), window.unit))


def _moved(text: str, carried: Carried) -> str | None:
    """A text with every indentation carried over; None where one is out of reach."""
    lines: list[str] = []
    for line in split_lines(text):
        indent = carried(indent_of(line), 0) if line.strip() else ""
        if indent is None:
            return None
        lines.append(indent + line.lstrip(" \t") if line.strip() else line)
    return "".join(lines)


def _chosen(window: Window, old: str, literal: str, shifted: str | None, first: Pair, *, asks_parser: bool) -> Reading:
    """The reading that parses, or else the one that agrees with the lines around."""
    if shifted is None:
        return Reading(old, literal, is_sure=False)
    is_valid = is_valid_shifted = True
    if asks_parser:
        is_valid, is_valid_shifted = _parses(window, literal), _parses(window, shifted)
    if is_valid != is_valid_shifted:
        return Reading(old, literal) if is_valid else Reading(old, shifted, is_sure=False)
    rows = [row for row in split_bodies(literal) if row.strip()]
    if first.before or (len(rows) > 1 and _leads_in(rows[0]) and not _is_led_in(rows[0], rows[1])):
        return Reading(old, shifted, is_sure=False)  # with some indentation, it is quoted further left, not bare
    if all(width_of(row) >= width_of(first.after) for row in rows):
        return Reading(old, literal, is_sure=is_valid)
    fits, fits_shifted = (_is_in_place(window, split_bodies(text)) for text in (literal, shifted))
    if fits_shifted and not fits:
        return Reading(old, shifted, is_sure=False)
    return Reading(old, literal, is_sure=fits and not fits_shifted)


def _parses(window: Window, new: str) -> bool:
    """Whether the file parses with new text in the place of the window; also where nobody can tell."""
    source, span = window.source, window.span
    known = format_of(source.path)
    if known is None or known.fault is None or len(source.text) > known.largest:
        return True
    ending = "" if line_ending(new) else line_ending(span.of(source.text))
    text = source.text[: span.start] + new + ending + source.text[span.end :]
    return not isinstance(known.fault(Source.of_text(text, path=source.path)), Fault)


def _is_in_place(window: Window, rows: Sequence[str]) -> bool:
    """Whether rows agree with the lines around: no depth that is open nowhere above, none torn by the line below."""
    visible = [row for row in rows if row.strip()]
    open_depths, lowest = {0}, None
    for width in (width_of(row) for row in window.above if row.strip()):
        if lowest is None or width < lowest:
            open_depths.add(width)
            lowest = width
        if lowest == 0:
            break
    for row, behind in pairwise(visible):
        depth, next_depth = width_of(row), width_of(behind)
        open_depths.add(depth)
        if next_depth > depth and not _opens(row) and not _CONTINUES.match(behind.lstrip()):
            return False
        if _leads_in(row) and not _is_led_in(row, behind):
            return False
        if next_depth < depth and next_depth not in open_depths:
            return False
    last, below = visible[-1], next((row for row in window.below if row.strip()), "")
    if _CLOSER.match(below.lstrip()):
        return width_of(last) > width_of(below) or (_opens(last) and width_of(last) == width_of(below))
    return width_of(last) >= width_of(below) or _opens(last)


def _opens(row: str) -> bool:
    """Whether a row leads in what comes after it."""
    said = row.strip()
    return _leads_in(row) or bool(_ITEM.match(said) or _OPENS.search(said) or _TAG.search(said))


def _leads_in(row: str) -> bool:
    """Whether what comes after a row has to be deeper: the row has an open bracket."""
    closed = 0
    for char in reversed(row):
        closed += (char in ")]}") - (char in "([{")
        if closed < 0:
            return True
    return False


def _is_led_in(row: str, behind: str) -> bool:
    """Whether a row is deeper than the one before it, or closes what that has opened."""
    return width_of(behind) > width_of(row) or bool(_CLOSER.match(behind.lstrip()))


def _with_indent(text: str, indent: str) -> str:
    """A text with another indentation of its first line that is not blank."""
    lines = split_lines(text)
    at = next(row for row, line in enumerate(lines) if line.strip())
    return "".join([*lines[:at], indent + lines[at].lstrip(" \t"), *lines[at + 1 :]])
