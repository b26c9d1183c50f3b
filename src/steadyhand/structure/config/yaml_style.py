"""How new YAML text is written: in the style of its siblings, then of the file.

A `Style` says how a file writes: quotes, indentation, lists. Values become scalars in a style, containers become rows
or text in brackets. Rows are at the margin and have no line endings; who places them indents them.
Text is only left plain where no reader of YAML 1.1 or 1.2 takes it for anything else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.config.item import Item, ItemKind, Plain
from steadyhand.structure.config.yaml_reader import column_of, implicit_tag, note_of, parse, parse_part
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

_NUMBER_ELSEWHERE = lazy_pattern(
    r"[-+]?(?:[0-9][0-9_]*|0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)"
    r"|[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?"
    r"|[-+]?\.(?:inf|nan)",
    re.IGNORECASE | re.ASCII,
)
_BOTH_VERSIONS = lazy_pattern(
    r"true|True|TRUE|false|False|FALSE|[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE][-+][0-9]+)?)?|[-+]?\.(?:inf|Inf|INF)|\.nan"
)
_WORD_ELSEWHERE = lazy_pattern(r"y|n|yes|no|on|off|true|false|null|~|=|<<", re.IGNORECASE)
_START_NEVER = lazy_pattern(r"[,\[\]{}#&*!|>'\"%@`]|[-?:](?:[ \t]|\Z)|---|\.\.\.")
_INSIDE_NEVER = lazy_pattern(r":(?:[ \t]|\Z)|[ \t]#")
_IN_FLOW_NEVER = lazy_pattern(r"[,\[\]{}?]|\A[-:]")  # some readers end plain text at `?` there
_UNPRINTABLE = lazy_pattern("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def may_be_plain(value: str, *, in_flow: bool) -> bool:
    """Whether a text can be written without quotes and is that text for every reader."""
    if not value or value != value.strip() or "\n" in value or "\t" in value or not is_printable(value):
        return False
    if _START_NEVER.match(value) or _INSIDE_NEVER.search(value) or (in_flow and _IN_FLOW_NEVER.search(value)):
        return False
    return not looks_typed(value)


def looks_typed(value: str) -> bool:
    """Whether some reader takes this plain text for a number, a flag, a date, nothing or a merge.

    >>> [word for word in ("on", "12:30", "1e3", "0o17", "1.2.3", "2024-01-01", "one") if looks_typed(word)]
    ['on', '12:30', '1e3', '0o17', '2024-01-01']
    """
    return bool(_WORD_ELSEWHERE.fullmatch(value) or _NUMBER_ELSEWHERE.fullmatch(value)) or is_typed_by_all(value)


def is_of_one_version(text: str, item: Item) -> bool:
    """Whether a flag or number says something else to readers of YAML 1.2 than to those of 1.1: `no`, `0644`."""
    is_typed = item.kind in ("flag", "number") and note_of(item).tag is None
    return is_typed and _BOTH_VERSIONS.fullmatch(item.value.of(text)) is None


def is_typed_by_all(value: str) -> bool:
    """Whether every reader of YAML 1.1 takes this plain text for no text: `on` and not `y`, which few do."""
    return implicit_tag(value) is not None


def is_printable(value: str) -> bool:
    """Whether every character may be in a YAML file as it is, and none but LF is a line break to some reader."""
    return _UNPRINTABLE.search(value) is None


Quote = Literal["single", "double"]
Quoting = Literal["plain", "single", "double"]

_LOOKED_AT = 1_000
_STEP = 2
_WIDEST_STEP = 9


@dataclass(frozen=True, slots=True)
class Style:
    """How new text is written.

    `text`, `name`  how a text or a name is written where it may be plain
    `quote`         the quotes of a text that needs them
    `step`          how much further right the entries of a mapping are than the name above them
    `dash`          the same for the dashes of a list
    `width`         from a dash to what follows it
    `known`         where below the container the file has plain names that some reader takes for no text, such as `on`
                    or `y`: the names that lead there and that name, None for any item of a list
    """

    text: Quoting = "plain"
    name: Quoting = "plain"
    quote: Quote = "double"
    step: int = _STEP
    dash: int = _STEP
    width: int = _STEP
    known: frozenset[tuple[str | None, ...]] = frozenset()

    def inside(self, step: str | int) -> Style:
        """How the inside of one of the children is written: known there is what the file has at that very place."""
        kept = step if isinstance(step, str) else None
        return replace(self, known=frozenset(path[1:] for path in self.known if len(path) > 1 and path[0] == kept))


def _usual(source: Source) -> tuple[Style, Counter[str]]:
    """How the whole file writes things and texts, for places whose neighbours do not show it."""
    parsed = source.derived(parse_part) or source.derive(parse)
    documents = () if isinstance(parsed, Refusal) else parsed.reading.documents
    items = list(islice((item for top in documents for item in top.walk()), _LOOKED_AT))
    step = _step(source.text, items, "mapping", _STEP)
    dash, width = _step(source.text, items, "sequence", step), _width(source.text, items) or _STEP
    return Style(quote=_quote(items) or "double", step=step, dash=dash, width=width), _texts(items)


def style_of(source: Source, container: Item) -> Style:
    """How a new child of a container is written."""
    children = container.children[-_LOOKED_AT:]
    near = list(islice((part for child in children for part in (child, *child.children)), _LOOKED_AT))
    usual, usual_texts = source.derive(_usual)
    named = (item for item in children if item.name is not None and may_be_plain(str(item.path[-1]), in_flow=False))
    texts, names = _texts(children), Counter[str](note_of(item).name for item in named)
    if not texts and container.kind == "sequence":  # items are of one kind: quotes that all of them need suit a new one
        texts = Counter(note_of(child).style for child in children if child.kind == "text")
    if not texts and (names.get("double") and note_of(container).style == "flow"):
        texts = names  # as in JSON
    elif not texts and note_of(container).in_flow:
        texts = usual_texts
    quote = _quote(near) or usual.quote
    has_lists = any(_is_below_name(item, "sequence") for item in near)
    return Style(
        _quoting(texts, quote),
        _quoting(names, quote),
        quote,
        usual.step,
        _step(source.text, [container, *near], "sequence", _STEP) if has_lists else usual.dash,
        _width(source.text, [container, *near]) or usual.width,
        _known(container),
    )


def _texts(items: Iterable[Item]) -> Counter[str]:
    """How texts are written that need no quotes."""
    texts = (item for item in items if item.kind == "text")
    return Counter(note_of(item).style for item in texts if may_be_plain(str(item.data), in_flow=False))


def _known(container: Item) -> frozenset[tuple[str | None, ...]]:
    """The places below a container where a name such as `on` is plain, and nowhere in quotes."""
    depth = len(container.path)
    found: dict[str, set[tuple[str | None, ...]]] = {}
    for item in islice(container.walk(), _LOOKED_AT):
        if (
            item.name is not None
            and len(item.path) > depth
            and looks_typed(name := str(item.path[-1]))
            and name != "<<"
        ):
            place = tuple(step if isinstance(step, str) else None for step in item.path[depth:])
            found.setdefault(note_of(item).name, set()).add(place)
    plain = found.pop("plain", set())
    return frozenset(plain.difference(*found.values()))


def _quoting(found: Mapping[str, int], quote: Quote) -> Quoting:
    """Quoted where all the siblings are, else plain."""
    single, double = found.get("single", 0), found.get("double", 0)
    if found.get("plain") or not single + double:
        return "plain"
    if single == double:
        return quote
    return "single" if single > double else "double"


def _quote(items: Iterable[Item]) -> Quote | None:
    found = Counter(note_of(item).style for item in items)
    if found["single"] == found["double"]:
        return None
    return "single" if found["single"] > found["double"] else "double"


def _is_below_name(item: Item, kind: ItemKind) -> bool:
    return item.kind == kind and item.name is not None and note_of(item).style == "block"


def _step(text: str, items: Iterable[Item], kind: ItemKind, usual: int) -> int:
    """How much further right than their names collections of a kind are."""
    below = [item for item in items if _is_below_name(item, kind)]
    steps = Counter(column_of(text, item.value.start) - column_of(text, note_of(item).mark) for item in below)
    least = 0 if kind == "sequence" else 1
    return next((step for step, _ in steps.most_common() if least <= step <= _WIDEST_STEP), usual)


def _width(text: str, items: Iterable[Item]) -> int | None:
    widths: Counter[int] = Counter()
    for item in items:
        if item.kind == "sequence" and note_of(item).style == "block":
            for child in item.children[:100]:
                note = note_of(child)
                gap = text[note.mark + 1 : child.value.start]
                if gap and not gap.strip(" ") and note.hang == note.mark + 1:
                    widths[len(gap) + 1] += 1
    return next((width for width, _ in widths.most_common() if width <= _WIDEST_STEP), None)


_LONGEST_NAME = 1000
_ESCAPES = {
    "\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x07": "\\a", "\x08": "\\b",
    "\x1b": "\\e", "\x0b": "\\v", "\x0c": "\\f", "\x85": "\\N", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip
_TO_ESCAPE = lazy_pattern(
    r'[\\"\n\t]|' "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


class Unwritable(Exception):
    """A value that YAML cannot say here."""


@dataclass(frozen=True, slots=True)
class Written:
    """A value in rows: `head` is behind the name or dash, `rows` below, so far from the margin as they are.

    With `is_below` the head is empty and the rows are a collection that starts on a line of its own; with `is_compact`
    the head is the first row of a collection that starts on the line of its dash, and a comment may be behind it.
    """

    head: str
    rows: tuple[str, ...] = ()
    is_below: bool = False
    is_compact: bool = False


def scalar(value: Plain, quoting: Quoting, style: Style, *, in_flow: bool) -> str:
    """A scalar on one line."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return number(value)
        case str():
            return quoted(value, quoting, style, in_flow=in_flow)
        case _:
            try:
                return str(value)
            except ValueError:
                raise Unwritable("the number has too many digits") from None


