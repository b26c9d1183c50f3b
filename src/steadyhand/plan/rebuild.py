"""What an edit writes where its old text was found with differences: only what the edit really changes.

The old text is the base of a three-way merge: rows that old and new share keep the file's bytes, rows that the edit
changes are replaced, rows that it adds are carried over to the file's indentation and line endings.

Invariants:

1. A row is replaced or removed only if the file's row says the same as the old text's, whatever it looks like; else
   the answer is a `Drift`, unless the caller chose to merge or to overwrite.
2. Rows are added only where the rows around the place are side by side in the file; else the answer is a `Drift`.
3. Where the edit does not tell which of several rows that say the same goes or comes, no row of which the old text
   says nothing, and none that has drifted, is among them; else the answer is a `Drift`.
4. What old and new have in common of a row (its words, blanks, typography, indentation) stays as the file has it.
5. Pieces are whole rows of the window, in order, and apart.

A row has three versions: as the edit quotes it, as the file has it, as the edit wants it. Each aspect of it (what it
says, the blanks behind it) is merged by itself: who changed it has it. The indentation is decided by all rows together:
new rows come at the file's indentation and with its line endings, and what they say is written as the edit has it.
A statement that the file wraps in another way gets only the words that change; its layout stays.
The last row of a window has an ending after the edit if it had one before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

from steadyhand.lazy import dataclass, replace
from steadyhand.match.align import Likeness, Pairing
from steadyhand.match.lexer import Lexer, tokens
from steadyhand.match.tier import Signs
from steadyhand.plan.merge_window import (
    BlankRun,
    Drift,
    InsertPoints,
    Repeated,
    Section,
    Window,
    drift_of,
    repeated_rows,
    sections_of,
    twins_beside,
)
from steadyhand.text.diff import Change, diff_rows
from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of
from steadyhand.text.lines import body, line_ending, split_bodies
from steadyhand.text.merge import merge_tokens
from steadyhand.text.visible import sized


def rebuild(
    window: Window, new: str, *, on_drift: str = "refuse", signs: Signs | None = None
) -> tuple[RowEdit, ...] | Drift:
    """The pieces that put `new` in the place of the window's old text, or the rows that are in the way."""
    return _Builder(window, new, on_drift, signs).build()


