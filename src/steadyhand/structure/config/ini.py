"""INI files: their dialects, chosen by the name of the file, their reader, and how their entries are written.

Dialects differ in what separates a name from its value, in what continues a line and in what starts a comment behind a
value; where a file's name says nothing, it is read as most readers do, and a comment needs blanks on both of its sides.
A line that is neither header nor entry nor comment ends the reading: a file that only looks like INI is not edited.
Everything is text; a flag is written in the words the old value had.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.structure.config.item import Item, Plain, Reading, Unreadable
from steadyhand.structure.config.layout import Write, first_of
from steadyhand.structure.config.lines import LineSyntax, Section, entry_of, equals_like, margin, text_of, top_of
from steadyhand.structure.format import Fault, Unchecked, file_name
from steadyhand.structure.node import Refusal, refuse
from steadyhand.text.cancel import check_each
from steadyhand.text.indent import indent_of, unit_of
from steadyhand.text.lines import body, split_bodies, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_SPACED = lazy_pattern(r"(?:(?<=[ \t])|(?<![^\n]))[#;](?=[ \t]|\Z)")
_ESCAPED = lazy_pattern(r'(?:[^"\\]++|\\["\\ntb]|"(?:[^"\\]++|\\["\\ntb])*+")*+')
_ANY = lazy_pattern(r'[^"\\#;]*+(?:(?:\\.|"(?:[^"\\]|\\.)*+"?)[^"\\#;]*+)*+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a family of INI files is written.

    `equals`         the signs that separate names from values
    `indent`         a line that is indented further than its name goes on with the value
    `backslash`      a backslash at the end of a line goes on with the value on the next
    `comment_behind` whether a comment may follow a value: never, with blanks on both sides, or anywhere
    `folds`          names in a section that differ only in case are one name
    `escapes`        a quote in a value must be closed, and a backslash must be one of the known escapes
    """

    equals: str = "=:"
    indent: bool = True
    backslash: bool = False
    comment_behind: Literal["never", "spaced", "anywhere"] = "spaced"
    folds: bool = True
    escapes: bool = False

    def equals_in(self, content: str) -> int:
        """Where the first sign is that separates a name from its value; -1 where there is none."""
        return min((at for at in map(content.find, self.equals) if at >= 0), default=-1)

    def can_say(self, value: str) -> bool:
        """Whether a reader takes a value on one line, as it is written.

        >>> Dialect(escapes=True).can_say("C:\\\\new"), Dialect(escapes=True).can_say('an "open quote')
        (True, False)
        """
        return not self.escapes or _ESCAPED.fullmatch(value) is not None

    def value_end(self, value: str) -> int:
        """Where a value on one line ends, blanks and the comment behind it left out.

        >>> text = "red # warm"
        >>> Dialect().value_end(text), Dialect(comment_behind="never").value_end(text)
        (3, 10)
        """
        end = len(value)
        if "#" not in value and ";" not in value:
            return len(value.rstrip(" \t"))
        if self.comment_behind == "spaced":
            found = _SPACED.search(value)
            end = found.start() if found else end
        elif self.comment_behind == "anywhere":
            found = _ANY.match(value)
            end = found.end() if found else end
        return len(value[:end].rstrip(" \t"))


_PYTHON = Dialect(comment_behind="never")
_UNIT = Dialect("=", indent=False, backslash=True, comment_behind="never", folds=False)
_DESKTOP = Dialect("=", indent=False, comment_behind="never", folds=False)
_GIT = Dialect("=", indent=False, backslash=True, comment_behind="anywhere", escapes=True)
_NPM = Dialect("=", indent=False, comment_behind="anywhere", folds=False)
_EDITOR = Dialect(indent=False)

UNIT_SUFFIXES = (".service", ".socket", ".timer", ".mount", ".target", ".path", ".slice", ".network", ".netdev")
_BY_SUFFIX = {
    **dict.fromkeys((".cfg", ".pylintrc", ".flake8", ".coveragerc"), _PYTHON),
    ".desktop": _DESKTOP,
    ".gitconfig": _GIT,
    ".gitmodules": _GIT,
    ".npmrc": _NPM,
    ".editorconfig": _EDITOR,
    **dict.fromkeys(UNIT_SUFFIXES, _UNIT),
}
_BY_NAME = {"tox.ini": _PYTHON, "pytest.ini": _PYTHON, "mypy.ini": _PYTHON, "alembic.ini": _PYTHON}


def dialect_of(path: str | None) -> Dialect:
    """The dialect of a file by its name."""
    name = file_name(path)
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name[name.rfind(".") :] if "." in name else "") or Dialect()


