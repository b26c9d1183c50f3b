"""From INI text to its sections and entries, line by line, as `configparser` reads them where it reads them at all.

A line that is neither header nor entry nor comment ends the reading: a file that only looks like INI is not edited.
"""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, field
from steadyhand.structure.config.ini.dialect import Dialect, dialect_of
from steadyhand.structure.config.line_file import LineEntry, LineFile, LineSection
from steadyhand.structure.config.lines import first_of
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import body, split_lines
from steadyhand.text.pace import paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

SIGNS = "#;"
_BLANKS = " \t\f\v"
_NOT_IN_NAMES = frozenset("{}<>")


class NotIni(Exception):
    """A line that is none of an INI file."""


@dataclass(slots=True)
class _Open:
    """An entry whose last line is not yet known. `lines` are those of its value, without comments among them."""

    name: str
    name_span: Span
    behind_name: int
    indent: int
    has_value: bool
    lines: list[Span] = field(default_factory=list)
    gaps: int = 0


@dataclass(slots=True)
class _Part:
    name: str
    name_span: Span | None
    header: Span
    entries: list[LineEntry] = field(default_factory=list)

    def close(self) -> LineSection:
        return LineSection(self.name, self.name_span, self.header, tuple(self.entries))


def read_ini(source: Source) -> LineFile | Refusal:
    """The file, or `unparsable` with the first line that is none of an INI file."""
    reader = _Reader(source.text, dialect_of(source.path))
    at = first_of(source.text)
    for number, line in enumerate(paced(split_lines(source.text[at:])), start=1):
        try:
            reader.take(at, body(line))
        except NotIni as error:
            return Refusal(
                Kind.UNPARSABLE,
                f"line {number} is no line of an INI file: {error}",
                "edit the file by its text, or mend that line first",
                {"line": number, "reason": str(error)},
            )
        at += len(line)
    return LineFile(source.text, reader.close(), SIGNS)


class _Reader:
    """What was read so far: closed sections, the open one, and the open entry."""

    __slots__ = ("_dialect", "_entry", "_goes_on", "_part", "_parts", "_text")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text, self._dialect = text, dialect
        self._parts: list[_Part] = []
        self._part = _Part("", None, Span(0, 0))
        self._entry: _Open | None = None
        self._goes_on = False

    def take(self, at: int, row: str) -> None:
        """The next line, which starts at an offset."""
        content = row.strip(_BLANKS)
        start = at + len(row) - len(row.lstrip(_BLANKS))
        span = Span(start, start + len(content)) if content else Span(at, at)
        entry = self._entry
        if self._goes_on and entry is not None:
            entry.lines.append(span)
            self._goes_on = _is_continued(content)
        elif not content or content[0] in SIGNS:
            if entry is not None:
                entry.gaps += not content
        elif entry is not None and self._dialect.indent and start - at > entry.indent:
            self._continue(entry, span)
        elif content[0] == "[":
            self._begin_section(span, content)
        else:
            self._begin_entry(span, content, start - at)

    def close(self) -> tuple[LineSection, ...]:
        self._end_entry()
        return tuple(part.close() for part in (*self._parts, self._part))

    def _continue(self, entry: _Open, span: Span) -> None:
        if not entry.has_value:
            raise NotIni("it is indented, and the name above it has no value that it could go on with")
        entry.lines += [Span(span.start, span.start)] * entry.gaps + [span]
        entry.gaps = 0

    def _begin_section(self, span: Span, content: str) -> None:
        self._end_entry()
        end = content.rfind("]")
        rest = content[end + 1 :].lstrip(_BLANKS)
        if end < 2 or (rest and rest[0] not in SIGNS):
            raise NotIni("a header is a name in brackets, alone on its line")
        self._parts.append(self._part)
        name = Span(span.start + 1, span.start + end)
        self._part = _Part(name.of(self._text), name, Span(span.start, span.start + end + 1))

    def _begin_entry(self, span: Span, content: str, indent: int) -> None:
        self._end_entry()
        at = self._dialect.equals_in(content)
        has_value = at >= 0
        if not has_value:
            at = self._dialect.value_end(content) if self._dialect.comment_behind != "never" else len(content)
        name = content[:at].rstrip(_BLANKS)
        if not name or not _NOT_IN_NAMES.isdisjoint(name) or (not has_value and any(sign.isspace() for sign in name)):
            raise NotIni("a name is expected, and = behind it")
        behind = span.start + at + has_value
        entry = _Open(name, Span(span.start, span.start + len(name)), behind, indent, has_value)
        if has_value:
            value = content[at + 1 :]
            entry.lines.append(Span(span.end - len(value.lstrip(_BLANKS)), span.end))
            self._goes_on = self._dialect.backslash and _is_continued(value)
            if not self._goes_on and not self._dialect.can_say(value[: self._dialect.value_end(value)]):
                raise NotIni("a quote is not closed, or a backslash is no escape")
        self._entry = entry

    def _end_entry(self) -> None:
        entry, self._entry, self._goes_on = self._entry, None, False
        if entry is None:
            return
        if not entry.has_value:
            place = Span(entry.name_span.end, entry.name_span.end)
            made = LineEntry(entry.name, entry.name_span, place, None, entry.behind_name)
        else:
            value = self._value_of(entry)
            data = "\n".join(line.of(self._text) for line in entry.lines) if len(entry.lines) > 1 else None
            plain = value.of(self._text) if data is None else data
            made = LineEntry(entry.name, entry.name_span, value, plain, entry.behind_name)
        self._part.entries.append(made)

    def _value_of(self, entry: _Open) -> Span:
        """Where a value stands: of several lines from behind the sign, of one line without the comment behind it."""
        first, last = entry.lines[0], entry.lines[-1]
        if len(entry.lines) > 1:
            return Span(entry.behind_name if first.is_empty else first.start, last.end)
        end = first.start + self._dialect.value_end(first.of(self._text))
        if first.start < end:
            return Span(first.start, end)
        is_apart = self._text[entry.behind_name : entry.behind_name + 1] in (" ", "\t")
        place = entry.behind_name + is_apart
        return Span(place, place)


def _is_continued(content: str) -> bool:
    return (len(content) - len(content.rstrip("\\"))) % 2 == 1
