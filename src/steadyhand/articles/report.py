"""The change report: what a change did, file by file and hunk by hunk, within a budget that every file has a share of.

A hunk says in which definition, section or key it is; a file says which of its definitions changed. What the budget
leaves out is named, and no file is dropped because its name is late in the alphabet: when room is short, the largest
diffs are cut first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from steadyhand.articles.changes import ChangedFile, Changes, Commit, LeftOut, read_changes
from steadyhand.articles.definitions import changed_symbols, contexts
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.session.workspace import Workspace
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.source import Source
from steadyhand.text.unified import Hunk, parse_unified, render_unified

__all__ = ["PER_FILE", "TOTAL", "FileReport", "Report", "ShownHunk", "extract", "report_of"]

PER_FILE: Final = 20_000  # characters of diff
TOTAL: Final = 200_000
_MOST_FILES: Final = 2_000  # whose diffs are looked at
_CONTEXT: Final = 3  # lines around a change


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """Lines that changed together, as a unified diff has them; `context` is what they are in, where it has a name."""

    context: str | None
    diff: str

    def to_json(self) -> dict[str, object]:
        return {"context": self.context, "diff": self.diff}


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. `symbols` are the definitions whose own text changed."""

    file: ChangedFile
    hunks: tuple[ShownHunk, ...] = ()
    symbols: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return self.file.path

    def to_json(self) -> dict[str, object]:
        old = {} if self.file.old_path is None else {"oldPath": self.file.old_path}
        return {
            "path": self.file.path,
            **old,
            "status": self.file.status,
            "hunks": [hunk.to_json() for hunk in self.hunks],
            "symbols": list(self.symbols),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """A change as a reader sees it."""

    base: str | None
    head: str | None
    commits: tuple[Commit, ...]
    files: tuple[FileReport, ...]
    left_out: tuple[LeftOut, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "base": self.base,
            "head": self.head,
            "commits": [commit.to_json() for commit in self.commits],
            "files": [file.to_json() for file in self.files],
            "leftOut": [each.to_json() for each in self.left_out],
        }


def extract(
    workspace: Workspace,
    *,
    base: str | None = None,
    uncommitted: bool = False,
    per_file: int = PER_FILE,
    total: int = TOTAL,
) -> Report:
    """The report of the change that is checked out. Refuses as `read_changes` does."""
    with read_changes(workspace, base=base, uncommitted=uncommitted) as changes:
        return report_of(changes, per_file=per_file, total=total)


def report_of(
    changes: Changes,
    *,
    files: Sequence[ChangedFile] | None = None,
    per_file: int = PER_FILE,
    total: int = TOTAL,
) -> Report:
    """The report of a change, or of some of its files. A budget counts characters of diff."""
    for name, budget in (("per_file", per_file), ("total", total)):
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
            raise EditError(Kind.BAD_REQUEST, f"{name}: a number of characters is expected", details={"field": name})
    chosen = changes.files if files is None else files
    left_out = list(changes.left_out)
    made: list[tuple[FileReport, int]] = []
    for number, file in enumerate(chosen):
        check_cancelled()
        if number >= _MOST_FILES:
            made.append((FileReport(file), 0))
            left_out.append(LeftOut(file.path, f"the diff, as one of more than {_MOST_FILES} files"))
            continue
        sides = changes.sides(file)
        if isinstance(sides, str):
            made.append((FileReport(file), 0))
            left_out.append(LeftOut(file.path, sides))
            continue
        hunks = _hunks(*sides)
        made.append((FileReport(file, tuple(_fitting(hunks, per_file)), changed_symbols(*sides)), len(hunks)))
    share = _share([_size(each.hunks) for each, _ in made], total)
    reports: list[FileReport] = []
    for each, count in made:
        kept = tuple(_fitting(each.hunks, share))
        reports.append(FileReport(each.file, kept, each.symbols))
        is_cut = len(kept) < count or _size(kept) < _size(each.hunks)
        if is_cut or (kept and kept[-1].diff.endswith(_CUT)):
            left_out.append(LeftOut(each.file.path, _cut_words(kept, count)))
    order = {file.path: number for number, file in enumerate(chosen)}
    left_out.sort(key=lambda each: -1 if each.path is None else order[each.path])
    return Report(changes.base, changes.head, changes.commits, tuple(reports), tuple(left_out))


_CUT: Final = "\n… the rest of this hunk is left out\n"


def _hunks(before: Source | None, after: Source | None) -> list[ShownHunk]:
    """The changed parts of a file, each with what it is in."""
    old, new = ("" if side is None else side.text for side in (before, after))
    if old == new:
        return []
    diff = render_unified(old, new, "a", "a", context=_CONTEXT)
    found = parse_unified(diff).hunks
    rows = diff.split("\n")
    ends = [hunk.line - 1 for hunk in found[1:]] + [len(rows) - (rows[-1] == "")]
    texts = ["\n".join(rows[hunk.line - 1 : end]) + "\n" for hunk, end in zip(found, ends, strict=True)]
    names = _contexts(found, before, after)
    return [ShownHunk(name, text) for name, text in zip(names, texts, strict=True)]


def _contexts(hunks: Sequence[Hunk], before: Source | None, after: Source | None) -> list[str | None]:
    """What each hunk is in: by its first new line, or, where it only takes lines away, by the first of those."""
    asked: list[tuple[Source | None, int]] = []
    for hunk in hunks:
        is_adding = any(sign == "+" for sign, _ in hunk.lines)
        wanted, start = ("+", hunk.after_start) if is_adding else ("-", hunk.before_start)
        row = start
        for sign, text in hunk.lines:
            if sign == wanted and text.strip():
                break
            row += sign in (" ", wanted)
        asked.append((after if is_adding else before, row))
    named: list[str | None] = [None] * len(hunks)
    for source in (before, after):
        if source is not None:
            numbers = [number for number, (side, _) in enumerate(asked) if side is source]
            places = _offsets(source.text, [asked[number][1] for number in numbers])
            for number, name in zip(numbers, contexts(source, places), strict=True):
                named[number] = name
    return named


def _offsets(text: str, rows: Sequence[int]) -> list[int]:
    """Where rows, as a diff counts them, have their first letter."""
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    rows = [min(row, len(lines) - 1) for row in rows]
    return [starts[row] + len(lines[row]) - len(lines[row].lstrip(" \t")) for row in rows]


def _fitting(hunks: Sequence[ShownHunk], budget: int) -> list[ShownHunk]:
    """The first hunks that fit; one that is too long by itself is cut behind a line."""
    kept: list[ShownHunk] = []
    room = budget
    for hunk in hunks:
        if len(hunk.diff) <= room:
            kept.append(hunk)
            room -= len(hunk.diff)
            continue
        if not kept:
            cut = _shortened(hunk.diff, room)
            kept += [ShownHunk(hunk.context, cut)] if cut else []
        break
    return kept


def _shortened(diff: str, room: int) -> str:
    end = diff.rfind("\n", 0, max(room - len(_CUT), 0))
    head_end = diff.find("\n")
    return diff[:end] + _CUT if end > head_end else ""


def _size(hunks: Sequence[ShownHunk]) -> int:
    return sum(len(hunk.diff) for hunk in hunks)


def _share(sizes: Sequence[int], total: int) -> int:
    """The largest size to which every diff can be cut so that all of them fit together."""
    waiting = sorted(sizes)
    left = total
    for number, size in enumerate(waiting):
        share = left // (len(waiting) - number)
        if size > share:
            return share
        left -= size
    return max(waiting, default=0)


def _cut_words(kept: Sequence[ShownHunk], count: int) -> str:
    is_cut = bool(kept) and kept[-1].diff.endswith(_CUT)
    whole = len(kept) - is_cut
    if is_cut:
        return (
            f"all but the beginning of hunk {len(kept)} of {count}"
            if count > 1
            else "all but the beginning of its diff"
        )
    return f"{count - whole} of {count} hunks"