SIGNS = "#;"
_BLANKS = " \t\f\v"
_NOT_IN_NAMES = frozenset("{}<>")


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


def read_ini(source: Source) -> Reading | Refusal:
    """The file, or `unparsable` with the first line that is none of an INI file."""
    dialect = dialect_of(source.path)
    reader = _Reader(source.text, dialect)
    at = first_of(source.text)
    for number, line in enumerate(check_each(split_lines(source.text[at:])), start=1):
        try:
            reader.take(at, body(line))
        except Unreadable as error:
            return Refusal(
                Kind.UNPARSABLE,
                f"line {number} is not a line of an INI file: {error}",
                ByText("fix that line first"),
                {"line": number, "reason": str(error)},
            )
        at += len(line)
    return Reading((top_of(source.text, reader.close()),), dialect.folds)


class _Reader:
    """What was read so far: what is at the top, the open section with its entries, and the open entry."""

    __slots__ = ("_dialect", "_entries", "_entry", "_goes_on", "_section", "_text", "_top")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text, self._dialect = text, dialect
        self._top = self._entries = list[Item]()
        self._section: tuple[Span, Span] | None = None
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
            if not entry.has_value:
                raise Unreadable(at, "it is indented, but the name above it has no value that it could continue")
            entry.lines += [Span(span.start, span.start)] * entry.gaps + [span]
            entry.gaps = 0
        elif content[0] == "[":
            self._begin_section(span, content)
        else:
            self._begin_entry(span, content, start - at)

    def close(self) -> list[Item]:
        """Everything at the top."""
        self._end_entry()
        if self._section is not None:
            name, header = self._section
            span = Section(header, self._entries).span
            inside = tuple(self._entries)
            self._top.append(Item((name.of(self._text),), "mapping", span, name, span, inside, None, header))
        return self._top

    def _begin_section(self, span: Span, content: str) -> None:
        self.close()
        end = content.rfind("]")
        rest = content[end + 1 :].lstrip(_BLANKS)
        if end < 2 or (rest and rest[0] not in SIGNS):
            raise Unreadable(span.start, "a header is a name in brackets, alone on its line")
        self._section = Span(span.start + 1, span.start + end), Span(span.start, span.start + end + 1)
        self._entries = []

    def _begin_entry(self, span: Span, content: str, indent: int) -> None:
        self._end_entry()
        at = self._dialect.equals_in(content)
        has_value = at >= 0
        if not has_value:
            at = self._dialect.value_end(content) if self._dialect.comment_behind != "never" else len(content)
        name = content[:at].rstrip(_BLANKS)
        if not name or not _NOT_IN_NAMES.isdisjoint(name) or (not has_value and any(sign.isspace() for sign in name)):
            raise Unreadable(span.start, "a name is expected, followed by =")
        behind = span.start + at + has_value
        entry = _Open(name, Span(span.start, span.start + len(name)), behind, indent, has_value)
        if has_value:
            value = content[at + 1 :]
            entry.lines.append(Span(span.end - len(value.lstrip(_BLANKS)), span.end))
            self._goes_on = self._dialect.backslash and _is_continued(value)
            if not self._goes_on and not self._dialect.can_say(value[: self._dialect.value_end(value)]):
                raise Unreadable(span.start, "a quote is not closed, or a backslash does not begin an escape")
        self._entry = entry

    def _end_entry(self) -> None:
        entry, self._entry, self._goes_on = self._entry, None, False
        if entry is None:
            return
        behind, lines, data = entry.behind_name, entry.lines, None
        if not entry.has_value:
            value = Span(entry.name_span.end, entry.name_span.end)
        elif len(lines) > 1:  # from behind the sign
            value = Span(behind if lines[0].is_empty else lines[0].start, lines[-1].end)
            data = "\n".join(line.of(self._text) for line in lines)
        else:  # without the comment behind it
            start, end = lines[0].start, lines[0].start + self._dialect.value_end(lines[0].of(self._text))
            if start == end:
                start = end = behind + (self._text[behind : behind + 1] in (" ", "\t"))
            value = Span(start, end)
            data = value.of(self._text)
        path = (entry.name,) if self._section is None else (self._section[0].of(self._text), entry.name)
        self._entries.append(entry_of(path, entry.name_span, value, data, behind))


def _is_continued(content: str) -> bool:
    return (len(content) - len(content.rstrip("\\"))) % 2 == 1


_FLAGS = (("true", "false"), ("yes", "no"), ("on", "off"), ("1", "0"), ("enabled", "disabled"))
_SIGNS = tuple(SIGNS)


