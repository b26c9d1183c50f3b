"""Changes written as a V4A patch. Each patch is read back and applied in memory before it is returned.

The format names no line numbers: a passage quotes as much around a change as makes it the only place in the file. It
has no words for permission bits, for an empty new file, and for a last line without its ending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from steadyhand.dialects.dialect import Change
from steadyhand.dialects.signed import Row
from steadyhand.dialects.v4a.rows import edit_of_passage
from steadyhand.errors import EditError
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.schema import bad_request
from steadyhand.text.diff import Change as RowChange
from steadyhand.text.diff import diff_rows

__all__ = ["write_v4a"]

_CONTEXT = 3
_RUNNABLE = 0o111


def write_v4a(changes: Sequence[Change]) -> str:
    """One envelope for all changes; nothing where there are none. Refuses with `bad-request` what cannot be said.

    >>> print(write_v4a([Change("a.txt", "a.txt", "one\\n", "two\\n")]), end="")
    *** Begin Patch
    *** Update File: a.txt
    @@
    -one
    +two
    *** End Patch
    """
    lines = "".join(line for change in changes for line in _section(change))
    return f"*** Begin Patch\n{lines}*** End Patch\n" if lines else ""


def _section(change: Change) -> Iterator[str]:
    old, new = change.path_before, change.path_after
    if change.before is None or old is None:
        yield from _added(change)
    elif change.after is None or new is None:
        yield f"*** Delete File: {_path(old)}\n"
    else:
        _check_mode(new, change)
        if old != new or change.before != change.after:
            yield f"*** Update File: {_path(old)}\n"
        if old != new:
            yield f"*** Move to: {_path(new)}\n"
        if change.before != change.after:
            yield from _passages(new, change.before, change.after)


def _added(change: Change) -> Iterator[str]:
    path, text = change.path_after, change.after
    if path is None or text is None:
        raise bad_request("changes", "a change has no file on either side")
    if not text.endswith("\n"):
        what = "the last line has no ending" if text else "the new file is empty"
        raise _cannot(path, what)
    if change.mode_after is not None and change.mode_after & _RUNNABLE:
        raise _cannot(path, "the new file is executable")
    yield f"*** Add File: {_path(path)}\n"
    yield from (f"+{row}" for row in _split(text))


def _passages(path: str, before: str, after: str) -> Iterator[str]:
    """The change in passages of a few lines or, where those would not do, as one that quotes the whole file."""
    old, new = _split(before), _split(after)
    changes = diff_rows(old, new)
    for passages in (_narrow(old, new, changes, before), [_rows(old, new, changes, 0, len(old))]):
        if _gives(passages, before, after, path):
            for rows in passages:
                yield "@@\n"
                yield from (f"{row.sign}{_ended(row.text)}" for row in rows)
            return
    raise _cannot(path, _reason(before, after))


def _gives(passages: Sequence[Sequence[Row]], before: str, after: str, path: str) -> bool:
    """Whether the passages, as a reader sees them, lead from one text to the other."""
    edits = [edit_of_passage([Row(row.sign, _ended(row.text)) for row in rows]) for rows in passages]
    made = edit(before, edits, path=path, policy=Policy(guards=frozenset()))
    return made.ok and made.text == after


def _narrow(old: Sequence[str], new: Sequence[str], changes: Sequence[RowChange], text: str) -> list[list[Row]]:
    """Passages that quote enough rows around their changes to be the only place; those that meet become one."""
    counts = Counter(old)
    groups: list[tuple[list[RowChange], int, int]] = []
    for change in changes:
        start, end = _alone(old, counts, change, text)
        group = [change]
        while groups and groups[-1][2] >= start:
            earlier, above, below = groups.pop()
            group, start, end = [*earlier, *group], min(start, above), max(end, below)
        groups.append((group, start, end))
    return [_rows(old, new, group, start, end) for group, start, end in groups]


def _alone(old: Sequence[str], counts: Mapping[str, int], change: RowChange, text: str) -> tuple[int, int]:
    """The rows around a change that occur together once in the file; twice as many each time they do not."""
    context = _CONTEXT
    while True:
        start, end = max(change.before_start - context, 0), min(change.before_end + context, len(old))
        rows = old[start:end]
        if len(rows) == len(old) or any(counts[row] == 1 for row in rows) or _is_unique("".join(rows), text):
            return start, end
        context *= 2


def _is_unique(rows: str, text: str) -> bool:
    """Whether rows occur in a text, as whole lines, only once."""
    first = 0 if text.startswith(rows) else text.find("\n" + rows) + 1
    return text.find("\n" + rows, first) < 0


def _rows(old: Sequence[str], new: Sequence[str], changes: Sequence[RowChange], start: int, end: int) -> list[Row]:
    rows: list[Row] = []
    for change in changes:
        rows += [Row(" ", text) for text in old[start : change.before_start]]
        rows += [Row("-", text) for text in old[change.before_start : change.before_end]]
        rows += [Row("+", text) for text in new[change.after_start : change.after_end]]
        start = change.before_end
    return [*rows, *(Row(" ", text) for text in old[start:end])]


def _split(text: str) -> list[str]:
    """Rows as the format has them: they end at LF and nowhere else."""
    rows = text.split("\n")
    last = rows.pop()
    return [*(row + "\n" for row in rows), *([last] if last else [])]


def _ended(row: str) -> str:
    return row if row.endswith("\n") else row + "\n"


def _path(path: str) -> str:
    if not path or path != path.strip() or "\n" in path or "\r" in path:
        raise _cannot(path, "its name cannot be on a line of its own")
    return path


def _check_mode(path: str, change: Change) -> None:
    if None not in (change.mode_before, change.mode_after) and change.mode_before != change.mode_after:
        raise _cannot(path, "its permission bits change")


def _reason(before: str, after: str) -> str:
    if not before.endswith("\n") or not after.endswith("\n"):
        return "a last line without an ending, or with one that changes, cannot be expressed"
    return (
        "its line endings or blank lines would not be preserved"
        if "\r" in before + after
        else "none of its lines is plain"
    )


def _cannot(path: str, what: str) -> EditError:
    return bad_request(path, f"V4A cannot express it: {what}", "write this change in another format, such as unified")
