"""What an edit writes where its old text was found with differences: only what the edit really changes.

The old text is the base of a three-way merge: rows that old and new share keep the file's bytes, rows that the edit
changes are replaced, rows that it adds are carried over to the file's indentation and line endings.

Invariants:

1. A row is replaced or removed only if the file's row says the same as the old text's, whatever it looks like; else
   the answer is a `Drift`, unless the caller chose to merge or to overwrite.
2. Rows are added only where the rows around the place stand side by side in the file; else the answer is a `Drift`.
3. What old and new have in common of a row (its words, blanks, typography, indentation) stays as the file has it.
4. Pieces are whole rows of the window, in order, and apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from steadyhand.match.align import Alignment, Likeness, Pairing, row_key
from steadyhand.match.lexis import Lexis
from steadyhand.plan.carried import NewRows, Uncertain
from steadyhand.plan.relay import relay
from steadyhand.plan.seams import Drift, Seams, drift_of
from steadyhand.plan.sections import BlankRun, Repeated, sections_of
from steadyhand.text.diff import Change
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import body, line_ending, split_lines
from steadyhand.text.merge import merge_words

__all__ = ["Piece", "Rebuilt", "Window", "rebuild"]


@dataclass(frozen=True, slots=True)
class Window:
    """The rows of the file that answer to the old text, with their endings, and how they answer.

    `newline` ends a new row that has no neighbour to learn from; `unit` is the file's level of indentation.
    `is_partial`: the first row starts in the middle of its line, so that its indentation says nothing.
    `above` and `below` are rows of the file around the window, the nearest first.
    """

    rows: tuple[str, ...]
    alignment: Alignment
    lexis: Lexis
    newline: str
    unit: str | None
    is_partial: bool = False
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows `start:end` of the window become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What to write, in order."""

    pieces: tuple[Piece, ...]


def rebuild(window: Window, old: str, new: str, *, on_drift: str = "refuse") -> Rebuilt | Drift:
    """The pieces that make the edit in the window, or the rows that stand in its way."""
    return _Builder(window, old, new, on_drift).build()


