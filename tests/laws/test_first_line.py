"""Quoting the first line of an edit without its indentation changes nothing, on real files and under every policy.

The judge is the edit done by slicing rows. An edit whose first line is bare, in old text, in new text or in both, gives
that, or what the same edit gives with its first line quoted in full, or it is refused; an offer that comes with a
refusal gives the same when it is sent as it is.
"""

from __future__ import annotations

import ast
import json
import random
import re
import sysconfig
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from steadyhand import Policy, Replace, edit
from steadyhand.plan.edit import edit_from_json

ROOT = Path(__file__).parent.parent.parent
INSTALLED = Path(sysconfig.get_paths()["purelib"])
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
    """Some files of every suffix, of this repository and of what is installed beside these tests."""
    by_suffix: dict[str, list[Path]] = {}
    for folder in (ROOT / "src", ROOT / "docs", ROOT / "tests" / "corpus", INSTALLED):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and 400 < path.stat().st_size < 40_000:
                by_suffix.setdefault(path.suffix, []).append(path)
    chance = random.Random(15)
    return tuple(path for every in by_suffix.values() for path in chance.sample(every, min(len(every), FILES_AT_MOST)))


@dataclass(frozen=True, slots=True)
class Quote:
    """An edit of some rows of a file as it is quoted; `kept` says which old row a new row repeats."""

    path: str
    before: str
    expected: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    kept: tuple[int | None, ...]
    ends: bool

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


def has_twin(rows: Sequence[str], start: int, end: int) -> bool:
    """Whether other rows of a file say nearly the same, so that a typo may make them the ones that are quoted."""
    said = [row.strip() for row in rows]
    wanted = "\n".join(said[start:end])
    others = (at for at in range(len(rows)) if at != start)
    return any(fuzz.ratio(wanted, "\n".join(said[at : at + end - start])) > 75 for at in others)


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
    if end > len(rows) or not old[-1].strip() or has_twin(rows, start, end):
        return None
    made = changed_rows(chance, old)
    new = [row for _, row in made]
    expected = "\n".join([*rows[:start], *new, *rows[end:], ""])
    kept = tuple(was for was, _ in made)
    return Quote(path.name, text, expected, tuple(old), tuple(new), kept, chance.random() < 0.5 or not new)


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


def is_distinct(quote: Quote, bare: str) -> bool:
    """Whether the texts still say at which indentation new text begins, or that it has lost it."""
    if not quote.new or not quote.new[0].strip():
        return True
    lead, own = indent_of(quote.old[0]), indent_of(quote.new[0])
    return own == lead if "new" in bare else bool(own)


@pytest.mark.parametrize("bare", ["old and new", "old", "new"])
@given(seeds)
def test_a_bare_first_line_gives_what_the_full_quote_gives_or_is_refused(bare: str, seed: int) -> None:
    chance = random.Random(seed)
    right = make_quote(chance)
    quote = None if right is None else misquote(chance, right)
    if right is None or quote is None or quote.new == quote.old:
        return
    (old, new), full = quote.texts(bare), quote.texts("")
    # What is misquoted and yet there is another place; an edit that breaks a file was not right.
    if (quote != right and old in quote.before) or not is_distinct(quote, bare) or (old, new) == full or old == new:
        return
    if parses(quote.path, quote.before) and not parses(quote.path, quote.expected):
        return
    literal = quote.before.replace(old, new, 1) if quote == right and bare == "new" else None
    for policy in POLICIES:
        if policy.occurrence == "first" and quote.before.count(old) > 1:
            continue  # as part of other lines, it is found there first
        meant = edit(quote.before, [Replace(*full)], path=quote.path, policy=policy)
        if meant.ok and meant.text != quote.expected:
            continue  # it was not right with its first line in full
        result = edit(quote.before, [Replace(old, new)], path=quote.path, policy=policy)
        assert not result.ok or result.text in (quote.expected, literal)
        offer = None if result.error is None else result.error.details.get("corrected")
        if offer is not None:
            sent = edit(quote.before, [edit_from_json(offer)], path=quote.path, policy=policy)
            assert sent.ok
            assert sent.text == quote.expected or _is_offered_in_full(quote, full, policy, sent.text)


def _is_offered_in_full(quote: Quote, full: tuple[str, str], policy: Policy, text: str) -> bool:
    """Whether the full quote is offered the same; a typo that is in new text too stays where no word tells."""
    error = edit(quote.before, [Replace(*full)], path=quote.path, policy=policy).error
    offer = None if error is None else error.details.get("corrected")
    return offer is not None and edit(quote.before, [edit_from_json(offer)], path=quote.path).text == text
