"""New TOML text: keys and values, in the style of what stands in the file. Writes text, never into a file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.config.toml.parts import Pair, Section, Value
from steadyhand.structure.config.toml.scalars import moment_form
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import to_lf

_BARE = lazy_pattern(r"[A-Za-z0-9_-]+")
_SPECIAL = lazy_pattern(r'["\\\x00-\x1f\x7f]')
_SPECIAL_LINES = lazy_pattern(r'\\|[\x00-\x08\x0b-\x1f\x7f]|"(?=""|\Z)')
_NOT_LITERAL = lazy_pattern(r"[\x00-\x08\x0a-\x1f\x7f']")
_NOT_LITERAL_LINES = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f]|'''|'\Z")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Style:
    """How a file writes: the quotes of its texts, `=` with what stands around it, and what stands inside braces."""

    quote: str = '"'
    equals: str = " = "
    padding: str = " "


def style_of(text: str, sections: tuple[Section, ...]) -> Style:
    """The habits of a file; where it has none, those most files have."""
    quotes = {'"': 0, "'": 0}
    equals = padding = None
    for value in _values(sections):
        if value.form == "text":
            quotes[text[value.span.start]] += 1
        if value.pairs and padding is None:
            padding = " " if text[value.span.start + 1] in " \t" else ""
    for section in sections:
        if section.pairs and equals is None:
            equals = equals_of(text, section.pairs[0])
    usual = Style()
    return Style(
        "'" if quotes["'"] > quotes['"'] else '"',
        usual.equals if equals is None else (" = " if equals.strip() != equals else "="),
        usual.padding if padding is None else padding,
    )


def equals_of(text: str, pair: Pair) -> str:
    """What stands between a key and its value."""
    return text[pair.key[-1].span.end : pair.value.span.start]


def _values(sections: tuple[Section, ...]) -> Iterator[Value]:
    waiting = [pair.value for section in reversed(sections) for pair in reversed(section.pairs)]
    while waiting:
        value = waiting.pop()
        yield value
        waiting.extend(value.items)
        waiting.extend(pair.value for pair in value.pairs)


def unsayable(value: Plain) -> Refusal | None:
    """The refusal of a value that TOML cannot say, wherever in it that stands."""
    waiting: list[Plain] = [value]
    while waiting:
        part = waiting.pop()
        if part is None:
            return Refusal(
                Kind.BAD_REQUEST,
                "TOML has no null",
                "leave the key out, take it away with delete-key, or write an empty text",
            )
        if isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part
    return None


def render_key(name: str, like: str = "") -> str:
    """A name; in quotes where it needs them, or where the one it stands for has them.

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
            return _float(value)
        case str():
            return render_text(value, style.quote)
        case list() | tuple():
            return f"[{', '.join(render_value(item, style) for item in value)}]"
        case Mapping():
            inner = ", ".join(render_pair(name, item, style) for name, item in value.items())
            return f"{{{style.padding}{inner}{style.padding}}}" if inner else "{}"
        case _:
            return str(value)


def render_pair(name: str, value: Plain, style: Style) -> str:
    """A key and its value on one line."""
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


def render_like(value: Plain, item: Item, written: str, style: Style) -> tuple[str, tuple[str, ...]]:
    """A value in the place of a scalar: a text keeps the kind of string, a date stays a date where it can."""
    if isinstance(value, str) and item.kind == "text":
        return render_text(value, written), ()
    if isinstance(value, str) and item.kind == "date" and moment_form(value) == moment_form(written):
        return value, ("the value stays a date; as a text it would be in quotes",)
    return render_value(value, style), ()


def _basic(text: str) -> str:
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _SHORT.get(sign) or f"\\u{ord(sign):04X}"


def _float(value: float) -> str:
    if math.isnan(value):
        return "nan"
    return ("inf" if value > 0 else "-inf") if math.isinf(value) else repr(value)
