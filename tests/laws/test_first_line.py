"""Quoting the first line of an edit without its indentation changes nothing, on real files and under every policy.

The judge is the edit done by slicing rows. However the edit is quoted (the first line bare in old text, in new text or
in both, all lines further left or right or in another unit of indentation, a typo, other blanks, twins near the place),
it gives that or it is refused, and an offer that comes with a refusal gives the same when it is sent as it is.

There are two exceptions, and both are asserted:

1. What is there as quoted is replaced as quoted, where it is meant or where it is first: a misquote may be what another
   place has, and of places that all have it the whole line is meant, not a part of a longer one.
2. Another right edit may be quoted in the very same words: of one bare line nothing shows how further lines are quoted,
   and a bare first line of new text does not show that it has moved. `possible` has what all such edits give; another
   one of those than was meant has a confidence below 1.
"""

from __future__ import annotations

import ast
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from steadyhand import Policy, Replace, edit
from steadyhand.plan.edit import edit_from_json
from tests.real_files import real_files
from tests.sampling import WHOLE

SUFFIXES = (".py", ".ts", ".js", ".yaml", ".yml", ".md", ".html", ".css", ".go", ".rs", ".toml", ".json", ".rb")
FILES_AT_MOST = 25  # of one suffix
WORD = re.compile(r"[A-Za-z]{4,}")
POLICIES = [
    *(Policy(on_drift=on_drift, guards=frozenset()) for on_drift in ("refuse", "merge", "new")),  # type: ignore[arg-type]
    Policy(occurrence="first", partial=True, guards=frozenset()),
    Policy(tier="whitespace", guards=frozenset()),
]
PARSERS: dict[str, Callable[[str], object]] = {
    ".py": ast.parse,
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yaml": lambda text: list(yaml.safe_load_all(text)),
    ".yml": lambda text: list(yaml.safe_load_all(text)),
}

seeds = st.integers(0, 2**32)
pytestmark = pytest.mark.hypothesis


@cache
def files() -> tuple[Path, ...]:
    """Some real files of every suffix."""
    by_suffix: dict[str, list[Path]] = {}
    for path in real_files():
        if path.suffix in SUFFIXES and 400 < path.stat().st_size < 40_000:
            by_suffix.setdefault(path.suffix, []).append(path)
    chance = random.Random(15)
    return tuple(path for every in by_suffix.values() for path in chance.sample(every, min(len(every), FILES_AT_MOST)))


@dataclass(frozen=True, slots=True)
class Quote:
    """An edit of some rows of a file as it is quoted; `kept` says which old row a new row repeats."""

    path: str
    before: str
    expected: str
    start: int
    units: Sequence[str]
    old: tuple[str, ...]
    new: tuple[str, ...]
    kept: tuple[int | None, ...]
    ends: bool

    @property
    def rows(self) -> list[str]:
        return self.before.split("\n")[:-1]

    def texts(self, bare: str) -> tuple[str, str]:
        """Old and new text, without the indentation of the first row of those that `bare` names."""
        sides = {"old": self.old, "new": self.new}
        old, new = (
            (rows[0].lstrip(" \t"), *rows[1:]) if rows and side in bare else rows for side, rows in sides.items()
        )
        return self._joined(old), self._joined(new)

    def _joined(self, rows: Sequence[str]) -> str:
        return "\n".join(rows) + "\n" * (self.ends and bool(rows))

    def misquoted(self, row: int, text: str) -> Quote:
        """With another old row, and so in new text where that repeats it."""
        new = tuple(text if was == row else said for said, was in zip(self.new, self.kept, strict=True))
        return replace(self, old=(*self.old[:row], text, *self.old[row + 1 :]), new=new)


def indent_of(row: str) -> str:
    return row[: len(row) - len(row.lstrip(" \t"))]


def renamed(chance: random.Random, row: str) -> str:
    """A row with another word in it."""
    word = chance.choice([*WORD.finditer(row)] or [None])
    return f"{row} x" if word is None else f"{row[: word.end()]}_new{row[word.end() :]}"


def mistyped(chance: random.Random, row: str) -> str | None:
    words = [*WORD.finditer(row)]
    if not words:
        return None
    word = chance.choice(words)
    at = word.start() + chance.randrange(1, len(word.group()) - 1)
    changed = chance.choice([row[at + 1] + row[at], row[at + 1], row[at] + "e" + row[at + 1]])
    made = row[:at] + changed + row[at + 2 :]
    return made if made != row else None