class Ini(LineSyntax):
    """INI as `configparser` reads it, and its relatives."""

    name: ClassVar[str] = "ini"
    has_sections: ClassVar[bool] = True
    signs: ClassVar[str] = SIGNS
    comment = lazy_pattern(r"[#;][^\r\n]*")

    def read(self, source: Source) -> Reading | Refusal:
        return read_ini(source)

    def check_name(self, source: Source, name: str) -> Refusal | None:
        dialect = dialect_of(source.path)
        is_odd = not name or name.strip() != name or name[0] in "[#;" or set(name) & set("\r\n{}<>")
        if not is_odd and not set(name) & set(dialect.equals):
            return None
        signs = " or ".join(dialect.equals)
        return refuse(f"a name is one line without {signs}, brackets or surrounding spaces", "choose another name")

    def check_loose(self, source: Source) -> Refusal | None:
        loose, *sections = self.sections(source)
        if loose.items or not sections:
            return None
        names = [str(section.items[0].path[0]) for section in sections[:10] if section.items]
        return refuse("all keys of this file are in sections", f"add it to one of them: {', '.join(names)}")

    def render(self, source: Source, item: Item | None, value: Plain) -> str | Refusal:
        text = _flag(value, str(item.data or "")) if isinstance(value, bool) and item else text_of(value)
        if isinstance(text, Refusal):
            return text
        if "\n" in text or "\r" in text:
            return _render_lines(source, item, to_lf(text))
        if not dialect_of(source.path).can_say(text):
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            return refuse("in this file quotes and backslashes of a value are escaped", f'send it as "{escaped[:200]}"')
        if text.strip(" \t\f\v") != text or dialect_of(source.path).value_end(text) != len(text):
            return refuse(
                "an INI file drops spaces around a value, and reads what looks like a comment as one",
                "send the value without them, or in quotes if the program that reads it supports quotes",
            )
        return text

    def render_line(self, source: Source, siblings: Sequence[Item], name: str, written: str) -> str:
        indent, equals = equals_like(source.text, siblings, lambda: self._usual_equals(source))
        return f"{indent}{name}{_fitted(equals, written)}{written}".rstrip(" \t")

    def put_value(self, source: Source, item: Item, written: str) -> Write:
        usual, behind = self._usual_equals(source), item.note
        assert isinstance(behind, int)
        if item.data is None:
            return item.value, _fitted(usual, written) + written
        if written.startswith("\n"):
            return Span(behind, item.value.end), written
        is_bare = item.value.start == behind and str(item.data)[:1] in ("", "\n")
        blank = " " if is_bare and written and usual.endswith(" ") else ""
        return item.value, blank + written

    def _usual_equals(self, source: Source) -> str:
        """What is between names and values in a file."""
        every = (item for section in self.sections(source) for item in section.items if item.data and item.name)
        item = next((item for item in every if "\n" not in str(item.data)), None)
        return " = " if item is None or item.name is None else source.text[item.name.end : item.value.start]


def _fitted(equals: str, written: str) -> str:
    """What is before a value; nothing that would be a blank at the end of a line."""
    return equals.rstrip(" \t") if written.startswith("\n") else equals


def _flag(value: object, old: str) -> str:
    """A flag in the words of the old value, in its case.

    >>> _flag(False, "Yes"), _flag(True, "12")
    ('No', 'true')
    """
    words = next((pair for pair in _FLAGS if old.lower() in pair), _FLAGS[0])
    word = words[0] if value else words[1]
    if old.isupper():
        return word.upper()
    return word.capitalize() if old[:1].isupper() else word


def _render_lines(source: Source, item: Item | None, text: str) -> str | Refusal:
    """A value of several lines: all but the first are indented."""
    first, *others = text.rstrip("\n").split("\n")
    is_odd = any(not line or line.strip() != line or line.startswith(_SIGNS) for line in others)
    if not dialect_of(source.path).indent or is_odd or first.strip() != first:
        return refuse(
            "a value of several lines cannot be written here, or would lose blank lines, indentation or comments",
            "send one line, or lines without surrounding spaces",
        )
    below = split_bodies(item.value.of(source.text))[1:] if item is not None else []
    if any(line.lstrip(" \t").startswith(_SIGNS) for line in below):
        return refuse(
            "comments are among the lines of the value",
            "replace only the lines that change, by their text",
        )
    indent = next((indent_of(line) for line in below if line.strip()), "")
    if not indent:
        own = margin(source.text, item.name.start) if item is not None and item.name is not None else ""
        indent = own + (unit_of(split_bodies(source.text)) or "    ")
    return "\n".join([first, *(f"{indent}{line}" for line in others)])


SYNTAX = Ini()


def fault_of(source: Source) -> Fault | Unchecked | None:
    """The first line that is none of the format."""
    return Fault.of(source.derive(SYNTAX.read))
