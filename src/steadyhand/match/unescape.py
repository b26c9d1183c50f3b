r"""The ways to read a text that was escaped once too often; the repairs of escapes choose among them.

A reading takes both texts and gives both, or None where they cannot have been escaped in its way. No reading undoes
more than one level. Several readings may fit: `certain` is how a repair makes sure that the new text means the same
in each that reads the old text alike, for the file can tell two old texts apart and never two new ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from steadyhand.lazy import lazy_pattern
from steadyhand.match.repair import Mended
from steadyhand.text.lines import body

Reading = Callable[[str, str], Mended | None]

_QUOTES = "\"'`"
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", **{quote: quote for quote in _QUOTES}}
_STRING = lazy_pattern(r"(?:\\u[0-9a-fA-F]{4})+|\\[nrt\"'`\\]")
_DOUBLED = lazy_pattern(r"\\\\[nrt]")
_PAIR = lazy_pattern(r"\\[\"'`\\]")
_BREAK = lazy_pattern(r"\\n|\\r\\n|(?:(?<=^)|(?<=\\n))(?:\\t)+")
_OPENS_NOTHING = lazy_pattern(r"\"{3}|'{3}|(?<=[a-z][a-z])'(?=(?:s|t|d|m|re|ve|ll)\b)")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def has_line_breaks(text: str) -> bool:
    r"""Whether a `\n` or `\t` stands in the text that is not the end of `\\n`."""
    return any(escape in ("\\n", "\\t") for escape in _STRING.findall(text))


def certain(reading: Reading, rivals: tuple[Reading, ...], old: str, new: str) -> Mended | None:
    """What the reading gives, unless a rival reads the old text alike and the new text otherwise.

    A new text without any backslash was not escaped, whatever happened to the old one, and stays as it is.
    """
    if "\\" not in new:
        alone = reading(old, "")
        return None if alone is None else Mended(alone.old, new)
    mended = reading(old, new)
    if mended is None:
        return None
    for rival in rivals:
        other = rival(old, new)
        if other is not None and other.old == mended.old and other.new != mended.new:
            return None
    return mended


def as_string(old: str, new: str) -> Mended | None:
    r"""Both texts as the inside of a JSON string: `\n`, `\t`, `\"`, `\\`, `\u00e9`, and no line break of their own.

    Not if a line break then stands inside a quoted text of the new one, where a literal `\n` is the likelier meaning.
    """
    if not (_is_one_line(old) and _is_one_line(new)) or not _is_consistent(_STRING, old, new) or '"' in _bare(old, new):
        return None
    if _DOUBLED.search(new) and "\\\\" not in old:
        return None  # a line that ends with a backslash, or a doubled one: nothing in the old text tells
    mended = Mended(_STRING.sub(_character, old), _STRING.sub(_character, new))
    return None if _SURROGATE.search(mended.old + mended.new) or _breaks_a_quote(mended) else mended


def as_line_breaks(old: str, new: str) -> Mended | None:
    r"""Both texts with nothing escaped but line breaks and the tabs after them; quotes are plain."""
    if not (_is_one_line(old) and _is_one_line(new)) or "\\" in _BREAK.sub("", old) + _BREAK.sub("", new):
        return None
    mended = Mended(*(_BREAK.sub(_whitespace, text) for text in (old, new)))
    return None if _breaks_a_quote(mended) else mended


def as_pairs(old: str, new: str) -> Mended | None:
    r"""Both texts with every `\\` and every escaped quote read as one character; line breaks are plain."""
    if not _is_consistent(_PAIR, old, new):
        return None
    return Mended(_PAIR.sub(_character, old), _PAIR.sub(_character, new))


def as_quotes(old: str, new: str) -> Mended | None:
    """Both texts without the backslash before each quote of a kind that the old text has only with one."""
    kinds = [quote for quote in _QUOTES if quote in old and _is_always_escaped(old, quote)]
    strangers = [quote for quote in _QUOTES if quote in new and quote not in old]
    if not kinds or not all(_is_always_escaped(new, quote) for quote in kinds):
        return None
    if any(_is_always_escaped(new, quote) for quote in strangers):
        return None
    escaped = re.compile(rf"\\(?=[{''.join(kinds)}])")
    return Mended(escaped.sub("", old), escaped.sub("", new))


def _breaks_a_quote(mended: Mended) -> bool:
    """Whether several lines that only the new text has hold a quote too many: a quoted text runs over their ends.

    Triple quotes are meant to do so, and the apostrophe of `it's` is no quote.
    """
    known = set(mended.old.split("\n"))
    lines = [_OPENS_NOTHING.sub("", line) for line in mended.new.split("\n") if line not in known]
    return any(sum(line.count(quote) % 2 for line in lines) > 1 for quote in _QUOTES)


def _is_one_line(text: str) -> bool:
    return not ("\\" in text and re.search("[\r\n]", body(text)))


def _bare(old: str, new: str) -> str:
    return _STRING.sub("", old) + _STRING.sub("", new)


def _is_consistent(escape: re.Pattern[str], old: str, new: str) -> bool:
    """Whether every backslash is one of these escapes, and no quote stands both with and without one."""
    both = f"{old}\n{new}"
    bare = escape.sub("", both)
    if "\\" in bare:
        return False
    escaped = set(escape.findall(both))
    return not any(quote in bare for quote in _QUOTES if f"\\{quote}" in escaped)


def _is_always_escaped(text: str, quote: str) -> bool:
    return text.count(quote) == text.count(f"\\{quote}")


def _character(found: re.Match[str]) -> str:
    escape = found[0]
    if escape[1] == "u":
        return str(json.loads(f'"{escape}"'))
    return _CHARACTERS[escape[1]]


def _whitespace(found: re.Match[str]) -> str:
    return found[0].replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
