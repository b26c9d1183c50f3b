"""Random YAML documents in random styles, written by a dull writer of the tests' own, with the data they say."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st

WORDS = [
    "alpha",
    "two words",
    "x-y",
    "a.b",
    "it's",
    "é",
    "😀 smile",
    "http://h/p?q=1",
    "1.2.3",
    "C:\\dir",
    "true story",
]
ODD = [
    "",
    "yes",
    "no",
    "on",
    "null",
    "~",
    "12",
    "1e3",
    "0o17",
    "12:30",
    "2024-01-01",
    " lead",
    "trail ",
    "a: b",
    "a #b",
]
ODDER = [
    "- x",
    "[x",
    "{x}",
    "&a",
    "*a",
    "!t",
    "%d",
    "@x",
    "`x",
    "|",
    ">",
    "#x",
    ":",
    "?",
    "-",
    "=",
    "<<",
    "a\tb",
    '"q"',
]
LINES = [
    "one\ntwo\n",
    "one\ntwo",
    " lead\ntwo\n",
    "one\n\n\nthree",
    "# not\n# comments\n",
    "a: 1\nb: 2\n",
    "\nfirst blank\n",
]
NAMES = ["name", "key", "a", "b", "c", "x y", "on", "é", "k.l", "n1", "n2", "n3"]

texts = st.sampled_from([*WORDS, *WORDS, *ODD, *ODDER, *LINES])
scalars = st.one_of(texts, st.integers(-99, 9999), st.booleans(), st.none(), st.sampled_from([0.5, -1.25, 1e20]))
names = st.sampled_from(NAMES)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=8,
)
containers = st.one_of(st.lists(values, min_size=1, max_size=5), st.dictionaries(names, values, min_size=1, max_size=5))


@dataclass
class Writer:
    """Writes data with whatever style the dice say; comments are numbered, so that each can be found again."""

    dice: Random
    step: int = 2
    dash: int = 2
    comments: list[str] = field(default_factory=list)

    def document(self, data: Any) -> str:
        self.step = self.dice.choice([2, 2, 4, 3])
        self.dash = self.dice.choice([0, 2, self.step])
        lines = self.block(data, 0) if self.dice.random() < 0.9 else [self.flow(data)]
        head = self.dice.choice([[], [], ["---"], ["# head", ""]])
        text = "\n".join([*head, *lines]) + self.dice.choice(["\n", "\n", "", "\n\n# end\n"])
        is_literal_last = "|" in text.rsplit(":", 1)[-1] or "|" in text.rsplit("- ", 1)[-1]
        if is_literal_last and not text.endswith("\n"):
            text += "\n"
        return text.replace("\n", self.dice.choice(["\n", "\n", "\r\n"]))

    def block(self, data: Any, column: int, *, is_compact: bool = False) -> list[str]:
        lines: list[str] = []
        gap = self.dice.random() < 0.15
        pairs = data.items() if isinstance(data, dict) else ((None, value) for value in data)
        for number, (name, value) in enumerate(pairs):
            if number or not is_compact:
                lines += [""] * (gap and number > 0) + self.comment_above(column)
            lines += self.entry(name, value, column)
        return lines

    def entry(self, name: str | None, value: Any, column: int) -> list[str]:
        head = " " * column + ("-" if name is None else self.name(name) + ":")
        if isinstance(value, dict | list) and value and self.dice.random() < 0.75:
            return self.hung(head, name, value, column)
        if isinstance(value, str) and value in LINES and self.dice.random() < 0.6:
            return self.literal(head, value, column)
        shown = self.flow(value) if isinstance(value, dict | list) else self.scalar(value, in_flow=False)
        return [(f"{head} {shown}" if shown else head) + self.comment_behind()]

    def hung(self, head: str, name: str | None, value: Any, column: int) -> list[str]:
        if name is None and self.dice.random() < 0.8:
            rows = self.block(value, column + 2, is_compact=True)
            return [f"{head} {rows[0].lstrip(' ')}", *rows[1:]]
        step = self.step if isinstance(value, dict) or name is None else self.dash
        return [head + self.comment_behind(), *self.block(value, column + step)]

    def literal(self, head: str, value: str, column: int) -> list[str]:
        digit = str(self.step) if value.lstrip("\n").startswith(" ") else ""
        chomp = "" if value.endswith("\n") else "-"
        rows = value.removesuffix("\n").split("\n")
        blanks = " " * (column + self.step)
        return [f"{head} |{digit}{chomp}{self.comment_behind()}", *(blanks + row if row else "" for row in rows)]

    def flow(self, data: Any) -> str:
        parting = self.dice.choice([", ", ", ", " , ", ",  "])
        if isinstance(data, dict):
            inner = parting.join(f"{self.name(name)}: {self.flow(value)}" for name, value in data.items())
            return "{" + inner + "}"
        if isinstance(data, list):
            return "[" + parting.join(self.flow(value) for value in data) + "]"
        return self.scalar(data, in_flow=True)

    def name(self, name: str) -> str:
        return self.dice.choice([name if name != "on" else '"on"', json.dumps(name, ensure_ascii=False), f"'{name}'"])

    def scalar(self, value: Any, *, in_flow: bool) -> str:
        if value is None:
            return self.dice.choice(["null", "~", *([] if in_flow else [""])])
        if not isinstance(value, str):
            return "1.0e+20" if value == 1e20 else json.dumps(value)
        styles = [json.dumps(value, ensure_ascii=False)]
        if "\n" not in value and "\t" not in value:
            styles.append("'" + value.replace("'", "''") + "'")
        if value in WORDS and not (in_flow and "?" in value):
            styles += [value, value]
        return self.dice.choice(styles)

    def comment_behind(self) -> str:
        return f"  # c{self._number()}" if self.dice.random() < 0.15 else ""

    def comment_above(self, column: int) -> list[str]:
        return [f"{' ' * column}# c{self._number()}"] if self.dice.random() < 0.15 else []

    def _number(self) -> int:
        self.comments.append(f"# c{len(self.comments)}!")
        return len(self.comments) - 1


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, Any]:
    """A text and the data it says."""
    data = draw(containers)
    return Writer(draw(st.randoms(use_true_random=False))).document(data), data
