"""The lines of a V4A patch between two marks: where they end when the end mark is missing, and what they add up to.

A passage is `@@` lines and rows of a file that is updated; the lines of a file that is added are its content. Stray
lines at the end (a fence, the end of a shell call) are left out with a note; lines with a sign never are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steadyhand.dialects.piece import Note, malformed
from steadyhand.dialects.reply import Line
from steadyhand.dialects.signed import Row
from steadyhand.dialects.v4a.marks import Anchor, is_fence, mark_in
from steadyhand.dialects.v4a.rows import is_addition, restates, row_of
from steadyhand.errors import EditError
from steadyhand.hints import Advice
from steadyhand.lazy import dataclass, field

__all__ = ["Passage", "Wrapping", "content_of", "wrong"]

_DEEPEST = 32
_NO_NEWLINE = "\\ No newline at end of file"


def wrong(line: int, what: str, expected: str, *, column: int = 1, hint: Advice = None) -> EditError:
    """A refusal of a V4A patch."""
    return malformed(line, what, expected, column=column, format="v4a", hint=hint)


@dataclass(frozen=True, slots=True)
class Wrapping:
    """What a patch is wrapped in: a code fence, and a shell call that ends with a word."""

    is_fenced: bool = False
    word: str | None = None

    def is_closed_by(self, line: Line) -> bool:
        """Whether an unsigned line may be the end of the wrapping; a fence may be one that was never opened."""
        if line.text[:1].isspace():
            return False
        return is_fence(line.text) or (self.word is not None and line.text.strip(" \t\"')") == self.word)


@dataclass(slots=True)
class Passage:
    """`@@` lines and the lines behind them. `start` is the line of the reply where it begins."""

    start: int
    headers: list[str] = field(default_factory=list)
    is_numbered: bool = False
    lines: list[Line] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        """Whether it has more than `@@` lines and empty ones."""
        return any(line.text for line in self.lines)

    def take(self, anchor: Anchor, line: int) -> None:
        """One more `@@` line before the first row; empty lines between two of them are noise."""
        if len(self.headers) == _DEEPEST and anchor.header:
            raise wrong(line, f"more than {_DEEPEST} lines with @@ in a row", "a line that begins with a blank, - or +")
        if anchor.header:
            self.headers.append(anchor.header)
        self.is_numbered |= anchor.is_numbered
        self.lines.clear()

    def rows(self, wrapping: Wrapping, notes: list[Note], *, drop_cr: bool, is_cut: bool, at_end: bool) -> list[Row]:
        """Its rows, none if it has none. `is_cut`: the reply ended, or another patch began, before an end mark."""
        lines = _cut(self.lines, wrapping) if is_cut else self.lines
        lines = _without_remarks(_without_closers(lines, wrapping, notes), notes)
        rows = [row_of(line, drop_cr=drop_cr) for line in lines]
        if is_addition(rows) and not at_end:
            self._check_addition(rows, lines)
        return rows if any(line.text for line in lines) else []

    def _check_addition(self, rows: Sequence[Row], lines: Sequence[Line]) -> None:
        """Refuses lines that are only added where it is not clear which line they belong after."""
        index = next(index for index, row in enumerate(rows) if row.sign == "+")
        if self.is_numbered and not self.headers:
            raise wrong(
                lines[index].number,
                "lines are added at line numbers, and no line of the file is quoted",
                "the line before them, with a blank in front",
            )
        if self.headers and restates(self.headers[-1], rows[index]):
            raise wrong(
                lines[index].number,
                "this line gives the name another value than the line that @@ names, but that line is not removed",
                "the old line with - in front",
                hint="write the old line with - and the new one with +; or quote the line before what you add",
            )


def content_of(
    lines: Sequence[Line], wrapping: Wrapping, notes: list[Note], *, mark: Line, drop_cr: bool, is_cut: bool
) -> str:
    """The text of an added file. Refuses where it is not plain which lines belong to it."""
    kept = list(lines)
    has_signs = any(line.text.startswith("+") for line in kept)
    if is_cut:
        kept = _cut_content(kept)
    kept = _trimmed(_without_closers(kept, wrapping, notes))
    if not kept:
        raise wrong(mark.number, "a file is added without any line", "lines that begin with +")
    if not has_signs:
        return _raw_content(kept, notes, drop_cr=drop_cr)
    for line in kept:
        if not line.text:
            notes.append(Note(line.number, "an empty line without its + in an added file"))
        elif not line.text.startswith("+"):
            raise wrong(line.number, "a line of an added file without +", "+ in front of every line")
    return "".join(line.text[1:] + _ending(line, drop_cr=drop_cr) for line in kept)


def _raw_content(lines: Sequence[Line], notes: list[Note], *, drop_cr: bool) -> str:
    """An added file whose writer left out every `+`; a fence in it may be content or not."""
    fence = next((line for line in lines if is_fence(line.text)), None)
    if fence is not None:
        raise wrong(fence.number, "a code fence in an added file whose lines have no +", "+ in front of every line")
    notes.append(Note(lines[0].number, "an added file whose lines have no +"))
    return "".join(line.text + _ending(line, drop_cr=drop_cr) for line in lines)


def _ending(line: Line, *, drop_cr: bool) -> str:
    return line.ending if line.ending and not drop_cr else "\n"


def _cut(lines: list[Line], wrapping: Wrapping) -> list[Line]:
    """The lines before the end of the wrapping, or before an end mark that a blank made a row."""
    closed = _first(lines, wrapping.is_closed_by)
    # A closing fence ends the patch only if one was opened; otherwise rows behind it show that it is content.
    if closed is not None and (wrapping.is_fenced or not _has_signs(lines[closed:])):
        kept = lines[:closed]
    else:
        kept, closed = lines, None
    ended = _last(kept, _is_indented_end)
    # With a blank in front it is a row like any other, unless nothing comes after it.
    if ended is not None and not _has_signs(kept[ended:]):
        return _before_indented_end(kept, ended)
    if closed is None:
        _check_whole(lines)
    return kept


def _before_indented_end(lines: list[Line], ended: int) -> list[Line]:
    """A blank before the mark makes it a line of the file; where nothing else is quoted, who knows which is meant."""
    kept = lines[:ended]
    if is_addition([row_of(line, drop_cr=True) for line in kept]):
        raise wrong(lines[ended].number, "a blank before *** End Patch makes it a line of the file", "*** End Patch")
    return kept


def _cut_content(lines: list[Line]) -> list[Line]:
    """The lines with `+` at the start; what follows them is text behind the patch if no other such line comes."""
    end = _first(lines, lambda line: bool(line.text.strip()) and not line.text.startswith("+"))
    if end is None:
        _check_whole(lines)
        return lines
    if end == 0 or any(line.text.startswith("+") for line in lines[end:]):
        raise wrong(lines[end].number, "a line of an added file without +, and no *** End Patch", "*** End Patch")
    return lines[:end]


def _check_whole(lines: Sequence[Line]) -> None:
    """A reply that breaks off in an added line would leave half of it in the file."""
    if lines and lines[-1].text.startswith("+") and not lines[-1].ending:
        raise wrong(
            lines[-1].number,
            "the reply ends inside an added line",
            "*** End Patch",
            column=len(lines[-1].text) + 1,
            hint="send the whole patch, with *** End Patch as its last line",
        )


def _without_closers(lines: list[Line], wrapping: Wrapping, notes: list[Note]) -> list[Line]:
    """Without stray closing lines at the end, and the empty lines behind them."""
    end = index = len(lines)
    while index:
        index -= 1
        if wrapping.is_closed_by(lines[index]):
            notes.append(Note(lines[index].number, "a code fence or the end of a shell call inside the patch"))
            end = index
        elif lines[index].text.strip():
            break
    return lines[:end]


def _without_remarks(lines: list[Line], notes: list[Note]) -> list[Line]:
    """Without what unified diffs say of a last line; a line that is kept without a sign is reported."""
    kept = [line for line in lines if not line.text.startswith(_NO_NEWLINE)]
    if len(kept) < len(lines):
        notes.append(Note(lines[0].number, "a unified diff's remark about the end of the file"))
    unsigned = next((line for line in kept if line.text[:1] not in ("", " ", "-", "+")), None)
    if unsigned is not None:
        notes.append(Note(unsigned.number, "a line without a sign"))
    return kept


def _trimmed(lines: list[Line]) -> list[Line]:
    start, last = _first(lines, lambda line: bool(line.text)), _last(lines, lambda line: bool(line.text))
    return [] if start is None or last is None else lines[start : last + 1]


def _is_indented_end(line: Line) -> bool:
    mark = mark_in(line.text) if line.text[:1].isspace() else None
    return mark is not None and mark.name == "end"


def _has_signs(lines: Sequence[Line]) -> bool:
    return any(line.text.startswith(("+", "-")) for line in lines)


def _first(lines: Sequence[Line], holds: Callable[[Line], bool]) -> int | None:
    return next((index for index, line in enumerate(lines) if holds(line)), None)


def _last(lines: Sequence[Line], holds: Callable[[Line], bool]) -> int | None:
    return next((index for index in range(len(lines) - 1, -1, -1) if holds(lines[index])), None)
