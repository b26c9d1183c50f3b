"""Keys of TOML: tables under headers, dotted keys, inline tables, arrays and arrays of tables.

New entries are written as their siblings are; what moves keeps its text and its comments; where the last entry of a
table goes, the table stays. What has no value of its own but headers or dotted keys changes only through its entries.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, time
from itertools import islice
from typing import ClassVar

from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Plain, Reading
from steadyhand.structure.config.layout import (
    HASHED,
    Brackets,
    Piece,
    Sheet,
    Usual,
    Write,
    insertion,
    removal,
    with_endings_of,
)
from steadyhand.structure.config.syntax import Syntax
from steadyhand.structure.config.toml_reader import Document, Form, Pair, note_of, read_document, reread
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import body, line_start, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span, joined

_LOOKED_AT = 400
_BARE = lazy_pattern(r"[A-Za-z0-9_-]+")
_MOMENT = lazy_pattern(r"[0-9][0-9tTzZ:. +-]*", re.ASCII)
_DOT = lazy_pattern(r"[ \t]*\.[ \t]*")
_SPECIAL = lazy_pattern(r'["\\\x00-\x1f\x7f]')
_SPECIAL_LINES = lazy_pattern(r'\\|[\x00-\x08\x0b-\x1f\x7f]|"(?=""|\Z)')
_NOT_LITERAL = lazy_pattern(r"[\x00-\x08\x0a-\x1f\x7f']")
_NOT_LITERAL_LINES = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f]|'''|'\Z")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Style:
    """How a file writes: the quotes of its texts, `=` with what is around it, and what is inside braces."""

    quote: str
    equals: str
    padding: str


def _style(source: Source) -> Style:
    """The style of a file, by its first few hundred values; where they do not show it, that of most files."""
    text, quotes = source.text, ""
    equals = padding = None
    for pair in islice((pair for section in _document(source).sections for pair in section.pairs), _LOOKED_AT):
        if equals is None:
            equals = "=" if _equals_of(text, pair) == "=" else " = "
        waiting = [pair.value]
        while waiting:
            value = waiting.pop()
            sign = text[value.span.start]
            quotes += sign if sign in "\"'" else ""
            if value.pairs and padding is None:
                padding = " " if text[value.span.start + 1] in " \t" else ""
            waiting += [*value.items, *(inner.value for inner in value.pairs)]
    return Style(
        "'" if quotes.count("'") > quotes.count('"') else '"',
        " = " if equals is None else equals,
        " " if padding is None else padding,
    )


def _equals_of(text: str, pair: Pair) -> str:
    """What is between a key and its value."""
    return text[pair.key[-1].span.end : pair.value.span.start]


def _unsayable(value: Plain) -> Refusal | None:
    """The refusal of a value that TOML cannot say, wherever in it that is."""
    waiting: list[Plain] = [value]
    while waiting:
        part = waiting.pop()
        if part is None:
            return refuse("TOML has no null", "leave the key out, remove it with delete-key, or write an empty text")
        if isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part
    return None


def render_key(name: str, like: str = "") -> str:
    """A name; in quotes where it needs them, or where the one it replaces has them.

    >>> render_key("a-b"), render_key("a b"), render_key("a", "'b'")
    ('a-b', '"a b"', "'a'")
    """
    if like.startswith("'") and not _NOT_LITERAL.search(name):
        return f"'{name}'"
    return name if _BARE.fullmatch(name) and not like.startswith('"') else _basic(name)


def render_value(value: Plain, style: Style) -> str:
    """A value on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return "nan" if math.isnan(value) else repr(value)
        case str():
            return render_text(value, style.quote)
        case list() | tuple():
            return f"[{', '.join(render_value(item, style) for item in value)}]"
        case Mapping():
            inner = ", ".join(_render_pair(name, item, style) for name, item in value.items())
            return f"{{{style.padding}{inner}{style.padding}}}" if inner else "{}"
        case _:
            return str(value)


def _render_pair(name: str, value: Plain, style: Style) -> str:
    return f"{render_key(name)}{style.equals}{render_value(value, style)}"


