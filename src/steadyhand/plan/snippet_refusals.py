"""What a snippet that cannot be merged is told: which of its lines, which of the file, and what to send instead."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.plan.places import describe_places, lines_phrase, list_places, shorten
from steadyhand.plan.snippet_compare import VisibleRows
from steadyhand.plan.snippet_edges import Edge
from steadyhand.plan.snippet_rows import Run
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["Refusals"]


class Refusals:
    """The refusals of one snippet for one file; `name` is what the file is called in them."""

    def __init__(self, name: str, source: Source, file: VisibleRows) -> None:
        self._name, self._source, self._file = name, source, file

    def no_anchor(self, run: Run) -> EditError:
        from steadyhand.text.nearest import find_nearest

        line = run.line(0)
        near = find_nearest(self._source, run.rows[0], limit=1)
        nearest = f"; nearest is line {near[0].first_line}: {_short(self._line(near[0].first_line))}" if near else ""
        what = f"{lines_phrase(line, run.line(len(run.rows) - 1))} of the snippet: none of them stands in {self._name}"
        return EditError(
            Kind.NO_MATCH,
            f"{what} in a way that tells where they belong, first {_short(run.rows[0])}{nearest}",
            hint="begin and end each part between marks with unchanged lines, copied as they are in the file",
            details={"line": line, "text": run.rows[0][:200]} | ({"nearest": near[0].first_line} if near else {}),
        )

    def ambiguous(self, run: Run, first: int, last: int, places: Sequence[int]) -> EditError:
        spans = [self._span(place) for place in places]
        what = f"{lines_phrase(run.line(first), run.line(last))} of the snippet, {_short(run.rows[first])}"
        verb = "stands" if first == last else "stand"
        return EditError(
            Kind.AMBIGUOUS_MATCH,
            "\n".join([f"{what}, {verb} in {len(places)} places of {self._name}:", *self._listed(spans)]),
            hint="show more unchanged lines around what changes, such as the line that opens the function",
            details={
                "line": run.line(first),
                "total": len(places),
                "candidates": describe_places(self._source, spans[:20]),
            },
        )

    def cut_off(self, run: Run, start: int, end: int) -> EditError:
        """It has most of the file, and one end of it is missing."""
        first, last = self._file.line(start), self._file.line(end - 1)
        rest = f"from line {last + 1} on" if start == 0 else f"up to line {first - 1}"
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the snippet has {lines_phrase(first, last)} of {self._name} and no mark: whether the lines {rest} are to "
            "go or to stay cannot be told",
            hint="put a mark such as `... existing code ...` where lines stay, or say that it is the whole file",
            details={"line": run.line(0), "lines": [first, last]},
        )

    def rival(self, run: Run, places: Sequence[int]) -> EditError:
        spans = [self._span(place) for place in places]
        what = f"{lines_phrase(run.line(0), run.line(len(run.rows) - 1))} of the snippet, {_short(run.rows[0])} first"
        return EditError(
            Kind.AMBIGUOUS_MATCH,
            "\n".join([f"{what}, may be meant for more than one place of {self._name}:", *self._listed(spans)]),
            hint="show more unchanged lines around what changes, such as the line that opens the function",
            details={"line": run.line(0), "candidates": describe_places(self._source, spans)},
        )

    def out_of_order(self, run: Run, place: int) -> EditError:
        return EditError(
            Kind.NO_MATCH,
            f"line {run.line(0)} of the snippet, {_short(run.rows[0])}, is in {self._name} at line "
            f"{self._file.line(place)}, not between the parts around it",
            hint="give the parts in the order in which they stand in the file",
            details={"line": run.line(0), "nearest": self._file.line(place)},
        )

    def doubled(self, run: Run, row: int, place: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"line {run.line(row)} of the snippet, {_short(run.rows[row])}, is in {self._name} at line "
            f"{self._file.line(place)} and would then be there twice",
            hint="show the lines between its old and its new place too, without a mark",
            details={"line": run.line(row), "nearest": self._file.line(place)},
        )

    def overlapping(self, run: Run, before: Run, place: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the parts of the snippet at line {before.line(0)} and at line {run.line(0)} both take line "
            f"{self._file.line(place)} of {self._name}",
            hint="give lines that follow each other in the file as one part, without a mark between them",
            details={"line": run.line(0)},
        )

    def idle_mark(self, run: Run, place: int) -> EditError:
        """Three dots where nothing is left out may as well be a line that is to come in."""
        line = run.line(len(run.rows) - 1)
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the dots below line {line} of the snippet stand for nothing: what follows them comes right below line "
            f"{self._file.line(place)} of {self._name}",
            hint="leave them out, or send an edit if they are to be a line of the file",
            details={"line": line, "nearest": self._file.line(place)},
        )

    def open_edge(self, run: Run, edge: Edge) -> EditError:
        beyond = edge.beyond_same()
        edge = beyond if beyond.new else edge
        row = edge.new[0]
        side = "above" if edge.is_above else "below"
        beside = f"line {self._file.line(edge.here.number)} of {self._name}"
        what = f"{_short(row.text)} stands right {side} {_short(edge.here.text)} ({beside}) in the snippet"
        there = f"which has {_short(edge.file[0].text)} there" if edge.file else "where the file ends"
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"{what}, {there}: whether lines are added or replaced cannot be told",
            hint=f"go on {side} it up to a line of the file that stays, before the mark",
            details={"line": run.line(0), "text": row.text[:200], "nearest": self._file.line(edge.here.number)},
        )

    def left_out(self, run: Run, new: range, old: range) -> EditError:
        lines = (self._file.line(old.start), self._file.line(old.stop - 1))
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"{lines_phrase(*lines)} of {self._name} ({len(old)} that are not blank) are missing from the part of the "
            f"snippet at line {run.line(0)}, which has {len(new)} in their place and no mark",
            hint="put a mark such as `... existing code ...` where lines stay; to delete many, send an edit of them",
            details={"line": run.line(0), "lines": list(lines), "count": len(old)},
        )

    def mark(self, run: Run, row: int) -> EditError:
        return EditError(
            Kind.PLACEHOLDER_LEFT,
            f"line {run.line(row)} of the snippet, {_short(run.rows[row])}, seems to stand for lines that stay, and "
            f"would come into {self._name}",
            hint="write the mark as a comment of its own, such as `... existing code ...`",
            details={"line": run.line(row), "text": run.rows[row].strip()[:200]},
        )

    def reindented(self, run: Run, row: int, place: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"line {run.line(row)} of the snippet, {_short(run.rows[row])}, differs from line "
            f"{self._file.line(place)} of {self._name} in its indentation only",
            hint="copy unchanged lines with their indentation; to change it, send an edit of these lines",
            details={"line": run.line(row), "nearest": self._file.line(place)},
        )

    def indent(self, run: Run, row: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"the part of the snippet at line {run.line(0)} is indented otherwise than {self._name}; where line "
            f"{run.line(row)}, {_short(run.rows[row])}, belongs cannot be told",
            hint="copy unchanged lines with their indentation",
            details={"line": run.line(row)},
        )

    def blanks(self, run: Run, row: int, file_row: int) -> EditError:
        return EditError(
            Kind.LOW_CONFIDENCE,
            f"around line {file_row + 1} of {self._name} the snippet (line {run.line(row)}) has other blank lines than "
            "the file, and whether they are to change cannot be told",
            hint="copy the blank lines around what changes as they are in the file",
            details={"line": run.line(row), "nearest": file_row + 1},
        )

    def _listed(self, spans: Sequence[Span]) -> list[str]:
        return list_places(self._source, spans, len(spans))

    def _span(self, place: int) -> Span:
        return self._source.table.span(self._file.numbers[place])

    def _line(self, line: int) -> str:
        return self._source.table.text(line - 1)


def _short(text: str) -> str:
    return repr(shorten(text))
