"""Unified diffs: a change written the way git and patch read it, and read back exactly.

Lines end at LF only here, because git and patch split nowhere else; a CR is a character of its line.
The reader is strict: every position is where the diff says and every quoted line is there, or it refuses.
Nothing here searches for a place, and nothing tolerates what a model misremembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import Change, diff_rows, shared_ends
from steadyhand.text.githeader import GitHeader
from steadyhand.text.gitname import quote_name, unquote_name
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized

__all__ = ["FileDiff", "Hunk", "changeset_from_unified", "parse_unified", "render_changes", "render_unified"]

_NO_NEWLINE = "\\ No newline at end of file\n"
_RANGES = lazy_pattern(r"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: .*)?\Z", re.DOTALL)
_GIT_NAMES = lazy_pattern(r'diff --git ("(?:[^"\\]|\\.)*"|a/.*) ("(?:[^"\\]|\\.)*"|b/.*)\Z', re.DOTALL)
_GIT_LINES = ("index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index ", "copy from ", "copy to ")


_BESIDE = 2  # lines beyond the context that are looked at, which are enough for most changes
_AROUND = 64  # and for a diff to have room to slide


@sized("lines")
@dataclass(frozen=True, slots=True)
class Hunk:
    """One group of lines: each a sign (blank, `-` or `+`) and the text with its LF, if it has one.

    `line` is the 1-based line of the diff where its `@@` is.
    """

    before_start: int
    after_start: int
    lines: tuple[tuple[str, str], ...]
    line: int


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A diff of one file; a path is None where the file does not exist on that side."""

    path_before: str | None
    path_after: str | None
    hunks: tuple[Hunk, ...]


