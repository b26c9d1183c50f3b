"""A reply read while it arrives: pieces of any size in, finished requests out, the whole patch at the end.

How the reply is cut makes no difference. What was given early is always the beginning of what `close` gives, unless
`close` refuses: then nothing of the reply is to be applied.
"""

from __future__ import annotations

from steadyhand.dialects.detect import Reading, choose, foremost, mixed
from steadyhand.dialects.dialect import Dialect, dialect_named, dialects
from steadyhand.dialects.patch import Patch
from steadyhand.dialects.piece import Piece
from steadyhand.dialects.reply import Line, Splitter
from steadyhand.errors import EditError, Kind
from steadyhand.schema import bad_request, nearest_name
from steadyhand.text.cancel import check_each

__all__ = ["MAX_REPLY", "PatchStream", "asked_dialects"]

MAX_REPLY = 100_000_000  # code points


class PatchStream:
    """Reads one reply. `feed` gives the pieces that are complete, `close` the patch. Refuses with `malformed-patch`.

    >>> stream = PatchStream()
    >>> sum(len(stream.feed(part)) for part in ("*** Begin Patch\\n*** Delete File: a.t", "xt\\n*** End Patch\\n"))
    1
    >>> stream.close().files
    (DeleteFile(path='a.txt', expect=None),)
    """

    def __init__(self, *, format: str = "auto") -> None:
        self._readings = [Reading(dialect, dialect.reader()) for dialect in asked_dialects(format)]
        self._is_auto = format == "auto"
        self._splitter = Splitter()
        self._leader: Reading | None = None
        self._known = self._given = 0
        self._size = 0
        self._lines: list[Line] = []
        self._is_closed = False

    def feed(self, part: str) -> tuple[Piece, ...]:
        """The pieces that this part of the reply completes; a dialect without marks gives none before the end."""
        self._check_open()
        if not isinstance(part, str):
            raise bad_request("part", "a text is expected")
        self._size += len(part)
        self._check_size()
        for line in check_each(self._splitter.feed(part)):
            self._take(line)
        start, self._given = self._given, self._known
        return tuple(self._leader.pieces[start : self._known]) if self._leader is not None else ()

    def close(self) -> Patch:
        """The whole patch; nothing can be fed after that."""
        self._check_open()
        self._check_size()
        self._is_closed = True
        for line in check_each(self._splitter.close()):
            self._take(line)
        for reading in self._readings:
            self._guarded(reading, None)
        chosen = choose(self._readings, self._lines, is_empty=not self._size) if self._is_auto else self._only()
        # The caller already has pieces of the leader: another choice now would contradict them.
        if self._leader is not None and self._leader is not chosen:
            raise mixed([self._leader, chosen])
        found = Patch.of(chosen.dialect, chosen.pieces, chosen.reader.notes).beside(chosen.shown)
        return found.as_whole_files() if not self._is_auto and chosen.dialect.is_whole_if_asked else found

    def _check_open(self) -> None:
        if self._is_closed:
            raise bad_request("stream", "it is closed", "make a new one for each reply")

    def _check_size(self) -> None:
        if self._size > MAX_REPLY:
            raise EditError(
                Kind.TOO_LARGE,
                f"the reply is longer than {MAX_REPLY} characters",
                hint="send it in several patches",
                details={"limit": MAX_REPLY},
            )

    def _only(self) -> Reading:
        """The reading in the dialect that was asked for."""
        (reading,) = self._readings
        if reading.error is not None:
            example = reading.error.details.get("example", reading.dialect.example)
            raise reading.error.with_details(example=example)
        return reading if reading.pieces else choose(self._readings, is_empty=not self._size)

    def _take(self, line: Line) -> None:
        self._lines.append(line)
        for reading in self._readings:
            self._guarded(reading, line)
        self._tell()

    def _guarded(self, reading: Reading, line: Line | None) -> None:
        if reading.error is None:
            try:
                reading.pieces.extend(reading.reader.close() if line is None else reading.reader.feed(line))
            except EditError as error:
                reading.error = error

    def _tell(self) -> None:
        """Take note of what may be given now: line by line, so that how the reply is cut makes no difference."""
        leader = foremost(self._readings)
        if leader is not None and self._leader in (None, leader):
            self._leader, self._known = leader, len(leader.pieces)


def asked_dialects(format: str) -> list[Dialect]:
    """The dialects that a format names; refuses with `bad-request` one that is none."""
    if not isinstance(format, str):
        raise bad_request("format", "a name is expected", "such as 'auto'")
    if format == "auto":
        return list(dialects())
    found = dialect_named(format)
    if found is None:
        names = ("auto", *(dialect.name for dialect in dialects()))
        near = nearest_name(format, names)
        hint = f"did you mean {near!r}?" if near else f"one of {', '.join(names)}"
        raise bad_request("format", f"{format[:40]!r} is not a format", hint)
    return [found]
