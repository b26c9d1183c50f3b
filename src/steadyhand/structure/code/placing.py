"""Putting code beside a definition or inside its body. Proposes splices; what they do is checked by the caller."""

from __future__ import annotations

import re
from bisect import bisect_left

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.bodies import Body, body_of, is_first, margin_at, unit_in
from steadyhand.structure.code.definition import SPACES, TYPES, Code, Definition
from steadyhand.structure.code.fitting import differing, fit
from steadyhand.structure.code.gaps import gap_beside, gap_inside
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import line_start, split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LONGEST = 80  # of what parts two statements
_COMMA = lazy_pattern(r"[ \t]*,")
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
    fitted = fit(code.language, given, margin, unit_in(source, code), source.text)
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
    if there is None or (lead and there != end):
        return Proposal.of(source, (Span(end, end), f"{lead} {fitted}{tail}"))
    return Proposal.of(source, (Span(there, there), f"{lead}{gap}{margin}{fitted}{tail}"))


def inside(source: Source, code: Code, index: int, given: str, *, at_end: bool) -> Proposal | Refusal:
    """Code at the start or end of a body: a member of a type, a statement of a function."""
    item = code.definitions[index]
    body = body_of(source, code, item)
    if body is None or body.style == "expression":
        what = "has no body" if body is None else "has one expression for a body"
        return Refusal(Kind.BAD_REQUEST, f"{item.kind} {item.dotted} {what}", "replace the whole symbol")
    fitted = fit(code.language, given, body.indent, unit_in(source, code), source.text)
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
    start, is_behind = _first_place(source, code, body)
    if is_behind:
        return Proposal.of(source, (Span(start, start), "\n" * (gap + 1) + body.indent + fitted))
    start = line_start(source.text, start)
    return Proposal.of(source, (Span(start, start), body.indent + fitted + "\n" * (gap + 1)))


def _first_place(source: Source, code: Code, body: Body) -> tuple[int, bool]:
    """Where the first statement goes: before the inside, or behind its docstring."""
    if body.style == "suite":
        doc = _docstring(source, code, body.inside)
        end = None if doc is None else line_end(source, code, doc.end)
        if end is not None:
            return end, True
    return body.inside.start, False


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
    """A body that stands on the line of its head, opened so that each part stands on its own."""
    parts = [fitted, kept] if not at_end else [kept, fitted]
    inner = "".join(f"\n{body.indent}{part}" for part in parts if part)
    if body.style == "suite":
        before = source.text[: body.inside.start]
        start = body.inside.start - (len(before) - len(before.rstrip(" \t")))
        return Proposal.of(source, (Span(start, body.inside.end), inner))
    room = body.room
    if body.style == "end" and not body.inside.is_empty:
        return _opened_end(source, body, inner)
    return Proposal.of(source, (room, f"{inner}\n{body.margin}"))


def _opened_end(source: Source, body: Body, inner: str) -> Proposal:
    """`def x; y; end` on one line: the semicolons go."""
    text = source.text
    start, end = body.inside.start, body.inside.end
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
        return Refusal(Kind.BAD_REQUEST, f"{item.kind} {item.dotted} has no body", "replace the whole symbol")
    old = body.inside.of(source.text)
    fitted = fit(code.language, given, body.indent, unit_in(source, code), source.text, old)
    if body.is_open and margin_at(source.text, body.inside.start) != body.indent and not _starts_alike(old, fitted):
        start = line_start(source.text, body.inside.start)
        return Proposal.of(source, (Span(start, body.inside.end), body.indent + fitted))
    if body.is_open or body.style == "expression" or ("\n" not in fitted and not body.inside.is_empty):
        return Proposal.of(source, differing(source, body.inside, fitted))
    return _opened(source, body, fitted, "")


def _starts_alike(old: str, new: str) -> bool:
    return split_bodies(old)[:1] == split_bodies(new)[:1]
