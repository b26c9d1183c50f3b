"""Laws of finding old text: noise never changes the answer, only whether there is one.

The reference is the dullest there is: the edit quoted without a mistake, done by slicing. What a tolerant tier makes of
the same edit quoted with mistakes is that very text, or a refusal.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.plan.edit import Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import Result, edit
from steadyhand.text.lines import body, line_ending, split_lines
from tests.checks import check_edit, check_laws
from tests.laws.noises import NOISES, Quote
from tests.laws.writings import (
    OTHER_WORDS,
    Change,
    Row,
    Writing,
    make_change,
    make_change_of,
    make_writing,
    occurs_again,
    occurs_again_as_deep,
    occurs_in,
    repeats_itself,
)
from tests.sampling import WHOLE
from tests.table import table

ROOT = Path(__file__).parents[2]

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 40)
# New text says how deep the file is only where nothing else was done to its indentation.
noises = st.lists(st.sampled_from(sorted(NOISES)), min_size=1, max_size=3, unique=True).filter(
    lambda names: "shift of old" not in names or not {"shift", "unit"} & set(names)
)


# A guard that refuses broken syntax would hide what the matching does.
ON_ITS_OWN = Policy(guards=frozenset({"limits", "placeholder", "shrink"}))


@dataclass(frozen=True)
class Noisy:
    """An edit, and how it was quoted."""

    change: Change
    old: str
    new: str
    is_shifted: bool

    @property
    def path(self) -> str:
        return self.change.writing.path

    def is_verbatim_in(self, text: str) -> bool:
        """Whether the old text is there as quoted, line endings aside: then it is taken by its word."""
        return self.old.replace("\r\n", "\n") in text.replace("\r\n", "\n")

    def is_literally_in(self, text: str) -> bool:
        """Whether the old text is there with or without the noise, perhaps as part of a line."""
        return self.is_verbatim_in(text) or self.change.join(self.change.old_rows) in text.replace("\r\n", "\n")

    def is_of_others_in(self, text: str) -> bool:
        """Whether the old text, moved sideways, has become the very text of other lines there."""
        return self.is_shifted and self.is_verbatim_in(text)

    def run(self, before: str | None = None) -> Result[str]:
        text = self.change.writing.text if before is None else before
        return edit(text, Replace(self.old, self.new), path=self.path, policy=ON_ITS_OWN)


def noisy(chance: random.Random, change: Change, names: list[str]) -> Noisy:
    quote = Quote.of(change)
    for name in sorted(names, key="shift of old".__eq__):  # last: others repeat old rows in new text as they are then
        quote = NOISES[name](chance, quote)
    return Noisy(change, *quote.texts, is_shifted=not {"shift", "shift of old"}.isdisjoint(names))


def made(seed: int, size: int, names: list[str], *, longest: int = 8) -> Noisy:
    chance = random.Random(seed)
    return noisy(chance, make_change(chance, make_writing(chance, size), longest=longest), names)


@given(st.integers(0, 2**20), noises)
def test_old_text_that_occurs_twice_is_refused_with_noise_too(seed: int, names: list[str]) -> None:
    cases = (made(number, 40, names, longest=2) for number in range(seed, seed + 40))
    case = next((case for case in cases if occurs_again(case.change.writing, case.change)), None)
    assume(case is not None)
    assert case is not None
    assume(case.change.expected is None and not case.is_verbatim_in(case.change.writing.text))
    assert not case.run().ok


@given(seeds, st.integers(5, 40), noises)
def test_old_text_of_another_file_is_refused(seed: int, size: int, names: list[str]) -> None:
    chance = random.Random(seed)
    other = make_writing(chance, size, OTHER_WORDS)
    rows = len(other.rows)
    start = chance.choice([at for at, row in enumerate(other.rows) if any(word in row.body for word in OTHER_WORDS)])
    end = max(at for at in range(start, min(start + 8, rows)) if other.rows[at].body) + 1
    foreign = noisy(chance, make_change_of(chance, other, start, end, ends=end < rows), names)
    before = make_writing(chance, size).text
    result = foreign.run(before)
    assert not result.ok
    assert result.text == before


@example(138, 32, ["blank lines"])
@given(seeds, st.integers(5, 40), noises)
def test_old_text_that_was_taken_out_of_the_file_is_refused(seed: int, size: int, names: list[str]) -> None:
    case = made(seed, size, names)
    writing, change = case.change.writing, case.change
    rows = writing.rows[: change.start] + writing.rows[change.end :]
    assume(any(row.body for row in rows) and not occurs_in(rows, change.region))
    before = Writing(writing.path, rows, writing.unit, writing.ending, writing.ends).text
    result = case.run(before)
    if case.is_literally_in(before) or not result.ok:
        return
    # Decision 29: the rows that change are in the file once, and it has rows like the context beside them.
    assert result.outcomes[0].differs == ("context that is not in the file",)
    changed = set(map(body, split_lines(case.old))) - set(map(body, split_lines(case.new)))
    rows_before, rows_after = (Counter(map(body, split_lines(text))) for text in (before, result.text))
    assert changed
    assert all(rows_before[row] == 1 for row in changed)
    assert set(rows_before - rows_after) == changed


@example(1_627_552_911, 21, ["shift of old", "typography", "line endings"])
@example(4_112_076_326, 7, ["shift of old", "blank lines", "typography"])
@given(seeds, st.integers(5, 40), noises)
def test_an_edit_made_before_is_not_made_again_elsewhere(seed: int, size: int, names: list[str]) -> None:
    case = made(seed, size, names)
    writing, change = case.change.writing, case.change
    rows = (*writing.rows[: change.start], *change.new, *writing.rows[change.end :])
    assume(not occurs_in(rows, change.region))
    before = Writing(writing.path, rows, writing.unit, writing.ending, writing.ends).text
    assert case.is_literally_in(before) or not case.run(before).ok


@example(4_231_056_006, 16, ["unit", "shift"])
@example(3_076_369_448, 13, ["blank lines", "trailing blanks"])
@given(seeds, sizes, noises)
def test_noise_in_the_quotation_gives_the_same_text_or_a_refusal(seed: int, size: int, names: list[str]) -> None:
    case = made(seed, size, names)
    expected = case.change.expected
    assume(expected is not None and not case.is_of_others_in(case.change.writing.text))
    result = case.run()
    assert result.text == (expected if result.ok else case.change.writing.text)
    check_laws(case.change.writing.text, [Replace(case.old, case.new)], result)


@pytest.mark.sampled
@table("name", sorted(NOISES))
def test_most_single_noise_is_seen_through(name: str) -> None:
    """The law above would hold for an engine that refuses everything."""
    asked = found = 0
    for seed in range(150 if WHOLE else 100):
        case = made(seed, 30, [name])
        if case.change.expected is None or occurs_again(case.change.writing, case.change):
            continue
        asked += 1
        found += case.run().ok
    assert found >= 0.8 * asked


@example(12000, 5, ["shift"], 0.0)
@given(seeds, sizes, noises, st.floats(0, 1))
def test_a_second_copy_of_the_region_makes_it_ambiguous(seed: int, size: int, names: list[str], where: float) -> None:
    case = made(seed, size, names)
    writing, change = case.change.writing, case.change
    assume(change.expected is not None)
    apart = [at for at in range(len(writing.rows)) if not change.start < at < change.end]
    at = apart[int(where * (len(apart) - 1))]
    rows = (*writing.rows[:at], *change.region, *writing.rows[at:])
    before = Writing(writing.path, rows, writing.unit, writing.ending, writing.ends).text
    assert edit(before, Replace(*Quote.of(change).texts), path=case.path).error.kind is Kind.AMBIGUOUS_MATCH  # type: ignore[union-attr]
    result = case.run(before)
    assert not result.ok or case.is_of_others_in(before)
    if case.run().ok and not case.is_of_others_in(before):
        assert result.error is not None
        assert result.error.kind is Kind.AMBIGUOUS_MATCH


def damage(chance: random.Random, row: str, *, is_prose: bool) -> str:
    """A row as a file might really have it and a model would not quote it."""
    if not row.strip():
        return row  # which blank row is which nobody can say where some come and go
    choice = chance.randrange(5 if is_prose else 3)
    if choice == 0:
        return row + chance.choice((" ", "   ", "\t"))
    if choice == 1:
        return row.replace("'", "’").replace("...", "…")
    if choice == 2:
        margin = len(row) - len(row.lstrip())
        return row[:margin] + row[margin:].replace(" ", "\u00a0", 1)
    return row.replace(" - ", " – ") if choice == 3 else row.replace('"', "”")


@example(60000, 25, False)
@given(seeds, st.integers(3, 40), st.booleans())
def test_lines_the_edit_repeats_keep_the_bytes_of_the_file(seed: int, size: int, mixed: bool) -> None:
    """Only rows that the edit repeats are damaged, so every byte of the result is known but the endings of new rows."""
    chance = random.Random(seed)
    writing = make_writing(chance, size)
    change = make_change(chance, writing)
    assume(change.expected is not None and not occurs_again(writing, change) and not repeats_itself(change))
    kept = {number for number in change.kept if number is not None}
    rows = change.writing.rows
    texts = [row.render(writing.unit) for row in rows]
    for number in kept:
        texts[change.start + number] = damage(chance, texts[change.start + number], is_prose=writing.path == "a.md")
    endings = [chance.choice(("\n", "\r\n")) if mixed else writing.ending for _ in rows]
    lines = [text + ending for text, ending in zip(texts, endings, strict=True)]
    lines[-1] = lines[-1] if writing.ends else texts[-1]
    old, new = Quote.of(change).texts
    # Found character for character but for endings, it is part of a line and nothing more.
    assume(old not in "".join(lines).replace("\r\n", "\n"))
    result = edit("".join(lines), Replace(old, new), path=writing.path)
    assume(result.ok)
    after = split_lines(result.text)
    wanted = [None if number is None else lines[change.start + number] for number in change.kept]
    # A blank row that becomes the last of a file without a final ending is no row any more.
    assume(writing.ends or change.end < len(lines) or not change.new or change.new[-1].body)
    assert after[: change.start] == lines[: change.start]
    assert after[change.start + len(wanted) :] == lines[change.end :]
    middle = after[change.start : change.start + len(wanted)]
    for line, row, was in zip(middle, change.new, wanted, strict=True):
        # Which of several blank rows is the one that was there is unknown, and so is its ending.
        if was is not None and line_ending(was) and line_ending(line) and was.strip():
            assert line == was
        else:
            assert body(line) == (row.render(writing.unit) if was is None else body(was))


@example(1502618257, 17, 0.36)
@example(3477166510, 9, 0.12)
@given(seeds, st.integers(3, 40), st.floats(0, 1))
def test_a_line_that_somebody_added_stays_between_the_lines_it_is_between(seed: int, size: int, where: float) -> None:
    chance = random.Random(seed)
    writing = make_writing(chance, size)
    change = make_change(chance, writing)
    assume(change.expected is not None and change.end - change.start > 1)
    assume(not occurs_again_as_deep(writing, change))
    at = 1 + int(where * (change.end - change.start - 2))
    stranger = Row(writing.rows[change.start + at].depth, "by_somebody_else")
    result = edit(
        _with_region(change, (*change.region[:at], stranger, *change.region[at:])), _edit_of(change), path=writing.path
    )
    assume(result.ok)
    above = max((row + 1 for row, kept in enumerate(change.kept) if kept is not None and kept < at), default=0)
    below = min(
        (row for row, kept in enumerate(change.kept) if kept is not None and kept >= at), default=len(change.new)
    )
    # Where rows were changed on either side, it may be before or behind what came for them.
    places = [(*change.new[:row], stranger, *change.new[row:]) for row in range(above, below + 1)]
    assert result.text in [_with_region(change, rows) for rows in places]


def _edit_of(change: Change) -> Replace:
    return Replace(*Quote.of(change).texts)


def _with_region(change: Change, rows: tuple[Row, ...]) -> str:
    """The file with other rows in place of the region."""
    writing = change.writing
    rows = (*writing.rows[: change.start], *rows, *writing.rows[change.end :])
    return Writing(writing.path, rows, writing.unit, writing.ending, writing.ends).text


CONTEXT = """\
def load_everything(path, names):\t
    # the  names are read first, and “only” once
    values = read_values( path,  names )\x20\x20
    for name in names:
        check(name)
        store(name, values[name])
        print('name  stored')
    return values
