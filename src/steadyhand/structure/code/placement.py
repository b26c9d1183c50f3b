"""Inserting and removing code: bodies, and the blank lines between definitions.

Bodies are found in the text of one source. Blank lines follow the style of the file, and only without one that of the
language. What is proposed is checked by the caller.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import Literal

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.definition import SPACES, TYPES, Code, Definition
from steadyhand.structure.code.indentation import DIRECTIVE, differing, fit
from steadyhand.structure.code.language import Language
from steadyhand.structure.code.reader import known_code
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.indent import unit_of
from steadyhand.text.lines import body, line_start, split_bodies
from steadyhand.text.source import Source, once
from steadyhand.text.span import Span

_INDENT = lazy_pattern(r"[ \t]*")
_ENDING = lazy_pattern(r"[\r\n]")
_DIRECTIVE = lazy_pattern(rf"{DIRECTIVE}(?:[^\\\r\n]|\\\s*)*")
_EMPTY_END = lazy_pattern(r"\s*;?\s*\bend\Z")
_ROWS = 3_000
_ASKED = 100


@dataclass(frozen=True, slots=True)
class Body:
    """The inside of a definition.

    `style`    between braces, an indented suite, statements before `end`, or one expression
    `inside`   from the first to the last character inside; empty where there is nothing
    `room`     all there is between the brackets, blanks included; the same as `inside` where there are none
    `is_open`  whether the inside is on lines of its own
    `indent`   what its lines are indented by, comments aside; `margin` what the definition around it is
    """

    style: Literal["braces", "suite", "end", "expression"]
    inside: Span
    room: Span
    is_open: bool
    indent: str
    margin: str


@once
def unit_in(source: Source) -> str:
    """One level of indentation in this file: by how much bodies are indented, else lines."""
    code = known_code(source)
    steps = Counter(step for item in code.definitions[:_ASKED] if (step := _step(source.text, item)))
    if steps:
        return steps.most_common(1)[0][0]
    rows = range(min(source.table.count, _ROWS))
    return unit_of([source.table.text(row) for row in rows]) or code.language.unit


def _step(text: str, item: Definition) -> str | None:
    """By how much the first line of a body is indented more than the line it starts in."""
    if item.body is None:
        return None
    start = item.body.start + text.startswith(("{", "("), item.body.start)  # beside errors it may be empty, at the end
    inner = text[start : item.body.end]
    first = start + len(inner) - len(inner.lstrip())
    margin, deeper = margin_at(text, item.proper.start), margin_at(text, first)
    is_step = is_first(text, first) and deeper.startswith(margin) and len(deeper) > len(margin)
    return deeper[len(margin) :] if is_step else None


def margin_at(text: str, offset: int) -> str:
    """The indentation of the line an offset is in."""
    found = _INDENT.match(text, line_start(text, offset))
    return found.group() if found else ""


def is_first(text: str, offset: int) -> bool:
    """Whether nothing but blanks is before an offset on its line."""
    return not text[line_start(text, offset) : offset].strip(" \t\f")


_HEAD = lazy_pattern(r".*:[ \t]*(?:#.*)?\Z")


def is_alone(source: Source, item: Definition) -> bool:
    """Whether a definition is all that an indented suite has; the grammar reads some suites that have nothing."""
    first, last = source.table.rows_of(item.whole)
    width = _width(source, first)
    above, below = _code_row(source, first - 1, -1), _code_row(source, last + 1, 1)
    if above is None or not _HEAD.match(source.table.text(above)) or _width(source, above) >= width:
        return False
    return below is None or _width(source, below) < width


def _code_row(source: Source, row: int, step: int) -> int | None:
    """The next row from there that has more than a comment."""
    while 0 <= row < source.table.count:
        if (written := source.table.text(row).strip()) and not written.startswith("#"):
            return row
        row += step
    return None


def body_of(source: Source, code: Code, item: Definition) -> Body | None:
    """The body of a definition, or None where it has none."""
    text, margin = source.text, margin_at(source.text, item.proper.start)
    deeper = margin + unit_in(source)
    if item.body is None:
        return _empty_end(text, code.language, item, deeper, margin)
    written = item.body.of(text)
    if written[:1] + written[-1:] in ("{}", "()") and (written[0] == "{" or code.language.name == "bash"):
        return _between(text, code, item.body, deeper)
    is_endless = code.language.layout == "end" and not item.proper.of(text).endswith("end")
    if code.language.layout in ("suite", "end") and not is_endless:
        is_open = is_first(text, item.body.start)
        indent = _indent_in(text, code, item.body, deeper) if is_open else deeper
        return Body(
            "suite" if code.language.layout == "suite" else "end", item.body, item.body, is_open, indent, margin
        )
    indent = margin_at(text, item.body.start) if is_first(text, item.body.start) else margin
    return Body("expression", item.body, item.body, False, indent, margin)


def _empty_end(text: str, language: Language, item: Definition, deeper: str, margin: str) -> Body | None:
    """The place inside a definition that has nothing but its head and the word `end`."""
    found = _EMPTY_END.search(item.proper.of(text)) if language.layout == "end" else None
    if found is None:
        return None
    start = item.proper.start + found.start()
    return Body("end", Span(start, start), Span(start, item.proper.end - len("end")), False, deeper, margin)


def _between(text: str, code: Code, body: Span, deeper: str) -> Body:
    """What is between brackets; a comment behind the opening one belongs to it."""
    room = Span(_after_note(text, code, body.start + 1), body.end - 1)
    inner = room.of(text)
    start = room.start + len(inner) - len(inner.lstrip())
    end = max(start, room.start + len(inner.rstrip()))
    margin = margin_at(text, body.end - 1)
    if start >= room.end:
        return Body("braces", Span(room.start, room.start), room, False, deeper, margin_at(text, body.start))
    above, below = text[room.start : start], text[end : room.end]
    is_open = _ENDING.search(above) is not None and _ENDING.search(below) is not None
    indent = _indent_in(text, code, Span(start, end), deeper) if is_open else deeper
    return Body("braces", Span(start, end), room, is_open, indent, margin)


def _indent_in(text: str, code: Code, inside: Span, deeper: str) -> str:
    """What the lines inside a body are indented by: as the first that is neither a comment nor a directive."""
    at = inside.start
    note = bisect_left(code.comments, Span(at, 0))
    while at < inside.end:
        if note < len(code.comments) and code.comments[note].start == at:
            at, note = code.comments[note].end, note + 1
        elif (found := _DIRECTIVE.match(text, at, inside.end)) is not None and is_first(text, at):
            at = found.end()
        elif not text[at].isspace():
            return margin_at(text, at)
        else:
            at += 1
    return max(margin_at(text, inside.start), deeper, key=len)


def _after_note(text: str, code: Code, start: int) -> int:
    at = bisect_left(code.comments, Span(start, 0))
    if at < len(code.comments):
        note = code.comments[at]
        end = note.start + len(note.of(text).rstrip())
        alone = not text[start : note.start].strip(" \t")
        if alone and not _ENDING.search(text, start, end) and text[end : end + 1] in ("\r", "\n"):
            return end
    return start


def gap_beside(source: Source, code: Code, item: Definition, *, lines: int) -> int:
    """The blank lines between a definition and a new neighbour of so many lines."""
    is_small = lines == 1 and is_one_line(source, item.whole)
    return _usual_gap(source, code, item.parent, item.depth, is_small=is_small)


def gap_inside(source: Source, code: Code, index: int, *, lines: int, at_end: bool) -> int:
    """The blank lines between the first or last member of a definition and a new one of so many lines."""
    inside = [item for item in code.definitions if item.parent == index]
    if inside:
        return gap_beside(source, code, inside[-1] if at_end else inside[0], lines=lines)
    return _usual_gap(source, code, index, code.definitions[index].depth + 1, is_small=lines == 1)


def is_one_line(source: Source, span: Span) -> bool:
    """Whether a span is on one line."""
    first, last = source.table.rows_of(span)
    return first == last


def _usual_gap(source: Source, code: Code, parent: int | None, depth: int, *, is_small: bool) -> int:
    """What most neighbours do: those in the same definition, else those as deep in the file, else in the language."""
    own, others = source.derive(_gaps)
    for near in (own.get((depth, parent, is_small)), others.get((depth, is_small))):
        if near:
            return near.most_common(1)[0][0]
    return 0 if is_small else code.language.gaps[min(depth, 1)]


def _gaps(
    source: Source,
) -> tuple[dict[tuple[int, int | None, bool], Counter[int]], dict[tuple[int, bool], Counter[int]]]:
    """Blank lines between neighbours, by how deep they are and whether both are of one line: per scope, and in all."""
    levels: dict[int, list[Definition]] = {}
    for item in known_code(source).definitions:
        levels.setdefault(item.depth, []).append(item)
    own: dict[tuple[int, int | None, bool], Counter[int]] = {}
    others: dict[tuple[int, bool], Counter[int]] = {}
    for depth, level in levels.items():
        for one, two in pairwise(level):
            if one.parent != two.parent or one.whole.end > two.whole.start:
                continue
            if source.text[one.whole.end : two.whole.start].strip(" \t\r\n\f,"):
                continue
            gap = max(source.table.row_at(two.whole.start) - source.table.row_at(one.whole.end) - 1, 0)
            is_small = is_one_line(source, one.whole) and is_one_line(source, two.whole)
            own.setdefault((depth, one.parent, is_small), Counter())[gap] += 1
            others.setdefault((depth, is_small), Counter())[gap] += 1
    return own, others


_LONGEST = 80  # of what parts two statements
_COMMA = lazy_pattern(r"[ \t]*,")
_LIST_END = lazy_pattern(r"[ \t]*;[ \t]*(?=[\r\n])")
_STUB = lazy_pattern(r"(?:pass|\.\.\.)[ \t]*;?\Z")


def line_end(source: Source, code: Code, offset: int) -> int | None:
    """Where the line behind an offset ends, if nothing but comments is there; None: other code is there.

    A comment that continues in further lines belongs to the line it starts in.
    """
    text, reached = source.text, _after(source.text, offset, " \t,;")
    at = bisect_left(code.comments, Span(reached, 0))
    if at == len(code.comments) or code.comments[at].start != reached:
        reached = _after(text, offset, " \t")
    while at < len(code.comments) and code.comments[at].start == reached:
        reached = _after(text, reached + len(code.comments[at].of(text).rstrip()), " \t")
        at += 1
    return reached if reached == len(text) or text[reached] in "\r\n" else None


def _after(text: str, offset: int, blanks: str) -> int:
    while offset < len(text) and text[offset] in blanks:
        offset += 1
    return offset


def parting_behind(code: Code, text: str, end: int) -> Span:
    """What parts a statement that ends there from the next one; empty where nothing does."""
    found = code.language.between.match(text, end) if code.language.between else None
    return Span(end, found.end() if found else end)


def parting_before(code: Code, text: str, start: int) -> Span | None:
    """What parts a statement from the one before it, if something does."""
    end = len(text[:start].rstrip())
    if code.language.between is None:
        return None
    for begin in range(end - 1, max(end - _LONGEST, -1), -1):
        found = code.language.between.match(text, begin, end)
        if found and found.end() == end:
            lead = text[:begin].rstrip(" \t")
            return Span(len(lead) - (lead[-1:] == "\n") - lead.endswith("\r\n"), end)
    return None


def _with_parting(source: Source, code: Code, item: Definition, given: str, *, after: bool) -> tuple[str, str, str]:
    """Given code parted from its neighbours as those are: what goes before it, itself, and what goes behind it."""
    behind, before = parting_behind(code, source.text, item.whole.end), None
    if behind.is_empty:
        before = parting_before(code, source.text, item.whole.start)
    if before is None and behind.is_empty:
        return "", given, ""
    own = parting_before(code, given, len(given))
    bare = given if own is None else given[: own.start]
    parting = (before or behind).of(source.text)
    return (parting, bare, "") if after and behind.is_empty else ("", bare, parting)


def beside(source: Source, code: Code, index: int, given: str, *, after: bool) -> Proposal:
    """Code before or after a definition, as its neighbour."""
    item, text = code.definitions[index], source.text
    margin = margin_at(text, item.whole.start)
    first, given, last = _with_parting(source, code, item, given, after=after)
    fitted = fit(code.language, given, margin, unit_in(source), source)
    gap = "\n" * (gap_beside(source, code, item, lines=fitted.count("\n") + 1) + 1)
    fitted += last
    comma = _COMMA.match(text, item.whole.end) if item.is_listed else None
    if not after:
        tail = "," if item.is_listed and not fitted.endswith(",") else ""
        if is_first(text, item.whole.start):
            start = line_start(text, item.whole.start)
            return Proposal.of(source, (Span(start, start), f"{margin}{fitted}{tail}{gap}"))
        return Proposal.of(source, (Span(item.whole.start, item.whole.start), f"{fitted}{tail} "))
    end = comma.end() if comma else parting_behind(code, text, item.whole.end).end
    lead = "," if item.is_listed and not comma else first
    tail = "," if comma and not fitted.endswith(",") else ""
    there = line_end(source, code, end)
    if item.is_listed and _LIST_END.match(text, end):
        there = end
    if there is None or (item.is_listed and not is_first(text, item.whole.start)):
        return Proposal.of(source, (Span(end, end), f"{lead} {fitted}{tail}"))
    if lead and there != end:
        return Proposal.of(source, (Span(end, end), lead), (Span(there, there), f"{gap}{margin}{fitted}{tail}"))
    return Proposal.of(source, (Span(there, there), f"{lead}{gap}{margin}{fitted}{tail}"))


def among_listed(source: Source, code: Code, index: int, given: str, *, at_end: bool) -> Proposal | None:
    """Code before the first or after the last item of the list that a body has in it; None where there is none."""
    listed = [at for at, item in enumerate(code.definitions) if item.parent == index and item.kind == "member"]
    if not listed or not code.definitions[listed[0]].is_listed:
        return None
    return beside(source, code, listed[-1 if at_end else 0], given, after=at_end)


def inside(source: Source, code: Code, index: int, given: str, *, at_end: bool) -> Proposal | Refusal:
    """Code at the start or end of a body: a member of a type, a statement of a function."""
    item = code.definitions[index]
    body = body_of(source, code, item)
    if body is None or body.style == "expression":
        what = "has no body" if body is None else "has one expression for a body"
        return refuse(f"{item.kind} {item.dotted} {what}", "replace the whole symbol")
    fitted = fit(code.language, given, body.indent, unit_in(source), source)
    if body.inside.is_empty:
        return _opened(source, body, fitted, "")
    if body.style == "suite":
        stub = _stub(source, code, body)
        if stub is not None:
            start = stub.start if body.is_open else len(source.text[: stub.start].rstrip(" \t"))
            lead = "" if body.is_open else f"\n{body.indent}"
            return Proposal.of(source, (Span(start, stub.end), lead + fitted))
    is_type = item.kind in TYPES or item.kind in SPACES
    gap = gap_inside(source, code, index, lines=fitted.count("\n") + 1, at_end=at_end) if is_type else 0
    if not body.is_open:
        return _opened(source, body, fitted, body.inside.of(source.text), at_end=at_end)
    if at_end:
        end = line_end(source, code, body.inside.end)
        end = body.inside.end if end is None else end
        return Proposal.of(source, (Span(end, end), "\n" * (gap + 1) + body.indent + fitted))
    doc = _docstring(source, code, body.inside) if body.style == "suite" else None
    end = None if doc is None else line_end(source, code, doc.end)
    if end is not None:
        return Proposal.of(source, (Span(end, end), "\n" * (gap + 1) + body.indent + fitted))
    start = line_start(source.text, body.inside.start)
    return Proposal.of(source, (Span(start, start), body.indent + fitted + "\n" * (gap + 1)))


def _docstring(source: Source, code: Code, inside: Span) -> Span | None:
    """The string that is the first statement of a suite."""
    found = re.compile(r"(?:#[^\r\n]*|\s)*[rRuU]?(\"\"\"|'''|\"|')").match(source.text, inside.start, inside.end)
    if found is None:
        return None
    quote = found.group(1)
    at = found.end()
    closing = re.compile(rf"(?:\\.|(?!{quote}).)*{quote}", re.DOTALL).match(source.text, at, inside.end)
    if closing is None or line_end(source, code, closing.end()) is None:
        return None
    return Span(found.end() - len(quote), closing.end())


def _stub(source: Source, code: Code, body: Body) -> Span | None:
    """The `pass` or `...` that is the only statement of a suite, besides a docstring."""
    doc = _docstring(source, code, body.inside)
    start = body.inside.start if doc is None else doc.end
    rest = source.text[start : body.inside.end]
    start += len(rest) - len(rest.lstrip())
    return Span(start, body.inside.end) if _STUB.match(source.text[start : body.inside.end]) else None


def _opened(source: Source, body: Body, fitted: str, kept: str, *, at_end: bool = True) -> Proposal:
    """A body on the line of its head, opened so that each part has lines of its own."""
    parts = [fitted, kept] if not at_end else [kept, fitted]
    inner = "".join(f"\n{body.indent}{part}" for part in parts if part)
    if body.style == "suite":
        before = source.text[: body.inside.start]
        start = body.inside.start - (len(before) - len(before.rstrip(" \t")))
        return Proposal.of(source, (Span(start, body.inside.end), inner))
    (start, end), text = body.room, source.text
    if body.style == "end" and not body.inside.is_empty:  # `def x; y; end` on one line: the semicolons go
        start, end = body.inside
        while text[start - 1] in " \t;":
            start -= 1
        while text[end] in " \t;":
            end += 1
    return Proposal.of(source, (Span(start, end), f"{inner}\n{body.margin}"))


def put_in_body(source: Source, code: Code, index: int, given: str) -> Proposal | Refusal:
    """Other code in the place of a body."""
    item = code.definitions[index]
    body = body_of(source, code, item)
    if body is None:
        return refuse(f"{item.kind} {item.dotted} has no body", "replace the whole symbol")
    old = body.inside.of(source.text)
    fitted = fit(code.language, given, body.indent, unit_in(source), source, old)
    starts_alike = split_bodies(old)[:1] == split_bodies(fitted)[:1]
    if body.is_open and margin_at(source.text, body.inside.start) != body.indent and not starts_alike:
        start = line_start(source.text, body.inside.start)
        return Proposal.of(source, (Span(start, body.inside.end), body.indent + fitted))
    if body.is_open or body.style == "expression" or ("\n" not in fitted and not body.inside.is_empty):
        return Proposal.of(source, differing(source, body.inside, fitted))
    return _opened(source, body, fitted, "")


_BLANKS = lazy_pattern(r"[ \t]*")


def removed(source: Source, code: Code, item: Definition, span: Span) -> tuple[Span, ...]:
    """All that goes with a definition, of which `span` is what it is written as.

    Blank lines are a span of their own: two neighbours that both go agree about the ones between them.
    """
    comma = _COMMA.match(source.text, span.end) if item.is_listed else None
    end = comma.end() if comma else parting_behind(code, source.text, span.end).end
    before = _comma_before(source, code, span.start) if item.is_listed and comma is None else None
    last = line_end(source, code, end)
    if before is not None and (last is None or not is_first(source.text, span.start)):
        is_next = not source.text[before + 1 : span.start].strip()  # else a comment is between, and stays
        return (Span(before, end),) if is_next else (Span(before, before + 1), Span(span.start, end))
    if last is None or not is_first(source.text, span.start):
        blanks = _BLANKS.match(source.text, end)
        return (Span(span.start, blanks.end() if blanks and last is None else end),)
    rows, blank = _with_blank_rows(source, Span(span.start, last))
    is_last = end == span.end and not source.text[last:].strip()
    parting = parting_before(code, source.text, span.start) if is_last else None
    # behind the last statement there is nothing to be parted from
    comma_span = None if before is None else Span(before, before + 1)
    parts = (rows, blank, parting, comma_span)
    return tuple(sorted(part for part in parts if part is not None and not part.is_empty))


def _comma_before(source: Source, code: Code, start: int) -> int | None:
    """Where the comma is that parts an item from the one in front of it, whatever that is; comments may be between."""
    ends = {comment.end: comment.start for comment in code.comments if comment.end <= start}
    at = _behind_blanks(source.text, start)
    while at in ends:
        at = _behind_blanks(source.text, ends[at])
    return at - 1 if source.text[at - 1 : at] == "," else None


def _behind_blanks(text: str, end: int) -> int:
    """Where the last character before a place is that is no blank; behind it."""
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _with_blank_rows(source: Source, span: Span) -> tuple[Span, Span]:
    """Whole rows, and so many blank ones that the larger of the two gaps is left; none at the edge of a scope."""
    table = source.table
    first, last = table.rows_of(span)
    above, below = _blank_rows(source, first - 1, -1), _blank_rows(source, last + 1, 1)
    if last + below + 1 >= table.count:
        end = table.start(last + 1) if below else len(source.text)
        is_open = source.text[end - 1] not in "\r\n"  # the file ends without a line ending, and shall do so
        start = len(body(source.text[: table.start(first - above)])) if is_open else table.start(first - above)
        return Span(table.start(first), end), Span(start, table.start(first))
    width, start, end = _width(source, first), table.start(first), table.start(last + 1)
    if first == above or _width(source, first - above - 1) < width:  # behind the head of its scope
        return Span(start, end), Span(end, table.start(last + 1 + below))
    if _width(source, last + below + 1) < width:  # before the end of its scope
        return Span(start, end), Span(table.start(first - above), start)
    return Span(start, end), Span(end, table.start(last + 1 + min(above, below)))


def _blank_rows(source: Source, row: int, step: int) -> int:
    count = 0
    while 0 <= row < source.table.count and not source.table.text(row).strip():
        count, row = count + 1, row + step
    return count


def _width(source: Source, row: int) -> int:
    text = source.table.text(row)
    return len(text) - len(text.lstrip(" \t"))