def quoted(value: str, quoting: Quoting, style: Style, *, in_flow: bool) -> str:
    """A text on one line: as wished, else in the usual quotes, else in double ones, which can say everything.

    >>> print(quoted('a "b"\\n\\x85', "double", Style(), in_flow=False))
    "a \\"b\\"\\n\\N"
    """
    if quoting == "plain" and may_be_plain(value, in_flow=in_flow):
        return value
    quote = style.quote if quoting == "plain" else quoting
    if quote == "single" and "\n" not in value and "\t" not in value and is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    if _SURROGATE.search(value):
        raise Unwritable("a lone surrogate is not a character")
    return '"' + _TO_ESCAPE.sub(lambda found: _ESCAPES.get(found[0]) or _code(ord(found[0])), value) + '"'


def _code(point: int) -> str:
    return f"\\x{point:02X}" if point < 0x100 else f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"


def name_text(name: str, quoting: Quoting, style: Style, *, in_flow: bool, like: str | None = None) -> str:
    """A name; `like` is a plain name beside it that some reader takes for no text, so that this one may be such too.

    Both are of one type then, numbers or words, and who takes the one for no text takes the other so: `y` is a
    coordinate to readers for whom `on` is a flag.
    """
    if len(name) > _LONGEST_NAME:
        raise Unwritable(f"names are at most {_LONGEST_NAME} characters long")
    if quoting == "plain" and (name,) in style.known:
        return name
    if quoting == "plain" and like is not None and looks_typed(name) and looks_typed(like) and name[:1] not in "=<~":
        is_as_typed = is_typed_by_all(like) or not is_typed_by_all(name)
        if is_as_typed and name[:1].isdigit() == like[:1].isdigit():
            return name
    return quoted(name, quoting, style, in_flow=in_flow)


