"""A reply as readers see it: line after line, also while it is still arriving.

Lines end at LF only, as in every patch format; a CR before it belongs to the ending, any other CR to the text.
Nothing here knows a dialect.
"""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.lazy import dataclass
from steadyhand.text.visible import sized

__all__ = ["Line", "Splitter", "split_reply"]


@sized("text")
@dataclass(frozen=True, slots=True)
class Line:
    """One line of a reply: its number from 1, its text, and its ending (LF, CR LF, or nothing at the very end)."""

    number: int
    text: str
    ending: str = "\n"

    @property
    def whole(self) -> str:
        return self.text + self.ending


class Splitter:
    """Takes a reply in pieces of any size and gives whole lines; how it was cut makes no difference."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._count = 0

    def feed(self, piece: str) -> Iterator[Line]:
        """The lines that end in this piece."""
        start = 0
        while (end := piece.find("\n", start)) >= 0:
            self._open.append(piece[start:end])
            yield self._line("\n")
            start = end + 1
        if start < len(piece):
            self._open.append(piece[start:])

    def close(self) -> Iterator[Line]:
        """The last line, if it has no ending."""
        if self._open:
            yield self._line("")

    def _line(self, ending: str) -> Line:
        text = "".join(self._open)
        self._open.clear()
        self._count += 1
        if ending and text.endswith("\r"):
            return Line(self._count, text[:-1], "\r\n")
        return Line(self._count, text, ending)


def split_reply(reply: str) -> list[Line]:
    """Every line of a whole reply.

    >>> [line.text for line in split_reply("a\\r\\nb")]
    ['a', 'b']
    """
    splitter = Splitter()
    return [*splitter.feed(reply), *splitter.close()]
