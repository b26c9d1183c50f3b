"""What changed inside a file: definitions of source code and keys of configuration, by their own text or value.

Comments and layout do not count. If one side cannot be parsed, the answer says why it is uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.code.definition import asked_path, loose
from steadyhand.structure.code.reader import Prints, changed_definitions, fingerprints
from steadyhand.structure.config.item import parse_path
from steadyhand.structure.format import Format, OutlineEntry, format_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["Verdict", "changed_symbols", "contexts", "has_key", "has_symbol", "key_verdict", "symbol_verdict"]

_KIND = lazy_pattern(r"(?:symbol|heading|key|front_matter|selector)\b")  # a code block has no name, only a number


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something changed; `doubt` says why that is not known, and then it counts as changed."""

    is_changed: bool
    doubt: str | None = None


def changed_symbols(before: Source | None, after: Source | None) -> tuple[str, ...]:
    """The definitions whose own text differs, those that came or went included; none where a side cannot be parsed."""
    prints = _prints(before), _prints(after)
    if isinstance(prints[0], Refusal) or isinstance(prints[1], Refusal):
        return ()
    return changed_definitions(prints[0], prints[1])


def symbol_verdict(before: Source | None, after: Source | None, name: str) -> Verdict:
    """Whether a definition's own text differs."""
    sides = []
    for prints in (_prints(before), _prints(after)):
        if isinstance(prints, Refusal):
            return Verdict(True, prints.message)
        sides.append(_answering(prints, name))
    return Verdict(sides[0] != sides[1])


def has_symbol(source: Source, name: str) -> bool | Refusal:
    """Whether a source defines a name; the refusal where it cannot be parsed."""
    prints = _prints(source)
    return prints if isinstance(prints, Refusal) else bool(_answering(prints, name))


def key_verdict(before: Source | None, after: Source | None, key: str) -> Verdict:
    """Whether the value of a key differs."""
    sides = []
    for source in (before, after):
        values = [] if source is None else _values(source, key)
        if isinstance(values, Refusal):
            return Verdict(True, values.message)
        sides.append(values)
    return Verdict(sides[0] != sides[1])


def has_key(source: Source, key: str) -> bool | Refusal:
    """Whether a configuration file has a key; the refusal where it cannot be parsed."""
    values = _values(source, key)
    return values if isinstance(values, Refusal) else bool(values)


def contexts(source: Source, places: Sequence[int]) -> list[str | None]:
    """For each place, an offset, in ascending order, the innermost definition, section or key that it is in."""
    known = format_of(source.path)
    waiting = [] if known is None else _entries(known, source)
    found: list[str | None] = []
    around: list[OutlineEntry] = []
    at = 0
    for place in places:
        while at < len(waiting) and waiting[at].span.start <= place:
            around.append(waiting[at])
            at += 1
        around = [entry for entry in around if place < entry.span.end]
        found.append(around[-1].address.partition(":")[2] if around else None)
    return found


def _entries(known: Format, source: Source) -> Sequence[OutlineEntry]:
    found = known.outline(source)
    if isinstance(found, Refusal):
        return []
    named = sorted(
        (entry for entry in found if _KIND.match(entry.address)), key=lambda entry: (entry.span.start, -entry.span.end)
    )
    return _with_names(source.text, named) if named and named[0].address.startswith("key") else named


def _with_names(text: str, entries: Sequence[OutlineEntry]) -> list[OutlineEntry]:
    """Keys whose spans are their values, so that the first value of a line has all of the line before it too."""
    made: list[OutlineEntry] = []
    reached = -1
    for entry, below in zip(entries, (*entries[1:], None), strict=True):
        line = text.rfind("\n", 0, entry.span.start) + 1
        is_leaf = below is None or below.span.start >= entry.span.end
        if is_leaf and line > reached:
            reached = line
            before = text[line : entry.span.start]
            start = line + len(before) - len(before.lstrip())
            made.append(replace(entry, span=Span(start, max(entry.span.end, start + 1))))
        else:
            made.append(entry)
    return sorted(made, key=lambda entry: (entry.span.start, -entry.span.end))


def _prints(source: Source | None) -> Prints | Refusal:
    return {} if source is None else fingerprints(source)


def _answering(prints: Prints, name: str) -> list[tuple[str, ...]]:
    """What the definitions of a name say: those of that very path, else those whose path ends so."""
    exact = prints.get(name.strip())
    if exact is not None:
        return [exact]
    asked = asked_path(name)
    paths = {dotted: loose(dotted) for dotted in prints}
    full = [prints[dotted] for dotted, path in paths.items() if path == asked]
    return full or [prints[dotted] for dotted, path in paths.items() if asked and path[-len(asked) :] == asked]


def _values(source: Source, key: str) -> list[str] | Refusal:
    """The values of a key as text that differs where types do; several where several documents have it."""
    import json

    from steadyhand.errors import EditError, Kind
    from steadyhand.structure.config.item import plain_of
    from steadyhand.structure.config.key import find_items
    from steadyhand.structure.config.syntax import syntax_of

    syntax = syntax_of(format_of(source.path))
    if syntax is None:
        return Refusal(Kind.BAD_REQUEST, f"{source.path} has no format with keys", "name a configuration file")
    try:
        steps = parse_path(key)
    except EditError as error:
        return Refusal(error.kind, error.message, error.hints)
    reading = source.derive(syntax.read)
    if isinstance(reading, Refusal):
        return reading
    items = find_items(reading, steps)
    if isinstance(items, Refusal):
        return [] if items.kind == Kind.NO_SUCH_TARGET else items
    try:
        return [json.dumps(plain_of(item), sort_keys=True, default=repr) for item in items]
    except RecursionError:
        return Refusal(Kind.TOO_LARGE, f"{source.path} is nested too deep", "name a key further in")