class _Builder:
    """One edit in one window."""

    def __init__(self, window: Window, new: str, on_drift: str, signs: Signs | None) -> None:
        self._window, self._on_drift, self._signs = window, on_drift, signs
        self._old, self._new = split_bodies(window.old), split_bodies(new)
        if new.endswith(("\n", "\r")) and window.old and not window.old.endswith(("\n", "\r")):
            self._new.append("")  # the edit brings an ending of its own, so there is a row after it
        self._again = repeated_rows(self._old, self._new, window.lexer) if signs is None else None
        self._points = InsertPoints(window.alignment)
        self._rows = NewRows(window, self._old, self._new, self._again)

    def build(self) -> tuple[RowEdit, ...] | Drift:
        pieces: list[RowEdit] = []
        lexer, alignment = self._window.lexer, self._window.alignment
        sections = sections_of(self._old, self._new, alignment, lexer, self._signs, self._again)
        for at, section in enumerate(sections):
            if isinstance(section, Repeated) and self._old[section.old] == self._new[section.new]:
                continue
            made = self._among_twins(sections, at) or self._made(section)
            if isinstance(made, Drift):
                return made
            if made is not None:
                pieces.append(made)
        return tuple(settled(pieces, self._window.rows, self._window.newline))

    def _made(self, section: Section) -> RowEdit | Drift | None:
        try:
            match section:
                case Repeated():
                    return self._repeated(section)
                case BlankRun():
                    return self._blank_run(section)
                case Change(before_start=start, before_end=end) if start == end:
                    return self._inserted(section)
                case Change():
                    return self._replaced(section)
        except Uncertain:
            return drift_of(self._points.near(_row_of(section)))

    def _among_twins(self, sections: Sequence[Section], at: int) -> Drift | None:
        """What the file has otherwise among the rows of a change and those beside it that say the same."""
        change = sections[at]
        if not isinstance(change, Change):
            return None
        twins = twins_beside(sections, at, self._old, self._new, self._window.lexer)
        if not twins:
            return None
        rows = [*twins, *range(change.before_start, change.before_end)]
        for pairing in self._points.held(min(rows), max(rows) + 1):
            is_drifted_twin = pairing.old_start in twins and not pairing.likeness.is_sure
            if pairing.likeness is Likeness.NONE or is_drifted_twin:
                return drift_of(pairing)
        return None

    def _repeated(self, pair: Repeated) -> RowEdit | Drift | None:
        """A row that the edit repeats: what it has in common with the old text stays as the file has it."""
        pairing = self._points.holding(pair.old)
        old, new = self._old[pair.old], self._new[pair.new]
        if old == new or pairing.start == pairing.end or pairing.is_kept:
            return None
        versions = self._versions(pairing, new)
        if pairing.is_blank:
            return self._row(pairing, versions.blank)
        # The file has no single row to rewrite there, so nothing but trailing blanks may differ.
        if pairing.end - pairing.start != 1:
            return None if old.strip() == new.strip() and indent_of(old) == indent_of(new) else drift_of(pairing)
        if versions.said is None:
            return drift_of(pairing)
        lead = self._lead(pair, versions)
        return lead if isinstance(lead, Drift) else self._row(pairing, lead + versions.said + versions.trail)

    def _lead(self, pair: Repeated, versions: Versions) -> str | Drift:
        """The indentation of a repeated row: the file's, unless the edit moves the row sideways."""
        if indent_of(versions.old) == indent_of(versions.new):
            return indent_of(versions.ours)
        strange = self._points.added_beside(pair.old)
        if strange is not None:
            return drift_of(strange)  # rows that nobody asked to move with the rows around them
        return self._rows.indent_of_row(pair.new, pair.old)

    def _blank_run(self, run: BlankRun) -> RowEdit | Drift | None:
        """Another number of blank rows between two rows: a change only if the file has as many as the old text."""
        found = self._points.blanks_before(run.row)
        if isinstance(found, Drift):
            return found
        start, end = found
        if end - start == run.end - run.start:
            return None
        if end - start != run.before:
            return Drift(run.row - run.before, run.row, start, end)
        if run.kept is not None:
            return RowEdit(start, end, self._blanks(run, run.kept, start, end))
        # The file's own blank rows come first: their blanks and endings are not the edit's to change.
        kept = self._window.rows[start : min(end, start + run.end - run.start)]
        brought = self._rows.carried(Change(run.row, run.row, run.start + len(kept), run.end), end, end)
        return RowEdit(start, end, "".join([*kept, *brought]))

    def _blanks(self, run: BlankRun, kept: Sequence[int | None], start: int, end: int) -> str:
        """Blank rows of which the edit says which ones stay."""
        rows = [None if row is None else self._window.rows[start + row] for row in kept]
        brought = iter(self._rows.carried(Change(run.row, run.row, run.start, run.end), end, end))
        return "".join(new if row is None else row for row, new in zip(rows, brought, strict=True))

    def _replaced(self, change: Change) -> RowEdit | Drift:
        pairings = self._points.held(change.before_start, change.before_end)
        strange = next((pairing for pairing in pairings if not self._may_be_replaced(pairing)), None)
        if strange is not None:
            return drift_of(strange)
        start, end = pairings[0].start, pairings[-1].end
        # The rows would go and leave blank rows of the file side by side, of which the edit knows nothing.
        if change.after_start == change.after_end and self._points.leaves_strange_blanks(start, end):
            return drift_of(pairings[0])
        text = self._written(change, pairings)
        unsure = next((pairing for pairing in pairings if not pairing.likeness.is_sure), pairings[0])
        return RowEdit(start, end, text) if text is not None else drift_of(unsure)

    def _may_be_replaced(self, pairing: Pairing) -> bool:
        if pairing.is_kept or pairing.is_added or pairing.is_missing:
            return False
        return (pairing.likeness.is_sure or self._on_drift != "refuse") and self._is_that_sign(pairing)

    def _is_that_sign(self, pairing: Pairing) -> bool:
        """Whether a row of mere signs, as every bracket looks like the next, is as deep as the rows around it say."""
        if pairing.is_blank or not pairing.is_one_to_one or any(map(str.isalnum, self._old[pairing.old_start])):
            return True
        return self._rows.is_as_deep(pairing.old_start, body(self._window.rows[pairing.start]))

    def _written(self, change: Change, pairings: Sequence[Pairing]) -> str | None:
        """What comes in place of the pairings; None where a merge was asked for and is not clean."""
        if len(pairings) == 1 and pairings[0].is_laid_out_otherwise:
            return self._laid_out(change, pairings[0])
        texts = self._rows.carried(change, pairings[0].start, pairings[-1].end)
        if len(texts) == change.before_end - change.before_start and all(map(_is_row_by_row, pairings)):
            merged = [self._joined(change, pairing, texts) for pairing in pairings]
            return None if None in merged else "".join(text for text in merged if text is not None)
        if len(texts) > 1 and any(pairing.is_file_only for pairing in pairings):
            raise Uncertain  # blank rows that the old text does not know of, and no telling between which rows they go
        if any(pairing.is_blank and pairing.start == pairing.end for pairing in pairings) and not all(
            map(str.strip, texts)
        ):
            raise Uncertain  # blank rows that the file does not have, and no telling whether the new ones are those
        if self._on_drift == "merge" and any(not pairing.likeness.is_sure for pairing in pairings):
            return None
        return "".join(texts)

    def _joined(self, change: Change, pairing: Pairing, texts: Sequence[str]) -> str | None:
        """One row with the edit's words in the file's row where that row has other typography or has drifted."""
        if pairing.is_file_only:
            return "".join(self._window.rows[pairing.start : pairing.end])
        offset = pairing.old_start - change.before_start
        text, brought = texts[offset], self._new[change.after_start + offset]
        versions = self._versions(pairing, brought)
        if pairing.is_blank and not brought.strip(" \t"):
            return versions.blank + line_ending(self._window.rows[pairing.start])
        if pairing.likeness.is_sure and pairing.likeness is not Likeness.TYPOGRAPHY:
            return text
        words = versions.words
        if words is not None:  # also where the new text is to be taken: a word that it repeats misspelt is the file's
            return indent_of(text) + words + versions.trail + line_ending(text)
        return text if pairing.likeness.is_sure or self._on_drift == "new" else None

    def _laid_out(self, change: Change, pairing: Pairing) -> str:
        """The edit's words in the file's layout of a statement."""
        ours = "".join(self._window.rows[pairing.start : pairing.end])
        old = "\n".join(self._old[pairing.old_start : pairing.old_end])
        new = "\n".join(self._new[change.after_start : change.after_end])
        if not new.strip():
            return "".join(self._rows.carried(change, pairing.start, pairing.end))
        return relayout(old, ours, new, self._window.lexer)

    def _inserted(self, change: Change) -> RowEdit | Drift:
        at = self._points.between(change.before_start)
        if isinstance(at, Drift):
            return at
        # The same rows are there already: most likely somebody has made this very edit.
        if self._window.has_beside(self._new[change.after_start : change.after_end], at):
            return Drift(change.before_start, change.before_start, at, at)
        return RowEdit(at, at, "".join(self._rows.carried(change, at, at)))

    def _versions(self, pairing: Pairing, new: str) -> Versions:
        return Versions(self._old[pairing.old_start], body(self._window.rows[pairing.start]), new)

    def _row(self, pairing: Pairing, text: str) -> RowEdit:
        return RowEdit(pairing.start, pairing.end, text + line_ending(self._window.rows[pairing.start]))