"""
QUOTED = [
    ("exact", CONTEXT),
    ("newline", CONTEXT),
    ("repair", "```python\n" + CONTEXT + "```\n"),
    ("whitespace", CONTEXT.replace("\t\n", "\n").replace("  \n", "\n")),
    ("typography", CONTEXT.replace("“only”", '"only"')),
    ("token", CONTEXT.replace("read_values( path,  names )  ", "read_values(\n        path, names)")),
    (
        "elision",
        CONTEXT.replace(
            "        check(name)\n        store(name, values[name])\n", "        # ... existing code ...\n"
        ),
    ),
    ("fuzzy", CONTEXT.replace("# the  names are read first", "# all names are read first")),
]


@table(("tier", "quoted"), QUOTED, ids=[tier for tier, _ in QUOTED])
def test_at_every_tier_only_the_line_that_changes_is_written(tier: str, quoted: str) -> None:
    before = f"import os\n\n\n{CONTEXT}\n\nend = True\n"
    new = quoted.replace("return values", "return dict(values)")
    if tier == "newline":
        before = before.replace("\n", "\r\n")
    after = before.replace("return values", "return dict(values)")
    (outcome,) = check_edit(before, Replace(quoted, new), after, path="a.py").outcomes
    assert outcome.tier == tier
    assert bool(outcome.differs) == (tier != "exact")


CHILD = """
import sys
from tests.laws.test_matching import answer
print(answer(range(60)))
"""


def answer(numbers: range) -> str:
    """Everything that is said about a number of edits, as one digest."""
    facts = hashlib.sha256()
    for seed in numbers:
        result = made(seed, 30, sorted(NOISES)[seed % len(NOISES) :][:2]).run()
        said = (result.text, [outcome.to_json() for outcome in result.outcomes])
        facts.update(repr(said).encode("utf-8", "surrogatepass"))
    return facts.hexdigest()


def test_another_process_says_the_same() -> None:
    def ask(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        child = [sys.executable, "-c", CHILD]
        done = subprocess.run(child, env=environment, capture_output=True, text=True, check=True, cwd=ROOT, timeout=300)
        return done.stdout.strip()

    assert {ask("1"), ask("4242")} == {answer(range(60))}


@example(678_950_661, 59, ["blank lines"], "sequential")
@example(2_192_212_198, 27, ["blank lines", "line endings"], "snapshot")
@example(4_169_677_609, 44, ["shift of old", "typography"], "sequential")
@example(15943015, 30, ["blank lines", "unit", "shift"], "sequential")
@given(seeds, st.integers(20, 60), noises, st.sampled_from(["sequential", "snapshot"]))
def test_several_edits_with_noise_in_one_are_made_together_or_not_at_all(
    seed: int, size: int, names: list[str], batch: str
) -> None:
    chance = random.Random(seed)
    writing = make_writing(chance, size)
    changes = _disjoint(chance, writing)
    assume(len(changes) > 1)
    before, expected = writing.text, writing.text
    for change in changes:
        old, new = (change.join(rows, writing.ending) for rows in (change.old_rows, change.new_rows))
        assume(change.expected is not None and expected.count(old) == 1)
        expected = expected.replace(old, new)
    edits = [Replace(*Quote.of(change).texts) for change in changes]
    at = chance.randrange(len(changes))
    case = noisy(chance, changes[at], names)
    assume(not case.is_of_others_in(before))
    edits[at] = Replace(case.old, case.new)
    result = edit(before, edits, path=writing.path)
    assert result.text == (expected if result.ok else before)
    assert result.ok or not any(outcome.applied for outcome in result.outcomes)


def _disjoint(chance: random.Random, writing: Writing) -> list[Change]:
    """Edits of regions with at least one row between them, from the top down."""
    found: list[Change] = []
    solid = [number for number, row in enumerate(writing.rows) if row.body]
    start = chance.choice(solid[:8])
    while start is not None:
        end = max(number for number in solid if start <= number < start + chance.randrange(1, 6)) + 1
        found.append(make_change_of(chance, writing, start, end, ends=end < len(writing.rows)))
        later = [number for number in solid if number > end + chance.randrange(1, 8)]
        start = later[0] if later else None
    return found
