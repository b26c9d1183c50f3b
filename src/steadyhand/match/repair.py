"""What a repair is: one shape that is put around an old text by accident, and how to take it off again.

A repair is one file in `repairs/` that ends with `REPAIR = Repair(…)`; `_REPAIRS` names them, the rank the order.
A repair looks at the shape of the two texts and never at the file. It answers None unless the shape is clearly
there, and unless it is certain what becomes of the new text: a needle that finds nothing costs less than a new
text with something taken out of it that was meant. Its examples run as tests.

The ways to read a text that was escaped once too often; the repairs of escapes choose among them.

A reading takes both texts and gives both, or None where they cannot have been escaped in its way. No reading undoes
more than one level. Several readings may fit: `certain` is how a repair makes sure that the new text means the same
in each that reads the old text alike, for the file can tell two old texts apart and never two new ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache

from steadyhand.lazy import Registry, dataclass, lazy_pattern
from steadyhand.text.lines import body
from steadyhand.text.visible import sized

_CHAINS_AT_MOST = 8
_ROUNDS = 2


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Repaired:
    """An old text and its new text without the shape."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class RepairExample:
    """An edit's two texts, and what a repair makes of them; None where it must leave them."""

    old: str
    new: str
    repaired_old: str | None = None
    repaired_new: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """One shape and its removal. `name` is what an outcome says was taken off.

    `is_of_lines`: the shape is put around whole lines, so that what is left is whole lines as well.
    """

    name: str
    rank: int
    summary: str
    apply: Callable[[str, str], Repaired | None]
    examples: tuple[RepairExample, ...]
    leaves: tuple[RepairExample, ...]
    is_of_lines: bool = False


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class RepairChain:
    """Two texts to try in place of those given, and the repairs that made them, in order."""

    names: tuple[str, ...]
    old: str
    new: str


_REPAIRS = Registry(
    "steadyhand.match.repairs",
    "REPAIR",
    "backslashes blank_lines diff_signs entities escapes fence line_numbers quotes",
)


@cache
def repairs() -> tuple[Repair, ...]:
    """Every repair, in the order they are tried."""
    return tuple(sorted(_REPAIRS.load(), key=lambda repair: repair.rank))


def repair_chains(old: str, new: str) -> Iterator[RepairChain]:
    """Each repair by itself, then several together; no two alike, and none that leaves the old text as it is.

    >>> [chain.names for chain in repair_chains("```\\n1| a\\n```", "```\\n1| b\\n```")]
    [('Markdown fence',), ('Markdown fence', 'line numbers')]
    """
    seen = {(old, new)}
    made = 0
    for chain in _candidates(old, new):
        if (chain.old, chain.new) in seen:
            continue
        seen.add((chain.old, chain.new))
        yield chain
        made += 1
        if made == _CHAINS_AT_MOST:
            return


def _candidates(old: str, new: str) -> Iterator[RepairChain]:
    plain = RepairChain((), old, new)
    first: RepairChain | None = None
    for repair in repairs():
        single = _repair(plain, repair)
        if single is not None:
            first = first or single
            yield single
    if first is not None:
        yield from _together(first)


def _together(chain: RepairChain) -> Iterator[RepairChain]:
    """Every repair on the result of those before it, from the first that applies.

    A second round is for a shape that only shows when a later repair is done: escaped line breaks inside a fence.
    No repair is used twice, so that nothing is ever unescaped by two levels.
    """
    for repair in repairs() * _ROUNDS:
        further = None if repair.name in chain.names else _repair(chain, repair)
        if further is not None:
            chain = further
            yield chain


def _repair(chain: RepairChain, repair: Repair) -> RepairChain | None:
    repaired = repair.apply(chain.old, chain.new)
    if repaired is None or repaired.old == chain.old or not repaired.old:
        return None
    return RepairChain((*chain.names, repair.name), repaired.old, repaired.new)


Reading = Callable[[str, str], Repaired | None]

