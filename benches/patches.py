"""Long patches, the same on every run: one set of changes to one file written in every format, and many small files.

Standard library only; peers are given the same ones. Nothing here knows an engine, nor how an edit is found.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.by_hand import write_file
from benches.texts import code_lines, functions

_STEP = 10
_FUNCTIONS = 16  # of a small file
_CONTEXT = 3
PATH = "src/long.py"


@dataclass(frozen=True, slots=True)
class Change:
    """Lines of the file that are replaced: `start` counts from 0."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file and changes to it, far enough from each other for three lines of context around each."""

    path: str
    before: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def text(self) -> str:
        return "".join(self.before)

    def after(self) -> str:
        return "".join(self._after())

    def _after(self) -> Iterator[str]:
        position = 0
        for change in self.changes:
            yield from self.before[position : change.start]
            yield from change.new
            position = change.start + len(change.old)
        yield from self.before[position:]

    def around(self, change: Change) -> tuple[Sequence[str], Sequence[str]]:
        """The lines of context before and behind a change."""
        end = change.start + len(change.old)
        return self.before[max(0, change.start - _CONTEXT) : change.start], self.before[end : end + _CONTEXT]

    def reversed(self) -> Rewrite:
        """The way back."""
        shift = 0
        changes: list[Change] = []
        for change in self.changes:
            changes.append(Change(change.start + shift, change.new, change.old))
            shift += len(change.new) - len(change.old)
        return Rewrite(self.path, tuple(self._after()), tuple(changes))