def _row_of(section: Section) -> int:
    """The row of the old text at which a section starts, or in front of which it is."""
    match section:
        case Repeated(old=row) | BlankRun(row=row) | Change(before_start=row):
            return row


def _is_row_by_row(pairing: Pairing) -> bool:
    """Whether one row answers to one row, or blank rows of the file to nothing."""
    return pairing.is_one_to_one or pairing.is_file_only


@sized("old", "ours", "new")
@dataclass(frozen=True, slots=True)
class Versions:
    """The row before (`old`), the file's (`ours`) and the row after (`new`), all without endings.

    >>> Versions("a = 1", "  a  =  1 ", "a = 1").said
    'a  =  1'
    """

    old: str
    ours: str
    new: str

    @property
    def said(self) -> str | None:
        """What the row says, as a whole; None where edit and file both changed it, and differently."""
        return _merged(*self._stripped())

    @property
    def words(self) -> str | None:
        """What the row says, merged token by token; None where edit and file changed the same token."""
        return merge_tokens(*self._stripped())

    @property
    def trail(self) -> str:
        """The blanks behind it; the file's where both changed them."""
        trails = [row[len(row.rstrip(" \t")) :] for row in (self.old, self.ours, self.new)]
        merged = _merged(*trails)
        return trails[1] if merged is None else merged

    @property
    def blank(self) -> str:
        """A row of nothing but blanks: the file's, unless the edit changes just these blanks."""
        merged = _merged(self.old, self.ours, self.new)
        return self.ours if merged is None else merged

    def _stripped(self) -> tuple[str, str, str]:
        return self.old.strip(" \t"), self.ours.strip(" \t"), self.new.strip(" \t")


