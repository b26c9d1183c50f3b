"""The same edit asked four ways, one per step of matching, in files of many sizes. Standard library only; peers too.

The edit changes one line near the end of the file. Its old text is 40 whole lines (fewer where the file is small):
quoted as they are (*exact*), indented too deep throughout (*whitespace*), with a word wrong in some of
the lines that the edit only repeats (*fuzzy*), or taken from another file (*no-match*, which must be refused).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from benches.bench import size_name
from benches.texts import another_word, find_and_slice, program_lines

_LINES = 40
_AFTER = 10
_TAIL = 20_000
_CHANGED = "changed = True\n"

STEPS = ("exact", "whitespace", "fuzzy", "no-match")


@dataclass(frozen=True, slots=True)
class SizedStep:
    """One question: the text, and the edit as it is asked and as it is meant."""

    step: str
    size: str
    text: str
    old: str
    new: str
    meant_old: str
    meant_new: str

    @property
    def label(self) -> str:
        return f"{self.size}, {self.step}"

    def expected(self) -> str | None:
        """The right text; None: the edit must be refused."""
        return None if self.step == "no-match" else by_hand(self)


def by_hand(step: SizedStep) -> str:
    """The floor of every step: the edit that is meant, found and sliced."""
    return find_and_slice(step.text, step.meant_old, step.meant_new)


def sized_steps(sizes: Sequence[int], lines: int) -> Iterator[SizedStep]:
    """Every step for every size, and then for a file of so many lines."""
    for size in sizes:
        yield from steps_in("".join(program_lines(size)), size_name(size))
    counted = islice(program_lines(lines * 100), lines)
    yield from steps_in("".join(counted), f"{lines:,} lines")


def steps_in(text: str, size: str) -> Iterator[SizedStep]:
    """The four questions about one text."""
    quoted = _quoted(text)
    changed = _line_to_change(quoted)
    meant_old, meant_new = _pair(quoted, changed, lambda line: line)
    foreign = list(islice(program_lines(_TAIL, seed=7), len(quoted)))
    pairs = {
        "exact": (meant_old, meant_new),
        "whitespace": _pair(quoted, changed, _deeper),
        "fuzzy": _pair([_misremembered(row, line, changed) for row, line in enumerate(quoted)], changed, lambda s: s),
        "no-match": _pair(foreign, _line_to_change(foreign), lambda line: line),
    }
    for step in STEPS:
        yield SizedStep(step, size, text, *pairs[step], meant_old, meant_new)


def _quoted(text: str) -> list[str]:
    """Whole lines shortly before the end, without blank ones at either side."""
    tail = text[-_TAIL:].splitlines(keepends=True)
    count = min(_LINES, len(tail) // 3)
    after = min(_AFTER, count)
    lines = tail[-count - after : -after]
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        del lines[0]
    return lines


def _line_to_change(lines: list[str]) -> int:
    """A line near the middle that is a statement by itself, so that the program stays one."""
    middle = len(lines) // 2
    return next(row for row in range(middle, -1, -1) if lines[row].strip() and not lines[row].rstrip().endswith(":"))


def _pair(lines: list[str], changed: int, written: Callable[[str], str]) -> tuple[str, str]:
    """Old and new text that differ in one line, each line written in some way."""
    indent = lines[changed][: len(lines[changed]) - len(lines[changed].lstrip())]
    after = [*lines[:changed], indent + _CHANGED, *lines[changed + 1 :]]
    return "".join(map(written, lines)), "".join(map(written, after))


def _deeper(line: str) -> str:
    return f"    {line}" if line.strip() else line


def _misremembered(row: int, line: str, changed: int) -> str:
    return another_word(line) if row % 8 == 3 and row != changed and len(line) > 20 else line
