"""Keys of INI files: sections and entries. Everything is text; a flag is written in the words the old value had."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from steadyhand.structure.config.item import Plain
from steadyhand.structure.config.line_file import LineEntry, LineFile, LineSection
from steadyhand.structure.config.line_syntax import LineSyntax, Write, equals_like, margin, text_of
from steadyhand.structure.config.syntax import refuse
from steadyhand.structure.node import Refusal
from steadyhand.text.indent import indent_of, unit_of
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.structure.config.ini.dialect import Dialect


_FLAGS = (("true", "false"), ("yes", "no"), ("on", "off"), ("1", "0"), ("enabled", "disabled"))
_SIGNS = ("#", ";")


class Ini(LineSyntax):
    """INI as `configparser` reads it, and its relatives."""

    name: ClassVar[str] = "ini"
    formats: ClassVar[tuple[str, ...]] = ("conf",)
    has_sections: ClassVar[bool] = True

    def parse(self, source: Source) -> LineFile | Refusal:
        from steadyhand.structure.config.ini.scan import read_ini

        return read_ini(source)

    def folds(self, source: Source) -> bool:
        return _dialect(source).folds

    def check_name(self, source: Source, name: str) -> Refusal | None:
        dialect = _dialect(source)
        is_odd = not name or name.strip() != name or name[0] in "[#;" or set(name) & set("\r\n{}<>")
        if not is_odd and not set(name) & set(dialect.equals):
            return None
        signs = " or ".join(dialect.equals)
        return refuse(f"a name is one line without {signs}, brackets or blanks around it", "choose another name")

    def check_loose(self, source: Source) -> Refusal | None:
        file = self.file(source)
        if file.sections[0].entries or len(file.sections) == 1:
            return None
        names = [part.name for part in file.sections[1:11]]
        return refuse("all keys of this file stand in sections", f"add it to one of them: {', '.join(names)}")

    def render(self, source: Source, entry: LineEntry | None, value: Plain) -> str | Refusal:
        text = _flag(value, entry.data or "") if isinstance(value, bool) and entry else text_of(value)
        if isinstance(text, Refusal):
            return text
        if "\n" in text or "\r" in text:
            return _render_lines(source, entry, to_lf(text))
        if not _dialect(source).can_say(text):
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            return refuse("in this file quotes and backslashes of a value are escaped", f'send it as "{escaped[:200]}"')
        if text.strip(" \t\f\v") != text or _dialect(source).value_end(text) != len(text):
            return refuse(
                "in an INI file blanks around a value are lost, and what looks like a comment is one",
                "send the value without them, or in quotes if its reader knows quotes",
            )
        return text

    def render_line(self, source: Source, section: LineSection, name: str, written: str) -> str:
        indent, equals = equals_like(source.text, section, lambda: _usual_equals(self.file(source)))
        return f"{indent}{name}{_fitted(equals, written)}{written}".rstrip(" \t")

    def put_value(self, source: Source, entry: LineEntry, written: str) -> list[Write]:
        usual = _usual_equals(self.file(source))
        if entry.data is None:
            return [(entry.value, _fitted(usual, written) + written)]
        if written.startswith("\n"):
            return [(Span(entry.behind_name, entry.value.end), written)]
        is_bare = entry.value.start == entry.behind_name and entry.data[:1] in ("", "\n")
        blank = " " if is_bare and written and usual.endswith(" ") else ""
        return [(entry.value, blank + written)]


def _fitted(equals: str, written: str) -> str:
    """What stands before a value; nothing that would be a blank at the end of a line."""
    return equals.rstrip(" \t") if written.startswith("\n") else equals


def _dialect(source: Source) -> Dialect:
    from steadyhand.structure.config.ini.dialect import dialect_of

    return dialect_of(source.path)


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


def _render_lines(source: Source, entry: LineEntry | None, text: str) -> str | Refusal:
    """A value of several lines: all but the first are indented."""
    first, *others = text.rstrip("\n").split("\n")
    is_odd = any(not line or line.strip() != line or line.startswith(_SIGNS) for line in others)
    if not _dialect(source).indent or is_odd or first.strip() != first:
        return refuse(
            "a value of several lines cannot be written here, or would lose blank lines, indentation or comments",
            "send one line, or lines without blanks around them",
        )
    if entry is not None and _has_comments(source.text, entry):
        return refuse(
            "comments stand among the lines of the value",
            "replace only the lines that change, by their text",
        )
    indent = _indent_of(source.text, entry)
    return "\n".join([first, *(f"{indent}{line}" for line in others)])


def _has_comments(text: str, entry: LineEntry) -> bool:
    lines = split_bodies(entry.value.of(text))[1:]
    return any(line.lstrip(" \t").startswith(_SIGNS) for line in lines)


def _indent_of(text: str, entry: LineEntry | None) -> str:
    lines = split_bodies(entry.value.of(text))[1:] if entry is not None else []
    found = next((indent_of(line) for line in lines if line.strip()), None)
    if found:
        return found
    own = margin(text, entry.name_span.start) if entry else ""
    return own + (unit_of(split_bodies(text)) or "    ")


def _usual_equals(file: LineFile) -> str:
    """What stands between names and values in a file."""
    found = (entry for part in file.sections for entry in part.entries if entry.data and "\n" not in entry.data)
    entry = next(found, None)
    return " = " if entry is None else file.text[entry.name_span.end : entry.value.start]


SYNTAX = Ini()