def number(value: float) -> str:
    """
    >>> number(1e16), number(0.5), number(float("inf"))
    ('1.0e+16', '0.5', '.inf')
    """
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    mantissa, letter, exponent = repr(value).partition("e")
    return mantissa + (".0" if letter and "." not in mantissa else "") + letter + exponent


def value_rows(value: Plain, style: Style) -> Written:
    """A value as it is behind a name or a dash."""
    if isinstance(value, str) and "\n" in value and style.text == "plain" and fits_literal(value):
        head, lines = literal(value, style.step)
        return Written(head, tuple(lines))
    if not isinstance(value, Mapping | list | tuple):
        return Written(scalar(value, style.text, style, in_flow=False))
    if not value:
        return Written("{}" if isinstance(value, Mapping) else "[]")
    if isinstance(value, Mapping):
        rows = [row for name, inner in value.items() for row in entry_rows(name, inner, style)]
    else:
        rows = [row for at, inner in enumerate(value) for row in item_rows(inner, style.inside(at))]
    return Written("", tuple(rows), is_below=True)


def entry_rows(name: str, value: Plain, style: Style, *, like: str | None = None) -> list[str]:
    """A new entry of a block mapping."""
    head = name_text(name, style.name, style, in_flow=False, like=like) + ":"
    written = value_rows(value, style.inside(name))
    if written.is_below:
        return [head, *indented(written.rows, style.dash if isinstance(value, list | tuple) else style.step)]
    return [f"{head} {written.head}", *written.rows]


