"""Files and edits as people and models write them, made from small grammars: Python, JavaScript, YAML and Markdown.

A writing is a list of rows with depths, so that each law can say which row an edit keeps, changes, drops or adds, and
the right answer is plain slicing. Rows repeat on purpose (`return value`, `}`, `- name: main`), literals hold runs of
blanks and comments hold apostrophes. Everything follows from one seed: a failing example prints it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WORDS = ("value", "items", "path", "user", "total", "config", "index", "result", "name", "buffer", "state", "limit")
OTHER_WORDS = ("zebra", "quartz", "violin", "glacier", "pumpkin", "harbour", "meadow", "falcon", "copper", "thistle")
SAYINGS = ("all  is well", "no such thing", "it's done", "  padded  ", "a - b", "done...", "two  words")
MARKUP = ("We don't know yet", "See the notes below", "This part is stable", "Nothing else changes", "Read it twice")


@dataclass(frozen=True, slots=True)
class Row:
    """One line: how deep it is, and what it says; empty for a blank line."""

    depth: int
    body: str

    def render(self, unit: str) -> str:
        return unit * self.depth + self.body if self.body else ""


@dataclass(frozen=True, slots=True)
class Writing:
    """A file: its rows, and how they are put on disk."""

    path: str
    rows: tuple[Row, ...]
    unit: str
    ending: str
    ends: bool

    @property
    def text(self) -> str:
        return self.ending.join(row.render(self.unit) for row in self.rows) + (self.ending if self.ends else "")


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of rows `start` to `end`: each new row, and the row of the region it merely repeats, if it does."""

    writing: Writing
    start: int
    end: int
    new: tuple[Row, ...]
    kept: tuple[int | None, ...]
    ends: bool

    @property
    def region(self) -> tuple[Row, ...]:
        return self.writing.rows[self.start : self.end]

    @property
    def old_rows(self) -> list[str]:
        return [row.render(self.writing.unit) for row in self.region]

    @property
    def new_rows(self) -> list[str]:
        return [row.render(self.writing.unit) for row in self.new]

    def join(self, rows: list[str], ending: str = "\n") -> str:
        """Old or new text from its rows; it ends with a line ending if this edit quotes one."""
        return ending.join(rows) + (ending if rows and self.ends else "")

    @property
    def expected(self) -> str | None:
        """The text after the edit as quoted without a mistake; None where its old text is not there exactly once."""
        before, ending = self.writing.text, self.writing.ending
        old, new = self.join(self.old_rows, ending), self.join(self.new_rows, ending)
        at = before.find(old)
        if at < 0 or before.find(old, at + 1) >= 0:
            return None
        return before[:at] + new + before[at + len(old) :]


class _Author:
    """Writes rows in one language, with words from one list."""

    def __init__(self, chance: random.Random, words: tuple[str, ...]) -> None:
        self.chance = chance
        self.words = words

    def word(self) -> str:
        return self.chance.choice(self.words)

    def name(self) -> str:
        return f"{self.word()}_{self.word()}" if self.chance.random() < 0.5 else self.word()

    def literal(self) -> str:
        quote = self.chance.choice(("'", '"'))
        return quote + self.chance.choice(SAYINGS).replace("'", "") + quote

    def call(self) -> str:
        inner = self.chance.choice((self.word(), self.literal(), str(self.chance.randrange(99)), ""))
        return f"{self.name()}({inner})" if inner == "" else f"{self.name()}({self.word()}, {inner})"

    def rows(self, count: int, statement: Callable[[int], list[Row]]) -> list[Row]:
        rows: list[Row] = []
        while len(rows) < count:
            rows += statement(0)
            if self.chance.random() < 0.4:
                rows.append(Row(0, ""))
        return rows

    def body(self, depth: int, statement: Callable[[int], list[Row]]) -> list[Row]:
        rows: list[Row] = []
        for _ in range(self.chance.randrange(1, 4)):
            rows += statement(depth)
        return rows

    def python(self, depth: int) -> list[Row]:
        pick = self.chance.randrange(10 if depth < 3 else 6)
        if pick < 6:
            simple = (
                f"{self.name()} = {self.call()}",
                f"{self.word()} += {self.chance.randrange(99)}",
                f"return {self.word()}",
                f"print({self.literal()})",
                f"# {self.word()} isn't {self.word()} here",
                f"{self.name()}[{self.literal()}] = {self.call()}",
            )
            return [Row(depth, simple[pick])]
        heads = (
            f"if {self.word()} > {self.chance.randrange(99)}:",
            f"for {self.word()} in {self.name()}:",
            f"def {self.name()}(self, {self.word()}):",
            f"with {self.call()} as {self.word()}:",
        )
        return [Row(depth, heads[pick - 6]), *self.body(depth + 1, self.python)]

    def javascript(self, depth: int) -> list[Row]:
        pick = self.chance.randrange(8 if depth < 3 else 5)
        if pick < 5:
            simple = (
                f"const {self.name()} = {self.call()};",
                f"return {self.word()};",
                f"console.log({self.literal()}, {self.word()});",
                f"// {self.word()} doesn't change {self.word()}",
                f"{self.word()}.{self.word()} = {self.literal()};",
            )
            return [Row(depth, simple[pick])]
        heads = (
            (f"if ({self.word()} > {self.chance.randrange(99)}) {{", "}"),
            (f"function {self.name()}({self.word()}) {{", "}"),
            (f"{self.name()}.forEach(({self.word()}) => {{", "});"),
        )
        head, foot = heads[pick - 5]
        return [Row(depth, head), *self.body(depth + 1, self.javascript), Row(depth, foot)]

    def yaml(self, depth: int) -> list[Row]:
        pick = self.chance.randrange(7 if depth < 3 else 4)
        if pick < 4:
            simple = (
                f"{self.name()}: {self.word()}",
                f"{self.name()}: {self.literal()}",
                f"- {self.word()}",
                f"# {self.word()} of {self.word()}",
            )
            return [Row(depth, simple[pick])]
        return [Row(depth, f"{self.name()}:"), *self.body(depth + 1, self.yaml)]

    def markdown(self, depth: int) -> list[Row]:
        pick = self.chance.randrange(4)
        if pick == 0 and not depth:
            return [Row(0, f"## {self.word()} and {self.word()}"), Row(0, "")]
        if pick <= 1 or depth:
            mark = self.chance.choice(("- ", "1. ", "* "))
            rows = [Row(depth, f"{mark}{self.chance.choice(MARKUP)}: {self.word()} - {self.word()}")]
            return rows + (self.markdown(depth + 1) if depth < 2 and self.chance.random() < 0.4 else [])
        said = self.chance.choice(MARKUP)
        return [Row(0, f'{said}: the {self.word()} of "{self.word()}"...'), Row(0, f"It's {self.word()}, {said}.")]


