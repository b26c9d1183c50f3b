"""Text to items: every value of a JSON text with the place it stands at.

One pass, no recursion; comments and trailing commas are taken wherever they stand. Nothing is repaired: the first place
that does not follow the grammar ends the reading.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass, field
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Step
from steadyhand.structure.config.json.grammar import Grammar, scalar_of
from steadyhand.text.pace import go_on_at
from steadyhand.text.span import Span

DEEPEST = 512
_MOST = 400_000  # values that are read within seconds
_MOST_STEPS = 20_000_000
"""The steps of all paths together: what deep nesting with many items costs in memory."""


class Unreadable(Exception):
    """Where a text stops being JSON, and what was expected there; `is_too_deep`: it may well be JSON."""

    def __init__(self, at: int, message: str, *, is_too_deep: bool = False) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.is_too_deep = is_too_deep


@dataclass(slots=True)
class _Open:
    """A container whose end has not been seen yet."""

    path: KeyPath
    name: Span | None
    start: int
    is_mapping: bool
    children: list[Item] = field(default_factory=list)

    def close(self, end: int) -> Item:
        value = Span(self.start, end)
        entry = value if self.name is None else Span(self.name.start, end)
        kind: ItemKind = "mapping" if self.is_mapping else "sequence"
        return Item(self.path, kind, value, self.name, entry, tuple(self.children))


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int
    end: int
    grammar: Grammar
    path: KeyPath
    unclosed: list[_Open] = field(default_factory=list)
    steps: int = 0
    count: int = 0

    def run(self) -> Item:
        """The value that starts here; `at` stands behind it after."""
        path = self.path
        name: Span | None = None
        while True:
            item = self._value(path, name)
            step: tuple[Step, Span | None] | None = None
            while step is None:
                if item is not None:
                    if not self.unclosed:
                        return item
                    self.unclosed[-1].children.append(item)
                    is_closed = self._is_closed()
                else:
                    is_closed = False
                step = None if is_closed else self._next()
                if step is None:
                    item = self.unclosed.pop().close(self.at)
            path, name = (*self.unclosed[-1].path, step[0]), step[1]
            self.steps += len(path)
            self.count += 1
            go_on_at(self.count)
            if self.count > _MOST:
                raise Unreadable(self.at, f"it has more than {_MOST} values", is_too_deep=True)
            if self.steps > _MOST_STEPS:
                raise Unreadable(self.at, "too many values are nested too deep", is_too_deep=True)

    def _value(self, path: KeyPath, name: Span | None) -> Item | None:
        """A scalar; None for a container, which is open then."""
        found = self.grammar.value.match(self.text, self.at, self.end)
        if found is None:
            raise self._expected("a value is expected")
        group = found.lastindex or 1
        start, end = found.span(group)
        self.at = end
        if group == 1:
            if len(path) == DEEPEST:
                raise Unreadable(start, f"nested deeper than {DEEPEST} levels", is_too_deep=True)
            self.unclosed.append(_Open(path, name, start, self.text[start] == "{"))
            return None
        written, value = self.text[start:end], Span(start, end)
        kind: ItemKind = "text"
        data: object = written[1:-1]
        if group != 2 or "\\" in written:  # nearly always a text without escapes
            try:
                kind, data = scalar_of(group, written, self.grammar)
            except ValueError:
                raise Unreadable(start, "the string has an escape that JSON does not know") from None
        return Item(path, kind, value, name, value if name is None else Span(name.start, end), (), data)

    def _is_closed(self) -> bool:
        """Whether the innermost container ends here; else a comma has been passed."""
        closer = "}" if self.unclosed[-1].is_mapping else "]"
        mark = self.text[self.at : self.at + 1] if self.at < self.end else ""
        if mark in (",", closer) and mark:
            self.at += 1  # nearly always: no gap in front of it
            return mark == closer
        found = self.grammar.separator.match(self.text, self.at, self.end)
        if found is None or found[1] not in (",", closer):
            raise self._expected(f"a comma or {closer} is expected")
        self.at = found.end()
        return found[1] == closer

    def _next(self) -> tuple[Step, Span | None] | None:
        """The step of the next child; None where the container ends, perhaps behind a trailing comma."""
        inner = self.unclosed[-1]
        if not inner.is_mapping:
            found = self.grammar.closing.match(self.text, self.at, self.end)
            if found is None:
                return len(inner.children), None
            self.at = found.end()
            return None
        found = self.grammar.name.match(self.text, self.at, self.end)
        if found is None:
            raise self._expected("a name in quotes with a colon behind it, or }, is expected")
        self.at = found.end()
        if found.lastindex == 2:
            return None
        try:
            return self.grammar.unquote(found[1]), Span(*found.span(1))
        except ValueError:
            raise Unreadable(found.start(1), "the name has an escape that JSON does not know") from None

    def _expected(self, message: str) -> Unreadable:
        gap = self.grammar.gap.match(self.text, self.at, self.end)
        return Unreadable(gap.end() if gap else self.at, message)


def scan(text: str, grammar: Grammar, start: int = 0, end: int | None = None, path: KeyPath = ()) -> Item:
    """The one value of a text, or of a part of it, whose path is known then. Raises `Unreadable`."""
    stop = len(text) if end is None else end
    first = start + 1 if start == 0 and text.startswith("\ufeff") else start
    scanner = _Scanner(text, first, stop, grammar, path)
    item = scanner.run()
    gap = grammar.gap.match(text, scanner.at, stop)
    if gap is not None and gap.end() < stop:
        raise Unreadable(gap.end(), "nothing is expected behind the value")
    return item