def render_unified(
    before: Source | str,
    after: Source | str,
    path_before: str | None,
    path_after: str | None,
    *,
    context: int = 3,
    mode: str = "100644",
    git: bool = False,
    mode_before: int | None = None,
    mode_after: int | None = None,
) -> str:
    """The diff of two texts; a path of None stands for a file that is not there. Empty when nothing differs.

    With `git` plain edits have git's header line too, so that several diffs may follow one another.
    `mode_before` and `mode_after` are permission bits: reported where they differ, and of a file that comes or goes;
    `mode` stands for those that are not given.

    >>> print(render_unified("a\\nb\\n", "a\\nc\\n", "x.txt", "x.txt"), end="")
    --- a/x.txt
    +++ b/x.txt
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    old = before if isinstance(before, str) else before.text
    new = after if isinstance(after, str) else after.text
    body = "".join(_hunks(old, new, context)) if old != new else ""
    return _assembled(GitHeader(path_before, path_after, mode_before, mode_after, mode), body, git=git)


def render_changes(
    after: Source | str,
    changes: ChangeSet,
    path_before: str | None,
    path_after: str | None,
    *,
    context: int = 3,
    git: bool = False,
    mode_before: int | None = None,
    mode_after: int | None = None,
) -> str:
    """The diff of a change set, from the text it led to: only the neighbourhood of the changes is looked at."""
    made = Source.of_text(after) if isinstance(after, str) else after
    old, new, above = _window(made, changes, context) or (changes.invert().apply(made.text), made.text, 0)
    body = "".join(_hunks(old, new, context, above)) if old != new else ""
    return _assembled(GitHeader(path_before, path_after, mode_before, mode_after), body, git=git)


def parse_unified(diff: str) -> FileDiff:
    """Read a well-formed diff of one file; anything else is `malformed-patch` with `details["line"]`."""
    return _Reader(diff).file()


def changeset_from_unified(text: str, diff: str) -> ChangeSet:
    """The change set a diff of one file describes, for exactly this text.

    Refuses with `malformed-patch`, and with `stale-source` where a quoted line is not there.

    >>> changeset_from_unified("a\\nb\\n", "--- a/x\\n+++ b/x\\n@@ -2 +2 @@\\n-b\\n+c\\n").apply("a\\nb\\n")
    'a\\nc\\n'
    """
    rows = _split(text)
    starts = list(accumulate(map(len, rows), initial=0))
    splices: list[Splice] = []
    row = delta = 0
    for hunk in parse_unified(diff).hunks:
        if hunk.before_start < row or hunk.after_start != hunk.before_start + delta:
            raise _malformed(hunk.line, "the line numbers do not continue from those before")
        for first, old, new in _replacements(hunk, rows):
            splices.append(Splice(starts[first], old, new))
        before = sum(sign != "+" for sign, _ in hunk.lines)
        row = hunk.before_start + before
        delta += sum(sign != "-" for sign, _ in hunk.lines) - before
    return ChangeSet.of(splices)


def _split(text: str) -> list[str]:
    rows = text.split("\n")
    last = rows.pop()
    rows = [row + "\n" for row in rows]
    return [*rows, last] if last else rows


def _assembled(header: GitHeader, body: str, *, git: bool) -> str:
    """The header lines a body needs, and the body; nothing at all where nothing differs."""
    lines = header.lines() if header.says_something or (git and body) else ()
    names = f"--- {_label('a/', header.path_before)}\n+++ {_label('b/', header.path_after)}\n" if body else ""
    return "".join(lines) + names + body


def _window(after: Source, changes: ChangeSet, context: int) -> tuple[str, str, int] | None:
    """Both sides around the changes, and how many lines are above; None where the neighbourhood is not enough.

    It is not where changed lines are repeated so often that the diff may slide out of the window.
    """
    spans = changes.after_spans()
    if not spans:
        return None
    near, first = after.near(Span(spans[0].start, spans[-1].end), context + _AROUND + 1)
    text = near.text
    for around in (_BESIDE, _AROUND):
        start = _lines_back(text, spans[0].start - first, context + around)
        end = _lines_on(text, spans[-1].end - first, context + around)
        new = text[start:end]
        moved = start + first
        old = ChangeSet(tuple(splice.shift(-moved) for splice in changes.invert().splices)).apply(new)
        head, tail = shared_ends(old, new)
        is_framed = (moved == 0 or new.count("\n", 0, head) >= context) and (
            first + end == after.length or new.count("\n", len(new) - tail) > context
        )
        if is_framed:
            return old, new, after.feeds_before(moved)
    return None


def _hunks(before: str, after: str, context: int, above: int = 0) -> Iterator[str]:
    head, tail = shared_ends(before, after)
    lead = _split(before[_lines_back(before, head, context) : head])
    end = len(before) - tail
    trail = _split(before[end : _lines_on(before, end, context)])
    old, new = _split(before[head:end]), _split(after[head : len(after) - tail])
    changes = diff_rows(old, new)
    base = above + before.count("\n", 0, head) - len(lead)
    old, new = [*lead, *old, *trail], [*lead, *new, *trail]
    shifted = [change.shift(len(lead)) for change in changes]
    for group in _groups(shifted, 2 * context):
        yield from _hunk(group, old, new, base, context)


def _lines_back(text: str, offset: int, count: int) -> int:
    for _ in range(count):
        offset = text.rfind("\n", 0, max(offset - 1, 0)) + 1
    return offset


def _lines_on(text: str, offset: int, count: int) -> int:
    for _ in range(count):
        ending = text.find("\n", offset)
        offset = len(text) if ending < 0 else ending + 1
    return offset


def _groups(changes: Sequence[Change], gap: int) -> Iterator[list[Change]]:
    group: list[Change] = []
    for change in changes:
        if group and change.before_start - group[-1].before_end > gap:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: list[Change], old: list[str], new: list[str], base: int, context: int) -> Iterator[str]:
    start = max(group[0].before_start - context, 0)
    end = min(group[-1].before_end + context, len(old))
    after_start = start + group[0].after_start - group[0].before_start
    after_end = end + group[-1].after_end - group[-1].before_end
    yield f"@@ -{_range(base + start, end - start)} +{_range(base + after_start, after_end - after_start)} @@\n"
    row = start
    for change in group:
        yield from _signed(" ", old[row : change.before_start])
        yield from _signed("-", old[change.before_start : change.before_end])
        yield from _signed("+", new[change.after_start : change.after_end])
        row = change.before_end
    yield from _signed(" ", old[row:end])


def _range(start: int, count: int) -> str:
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"  # an empty range is named by the line before it


def _signed(sign: str, rows: Sequence[str]) -> Iterator[str]:
    for row in rows:
        yield sign + row if row.endswith("\n") else f"{sign}{row}\n{_NO_NEWLINE}"


def _label(prefix: str, path: str | None) -> str:
    if path is None:
        return "/dev/null"
    return quote_name(prefix + path) + ("\t" if " " in path else "")  # the tab ends a name that holds blanks


def _replacements(hunk: Hunk, rows: list[str]) -> Iterator[tuple[int, str, str]]:
    """Each run of `-` and `+` as (first row, old, new), after every quoted line was found where it should be."""
    row = first = hunk.before_start
    old: list[str] = []
    new: list[str] = []
    if row > len(rows):
        raise _stale(row, "", None)
    for sign, text in hunk.lines:
        if sign != "+" and (row >= len(rows) or rows[row] != text):
            raise _stale(row, text, rows[row] if row < len(rows) else None)
        if sign == " " and (old or new):
            yield first, "".join(old), "".join(new)
            old, new = [], []
        row += sign != "+"
        if sign == " ":
            first = row
        else:
            (old if sign == "-" else new).append(text)
    if row == len(rows):
        _check_seam(rows, first, old, new)
    elif hunk.lines and any(sign != "-" and not text.endswith("\n") for sign, text in hunk.lines):
        raise _stale(row, "", rows[row])
    if old or new:
        yield first, "".join(old), "".join(new)


def _check_seam(rows: list[str], first: int, old: list[str], new: list[str]) -> None:
    """At the end of the file: a last line without LF must not be joined with what is added after it."""
    if new and not old and first and not rows[first - 1].endswith("\n"):
        raise _stale(first - 1, rows[first - 1] + "\n", rows[first - 1])


class _Reader:
    def __init__(self, diff: str) -> None:
        self._rows = diff.split("\n")
        if self._rows[-1] == "":
            self._rows.pop()
        self._at = 0

    def file(self) -> FileDiff:
        before, after, is_git = self._names_by_git()
        if self._peek("--- "):
            before = self._name("--- ", "a/")
            if not self._peek("+++ "):
                raise _malformed(self._at + 1, "a +++ line must follow the --- line")
            after = self._name("+++ ", "b/")
        elif not is_git:
            raise _malformed(self._at + 1, "there is no --- line")
        hunks: list[Hunk] = []
        while self._at < len(self._rows):
            hunks.append(self._hunk())
        if not hunks and not is_git:
            raise _malformed(self._at + 1, "there is no @@ line")
        return FileDiff(before, after, tuple(hunks))

    def _peek(self, prefix: str) -> bool:
        return self._at < len(self._rows) and self._rows[self._at].startswith(prefix)

    def _names_by_git(self) -> tuple[str | None, str | None, bool]:
        if not self._peek("diff --git "):
            return None, None, False
        before, after = self._git_names()
        self._at += 1
        while self._at < len(self._rows) and not self._peek("--- "):
            row = self._rows[self._at]
            if row.startswith("new file mode "):
                before = None
            elif row.startswith("deleted file mode "):
                after = None
            elif row.startswith("rename from "):
                before = self._plain_name(row.removeprefix("rename from "))
            elif row.startswith("rename to "):
                after = self._plain_name(row.removeprefix("rename to "))
            elif not row.startswith(_GIT_LINES):
                break
            self._at += 1
        return before, after, True

    def _git_names(self) -> tuple[str | None, str | None]:
        row = self._rows[self._at]
        names = row.removeprefix("diff --git ")
        half = len(names) // 2
        if names[:half][2:] == names[half + 1 :][2:] and names[half : half + 1] == " ":
            pair = (names[:half], names[half + 1 :])  # one name twice: no doubt about blanks in it
        elif found := _GIT_NAMES.match(row):
            pair = (found.group(1), found.group(2))
        else:
            raise _malformed(self._at + 1, "the file names cannot be read")
        return self._plain_name(pair[0], "a/"), self._plain_name(pair[1], "b/")

    def _name(self, marker: str, prefix: str) -> str | None:
        name = self._rows[self._at].removeprefix(marker)
        name = name.rstrip("\t") if name.startswith('"') else name.partition("\t")[0]
        path = None if name == "/dev/null" else self._plain_name(name, prefix)
        self._at += 1
        return path

    def _plain_name(self, name: str, prefix: str = "") -> str:
        plain = unquote_name(name)
        if not plain:
            raise _malformed(self._at + 1, "the file name is not readable")
        return plain.removeprefix(prefix)

    def _hunk(self) -> Hunk:
        line = self._at + 1
        found = _RANGES.match(self._rows[self._at])
        if found is None:
            raise _malformed(line, "this is neither a line of the diff nor an @@ line")
        before, before_count, after, after_count = (1 if part is None else int(part) for part in found.groups())
        if (before_count and not before) or (after_count and not after):
            raise _malformed(line, "lines are numbered from 1")
        self._at += 1
        lines = tuple(self._lines(before_count, after_count))
        for side in ("-", "+"):
            texts = [text for sign, text in lines if sign in (" ", side)]
            if not all(text.endswith("\n") for text in texts[:-1]):
                raise _malformed(line, "a line without newline is not the last")
        return Hunk(before - (before_count > 0), after - (after_count > 0), lines, line)

    def _lines(self, before: int, after: int) -> Iterator[tuple[str, str]]:
        """As many lines as the `@@` line counts on each side."""
        while before or after:
            row = self._rows[self._at] if self._at < len(self._rows) else ""
            sign = row[:1]
            before -= sign in (" ", "-")
            after -= sign in (" ", "+")
            if sign not in (" ", "-", "+") or before < 0 or after < 0:
                raise _malformed(self._at + 1, "the number of lines is not what the @@ line says")
            self._at += 1
            ends = not self._peek("\\")
            self._at += not ends
            yield sign, row[1:] + ("\n" if ends else "")


def _malformed(line: int, what: str) -> EditError:
    return EditError(
        Kind.MALFORMED_PATCH,
        f"line {line} of the diff: {what}",
        hint="send a unified diff of one file: a --- line, a +++ line, then @@ groups whose counts are right",
        details={"line": line},
    )


def _stale(row: int, expected: str, actual: str | None) -> EditError:
    return EditError(
        Kind.STALE_SOURCE,
        f"line {row + 1} of the file is not the line the diff quotes",
        hint="read the file again and make the diff for its current text",
        details={"line": row + 1, "expected": expected[:200], "actual": None if actual is None else actual[:200]},
    )