def render_text(text: str, like: str) -> str:
    """A text, in the kind of string that `like` begins, where that kind can say it.

    >>> render_text("a b", "'x'"), render_text("a\\nb", "'x'")
    ("'a b'", '"a\\\\nb"')
    """
    text = to_lf(text) if like.startswith(('"""', "'''")) else text
    opening = "\n" if text.startswith("\n") or like[3:4] in ("\n", "\r") else ""
    if like.startswith("'''") and not _NOT_LITERAL_LINES.search(text):
        return f"'''{opening}{text}'''"
    if like.startswith(('"""', "'''")):
        return f'"""{opening}{_SPECIAL_LINES.sub(_escaped, text)}"""'
    if like.startswith("'") and not _NOT_LITERAL.search(text):
        return f"'{text}'"
    return _basic(text)


def _basic(text: str) -> str:
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _SHORT.get(sign) or f"\\u{ord(sign):04X}"


def _moment_form(written: str) -> tuple[type, bool] | None:
    """What kind of moment it is, if it is a date, a time or both: its type, and whether it knows its zone."""
    if not _MOMENT.fullmatch(written):
        return None
    try:
        moment = tomllib.loads(f"moment = {written}")["moment"]
    except ValueError:
        return None
    is_moment = isinstance(moment, date | time)
    return (type(moment), getattr(moment, "tzinfo", None) is not None) if is_moment else None


def _section_lines(title: str, value: Mapping[str, Plain], style: Style, *, is_array: bool) -> list[str]:
    """A header, its pairs, and the sections of the tables that come behind the last pair."""
    names = list(value)
    pairs = next((at for at in range(len(names), 0, -1) if not isinstance(value[names[at - 1]], Mapping)), 0)
    header = f"[[{title}]]" if is_array else f"[{title}]"
    lines = [] if names and not pairs and not is_array else [header]
    lines += [_render_pair(name, value[name], style) for name in names[:pairs]]
    for name in names[pairs:]:
        inner = value[name]
        assert isinstance(inner, Mapping)
        lines += [""] * bool(lines) + _section_lines(f"{title}.{render_key(name)}", inner, style, is_array=False)
    return lines


_IN_SECTIONS: tuple[Form, ...] = ("root", "table", "implicit", "element")
_WHOLE: tuple[Form, ...] = ("scalar", "array", "inline")


