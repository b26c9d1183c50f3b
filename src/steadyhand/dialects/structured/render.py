"""Changes written as our own JSON requests: whole lines of old text, with as many around them as make them unique.

What is written is tried on the text before; a change that would not come out to the letter is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from steadyhand.dialects.dialect import Change
from steadyhand.errors import EditError
from steadyhand.lazy import lazy_pattern
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import (
    ChangeMode,
    CreateFile,
    DeleteFile,
    EditFile,
    FileRequest,
    RenameFile,
    Requests,
)
from steadyhand.schema import bad_request
from steadyhand.text.diff import Change as Changed
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import split_lines
from steadyhand.text.source import Source

__all__ = ["write_json"]

_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def write_json(changes: Sequence[Change]) -> str:
    """The changes as one JSON object. Refuses with `bad-request` what our requests cannot say.

    >>> write_json([Change("a", None, "x", None)])
    '{\\n  "files": [\\n    {\\n      "path": "a",\\n      "delete": true\\n    }\\n  ]\\n}\\n'
    """
    files = tuple(request for change in changes for request in _requests(change))
    if not files:
        raise bad_request("changes", "there is nothing to write", "at least one change")
    text = json.dumps(Requests(files).to_json(), indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def _requests(change: Change) -> Iterator[FileRequest]:
    before, after = change.path_before, change.path_after
    if before is None and after is not None:
        yield CreateFile(after, change.after or "", change.mode_after)
    elif after is None and before is not None:
        yield DeleteFile(before)
    elif after is not None and before is not None:
        if before != after:
            yield RenameFile(before, after)
        if change.before != change.after:
            yield EditFile(after, _edits(change.before or "", change.after or "", after))
        if change.mode_after is not None and change.mode_after != change.mode_before:
            yield ChangeMode(after, change.mode_after)


def _edits(before: str, after: str, path: str) -> tuple[Edit, ...]:
    """Edits that turn one text into the other: of the lines that differ, or else of the whole text."""
    rows, new_rows = split_lines(before), split_lines(after)
    for edits in (_widened(before, rows, new_rows), (Replace(before, after),)):
        made = plan(Source.of_text(before), edits, Policy(tier="newline", guards=frozenset()))
        if made.ok and made.after.text == after:
            return tuple(edits)
    raise _unsayable(path)


def _widened(before: str, rows: Sequence[str], new_rows: Sequence[str]) -> tuple[Edit, ...]:
    """An edit for each stretch that differs, from the bottom to the top."""
    joined: list[Changed] = []
    for change in diff_rows(rows, new_rows):
        wide = _widen(before, rows, change)
        while joined and joined[-1].before_end > wide.before_start:
            last = joined.pop()
            wide = Changed(last.before_start, wide.before_end, last.after_start, wide.after_end)
        joined.append(wide)
    return tuple(
        Replace("".join(rows[one.before_start : one.before_end]), "".join(new_rows[one.after_start : one.after_end]))
        for one in reversed(joined)
    )


def _widen(before: str, rows: Sequence[str], change: Changed) -> Changed:
    """The change with as many lines around it as its old text needs to match one place only."""
    reach = 0 if change.before_start < change.before_end else 1
    while True:
        above = min(reach, change.before_start)
        below = min(reach, len(rows) - change.before_end)
        wide = Changed(
            change.before_start - above, change.before_end + below, change.after_start - above, change.after_end + below
        )
        old = "".join(rows[wide.before_start : wide.before_end])
        if _is_unique(before, old) or (wide.before_start == 0 and wide.before_end == len(rows)):
            return wide
        reach = reach * 2 or 1


def _is_unique(text: str, old: str) -> bool:
    at = text.find(old) if old else -1
    return at >= 0 and text.find(old, at + 1) < 0


def _unsayable(path: str) -> EditError:
    return bad_request(
        "changes", f"{path}: edits would not produce exactly this text", "write a unified diff, or the whole file"
    )
