"""What tools show of files: numbered lines, a bounded stretch at a time, and the entries of a directory.

What is shown counts as read by the task; what is left out does not, nor does a line that is shown in part, nor a name.
What is cut says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.schema import Field, Flag, Many, Number, Object, Text, bad_request, join
from steadyhand.structure.lines import anchor_of
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.visible import clip
from steadyhand.tools.tool import Call, resolve_path
from steadyhand.workspace.budget import Deadline
from steadyhand.workspace.files.listing import Glob, Listing, expand_braces, parse_glob
from steadyhand.workspace.files.protection import classify

if TYPE_CHECKING:
    import regex


# Lines with their numbers, as tools show them. Only shows; a long line or a long stretch is cut and says so.

Style = Literal["cat", "colon"]

_AROUND = 3
_LONGEST_STRETCH = 40
_MOST_STRETCHES = 8
MOST_CHARACTERS = 400_000  # of a file that is shown at once, where nobody sets less


def number_lines(bodies: Sequence[str], first: int, style: Style) -> list[str]:
    """The lines, numbered from `first`: as `cat -n` does, or as `12: text`.

    >>> number_lines(["a", ""], 9, "cat"), number_lines(["a", ""], 9, "colon")
    (['     9\\ta', '    10\\t'], ['9: a', '10: '])
    """
    if style == "cat":
        return [f"{line:>6}\t{text}" for line, text in enumerate(bodies, first)]
    return [f"{line}: {text}" for line, text in enumerate(bodies, first)]


def fit_rows(rows: Sequence[str], most: int) -> tuple[list[str], int]:
    """As many whole rows as fit into so many characters, or the beginning of the first; and how many are whole.

    >>> fit_rows(["abc", "de"], 4), fit_rows(["abc"], 2)
    ((['abc'], 1), (['ab'], 0))
    """
    size = -1
    for count, row in enumerate(rows):
        size += len(row) + 1
        if size > most:
            return (list(rows[:count]), count) if count else ([row[:most]], 0)
    return list(rows), len(rows)


def snippet(
    text: str, places: Iterable[tuple[int, int]], style: Style, columns: Mapping[int, int] | None = None
) -> str:
    """The places, each from its first to its last line, with a few lines around; what lies between is left out.

    `columns` says around which character a long row is clipped, both from 0.

    >>> snippet("a\\nb\\nc\\n", [(2, 2)], "colon")
    '1: a\\n2: b\\n3: c'
    """
    bodies = split_bodies(text)
    stretches = _stretches(places, len(bodies))
    at = columns or {}
    shown = [_numbered(bodies, start, end, style, at) for start, end in stretches[:_MOST_STRETCHES]]
    more = len(stretches) - len(shown)
    return "\n…\n".join([*shown, *([f"{more} more places"] if more > 0 else [])])


def range_in_view(view_range: object, count: int) -> tuple[int, int]:
    """First and last line of a `view_range` in a file of `count` lines; an end of -1 or beyond is the file's end.

    >>> range_in_view([2, -1], 5), range_in_view(None, 0)
    ((2, 5), (1, 0))
    """
    match view_range:
        case None:
            return 1, count
        case [int(first), int(last)]:
            pass
        case _:
            hint = "such as [1, 40]; an end of -1 is the file's"
            raise bad_request("view_range", "two line numbers are expected", hint)
    if not 1 <= first <= max(count, 1):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"view_range: the file has {count} line{'' if count == 1 else 's'}, and the range starts outside them",
            hint=f"start with a line from 1 to {count}" if count else "leave it out: the file is empty",
            details={"line_count": count},
        )
    if last != -1 and last < first:
        raise bad_request("view_range", f"lines {first} to {last} run backwards", f"such as [{first}, -1]")
    return first, count if last == -1 else min(last, count)


def _stretches(places: Iterable[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """The places with what is shown around them, put together where they meet."""
    stretches: list[tuple[int, int]] = []
    for first, last in sorted(places):
        start, end = max(first - _AROUND, 1), min(last + _AROUND, count)
        if stretches and start <= stretches[-1][1] + 1:
            start, end = stretches[-1][0], max(end, stretches.pop()[1])
        stretches.append((start, end))
    return stretches


def _numbered(bodies: Sequence[str], start: int, end: int, style: Style, columns: Mapping[int, int]) -> str:
    clipped = [clip(bodies[row], columns.get(row, 0)) for row in range(start - 1, end)]
    shown = number_lines(clipped, start, style)
    half = _LONGEST_STRETCH // 2
    if len(shown) > _LONGEST_STRETCH:
        shown[half:-half] = [f"… {len(shown) - 2 * half} lines left out …"]
    return "\n".join(shown)


# Files as the read tools show them: numbered or anchored lines, a bounded stretch at a time, with what was left out.
#
# What is shown counts as read by the task; what is left out does not, nor does a line that is shown in part.

LINES_AT_ONCE = 2_000
WIDEST = 2_000  # characters of a line that are shown


def room_for(call: Call) -> int:
    """How many characters of files an answer may hold: the host's word where it is less than what is usual."""
    return min(call.settings.max_characters or MOST_CHARACTERS, MOST_CHARACTERS)


