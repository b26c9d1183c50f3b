"""A parse that gives up on hopeless text, whatever the clock says.

Recovering from errors costs more the longer one erroneous region is, without a bound. So the parser is handed the text
piece by piece, and of every piece some bytes are watched: its log says whether it is skipping tokens. In long sound
stretches it is hardly watched at all; where it skips and skips and puts nothing together, the text ends for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.text.pace import go_on

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import LogType, Parser, Point, Tree


_SMALL = 6_000  # no text of so many bytes takes long
_FAR, _NEAR, _WATCHED = 5_000, 1_000, 64
_TROUBLE = ("skip_token", "detect_error", "skip_unrecognized", "recover")
_ENOUGH = 400
_AT_ONCE, _LOCAL = 4, 24
_BUSY = 3_000  # lines of the log for the few bytes that are watched
_TIMES = 20  # so often a text may be read on: a lexer that looks ahead to its end at every token never stops to


def parse_bounded(grammar: Grammar, data: bytes) -> Tree | int:
    """The tree of some bytes, or about where the errors start that the parser did not get through."""
    from tree_sitter import Parser

    parser = Parser(grammar)
    if len(data) <= _SMALL:
        return parser.parse(data)
    watch = _Watch(parser, data)
    tree = parser.parse(watch.read)
    parser.logger = None  # type: ignore[assignment]
    if watch.stopped is not None:
        raise watch.stopped
    return tree if watch.gave_up is None else watch.gave_up


class _Watch:
    """Reads for a parser and adds up what its recovering costs: the longer a region, the more each piece of it."""

    def __init__(self, parser: Parser, data: bytes) -> None:
        self.parser, self.data = parser, data
        self.next = _FAR  # where it is watched next, and where that ends while it is
        self.until: int | None = None
        self.reached = 0  # where the last piece ended
        self.left = _TIMES * len(data)  # bytes that may still be read on, piece after piece
        self.lines = self.troubles = self.reduced = self.run = self.cost = 0
        self.first = len(data)
        self.gave_up: int | None = None
        self.stopped: BaseException | None = None

    def read(self, offset: int, point: Point) -> bytes:  # noqa: ARG002
        if self.until is not None and offset >= self.until:
            self._judge(self.until)
        if self.gave_up is None and self.stopped is None:
            self._ask()
        if self.gave_up is not None or self.stopped is not None:
            return b""
        if self.until is None and offset >= self.next:
            self.until = offset + _WATCHED
            self.lines = self.troubles = self.reduced = 0
            self.parser.logger = self._note
        end = max(self.next if self.until is None else self.until, offset + 1)
        end = min(end, offset + _FAR)
        while end < len(self.data) and self.data[end] & 0b1100_0000 == 0b1000_0000:
            end += 1  # a piece ends with a whole character: the parser takes half of one for an error
        self.left -= end - offset if offset == self.reached else 0
        self.reached = end
        if self.left < 0:
            self.gave_up = min(self.first, offset)
        return self.data[offset:end]

    def _ask(self) -> None:
        """Whether to go on. Nothing may be raised through the parser: it is told that the text ends."""
        try:
            go_on()
        except BaseException as stop:  # noqa: BLE001 - it is raised once the parser is done
            self.stopped = stop

    def _note(self, kind: LogType, line: str) -> None:  # noqa: ARG002
        self.lines += 1
        self.troubles += line.startswith(_TROUBLE)
        self.reduced += line.startswith("reduce") - line.startswith("removed")

    def _judge(self, reached: int) -> None:
        """What the watched bytes tell of the piece they end."""
        self.parser.logger = None  # type: ignore[assignment]
        self.until = None
        is_local = self.troubles < _AT_ONCE or self.reduced * 2 >= self.troubles
        if is_local and self.lines < _BUSY:
            self.run, self.next = 0, reached + _FAR
            self.cost += _LOCAL * self.troubles // _WATCHED
        else:
            self.cost += (self.run + 4) * self.troubles // _WATCHED if self.run else 0
            self.run, self.next = self.run + 1, reached + _NEAR
        self.first = min(self.first, reached) if self.troubles >= _AT_ONCE else self.first
        if self.cost > _ENOUGH:
            self.gave_up = self.first
