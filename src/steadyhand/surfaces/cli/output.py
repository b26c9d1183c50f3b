"""Where the command line prints: lines for people, or exactly one JSON document for programs.

Nothing else in this room writes to stdout or stderr. Lines come as pieces and are made harmless on the way out
(`surfaces.terminal`); JSON is pure ASCII with every control character escaped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TextIO

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.terminal import ColorChoice, Line, Piece, paint, wants_color

_BATCH = 1_000  # lines; a reader that went away is noticed after so many, and no more are held in memory


class Output:
    """The two streams of one invocation, and how to write to them."""

    def __init__(self, *, json: bool = False, color: ColorChoice = "auto", quiet: bool = False) -> None:
        self.json = json
        self.color = color
        self.quiet = quiet
        self.warnings: list[str] = []

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at stdout."""
        return _is_terminal(sys.stdout)

    @property
    def width(self) -> int:
        """Columns to fill: the terminal's; in a pipe wide enough for a line of log."""
        import shutil

        if self.is_terminal or os.environ.get("COLUMNS"):
            return max(shutil.get_terminal_size((80, 24)).columns, 40)
        return 120

    def print(self, lines: Iterable[Line]) -> None:
        """Lines for people, on stdout; nothing under --json."""
        if not self.json:
            self._paint(sys.stdout, lines)

    def tell(self, lines: Iterable[Line]) -> None:
        """Lines beside the answer, on stderr; nothing under --json."""
        if not self.json:
            self._paint(sys.stderr, lines)

    def warn(self, warning: str) -> None:
        """Something the caller should know: on stderr, or in the document's `warnings`."""
        self.warnings.append(warning)
        self.tell([(Piece("warning: ", "warning"), Piece(warning))])

    def raw(self, data: bytes) -> None:
        """Bytes as they are; the caller made sure that no terminal looks."""
        _write_bytes(sys.stdout, data)

    def document(self, document: Mapping[str, object]) -> None:
        """The one JSON document, on stdout; nothing unless --json."""
        if self.json:
            warnings = {"warnings": self.warnings} if self.warnings else {}
            _write(sys.stdout, _to_json({**document, **warnings}) + "\n")

    def plain(self, text: str) -> None:
        """Text of our own making, such as a completion script."""
        _write(sys.stdout, text)

    def colors(self, stream: TextIO) -> bool:
        return wants_color(self.color, os.environ, is_terminal=_is_terminal(stream))

    def _paint(self, stream: TextIO, lines: Iterable[Line]) -> None:
        painted = paint(lines, color=self.colors(stream))
        while batch := list(islice(painted, _BATCH)):
            _write(stream, "\n".join(batch) + "\n")


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _write(stream: TextIO, text: str) -> None:
    """All of the text, with escapes for what the stream's encoding lacks."""
    _write_bytes(stream, text.encode(stream.encoding or "ascii", "backslashreplace"))


def _write_bytes(stream: TextIO, data: bytes) -> None:
    """All of the bytes: unbuffered, as PYTHONUNBUFFERED makes it, a stream may take only some and not say so."""
    left = memoryview(data)
    try:
        stream.flush()
        while left:
            left = left[stream.buffer.write(left) or 0 :]
        stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise EditError(
            Kind.DISK_REFUSED,
            f"the answer could not be written: {error.strerror}",
            hint="what was asked for may be done all the same; steadyhand log tells",
        ) from error


def _to_json(document: Mapping[str, object]) -> str:
    import json

    # DEL is the one control character JSON leaves alone; it can only be inside a string.
    return json.dumps(document, ensure_ascii=True, default=_plain).replace("\x7f", "\\u007f")


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