def read_numbered(
    call: Call,
    path: str,
    start: object = None,
    end: object = None,
    *,
    anchors: bool = False,
    room: int | None = None,
    place: str = "",
) -> dict[str, object]:
    """`content`, `totalLines`, `fileHash` and, where something is not shown, `leftOut`. Refuses as a read does.

    `room` are the characters that are left in the answer; at least one line is shown. `place` leads to the arguments.
    """
    check_forwards(start, end, place)
    source = call.host.source(call.path(path))
    count = source.table.count
    first = start if isinstance(start, int) else 1
    if first > max(count, 1):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"{path} has {count} line{'' if count == 1 else 's'}, there is no line {first}",
            hint=f"start with a line from 1 to {max(count, 1)}",
            details={"path": path, "line": first, "lines": count},
        )
    wanted = min(end, count) if isinstance(end, int) else count
    bodies = source.table.texts(first - 1, min(wanted, first + LINES_AT_ONCE - 1))
    bodies = bodies[: _lines_that_fit(bodies, room_for(call) if room is None else room)]
    last = first + len(bodies) - 1
    whole = [line for line, body in enumerate(bodies, first) if len(body) <= WIDEST]
    if whole or not count:
        call.host.saw_each(source, whole)
    cut = [body if len(body) <= WIDEST else f"{body[:WIDEST]}…" for body in bodies]
    rows = number_lines(cut, first, "colon")
    if anchors:
        pairs = zip(bodies, cut, strict=True)
        rows = [f"{anchor_of(line, body)}: {shown}" for line, (body, shown) in enumerate(pairs, first)]
    answer = {"content": "\n".join(rows), "totalLines": count, "fileHash": source.digest[:16]}
    left_out = _left_out(count, first, last, wanted, wide=any(len(row) > WIDEST for row in cut))
    return answer | ({"leftOut": left_out} if left_out else {})


def check_forwards(start: object, end: object, place: str = "") -> None:
    """Refuse with `bad-request` lines that run backwards; either end may be absent."""
    if isinstance(start, int) and isinstance(end, int) and end < start:
        raise bad_request(
            join(place, "end"), f"lines {start} to {end} run backwards", f"such as start {end}, end {start}"
        )


def _lines_that_fit(bodies: Sequence[str], room: int) -> int:
    """How many lines can be shown at once; the first always can."""
    for shown, body in enumerate(bodies):
        room -= min(len(body), WIDEST) + 1
        if room < 0 and shown:
            return shown
    return len(bodies)


def _left_out(count: int, first: int, last: int, wanted: int, *, wide: bool) -> str | None:
    parts = []
    if last < wanted:
        parts.append(f"lines {first}-{last} of {count}; read on with start {last + 1}")
    elif (first, last) != (1, count):
        parts.append(f"lines {first}-{last} of {count}")
    if wide:
        parts.append(f"long lines are cut after {WIDEST} characters")
    return "; ".join(parts) or None


# Globs as models write them: wildcards, and choices in braces.
#
# Without a slash a glob means a name at any depth; with one, a path from the directory that is looked through, or from
# the root. Matching is linear, and braces that stand for too many choices are refused.

