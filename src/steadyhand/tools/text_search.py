"""Text in the files of a directory, as the search tools show it: bounded in hits, bytes and time, and saying when cut.

Ignored files, links, secrets and what is no text are passed over. A line that is shown whole counts as read by the
task; of a line that is shown in part, nothing does. A pattern is looked for in one line at a time, under a limit; what
would let the engine run away all the same is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.schema import Field, Many, Number, Object, Text, bad_request
from steadyhand.session.host import host_of
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.visible import clip
from steadyhand.tools.file_views import listing_of, read_glob
from steadyhand.tools.tool import Call
from steadyhand.workspace.budget import Deadline
from steadyhand.workspace.files.protection import classify

if TYPE_CHECKING:
    import regex


# What a search looks for: a text as it is, or a regular expression that cannot take more time or memory than it may.
#
# A pattern is looked for in one line at a time, cut where it is very long, each time under a limit. What would let the
# engine run away all the same is refused: recursion, approximate matching, counts that multiply, too many groups.

LONGEST_LINE: Final = 20_000
_LONGEST: Final = 1_000
_SECONDS_A_LINE: Final = 0.25
_LARGEST: Final = 250_000
_MOST_GROUPS: Final = 100
_SIMPLER: Final = "send a simpler one"
_CALLS: Final = lazy_pattern(r"\(\?(?:R|[+-]?[0-9]+|&|P>)")
_ROUGHLY: Final = lazy_pattern(r"\{(?=[^{}]*[eids])[0-9eids<=+, ]+(?::[^{}]*)?\}")
_COUNT: Final = lazy_pattern(r"\{([0-9]+),?([0-9]+)?\}|\{,([0-9]+)\}")

Found = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LiteralText:
    """A text that is looked for as it is; it may span lines."""

    text: str

    def find(self, text: str, deadline: Deadline) -> Iterator[Found]:
        """Where it occurs, as line and column from 1, once for each line it begins in, until the deadline.

        >>> list(LiteralText("b").find("abb\\r\\nb", Deadline.after(1)))
        [(1, 2), (2, 1)]
        """
        if "\r" in text:  # a line for a line, so that lines and columns stay what they are
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        start = line = 0
        while (at := text.find(self.text, start)) >= 0 and not deadline.is_over:
            line += text.count("\n", start, at)
            begin = text.rfind("\n", 0, at) + 1
            yield line + 1, at - begin + 1
            start = text.find("\n", at) + 1
            if start == 0:
                return
            line += 1


@dataclass(frozen=True, slots=True)
class LinePattern:
    """A regular expression that is looked for within lines."""

    pattern: regex.Pattern[str]

    def find(self, text: str, deadline: Deadline) -> Iterator[Found]:
        """Where it fits, likewise. Refuses with `timed-out` a pattern that takes too long in one line."""
        for line, body in enumerate(split_bodies(text), 1):
            if deadline.is_over:
                return
            try:
                found = self.pattern.search(body[:LONGEST_LINE], timeout=_SECONDS_A_LINE)
            except TimeoutError:
                raise _too_slow(line) from None
            if found is not None:
                yield line, found.start() + 1

    def overlooks(self, text: str) -> bool:
        """Whether a line is too long to be looked at whole."""
        return len(text) > LONGEST_LINE and any(len(body) > LONGEST_LINE for body in split_bodies(text))


def read_query(query: str, *, is_regex: bool) -> LiteralText | LinePattern:
    """What to look for. Refuses with `bad-request`, for a broken pattern with the position."""
    if not query:
        raise bad_request("query", "it is empty", "send the text to look for")
    if not is_regex:
        return LiteralText(query.replace("\r\n", "\n").replace("\r", "\n"))
    _check(query)
    import regex

    try:
        return LinePattern(regex.compile(query))
    except regex.error as error:
        raise _broken(getattr(error, "msg", "it is broken"), getattr(error, "pos", None)) from None
    except (RecursionError, OverflowError, ValueError, KeyError, MemoryError):
        raise bad_request("query", "the pattern cannot be read", _SIMPLER) from None


def _check(query: str) -> None:
    """Refuse what the engine can be made to run away with; what only looks so goes with it."""
    if len(query) > _LONGEST or query.count("(") > _MOST_GROUPS:
        raise bad_request("query", f"the pattern is longer than {_LONGEST} characters or has too many groups", _SIMPLER)
    plain = re.sub(r"\\.", "__", query, flags=re.DOTALL)
    for refused, what in ((_CALLS, "a pattern that calls itself"), (_ROUGHLY, "an approximate pattern")):
        if found := refused.search(plain):
            hint = "write it without; put a backslash before a literal brace or parenthesis"
            raise _broken(f"{what} is not taken", found.start(), hint)
    counts = [max(int(number) for number in (*found.groups("0"), "1")) for found in _COUNT.finditer(query)]
    if math.prod(counts) * len(query) > _LARGEST:  # written out by the engine, each for every one around it
        raise bad_request("query", "its counts come to too much", "say + or * instead of large counts")


def _broken(what: str, position: int | None, hint: str | None = None) -> EditError:
    where = "" if position is None else f" at position {position}"
    return EditError(
        Kind.BAD_REQUEST,
        f"query: {what}{where}",
        hint=hint or "fix the pattern, or leave out isRegex",
        details={"field": "query", "position": position},
    )


def _too_slow(line: int) -> EditError:
    return EditError(
        Kind.TIMED_OUT,
        f"the pattern takes too long in line {line}",
        hint="send one without repeats inside repeats, such as a+ for (a+)+, or look for plain text",
        details={"field": "query", "line": line},
    )


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
    return search.to_json()


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
    source = host_of(call.workspace).source(call.path(path))
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
        host_of(self.call.workspace).tick()
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

    def to_json(self) -> dict[str, object]:
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
            source = host_of(self.call.workspace).source(path)
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
            host_of(self.call.workspace).saw_each(source, whole)
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
