"""What an edit writes where its old text was found with differences: only what the edit really changes.

The old text is the base of a three-way merge: rows that old and new share keep the file's bytes, rows that the edit
changes are replaced, rows that it adds are carried over to the file's indentation and line endings.

Invariants:

1. A row is replaced or removed only if the file's row says the same as the old text's, whatever it looks like; else
   the answer is a `Drift`, unless the caller chose to merge or to overwrite.
2. Rows are added only where the rows around the place stand side by side in the file; else the answer is a `Drift`.
3. Where the edit does not tell which of several rows that say the same goes or comes, no row of which the old text
   says nothing, and none that has drifted, stands among them; else the answer is a `Drift`.
4. What old and new have in common of a row (its words, blanks, typography, indentation) stays as the file has it.
5. Pieces are whole rows of the window, in order, and apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.match.needle import Signs
from steadyhand.match.pairing import Likeness, Pairing
from steadyhand.plan.new_rows import NewRows, Uncertain
from steadyhand.plan.piece import Piece, settled
from steadyhand.plan.relay import relay
from steadyhand.plan.seams import Drift, Seams, drift_of
from steadyhand.plan.sections import BlankRun, Repeated, Section, sections_of, twins_beside
from steadyhand.plan.versions import Versions
from steadyhand.plan.window import Window
from steadyhand.text.diff import Change
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import body, line_ending, split_bodies

__all__ = ["rebuild"]


def rebuild(
    window: Window, new: str, *, on_drift: str = "refuse", signs: Signs | None = None
) -> tuple[Piece, ...] | Drift:
    """The pieces that put `new` in the place of the window's old text, or the rows that stand in the way."""
    return _Builder(window, new, on_drift, signs).build()


class _Builder:
    """One edit in one window."""

    def __init__(self, window: Window, new: str, on_drift: str, signs: Signs | None) -> None:
        self._window, self._on_drift, self._signs = window, on_drift, signs
        self._old, self._new = split_bodies(window.old), split_bodies(new)
        if new.endswith(("\n", "\r")) and window.old and not window.old.endswith(("\n", "\r")):
            self._new.append("")  # the edit brings an ending of its own, so there is a row after it
        self._seams = Seams(window.alignment)
        self._rows = NewRows(window, self._old, self._new)

    def build(self) -> tuple[Piece, ...] | Drift:
        pieces: list[Piece] = []
        sections = sections_of(self._old, self._new, self._window.alignment, self._window.lexis, self._signs)
        for at, section in enumerate(sections):
            made = self._among_twins(sections, at) or self._made(section)
            if isinstance(made, Drift):
                return made
            if made is not None:
                pieces.append(made)
        return tuple(settled(pieces, self._window.rows, self._window.newline))

    def _made(self, section: Section) -> Piece | Drift | None:
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
            return drift_of(self._seams.near(_row_of(section)))

    def _among_twins(self, sections: Sequence[Section], at: int) -> Drift | None:
        """What the file has otherwise among the rows of a change and those beside it that say the same."""
        change = sections[at]
        if not isinstance(change, Change):
            return None
        twins = twins_beside(sections, at, self._old, self._new, self._window.lexis)
        if not twins:
            return None
        rows = [*twins, *range(change.before_start, change.before_end)]
        for pairing in self._seams.held(min(rows), max(rows) + 1):
            is_drifted_twin = pairing.old_start in twins and not pairing.likeness.is_sure
            if pairing.likeness is Likeness.NONE or is_drifted_twin:
                return drift_of(pairing)
        return None

    def _repeated(self, pair: Repeated) -> Piece | Drift | None:
        """A row that the edit repeats: what it has in common with the old text stays as the file has it."""
        pairing = self._seams.holding(pair.old)
        old, new = self._old[pair.old], self._new[pair.new]
        if old == new or pairing.start == pairing.end or pairing.is_kept:
            return None
        versions = self._versions(pairing, new)
        if pairing.is_blank:
            return self._row(pairing, versions.blank)
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
        strange = self._seams.added_beside(pair.old)
        if strange is not None:
            return drift_of(strange)  # rows that nobody told to move with the rows around them
        return self._rows.indent_of_row(pair.new, pair.old)

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
        if run.kept is not None:
            return Piece(start, end, self._blanks(run, run.kept, start, end))
        kept = self._window.rows[start : min(end, start + run.end - run.start)]
        brought = self._rows.carried(Change(run.row, run.row, run.start + len(kept), run.end), end, end)
        return Piece(start, end, "".join([*kept, *brought]))

    def _blanks(self, run: BlankRun, kept: Sequence[int | None], start: int, end: int) -> str:
        """Blank rows of which the edit says which ones stay."""
        rows = [None if row is None else self._window.rows[start + row] for row in kept]
        brought = iter(self._rows.carried(Change(run.row, run.row, run.start, run.end), end, end))
        return "".join(new if row is None else row for row, new in zip(rows, brought, strict=True))

    def _replaced(self, change: Change) -> Piece | Drift:
        pairings = self._seams.held(change.before_start, change.before_end)
        strange = next((pairing for pairing in pairings if not self._may_be_replaced(pairing)), None)
        if strange is not None:
            return drift_of(strange)
        start, end = pairings[0].start, pairings[-1].end
        if change.after_start == change.after_end and self._seams.leaves_strange_blanks(start, end):
            return drift_of(pairings[0])
        text = self._written(change, pairings)
        unsure = next((pairing for pairing in pairings if not pairing.likeness.is_sure), pairings[0])
        return Piece(start, end, text) if text is not None else drift_of(unsure)

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
        return relay(old, ours, new, self._window.lexis)

    def _inserted(self, change: Change) -> Piece | Drift:
        at = self._seams.seam(change.before_start)
        if isinstance(at, Drift):
            return at
        if self._window.has_beside(self._new[change.after_start : change.after_end], at):
            return Drift(change.before_start, change.before_start, at, at)
        return Piece(at, at, "".join(self._rows.carried(change, at, at)))

    def _versions(self, pairing: Pairing, new: str) -> Versions:
        return Versions(self._old[pairing.old_start], body(self._window.rows[pairing.start]), new)

    def _row(self, pairing: Pairing, text: str) -> Piece:
        return Piece(pairing.start, pairing.end, text + line_ending(self._window.rows[pairing.start]))


def _row_of(section: Section) -> int:
    """The row of the old text at which a section starts, or in front of which it stands."""
    match section:
        case Repeated(old=row) | BlankRun(row=row) | Change(before_start=row):
            return row


def _is_row_by_row(pairing: Pairing) -> bool:
    """Whether one row answers to one row, or blank rows of the file to nothing."""
    return pairing.is_one_to_one or pairing.is_file_only