GLOB: Final = "Such as *.py (a name, at any depth), src/**/*.ts (a path), or *.{js,ts}."

_LONGEST_GLOB: Final = 500
_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Globs:
    """What a glob stands for, a pattern for each choice in its braces; none: everything is meant."""

    globs: tuple[Glob, ...] = ()
    directory: str = ""

    @property
    def folder(self) -> str:
        """The directory in which everything lies that is meant, from the root; empty where that is not known.

        >>> read_glob("src/{a,b}/*.py").folder, read_glob("*.py").folder
        ('src', '')
        """
        if self.directory:  # a glob is also tried from there
            return ""
        shared = takewhile(lambda names: len(set(names)) == 1, zip(*(glob.folder for glob in self.globs), strict=False))
        return "/".join(names[0] for names in shared)

    def match(self, path: str) -> bool:
        """Whether a path from the root is meant."""
        if not self.globs:
            return True
        names = path.split("/")
        spellings = [names, names[self.directory.count("/") + 1 :]] if self.directory else [names]
        return any(glob.matches(spelling) for glob in self.globs for spelling in spellings)


def read_glob(text: str | None, directory: str = "") -> Globs:
    """A glob for what lies in a directory, given from the root. Refuses with `bad-request` what cannot be meant.

    >>> read_glob("*.{md,txt}").match("docs/a.txt"), read_glob("b/*.md", "a").match("a/b/c.md")
    (True, True)
    """
    if text is None:
        return Globs()
    if not text.strip("/ ") or len(text) > _LONGEST_GLOB:
        raise bad_request("glob", "it is empty" if len(text) <= _LONGEST_GLOB else "it is too long", GLOB)
    if text.startswith("!"):
        raise bad_request("glob", "it only excludes", f"say what to include: {GLOB}")
    choices = expand_braces(text, _MOST)
    if choices is None:
        raise bad_request("glob", f"its braces expand to more than {_MOST} choices", "send fewer at a time")
    plain = [each.removeprefix("./").rstrip("/") for each in choices]
    return Globs(tuple(parse_glob(each) for each in plain if each), directory)


# What lies in a directory, as the list tools show it: bounded, without what is ignored, and saying when it is cut.
#
# Where there is more than fits, the upper levels are shown whole rather than the first directories to the bottom.
# Nothing of this counts as read: names are no content.

ENTRIES_AT_ONCE: Final = 1_000
_DEEPEST: Final = 32
_WALKED: Final = 50_000
_SECONDS: Final = 4.0

ENTRIES = Many(
    Object.of(
        Field("path", Text(), "From the workspace root; a directory ends with a slash.", required=True),
        Field("size", Number(), "Bytes of a file."),
        Field("link", Flag(), "True: a symbolic link, which is not followed."),
    )
)


def list_entries(call: Call, path: str | None, glob: str | None, depth: int | None) -> dict[str, object]:
    """`entries` in the order of a tree and, where not all are shown, `cut`.

    Refuses as a look at a directory does, and with `bad-request` a glob that cannot be meant.
    """
    listing = listing_of(call, path, glob, depth=depth, sizes=True)
    globs = read_glob(glob, listing.directory)
    kinds = ((listing.directories, "/"), (listing.files, ""), (listing.links, "@"))
    found = [(tuple(name.split("/")), mark) for names, mark in kinds for name in names if globs.match(name)]
    shown, answer = _entries_that_fit(sorted(found), is_chosen=glob is not None)
    cut = [*([f"the search stopped: {listing.stopped}"] if listing.stopped else []), *answer]
    if depth is None and listing.deeper:
        cut.append(f"entries {listing.deeper} are left out")
    entries = [_entry("/".join(names), mark, listing) for names, mark in shown]
    return {"entries": entries, **({"cut": "; ".join(cut)} if cut else {})}


