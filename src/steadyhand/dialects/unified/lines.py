"""The lines of a hunk, and where they end: where the counts of its header say, or where nothing looks like a row.

Counts that agree with the lines decide. They agree if the rows they count have signs and nothing with a sign comes
after them, be it that every empty line between such rows is one that comes and has lost its sign; otherwise the lines
themselves decide, and a line without a sign is kept as such: only the file shows whether it is a row. Nothing here
looks at a file, and no line is dropped: what does not belong is given back.
"""

from __future__ import annotations

from typing import Literal

from steadyhand.dialects.reply import Line
from steadyhand.dialects.signed import Row, Sign
from steadyhand.lazy import lazy_pattern

__all__ = ["Counted", "Loose", "Taken"]

_LIST_ITEM = lazy_pattern(r"- (?:\*\*)?[A-Za-z`\"'(\[]")
Verdict = Literal["more", "agrees", "disagrees"]


def is_no_newline(text: str) -> bool:
    r"""Whether a line says that the one above has no newline, in whatever language.

    >>> is_no_newline("\\ No newline at end of file"), is_no_newline("\\section{One}")
    (True, False)
    """
    return text.startswith("\\") and (
        text[1:2] == " " or text.lower().startswith("\\no newline") or text.rstrip() == "\\"
    )


class Taken:
    """Rows as they are taken from lines; `drop_cr`: the CR of a line is that of the patch, not of the file."""

    def __init__(self, *, drop_cr: bool) -> None:
        self._drop_cr = drop_cr
        self.rows: list[Row] = []
        self.unsigned: int | None = None  # the first line with text and no sign
        self.lost: dict[int, int] = {}  # the rows that come by the counts alone, and their lines in the reply
        self.last = 0
        self._ended: str = ""  # the signs that no further row can have, because the file ends on their side

    def add(self, sign: Sign, line: Line) -> None:
        if line.text.strip():
            self.last = line.number
            self.unsigned = line.number if not sign and self.unsigned is None else self.unsigned
        ending = "\n" if self._drop_cr or line.ending != "\r\n" else "\r\n"
        self.rows.append(Row(sign, (line.text[1:] if sign else line.text) + ending))

    def end_without_newline(self) -> None:
        if self.rows:
            last = self.rows[-1]
            self.rows[-1] = Row(last.sign, last.text.removesuffix("\n"))
            self._ended += last.sign if last.sign in ("-", "+") else "-" if self._ended else " "

    def may_add(self, sign: Sign) -> bool:
        """Whether a row can follow; one that comes may, right behind a last line that stays and gets its newline."""
        if not self._ended:
            return True
        if self._ended == " ":
            return sign == "+"
        return sign in ("-", "+") and sign not in self._ended


class Counted:
    """Lines as the counts of a header have them, until they agree or do not; `lines` are all that were taken.

    `empty_comes`: every empty line is one that comes and has lost its sign; otherwise it stays, if any line still can.
    """

    def __init__(self, counts: tuple[int, int], *, drop_cr: bool, in_fence: bool, empty_comes: bool = False) -> None:
        self._before, self._after = counts
        self._empty_comes = empty_comes
        self.taken = Taken(drop_cr=drop_cr)
        self._in_fence = in_fence
        self._has_gap = self._has_text = False
        self.lines: list[Line] = []
        self._end = 0

    @property
    def is_full(self) -> bool:
        """Whether there are as many rows as there should be."""
        return not self._before and not self._after

    @property
    def is_certain(self) -> bool:
        """Whether the rows are known by signs, or by counts that nothing else could meet.

        At the edges of a hunk an empty line may belong to nobody, and a line with text may have lost its `+` as well.
        """
        rows, lost = self.taken.rows, self.taken.lost
        if not self._empty_comes:
            return True
        if not lost or 0 in lost or len(rows) - 1 in lost or self.taken.unsigned is not None:
            return False
        return sum(not row.stays for row in rows) > len(lost)

    @property
    def own(self) -> list[Line]:
        """The lines that the rows were taken from."""
        return self.lines[: self._end]

    @property
    def rest(self) -> list[Line]:
        """The lines after the last row."""
        return self.lines[self._end :]

    def take(self, line: Line, *, stops: bool) -> Verdict:
        """`stops`: the line can be no row; it and what an agreement leaves over belong to somebody else."""
        if stops:
            return "agrees" if self.is_full else "disagrees"
        verdict = self._behind(line) if self.is_full and not self._is_mark(line) else self._within(line)
        if verdict == "more":
            self.lines.append(line)
        return verdict

    def _is_mark(self, line: Line) -> bool:
        return is_no_newline(line.text) and self._end == len(self.lines) > 0

    def _within(self, line: Line) -> Verdict:
        if self._is_mark(line):
            self.taken.end_without_newline()
            self._end += 1
            return "more"
        sign = self._sign_of(line.text)
        if not self.taken.may_add(sign):
            return "disagrees"
        self._before -= sign != "+"
        self._after -= sign != "-"
        if self._before < 0 or self._after < 0:
            return "disagrees"
        if self._empty_comes and not line.text:
            self.taken.lost[len(self.taken.rows)] = line.number
        self.taken.add(sign, line)
        self._end += 1
        return "more"

    def _sign_of(self, text: str) -> Sign:
        if not text and (self._empty_comes or (not self._before and self._after > 1)):
            return "+"  # nothing is left that could stay, and rows that come are to follow
        return _sign_of(text)

    def _behind(self, line: Line) -> Verdict:
        """A line after the last row: another row shows that the counts are wrong, anything else that they are not."""
        sign, is_blank = _sign_of(line.text), not line.text.strip()
        if not self.taken.may_add(sign):
            return "agrees"
        is_item = self._has_gap and not self._in_fence and _LIST_ITEM.match(line.text) is not None
        if (sign in ("-", "+") and not is_item) or (sign == " " and not is_blank and not self._has_text):
            return "disagrees"
        is_over = (self._has_text and is_blank) or (self._has_gap and not is_blank and not is_item)
        self._has_gap, self._has_text = self._has_gap or is_blank, self._has_text or not is_blank
        return "agrees" if is_over and self.taken.unsigned is None and not self._in_fence else "more"


class Loose:
    """Lines without counts to go by: all that are given are taken."""

    def __init__(self, *, drop_cr: bool) -> None:
        self.taken = Taken(drop_cr=drop_cr)

    def may_take(self, line: Line) -> bool:
        """Whether a line can be a row, after what the rows above it say of the end of the file."""
        return self.taken.may_add(_sign_of(line.text)) or is_no_newline(line.text)

    def take(self, line: Line) -> None:
        if is_no_newline(line.text) and self.taken.rows:
            self.taken.end_without_newline()
        else:
            self.taken.add(_sign_of(line.text), line)

    def rows_with_open_end(self) -> list[Row]:
        """The rows where no fence says what is still the patch: after text without a sign there may be only text."""
        rows = self.taken.rows
        changed = max((index for index, row in enumerate(rows) if not row.stays), default=-1)
        for index in range(changed + 1, len(rows)):
            if rows[index].sign == "" and not rows[index].is_blank:
                return [*rows[:index], *(Row("", row.text) for row in rows[index:])]
        return rows


def _sign_of(text: str) -> Sign:
    match text[:1]:
        case " ":
            return " "
        case "-":
            return "-"
        case "+":
            return "+"
        case _:
            return ""
