"""Text as answers show it: a long line clipped, a difference that cannot be seen made visible. Only for showing.

What is clipped says so in words: it is not what the file has.
`sized` is for what is not shown at all: the repr of a value ends up in logs, tracebacks and bug reports, so one that
holds text of a file says how long it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from typing import Any, TypeVar

from steadyhand.lazy import fields

__all__ = ["WIDEST", "clip", "clip_diff", "first_difference", "show_difference", "sized"]

Class = TypeVar("Class", bound=type[Any])

WIDEST = 300  # code points of a line of a file that an answer shows
_WIDEST_ROW = 1_000  # of a row of a diff

_WIDTH = 160  # code points of each line that are shown around the first difference
_AHEAD = 60
_SIGNS = {"\t": "→", "\r": "␍", "\n": "␊"}
# Letters of other alphabets drawn as Latin ones.
_TWINS = dict(
    zip("АВЕЅІЈКМНОРСТХУаеіјорсѕухԁΑΒΕΖΗΙΚΜΝΟΡΤΥΧνο", "ABESIJKMHOPCTXYaeijopcsyxdABEZHIKMNOPTYXvo", strict=True)
)


def sized(*names: str) -> Callable[[Class], Class]:
    """Give a dataclass or a named tuple a repr that has the size of these fields in place of their content.

    >>> from steadyhand.lazy import dataclass
    >>> @sized("text")
    ... @dataclass
    ... class Page:
    ...     path: str
    ...     text: str
    >>> Page("a.md", "secret")
    Page(path='a.md', text=<6 characters>)
    """

    def sized_repr(self: Any) -> str:
        is_tuple = isinstance(self, tuple)
        shown = self._fields if is_tuple else [field.name for field in fields(self) if field.repr]
        values = ((name, getattr(self, name)) for name in shown)
        said = (f"{name}={_size(value) if name in names else repr(value)}" for name, value in values)
        return f"{type(self).__name__}({', '.join(said)})"

    def wrap(cls: Class) -> Class:
        cls.__repr__ = sized_repr  # type: ignore[assignment]
        return cls

    return wrap


def _size(value: object) -> str:
    if value is None:
        return "None"
    unit = "characters" if isinstance(value, str) else "bytes" if isinstance(value, bytes) else "items"
    return f"<{len(value)} {unit}>" if isinstance(value, Sized) else f"<{type(value).__name__}>"


def clip(text: str, at: int = 0, width: int = WIDEST) -> str:
    """A text, or, of a long one, what is around an offset, with how much is left out on either side.

    >>> clip("short"), clip("x" * 50 + "y" * 50, 50, 20)
    ('short', '[45 characters left out]…xxxxxyyyyyyyyyyyyyyy…[35 characters left out]')
    """
    if len(text) <= width:
        return text
    start = max(min(at - width // 4, len(text) - width), 0)
    left = len(text) - start - width
    ahead = f"[{start} characters left out]…" if start else ""
    return f"{ahead}{text[start : start + width]}{f'…[{left} characters left out]' if left else ''}"


def clip_diff(diff: str) -> str:
    """A unified diff whose long rows are clipped: around what differs where a row goes and another takes its place."""
    rows = diff.split("\n")
    if max(map(len, rows)) <= _WIDEST_ROW:
        return diff
    places = [0] * len(rows)
    for start, middle, end in _replacements(rows):
        if middle - start == end - middle:
            for row in range(start, middle):
                other = row + middle - start
                places[row] = places[other] = 1 + first_difference(rows[row][1:], rows[other][1:])
    return "\n".join(clip(row, at, _WIDEST_ROW) for row, at in zip(rows, places, strict=True))


def _replacements(rows: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Rows that go, from `start` to `middle`, and those that come right behind them, to `end`."""
    at = 0
    while at < len(rows):
        start = at
        while at < len(rows) and rows[at].startswith("-"):
            at += 1
        middle = at
        while at < len(rows) and rows[at].startswith("+"):
            at += 1
        if start < middle < at:
            yield start, middle, at
        at += at == start


def first_difference(one: str, other: str) -> int:
    """The first offset at which two texts differ; the length of the shorter where it begins the other."""
    shared = min(len(one), len(other))
    return next((at for at in range(shared) if one[at] != other[at]), shared)


def show_difference(expected: str, actual: str) -> tuple[str, str]:
    """Both lines with tabs as →, blanks at the end as ·, CR as ␍, and deceptive characters as ⟨U+00A0⟩.

    Where nothing but blanks differs, every blank is shown as ·.

    Quotes, dashes and letters that resemble ASCII are marked only where the lines differ. Long lines are cut to the
    neighbourhood of the first difference.

    >>> show_difference("a 'b'", "a\\u00a0‘b’ ")
    ("a 'b'", 'a⟨U+00A0⟩⟨U+2018⟩b⟨U+2019⟩·')
    """
    start = max(first_difference(expected, actual) - _AHEAD, 0)
    if max(len(expected), len(actual)) <= _WIDTH:
        start = 0
    left, right = expected[start : start + _WIDTH], actual[start : start + _WIDTH]
    blanks_count = expected != actual and expected.split() == actual.split()
    return (
        _shown(left, right, expected, start, blanks_count=blanks_count),
        _shown(right, left, actual, start, blanks_count=blanks_count),
    )


def _shown(window: str, other: str, line: str, start: int, *, blanks_count: bool) -> str:
    cut = start + len(window) < len(line)
    body = window if cut else window.rstrip(" ")
    marked = "".join(_marked(body, other)) + "·" * (len(window) - len(body))
    if blanks_count:  # nothing but blanks differs, so every blank is shown
        marked = marked.replace(" ", "·")
    return f"{'…' if start else ''}{marked}{'…' if cut else ''}"


def _marked(text: str, other: str) -> Iterator[str]:
    alike = set(other)
    for char in text:
        if char in _SIGNS:
            yield _SIGNS[char]
        elif _is_hidden(char) or (char not in alike and _is_deceptive(char)):
            yield _name(char)
        else:
            yield char


def _is_hidden(char: str) -> bool:
    """Whether a reader would see nothing, or a plain blank: controls, formats, odd blanks, bytes that are no text."""
    if char.isascii():
        return char < " " or char == "\x7f"
    import unicodedata

    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp")


def _is_deceptive(char: str) -> bool:
    """Whether it may pass for an ASCII character: quotes, dashes, full-width forms, foreign letters, loose accents."""
    if char.isascii():
        return False
    import unicodedata

    if char in _TWINS or unicodedata.category(char) in ("Pd", "Pi", "Pf", "Mn"):
        return True
    plain = unicodedata.normalize("NFKC", char)
    return plain.isascii() or char in "′″‚„⁎∗∶．"


def _name(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"⟨0x{ord(char) - 0xDC00:02X}⟩"  # a byte of the file that is no text
    if ord(char) < 0xA0:
        return f"\\x{ord(char):02x}"
    return f"⟨U+{ord(char):04X}⟩"
