"""Changes of files as SEARCH/REPLACE parts: each with as many lines around it as make its place the only one.

What is written is read again and applied before it is given out; what does not come out right that way cannot be said
in this dialect and is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from steadyhand.dialects.dialect import Change, Reader
from steadyhand.dialects.labels import label_in
from steadyhand.dialects.marker.mark import escaped
from steadyhand.dialects.reply import split_reply
from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.plan.request import CreateFile, EditFile
from steadyhand.schema import bad_request
from steadyhand.text.diff import diff_rows

__all__ = ["write_changes"]

_AROUND = (1, 4, 20)  # lines of context, before the whole file is quoted
_TICKS = lazy_pattern(r"^[ \t]*(`{3,})", re.M)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows of the file before, and the rows that come in their place."""

    start: int
    end: int
    other_start: int
    other_end: int

    def widened(self, rows: int, count: int) -> _Stretch:
        """The same with so many more rows at both ends, as far as there are any."""
        up, down = min(rows, self.start), min(rows, count - self.end)
        return _Stretch(self.start - up, self.end + down, self.other_start - up, self.other_end + down)


def write_changes(changes: Sequence[Change], reader: Callable[[], Reader]) -> str:
    """The text for changes; `reader` reads it again. Refuses with `bad-request`."""
    return "\n".join(filter(None, (_write(change, reader) for change in changes)))


def _write(change: Change, reader: Callable[[], Reader]) -> str:
    path, after = change.path_after, change.after
    if path is None or after is None:
        raise _refusal(change, "it cannot delete a file")
    if change.path_before not in (None, path):
        raise _refusal(change, "it cannot rename a file")
    if change.mode_after is not None and change.mode_after != change.mode_before:
        raise _refusal(change, "it has no permission bits")
    if change.before == after:
        return ""
    for text in _texts(change, _label(change, path), after):
        if _is_right(change, text, reader()):
            return text
    raise _refusal(change, "it cannot express these lines or line endings")


def _texts(change: Change, label: str, after: str) -> Iterator[str]:
    """The change as text, with ever more lines around what changes."""
    new = _rows(after)
    if change.before is None:
        yield _rendered(label, (), new)
        return
    old = _rows(change.before)
    counts = Counter(old)
    for around in (*_AROUND, len(old)):
        parts = _stretches(old, new, counts, around)
        yield "\n".join(
            _rendered(label, old[one.start : one.end], new[one.other_start : one.other_end]) for one in parts
        )


def _stretches(old: Sequence[str], new: Sequence[str], counts: Counter[str], around: int) -> list[_Stretch]:
    """What changes, with its surroundings; those that meet become one."""
    found: list[_Stretch] = []
    whole = "\n" + "".join(old)
    for change in diff_rows(old, new):
        place = _Stretch(change.before_start, change.before_end, change.after_start, change.after_end)
        place = place.widened(around, len(old))
        while not _is_plain(old[place.start : place.end], counts, whole) and place.end - place.start < len(old):
            place = place.widened(place.end - place.start + 1, len(old))
        if found and found[-1].end > place.start:
            first = found.pop()
            place = _Stretch(
                first.start, max(first.end, place.end), first.other_start, max(first.other_end, place.other_end)
            )
        found.append(place)
    return found


def _is_plain(rows: Sequence[str], counts: Counter[str], whole: str) -> bool:
    """Whether rows are in one place only, and are not all blank."""
    if not any(row.strip() for row in rows):
        return False
    text = "\n" + "".join(rows)
    return any(counts[row] == 1 for row in rows) or whole.find(text, whole.find(text) + 1) < 0


def _rendered(label: str, old: Sequence[str], new: Sequence[str]) -> str:
    content = "".join((*old, *new))
    fence = "`" * max([3, *(len(found) + 1 for found in _TICKS.findall(content))])
    sides = (_lines(old), _lines(new))
    return f"{label}\n{fence}\n<<<<<<< SEARCH\n{sides[0]}=======\n{sides[1]}>>>>>>> REPLACE\n{fence}\n"


def _lines(rows: Sequence[str]) -> str:
    return "".join(escaped(row) + ("" if row.endswith("\n") else "\n") for row in rows)


def _rows(text: str) -> list[str]:
    """Lines with their endings; only LF ends a line, as in every reply."""
    rows = text.split("\n")
    return [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def _label(change: Change, path: str) -> str:
    for label in (path, f"`{path}`", f"File: `{path}`"):
        if label_in(label) == path:
            return label
    raise _refusal(change, "this name cannot be distinguished from other text")


def _is_right(change: Change, text: str, reader: Reader) -> bool:
    try:
        pieces = [piece for line in split_reply(text) for piece in reader.feed(line)]
        requests = [piece.request for piece in (*pieces, *reader.close())]
    except EditError:
        return False
    if reader.notes or not requests or any(request.path != change.path_after for request in requests):
        return False
    if change.before is None:
        return requests == [CreateFile(change.path_after or "", change.after or "")]
    edits = [one for request in requests if isinstance(request, EditFile) for one in request.edits]
    made = edit(change.before, edits, path=change.path_after, policy=Policy(guards=frozenset()))
    return len(edits) == len(requests) and made.ok and made.text == change.after


def _refusal(change: Change, why: str) -> EditError:
    name = change.path_before or change.path_after or ""
    return bad_request("format", f"{name} cannot be written as SEARCH/REPLACE: {why}", "choose 'unified'")