_QUOTES = "\"'`"
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", **{quote: quote for quote in _QUOTES}}
_STRING = lazy_pattern(r"(?:\\u[0-9a-fA-F]{4})+|\\[nrt\"'`\\]")
_DOUBLED = lazy_pattern(r"\\\\[nrt]")
_PAIR = lazy_pattern(r"\\[\"'`\\]")
_BREAK = lazy_pattern(r"\\n|\\r\\n|(?:(?<=^)|(?<=\\n))(?:\\t)+")
_OPENS_NOTHING = lazy_pattern(r"\"{3}|'{3}|(?<=[a-z][a-z])'(?=(?:s|t|d|m|re|ve|ll)\b)")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def has_line_breaks(text: str) -> bool:
    r"""Whether the text has a `\n` or `\t` that is not the end of `\\n`."""
    return any(escape in ("\\n", "\\t") for escape in _STRING.findall(text))


def certain(reading: Reading, rivals: tuple[Reading, ...], old: str, new: str) -> Repaired | None:
    """What the reading gives, unless a rival reads the old text alike and the new text otherwise.

    A new text without any backslash was not escaped, whatever happened to the old one, and stays as it is.
    """
    if "\\" not in new:
        alone = reading(old, "")
        return None if alone is None else Repaired(alone.old, new)
    repaired = reading(old, new)
    if repaired is None:
        return None
    for rival in rivals:
        other = rival(old, new)
        if other is not None and other.old == repaired.old and other.new != repaired.new:
            return None
    return repaired


def as_string(old: str, new: str) -> Repaired | None:
    r"""Both texts as the inside of a JSON string: `\n`, `\t`, `\"`, `\\`, `\u00e9`, and no line break of their own.

    Not if a line break is then inside a quoted text of the new one, where a literal `\n` is the likelier meaning.
    """
    if not (_is_one_line(old) and _is_one_line(new)) or not _is_consistent(_STRING, old, new) or '"' in _bare(old, new):
        return None
    if _DOUBLED.search(new) and "\\\\" not in old:
        return None  # a line that ends with a backslash, or a doubled one: nothing in the old text tells
    repaired = Repaired(_STRING.sub(_character, old), _STRING.sub(_character, new))
    return None if _SURROGATE.search(repaired.old + repaired.new) or _breaks_a_quote(repaired) else repaired


def as_line_breaks(old: str, new: str) -> Repaired | None:
    r"""Both texts with nothing escaped but line breaks and the tabs after them; quotes are plain."""
    if not (_is_one_line(old) and _is_one_line(new)) or "\\" in _BREAK.sub("", old) + _BREAK.sub("", new):
        return None
    repaired = Repaired(*(_BREAK.sub(_whitespace, text) for text in (old, new)))
    return None if _breaks_a_quote(repaired) else repaired


def as_pairs(old: str, new: str) -> Repaired | None:
    r"""Both texts with every `\\` and every escaped quote read as one character; line breaks are plain."""
    if not _is_consistent(_PAIR, old, new):
        return None
    return Repaired(_PAIR.sub(_character, old), _PAIR.sub(_character, new))


def as_quotes(old: str, new: str) -> Repaired | None:
    """Both texts without the backslash before each quote of a kind that the old text has only with one."""
    kinds = [quote for quote in _QUOTES if quote in old and _is_always_escaped(old, quote)]
    strangers = [quote for quote in _QUOTES if quote in new and quote not in old]
    if not kinds or not all(_is_always_escaped(new, quote) for quote in kinds):
        return None
    if any(_is_always_escaped(new, quote) for quote in strangers):
        return None
    escaped = re.compile(rf"\\(?=[{''.join(kinds)}])")
    return Repaired(escaped.sub("", old), escaped.sub("", new))


def _breaks_a_quote(repaired: Repaired) -> bool:
    """Whether several lines that only the new text has hold a quote too many: a quoted text runs over their ends.

    Triple quotes are meant to do so, and the apostrophe of `it's` is no quote.
    """
    known = set(repaired.old.split("\n"))
    lines = [_OPENS_NOTHING.sub("", line) for line in repaired.new.split("\n") if line not in known]
    return any(sum(line.count(quote) % 2 for line in lines) > 1 for quote in _QUOTES)


def _is_one_line(text: str) -> bool:
    return not ("\\" in text and re.search("[\r\n]", body(text)))


def _bare(old: str, new: str) -> str:
    return _STRING.sub("", old) + _STRING.sub("", new)


def _is_consistent(escape: re.Pattern[str], old: str, new: str) -> bool:
    """Whether every backslash is one of these escapes, and no quote is there both with and without one."""
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
