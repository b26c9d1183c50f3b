"""What an edit is told whose old text is nowhere: the places that come near, or that it was made before.

An edit counts as made before only on strong evidence; a weak sign is told as a fact and left to the caller.
A corrected old text is offered only where sending it would change exactly one place, and no other is as near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.match.resolve import Nothing
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.text.nearest import Nearest

_WIDTH = 80
_NEAR = 0.8
_RIVALS = 0.03
_LONGEST = 4_000
_VISIBLE = 30


@dataclass(frozen=True, slots=True)
class Absence:
    """Old text that no tier found; `new` is the one place where the edit's new text stands, if there is one."""

    name: str
    source: Source
    old: str
    new: Span | None
    nothing: Nothing

    def nearest(self) -> tuple[Nearest, ...]:
        """The places most like the old text; this is the costly part."""
        from steadyhand.text.nearest import find_nearest  # only a refusal needs the alignment

        return find_nearest(self.source, self.old)

    def may_be_done(self) -> bool:
        """Whether the new text alone is evidence enough: it is long, and stands as whole lines."""
        return self.new is not None and _is_telling(self.new.of(self.source.text)) and self._is_whole_lines(self.new)

    def is_done(self, places: Sequence[Nearest]) -> bool:
        """Whether the edit was made before, as far as can be told: nothing but the new text is like the old."""
        new = self.new
        near = (place.span for place in places if place.similarity >= _NEAR)
        return new is not None and self.may_be_done() and all(span.overlaps(new) for span in near)

    def already_applied(self) -> EditError:
        """The old text is gone and the new text is there."""
        lines = self.source.lines_of(self.new or Span(0, 0))
        where = _lines(*lines)
        return EditError(
            Kind.ALREADY_APPLIED,
            f"the old text is not in {self.name}, and the new text stands in {where} already",
            hint=f"read {where} of {self.name}: if this is the place you mean, the edit is made; "
            "if not, quote the old text as it stands at the other place",
            details={"lines": list(lines)},
        )

    def no_match(self, places: Sequence[Nearest]) -> EditError:
        """The old text is nowhere; say what comes nearest, and whether the new text stands somewhere."""
        details: dict[str, object] = {"tried": list(self.nothing.tried)}
        message, hint = self._about_places(places, details)
        if self.new is not None:
            lines = self.source.lines_of(self.new)
            details["new_lines"] = list(lines)
            message.append(f"the new text does stand in {_lines(*lines)}: look there whether the edit was made before")
        return EditError(Kind.NO_MATCH, "\n".join(message), hint=hint, details=details)

    def _about_places(self, places: Sequence[Nearest], details: dict[str, object]) -> tuple[list[str], str]:
        name = self.name
        if not places:
            return [
                f"the old text is nowhere in {name}"
            ], f"read {name} again and quote the old text as it stands there"
        best = places[0]
        lines = _lines(best.first_line, best.last_line)
        details["nearest"] = [
            {"lines": [place.first_line, place.last_line], "similarity": round(place.similarity, 3)} for place in places
        ]
        message = [f"the old text is not in {name}; nearest is {lines}, {min(best.similarity, 0.99):.0%} alike"]
        if best.difference is not None:
            message += _two_lines(best.difference.line, best.difference.expected, best.difference.actual)
        rivals = self._rivals(places)
        if rivals:
            message.append(f"  as near: {', '.join(rivals)}")
            return message, f"read {lines} and {rivals[0]} of {name}, and quote more of the place that is meant"
        hint = f"read {lines} of {name} and quote {'it' if best.first_line == best.last_line else 'them'} exactly"
        if self.new is not None and best.span.overlaps(self.new):
            return message, f"read {lines} of {name}: if the edit is not made there, quote the old text as it stands"
        if best.is_sure and best.similarity >= _NEAR and best.span.length <= _LONGEST:
            details["old"] = best.span.of(self.source.text)
            hint = _as_it_stands(lines, best.span.of(self.source.text))
        return message, hint

    def _rivals(self, places: Sequence[Nearest]) -> list[str]:
        """Other places that are as near as the first, or are the very same text."""
        best = places[0]
        rivals = {
            _place(self.source, place.span, best.span): None
            for place in places[1:]
            if best.similarity - place.similarity <= _RIVALS
        }
        if best.span.length <= _LONGEST:
            again = self._elsewhere(best.span)
            if again is not None:
                rivals[_place(self.source, again, best.span)] = None
        return list(rivals)

    def _elsewhere(self, span: Span) -> Span | None:
        """Another place, overlapping or not, with the same text."""
        text, wanted = self.source.text, span.of(self.source.text)
        start = text.find(wanted)
        if start == span.start:
            start = text.find(wanted, start + 1)
        return Span(start, start + span.length) if start >= 0 else None

    def _is_whole_lines(self, span: Span) -> bool:
        text = self.source.text
        row = text[max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1 : span.start]
        is_end = span.end == len(text) or text[span.end] in "\r\n" or text[span.end - 1] in "\r\n"
        return is_end and not row.strip(" \t")


def _is_telling(new: str) -> bool:
    """Two lines that are not blank, or so many characters that they do not stand somewhere by chance."""
    rows = [row for row in split_bodies(new) if row.strip()]
    return len(rows) >= 2 or sum(not char.isspace() for char in new) >= _VISIBLE


def _place(source: Source, span: Span, best: Span) -> str:
    """The lines of a place, with its column where it shares its first line with the best."""
    first, last = source.lines_of(span)
    if first != source.line_of(best.start):
        return _lines(first, last)
    return f"line {first}, column {span.start - source.table.start(first - 1) + 1}"


def _as_it_stands(lines: str, old: str) -> str:
    if len(old) <= _WIDTH and "\n" not in old.strip("\n"):
        return f"if {lines} is meant, send {old!r} as the old text"
    return f"if {lines} are meant, send the text given as `old` in the details as the old text"


def _two_lines(line: int, expected: str, actual: str) -> list[str]:
    from steadyhand.text.nearest import show_difference

    sent, there = show_difference(expected, actual)
    return [f"  line {line} has: {there}", f"  you sent{' ' * len(str(line))} : {sent}"]


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}–{last}"