class _Builder:
    """One edit in one window."""

    def __init__(self, window: Window, old: str, new: str, on_drift: str) -> None:
        self._window = window
        self._old, self._new = _rows(old), _rows(new)
        if new.endswith(("\n", "\r")) and old and not old.endswith(("\n", "\r")):
            self._new.append("")  # the edit brings an ending of its own, so there is a row after it
        self._on_drift = on_drift
        self._seams = Seams(window.alignment)
        self._rows = NewRows(
            window.rows,
            window.alignment,
            self._old,
            self._new,
            window.unit,
            window.newline,
            lexis=window.lexis,
            is_partial=window.is_partial,
        )

    def build(self) -> Rebuilt | Drift:
        pieces: list[Piece] = []
        for section in sections_of(self._old, self._new, self._window.alignment, self._window.lexis):
            made = self._made(section)
            if isinstance(made, Drift):
                return made
            if made is not None:
                pieces.append(made)
        return Rebuilt(tuple(self._settled(pieces)))

    def _made(self, section: Repeated | BlankRun | Change) -> Piece | Drift | None:
        try:
            match section:
                case Repeated():
                    return self._repeated(section)
                case BlankRun():
                    return self._blank_run(section)
                case Change():
                    is_addition = section.before_start == section.before_end
                    return self._inserted(section) if is_addition else self._replaced(section)
        except Uncertain:
            at = section.before_start if isinstance(section, Change) else getattr(section, "old", 0)
            return drift_of(self._window.alignment[self._seams.index_near(at)])

    def _repeated(self, pair: Repeated) -> Piece | Drift | None:
        """A row that the edit repeats: what it has in common with the old text stays as the file has it."""
        pairing = self._seams.holding(pair.old)
        old, new = self._old[pair.old], self._new[pair.new]
        if old == new or pairing.start == pairing.end or pairing.is_kept:
            return None
        row = self._window.rows[pairing.start]
        if pairing.is_blank:
            return Piece(pairing.start, pairing.end, self._blank(old, new, pairing))
        if pairing.end - pairing.start != 1:
            return None if old.strip() == new.strip() and indent_of(old) == indent_of(new) else drift_of(pairing)
        ours = body(row)
        said = _merged(*(text.strip(" \t") for text in (old, ours, new)))
        if said is None:
            return drift_of(pairing)
        lead = indent_of(ours)
        if indent_of(old) != indent_of(new) and not self._rows.has_lost_its_indent(pair.new):
            strange = self._seams.added_beside(pair.old)
            if strange is not None:
                return drift_of(strange)  # rows that nobody told to move with the rows around them
            lead = self._rows.indent_of_row(pair.new, pair.old)
        trail = _merged(*map(_trail, (old, ours, new)))
        made = lead + said + (_trail(ours) if trail is None else trail)
        return Piece(pairing.start, pairing.end, made + line_ending(row))

    def _blank(self, old: str, new: str, pairing: Pairing) -> str:
        """A row of nothing but blanks: the file's, unless the edit changes just these blanks."""
        row = self._window.rows[pairing.start]
        return (body(row) if (merged := _merged(old, body(row), new)) is None else merged) + line_ending(row)

    def _blank_run(self, run: BlankRun) -> Piece | Drift | None:
        """Another number of blank rows between two rows: a change only if the file has as many as the old text."""
        found = self._seams.blanks_before(run.row)
        if isinstance(found, Drift):
            return found
        start, end = found
        if end - start == run.end - run.start:
            return None
        if end - start != run.before:
            return Drift(run.row - run.before, run.row, start, end)
        kept = self._window.rows[start : min(end, start + run.end - run.start)]
        brought = self._rows.carried(Change(run.row, run.row, run.start + len(kept), run.end), end, end)
        return Piece(start, end, "".join([*kept, *brought]))

    def _replaced(self, change: Change) -> Piece | Drift:
        pairings = self._seams.held(change.before_start, change.before_end)
        for pairing in pairings:
            if pairing.is_kept or pairing.is_added or pairing.is_missing:
                return drift_of(pairing)
            if not pairing.likeness.is_sure and self._on_drift == "refuse":
                return drift_of(pairing)
            if not self._is_that_sign(pairing):
                return drift_of(pairing)
        start, end = pairings[0].start, pairings[-1].end
        if change.after_start == change.after_end and self._seams.leaves_strange_blanks(start, end):
            return drift_of(pairings[0])
        text = self._written(change, pairings)
        unsure = next((pairing for pairing in pairings if not pairing.likeness.is_sure), pairings[0])
        return Piece(start, end, text) if text is not None else drift_of(unsure)

    def _is_that_sign(self, pairing: Pairing) -> bool:
        """Whether a row of mere signs, as every bracket looks like the next, is as deep as the rows around it say."""
        if pairing.is_blank or pairing.old_end - pairing.old_start != 1 or pairing.end - pairing.start != 1:
            return True
        row = self._old[pairing.old_start]
        if any(char.isalnum() for char in row):
            return True
        return self._rows.is_as_deep(pairing.old_start, body(self._window.rows[pairing.start]))

    def _written(self, change: Change, pairings: list[Pairing]) -> str | None:
        """What comes in place of the pairings; None where a merge was asked for and is not clean."""
        if len(pairings) == 1 and _is_laid_out_otherwise(pairings[0]):
            return self._laid_out(change, pairings[0])
        start, end = pairings[0].start, pairings[-1].end
        texts = self._rows.carried(change, start, end)
        if len(texts) == change.before_end - change.before_start and all(map(_is_one_to_one, pairings)):
            merged = [self._joined(change, pairing, texts) for pairing in pairings]
            return None if None in merged else "".join(text for text in merged if text is not None)
        if len(texts) > 1 and any(_is_file_only(pairing) for pairing in pairings):
            raise Uncertain  # blank rows that the old text does not know of, and no telling between which rows they go
        if self._on_drift == "merge" and any(not pairing.likeness.is_sure for pairing in pairings):
            return None
        return "".join(texts)

    def _joined(self, change: Change, pairing: Pairing, texts: list[str]) -> str | None:
        """One row with the edit's words in the file's row where that row has other typography or has drifted."""
        if _is_file_only(pairing):
            return "".join(self._window.rows[pairing.start : pairing.end])
        offset = pairing.old_start - change.before_start
        text = texts[offset]
        is_drift = not pairing.likeness.is_sure
        brought = self._new[change.after_start + offset]
        if pairing.is_blank and not brought.strip(" \t"):
            return self._blank(self._old[pairing.old_start], brought, pairing)
        if not is_drift and pairing.likeness is not Likeness.TYPOGRAPHY:
            return text
        ours = body(self._window.rows[pairing.start])
        old, new = self._old[pairing.old_start].strip(" \t"), brought.strip(" \t")
        merged = merge_words(old, ours.strip(" \t"), new)
        if merged is None or (is_drift and self._on_drift == "new"):
            return None if is_drift and self._on_drift == "merge" else text
        trail = _merged(*(_trail(row) for row in (self._old[pairing.old_start], ours, brought)))
        lead = text[: len(text) - len(text.lstrip(" \t"))]
        return lead + merged + (_trail(ours) if trail is None else trail) + line_ending(text)

    def _laid_out(self, change: Change, pairing: Pairing) -> str:
        """The edit's words in the file's layout of a statement."""
        ours = "".join(self._window.rows[pairing.start : pairing.end])
        old = "\n".join(self._old[pairing.old_start : pairing.old_end])
        new = "\n".join(self._new[change.after_start : change.after_end])
        if not new.strip():
            return "".join(self._rows.carried(change, pairing.start, pairing.end))
        return relay(old, ours, new, self._window.lexis)

    def _inserted(self, change: Change) -> Piece | Drift:
        at = self._seams.seam(change.before_start)
        if isinstance(at, Drift):
            return at
        if self._stands_there(change, at):
            return Drift(change.before_start, change.before_start, at, at)
        return Piece(at, at, "".join(self._rows.carried(change, at, at)))

    def _stands_there(self, change: Change, at: int) -> bool:
        """Whether the rows that are to be added, if they have words, stand right above or right below already."""
        added = [row_key(self._window.lexis, row) for row in self._new[change.after_start : change.after_end]]
        added = [key for key in added if key]
        if not any(char.isalnum() for key in added for char in key):
            return False
        above = [*self._window.rows[:at][::-1], *self._window.above]
        below = [*self._window.rows[at:], *self._window.below]
        return added in (self._first_keys(below, len(added)), self._first_keys(above, len(added))[::-1])

    def _first_keys(self, rows: Sequence[str], count: int) -> list[str]:
        keys = (row_key(self._window.lexis, body(row)) for row in rows if row.strip())
        return list(islice(keys, count))

    def _settled(self, pieces: list[Piece]) -> Iterator[Piece]:
        """The pieces that change something; the last row has an ending only if the window's last row has."""
        rows = self._window.rows
        for piece in self._without_last_row(pieces):
            text = piece.text
            if piece.end == len(rows) and rows and not line_ending(rows[-1]) and text:
                last = line_ending(text)
                text = text[: len(text) - len(last)]
                if piece.start == len(rows):
                    text = (last or self._window.newline) + text
            if text != "".join(rows[piece.start : piece.end]):
                yield Piece(piece.start, piece.end, text)

    def _without_last_row(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces; where the last row goes and had no ending, the row that is then the last has none either."""
        rows = self._window.rows
        last = pieces[-1] if pieces else None
        if last is None or last.text or last.end < len(rows) or not last.start or line_ending(rows[-1]):
            return pieces
        if len(pieces) > 1 and pieces[-2].end == last.start:
            before = pieces[-2]
            return [*pieces[:-2], Piece(before.start, last.end, before.text)]
        return [*pieces[:-1], Piece(last.start - 1, last.end, rows[last.start - 1])]


def _rows(text: str) -> list[str]:
    return [body(line) for line in split_lines(text)]


def _merged(old: str, ours: str, new: str) -> str | None:
    """One aspect of a row, three ways: who changed it has it; None where both did, and differently."""
    if old == new or ours == new:
        return ours
    return new if ours == old else None


def _trail(row: str) -> str:
    return row[len(row.rstrip(" \t")) :]


def _is_file_only(pairing: Pairing) -> bool:
    return pairing.old_start == pairing.old_end


def _is_one_to_one(pairing: Pairing) -> bool:
    """Whether one row answers to one row, or blank rows of the file to nothing."""
    return pairing.end - pairing.start == 1 == pairing.old_end - pairing.old_start or _is_file_only(pairing)


def _is_laid_out_otherwise(pairing: Pairing) -> bool:
    """Whether both sides are one statement on different numbers of rows."""
    return pairing.likeness is Likeness.TOKENS and (
        pairing.old_end - pairing.old_start > 1 or pairing.end - pairing.start > 1
    )
