"""A change described in words, in none of the measured formats: which lines, their current text and their new text.

Lines are quoted verbatim, each behind `> `. A change inside one line names the words removed and added, if the line has
them once. Line numbers are those of the file before any change. A description has exactly one result:
`tests/agents/score` follows it to the letter and must get that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.agents.score.task import Task, TaskFile
from steadyhand.lazy import lazy_pattern
from steadyhand.text.diff import Change, diff_rows, shared_rows
from steadyhand.text.lines import split_bodies, split_lines

_WORD = lazy_pattern(r"\w+|\s+|[^\w\s]")
_INTENT = "The author of the change says what it is for:"
_EXACT = (
    "These are all the changes. Line numbers are those of the file as it is now, before any change. Each quoted line "
    "is behind `> `, which is not part of it; what follows is exact, with its indentation. Change nothing else."
)


def describe(task: Task) -> str:
    """What is to be changed in all files of a task."""
    said = [f"{_INTENT}\n\n{_quoted(split_bodies(task.intent))}"] if task.intent else []
    return "\n\n".join([*said, _EXACT, *map(describe_file, task.files)])


def describe_file(file: TaskFile) -> str:
    """What is to be changed in one file, place by place."""
    before, after = split_lines(file.before), split_lines(file.after)
    old, new = split_bodies(file.before), split_bodies(file.after)
    changes = [part for change in diff_rows(before, after) for part in _parts(change, old, new)]
    said = [f"{number}. {_said(change, old, new)}" for number, change in enumerate(changes, 1)]
    count = "one change" if len(said) == 1 else f"{len(said)} changes"
    return "\n\n".join([f"In the file {file.path}, {count}:", *said])


def _parts(change: Change, old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """A replacement of as many lines as it makes, line by line where each is a change of a few words in it."""
    size = change.before_end - change.before_start
    if size == change.after_end - change.after_start and size > 1:
        pairs = [(change.before_start + row, change.after_start + row) for row in range(size)]
        if all(_words(old[one], new[other]) is not None for one, other in pairs):
            yield from (Change(one, one + 1, other, other + 1) for one, other in pairs)
            return
    yield change


def _said(change: Change, old: Sequence[str], new: Sequence[str]) -> str:
    gone, come = old[change.before_start : change.before_end], new[change.after_start : change.after_end]
    first, last = change.before_start + 1, change.before_end
    if not gone:
        what = "one new line" if len(come) == 1 else f"{len(come)} new lines"
        return f"{_where(change.before_start, old)}add {what}:\n\n{_quoted(come)}"
    one = len(gone) == 1
    named = f"Line {first} says" if one else f"Lines {first} to {last} say"
    said = f"{named}:\n\n{_quoted(gone)}\n\n"
    if not come:
        return f"{said}Remove {'this line' if one else f'these {len(gone)} lines'}."
    words = _words(gone[0], come[0]) if one and len(come) == 1 else None
    if words is not None:
        return said + words
    with_what = "this one" if len(come) == 1 else f"these {len(come)}"
    return f"{said}Put {with_what} in {'its' if one else 'their'} place:\n\n{_quoted(come)}"


def _where(row: int, old: Sequence[str]) -> str:
    """The place between two lines, by those that are there."""
    if row == 0:
        return "At the very beginning of the file, before line 1, "
    if row == len(old):
        return f"At the very end of the file, after line {row}, "
    return f"Between line {row} and line {row + 1}, which say\n\n{_quoted(old[row - 1 : row + 1])}\n\n"


def _words(old: str, new: str) -> str | None:
    """What goes and comes inside one line, where few words say it and they leave no doubt; else None.

    >>> _words("retries = 3", "retries = 5")
    'In it, change `3` to `5`.'
    >>> _words("f(3, 3)", "f(3, 4)") is None
    True
    """
    left, right = _WORD.findall(old), _WORD.findall(new)
    start, end = shared_rows(left, right)
    gone, come = "".join(left[start : len(left) - end]), "".join(right[start : len(right) - end])
    is_clear = gone.strip() == gone and come.strip() == come and gone and come and old.count(gone) == 1
    if not is_clear or "`" in gone + come or len(gone) + len(come) > len(old) // 2 + len(new) // 2:
        return None
    return f"In it, change `{gone}` to `{come}`."


def _quoted(rows: Sequence[str]) -> str:
    return "\n".join(f"> {row}" if row else ">" for row in rows)
