"""Plain values as YAML text: scalars in a style, containers as rows or in brackets.

Rows stand at the margin and have no line endings; who places them indents them. Nothing here knows a source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Plain
from steadyhand.structure.config.yaml.manner import Manner, Wish
from steadyhand.structure.config.yaml.scalars import is_printable, is_typed_by_all, looks_typed, may_be_plain

DEEPEST = 150
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
    """A value in rows: `head` stands behind the name or dash, `rows` below, so far from the margin as they are.

    With `is_below` the head is empty and the rows are a collection that starts on a line of its own; with `is_compact`
    the head is the first row of a collection that starts on the line of its dash, and a comment may stand behind it.
    """

    head: str
    rows: tuple[str, ...] = ()
    is_below: bool = False
    is_compact: bool = False


def scalar(value: Plain, wish: Wish, manner: Manner, *, in_flow: bool) -> str:
    """A scalar on one line."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _integer(value)
        case float():
            return number(value)
        case str():
            return quoted(value, wish, manner, in_flow=in_flow)
        case _:
            raise Unwritable(f"a {type(value).__name__} is no scalar")


def quoted(value: str, wish: Wish, manner: Manner, *, in_flow: bool) -> str:
    """A text on one line: as wished, else in the usual quotes, else in double ones, which can say everything."""
    if wish == "plain" and may_be_plain(value, in_flow=in_flow):
        return value
    quote = manner.quote if wish == "plain" else wish
    if quote == "single" and "\n" not in value and "\t" not in value and is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    return in_double_quotes(value)


def in_double_quotes(value: str) -> str:
    """
    >>> print(in_double_quotes('a "b"\\n\\x85'))
    "a \\"b\\"\\n\\N"
    """
    if _SURROGATE.search(value):
        raise Unwritable("a lone surrogate is no character")
    return '"' + _TO_ESCAPE.sub(lambda found: _escape(found.group()), value) + '"'


def name_text(name: str, wish: Wish, manner: Manner, *, in_flow: bool, like: str | None = None) -> str:
    """A name; `like` is a plain name beside it that some reader takes for no text, so that this one may be such too."""
    if len(name) > _LONGEST_NAME:
        raise Unwritable(f"names are at most {_LONGEST_NAME} characters long")
    if wish == "plain" and (name,) in manner.known:
        return name
    is_typed = like is not None and looks_typed(name) and name[:1] not in "=<~"
    if wish == "plain" and is_typed and like is not None and _is_alike(name, like):
        return name
    return quoted(name, wish, manner, in_flow=in_flow)


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


def value_rows(value: Plain, manner: Manner) -> Written:
    """A value as it stands behind a name or a dash."""
    if isinstance(value, str) and "\n" in value and manner.text == "plain" and fits_literal(value):
        head, rows = literal(value, manner.step)
        return Written(head, tuple(rows))
    if not isinstance(value, Mapping | list | tuple):
        return Written(scalar(value, manner.text, manner, in_flow=False))
    if not value:
        return Written("{}" if isinstance(value, Mapping) else "[]")
    return Written("", tuple(collection_rows(value, manner)), is_below=True)


def collection_rows(value: Mapping[str, Plain] | Sequence[Plain], manner: Manner) -> list[str]:
    """The entries of a mapping or the items of a sequence, at the margin."""
    if isinstance(value, Mapping):
        return [row for name, inner in value.items() for row in entry_rows(name, inner, manner)]
    return [row for at, inner in enumerate(value) for row in item_rows(inner, manner.inside(at))]


def entry_rows(name: str, value: Plain, manner: Manner, *, like: str | None = None) -> list[str]:
    """A new entry of a block mapping."""
    head = name_text(name, manner.name, manner, in_flow=False, like=like) + ":"
    return hung(head, value_rows(value, manner.inside(name)), manner, is_list=isinstance(value, list | tuple))


def item_rows(value: Plain, manner: Manner) -> list[str]:
    """A new item of a block sequence; a collection starts on the line of the dash."""
    written = value_rows(value, manner)
    dash = "-" + " " * (manner.width - 1)
    if written.is_below:
        return [dash + written.rows[0], *indented(written.rows[1:], manner.width)]
    if written.rows:  # a literal text: its lines stand further right than the dash
        head, rows = literal(str(value), manner.width)
        return [dash + head, *rows]
    return [dash + written.head]


def hung(head: str, written: Written, manner: Manner, *, is_list: bool) -> list[str]:
    """A written value behind a name."""
    if written.is_below:
        return [head, *indented(written.rows, manner.dash if is_list else manner.step)]
    return [f"{head} {written.head}", *written.rows]


def indented(rows: Sequence[str], width: int) -> list[str]:
    """Rows further right; empty ones stay empty."""
    return [" " * width + row if row else row for row in rows]


def in_brackets(value: Plain, manner: Manner) -> str:
    """A value on one line, as it stands inside brackets."""
    match value:
        case Mapping():
            pairs = (
                f"{name_text(name, manner.name, manner, in_flow=True)}: {in_brackets(inner, manner.inside(name))}"
                for name, inner in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(in_brackets(inner, manner.inside(at)) for at, inner in enumerate(value)) + "]"
        case _:
            return scalar(value, manner.text, manner, in_flow=True)


def fits_literal(value: str) -> bool:
    """Whether a text can be written behind `|` so that every reader reads it back, whatever stands below it."""
    if not is_printable(value) or not value.strip() or value.endswith("\n\n"):
        return False
    rows = value.split("\n")
    is_clear = not any(row and not row.strip() for row in rows)
    return is_clear and not value.lstrip("\n").startswith("\t") and not rows[-1].endswith((" ", "\t"))


def literal(value: str, indent: int) -> tuple[str, list[str]]:
    """Header and rows of a literal text whose rows stand `indent` further right than what it hangs on.

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


def depth_of(value: Plain) -> int:
    """How deep a value is nested, without recursion."""
    deepest = 0
    waiting: list[tuple[Plain, int]] = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        deepest = max(deepest, depth)
        if depth > DEEPEST:
            break
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
        waiting += [(one, depth + 1) for one in inner]
    return deepest


def _broken(row: str, width: int) -> list[str]:
    """One paragraph in lines; broken only at single blanks, which a reader puts back."""
    lines = [""]
    for word in re.split(r"(?<=\S) (?=\S)", row):
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def _integer(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        raise Unwritable("the number has too many digits") from None


def _is_alike(name: str, like: str) -> bool:
    """Whether two plain names are of one type, both numbers or both words, and who takes the one for no text takes the
    other so: `y` is a coordinate to readers for whom `on` is a flag.
    """
    if not looks_typed(like) or name[:1].isdigit() != like[:1].isdigit():
        return False
    return is_typed_by_all(like) or not is_typed_by_all(name)


def _escape(character: str) -> str:
    code = ord(character)
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
