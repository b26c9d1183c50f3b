"""What a format is: which files are written in it, what can be addressed in them, and whether they parse.

A format is one file in `formats/` that ends with `FORMATS = (Format(…), …)`; `_FORMATS` names them.
Parsers are imported by the functions that need them, never by the module of a format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain

from steadyhand.errors import Kind
from steadyhand.lazy import Registry, dataclass
from steadyhand.structure.neutral import Change
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LONGEST = 255  # characters of a name in which its suffixes are looked for: no file has a longer one


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of a file that can be addressed. `depth` is how deep it stands in the outline, from 0."""

    address: str
    kind: str
    label: str
    span: Span
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a text stops being what its format asks: 1-based line, and column where it is known."""

    line: int
    message: str
    column: int | None = None

    @classmethod
    def of(cls, read: object, message: str | None = None) -> Fault | Unchecked | None:
        """The fault that a refusal to read a text reports; what was read has none."""
        if not isinstance(read, Refusal):
            return None
        if read.kind != Kind.UNPARSABLE:
            return Unchecked(read.message)
        line, column = read.details.get("line"), read.details.get("column")
        said = message or str(read.details.get("reason", read.message))
        return cls(line if isinstance(line, int) else 1, said, column if isinstance(column, int) else None)


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Why a text was not parsed: it is larger or nested deeper than parsers are given."""

    reason: str


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a file. `suffixes` such as `.md` and whole `names` such as `.env` are compared in lower case.

    `outline`   what can be addressed, in the order of the file
    `fault`     the first place where the text does not parse; None in place of the function where everything parses.
                No parser gets a text of which a linear scan has not bounded what the parser needs for it
    `largest`   texts longer than this many code points are not checked for faults
    `is_neutral` proves of a small change, from its surroundings, that it leaves a valid text valid; False: unknown
    `gap`       where the outline may miss something, though the rest of the text could be read
    """

    name: str
    suffixes: tuple[str, ...]
    outline: Callable[[Source], Sequence[Entry] | Refusal]
    fault: Callable[[Source], Fault | Unchecked | None] | None = None
    names: tuple[str, ...] = ()
    largest: int = 2_000_000
    gap: Callable[[Source], Fault | None] | None = None
    is_neutral: Callable[[Change], bool] | None = None


_FORMATS = Registry(
    "steadyhand.structure",
    "FORMATS",
    "code=code.format env=config.formats.env html=html.format ini=config.formats.ini json=config.formats.json "
    "markdown=markdown.format notebook=notebook.format toml=config.formats.toml yaml=config.formats.yaml",
)


@cache
def formats() -> tuple[Format, ...]:
    """Every format, in alphabetical order."""
    return tuple(sorted(chain.from_iterable(_FORMATS.load()), key=lambda item: item.name))


@cache
def _by_name() -> dict[str, Format]:
    return {name: item for item in formats() for name in (*item.suffixes, *item.names)}


def file_name(path: str | None) -> str:
    """The last part of a path, in lower case: what says how a file is written.

    >>> file_name("Docs\\\\Read.MD"), file_name(None)
    ('read.md', '')
    """
    return (path or "").replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


def format_of(path: str | None) -> Format | None:
    """The format of a file by its name; the longest suffix counts.

    >>> format_of("no/such.extension-at-all") is None
    True
    """
    if path is None:
        return None
    name = file_name(path)
    known = _by_name()
    dots = (at for at, letter in enumerate(name[-_LONGEST:], max(len(name) - _LONGEST, 0)) if letter == ".")
    return next((known[key] for key in chain((name,), (name[at:] for at in dots)) if key in known), None)


def format_named(name: str) -> Format | None:
    """The format of that name."""
    return next((item for item in formats() if item.name == name), None)
