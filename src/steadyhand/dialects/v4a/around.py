"""What is around V4A patches in a reply: prose, fences, shell calls, and the indentation of a list item.

None of it is part of a patch. It is reported in notes once a patch begins or the reply is over, each kind once.
"""

from __future__ import annotations

from steadyhand.dialects.piece import Note
from steadyhand.dialects.reply import Line
from steadyhand.dialects.v4a.marks import heredoc_word, is_fence
from steadyhand.dialects.v4a.passage import Wrapping, wrong
from steadyhand.lazy import replace

__all__ = ["Around"]


class Around:
    """Sees the lines outside of patches, and takes the indentation of a whole patch off its lines."""

    def __init__(self) -> None:
        self.wrapping = Wrapping()
        self._seen: dict[str, int] = {}
        self._word: str | None = None
        self._is_fenced = False
        self._indent = ""
        self._margin: str | None = ""

    def see(self, line: Line) -> None:
        """A line outside of every patch that is not empty."""
        self._word = heredoc_word(line.text)
        if is_fence(line.text):
            what = "a code fence around the patch"
            self._is_fenced = not self._is_fenced
        elif (self._word is not None and "apply_patch" in line.text) or self.wrapping.is_closed_by(line):
            what = "a shell call around the patch"
        else:
            what = "text around the patch"
        self._seen.setdefault(what, line.number)

    def begin(self, line: Line) -> list[Note]:
        """A patch begins with this line; the notes on what was seen since the last one."""
        self.wrapping = Wrapping(self._is_fenced, self._word)
        self._indent = line.text[: len(line.text) - len(line.text.lstrip())]
        self._margin = None if self._indent else ""
        return self.notes()

    def break_off(self) -> None:
        """A patch was over without its mark; a fence around it is then over too."""
        self._is_fenced = False

    def notes(self) -> list[Note]:
        """What was seen and not reported yet."""
        found = [Note(number, what) for what, number in self._seen.items()]
        self._seen.clear()
        return found

    def outdented(self, line: Line) -> Line:
        """A line of a patch without the indentation of the whole patch.

        It has one if its first line and the one after that are indented alike; then every line must be.
        """
        text = line.text
        if self._margin is None and text.strip():
            self._margin = self._indent if text.startswith(self._indent) else ""
        if not self._margin:
            return line
        if text.startswith(self._margin):
            return replace(line, text=text[len(self._margin) :])
        if text.strip() and not self.wrapping.is_closed_by(line):
            raise wrong(line.number, "the patch is indented and this line is not", "the indentation of *** Begin Patch")
        return replace(line, text=text.strip())