def _merged(old: str, ours: str, new: str) -> str | None:
    if old == new or ours == new:
        return ours
    return new if ours == old else None


@sized("text")
@dataclass(frozen=True, slots=True)
class RowEdit:
    """Rows `start:end` of the window become `text`."""

    start: int
    end: int
    text: str


def settled(pieces: Sequence[RowEdit], rows: Sequence[str], newline: str) -> Iterator[RowEdit]:
    """The pieces that change something; the last row has an ending only if the window's last row has.

    >>> [piece] = settled([RowEdit(0, 1, "x\\n"), RowEdit(1, 2, "y\\n")], ["x\\n", "b"], "\\n")
    >>> piece.start, piece.end, piece.text
    (1, 2, 'y')
    """
    is_open = bool(rows) and not line_ending(rows[-1])
    for piece in _without_last_row(pieces, rows) if is_open else pieces:
        text = piece.text
        if is_open and piece.end == len(rows) and text:
            text = body(text)
            if piece.start == len(rows):  # behind a row without ending: that row ends first
                text = (line_ending(piece.text) or newline) + text
        if text != "".join(rows[piece.start : piece.end]):
            yield replace(piece, text=text)


def _without_last_row(pieces: Sequence[RowEdit], rows: Sequence[str]) -> Sequence[RowEdit]:
    """The pieces; where the last row goes and had no ending, the row that is then the last has none either."""
    last = pieces[-1] if pieces else None
    if last is None or last.text or last.end < len(rows) or not last.start:
        return pieces
    if len(pieces) > 1 and pieces[-2].end == last.start:
        return [*pieces[:-2], replace(pieces[-2], end=last.end)]
    return [*pieces[:-1], RowEdit(last.start - 1, last.end, rows[last.start - 1])]


def relayout(old: str, ours: str, new: str, lexer: Lexer) -> str:
    """`ours` with the tokens that `new` changes with respect to `old`.

    >>> from steadyhand.match.lexer import lexer_of
    >>> relayout("f(a, b)", "f(\\n    a,\\n    b\\n)\\n", "f(a, c)", lexer_of("x.py"))
    'f(\\n    a,\\n    c\\n)\\n'
    """
    here, there = tokens(lexer, ours), tokens(lexer, new)
    pieces: list[str] = []
    position = 0
    for change in diff_rows(_texts(old, lexer), [new[start:end] for start, end in there]):
        first, last = change.before_start, change.before_end
        brought = range(change.after_start, change.after_end)
        if change.is_replacement or not first:
            start = here[first][0] if first < len(here) else len(ours)
            text = new[there[brought[0]][0] : there[brought[-1]][1]] if brought else ""
            text += _blanks_behind(new, there, brought.stop) if first == last else ""
        else:
            start = here[first - 1][1]
            text = new[there[brought.start - 1][1] : there[brought[-1]][1]] if brought else ""
        pieces += [ours[position:start], text]
        position = here[last - 1][1] if first < last else start
    return "".join([*pieces, ours[position:]])


