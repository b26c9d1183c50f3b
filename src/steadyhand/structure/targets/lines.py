"""A range of whole lines by number. Counts lines, never looks at what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from steadyhand.errors import Kind
from steadyhand.structure.fields import bad_request, check_integer, join, read_object
from steadyhand.structure.target import Refusal, Rows, RowTarget
from steadyhand.text.match import Match
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class Lines(RowTarget):
    """Lines `start` to `end`, counted from 1, both included.

    `Lines(5, 4)` is the empty place before line 5; one past the last line it is the end of the file.

    >>> from steadyhand.text.source import Source
    >>> Lines(2, 3).locate(Source.of_text("a\\nb\\nc\\n"))
    Match(span=Span(start=2, end=6), tier='lines', similarity=1.0, differs=())
    """

    key: ClassVar[str] = "lines"

    start: int
    end: int

    def __init__(self, start: int, end: int | None = None) -> None:
        object.__setattr__(self, "start", check_integer(start, "lines.start"))
        object.__setattr__(self, "end", self.start if end is None else check_integer(end, "lines.end"))

    def locate_rows(self, rows: Rows) -> Match | Refusal:
        count = rows.count
        if self.end < self.start - 1:
            return Refusal(
                Kind.BAD_REQUEST,
                f"lines {self.start} to {self.end} run backwards",
                f"lines {self.end} to {self.start} would be [{self.end}, {self.start}]",
                {"start": self.start, "end": self.end},
            )
        if self.start < 1 or self.end > count or self.start > count + 1:
            return self._outside(count)
        return Match(Span(rows.start(self.start - 1), rows.start(self.end)), self.key)

    def _outside(self, count: int) -> Refusal:
        asked = f"line {self.start}" if self.start == self.end else f"lines {self.start} to {self.end}"
        has = "is empty" if count == 0 else f"has {count} line{'s' if count > 1 else ''}"
        return Refusal(
            Kind.OUT_OF_BOUNDS,
            f"{asked}: the file {has}",
            f"use lines from 1 to {count}" if count else "insert before line 1 with the empty range [1, 0]",
            {"start": self.start, "end": self.end, "line_count": count},
        )

    def to_json(self) -> object:
        return [self.start, self.end]

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        if isinstance(value, list | tuple):
            if len(value) != 2:
                raise bad_request(path, "first and last line are expected", "such as [3, 5]")
            return cls(check_integer(value[0], f"{path}[0]"), check_integer(value[1], f"{path}[1]"))
        fields = read_object(value, path, ("start", "end"))
        for name in ("start", "end"):
            if name not in fields:
                raise bad_request(join(path, name), "the field is missing", f"add {name!r}, a line number")
        return cls(check_integer(fields["start"], f"{path}.start"), check_integer(fields["end"], f"{path}.end"))


TARGET = Lines
