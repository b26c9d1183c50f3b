"""What tools show of files: numbered lines, a bounded stretch at a time, and the entries of a directory.

What is shown counts as read by the task; what is left out does not, nor does a line that is shown in part, nor a name.
What is cut says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.schema import Field, Flag, Many, Number, Object, Text, bad_request, join
from steadyhand.session.host import host_of
from steadyhand.structure.anchor import anchor_of
from steadyhand.text.lines import split_bodies
from steadyhand.text.visible import clip
from steadyhand.tools.tool import Call, resolve_path
from steadyhand.workspace.files.listing import Glob, Listing, expand_braces, parse_glob

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
            f"view_range: the file has {count} line{'' if count == 1 else 's'}, and it does not begin among them",
            hint=f"begin with a line from 1 to {count}" if count else "leave it out: the file is empty",
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
    source = host_of(call.workspace).source(call.path(path))
    count = source.table.count
    first = start if isinstance(start, int) else 1
    if first > max(count, 1):
        raise _beyond(path, first, count)
    wanted = min(end, count) if isinstance(end, int) else count
    bodies = source.table.texts(first - 1, min(wanted, first + LINES_AT_ONCE - 1))
    bodies = bodies[: _lines_that_fit(bodies, room_for(call) if room is None else room)]
    last = first + len(bodies) - 1
    whole = [line for line, body in enumerate(bodies, first) if len(body) <= WIDEST]
    if whole or not count:
        host_of(call.workspace).saw_each(source, whole)
    cut = [body if len(body) <= WIDEST else f"{body[:WIDEST]}…" for body in bodies]
    rows = _anchored(bodies, first, cut) if anchors else number_lines(cut, first, "colon")
    answer = {"content": "\n".join(rows), "totalLines": count, "fileHash": source.digest[:16]}
    left_out = _left_out(count, first, last, wanted, wide=any(len(row) > WIDEST for row in cut))
    return answer | ({"leftOut": left_out} if left_out else {})


def _beyond(path: str, line: int, count: int) -> EditError:
    return EditError(
        Kind.OUT_OF_BOUNDS,
        f"{path} has {count} line{'' if count == 1 else 's'}, there is no line {line}",
        hint=f"begin with a line from 1 to {max(count, 1)}",
        details={"path": path, "line": line, "lines": count},
    )


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


def _anchored(bodies: list[str], first: int, shown: list[str]) -> list[str]:
    pairs = zip(bodies, shown, strict=True)
    return [f"{anchor_of(line, body)}: {text}" for line, (body, text) in enumerate(pairs, first)]


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

_LONGEST: Final = 500
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
    if not text.strip("/ ") or len(text) > _LONGEST:
        raise bad_request("glob", "it is empty" if len(text) <= _LONGEST else "it is too long", GLOB)
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
    Object(
        (
            Field("path", Text(), "From the workspace root; a directory ends with a slash.", required=True),
            Field("size", Number(), "Bytes of a file."),
            Field("link", Flag(), "True: a symbolic link, which is not followed."),
        )
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
    cut = [*([f"the walk was given up: {listing.stopped}"] if listing.stopped else []), *answer]
    if depth is None and listing.deeper:
        cut.append(f"what lies {listing.deeper} is left out")
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
                f"{len(found) - len(upper)} of {len(found)} entries lie deeper than {deep}: name a directory"
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
    seen, present = host_of(call.workspace).last_read(path)
    if seen != present:
        raise EditError(
            Kind.STALE_SOURCE,
            f"{path} {how_known(seen, present)}",
            hint="read it first, then edit its current text",
            details={"path": path, "expected": seen, "actual": present},
        )
