"""Text in the files of a directory, as the search tools show it: bounded in hits, bytes and time, and saying when cut.

Ignored files, links, secrets and what is no text are passed over. A line that is shown whole counts as read by the
task; of a line that is shown in part, nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.schema import Field, Many, Number, Object, Text
from steadyhand.text.source import Source
from steadyhand.text.visible import clip
from steadyhand.tools.call import Call
from steadyhand.tools.globbing import read_glob
from steadyhand.tools.listing import listing_of
from steadyhand.tools.patterns import LONGEST_LINE, LinePattern, LiteralText, read_query
from steadyhand.workspace.deadline import Deadline
from steadyhand.workspace.protection import classify

__all__ = ["HITS_AT_MOST", "HITS_USUALLY", "MATCHES", "search_text"]

HITS_USUALLY: Final = 100
HITS_AT_MOST: Final = 1_000
_SECONDS: Final = 4.0
_MOST_BYTES: Final = 256 * 1024 * 1024
_LARGEST_FILE: Final = 16 * 1024 * 1024

MATCHES = Many(
    Object(
        (
            Field("path", Text(), required=True),
            Field("line", Number(), "From 1.", required=True),
            Field("column", Number(), "From 1.", required=True),
            Field("text", Text(), "The line; … where it is cut.", required=True),
        )
    )
)


def search_text(
    call: Call,
    query: str,
    *,
    is_regex: bool = False,
    glob: str | None = None,
    path: str | None = None,
    max: int | None = None,
) -> dict[str, object]:
    """`matches`, `filesSearched` and, where something was not looked at or not shown, `cut` and `leftOut`.

    Refuses with `bad-request` a query or glob that cannot be meant, with `timed-out` a pattern that takes too long,
    with `no-such-file` a path that is neither file nor directory.
    """
    wanted = read_query(query, is_regex=is_regex)
    files, stopped = _files(call, path, glob)
    search = _Search(call, wanted, HITS_USUALLY if max is None else max, Deadline.after(_SECONDS), stopped)
    for file in files:
        if not search.look(file):
            break
    return search.told()


def _files(call: Call, path: str | None, glob: str | None) -> tuple[list[str], str | None]:
    """The files to look through, and why they are not all."""
    try:
        listing = listing_of(call, path, glob)
    except EditError as error:
        if error.kind is not Kind.NO_SUCH_FILE or not path:
            raise
        return [_one_file(call, path)], None
    globs = read_glob(glob, listing.directory)
    return [file for file in listing.files if globs.match(file)], listing.cut


def _one_file(call: Call, path: str) -> str:
    """The file that a path names, if it may be looked through; refuses as reading it would."""
    source = call.workspace.source(call.path(path))
    file = source.path or path
    if classify(file).secret:
        raise EditError(Kind.PROTECTED_PATH, f"{file} holds secrets", hint="search other files", details={"path": file})
    return file


@dataclass(slots=True)
class _Search:
    """One search in progress: what was found, and what it has cost."""

    call: Call
    wanted: LiteralText | LinePattern
    most: int
    deadline: Deadline
    stopped: str | None
    matches: list[dict[str, object]] = field(default_factory=list)
    searched: int = 0
    size: int = 0
    passed: dict[str, int] = field(default_factory=dict)

    def look(self, path: str) -> bool:
        """Look through one file; false: it is enough."""
        self.call.workspace.tick()
        source = self._source(path)
        if source is not None:
            self.searched += 1
            self.size += len(source.text)
            if not self._take(path, source):
                return False
        if self.deadline.is_over or self.size > _MOST_BYTES:
            over = "time" if self.deadline.is_over else "amount of text"
            self.stopped = f"the {over} for one search is used up at {path}: narrow it by path or glob"
            return False
        return True

    def told(self) -> dict[str, object]:
        facts: dict[str, object] = {"matches": self.matches, "filesSearched": self.searched}
        if self.passed:
            facts["leftOut"] = ", ".join(f"{count} {what}" for what, count in sorted(self.passed.items()))
        return facts | ({"cut": self.stopped} if self.stopped else {})

    def _source(self, path: str) -> Source | None:
        """The file's text; None where it is passed over."""
        try:
            if classify(path).secret:
                raise EditError(Kind.PROTECTED_PATH, f"{path} holds secrets")
            self.call.check_ending(path)
            source = self.call.workspace.source(path)
        except EditError as error:
            self._pass(_PASSED.get(error.kind, "not readable"))
            return None
        if len(source.text) > _LARGEST_FILE:
            self._pass("too large")
            return None
        return source

    def _take(self, path: str, source: Source) -> bool:
        bodies = source.lines
        whole: list[int] = []
        is_enough = False
        for line, column in self._found(path, source.text):
            if len(self.matches) >= self.most:
                self.stopped = f"only the first {self.most} hits are shown: narrow it, or ask for more with max"
                is_enough = True
                break
            body = bodies[line - 1]
            shown = clip(body, column - 1)
            self.matches.append({"path": path, "line": line, "column": column, "text": shown})
            if shown == body:
                whole.append(line)
        if whole:
            self.call.workspace.saw_each(source, whole)
        return not is_enough

    def _found(self, path: str, text: str) -> Iterator[tuple[int, int]]:
        if isinstance(self.wanted, LinePattern) and self.wanted.overlooks(text):
            self._pass(f"looked at only to character {LONGEST_LINE} of a line")
        try:
            yield from self.wanted.find(text, self.deadline)
        except EditError as error:
            raise error.with_details(path=path) from None

    def _pass(self, what: str) -> None:
        self.passed[what] = self.passed.get(what, 0) + 1


_PASSED: Final = {
    Kind.NOT_TEXT: "not text",
    Kind.PROTECTED_PATH: "protected",
    Kind.NOT_ALLOWED: "not allowed here",
    Kind.TOO_LARGE: "too large",
}
