"""The rows of a hunk as what they ask for: an edit of a file that is there, or the content of a new one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from steadyhand.dialects.signed import Row, edit_of_rows
from steadyhand.dialects.unified.section import wrong
from steadyhand.lazy import replace
from steadyhand.match.tier import Alternative
from steadyhand.plan.edit import Old, Replace

__all__ = ["as_it_is", "changes", "content_of", "edit_of"]

_AS_SENT = ""  # a reading in which nothing differs from what was sent


def changes(rows: Sequence[Row]) -> bool:
    """Whether any row comes or goes."""
    return any(not row.stays for row in rows)


def edit_of(rows: Sequence[Row], line: int | None, lost: Collection[int] = ()) -> Replace | None:
    """The edit that rows ask for; None where they would leave everything as it is.

    `lost` are the rows that come by the counts alone: where the file has them, they are lines that stay.
    """
    edit = _edit_of(rows, line)
    if edit is None or not lost:
        return edit
    other = _edit_of([Row("", row.text) if index in lost else row for index, row in enumerate(rows)], line)
    if other is None or not isinstance(other.target, Old):
        return edit
    alternative = Alternative(other.target.text, other.new, "counts of the hunk", other.signs)
    return replace(edit, alternatives=(*edit.alternatives, alternative, *other.alternatives))


def _edit_of(rows: Sequence[Row], line: int | None) -> Replace | None:
    settled = _settled(rows)
    at_end = any(not row.text.endswith("\n") for row in settled)
    edit = edit_of_rows(settled, line=line, at_end=at_end)
    if edit is None or not isinstance(edit.target, Old) or edit.target.text == edit.new:
        return None
    return _with_newline(edit, edit.target)


def _with_newline(edit: Replace, target: Old) -> Replace:
    """The edit of a last line that is said to have no newline, first as that of a file where it does have one.

    Else the newline that the edit brings, or that of a line which goes, would be left there as a blank line.
    """
    old, new = target.text, edit.new
    if not old or old.endswith("\n") or (new and not new.endswith("\n")) or new == old + "\n":
        return edit
    ended = Alternative(_returned(old) + "\r\n", _returned(new), _AS_SENT, edit.signs)
    alternatives = (ended, Alternative(old, new, _AS_SENT, edit.signs), *edit.alternatives)
    return replace(edit, target=replace(target, text=old + "\n"), alternatives=alternatives)


def _returned(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def as_it_is(rows: Sequence[Row], line: int | None) -> Replace:
    """The edit of rows that change nothing, for an answer that says so."""
    text = "".join(row.text for row in rows if row.sign != "+")
    return Replace(Old(text, line=line, fit="lines"), text)


def content_of(rows: Sequence[Row], line: int) -> str:
    """The text of a new file. Refuses rows that are of an old one; `line` is where they begin in the reply."""
    end = len(rows)
    while end and rows[end - 1].sign == "":
        end -= 1
    for row in rows[:end]:
        if row.sign != "+" and not (row.stays and row.is_blank):
            raise wrong(
                line,
                f"the file is new, and {row.text.strip()[:60]!r} has no + in front",
                "lines that begin with +",
                hint="put + in front of every line of a new file; name an existing file in the --- line",
            )
    kept = _settled([row if row.sign == "+" else Row("+", row.text) for row in rows[:end]])
    return "".join(row.text for row in kept)


def _settled(rows: Sequence[Row]) -> list[Row]:
    """Rows of which only the last on its side has no newline, as only the last line of a file can."""
    if all(row.text.endswith("\n") for row in rows):
        return list(rows)
    last_old = max((index for index, row in enumerate(rows) if row.sign != "+"), default=-1)
    last_new = max((index for index, row in enumerate(rows) if row.sign != "-"), default=-1)
    settled: list[Row] = []
    for index, row in enumerate(rows):
        is_last = index == (last_new if row.sign == "+" else last_old)
        if row.text.endswith("\n") or (is_last and (not row.stays or index == last_new)):
            settled.append(row)
        elif is_last:  # it stays, and others come after it: then it gets a newline
            settled += [Row("-", row.text), Row("+", row.text + "\n")]
        else:
            settled.append(Row(row.sign, row.text + "\n"))
    return settled