LANGUAGES = {
    "a.py": ("python", ("    ", "  ", "\t")),
    "a.js": ("javascript", ("  ", "    ", "\t")),
    "a.yaml": ("yaml", ("  ",)),
    "a.md": ("markdown", ("  ", "    ")),
}


def make_writing(chance: random.Random, size: int, words: tuple[str, ...] = WORDS) -> Writing:
    """A file of about `size` rows."""
    path = chance.choice(sorted(LANGUAGES))
    language, units = LANGUAGES[path]
    author = _Author(chance, words)
    rows = author.rows(size, getattr(author, language))
    while rows[-1].body == "":
        rows.pop()
    ends = chance.random() < 0.8 or len(rows) == 1  # one line without an ending would say nothing of endings
    return Writing(path, tuple(rows), chance.choice(units), chance.choice(("\n", "\n", "\r\n")), ends)


def make_change(chance: random.Random, writing: Writing, *, longest: int = 8) -> Change:
    """An edit of a few rows that begin and end with text, at least one of them changed, dropped or followed by more."""
    solid = [number for number, row in enumerate(writing.rows) if row.body]
    start = chance.choice(solid)
    end = chance.choice([number for number in solid if start <= number < start + longest]) + 1
    ends = chance.random() < 0.5 and (writing.ends or end < len(writing.rows))
    return make_change_of(chance, writing, start, end, ends=ends)


def make_change_of(chance: random.Random, writing: Writing, start: int, end: int, *, ends: bool) -> Change:
    """Some edit of exactly these rows."""
    fates = ["keep"] * (end - start)
    for _ in range(chance.randrange(1, 3)):
        solid = [at for at in range(end - start) if writing.rows[start + at].body]
        fates[chance.choice(solid)] = chance.choice(("change", "change", "drop", "add"))
    if not any(writing.rows[start + at].body for at, fate in enumerate(fates) if fate != "drop"):
        fates[0] = "change"  # an edit that leaves nothing may leave a line or not, and both are right
    new: list[Row] = []
    kept: list[int | None] = []
    for at, fate in enumerate(fates):
        row = writing.rows[start + at]
        if fate in ("keep", "add"):
            new.append(row)
            kept.append(at)
        if fate in ("change", "add"):
            new.append(_fresh(chance, row))
            kept.append(None)
    return Change(writing, start, end, tuple(new), tuple(kept), ends)


def _fresh(chance: random.Random, row: Row) -> Row:
    """A row like this one that is nowhere else."""
    known = [word for word in (*WORDS, *OTHER_WORDS) if word in row.body]
    number = chance.randrange(1000, 10_000)
    if not known:
        return Row(row.depth, f"fresh_{number}")
    return Row(row.depth, row.body.replace(chance.choice(known), f"fresh_{number}", 1))


def is_literal(row: str, at: int) -> bool:
    """Whether a character of a row of code is in a string literal, as far as these grammars write any."""
    quote = ""
    for char in row[:at]:
        if not quote and char == "#":
            return False
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
    return bool(quote)


def occurs_again(writing: Writing, change: Change) -> bool:
    """Whether the rows of the region are elsewhere too, whatever their layout."""
    return _count(writing.rows, change.region) > 1


def occurs_again_as_deep(writing: Writing, change: Change) -> bool:
    """Whether the rows of the region are elsewhere too, just as deep."""
    size = change.end - change.start
    return sum(writing.rows[at : at + size] == change.region for at in range(len(writing.rows))) > 1


def repeats_itself(change: Change) -> bool:
    """Whether two rows of the region say the same, so that no text can tell which of them an edit drops."""
    bodies = [_plain(row) for row in change.region if row.body]
    return len(set(bodies)) < len(bodies)


def occurs_in(rows: Sequence[Row], region: Sequence[Row]) -> bool:
    """Whether the rows of a region are among others, whatever their layout."""
    return _count(rows, region) > 0


def _count(rows: Sequence[Row], region: Sequence[Row]) -> int:
    wanted, solid = ([_plain(row) for row in some if row.body] for some in (region, rows))
    return sum(solid[at : at + len(wanted)] == wanted for at in range(len(solid) - len(wanted) + 1))


def _plain(row: Row) -> str:
    return "".join(row.body.split()).replace("'", '"')
