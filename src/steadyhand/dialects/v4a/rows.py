"""Rows of a V4A patch as an edit: where they change lines, where they only add some, where blanks lost their sign.

Nothing here looks at a file or at a reply; which lines are rows is settled before.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.reply import Line
from steadyhand.dialects.signed import Row, edit_of_rows
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.match.tier import Alternative, Needle
from steadyhand.plan.edit import Edit, Insert, Old, Replace
from steadyhand.text.diff import Change
from steadyhand.text.lines import split_lines

__all__ = ["edit_of_passage", "is_addition", "restates", "row_of", "without_edges"]

_NAMED = lazy_pattern(r"""(?:\w+[ \t]+){0,3}["']?[\w.$-]+["']?[ \t]*(?::(?![:=/])|=(?!=))|(?:\w+[ \t]+){1,4}\w+\(""")
_KEYWORD = lazy_pattern(
    r"(?:(?:public|private|protected|static|async|export|abstract|pub|local)\s+)*"
    r"(?:def|class|module|function|fn|func|sub|if|elsif|else|while|for|unless|until|case|when|begin|try|catch|switch"
    r"|struct|interface|impl|trait|enum|namespace)\b"
)
_LONGEST = 500
_DEEPEST = 64


def row_of(line: Line, *, drop_cr: bool) -> Row:
    """A line with its sign taken off; with `drop_cr` the CR before its LF came with the reply.

    >>> [(row.sign, row.text) for row in (row_of(Line(1, "+a"), drop_cr=False), row_of(Line(2, "a"), drop_cr=False))]
    [('+', 'a\\n'), ('', 'a\\n')]
    """
    ending = line.ending if line.ending and not drop_cr else "\n"
    match line.text[:1]:
        case "+":
            return Row("+", line.text[1:] + ending)
        case "-":
            return Row("-", line.text[1:] + ending)
        case " ":
            return Row(" ", line.text[1:] + ending)
        case _:
            return Row("", line.text + ending)


def is_unsigned_blank(row: Row) -> bool:
    """Whether a row is an empty line of the patch, which may have lost its sign or mean nothing."""
    return row.sign == "" and row.is_blank


def is_addition(rows: Sequence[Row]) -> bool:
    """Whether rows add lines and say nothing else; empty lines of the patch say nothing."""
    return any(row.sign == "+" for row in rows) and all(row.sign == "+" or is_unsigned_blank(row) for row in rows)


def edit_of_passage(rows: Sequence[Row], *, under: tuple[str, ...] = (), at_end: bool = False) -> Edit:
    """The edit of one passage; it changes nothing where old and new text are the same.

    Lines that are only added come right behind the last line they are said to be under, or else behind the last
    line of the file. An empty line before them is noise in the first case; in the second it is all that says where.

    >>> target = edit_of_passage([Row("+", "x\\n")]).target
    >>> target.text, target.at_end
    ('', True)
    """
    if is_addition(rows) and (under or rows[0].sign == "+"):
        return _addition("".join(row.text for row in without_edges(rows)), under, at_end=at_end)
    edit = edit_of_rows(rows, under=under, at_end=at_end)
    if edit is None:
        text = "".join(row.text for row in rows)
        return Replace(Old(text, fit="lines", under=under, at_end=at_end), text)
    return _with_open_end(_with_looser_blanks(edit, rows))


def restates(header: str, row: Row) -> bool:
    """Whether a row gives another value to the name its header gives one: it is to replace the header, not to follow.

    >>> restates('version = "1"', Row("+", 'version = "2"\\n')), restates("import a", Row("+", "import b\\n"))
    (True, False)
    """
    one, other = (_NAMED.match(text.strip()[:_LONGEST]) for text in (header, row.text))
    return one is not None and other is not None and one.group() == other.group()


def _addition(text: str, under: tuple[str, ...], *, at_end: bool) -> Edit:
    if not under or at_end:
        return Insert(Old("", at_end=True), text, where="after")
    first, *others = (header + "\n" for header in _as_indented(under[-1], text))
    signs = (Change(1, 1, 1, 1 + len(split_lines(text))),)
    alternatives = tuple(
        Alternative(header, header + text, "the indentation of the line that @@ names", signs) for header in others
    )
    return Replace(Old(first, fit="lines", under=under[:-1]), first + text, alternatives=alternatives, signs=signs)


def _as_indented(header: str, text: str) -> list[str]:
    """A header as it may be in the file, the likeliest first.

    Writers drop the indentation of a header and keep that of the lines they add, so what the one lacks says nothing
    about the other: lines come a step deeper than a line that leads them in, and else as deep as the line they follow.
    """
    row = next((row for row in text.split("\n") if row.strip()), "")
    indent = row[: len(row) - len(row.lstrip(" \t"))]
    if header[:1].isspace() or not indent or len(indent) > _DEEPEST:
        return [header]
    leads_in = _leads_in(header)
    depths = [_step_out(indent) if leads_in else len(indent), 0, *range(len(indent) - leads_in, 0, -1)]
    return [indent[:depth] + header for depth in dict.fromkeys(depths)]


def _step_out(indent: str) -> int:
    """How deep a line is that leads in lines of this indentation."""
    return len(indent) - (1 if indent.endswith("\t") else 4 if len(indent) % 4 == 0 else min(2, len(indent)))


def _leads_in(header: str) -> bool:
    """Whether the lines after a line are deeper than it, by the looks of it."""
    line = header.strip()
    if line.endswith(">") and not line.endswith("=>"):
        return "</" not in line and not line.endswith(("/>", "-->"))
    is_opened = line.endswith((":", "{", "(", "[", "=", "=>", "->", "|", " do", " then"))
    return is_opened or (not line.endswith((";", ",")) and _KEYWORD.match(line) is not None)


def _with_looser_blanks(edit: Replace, rows: Sequence[Row]) -> Replace:
    """With a reading more, in which empty lines before the rows mean nothing and those between added ones are added."""
    looser = _added_between(without_edges(rows, tail=False))
    other = edit_of_rows(looser) if looser != list(rows) else None
    if other is None or not isinstance(other.target, Old) or not other.target.text:
        return edit
    first = Alternative(other.target.text, other.new, "empty lines without a sign", other.signs)
    return replace(edit, alternatives=(*edit.alternatives, first, *other.alternatives))


def _with_open_end(edit: Replace) -> Replace:
    """With a reading more, for rows that end with the last line of a file whose last line has no ending."""
    old = edit.target.text if isinstance(edit.target, Old) else ""
    if not _unended(old) or not edit.new.endswith("\n"):
        return edit
    ended = Needle(old, edit.new, edit.signs).repaired(_unended(old), _unended(edit.new))
    if ended.signs is None:
        return edit  # no file has a blank last line without an ending
    alternative = Alternative(ended.text, ended.new or "", "the ending of the last line", ended.signs)
    return replace(edit, alternatives=(*edit.alternatives, alternative))


def _unended(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def without_edges(rows: Sequence[Row], *, tail: bool = True) -> list[Row]:
    """Without the empty lines before the rows and, with `tail`, those behind them."""
    start, end = 0, len(rows)
    while start < end and is_unsigned_blank(rows[start]):
        start += 1
    while tail and end > start and is_unsigned_blank(rows[end - 1]):
        end -= 1
    return list(rows[start:end])


def _added_between(rows: list[Row]) -> list[Row]:
    """With the empty lines between two added ones as added."""
    last = None
    found = list(rows)
    for index, row in enumerate(rows):
        if is_unsigned_blank(row):
            continue
        if last is not None and rows[last].sign == row.sign == "+":
            found[last + 1 : index] = [replace(blank, sign="+") for blank in rows[last + 1 : index]]
        last = index
    return found