def listing_of(
    call: Call, path: str | None, glob: str | None = None, *, depth: int | None = None, sizes: bool = False
) -> Listing:
    """Everything beneath a directory that is not ignored and that a glob can mean.

    Refuses with `no-such-file` where there is no such directory.
    """
    below = "" if path else read_glob(glob).folder
    where = resolve_path(call.workspace, path, call.settings.prefix) if path else "."
    deepest = _DEEPEST if depth is None else min(depth, _DEEPEST)
    try:
        return call.workspace.files(
            where, depth=deepest, limit=_WALKED, seconds=_SECONDS, skip_ignored=True, sizes=sizes, below=below
        )
    except EditError as error:
        if error.kind is not Kind.NO_SUCH_FILE:
            raise
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"{where} is not a directory",
            hint="list the directory above it",
            details={"path": where},
        ) from None


_Row = tuple[tuple[str, ...], str]


def _entries_that_fit(found: Sequence[_Row], *, is_chosen: bool) -> tuple[Sequence[_Row], list[str]]:
    """What is shown of the entries, and what is said of the rest; `is_chosen`: a glob picked them."""
    most = ENTRIES_AT_ONCE
    if len(found) <= most:
        return found, []
    levels = sorted({len(names) for names, _ in found})
    for level in reversed(levels[:-1] if not is_chosen else []):
        upper = [row for row in found if len(row[0]) <= level]
        if len(upper) <= most:
            deep = f"{level} level{'' if level == 1 else 's'} from the root"
            return upper, [
                f"{len(found) - len(upper)} of {len(found)} entries are deeper than {deep}: name a directory"
            ]
    return found[:most], [f"{len(found) - most} of {len(found)} entries are left out: narrow it by path, glob or depth"]


def _entry(path: str, mark: str, listing: Listing) -> dict[str, object]:
    if mark == "/":
        return {"path": f"{path}/"}
    if mark == "@":
        return {"path": path, "link": True}
    size = listing.sizes.get(path)
    return {"path": path} if size is None else {"path": path, "size": size}


# Whether a task has read the version of a file that is on disk.


def how_known(seen: str | None, present: str) -> str:
    """What a task knows of a file that it does not know as it is, by the version it read last."""
    partly = "was read only in part"
    return {None: "was not read", present: partly}.get(seen, "changed after you read it")


def check_read(call: Call, path: str) -> None:
    """Where the host asks for it, refuse with `stale-source` a file that this task has not read as it is now."""
    if not call.settings.require_read:
        return
    seen, present = call.host.last_read(path)
    if seen != present:
        raise EditError(
            Kind.STALE_SOURCE,
            f"{path} {how_known(seen, present)}",
            hint="read it first, then edit its current text",
            details={"path": path, "expected": seen, "actual": present},
        )


# Text in the files of a directory, as the search tools show it: bounded in hits, bytes and time, and saying when cut.
#
# Ignored files, links, secrets and what is no text are passed over. A line that is shown whole counts as read by the
# task; of a line that is shown in part, nothing does. A pattern is looked for in one line at a time, under a limit;
# what would let the engine run away all the same is refused.

# What a search looks for: a text as it is, or a regular expression that cannot take more time or memory than it may.
#
# A pattern is looked for in one line at a time, cut where it is very long, each time under a limit. What would let the
# engine run away all the same is refused: recursion, approximate matching, counts that multiply, too many groups.

LONGEST_LINE: Final = 20_000
_LONGEST_PATTERN: Final = 1_000
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

    def find(self, text: str, deadline: Deadline, *, first: int = 1, every: bool = False) -> Iterator[Found]:
        """Where it occurs until the deadline, as line and column from 1: once for each line it begins in, or `every`.

        `first` is the number of the first line.

        >>> list(LiteralText("b").find("abb\\r\\nb", Deadline.after(1)))
        [(1, 2), (2, 1)]
        """
        if "\r" in text:  # a line for a line, so that lines and columns stay what they are
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        start = begin = 0
        line = first - 1
        while (at := text.find(self.text, start)) >= 0 and not deadline.is_over:
            if breaks := text.count("\n", start, at):  # never from the line's begin: it may have a million hits
                line, begin = line + breaks, text.rfind("\n", start, at) + 1
            yield line + 1, at - begin + 1
            if every:
                start = at + len(self.text)
                if breaks := self.text.count("\n"):
                    line, begin = line + breaks, text.rfind("\n", at, start) + 1
                continue
            start = begin = text.find("\n", at) + 1
            if start == 0:
                return
            line += 1


