"""New rows as the file would have them: at its indentation, with its line endings.

Only blanks in front of rows and endings behind them are touched; what a row says is written as the edit has it, except
for a row that the edit merely moves: that is the file's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steadyhand.lazy import replace
from steadyhand.match.pairing import Likeness
from steadyhand.plan.sections import repeated_rows
from steadyhand.plan.window import Window
from steadyhand.text.diff import Change
from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of
from steadyhand.text.lines import body, line_ending

__all__ = ["NewRows", "Uncertain"]


class Uncertain(Exception):
    """There is no telling at which indentation a row belongs."""


class NewRows:
    """The new rows of one edit in one window; `old` and `new` are its rows without endings."""

    def __init__(self, window: Window, old: Sequence[str], new: Sequence[str]) -> None:
        self._window, self._old, self._new = window, old, new
        self._rows = window.rows
        self._pairs = self._find_pairs()
        self._carry = self._find_carry()
        self._alike = self._find_alike()
        self._moved = self._find_moved()
        self._blanks = self._find_blanks()

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
        """The indentation of a new row that stands for an old row and has moved sideways."""
        indent = indent_of(self._new[row])
        found = self._carry(indent, old)
        if found is None or self._is_disputed(indent, old):
            raise Uncertain
        return found

    def is_as_deep(self, old: int, row: str) -> bool:
        """Whether a row of the file is as deep as the row it answers to, by the rule that holds for the others."""
        return self._carry.is_rule and self._carry(indent_of(self._old[old]), old) == indent_of(row)

    def ending(self, start: int, end: int, offset: int) -> str:
        """The ending of the row it stands for, else of the row before, else of the row after."""
        if start < end:
            found = line_ending(self._rows[min(start + offset, end - 1)])
        else:
            found = line_ending(self._rows[start - 1]) if start else ""
        if not found:
            around = [*self._rows[:start][::-1], *self._rows[start:]]
            found = next((ending for row in around if (ending := line_ending(row))), self._window.newline)
        return found

    def _find_carry(self) -> Carried:
        units = unit_of(self._old, self._new), self._window.unit
        carried = carry(self._pairs, *units)
        if not self._is_new_as_in_file():
            return carried
        as_in_file = carry([replace(pair, before=pair.after) for pair in self._pairs], *units)
        return replace(carried, rival=as_in_file.rule) if self._begins_as_quoted() else as_in_file

    def _find_pairs(self) -> list[Pair]:
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

    def _find_alike(self) -> dict[str, set[str | None]]:
        """What the file has for an indentation of rows that are merely alike, which a rule may not contradict."""
        found: dict[str, set[str | None]] = {}
        for one in self._window.alignment:
            if one.likeness is Likeness.SIMILAR and one.is_one_to_one:
                found.setdefault(indent_of(self._old[one.old_start]), set()).add(indent_of(self._rows[one.start]))
        return found

    def _find_moved(self) -> dict[str, str]:
        """What the file has for rows that are once in the old text and once in the new: the edit only moves them."""
        old, new = (Counter(row.strip(" \t") for row in rows) for rows in (self._old, self._new))
        pairs = (
            (self._old[pairing.old_start].strip(" \t"), body(self._rows[pairing.start]))
            for pairing in self._window.alignment
            if pairing.likeness in (Likeness.LAYOUT, Likeness.TYPOGRAPHY, Likeness.SIMILAR)
        )
        return {said: row.strip(" \t") for said, row in pairs if old[said] == new[said] == 1}

    def _find_blanks(self) -> dict[str, str]:
        """What the file has where the old text has a blank row of these blanks, if it always has the same."""
        found: dict[str, set[str]] = {}
        for pairing in self._window.alignment:
            if pairing.is_blank and pairing.is_one_to_one:
                found.setdefault(self._old[pairing.old_start], set()).add(body(self._rows[pairing.start]))
        return {quoted: rows.pop() for quoted, rows in found.items() if len(rows) == 1}

    def _is_new_as_in_file(self) -> bool:
        """Whether the new text has rows of the old one at the file's indentation, which the old one has not."""
        after = {pair.row: pair.after for pair in self._pairs if pair.before != pair.after}
        shared = repeated_rows(self._old, self._new, self._window.lexis)
        told = [indent_of(self._new[pair.new]) == after[pair.old] for pair in shared if pair.old in after]
        margin = min((len(pair.after) for pair in self._pairs), default=0)
        is_inside = all(len(indent_of(row)) >= margin for row in self._new if row.strip(" \t"))
        return bool(told) and all(told) and is_inside

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
        """By the row it stands for, by the rule that holds for all, or by what all rows around it agree on."""
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
        """Every row by its distance from the leftmost, which stands where the file has its leftmost row."""
        visible = [indent_of(self._new[row]) for row in rows if self._new[row].strip(" \t")]
        least = min(visible, key=len)
        row = next((row for row in self._rows[start:] if row.strip()), "")
        if any(len(indent_of(other)) < len(indent_of(row)) for other in self._rows[start:end] if other.strip()):
            raise Uncertain
        return [indent_of(row) + indent_of(self._new[at]).removeprefix(least) for at in rows]
