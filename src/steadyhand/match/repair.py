"""What a repair is: one shape that is put around an old text by accident, and how to take it off again.

Repairs are declared in the modules of `repairs/`, each in a table `REPAIRS`; `_REPAIRS` names them, the rank the order.
A repair looks at the shape of the two texts and never at the file. It answers None unless the shape is clearly
there, and unless it is certain what becomes of the new text: a needle that finds nothing costs less than a new
text with something taken out of it that was meant. Its examples run as tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from steadyhand.lazy import Registry, dataclass
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
    "backslashes=escaping blank_lines=wrappers diff_signs=margins entities=escaping escapes=escaping "
    "fence=wrappers line_numbers=margins quotes=escaping",
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
        yield from _combined(first)


def _combined(chain: RepairChain) -> Iterator[RepairChain]:
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
