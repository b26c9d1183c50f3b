"""Texts to edit, the same on every run and every machine. Standard library only; peers are given the same ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

_WORDS = "alpha batch cache delta entry field graph helper index journal kernel layer merge node order path".split()
_PARTS = (
    ("if {a} is None:", "    return None"),
    ("{a} = []", "for {b} in {c}:", "    {a}.append({b})"),
    ("try:", "    {a} = {b}.load({n})", "except ValueError:", "    {a} = {n}"),
    ("# {a} comes before {b}", "{c}.update({a}={b})"),
    ("with {a}.lock:", "    {b} = {c}[{n}]", "", "    {c}.clear()"),
    ("else_{a} = {b} or {c}", "print({a}, {n})"),
)
_WIDE = "größe naïve 東京 данные 🙂".split()


def code_line(number: int, chance: random.Random, words: list[str] = _WORDS) -> str:
    """One line like those of a program; its number makes it unique."""
    left, right, last = chance.choices(words, k=3)
    indent = "    " * (number % 3)
    return f"{indent}{left}_{number:07d} = combine({right}, {chance.randrange(9999)})  # {last} of {left}\n"


def code_lines(count: int, *, wide: bool = False) -> list[str]:
    """So many different lines; `wide` ones hold characters that take four bytes each in memory."""
    chance = random.Random(count)
    words = _WORDS + _WIDE if wide else _WORDS
    return [code_line(number, chance, words) for number in range(count)]


def code_text(size: int, *, wide: bool = False) -> str:
    """A text of about `size` bytes: whole lines, never more than asked for."""
    chance = random.Random(size)
    words = _WORDS + _WIDE if wide else _WORDS
    lines: list[str] = []
    total = number = 0
    while True:
        line = code_line(number, chance, words)
        total += len(line.encode()) if wide else len(line)
        if total > size:
            return "".join(lines)
        lines.append(line)
        number += 1


def functions(count: int, first: int = 0) -> list[str]:
    """Functions that differ in their names only, ten lines each: what is made of them is a program."""
    body = [f"    {word} = entry.{word}(step)\n" for word in "first second third fourth fifth sixth seventh".split()]
    named = (f"def task_{number}(entry, step):\n" for number in range(first, first + count))
    return [line for name in named for line in (name, *body, "\n", "\n")]


def program_lines(size: int, *, seed: int = 0) -> Iterator[str]:
    """Functions, about `size` characters of them: each has a name of its own, and most lines are in many of them."""
    chance = random.Random(seed)
    total = number = 0
    while total < size:
        for line in _function(seed * 1_000_000 + number, chance):
            total += len(line)
            yield line
        number += 1


def _function(number: int, chance: random.Random) -> Iterator[str]:
    verb, noun, given = chance.sample(_WORDS, k=3)
    yield f"def {verb}_{noun}_{number}({given}, {noun}):\n"
    for part in chance.choices(_PARTS, k=chance.randint(2, 5)):
        a, b, c = chance.sample(_WORDS, k=3)
        for line in part:
            yield f"    {line.format(a=a, b=b, c=c, n=chance.randrange(100))}".rstrip() + "\n"
    yield from (f"    return {noun}\n", "\n", "\n")


def another_word(line: str) -> str:
    """The line as somebody might remember it: its first word of ours is the next one of ours."""
    for word, other in zip(_WORDS, _WORDS[1:] + _WORDS[:1], strict=True):
        if word in line:
            return line.replace(word, other, 1)
    return line


def lines_at(text: str, share: float, count: int = 5) -> str:
    """Some whole lines from about `share` of the way into the text; they are there only."""
    start = text.rfind("\n", 0, int(len(text) * share)) + 1
    end = start
    for _ in range(count):
        end = text.find("\n", end) + 1 or len(text)
    return text[start:end]


def find_and_slice(text: str, old: str, new: str) -> str:
    """The least an exact edit must do: find the place, look whether there is a second, and put the text together."""
    at = text.find(old)
    if at < 0 or text.find(old, at + 1) >= 0:
        raise ValueError("not exactly once")
    return text[:at] + new + text[at + len(old) :]


def edited_lines(lines: list[str], edits: int, seed: int) -> list[str]:
    """The lines with so many places changed: a third replaced, a third deleted, a third inserted."""
    chance = random.Random(seed)
    after: list[str] = []
    chosen = set(chance.sample(range(len(lines)), min(edits, len(lines))))
    for row, line in enumerate(lines):
        if row not in chosen:
            after.append(line)
            continue
        kind = chance.randrange(3)
        if kind != 1:
            after.append(code_line(9_000_000 + row, chance))
        if kind == 2:
            after.append(line)
    return after


def search_and_split(text: str, old: str) -> list[str]:
    """The least a search by lines must do for old text that is not there."""
    if text.find(old) >= 0:
        raise ValueError("it is there")
    return text.splitlines()


def misquoted(lines: list[str]) -> str:
    """The lines as somebody might remember them: every fourth a little wrong."""
    return "".join(line.replace("combine", "combined") if row % 4 == 1 else line for row, line in enumerate(lines))