def _texts(text: str, lexer: Lexer) -> list[str]:
    return [text[start:end] for start, end in tokens(lexer, text)]


def _blanks_behind(new: str, there: list[tuple[int, int]], token: int) -> str:
    """The blanks between a token and the one before it."""
    return new[there[token - 1][1] : there[token][0]] if token < len(there) else ""


class Uncertain(Exception):
    """There is no telling at which indentation a row belongs."""


class NewRows:
    """The new rows of one edit in one window; `old` and `new` are its rows without endings.

    `again` are the rows that new and old text share, where they are known.
    """

    def __init__(
        self, window: Window, old: Sequence[str], new: Sequence[str], again: Sequence[Repeated] | None = None
    ) -> None:
        self._window, self._old, self._new, self._again = window, old, new, again
        self._rows = window.rows

    def carried(self, change: Change, start: int, end: int) -> list[str]:
        """The rows that a change brings, for rows `start:end` of the window, with endings."""
        indents = self._indents(change, start, end)
        made = []
        for offset, row in enumerate(range(change.after_start, change.after_end)):
            text = self._new[row]
            said = text.strip(" \t")
            if said:
                text = indents[offset] + self._moved.get(said, text.lstrip(" \t"))
            else:
                text = self._blanks.get(text, self._carry.blank(text))
            made.append(text + self.ending(start, end, offset))
        return made

    def indent_of_row(self, row: int, old: int) -> str:
        """The indentation of a new row that is the new form of an old row and has moved sideways."""
        indent = indent_of(self._new[row])
        found = self._carry(indent, old)
        if found is None or self._is_disputed(indent, old):
            raise Uncertain
        return found

    def is_as_deep(self, old: int, row: str) -> bool:
        """Whether a row of the file is as deep as the row it answers to, by the rule that holds for the others."""
        return self._carry.is_rule and self._carry(indent_of(self._old[old]), old) == indent_of(row)

    def ending(self, start: int, end: int, offset: int) -> str:
        """The ending of the row it replaces, else of the row before, else of the row after."""
        if start < end:
            found = line_ending(self._rows[min(start + offset, end - 1)])
        else:
            found = line_ending(self._rows[start - 1]) if start else ""
        if not found:
            around = [*self._rows[:start][::-1], *self._rows[start:]]
            found = next((ending for row in around if (ending := line_ending(row))), self._window.newline)
        return found

    @cached_property
    def _carry(self) -> Carried:
        units = cache(lambda: unit_of(self._old, self._new)), lambda: self._window.unit
        carried = carry(self._pairs, *units)
        if not self._is_new_as_in_file():
            return carried
        as_in_file = carry([pair._replace(before=pair.after) for pair in self._pairs], *units)
        return replace(carried, rival=lambda: as_in_file.rule) if self._begins_as_quoted() else as_in_file

    @cached_property
    def _pairs(self) -> list[Pair]:
        """Rows that both sides have, with their indentation on each: the sure ones, or else those that are alike."""
        paired = [
            pairing
            for pairing in self._window.alignment
            if not (pairing.is_blank or pairing.is_kept or pairing.likeness is Likeness.NONE)
            and not (self._window.is_partial and pairing.start == 0)
        ]
        return [
            Pair(pairing.old_start, indent_of(self._old[pairing.old_start]), indent_of(self._rows[pairing.start]))
            for pairing in [pairing for pairing in paired if pairing.likeness.is_sure] or paired
        ]

    @cached_property
    def _alike(self) -> dict[str, set[str | None]]:
        """What the file has for an indentation of rows that are merely alike, which a rule may not contradict."""
        found: dict[str, set[str | None]] = {}
        for one in self._window.alignment:
            if one.likeness is Likeness.SIMILAR and one.is_one_to_one:
                found.setdefault(indent_of(self._old[one.old_start]), set()).add(indent_of(self._rows[one.start]))
        return found

    @cached_property
    def _moved(self) -> dict[str, str]:
        """What the file has for rows that are once in the old text and once in the new: the edit only moves them."""
        old, new = (Counter(row.strip(" \t") for row in rows) for rows in (self._old, self._new))
        pairs = (
            (self._old[pairing.old_start].strip(" \t"), body(self._rows[pairing.start]))
            for pairing in self._window.alignment
            if pairing.likeness in (Likeness.LAYOUT, Likeness.TYPOGRAPHY, Likeness.SIMILAR)
        )
        return {said: row.strip(" \t") for said, row in pairs if old[said] == new[said] == 1}

    @cached_property
    def _blanks(self) -> dict[str, str]:
        """What the file has where the old text has a blank row of these blanks, if it always has the same."""
        found: dict[str, set[str]] = {}
        for pairing in self._window.alignment:
            if pairing.is_blank and pairing.is_one_to_one:
                found.setdefault(self._old[pairing.old_start], set()).add(body(self._rows[pairing.start]))
        return {quoted: rows.pop() for quoted, rows in found.items() if len(rows) == 1}

    def _is_new_as_in_file(self) -> bool:
        """Whether the new text has rows of the old one at the file's indentation, which the old one has not."""
        after = {pair.row: pair.after for pair in self._pairs if pair.before != pair.after}
        shared = self._again
        if shared is None:
            shared = repeated_rows(self._old, self._new, self._window.lexer)
        kept = [indent_of(self._new[pair.new]) == after[pair.old] for pair in shared if pair.old in after]
        margin = min((len(pair.after) for pair in self._pairs), default=0)
        is_inside = all(len(indent_of(row)) >= margin for row in self._new if row.strip(" \t"))
        return bool(kept) and all(kept) and is_inside

    def _begins_as_quoted(self) -> bool:
        """Whether both texts begin at an indentation that the file's row has not: new text may be moved, then."""
        old, new = (next((row for row in rows if row.strip()), "") for rows in (self._old, self._new))
        moved = {self._old[pair.row] for pair in self._pairs if pair.before != pair.after}
        return old in moved and indent_of(old) == indent_of(new)

    def _indents(self, change: Change, start: int, end: int) -> list[str]:
        """The indentation of each new row; where the rule does not reach one of them, all keep their shape."""
        rows = range(change.after_start, change.after_end)
        found: list[str] = []
        for offset, row in enumerate(rows):
            if not self._new[row].strip(" \t"):
                found.append("")
                continue
            indent = self._indent(change, offset, indent_of(self._new[row]))
            if indent is None:
                return self._at_margin(rows, start, end)
            found.append(indent)
        return found

    def _indent(self, change: Change, offset: int, indent: str) -> str | None:
        """By the row it replaces, by the rule that holds for all, or by what all rows around it agree on."""
        same_size = change.before_end - change.before_start == change.after_end - change.after_start
        own = self._pair_at(change.before_start + offset) if same_size else None
        if own is not None and own.before == indent:
            return own.after
        if self._carry.is_rule:
            if self._is_disputed(indent, change.before_start):
                raise Uncertain
            return self._carry(indent, change.before_start)
        near = self._carry.near(change.before_start, change.before_end)
        found = self._carry.agreed(indent, [pair for pair in near if indent.startswith(pair.before)])
        if found is None:
            raise Uncertain
        return found

    def _is_disputed(self, indent: str, row: int) -> bool:
        """Whether another rule, or a row that is merely alike and no deeper, says otherwise of an indentation."""
        shown = [said for said in self._alike if said == indent or (said and indent.startswith(said))]
        is_otherwise = any(self._alike[said] != {self._carry(said, row)} for said in shown)
        return self._carry.is_disputed(indent) or (self._carry.is_rule and is_otherwise)

    def _pair_at(self, row: int) -> Pair | None:
        return next((pair for pair in self._carry.pairs if pair.row == row), None)

    def _at_margin(self, rows: range, start: int, end: int) -> list[str]:
        """Every row by its distance from the leftmost, which is where the file has its leftmost row."""
        visible = [indent_of(self._new[row]) for row in rows if self._new[row].strip(" \t")]
        least = min(visible, key=len)
        row = next((row for row in self._rows[start:] if row.strip()), "")
        if any(len(indent_of(other)) < len(indent_of(row)) for other in self._rows[start:end] if other.strip()):
            raise Uncertain
        return [indent_of(row) + indent_of(self._new[at]).removeprefix(least) for at in rows]
