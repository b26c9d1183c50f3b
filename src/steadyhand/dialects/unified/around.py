"""The lines of a reply outside of any diff: noted if they wrap one, refused if they may be rows of a hunk."""

from __future__ import annotations

from steadyhand.dialects.labels import label_in
from steadyhand.dialects.piece import Note
from steadyhand.dialects.reply import Line
from steadyhand.dialects.unified.section import binary, is_binary, wrong
from steadyhand.dialects.unified.wrapper import Sort, Wrapping, begins_mail, is_v4a_mark
from steadyhand.lazy import lazy_pattern

__all__ = ["Around"]

_LIKE_A_ROW = lazy_pattern(r"[-+](?:[^\s+-]|\t|[ \t]{2,}\S)")
_OF_A_DIFF = ("diff -", "Index: ", "=====", "Only in ", "index ")
_LEFT_OVER_HINT = "send the diff again, with a sign in front of every line of a hunk and the right counts in its header"


class Around:
    """What has been seen outside of diffs.

    `label` is the path that the lines above name. `offers_rows`: a fence for diffs has been opened, so that signed
    lines are rows even without a header. `is_foreign`: an envelope of another format is open.
    """

    def __init__(self, notes: list[Note], wrapping: Wrapping) -> None:
        self._notes = notes
        self._wrapping = wrapping
        self.label: str | None = None
        self.offers_rows = False
        self.is_foreign = False
        self._has_begun = False
        self._may_have_rows = False
        self._is_mail = False
        self._is_noted = False
        self._is_quiet = False

    def begin(self) -> None:
        """Something of a diff begins."""
        self._has_begun = True
        self.offers_rows = self._may_have_rows = self._is_mail = self._is_noted = self._is_quiet = False

    def end_rows(self, *, is_sure: bool) -> None:
        """Rows have ended; unless it is sure, there may be more of them."""
        self._may_have_rows = not (is_sure and self._wrapping.fence is not None)

    def take(self, line: Line) -> Sort:
        """Take a line outside of a diff, and say what it is. Refuses what may be a row, and binary content."""
        if not line.text.strip() or self._is_mail:
            self._is_quiet = False
            return "text"
        sort = self._wrapping.see(line)
        match sort:
            case "open":
                self._open()
                self._note(line, "a code fence around the patch")
            case "close":
                self.label, self.offers_rows = None, False
            case "tag" | "heredoc":
                self.label = label_in(line.text)
                self._note(line, "a tag around the patch" if sort == "tag" else "a shell command around the patch")
            case _:
                self.label = label_in(line.text)
                self.offers_rows = self.offers_rows and self.label is not None
                self._take_text(line)
        return sort

    def _open(self) -> None:
        fence = self._wrapping.fence
        assert fence is not None
        self.label = fence.label or self.label
        self.offers_rows = fence.is_for_diffs
        self._may_have_rows = self._is_noted = False

    def _take_text(self, line: Line) -> None:
        text = line.text
        if self._has_begun and text in ("-- ", "--"):
            self._is_quiet = True
        elif is_v4a_mark(text):
            self.is_foreign = not text.lower().startswith("*** end")
            self._note(line, "a marker of another format")
        elif begins_mail(text):
            self._is_mail, self._may_have_rows = True, False
        elif is_binary(text):
            raise binary(line.number)
        elif text.startswith(_OF_A_DIFF):
            self.label = text.removeprefix("Index: ").strip() if text.startswith("Index: ") else None
        elif self._may_have_rows and _LIKE_A_ROW.match(text):
            raise wrong(line.number, "this may be a line of a hunk, but no hunk is open", "@@", hint=_LEFT_OVER_HINT)
        else:
            self._take_prose(line)

    def _take_prose(self, line: Line) -> None:
        if line.text.startswith("Property changes on: "):
            self._may_have_rows = False
        if not self._is_quiet and not self._is_noted:
            self._is_noted = True
            self._note(line, "text around the patch")

    def _note(self, line: Line, what: str) -> None:
        self._notes.append(Note(line.number, what))
