"""What a repair is: one shape that is put around an old text by accident, and how to take it off again.

A repair is one file in `repairs/` that ends with `REPAIR = Repair(…)`; `_REPAIRS` names them, the rank the order.
A repair looks at the shape of the two texts and never at the file. It answers None unless the shape is clearly
there, and unless it is certain what becomes of the new text: a needle that finds nothing costs less than a new
text with something taken out of it that was meant. Its examples run as tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from steadyhand.lazy import Registry, dataclass
from steadyhand.text.visible import sized

_MENDINGS_AT_MOST = 8
_ROUNDS = 2


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Mended:
    """An old text and its new text without the shape."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class RepairExample:
    """An edit's two texts, and what a repair makes of them; None where it must leave them."""

    old: str
    new: str
    mended_old: str | None = None
    mended_new: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """One shape and its removal. `name` is what an outcome says was taken off.

    `is_of_lines`: the shape is put around whole lines, so that what is left is whole lines as well.
    """

    name: str
    rank: int
    summary: str
    mend: Callable[[str, str], Mended | None]
    mends: tuple[RepairExample, ...]
    leaves: tuple[RepairExample, ...]
    is_of_lines: bool = False


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Mending:
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


def mendings(old: str, new: str) -> Iterator[Mending]:
    """Each repair by itself, then several together; no two alike, and none that leaves the old text as it is.

    >>> [mending.names for mending in mendings("```\\n1| a\\n```", "```\\n1| b\\n```")]
    [('Markdown fence',), ('Markdown fence', 'line numbers')]
    """
    seen = {(old, new)}
    made = 0
    for mending in _candidates(old, new):
        if (mending.old, mending.new) in seen:
            continue
        seen.add((mending.old, mending.new))
        yield mending
        made += 1
        if made == _MENDINGS_AT_MOST:
            return


def _candidates(old: str, new: str) -> Iterator[Mending]:
    plain = Mending((), old, new)
    first: Mending | None = None
    for repair in repairs():
        single = _mend(plain, repair)
        if single is not None:
            first = first or single
            yield single
    if first is not None:
        yield from _together(first)


def _together(mending: Mending) -> Iterator[Mending]:
    """Every repair on the result of those before it, from the first that applies.

    A second round is for a shape that only shows when a later repair is done: escaped line breaks inside a fence.
    No repair is used twice, so that nothing is ever unescaped by two levels.
    """
    for repair in repairs() * _ROUNDS:
        further = None if repair.name in mending.names else _mend(mending, repair)
        if further is not None:
            mending = further
            yield mending


def _mend(mending: Mending, repair: Repair) -> Mending | None:
    mended = repair.mend(mending.old, mending.new)
    if mended is None or mended.old == mending.old or not mended.old:
        return None
    return Mending((*mending.names, repair.name), mended.old, mended.new)
