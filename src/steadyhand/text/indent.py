"""How lines written at one indentation are carried over to another.

What is known are pairs: the indentation a row has in the edit, and the one the same row has in the file. New rows are
carried over by the simplest rule that explains every pair: the same, a shift, another unit; where no rule explains all
of them, by the pair nearest to the row. Nothing here looks at anything but the blanks in front of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from operator import sub
from typing import NamedTuple

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.lines import line_start, split_bodies

__all__ = [
    "Carried",
    "Pair",
    "carry",
    "indent_at",
    "indent_of",
    "is_shifted",
    "unit_in",
    "unit_of",
    "unit_of_indents",
    "width_of",
]

_UNITS = (4, 2, 8, 3, 1)
# Of a row that is not blank, with the LF before it: a literal to search for, where `^` would be tried at every place.
_INDENT = lazy_pattern(r"\n[ \t]*+(?=[^\n]*?\S)")

Carry = Callable[[str], str | None]
Unit = str | None | Callable[[], str | None]
"""A unit of indentation, or what finds it when it is asked for."""


def indent_of(row: str) -> str:
    """The blanks in front of a row.

    >>> indent_of("\\t  x")
    '\\t  '
    """
    return row[: len(row) - len(row.lstrip(" \t"))]


def indent_at(text: str, offset: int) -> str:
    """The blanks in front of the line that an offset lies in, as far as the offset.

    >>> indent_at("a\\n  b", 5)
    '  '
    """
    return indent_of(text[line_start(text, offset) : offset])


def width_of(row: str) -> int:
    """How far a row is from the margin, in columns; a tab goes to the next eighth.

    >>> width_of("\\t  x")
    10
    """
    indent = row[: len(row) - len(row.lstrip(" \t"))]
    return len(indent.expandtabs(8)) if "\t" in indent else len(indent)


def unit_of(*texts: Sequence[str]) -> str | None:
    """What one level of indentation is in the rows of some texts: a tab, so many blanks, or None where no row tells.

    >>> unit_of(["a", "  b", "    c", "d"])
    '  '
    """
    return unit_of_indents([[indent_of(row) for row in rows if row.strip()] for rows in texts])


def unit_in(text: str) -> str | None:
    """The same for the rows of one text; those of a long one are not taken apart.

    >>> unit_in("a\\n  b\\n    c\\nd\\n")
    '  '
    """
    if "\r" in text:
        return unit_of(split_bodies(text))
    indents = _INDENT.findall(f"\n{text}")
    if "\t" in text:
        return unit_of_indents([[indent[1:] for indent in indents]])
    return _step([list(map(len, indents))])  # the LF makes no difference to a step


def unit_of_indents(parts: Sequence[Sequence[str]]) -> str | None:
    """The unit in lists of indentations, each those of neighbours that are not blank."""
    if not any("\t" in indent for part in parts for indent in part):
        return _step([[*map(len, part)] for part in parts])
    indents = [indent for part in parts for indent in part]
    if sum(indent.startswith("\t") for indent in indents) * 2 > sum(bool(indent) for indent in indents):
        return "\t"
    return _step([[len(indent) for indent in part if "\t" not in indent] for part in parts])


def _step(widths: Sequence[Sequence[int]]) -> str | None:
    """The smallest step between neighbours that is not rare."""
    steps: Counter[int] = Counter()
    for part in widths:
        for step, count in Counter(map(sub, part[1:], part)).items():
            if abs(step) > 1:
                steps[abs(step)] += count
    if not steps:
        return None
    most = max(steps.values())
    return " " * min(step for step, count in steps.items() if count * 3 >= most)


class Pair(NamedTuple):
    """A row of the edit, its indentation there, and the indentation of the same row in the file."""

    row: int
    before: str
    after: str

    def carry(self, indent: str) -> str | None:
        """An indentation of the edit, as far from this row in the file as it is in the edit; None: out of reach."""
        if indent.startswith(self.before):
            return self.after + indent[len(self.before) :]
        less = self.before[len(indent) :] if self.before.startswith(indent) else None
        return self.after.removesuffix(less) if less and self.after.endswith(less) else None


def _no_rival() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Carried:
    """How indentation of an edit is carried over to the file: by one rule, or by the pairs around a row.

    None is given for an indentation out of reach, such as one further left than the file's margin. `rival` gives, when
    it is asked, another rule that explains every pair as well: levels of the edit's unit become levels of the file's.
    """

    rule: Carry | None
    pairs: tuple[Pair, ...]
    rival: Callable[[], Carry | None] = _no_rival

    @property
    def is_rule(self) -> bool:
        """Whether one rule explains every pair."""
        return self.rule is not None

    def __call__(self, indent: str, row: int) -> str | None:
        if self.rule is not None:
            return self.rule(indent)
        return self.agreed(indent, self.near(row, row + 1))

    def is_disputed(self, indent: str) -> bool:
        """Whether two rules that explain every pair take an indentation to different places."""
        rival = None if self.rule is None else self.rival()
        return self.rule is not None and rival is not None and self.rule(indent) != rival(indent)

    def agreed(self, indent: str, near: Sequence[Pair]) -> str | None:
        """What some pairs say of an indentation, unless they differ, or any row at that indentation says otherwise.

        Where none of them shows that the edit is indented as the file is, the rows next to that indentation are asked,
        too, one less deep and one deeper.
        """
        asked = [*near, *(pair for pair in self.pairs if pair.before == indent)]
        if indent and not any(pair.before == pair.after != "" for pair in near):
            asked += self._beside(indent)
        answers = {pair.carry(indent) for pair in asked}
        answer = answers.pop() if len(answers) == 1 else None
        # No row of the file is seen to be indented with tabs: these are the edit's own.
        is_foreign = answer is not None and "\t" in answer and not any("\t" in pair.after for pair in self.pairs)
        return None if is_foreign else answer

    def _beside(self, indent: str) -> list[Pair]:
        """A pair with the next less deep indentation, margin aside, and one with the next deeper; or one with this."""
        within = [pair for pair in self.pairs if pair.before and indent.startswith(pair.before)]
        beyond = [pair for pair in self.pairs if pair.before.startswith(indent)]
        found = (max(within, key=_length, default=None), min(beyond, key=_length, default=None))
        return [pair for pair in found if pair is not None]

    def near(self, start: int, end: int) -> list[Pair]:
        """The pairs of some rows; without any, the last before them and the first behind."""
        inside = [pair for pair in self.pairs if start <= pair.row < end]
        before = [pair for pair in self.pairs if pair.row < start]
        behind = [pair for pair in self.pairs if pair.row >= end]
        return inside or [*before[-1:], *behind[:1]]

    def blank(self, row: str) -> str:
        """A row of nothing but blanks: another unit concerns it, a shift does not."""
        if self.rule is None or not row or self.rule("") != "":
            return row
        carried = self.rule(row)
        return row if carried is None else carried


def _length(pair: Pair) -> int:
    return len(pair.before)


def carry(pairs: Sequence[Pair], edit_unit: Unit, file_unit: Unit) -> Carried:
    """The rule that takes the indentation of an edit to that of the file; units are asked for where they matter.

    >>> carry([Pair(0, "", "    "), Pair(1, "  ", "      ")], None, None)("    ", 2)
    '        '
    """
    known = {(pair.before, pair.after) for pair in pairs}
    rival = cache(lambda: _rival(known, edit_unit, file_unit))
    return Carried(_rule(known, edit_unit, file_unit), tuple(pairs), rival)


def _asked(unit: Unit) -> str | None:
    return unit() if callable(unit) else unit


def is_shifted(pairs: set[tuple[str, str]]) -> bool:
    """Whether several pairs of indentations differ by the same blanks in front, so that there is a rule for them.

    >>> is_shifted({("", "  "), ("  ", "    ")}), is_shifted({("", "  ")}), is_shifted({("", " "), ("  ", " ")})
    (True, False, False)
    """
    if len(pairs) < 2:
        return all(before == after for before, after in pairs)
    return _shift(pairs) is not None


def _rule(pairs: set[tuple[str, str]], edit_unit: Unit, file_unit: Unit) -> Carry | None:
    if not pairs:
        return lambda indent: indent
    rule = _same(pairs)
    if rule is not None:
        return rule
    # A row at the margin has no level, so that it answers to none with a level.
    if all(bool(before) == bool(after) for before, after in pairs):
        unit, other = _asked(edit_unit), _asked(file_unit)
        rule = _convert(pairs, [unit], [other], {0}) if unit and other and unit != other else None
    return rule or _shift(pairs) or _convert_somehow(pairs, _asked(edit_unit), _asked(file_unit))


def _rival(pairs: set[tuple[str, str]], edit_unit: Unit, file_unit: Unit) -> Carry | None:
    """Levels of one unit for levels of the other, whatever the depth; an edit indented as the file is has no rival."""
    if not pairs or _same(pairs) is not None:
        return None
    unit, other = _asked(edit_unit), _asked(file_unit)
    return _convert(pairs, [unit], [other], None) if unit and other and unit != other else None


def _same(pairs: set[tuple[str, str]]) -> Carry | None:
    return (lambda indent: indent) if all(before == after for before, after in pairs) else None


def _shift(pairs: set[tuple[str, str]]) -> Carry | None:
    """The file's rows are further right, or further left, by the same blanks."""
    before, after = next(iter(pairs))
    if after.endswith(before):
        more = after[: len(after) - len(before)]
        if all(two == more + one for one, two in pairs) and _is_one_kind(pairs):
            return lambda indent: more + indent
    if before.endswith(after):
        less = before[: len(before) - len(after)]
        if all(one == less + two for one, two in pairs) and _is_one_kind(pairs):
            return lambda indent: indent.removeprefix(less) if indent.startswith(less) else None
    return None