def changed_rows(chance: random.Random, rows: Sequence[str]) -> list[tuple[int | None, str]]:
    """What an edit makes of quoted rows: rows replaced, added, taken away or put deeper."""
    made: list[tuple[int | None, str]] = list(enumerate(rows))
    for _ in range(chance.choice([1, 1, 2])):
        at = chance.randrange(len(made)) if made else 0
        match chance.choice(["replace", "replace", "replace first", "add", "add", "take away", "wrap"]):
            case "replace" | "replace first" as which if made:
                at = 0 if which == "replace first" else at
                made[at] = (None, renamed(chance, made[at][1]) if made[at][1].strip() else "")
            case "add":
                near = [row for row in rows if row.strip()]
                added = [(None, renamed(chance, chance.choice(near))) for _ in range(chance.choice([1, 1, 2]))]
                made[at + 1 : at + 1] = added
            case "take away" if made:
                del made[at : at + chance.choice([1, 1, 2])]
            case "wrap" if made:
                lead = indent_of(made[at][1])
                unit = "\t" if lead.startswith("\t") else "  "
                made[at:] = [
                    (None, f"{lead}if (renewed) {{"),
                    *((None, unit + row if row.strip() else row) for _, row in made[at:]),
                ]
            case _:
                pass
    return made


def make_quote(chance: random.Random) -> Quote | None:
    """An edit of some rows of a real file, the first of them indented."""
    path = chance.choice(files())
    text = path.read_bytes().decode("utf-8", "replace")
    rows = text.split("\n")[:-1]
    starts = [at for at, row in enumerate(rows) if row[:1] in (" ", "\t") and WORD.search(row)]
    if "\r" in text or not text.endswith("\n") or not starts:
        return None
    start = chance.choice(starts)
    end = start + chance.choice([1, 1, 2, 2, 3, 4, 5, 7])
    old = rows[start:end]
    if end > len(rows) or not old[-1].strip():
        return None
    made = changed_rows(chance, old)
    new = [row for _, row in made]
    expected = "\n".join([*rows[:start], *new, *rows[end:], ""])
    kept = tuple(was for was, _ in made)
    ends = chance.random() < 0.5 or not new
    return Quote(path.name, text, expected, start, units_of(rows), tuple(old), tuple(new), kept, ends)


def misquote(chance: random.Random, quote: Quote) -> Quote | None:
    """A typo in the first row, a later one or two, other blanks, a blank row that is not in the file, or nothing."""
    kind = chance.choice(["nothing", "first", "first", "later", "later", "two", "trailing", "inner"])
    last = len(quote.old) - 1
    row = {"first": 0, "later": min(chance.randint(1, 9), last)}.get(kind, chance.randint(0, last))
    if kind == "nothing":
        return quote
    text: str | None = quote.old[row]
    assert text is not None
    if kind == "trailing":
        return quote.misquoted(row, text + chance.choice([" ", "  ", "\t"]))
    if kind == "inner":
        return quote.misquoted(row, re.sub(r"(?<=\S) (?=\S)", "  ", text, count=1))
    text = mistyped(chance, text)
    made = None if text is None else quote.misquoted(row, text)
    if kind == "two" and made is not None:
        text = mistyped(chance, made.old[last])
        made = None if text is None else made.misquoted(last, text)
    return made


def parses(path: str, text: str) -> bool:
    """Whether a parser that is not ours reads the text; also where there is none."""
    parser = PARSERS.get(Path(path).suffix)
    try:
        if parser is not None:
            parser(text)
    except (ValueError, SyntaxError, RecursionError, yaml.YAMLError):
        return False
    return True


UNITS = ("\t", "  ", "   ", "    ", "        ")
Indentation = Callable[[str], str | None]


def units_of(rows: Sequence[str]) -> list[str]:
    """A file's steps of indentation, the most frequent first: in a page, code may have another than lists have."""
    leads = [indent_of(row) for row in rows if row.strip()]
    if sum(lead.startswith("\t") for lead in leads) * 2 > sum(map(bool, leads)):
        return ["\t"]
    steps = Counter(abs(len(two) - len(one)) for one, two in pairwise(leads) if abs(len(two) - len(one)) > 1)
    most = max(steps.values(), default=0)
    return [" " * step for step, count in steps.most_common() if count * 3 >= most]


