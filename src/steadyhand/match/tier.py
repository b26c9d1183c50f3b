"""What a tier is: one way for old text and file text to be the same; and a repair: a shape that is taken off first.

A tier is declared in a module of `tiers/`, by `TIER = Tier(…)` or, with others like it, in a table `TIERS`; `_TIERS`
names them, `_STEPS` their order.
A tier locates and never edits; it never looks at another tier's finds. Its examples run as tests.

A `Needle` is the old text of an edit as tiers see it, with which of its rows the edit really changes: a line that is
merely repeated may be different in the file, a line that is to be changed may not.

`margins.py` and `wrappers.py` declare repairs, each in a table `REPAIRS`; `_REPAIRS` names them, the rank the order.
A repair looks at the shape of the two texts and never at the file. It answers None unless the shape is clearly
there, and unless it is certain what becomes of the new text: a needle that finds nothing costs less than a new
text with something taken out of it that was meant. Its examples run as tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Protocol

from steadyhand.lazy import Registry, dataclass
from steadyhand.text.bare_lines import bare_rows
from steadyhand.text.diff import Change, diff_rows, diff_within
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

Signs = tuple[Change, ...]
"""Which rows of an old text go and which rows of the new text come, as the signs of a patch say; the others stay."""

_MANY = 20_000  # rows; beyond this every row counts as changed


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading of an edit's two texts, for when the first is nowhere; `differs` names what it leaves out."""

    old: str
    new: str
    differs: str
    signs: Signs | None = None


@sized("text", "new")
@dataclass(frozen=True)
class Needle:
    """Old text and, where it is known, the new text that is to come in its place; else every row counts as changed.

    `signs` say which rows go, where the writer did: of two rows that are equal, comparing the texts does not say which.

    >>> sorted(Needle("a\\nb\\nc", "a\\nB\\nc").changed)
    [1]
    """

    text: str
    new: str | None = None
    signs: Signs | None = None

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The rows without their endings."""
        return tuple(split_bodies(self.text))

    @cached_property
    def bare(self) -> tuple[str, ...]:
        """The rows as `bare_lines` has those of a text."""
        return tuple(bare_rows(self.rows))

    @cached_property
    def changes(self) -> tuple[Change, ...] | None:
        """What becomes of the rows: each change takes some away, brings some in between, or both; None: unknown."""
        if self.new is None:
            return None
        after = split_bodies(self.new)
        if len(self.rows) + len(after) > _MANY:
            return None
        found = diff_rows(self.rows, after) if self.signs is None else diff_within(self.rows, after, self.signs)
        return tuple(found)

    @cached_property
    def chains(self) -> tuple[RepairChain, ...]:
        """What repairs make of the two texts; nothing where the new one is not known."""
        return () if self.new is None else tuple(repair_chains(self.text, self.new))

    def repaired(self, text: str, new: str) -> Needle:
        """The same edit in repaired texts; its signs hold as long as both have their rows."""
        counts = [len(split_bodies(one)) for one in (self.text, self.new or "", text, new)]
        return Needle(text, new, self.signs if counts[:2] == counts[2:] else None)

    @cached_property
    def changed(self) -> frozenset[int]:
        """The rows that the edit changes or removes."""
        if self.changes is None:
            return frozenset(range(len(self.rows)))
        return frozenset(row for change in self.changes for row in range(change.before_start, change.before_end))

    def touches(self, start: int, end: int) -> bool:
        """Whether the edit changes or removes one of rows `start:end`."""
        if end - start == 1:
            return start in self.changed
        return not self.changed.isdisjoint(range(start, end))


STRICT = ("exact", "newline")  # the tiers that overlook nothing but how lines end
LITERAL = 30  # the rank up to which the old text, perhaps repaired, is in the file as it is
BLANKS = 50  # the rank up to which a place says the same as the old text but for blanks


class Find(Protocol):
    """How a tier is asked: every place left to right, lazily, overlapping ones too unless `apart`."""

    def __call__(self, source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]: ...


@dataclass(frozen=True, slots=True)
class Example:
    """A needle, and a text in which each place the tier must find is between `⟦` and `⟧`.

    `path` names the language, `new` is the text that the edit puts in place of the needle.
    """

    needle: str
    text: str
    path: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class Tier:
    """One way to find old text.

    `confidence` says how sure a place is that it finds. `differs` says in words what this tier overlooks, empty
    where nothing is. `literal(uniform, needle)` gives the one string whose plain occurrences are exactly the
    finds in a text whose lines all end with `uniform` (None: with several endings, or none), and None where
    there is no such string; with it many needles can be found in one pass. `is_single`: several finds are never
    several places to change, only several guesses.
    """

    name: str
    rank: int
    confidence: float
    summary: str
    find: Find
    differs: tuple[str, ...]
    matches: tuple[Example, ...]
    ignores: tuple[Example, ...]
    literal: Callable[[str | None, str], str | None] = lambda _uniform, _needle: None
    is_single: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the search: tiers asked one after the other, for the old text as it is or for repaired ones."""

    name: str
    rank: int
    tier_names: tuple[str, ...]
    is_repaired: bool = False

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers, loaded when a search comes to them."""
        return _tiers_named(self.tier_names)


_TIERS = Registry(
    "steadyhand.match.tiers",
    "TIER",
    "elision exact=quoted fuzzy newline=quoted token typography=characters whitespace=characters",
)
_STEPS = (
    Step("exact", 10, ("exact",)),
    Step("newline", 20, ("newline",)),
    Step("repair", 30, ("exact", "newline"), is_repaired=True),
    Step("whitespace", 40, ("whitespace",)),
    Step("whitespace", 50, ("whitespace",), is_repaired=True),
    Step("typography", 60, ("typography",)),
    Step("token", 70, ("token",)),
    Step("elision", 80, ("elision",)),
    Step("fuzzy", 90, ("fuzzy",)),
)


@cache
def tiers() -> tuple[Tier, ...]:
    """Every tier, strictest first."""
    return tuple(sorted(_TIERS.load(), key=lambda tier: tier.rank))


@cache
def tier_named(name: str) -> Tier:
    """The tier of that name."""
    tier: Tier = _TIERS.load_one(name)
    return tier


@cache
def _tiers_named(names: tuple[str, ...]) -> tuple[Tier, ...]:
    return tuple(map(tier_named, names))


def steps() -> tuple[Step, ...]:
    """Every step, strictest first: each tier, and between them the tiers that a repaired old text may be found at."""
    return _STEPS


def step_names() -> tuple[str, ...]:
    """What a policy may name as the laxest step, strictest first."""
    return tuple(dict.fromkeys(step.name for step in steps()))


def steps_up_to(laxest: str | None) -> tuple[Step, ...]:
    """The steps a policy allows: `laxest` and those stricter, or all."""
    if laxest is None:
        return _STEPS
    limit = max(step.rank for step in steps() if step.name == laxest)
    return tuple(step for step in steps() if step.rank <= limit)


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
    "steadyhand.match",
    "REPAIR",
    "backslashes=wrappers blank_lines=wrappers diff_signs=margins entities=wrappers escapes=wrappers "
    "fence=wrappers line_numbers=margins quotes=wrappers",
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