def _is_one_kind(pairs: set[tuple[str, str]]) -> bool:
    """Whether the edit and the file indent with the same character; several pairs of one shift leave no doubt."""
    if len(pairs) > 1:
        return True
    edit = {char for before, _ in pairs for char in before}
    file = {char for _, after in pairs for char in after}
    return not edit or not file or edit == file


def _convert_somehow(pairs: set[tuple[str, str]], edit_unit: str | None, file_unit: str | None) -> Carry | None:
    """Some unit of the edit and some unit of the file, at the same depth if that can be, else at another."""
    units = _units([before for before, _ in pairs], edit_unit)
    others = _units([after for _, after in pairs], file_unit)
    if (units == ["\t"]) == (others == ["\t"]):
        if not edit_unit or not file_unit:
            return None  # blanks for blanks: a unit that nothing shows is not made up
        units, others = [edit_unit], [file_unit]
    return _convert(pairs, units, others, {0}) or _convert(pairs, units, others, None)


def _convert(
    pairs: set[tuple[str, str]], units: Sequence[str], others: Sequence[str], allowed: set[int] | None
) -> Carry | None:
    """Levels of one unit become levels of another, perhaps some more or fewer."""
    for unit in units:
        for other in others:
            shifts = {_shift_of(before, after, unit, other) for before, after in pairs}
            shift = shifts.pop() if len(shifts) == 1 else None
            if shift is not None and (allowed is None or shift in allowed):
                return _converter(unit, other, shift)
    return None


def _units(indents: Sequence[str], known: str | None) -> list[str]:
    if any(indent.startswith("\t") for indent in indents):
        return ["\t"]
    blanks = [" " * width for width in _UNITS]
    if not any(indents):
        return [known] if known else blanks
    return [*([known] if known else ()), *(unit for unit in blanks if unit != known)]


def _shift_of(before: str, after: str, unit: str, other: str) -> int | None:
    """By how many levels the file is deeper; None where the two do not answer to each other."""
    level, rest = _levels(before, unit)
    deep, remainder = _levels(after, other)
    return deep - level if rest == remainder else None


def _levels(indent: str, unit: str) -> tuple[int, str]:
    levels = 0
    while indent.startswith(unit):
        indent = indent[len(unit) :]
        levels += 1
    return levels, indent


def _converter(unit: str, other: str, shift: int) -> Carry:
    def convert(indent: str) -> str | None:
        levels, rest = _levels(indent, unit)
        return other * (levels + shift) + rest if levels + shift >= 0 else None

    return convert