def moved(chance: random.Random, quote: Quote) -> Quote | None:
    """All rows of both texts further left or right, or in another unit."""
    leads = [indent_of(row) for row in (*quote.old, *quote.new) if row.strip()]
    more = "\t" if any(lead.startswith("\t") for lead in leads) else " " * chance.choice([1, 2, 4, 8])
    less = chance.randint(0, min(map(len, leads)))
    unit, other = [*quote.units, "    "][0], chance.choice(UNITS)
    match chance.choice(["left", "right", "unit", "unit", "unit and left"]):
        case "left":
            carry = shifted_left(" " * less if more != "\t" else "\t" * less)
        case "right":
            carry = shifted_right(more)
        case kind:
            fewer = int(kind != "unit")
            carry = in_units(unit, other, -fewer)
    sides = [[_carried(row, carry) for row in side] for side in (quote.old, quote.new)]
    if any(row is None for side in sides for row in side):
        return None
    old, new = (tuple(row for row in side if row is not None) for side in sides)
    return replace(quote, old=old, new=new)


def _carried(row: str, carry: Indentation) -> str | None:
    lead = carry(indent_of(row)) if row.strip() else ""
    return None if lead is None else lead + row.lstrip(" \t") if row.strip() else row


def shifted_right(more: str) -> Indentation:
    return lambda lead: more + lead


def shifted_left(less: str) -> Indentation:
    return lambda lead: lead.removeprefix(less) if lead.startswith(less) else None


def in_units(unit: str, other: str, more: int) -> Indentation:
    """Levels of one unit as levels of another, some more or fewer; blanks that are no level stay."""

    def carry(lead: str) -> str | None:
        level = 0
        while lead.startswith(unit):
            lead, level = lead.removeprefix(unit), level + 1
        return other * (level + more) + lead if level + more >= 0 else None

    return carry


def explanations(pairs: Sequence[tuple[str, str]], units: Sequence[str], lead: str) -> list[Indentation]:
    """Every way in which indentation of a quote may have come from the file's, by rows of which both are known."""
    ways = [shifted_right("")]
    for quoted, ours in pairs or [("", lead)]:
        if ours.endswith(quoted):
            ways.append(shifted_right(ours.removesuffix(quoted)))
        if quoted.endswith(ours):
            ways.append(shifted_left(quoted.removesuffix(ours)))
    ways += [in_units(one, two, more) for one in UNITS for two in units for more in range(-6, 7)]
    return [way for way in ways if all(way(quoted) == ours for quoted, ours in pairs)]


def possible(quote: Quote, old: Sequence[str], new: Sequence[str], start: int) -> set[str]:
    """What all edits of the rows from `start` give that are quoted in these words."""
    rows, end = quote.rows, start + len(old)
    lead, found = indent_of(rows[start]), set[str]()
    for bare in (False, True)[: 1 + (not indent_of(old[0]))]:
        known = [pair for pair in zip(old, rows[start:end], strict=True) if pair[0].strip()][bare:]
        for way in explanations([(indent_of(one), indent_of(two)) for one, two in known], quote.units or UNITS, lead):
            carried = [_carried(row, way) for row in new]
            heads = carried[:1]
            if new and new[0].strip() and not indent_of(new[0]):  # it may be the one of old text, or a later one
                heads += [lead + new[0], *(row for row in rows[start:end] if row.strip() == new[0].strip())]
            for head in heads or [""]:
                made = [row for row in (head, *carried[1:]) if row is not None] if new else []
                if len(made) == len(new):
                    found.add("\n".join([*rows[:start], *made, *rows[end:], ""]))
    return found


def places_of(quote: Quote, old: Sequence[str]) -> list[int]:
    """Where rows of the file say what some rows say, whatever blanks they have."""
    said, wanted = ([" ".join(row.split()) for row in rows] for rows in (quote.rows, old))
    return [at for at in range(len(said) - len(wanted) + 1) if said[at : at + len(wanted)] == wanted]