@dataclass(frozen=True, slots=True)
class LinePattern:
    """A regular expression that is looked for within lines."""

    pattern: regex.Pattern[str]

    def find(self, text: str, deadline: Deadline, *, first: int = 1, every: bool = False) -> Iterator[Found]:
        """Where it fits, likewise. Refuses with `timed-out` a pattern that takes too long in one line."""
        for line, body in enumerate(split_bodies(text), first):
            if deadline.is_over:
                return
            try:
                for found in self.pattern.finditer(body[:LONGEST_LINE], timeout=_SECONDS_A_LINE):
                    yield line, found.start() + 1
                    if not every:
                        break
            except TimeoutError:
                raise EditError(
                    Kind.TIMED_OUT,
                    f"the pattern takes too long in line {line}",
                    hint="send one without repeats inside repeats, such as a+ for (a+)+, or look for plain text",
                    details={"field": "query", "line": line},
                ) from None

    def overlooks(self, text: str) -> bool:
        """Whether a line is too long to be looked at whole."""
        return len(text) > LONGEST_LINE and any(len(body) > LONGEST_LINE for body in split_bodies(text))


def read_query(query: str, *, is_regex: bool) -> LiteralText | LinePattern:
    """What to look for. Refuses with `bad-request`, for a broken pattern with the position."""
    if not query:
        raise bad_request("query", "it is empty", "send the text to search for")
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
    if len(query) > _LONGEST_PATTERN or query.count("(") > _MOST_GROUPS:
        raise bad_request(
            "query", f"the pattern is longer than {_LONGEST_PATTERN} characters or has too many groups", _SIMPLER
        )
    plain = re.sub(r"\\.", "__", query, flags=re.DOTALL)
    for refused, what in ((_CALLS, "a pattern that calls itself"), (_ROUGHLY, "an approximate pattern")):
        if found := refused.search(plain):
            hint = "write it without; put a backslash before a literal brace or parenthesis"
            raise _broken(f"{what} is not supported", found.start(), hint)
    counts = [max(int(number) for number in (*found.groups("0"), "1")) for found in _COUNT.finditer(query)]
    if math.prod(counts) * len(query) > _LARGEST:  # written out by the engine, each for every one around it
        raise bad_request(
            "query", "the product of its repeat counts is too large", "use + or * instead of large counts"
        )


def _broken(what: str, position: int | None, hint: str | None = None) -> EditError:
    where = "" if position is None else f" at position {position}"
    return EditError(
        Kind.BAD_REQUEST,
        f"query: {what}{where}",
        hint=hint or "fix the pattern, or leave out isRegex",
        details={"field": "query", "position": position},
    )


HITS_USUALLY: Final = 100
HITS_AT_MOST: Final = 1_000
_SEARCH_SECONDS: Final = 4.0
_MOST_BYTES: Final = 256 * 1024 * 1024
_LARGEST_FILE: Final = 16 * 1024 * 1024

MATCHES = Many(
    Object.of(
        Field("path", Text(), required=True),
        Field("line", Number(), "From 1.", required=True),
        Field("column", Number(), "From 1.", required=True),
        Field("text", Text(), "The line; … where it is cut.", required=True),
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
    search = _Search(call, wanted, HITS_USUALLY if max is None else max, Deadline.after(_SEARCH_SECONDS), stopped)
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
    source = call.host.source(call.path(path))
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
        self.call.host.tick()
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
            source = self.call.host.source(path)
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
                self.stopped = f"only the first {self.most} hits are shown: narrow it, or raise max"
                is_enough = True
                break
            body = bodies[line - 1]
            shown = clip(body, column - 1)
            self.matches.append({"path": path, "line": line, "column": column, "text": shown})
            if shown == body:
                whole.append(line)
        if whole:
            self.call.host.saw_each(source, whole)
        return not is_enough

    def _found(self, path: str, text: str) -> Iterator[tuple[int, int]]:
        if isinstance(self.wanted, LinePattern) and self.wanted.overlooks(text):
            self._pass(f"searched only to character {LONGEST_LINE} of a line")
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
