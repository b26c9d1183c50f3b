"""What models do to the text they quote: one function for each kind of noise, on the rows of old and new text.

A noise never says anything new: it changes blanks, line endings, typography or the indentation of what is quoted.
Where it touches new text too, it touches only rows that the edit repeats, or all rows in the same way, so that what
is meant stays what it was.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.laws.writings import Change, is_literal, repeats_itself


@dataclass(frozen=True, slots=True)
class Quote:
    """Old and new text of an edit as a model sends them, row by row; `kept` are the old rows that new rows repeat."""

    change: Change
    old: tuple[str, ...]
    new: tuple[str, ...]
    kept: tuple[int | None, ...]
    old_ending: str = "\n"
    new_ending: str = "\n"

    @classmethod
    def of(cls, change: Change) -> Quote:
        return cls(change, tuple(change.old_rows), tuple(change.new_rows), change.kept)

    @property
    def texts(self) -> tuple[str, str]:
        join = self.change.join
        return join(list(self.old), self.old_ending), join(list(self.new), self.new_ending)

    def with_rows(self, old: Sequence[str], *, alike: bool) -> Quote:
        """Other old rows; where `alike`, new rows that repeat one repeat it as it is now."""
        new = [
            old[number] if alike and number is not None else row
            for row, number in zip(self.new, self.kept, strict=True)
        ]
        return replace(self, old=tuple(old), new=tuple(new))


Noise = Callable[[random.Random, Quote], Quote]


def trailing_blanks(chance: random.Random, quote: Quote) -> Quote:
    rows = [row + chance.choice(("", " ", "  ", "\t")) for row in quote.old]
    return quote.with_rows(rows, alike=chance.random() < 0.5)


def runs_of_blanks(chance: random.Random, quote: Quote) -> Quote:
    is_prose = quote.change.writing.path.endswith(".md")

    def widen(row: str) -> str:
        margin = len(row) - len(row.lstrip())
        blanks = [
            at for at, char in enumerate(row) if char == " " and at >= margin and (is_prose or not is_literal(row, at))
        ]
        if not blanks:
            return row
        at = chance.choice(blanks)
        return row[:at] + chance.choice(("  ", "   ", "\t")) + row[at + 1 :]

    return quote.with_rows([widen(row) for row in quote.old], alike=chance.random() < 0.5)


def blank_lines(chance: random.Random, quote: Quote) -> Quote:
    """A blank line between two quoted rows; in new text as well where both are repeated side by side.

    In old text alone it is between two rows with text that new text repeats: one more beside another blank line,
    or beside a row that goes, might be a wish to remove it.
    """
    if len(quote.old) < 2:
        return quote
    at = chance.randrange(1, len(quote.old))
    moved = [number if number is None or number < at else number + 1 for number in quote.kept]
    old = (*quote.old[:at], "", *quote.old[at:])
    pairs = list(zip(quote.kept, quote.kept[1:], strict=False))
    if (at - 1, at) in pairs and chance.random() < 0.6:
        put = pairs.index((at - 1, at)) + 1
        new = (*quote.new[:put], "", *quote.new[put:])
        return replace(quote, old=old, new=new, kept=(*moved[:put], at, *moved[put:]))
    if not (quote.old[at - 1].strip() and quote.old[at].strip() and {at - 1, at} <= set(quote.kept)):
        return quote
    return replace(quote, old=old, kept=tuple(moved))


_SMART: tuple[tuple[str, str], ...] = (
    (r'"([^"]*)"', "“\\1”"),
    (r"'([^']*)'", "‘\\1’"),
    (r"(?<=\w)'(?=\w)", "’"),
    (r" - ", " – "),
    (r"\.\.\.", "…"),
    (r"(?<=\w) (?=\w)", "\u00a0"),
    (r"(?<=\w)(?=[,;:])", "\u200b"),
)


def typography(chance: random.Random, quote: Quote) -> Quote:
    pattern, smart = chance.choice(_SMART)
    rows = [re.sub(pattern, smart, row) for row in quote.old]
    return quote.with_rows(rows, alike=chance.random() < 0.5)


def other_endings(chance: random.Random, quote: Quote) -> Quote:
    """The endings the file does not have, in old text or in both: what is written has those of the file."""
    if len(quote.old) == 1 and not quote.change.ends:
        return quote  # old text that says nothing of endings: new text is then taken by its word
    ending = "\n" if quote.change.writing.ending == "\r\n" else "\r\n"
    return replace(quote, old_ending=ending, new_ending=ending if chance.random() < 0.5 else "\n")


def other_unit(_chance: random.Random, quote: Quote) -> Quote:
    """Tabs for the file's blanks, or blanks for its tabs, in old and new text alike."""
    unit = quote.change.writing.unit
    other = "\t" if unit != "\t" else "    "
    return replace(
        quote,
        old=tuple(_in_unit(row, unit, other) for row in quote.old),
        new=tuple(_in_unit(row, unit, other) for row in quote.new),
    )


def shift(chance: random.Random, quote: Quote) -> Quote:
    """All rows deeper, or all less deep, in old and new text alike.

    One row that loses its indentation is in the file character for character, and is then taken by its word.
    """
    solid = [row for row in (*quote.old, *quote.new) if row.strip()]
    unit = quote.change.writing.unit
    margin = min(len(row) - len(row.lstrip()) for row in solid)
    if margin and len(quote.old) > 1 and chance.random() < 0.6:
        cut = margin if chance.random() < 0.5 else min(margin, len(unit))
        return replace(quote, old=_cut(quote.old, cut), new=_cut(quote.new, cut))
    more = unit * chance.randrange(1, 3)
    return replace(quote, old=_deepen(quote.old, more), new=_deepen(quote.new, more))


def shift_of_old(chance: random.Random, quote: Quote) -> Quote:
    """Only the old rows deeper, where new text repeats one of them as it is in the file.

    Where it repeats none, new text may as well be meant relative to what is quoted: `    foo` → `bar` in a file with
    `  foo` gives `  bar`, while `  foo` → `bar` is an exact find and gives `bar`. Both are right.
    """
    repeated = [number for number in quote.kept if number is not None and quote.old[number].strip()]
    if not repeated or repeats_itself(quote.change):
        return quote
    return replace(quote, old=_deepen(quote.old, quote.change.writing.unit * chance.randrange(1, 3)))


def _in_unit(row: str, unit: str, other: str) -> str:
    rest, depth = row, 0
    while rest.startswith(unit):
        rest, depth = rest[len(unit) :], depth + 1
    return other * depth + rest


def _cut(rows: Sequence[str], count: int) -> tuple[str, ...]:
    return tuple(row[count:] if row.strip() else row for row in rows)


def _deepen(rows: Sequence[str], more: str) -> tuple[str, ...]:
    return tuple(more + row if row.strip() else row for row in rows)


NOISES: dict[str, Noise] = {
    "trailing blanks": trailing_blanks,
    "runs of blanks": runs_of_blanks,
    "blank lines": blank_lines,
    "typography": typography,
    "line endings": other_endings,
    "unit": other_unit,
    "shift": shift,
    "shift of old": shift_of_old,
}