@pytest.mark.parametrize("bare", ["old and new", "old", "new", "none"])
@given(seeds)
def test_an_edit_gives_what_its_full_quote_gives_or_is_refused(bare: str, seed: int) -> None:
    chance = random.Random(seed)
    right = make_quote(chance)
    if right is None or (parses(right.path, right.before) and not parses(right.path, right.expected)):
        return  # an edit that breaks a file was not right
    aside = right if chance.random() < 0.5 else moved(chance, right)
    quote = None if aside is None else misquote(chance, aside)
    if aside is None or quote is None:
        return
    old, new = quote.texts(bare)
    if old == new:
        return
    rows, meant = split(old), possible(right, *map(split, aside.texts(bare)), right.start)
    said = {text for place in places_of(right, rows) for text in possible(right, rows, split(new), place)}
    said |= {
        text for place in places_of(right, rows) for text in possible(right, *map(split, aside.texts(bare)), place)
    }
    literal = as_quoted(right, old, new)
    elsewhere = {text for place in as_it_is(right, old) for text in possible(right, rows, split(new), place)}
    for policy in POLICIES:
        result = edit(right.before, [Replace(old, new)], path=right.path, policy=policy)
        is_first = policy.occurrence == "first" and is_within(right, old, result.text)  # it may be another place
        if result.ok and not is_first:
            assert result.text in {right.expected, *literal, *elsewhere, *meant, *(said if quote != aside else ())}
        if result.ok:
            assert result.text in {right.expected, *literal} or result.outcomes[0].confidence < 1
        offer = None if result.error is None else result.error.details.get("corrected")
        if offer is not None:
            sent = edit(right.before, [edit_from_json(offer)], path=right.path, policy=policy)
            assert sent.ok
            assert sent.text in {right.expected, *meant} or is_offered_in_full(quote, policy, sent.text)


def as_quoted(quote: Quote, old: str, new: str) -> set[str]:
    """What replacing the old text as it is quoted gives: where the file has it first, and where it is meant."""
    before, start = quote.before, sum(len(row) + 1 for row in quote.rows[: quote.start])
    places = (at for at in (before.find(old), start) if before.startswith(old, max(at, 0)))
    return {before[:at] + new + before[at + len(old) :] for at in places}


def as_it_is(quote: Quote, old: str) -> list[int]:
    """Where other rows have the old text as it is quoted, and those that are meant have it otherwise."""
    rows, said = quote.rows, split(old)
    places = [at for at in places_of(quote, said) if "\n".join(said) in "\n".join(rows[at : at + len(said)])]
    return [] if quote.start in places else places


def split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def is_within(quote: Quote, old: str, text: str) -> bool:
    """Whether a text differs from the file only in the first rows that say what the old text says, or begin with it."""
    rows, after, is_whole = quote.rows, split(text), old.endswith("\n")
    said, wanted = ([" ".join(row.split()) for row in side] for side in (rows, split(old)))
    many = len(wanted)
    starts = (at for at in range(len(said) - many + 1) if said[at : at + many - 1] == wanted[:-1])
    lasts = ((at, said[at + many - 1]) for at in starts)
    start = next(
        (at for at, last in lasts if last == wanted[-1] or (not is_whole and last.startswith(wanted[-1]))), None
    )
    if start is None:
        return False
    behind = rows[start + many :]
    return after[:start] == rows[:start] and after[len(after) - len(behind) :] == behind


def is_offered_in_full(quote: Quote, policy: Policy, text: str) -> bool:
    """Whether the full quote is offered the same; a typo that is in new text too stays where no word tells."""
    error = edit(quote.before, [Replace(*quote.texts(""))], path=quote.path, policy=policy).error
    offer = None if error is None else error.details.get("corrected")
    return offer is not None and edit(quote.before, [edit_from_json(offer)], path=quote.path).text == text


@pytest.mark.sampled
def test_most_edits_are_right_and_few_are_read_in_another_way() -> None:
    """The exceptions are no way out: what the full quote gives, the bare one mostly gives, too."""
    counts: Counter[str] = Counter()
    for seed in range(400 if WHOLE else 150):
        chance = random.Random(seed)
        quote = make_quote(chance)
        if quote is None or (parses(quote.path, quote.before) and not parses(quote.path, quote.expected)):
            continue
        old, new = quote.texts("old and new")
        result = edit(quote.before, [Replace(old, new)], path=quote.path, policy=POLICIES[0])
        counts["refused" if not result.ok else "right" if result.text == quote.expected else "other"] += 1
    assert counts["right"] > 0.7 * counts.total(), counts
    assert counts["other"] < 0.08 * counts.total(), counts
