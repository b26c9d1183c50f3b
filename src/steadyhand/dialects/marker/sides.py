"""Old and new lines of a SEARCH/REPLACE part, and what they ask of a file. Marks are gone by here."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.marker.mark import unescaped
from steadyhand.dialects.reply import Line
from steadyhand.dialects.signed import Row, Sign
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.tier import Alternative
from steadyhand.plan.edit import Old, Replace
from steadyhand.plan.request import CreateFile, EditFile, FileRequest
from steadyhand.text.visible import sized

__all__ = ["Sides", "rows_of", "signed_rows", "start_line"]

_START = lazy_pattern(r"[ \t]*:start_line:[ \t]*(\d{1,9})[ \t]*")
_END = lazy_pattern(r"[ \t]*:end_line:[ \t]*\d{1,9}[ \t]*")
_RULE = lazy_pattern(r"-{7}[ \t]*")


@sized("search", "replace")
@dataclass(frozen=True, slots=True)
class Sides:
    """Old and new lines with their endings, and the line of the file at which the old ones are said to be.

    `numbered` is the line of the reply where the new lines had a line number too, which was left out; `doubled` where
    another line may divide the sides, and `alternative` what they are where the file does not have the old ones.
    """

    search: tuple[str, ...]
    replace: tuple[str, ...]
    line: int | None = None
    numbered: int | None = None
    doubled: int | None = None
    alternative: Sides | None = None

    def request(self, path: str) -> FileRequest | None:
        """What they ask of a file: an edit, or without any old line a new file; None where there is no line at all."""
        if any(row.strip() for row in self.search):
            old, new = self._texts()
            other = () if self.alternative is None else (Alternative(*self.alternative._texts(), "a second ======="),)
            return EditFile(path, (Replace(Old(old, line=self.line, fit="lines-first"), new, alternatives=other),))
        return CreateFile(path, "".join(self.replace)) if any(row.strip() for row in self.replace) else None

    def _texts(self) -> tuple[str, str]:
        """Both texts; without their last ending where it is the same matter on both sides.

        So they fit a part of a line as well, and the last line of a file that has no newline there.
        """
        old, new = "".join(self.search), "".join(self.replace)
        if not self.search[-1].strip() or not self.replace or not self.replace[-1].strip():
            return old, new
        return old.removesuffix("\n").removesuffix("\r"), new.removesuffix("\n").removesuffix("\r")


def rows_of(lines: Sequence[Line], *, indent: str, is_sent_with_cr: bool) -> tuple[str, ...]:
    """Lines as they are to be in the file; a CR that the marks have too is how the reply was sent."""
    return tuple(
        unescaped(line.text.removeprefix(indent)) + ("\n" if is_sent_with_cr or not line.ending else line.ending)
        for line in lines
    )


def signed_rows(texts: Sequence[str]) -> list[Row] | None:
    """Old lines that are a small diff by themselves: each with a sign, and something that comes beside the rest."""
    rows = [Row(_sign(text), text[1:] if text.strip() else text) for text in texts]
    if any(row.sign == "" for row in rows):
        return None
    signs = {row.sign for row in rows if not row.is_blank}
    return rows if "+" in signs and len(signs) > 1 else None


def _sign(text: str) -> Sign:
    first = text[0] if text.strip() else " "
    return " " if first == " " else "-" if first == "-" else "+" if first == "+" else ""


def start_line(lines: list[Line]) -> tuple[int | None, list[Line]]:
    """The line number before the lines of a side, and these without the lines that give it."""
    start = None
    skipped = 0
    for line in lines[:2]:
        found = _START.fullmatch(line.text)
        if found is None and _END.fullmatch(line.text) is None:
            break
        start = int(found[1]) if found is not None else start
        skipped += 1
    if skipped and skipped < len(lines) and _RULE.fullmatch(lines[skipped].text):
        skipped += 1
    return start or None, lines[skipped:]
