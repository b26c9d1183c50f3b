"""Text on its way to a terminal: made harmless, measured, coloured.

Every character that came from a file, a name or a caller passes `visible` before it is printed; escape sequences
are written by `paint` and by nobody else. Nothing here opens, reads or prints.

Renderers make lines of pieces (text and a style name). A piece never holds an escape sequence of its own: whatever
looks like one is content, and is shown instead of obeyed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Literal, NamedTuple

from steadyhand.lazy import lazy_pattern

ColorChoice = Literal["auto", "always", "never"]
LONGEST_LINE = 2_000  # characters of one line that are shown; only --raw and --json give more

# C0 but tab and newline, DEL, C1, the marks and overrides that reorder text, line separators a terminal may obey,
# interlinear annotations, lone surrogates, and the invisible tag characters.
UNSAFE = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_PLAIN_NAME = lazy_pattern(r"[^\s\"'\\]+")

_CODES: Mapping[str, str] = {
    "plain": "",
    "added": "32",
    "removed": "31",
    "added-word": "1;4;32",
    "removed-word": "1;4;31",
    "heading": "1",
    "place": "36",
    "id": "33",
    "dim": "2",
    "good": "32",
    "warning": "33",
    "error": "1;31",
    "hint": "36",
}


class Piece(NamedTuple):
    """A stretch of one line with one style."""

    text: str
    style: str = "plain"


Line = tuple[Piece, ...]


def visible(text: str) -> str:
    """The text with everything a terminal would obey written out; newline and tab stay.

    >>> visible("a\\x1b[31mb\\tc")
    'a\\\\x1b[31mb\\tc'
    """
    return UNSAFE.sub(_escape, text)


def visible_line(text: str) -> str:
    """Like `visible`, for a place that is one line by its nature: newlines and tabs are written out too."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def visible_name(name: str) -> str:
    """A file name: bare when nobody could misread it, otherwise quoted.

    >>> visible_name("docs/a.md"), visible_name("my notes.md")
    ('docs/a.md', '"my notes.md"')
    """
    shown = visible_line(name)
    if shown == name and _PLAIN_NAME.fullmatch(name):
        return name
    return '"' + shown.replace('"', '\\"') + '"'


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00  # an undecodable byte, carried as a surrogate
    if code < 0x100:
        return {0x0D: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def paint(lines: Iterable[Line], *, color: bool) -> Iterator[str]:
    """Each line as a string, safe to print; with escape sequences only if `color`."""
    for line in lines:
        if not color:
            yield _safe("".join(piece.text for piece in line))
            continue
        runs = groupby(line, key=lambda piece: piece.style)
        yield "".join(_paint_run(style, _safe("".join(piece.text for piece in run))) for style, run in runs)


def _paint_run(style: str, text: str) -> str:
    code = _CODES[style]
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _safe(text: str) -> str:
    return visible(text).replace("\n", "\\n")


def cells(text: str) -> int:
    """How many columns a terminal gives the text; combining marks take none, wide characters two."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def fit(text: str, width: int) -> str:
    """The text cut to `width` columns, the cut shown by an ellipsis.

    >>> fit("a long reason", 8)
    'a long …'
    """
    shown = visible_line(text)
    if cells(shown) <= width:
        return shown
    kept: list[str] = []
    room = width - 1
    for character in shown:
        room -= _cell(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + ("…" if width > 0 else "")


def more_characters(number: int) -> str:
    """What is shown where a very long line is cut.

    >>> more_characters(1), more_characters(19_998_123)
    ('… 1 more character', '… 19,998,123 more characters')
    """
    return f"… {number:,} more character{'' if number == 1 else 's'}"


def head_of(text: str) -> Line:
    """The text, or as much of a very long one as is shown and how much that leaves out."""
    if len(text) <= LONGEST_LINE:
        return (Piece(text),)
    return Piece(text[:LONGEST_LINE]), Piece(more_characters(len(text) - LONGEST_LINE), "dim")


def shown_time(time: str, *, seconds: bool = False) -> str:
    """The journal's `2026-11-15T09:08:41.123Z` as people here write it: `2026-11-15 09:08` where that is their time."""
    from datetime import datetime

    try:
        return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M{':%S' if seconds else ''}}"
    except (ValueError, OverflowError):  # a damaged record is shown as it is
        return time[:16].replace("T", " ")


def span_of_lines(first: int, last: int) -> str:
    """Lines as people write them.

    >>> span_of_lines(3, 3), span_of_lines(3, 5)
    ('3', '3–5')
    """
    return str(first) if first >= last else f"{first}–{last}"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "line"), counted(2000, "line")
    ('1 line', '2,000 lines')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def pad(text: str, width: int) -> str:
    """The text cut or filled with blanks to exactly `width` columns."""
    shown = fit(text, width)
    return shown + " " * (width - cells(shown))


def _cell(character: str) -> int:
    if unicodedata.combining(character) or character in "\u200b\u200c\u200d":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wants_color(choice: ColorChoice, environ: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether to colour: as asked; on `auto` for a terminal that is not dumb and a person who did not set NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    return is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