class Toml(Syntax):
    """TOML 1.0."""

    name: ClassVar[str] = "toml"
    ordered: ClassVar[bool] = False
    comment = HASHED.comment

    def read(self, source: Source) -> Reading | Refusal:
        document = source.derive(read_document)
        return document if isinstance(document, Refusal) else document.reading

    def reread(self, before: Source, source: Source, item: Item, end: int) -> Item | Refusal | None:
        return reread(before, source, item, end)

    def loaded(self, source: Source) -> object:
        return _document(source).loaded

    def is_spread(self, item: Item) -> bool:
        return note_of(item).form not in _WHOLE

    def write(self, source: Source, item: Item, value: Plain) -> Proposal | Refusal:
        if refusal := _unsayable(value):
            return refusal
        if self.is_spread(item):
            return refuse(
                "it is written with headers or dotted keys and cannot become another kind of value",
                "delete it with delete-key and add it again with add-key",
            )
        written = item.value.of(source.text)
        if isinstance(value, str) and item.kind == "text":
            return Proposal.of(source, (item.value, render_text(value, written)))
        if isinstance(value, str) and item.kind == "date" and _moment_form(value) == _moment_form(written):
            stays = "the value stays a date; a text would be in quotes"
            return Proposal.of(source, (item.value, value), notes=(stays,))
        notes = self.lost_comments(source, item, item.value.end)
        return Proposal.of(source, (item.value, render_value(value, source.derive(_style))), notes=notes)

    def put_raw(self, source: Source, item: Item, written: str) -> Proposal | Refusal:
        head, new = ("value = ", written.strip(" \t\r\n")) if item.path else ("", written)
        alone = self.read(Source.of_text(head + new))  # what it is in its place is checked with all the rest
        if isinstance(alone, Refusal):
            return alone
        top = alone.documents[0]
        if not item.path or (len(top.children) == 1 and top.children[0].value == Span(len(head), len(head + new))):
            return Proposal.of(source, (item.value, new))
        return refuse("the text is not a TOML value", 'write one value, such as "text", 3 or [1, 2]')

    def add(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Proposal | Refusal:
        made = super().add(source, container, name, value, index)
        if name is None or isinstance(made, Refusal) or not index:
            return made
        if not note_of(container.children[index - 1]).sections:
            return made
        is_pair = not made.splices[0].new.lstrip().startswith("[")
        return replace(made, notes=(f"TOML requires keys before tables: {name} is placed there",)) if is_pair else made

    def compose(self, source: Source, container: Item, name: str | None, value: Plain, index: int) -> Piece | Refusal:
        if refusal := _unsayable(value):
            return refusal
        style = source.derive(_style)
        if name is None and note_of(container).form == "tables":
            if not isinstance(value, Mapping):
                return refuse(
                    "this array is written as [[tables]]: each item of it is a table", "send an object as the value"
                )
            title = self._title(source, container)
            return Piece("\n".join(_section_lines(title, value, style, is_array=True)), is_section=True)
        is_before_pair = index < len(container.children) and not note_of(container.children[index]).sections
        lines = [] if name is None or is_before_pair else self._as_sections(source, container, name, value)
        if lines:
            return Piece("\n".join(lines), is_section=True)
        return Piece(self._entry(source, container, name, render_value(value, style)))

    def _as_sections(self, source: Source, container: Item, name: str, value: Plain) -> list[str]:
        """The value as sections, where the siblings are written so; nothing where it is written as a pair."""
        form, style = note_of(container).form, source.derive(_style)
        if form not in _IN_SECTIONS:
            return []
        forms = [note_of(child).form for child in container.children]
        title = self._title(source, container, name)
        if isinstance(value, Mapping):
            is_first = form == "root" and not any(one in ("inline", "dotted") for one in forms)
            is_usual = is_first or any(one in ("table", "implicit", "tables") for one in forms)
            return _section_lines(title, value, style, is_array=False) if is_usual else []
        if isinstance(value, list) and value and "tables" in forms and all(isinstance(one, Mapping) for one in value):
            parts = [_section_lines(title, one, style, is_array=True) for one in value if isinstance(one, Mapping)]
            return [line for part in parts for line in ("", *part)][1:]
        return []

    def _entry(self, source: Source, container: Item, name: str | None, written: str) -> str:
        """An entry with a written value, its key and `=` as its siblings have them; without a name, the value."""
        if name is None:
            return written
        note, text = note_of(container), source.text
        prefix = ""
        if note.form == "dotted":
            dot = _DOT.match(text, note.names[-1].end)
            prefix = text[note.entries[-1].start : dot.end() if dot else note.names[-1].end]
        style = source.derive(_style)
        if note.form == "inline" or (note.form == "dotted" and note.home is None):
            return f"{prefix}{render_key(name)}{style.equals}{written}"
        names = [child.name.of(text) for child in container.children if child.name is not None]
        key = prefix + render_key(name, names[0] if names and len({one[0] for one in names}) == 1 else "")
        pairs = _document(source).sections[note.home].pairs if note.home is not None else ()
        return f"{key}{_aligned(text, pairs, key, style)}{written}"

    def lift(self, source: Source, item: Item, container: Item, name: str | None) -> Piece | Refusal:
        note, around, text = note_of(item), note_of(container).form, source.text
        if note.form == "dotted":
            return refuse("it is written as dotted keys", "move its keys one by one")
        if note.sections:
            if (around != "tables") if note.form == "element" else around not in _IN_SECTIONS:
                return refuse(
                    "it is written with headers, which cannot be there", "add it again with add-key and delete it"
                )
            return Piece(self._renamed_sections(source, item, self._title(source, container, name)), is_section=True)
        if around == "tables":
            return refuse("an array of [[tables]] takes only tables", "use append-item with an object as the value")
        entry = self._entry(source, container, name, item.value.of(text))
        if note.home is None:
            brackets = _brackets(source, self._enclosing(source, self.known(source).chain(item)[-2]))
            return replace(brackets.piece(brackets.entries.index(item.entry)), entry=entry)
        lines = _sheet(source).entry_lines(note.home, self._index(source, note.home, note.entries[0]))
        above = to_lf(text[lines.start : line_start(text, item.entry.start)]).split("\n")[:-1]
        behind = body(text[item.value.end : lines.end]).rstrip(" \t")
        return Piece(entry, tuple(line.strip() for line in above), behind)

    def put(self, source: Source, container: Item, index: int, pieces: Sequence[Piece]) -> list[Write] | Refusal:
        note, child = note_of(container), container.children[index] if index < len(container.children) else None
        if pieces[0].is_section:
            before = note_of(child).sections[0] if child is not None and note_of(child).sections else None
            after = None if note.form == "root" else note.sections[-1]
            span, new = _sheet(source).put_block(before, after, pieces[0].entry)
            return [(span, with_endings_of(pieces[0].entry, new))]
        outside = self._enclosing(source, container)
        if outside is not None:
            is_array = outside.kind == "sequence"
            usual = Usual(trailing=",") if is_array else Usual(padding=source.derive(_style).padding)
            brackets = _brackets(source, outside)
            if child is not None:
                at = brackets.entries.index((note_of(child).entries or (child.entry,))[0])
            elif container is outside:
                at = len(brackets.entries)
            else:
                at = brackets.entries.index(note.entries[-1]) + 1
            return brackets.insert(at, pieces, usual)
        indent = self._indent(source, container, index)
        lines = "".join(piece.lines(indent, is_shifted=False) for piece in pieces).removeprefix("\n")
        span, new = self._put_lines(source, container, index, lines)
        return [(span, with_endings_of(pieces[0].entry, new))]

    def remove(self, source: Source, item: Item) -> list[Write] | Refusal:
        parent, _ = self.known(source).family(item)
        note, around = note_of(item), note_of(parent)
        if note.sections:
            return self._remove_sections(source, item, parent)
        kept: list[Write] = []
        spans = note.entries or (item.value,)
        if around.form == "dotted" and len(spans) == len(around.entries):
            kept, spans = [_emptied(source, parent, spans[0])], spans[1:]
        if note.home is not None:
            sheet, home = _sheet(source), note.home
            runs = joined([sheet.entry_lines(home, self._index(source, home, span)) for span in spans])
            return [*kept, *((part, "") for run in runs for part in removal(source.text, run))]
        brackets = _brackets(source, self._enclosing(source, parent))
        gone = [brackets.remove(brackets.entries.index(span)) for span in spans]
        writes = [write for one in gone for write in one]
        return [*kept, *(writes if len(gone) < 2 else [(span, "") for span in joined([span for span, _ in writes])])]

    def rename(self, source: Source, item: Item, name: str) -> Proposal | Refusal:
        writes = [(span, render_key(name, span.of(source.text))) for span in note_of(item).names]
        return Proposal.of(source, *writes)

    def entries(self, source: Source, written: str, kind: ItemKind) -> tuple[Source, tuple[Item, ...]] | Refusal:
        if kind != "sequence":
            return super().entries(source, written, kind)
        alone = Source.of_text(f"a = [\n{written}\n]\n")
        reading = self.read(alone)
        if isinstance(reading, Refusal):
            return reading
        found = reading.find(("a",))
        return alone, found[0].children if len(reading.documents[0].children) == 1 else ()

    def insert_raw(self, source: Source, container: Item, written: str, index: int) -> Proposal | Refusal:
        note = note_of(container)
        if note.form == "array":
            found = self.entries(source, written, "sequence")
            assert not isinstance(found, Refusal)  # the editor has read them
            pieces = [Piece(item.value.of(found[0].text)) for item in found[1]]
            return self.written(source, container, index, pieces)
        document = read_document(Source.of_text(written))
        if isinstance(document, Refusal) or container.kind != "mapping":
            return document if isinstance(document, Refusal) else refuse("tables are expected", "use append-item")
        pairs = document.sections[0].pairs
        if len(document.sections) > 1:
            if pairs or note.form != "root":
                return refuse("headers can only be inserted at the top of the file", "use add-key or move-key instead")
            return self.written(source, container, index, [Piece(to_lf(written).strip("\n"), is_section=True)])
        if note.form == "dotted" or note.form == "inline":
            if len(pairs) != 1 or len(pairs[0].key) != 1:
                return refuse("one entry with a plain name is expected here", "insert them one by one")
            entry = self._entry(source, container, pairs[0].key[0].name, pairs[0].value.span.of(written))
            return self.written(source, container, index, [Piece(entry)])
        lines = _indented(written, pairs, self._indent(source, container, index)).strip("\n")
        return Proposal.of(source, self._put_lines(source, container, index, lines))

    # Where things are.

    def _enclosing(self, source: Source, item: Item) -> Item | None:
        """The array or inline table that a container is, or whose dotted keys it is; None where it is in lines."""
        chain = list(self.known(source).chain(item))
        while note_of(chain[-1]).form == "dotted" and note_of(chain[-1]).home is None:
            chain.pop()
        return chain[-1] if note_of(chain[-1]).form in ("array", "inline") else None

    def _index(self, source: Source, home: int, entry: Span) -> int:
        return _document(source).sections[home].entry_spans.index(entry)

    def _neighbours(self, source: Source, container: Item, index: int) -> tuple[int | None, int | None]:
        """The entries of its section that a new entry goes before, or behind; neither for the first one."""
        note = note_of(container)
        assert note.home is not None
        child = note_of(container.children[index]) if index < len(container.children) else None
        if child is not None and child.entries and child.home == note.home:
            return self._index(source, note.home, child.entries[0]), None
        own = note.entries if note.form == "dotted" else _document(source).sections[note.home].entry_spans
        return None, self._index(source, note.home, own[-1]) if own else None

    def _indent(self, source: Source, container: Item, index: int) -> str:
        """The indentation of a new entry of a table that is written in lines."""
        home = note_of(container).home
        if home is None:
            return ""
        before, after = self._neighbours(source, container, index)
        section = _document(source).sections[home]
        if before is not None or after is not None:
            return indent_at(source.text, section.entry_spans[before if before is not None else after or 0].start)
        return "" if section.header_span is None else indent_at(source.text, section.header_span.start)

    def _put_lines(self, source: Source, container: Item, index: int, lines: str) -> Write:
        note, sheet = note_of(container), _sheet(source)
        if note.home is not None:
            before, after = self._neighbours(source, container, index)
            return sheet.put_lines(note.home, lines, before, after)
        # Only named in the headers of its tables: it gets a header of its own.
        header = f"[{self._title(source, container)}]"
        return insertion(source.text, sheet.head(note.sections[0]), f"{header}\n{lines}{sheet.gap}")

    # Sections.

    def _remove_sections(self, source: Source, item: Item, parent: Item) -> list[Write] | Refusal:
        note, around, text = note_of(item), note_of(parent), source.text
        if around.form == "tables" and len(parent.children) == 1:
            return refuse(
                "it is the only one of its [[tables]], and an empty array cannot be written that way",
                SendAddress(f"key:{_path_name(parent.path)}", "delete the whole array,"),
            )
        spans = self._runs(source, item)
        if around.form == "implicit" and len(around.sections) == len(note.sections):
            rest = [(part, "") for span in spans[1:] for part in removal(text, span)]
            place = Span(spans[0].start, spans[0].start + len(body(spans[0].of(text))))
            return [(place, f"[{self._title(source, parent)}]"), *rest]
        return [(part, "") for span in spans for part in removal(text, span)]

    def _runs(self, source: Source, item: Item) -> list[Span]:
        """The lines of an item that is written in sections; sections that follow each other are one run."""
        runs: list[list[int]] = []
        for number in note_of(item).sections:
            if runs and runs[-1][-1] + 1 == number:
                runs[-1].append(number)
            else:
                runs.append([number])
        return [_sheet(source).block_lines(run[0], run[-1]) for run in runs]

    def _renamed_sections(self, source: Source, item: Item, new: str) -> str:
        """The lines of all its sections, their headers with another name in front."""
        text, depth = source.text, _depth(item.path)
        sections = [_document(source).sections[number] for number in note_of(item).sections]
        made: list[str] = []
        for run in self._runs(source, item):
            lines, at = "", run.start
            for section in sections:
                if section.header_span is not None and run.start <= section.header_span.start < run.end:
                    lines += text[at : section.key[0].span.start] + new
                    at = section.key[depth - 1].span.end
            made.append(body(lines + text[at : run.end]))
        return f"\n{_sheet(source).gap}".join(made)

    def _title(self, source: Source, table: Item, name: str | None = None) -> str:
        """The name of a table, or of one in it, for a header: the table's as the first header that has it writes it."""
        depth = _depth(table.path)
        keys = (_document(source).sections[number].key for number in note_of(table).sections)
        key = next((key for key in keys if 0 < depth <= len(key)), None)
        own = _path_name(table.path) if key is None else source.text[key[0].span.start : key[depth - 1].span.end]
        return own if name is None else ".".join(part for part in (own, render_key(name)) if part)


def _document(source: Source) -> Document:
    """A text that was read before."""
    document = source.derive(read_document)
    assert isinstance(document, Document)
    return document


def _sheet(source: Source) -> Sheet:
    return Sheet(source.text, _document(source).sections, is_apart=True)


def _brackets(source: Source, outside: Item | None) -> Brackets:
    assert outside is not None
    spans = {span for child in outside.children for span in note_of(child).entries or (child.entry,)}
    return Brackets(source.text, outside.value, sorted(spans), HASHED)


def _aligned(text: str, pairs: Sequence[Pair], key: str, style: Style) -> str:
    """What is between a new key and its value, `=` in the column where its siblings have theirs."""
    if not pairs:
        return style.equals
    widths = {pair.key[-1].span.end - pair.key[0].span.start for pair in pairs}
    columns = {text.index("=", pair.key[-1].span.end) - pair.key[0].span.start for pair in pairs}
    usual = _equals_of(text, pairs[-1])
    if len(widths) > 1 and len(columns) == 1:
        return " " * max(columns.pop() - len(key), 1) + usual.lstrip(" \t")
    return usual if len(usual) <= 3 else style.equals


def _emptied(source: Source, parent: Item, entry: Span) -> Write:
    """The last of some dotted keys leaves an empty table."""
    document, note = _document(source), note_of(parent)
    name = next(span for span in note.names if entry.start <= span.start < entry.end)
    sections = document.sections if note.home is None else (document.sections[note.home],)
    found = [pair for section in sections for pair in section.pairs if pair.span == entry]
    equals = _equals_of(source.text, found[0]) if found else source.derive(_style).equals
    return Span(name.end, entry.end), f"{equals}{{}}"


def _indented(text: str, pairs: Sequence[Pair], indent: str) -> str:
    """Lines of pairs at another indentation; the lines inside of values stay as they are."""
    made: list[str] = []
    at = 0
    for line in split_lines(text):
        is_inside = any(pair.span.start < at < pair.span.end for pair in pairs)
        made.append(line if is_inside or not line.strip() else indent + line.lstrip(" \t"))
        at += len(line)
    return to_lf("".join(made))


def _depth(path: KeyPath) -> int:
    """How many names a path has; positions in arrays of tables are not written."""
    return sum(isinstance(step, str) for step in path)


def _path_name(path: KeyPath) -> str:
    return ".".join(render_key(step) for step in path if isinstance(step, str))


SYNTAX = Toml()