def rewrite_of(lines: Sequence[str], hunks: int, path: str = PATH) -> Rewrite:
    """So many lines changed, spread over the file: by turns one becomes another, two, or none."""
    step = max(_STEP, len(lines) // hunks)
    changes = [_change(lines, row, number) for number, row in enumerate(range(step // 2, len(lines) - _CONTEXT, step))]
    return Rewrite(path, tuple(lines), tuple(changes[:hunks]))


def _change(lines: Sequence[str], row: int, number: int) -> Change:
    old = lines[row]
    indent = old[: len(old) - len(old.lstrip(" "))]
    changed = f"{indent}changed_{number} = True\n"
    new = {0: (changed,), 1: (changed, old), 2: ()}[number % 3]
    return Change(row, (old,), new)


def long_rewrite(hunks: int) -> Rewrite:
    """One file of ten times as many lines, every one of them different."""
    return rewrite_of(code_lines(hunks * _STEP), hunks)


def functions_rewrite(hunks: int) -> Rewrite:
    """One file of functions that differ in their names only, each with one change in the middle."""
    lines = functions(hunks)
    changes = [_change(lines, number * _STEP + 4, number) for number in range(hunks)]
    return Rewrite(PATH, tuple(lines), tuple(changes))


def small_rewrites(files: int) -> list[Rewrite]:
    """Programs of 4 KB, each with a change in two of its functions."""
    return [_small_rewrite(number) for number in range(files)]


def _small_rewrite(number: int) -> Rewrite:
    lines = functions(_FUNCTIONS, number * _FUNCTIONS)
    changes = [_change(lines, at * _STEP + 4, number + at) for at in (3, _FUNCTIONS - 3)]
    return Rewrite(f"package_{number % 20}/module_{number}.py", tuple(lines), tuple(changes))


def unified(rewrites: Sequence[Rewrite], *, off: int = 0) -> str:
    """A diff as git prints it; `off` is how far its line numbers are from the truth."""
    return "".join(row for rewrite in rewrites for row in _unified(rewrite, off))


def _unified(rewrite: Rewrite, off: int) -> Iterator[str]:
    yield f"diff --git a/{rewrite.path} b/{rewrite.path}\n--- a/{rewrite.path}\n+++ b/{rewrite.path}\n"
    shift = 0
    for change in rewrite.changes:
        head, tail = rewrite.around(change)
        start, kept = change.start - len(head) + 1 + off, len(head) + len(tail)
        yield f"@@ -{start},{kept + len(change.old)} +{start + shift},{kept + len(change.new)} @@\n"
        yield from _signed(head, change, tail)
        shift += len(change.new) - len(change.old)


def v4a(rewrites: Sequence[Rewrite]) -> str:
    """The patch that OpenAI's models are taught."""
    return "".join(_v4a(rewrites, lambda _rewrite, _change: "@@\n"))


def v4a_under_headers(rewrites: Sequence[Rewrite]) -> str:
    """The same, with the function that each change is in."""
    return "".join(_v4a(rewrites, lambda rewrite, change: f"@@ {_header_of(rewrite, change)}"))


def _v4a(rewrites: Sequence[Rewrite], mark: Callable[[Rewrite, Change], str]) -> Iterator[str]:
    yield "*** Begin Patch\n"
    for rewrite in rewrites:
        yield f"*** Update File: {rewrite.path}\n"
        for change in rewrite.changes:
            head, tail = rewrite.around(change)
            yield mark(rewrite, change)
            yield from _signed(head, change, tail)
    yield "*** End Patch\n"


def _header_of(rewrite: Rewrite, change: Change) -> str:
    return next(rewrite.before[row] for row in range(change.start, -1, -1) if rewrite.before[row].startswith("def "))


def _signed(head: Sequence[str], change: Change, tail: Sequence[str]) -> Iterator[str]:
    for sign, lines in ((" ", head), ("-", change.old), ("+", change.new), (" ", tail)):
        yield from (sign + line for line in lines)


def search_replace(rewrites: Sequence[Rewrite]) -> str:
    """A block for each change, with the name of its file before it."""
    rows: list[str] = []
    for rewrite in rewrites:
        for old, new in _sides(rewrite):
            rows.append(f"{rewrite.path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\n")
    return "".join(rows)


def json_edits(rewrites: Sequence[Rewrite]) -> str:
    """Old and new texts, as the arguments of a call."""
    (rewrite,) = rewrites
    edits = [{"old_string": old, "new_string": new} for old, new in _sides(rewrite)]
    return json.dumps({"path": rewrite.path, "edits": edits}, indent=1) + "\n"


def json_ranges(rewrites: Sequence[Rewrite]) -> str:
    """Lines by their numbers, with what is there."""
    (rewrite,) = rewrites
    edits = [
        {
            "range": {"start": change.start + 1, "end": change.start + len(change.old)},
            "oldText": "".join(change.old),
            "newText": "".join(change.new),
        }
        for change in rewrite.changes
    ]
    return json.dumps({"path": rewrite.path, "edits": edits}, indent=1) + "\n"


def lazy(rewrites: Sequence[Rewrite]) -> str:
    """The changed parts with what is around them, and a mark for all that stays."""
    (rewrite,) = rewrites
    rows: list[str] = []
    for change in rewrite.changes:
        head, tail = rewrite.around(change)
        rows += ["# ... existing code ...\n", *head, *change.new, *tail]
    return f"{rewrite.path}\n```python\n{''.join(rows)}# ... existing code ...\n```\n"


def whole_file(rewrites: Sequence[Rewrite]) -> str:
    return "".join(f"{rewrite.path}\n```python\n{rewrite.after()}```\n\n" for rewrite in rewrites)


def _sides(rewrite: Rewrite) -> Iterator[tuple[str, str]]:
    for change in rewrite.changes:
        head, tail = rewrite.around(change)
        yield "".join([*head, *change.old, *tail]), "".join([*head, *change.new, *tail])


def lay_out(folder: Path, rewrites: Sequence[Rewrite]) -> None:
    """The files as they are before the changes."""
    for rewrite in rewrites:
        path = folder / rewrite.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rewrite.text, encoding="utf-8")


def is_done(folder: Path, rewrites: Sequence[Rewrite]) -> bool:
    """Whether the files are as they are after the changes."""
    return all((folder / rewrite.path).read_text(encoding="utf-8") == rewrite.after() for rewrite in rewrites)


def by_turns(apply: Callable[[str], object], there: str, back: str) -> Callable[[], object]:
    """A call that applies a patch and, the next time, its way back; so nothing has to be put back in between."""
    patches = itertools.cycle((there, back))
    return lambda: apply(next(patches))


def apply_by_hand(text: str, diff: str) -> str:
    """The least that applying a diff of one file must do: it believes every number and looks at no old line."""
    lines = text.splitlines(keepends=True)
    after: list[str] = []
    position = 0
    for row in diff.splitlines(keepends=True)[3:]:
        if row[0] == "@":
            start = int(row[4 : row.index(",")]) - 1
            after += lines[position:start]
            position = start
        elif row[0] == "-":
            position += 1
        else:
            after.append(row[1:])
            position += row[0] == " "
    return "".join(after + lines[position:])


def patch_by_hand(folder: Path, diff: str, *, durable: bool = False) -> None:
    """The same for many files, one after the other: neither all nor nothing."""
    for part in diff.split("diff --git ")[1:]:
        path = folder / part.split(" b/", 1)[1].split("\n", 1)[0]
        write_file(path, apply_by_hand(path.read_text(encoding="utf-8"), part).encode(), durable=durable)


def split_rows(reply: str) -> dict[str, list[str]]:
    """The least that reading a reply must do: cut it at its line ends and look at the first character of each."""
    rows: dict[str, list[str]] = {}
    for row in reply.splitlines(keepends=True):
        rows.setdefault(row[0], []).append(row[1:])
    return rows
