"""A range of whole lines: by number, and optionally what must be there; or by number and digest.

Lines are counted, and compared with the text that was given for them; a text that is elsewhere now is reported with
its line and never followed.

An anchor is a line named by its number and by what it says: `12#a3f` is line 12, whose SHA-256 starts with a3f. Both
must agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Self

from steadyhand.errors import Kind
from steadyhand.hints import Reread, SendAddress, UseLines
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request, check_integer, check_text, join, read_object, read_optional_text, read_text
from steadyhand.structure.node import Refusal, refuse
from steadyhand.structure.target import Rows, RowTarget
from steadyhand.text.lines import body, split_bodies, to_lf
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

__all__ = ["bottom_up", "find_overlap"]

_SHOWN = 20
_RANGE = lazy_pattern(r"([0-9]{1,12})(?:[-:]([0-9]{1,12}))?", re.ASCII)


@sized("text")
@dataclass(frozen=True, slots=True)
class Lines(RowTarget):
    """Lines `start` to `end`, counted from 1, both included.

    `Lines(5, 4)` is the empty place before line 5; one past the last line it is the end of the file. `text` is the
    required text of those lines, whatever their endings; its final newline is optional.

    >>> from steadyhand.text.source import Source
    >>> Lines(2, 3).locate(Source.of_text("a\\nb\\nc\\n"))
    Match(span=Span(start=2, end=6), tier='lines', similarity=1.0, differs=())
    """

    key: ClassVar[str] = "lines"
    examples: ClassVar[tuple[str, ...]] = ("lines:3-5", "lines:12-12")

    start: int
    end: int
    text: str | None

    def __init__(self, start: int, end: int | None = None, text: str | None = None) -> None:
        object.__setattr__(self, "start", check_integer(start, "lines.start"))
        object.__setattr__(self, "end", self.start if end is None else check_integer(end, "lines.end"))
        object.__setattr__(self, "text", None if text is None else check_text(text, "lines.text"))

    @property
    def is_empty(self) -> bool:
        """Whether it is a place between lines."""
        return self.end < self.start

    def locate_rows(self, rows: Rows) -> Match | Refusal:
        count = rows.count
        if self.end < self.start - 1:
            return refuse(
                f"lines {self.start} to {self.end} run backwards",
                SendAddress(f"lines:{self.end}-{self.start}"),
                {"start": self.start, "end": self.end},
            )
        if self.start < 1 or self.end > count or self.start > count + 1:
            return self._outside(count) if self.text is None else self._stale(rows, self.text)
        if self.text is not None and not self._agrees(rows, self.text):
            return self._stale(rows, self.text)
        return Match(Span(rows.start(self.start - 1), rows.start(self.end)), self.key)

    def _outside(self, count: int) -> Refusal:
        asked = f"line {self.start}" if self.start == self.end else f"lines {self.start} to {self.end}"
        has = "is empty" if count == 0 else f"has {count} line{'s' if count > 1 else ''}"
        return Refusal(
            Kind.OUT_OF_BOUNDS,
            f"{asked}: the file {has}",
            UseLines(count),
            {"start": self.start, "end": self.end, "line_count": count},
        )

    def _agrees(self, rows: Rows, text: str) -> bool:
        standing = [rows.text(row) for row in range(self.start - 1, self.end)]
        return standing == split_bodies(text) or "\n".join(standing) == to_lf(text)

    def _stale(self, rows: Rows, text: str) -> Refusal:
        """The lines do not say what they should: report what is there, and where the text is now."""
        wanted = split_bodies(text)
        now = _lines_of(rows, wanted)
        asked = f"line {self.start}" if self.start == self.end else f"lines {self.start} to {self.end}"
        there = f"line {self.start} reads {rows.text(self.start - 1)[:80]!r}" if 1 <= self.start <= rows.count else None
        return Refusal(
            Kind.STALE_SOURCE,
            f"{asked}: the given text is not at this place, {there or f'the file has {rows.count} lines'}; "
            f"{_known_places(now)}",
            SendAddress(f"lines:{now[0]}-{now[0] + len(wanted) - 1}") if len(now) == 1 else Reread(),
            {"start": self.start, "end": self.end, "line_count": rows.count, "now_at": now[:_SHOWN]},
        )

    def to_value(self) -> str | None:
        return f"{self.start}-{self.end}" if self.text is None else None

    @classmethod
    def from_rows(cls, value: str) -> Self:
        found = _RANGE.fullmatch(value.strip())
        if found is None:
            raise bad_request("address", f"{value[:40]!r} is not a range of lines", "such as lines:3-5 or lines:3")
        return cls(int(found.group(1)), int(found.group(2) or found.group(1)))

    def to_json(self) -> object:
        if self.text is None:
            return [self.start, self.end]
        return {"start": self.start, "end": self.end, "text": self.text}

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        if isinstance(value, list | tuple):
            if len(value) != 2:
                raise bad_request(path, "first and last line are expected", "such as [3, 5]")
            return cls(check_integer(value[0], f"{path}[0]"), check_integer(value[1], f"{path}[1]"))
        fields = read_object(value, path, ("start", "end", "text"))
        for name in ("start", "end"):
            if name not in fields:
                raise bad_request(join(path, name), "the field is missing", f"add {name!r}, a line number")
        return cls(
            check_integer(fields["start"], join(path, "start")),
            check_integer(fields["end"], join(path, "end")),
            read_optional_text(fields, "text", path),
        )


def _lines_of(rows: Rows, wanted: list[str]) -> list[int]:
    """The lines at which some rows are, in one search: no row has a line feed in it."""
    if not any(wanted):
        return []
    text = "\n".join(["", *(rows.text(row) for row in range(rows.count)), ""])
    quoted = "\n".join(["", *wanted, ""])
    found: list[int] = []
    line, counted, at = 1, 0, text.find(quoted)
    while at >= 0 and len(found) <= _SHOWN:
        line, counted = line + text.count("\n", counted, at), at
        found.append(line)
        at = text.find(quoted, at + 1)
    return found


def _known_places(lines: list[int]) -> str:
    if not lines:
        return "it is nowhere in the file"
    shown = ", ".join(map(str, lines[:5]))
    return f"it begins at line {shown}{' …' if len(lines) > 5 else ''}"


def bottom_up(ranges: Sequence[Lines]) -> list[int]:
    """The indices of ranges, the last in the file first; insertions at one place come out in the order given.

    >>> bottom_up([Lines(1, 2), Lines(5, 4), Lines(5, 9)])
    [2, 1, 0]
    """
    return sorted(range(len(ranges)), key=lambda index: (ranges[index].start, ranges[index].end, index), reverse=True)


def find_overlap(ranges: Sequence[Lines]) -> tuple[int, int] | None:
    """Two ranges that share a line, or of which one inserts inside the other: the earlier given first.

    >>> find_overlap([Lines(4, 6), Lines(1, 2), Lines(5, 4)]), find_overlap([Lines(4, 6), Lines(4, 3), Lines(7, 6)])
    ((0, 2), None)
    """
    furthest: int | None = None
    for index in reversed(bottom_up(ranges)):
        if furthest is not None and ranges[index].start <= ranges[furthest].end:
            return min(furthest, index), max(furthest, index)
        if furthest is None or ranges[index].end > ranges[furthest].end:
            furthest = index
    return None


_ANCHOR = lazy_pattern(r"([1-9][0-9]{0,11})#([0-9a-fA-F]{3,64})", re.ASCII)
_MOST_SHOWN = 5


def line_digest(text: str) -> str:
    """The SHA-256 of a line without its ending, in hex."""
    from hashlib import sha256

    return sha256(body(text).encode("utf-8", "surrogatepass")).hexdigest()


def anchor_of(line: int, text: str, *, digits: int = 3) -> str:
    """How to name a line: its number and the start of its digest.

    >>> anchor_of(12, "return None\\n")
    '12#9f7'
    """
    return f"{line}#{line_digest(text)[:digits]}"


def anchors_of(source: Source, first: int, last: int, *, digits: int = 3) -> list[str]:
    """The anchors of lines `first` to `last`, as far as the source has them."""
    rows = range(max(first, 1) - 1, min(last, source.table.count))
    return [anchor_of(row + 1, source.table.text(row), digits=digits) for row in rows]


@dataclass(frozen=True, slots=True)
class Anchor(RowTarget):
    """The line `start`, or the lines from `start` to `end`, each written as number, `#` and digest prefix."""

    key: ClassVar[str] = "anchor"
    examples: ClassVar[tuple[str, ...]] = ("anchor:12#a3f", "anchor:12#a3f-15#09c")

    start: str
    end: str | None = None

    def __post_init__(self) -> None:
        _parse(self.start, "anchor")
        if self.end is not None:
            _parse(self.end, "anchor")

    def locate_rows(self, rows: Rows) -> Match | Refusal:
        line, digest = _parse(self.start, "anchor")
        last_line, last_digest = (line, digest) if self.end is None else _parse(self.end, "anchor")
        stale = [pair for pair in ((line, digest), (last_line, last_digest)) if not _agrees(rows, *pair)]
        if stale:
            return _moved(rows, *stale[0])
        if last_line < line:
            return refuse(
                f"the anchors run backwards, from line {line} to line {last_line}",
                SendAddress(f"anchor:{self.end}-{self.start}"),
            )
        return Match(Span(rows.start(line - 1), rows.start(last_line)), self.key)

    def to_value(self) -> str | None:
        return self.start if self.end is None else f"{self.start}-{self.end}"

    @classmethod
    def from_rows(cls, value: str) -> Self:
        start, separator, end = value.strip().partition("-")
        return cls(start, end) if separator else cls(start)

    def to_json(self) -> object:
        return self.start if self.end is None else [self.start, self.end]

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        if isinstance(value, list | tuple):
            if not 1 <= len(value) <= 2:
                raise bad_request(path, "one or two anchors are expected", 'such as ["12#a3f", "15#09c"]')
            anchors = [check_text(item, f"{path}[{index}]") for index, item in enumerate(value)]
        elif isinstance(value, str):
            anchors = [value]
        else:
            fields = read_object(value, path, ("start", "end"))
            last = read_optional_text(fields, "end", path)
            anchors = [read_text(fields, "start", path), *([] if last is None else [last])]
        for anchor in anchors:
            _parse(anchor, path)
        return cls(*anchors)


def _parse(anchor: object, path: str) -> tuple[int, str]:
    found = _ANCHOR.fullmatch(check_text(anchor, path))
    if found is None:
        raise bad_request(
            path,
            f"{str(anchor)[:40]!r} is not an anchor",
            "line number, '#', at least 3 hex digits of the line's SHA-256: 12#a3f, as a read with anchors shows it",
        )
    return int(found.group(1)), found.group(2).lower()


def _agrees(rows: Rows, line: int, digest: str) -> bool:
    return line <= rows.count and line_digest(rows.text(line - 1)).startswith(digest)


def _moved(rows: Rows, line: int, digest: str) -> Refusal:
    """Line and digest disagree: report what is there and where the quoted line is now."""
    count = rows.count
    now = [row + 1 for row in range(count) if line_digest(rows.text(row)).startswith(digest)]
    there = f"line {line} now reads {rows.text(line - 1)[:80]!r}" if line <= count else f"it has {count} lines"
    return Refusal(
        Kind.STALE_SOURCE,
        f"anchor {line}#{digest}: the file changed, {there}; {_known_anchors(now)}",
        SendAddress(f"anchor:{now[0]}#{digest}") if len(now) == 1 else "read the file again with anchors",
        {"anchor": f"{line}#{digest}", "line_count": count, "now_at": now[:20]},
    )


def _known_anchors(lines: Iterable[int]) -> str:
    found = list(lines)
    if not found:
        return "no line has that digest"
    shown = ", ".join(map(str, found[:_MOST_SHOWN]))
    return f"that digest is at line {shown}{' …' if len(found) > _MOST_SHOWN else ''}"


TARGETS: Mapping[str, type[RowTarget]] = {"anchor": Anchor, "lines": Lines}