def item_rows(value: Plain, style: Style) -> list[str]:
    """A new item of a block sequence; a collection starts on the line of the dash."""
    written = value_rows(value, style)
    dash = "-" + " " * (style.width - 1)
    if written.is_below:
        return [dash + written.rows[0], *indented(written.rows[1:], style.width)]
    if written.rows:  # a literal text: its lines are further right than the dash
        head, rows = literal(str(value), style.width)
        return [dash + head, *rows]
    return [dash + written.head]


def indented(rows: Sequence[str], width: int) -> list[str]:
    """Rows further right; empty ones stay empty."""
    return [" " * width + row if row else row for row in rows]


def in_brackets(value: Plain, style: Style) -> str:
    """A value on one line, as it is inside brackets."""
    match value:
        case Mapping():
            pairs = (
                f"{name_text(name, style.name, style, in_flow=True)}: {in_brackets(inner, style.inside(name))}"
                for name, inner in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(in_brackets(inner, style.inside(at)) for at, inner in enumerate(value)) + "]"
        case _:
            return scalar(value, style.text, style, in_flow=True)


def fits_literal(value: str) -> bool:
    """Whether a text can be written behind `|` so that every reader reads it back, whatever is below it."""
    if not is_printable(value) or not value.strip() or value.endswith("\n\n"):
        return False
    rows = value.split("\n")
    is_clear = not any(row and not row.strip() for row in rows)
    return is_clear and not value.lstrip("\n").startswith("\t") and not rows[-1].endswith((" ", "\t"))


def ends_with_newline(value: Plain) -> bool:
    """Whether a value ends with a literal text that ends with a newline."""
    while isinstance(value, Mapping | list | tuple) and value:
        value = list(value.values())[-1] if isinstance(value, Mapping) else value[-1]
    return isinstance(value, str) and value.endswith("\n") and fits_literal(value)


def literal(value: str, indent: int) -> tuple[str, list[str]]:
    """Header and rows of a literal text whose rows are `indent` further right than what it hangs on.

    >>> literal(" a\\nb", 2)
    ('|2-', ['   a', '  b'])
    """
    digit = str(indent) if value.lstrip("\n").startswith(" ") else ""
    chomp = "" if value.endswith("\n") else "-"
    return f"|{digit}{chomp}", indented(value.removesuffix("\n").split("\n"), indent)


def folded(value: str, indent: int, width: int) -> tuple[str, list[str]] | None:
    """The same behind `>`, lines broken at `width`; None where the text is not made of simple paragraphs."""
    rows = value.removesuffix("\n").split("\n")
    if not all(row and row == row.strip() for row in rows) or not is_printable(value):
        return None
    folds: list[str] = []
    for row in rows:
        folds += [*([""] if folds else []), *_broken(row, max(width - indent, 20))]
    return (">" if value.endswith("\n") else ">-"), indented(folds, indent)


def _broken(row: str, width: int) -> list[str]:
    """One paragraph in lines; broken only at single blanks, which a reader puts back."""
    lines = [""]
    for word in re.split(r"(?<=\S) (?=\S)", row):
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines
