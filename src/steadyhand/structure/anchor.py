"""Lines named by number and by what they say: `12#a3f` is line 12, whose SHA-256 starts with a3f.

Number and digest must agree. A line that moved is reported with its present number and never followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Self

from steadyhand.errors import Kind
from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request, check_text, read_object, read_optional_text, read_text
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import Rows, RowTarget
from steadyhand.text.lines import body
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_FORM = lazy_pattern(r"([1-9][0-9]{0,11})#([0-9a-fA-F]{3,64})", re.ASCII)
_SHOWN = 5


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
            return Refusal(
                Kind.BAD_REQUEST,
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
    found = _FORM.fullmatch(check_text(anchor, path))
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
        f"anchor {line}#{digest}: the file changed, {there}; {_known_places(now)}",
        SendAddress(f"anchor:{now[0]}#{digest}") if len(now) == 1 else "read the file again with anchors",
        {"anchor": f"{line}#{digest}", "line_count": count, "now_at": now[:20]},
    )


def _known_places(lines: Iterable[int]) -> str:
    found = list(lines)
    if not found:
        return "no line has that digest"
    shown = ", ".join(map(str, found[:_SHOWN]))
    return f"that digest is at line {shown}{' …' if len(found) > _SHOWN else ''}"


TARGET = Anchor
