"""The audit of one file as an article: whether it was updated, by which patch, and for which reasons.

    updated    the records changed it: its text, its name or its mode is another, whatever was refused afterwards
    unchanged  it was worked on and is as it was: what was done was undone or took itself back; the only refusals were
               that nothing needed to be done; or it was read, or there is evidence, and nobody asked for a change
    failed     every call was refused, and not because nothing needed to be done
    skipped    nobody asked for anything, and nobody read all of it

`error` is told where the last call was refused, in whatever state that left the file.

Each group of changed lines in the patch is tied to the reasons of the edits that had a hand in it, also where later
edits moved its lines. An edit whose effect is gone from the patch is in `editReasons` and in no group. Where others
changed the same text in between there is no one patch: then the patches of the records follow one another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.session.attempts import Attempt, Refused
from steadyhand.session.history import History
from steadyhand.session.net import Net, Passage, net_of, notes_of
from steadyhand.text.span import Span
from steadyhand.text.unified import parse_unified, render_unified

__all__ = ["FIELDS", "Tried", "article_of"]

FIELDS = ("jrn", "path", "status", "evidence", "editReasons", "hunkReasons", "toolUsage", "error", "patch")

Status = Literal["updated", "unchanged", "skipped", "failed"]
Groups = list[dict[str, object]]

_NEEDLESS = {str(Kind.NO_CHANGE), str(Kind.ALREADY_APPLIED)}


@dataclass(slots=True)
class Tried:
    """What was tried on a file: calls and refusals by tool, how the last call ended, and what is said for evidence.

    `is_read`: somebody has read all of it.
    """

    usage: dict[str, list[int]] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    error: Refused | None = None
    evidence: list[object] = field(default_factory=list)
    is_read: bool = False

    def add(self, attempt: Attempt, names: frozenset[str]) -> None:
        """Count a call that was about the file, which had these names."""
        refused = next((said for path, said in attempt.refused.items() if path in names), None)
        is_applied = bool(names & attempt.changed)
        if refused is None and not is_applied:
            return
        counts = self.usage.setdefault(attempt.tool, [0, 0])
        counts[0] += 1
        counts[1] += not is_applied
        self.error = None if is_applied else refused
        self.kinds |= {refused.kind} if refused is not None and not is_applied else set()

    def take(self, other: Tried) -> None:
        """What was tried on the file under another name, before this."""
        self.error = self.error if self.calls else other.error
        for tool, counts in other.usage.items():
            mine = self.usage.setdefault(tool, [0, 0])
            mine[0] += counts[0]
            mine[1] += counts[1]
        self.kinds |= other.kinds
        self.evidence = other.evidence + self.evidence
        self.is_read |= other.is_read

    @property
    def calls(self) -> int:
        return sum(calls for calls, _ in self.usage.values())

    def tool_usage(self) -> dict[str, object]:
        return {tool: {"calls": calls, "refused": refused} for tool, (calls, refused) in sorted(self.usage.items())}


@dataclass(frozen=True, slots=True)
class _Told:
    """What the records of a file come to."""

    is_changed: bool
    patch: str = ""
    groups: Groups = field(default_factory=list)
    text: str | None = None


def article_of(
    path: str,
    way: Sequence[Passage],
    tried: Tried,
    history: History,
    *,
    is_secret: bool,
    read: Callable[[], str | None],
) -> dict[str, object]:
    """The audit of a file whose records are `way`; `read` gives its present text, where there is one to be shown."""
    chosen = [passage for passage in way if passage.is_chosen]
    hidden = is_secret or any(passage.change.redacted for passage in way)
    told = _told(path, way, chosen, history, hidden=hidden) if chosen else _Told(is_changed=False)
    standing = [p for p in chosen if p.entry.record.verb == "edit" and p.entry.undone_by is None]
    reasons = [note.reason for passage in standing for note in notes_of(passage) if note.reason]
    entry: dict[str, object] = {
        "jrn": _name_in_front(path, None if hidden else read() or told.text) or path,
        "path": path,
        "status": _status(told, chosen, tried),
        "evidence": list(tried.evidence),
        "patch": told.patch,
        "editReasons": reasons,
        "hunkReasons": told.groups,
        "toolUsage": tried.tool_usage(),
    }
    return entry if tried.error is None else {**entry, "error": tried.error.to_json()}


def _status(told: _Told, chosen: Sequence[Passage], tried: Tried) -> Status:
    if told.is_changed:
        return "updated"
    if chosen or tried.kinds & _NEEDLESS == tried.kinds != set():
        return "unchanged"
    if tried.calls:
        return "failed"
    return "unchanged" if tried.evidence or tried.is_read else "skipped"


def _told(path: str, way: Sequence[Passage], chosen: Sequence[Passage], history: History, *, hidden: bool) -> _Told:
    first, last = chosen[0].change.before, chosen[-1].change.after
    moved = (first and (first.path, first.mode)) != (last and (last.path, last.mode))
    differs = moved or (first and first.digest) != (last and last.digest)
    if hidden:
        return _Told(differs, f"# {path}: the content is not shown\n" if differs else "")
    try:
        net = net_of(way, history.replays)
    except EditError as error:
        return _Told(differs, f"# {path}: {error.message}\n" if differs else "")
    if net is None:
        return _apart(chosen, history)
    before, after = net.before, net.after
    if before == after and not moved:
        return _Told(is_changed=False, text=after)
    sides = [state.path if state is not None else None for state in (first, last)]
    modes = [state.mode if state is not None else None for state in (first, last)]
    patch = render_unified(before, after, *sides, mode_before=modes[0], mode_after=modes[1])
    groups = _groups(patch, net) if before != after else []
    return _Told(is_changed=True, patch=patch, groups=groups, text=after or before)


def _apart(chosen: Sequence[Passage], history: History) -> _Told:
    """The standing records one after another, each with its own reasons."""
    patches: list[str] = []
    groups: Groups = []
    for passage in chosen:
        if passage.entry.record.verb != "edit" or passage.entry.undone_by is not None:
            continue
        patch = history.file_diff(passage.entry, passage.change, git=True)
        patches.append(patch)
        if "\n@@ " in patch:
            net = net_of([Passage(passage.entry, passage.change)], history.replays)
            groups += _groups(patch, net) if net is not None else []
    return _Told(bool(patches), "".join(patches), groups)


def _groups(patch: str, net: Net) -> Groups:
    """Each group of the patch, by its `@@` line, with the reasons of the edits that had a hand in it."""
    rows = _Rows(net.after)
    lines = patch.split("\n")
    found = parse_unified(patch).hunks
    heads = [lines[group.line - 1] for group in found]
    places = [list(_changed_rows(group.after_start, group.lines)) for group in found]
    made: list[set[int]] = [set() for _ in found]
    for span, edits in zip(net.changes.after_spans(), net.authors(), strict=True):
        made[_nearest(rows.of(span), places)].update(edits)
    reasons = [dict.fromkeys(net.written[edit].reason for edit in sorted(edits)) for edits in made]
    return [
        {"hunk": head, "reasons": [reason for reason in given if reason]}
        for head, given in zip(heads, reasons, strict=True)
    ]


def _changed_rows(row: int, lines: Sequence[tuple[str, str]]) -> Iterator[int]:
    """The rows of the text after that a group writes, and those before which it takes something away."""
    for sign, _ in lines:
        if sign != " ":
            yield row
        row += sign != "-"


def _nearest(rows: tuple[int, int], places: Sequence[Sequence[int]]) -> int:
    """The group that changes one of these rows. A diff may show equal lines elsewhere: then the nearest group."""
    first, last = rows
    distances = [min(max(first - row, row - last, 0) for row in place) for place in places]
    return distances.index(min(distances))


class _Rows:
    """In which rows a place stands, counted as a diff does."""

    def __init__(self, text: str) -> None:
        self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))

    def of(self, span: Span) -> tuple[int, int]:
        first = bisect_right(self._starts, span.start) - 1
        return first, first if span.is_empty else bisect_right(self._starts, span.end - 1) - 1


def _name_in_front(path: str, text: str | None) -> str | None:
    """What an article calls itself: the key `jrn` of its front matter, or of a comment that has it."""
    from steadyhand.structure.markdown.stated import stated  # few files say anything about themselves

    said = None if text is None or "jrn" not in text else stated(path, text)
    jrn = None if said is None else said.jrn
    return str(jrn) if isinstance(jrn, str | int) and not isinstance(jrn, bool) and str(jrn) else None
