"""What a dialect is: a way of writing changes as text, read line by line and, where it can be, written again.

A dialect is one file in `formats/` that ends with `DIALECT = Dialect(…)`; `_DIALECTS` names them, the rank the
order of questions. A reader reads one dialect and looks at nothing but the reply: no file, no other dialect; marks of
another it may know only as the end of its own lines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import Line
from steadyhand.lazy import Registry, dataclass
from steadyhand.text.visible import sized

__all__ = ["Change", "Dialect", "Reader", "dialect_named", "dialects"]


class Reader(ABC):
    """Reads one reply in one dialect, line by line. Refuses with `malformed-patch`, and is of no use after that.

    A piece is given as soon as nothing that follows can change it. A reply without anything of the dialect gives no
    piece and no refusal. The time for a line does not grow with the lines before it.
    """

    def __init__(self) -> None:
        self.notes: list[Note] = []

    @property
    def is_open(self) -> bool:
        """Whether something of the dialect has begun of which there may be more: what comes next may be its content."""
        return False

    @abstractmethod
    def feed(self, line: Line) -> Iterable[Piece]:
        """The pieces this line completes."""

    @abstractmethod
    def close(self) -> Iterable[Piece]:
        """The pieces that the end of the reply completes."""


@sized("before", "after")
@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after, to be written in a dialect; a path or text is None where there is no file.

    The modes are permission bits, and None where they are not known or of no matter.
    """

    path_before: str | None
    path_after: str | None
    before: str | None
    after: str | None
    mode_before: int | None = None
    mode_after: int | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of writing changes.

    `name` is what `format=` takes, `aliases` what it takes too. `rank` is the order in which dialects are asked and
    listed. `is_marked`: its texts have marks that mean nothing else; a dialect without them is believed only where no
    marked one reads anything. `is_whole_if_asked`: asked for by name, its files are whole and never a part.
    `read_clean` reads a whole reply that is nothing but this dialect as programs write it, as the reader would and
    faster, and gives None for any other. `write` gives the text for changes; it refuses with `bad-request` what the
    dialect cannot say, and is None for a dialect that cannot be written. `example` is a minimal clean text, shown to a
    model whose text was refused.
    """

    name: str
    rank: int
    summary: str
    reader: Callable[[], Reader]
    example: str
    is_marked: bool = True
    is_whole_if_asked: bool = False
    aliases: tuple[str, ...] = ()
    write: Callable[[Sequence[Change]], str] | None = None
    read_clean: Callable[[str], Sequence[Piece] | None] | None = None


_DIALECTS = Registry("steadyhand.dialects.formats", "DIALECT", "json_edits lazy search_replace unified v4a whole")


@cache
def dialects() -> tuple[Dialect, ...]:
    """Every dialect, in the order of their ranks."""
    return tuple(sorted(_DIALECTS.load(), key=lambda dialect: dialect.rank))


def dialect_named(name: str) -> Dialect | None:
    """The dialect that goes by a name."""
    return next((dialect for dialect in dialects() if name == dialect.name or name in dialect.aliases), None)
