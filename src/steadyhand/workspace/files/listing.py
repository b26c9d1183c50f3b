"""What is beneath a directory: bounded in entries, depth and time, and never through a link.

Our own state, temporary files and version-control metadata are left out, and what `.gitignore` files name if asked.
Names that are not valid text are left out too, since no path can name them.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from typing import Final

from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.workspace.budget import Deadline
from steadyhand.workspace.files.protection import TEMP_PREFIX, is_hidden
from steadyhand.workspace.files.storage import DIRECTORY, NOFOLLOW, NONBLOCK, DirEntry, Storage, closing, shown, shut

# Wildcard patterns for paths and ignore rules, matched in linear time whatever the pattern and the path.
#
# `*` and `?` stay within one name, `[…]` is one of its characters, `**` alone between slashes is any number of
# directories, a backslash takes the next character as it is. Pure; compares names, never looks at the disk.
#
# Every `*` but the last takes the first place where what follows it fits and never another, which is enough to decide
# and leaves nothing to try again; the same holds for `**` between names.
#
# Ignore rules mean what they mean to git: the last rule of a file that fits decides, a deeper file before those above
# it, and an ignored directory is not entered. The files belong to a tree that is not trusted: reading them is bounded.

_CLASSES: Final = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_BRACES: Final = lazy_pattern(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_ESCAPED: Final = lazy_pattern(r"\\.", re.DOTALL)
_NEVER: Final = lazy_pattern(r"(?!)")


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern for names below a directory; `is_rooted` false: it means the last name only, at any depth.

    A part is a name, or a pattern for one, or None for any number of directories.
    """

    parts: tuple[str | re.Pattern[str] | None, ...]
    is_rooted: bool

    @property
    def folder(self) -> tuple[str, ...]:
        """The directories that every path it means begins with, as far as they are named without wildcards.

        >>> parse_glob("src/app/*.py").folder, parse_glob("**/a/*.py").folder, parse_glob("*.py").folder
        (('src', 'app'), (), ())
        """
        named = takewhile(
            lambda part: isinstance(part, str) and part not in ("", ".", ".."),
            self.parts[:-1] if self.is_rooted else (),
        )
        return tuple(str(part) for part in named)

    def matches(self, names: Sequence[str]) -> bool:
        """Whether a path, given by its names, is meant."""
        if not names:
            return False
        return _matches(self.parts, names if self.is_rooted else names[-1:])


def parse_glob(pattern: str) -> Glob:
    """A pattern as `.gitignore` has it, without `!` before and a slash behind.

    >>> parse_glob("src/**/*.py").matches(["src", "a", "b.py"]), parse_glob("*.py").matches(["src", "b.py"])
    (True, True)
    >>> parse_glob("/*.py").matches(["src", "b.py"])
    False
    """
    pattern = _ESCAPED.sub(lambda found: "/" if found[0] == "\\/" else found[0], pattern)
    names = pattern.removeprefix("/").split("/")
    is_rooted = "/" in pattern
    parts = [None if is_rooted and len(name) > 1 and not name.strip("*") else _part(name) for name in names]
    if parts[-1] is None:  # what lies inside, not the directory itself
        parts.append(_part("*"))
    return Glob(tuple(parts), is_rooted)


def has_wildcards(pattern: str) -> bool:
    """Whether a pattern can mean more than the one path that it spells.

    >>> has_wildcards("src/a.py"), has_wildcards("src/{a,b}.py"), has_wildcards("src/{a}.py")
    (False, True, False)
    """
    return any(char in pattern for char in "*?[\\") or _BRACES.search(pattern) is not None


def expand_braces(pattern: str, most: int = 64) -> list[str] | None:
    """The pattern once for each choice in its braces; None where they stand for more than `most`.

    >>> expand_braces("src/*.{js,ts}")
    ['src/*.ts', 'src/*.js']
    """
    done: list[str] = []
    open_ = [pattern]
    while open_:
        if len(open_) + len(done) > most:
            return None
        each = open_.pop()
        found = _BRACES.search(each)
        if found is None:
            done.append(each)
        else:
            open_ += [each[: found.start()] + choice + each[found.end() :] for choice in found[1].split(",")]
    return done


def _matches(parts: Sequence[str | re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Two pointers; after a name that does not fit, the latest `**` takes one more."""
    part = name = 0
    resume: tuple[int, int] | None = None
    while name < len(names):
        if part < len(parts) and parts[part] is None:
            part += 1
            resume = part, name
        elif part < len(parts) and _fits(parts[part], names[name]):
            part, name = part + 1, name + 1
        elif resume is not None:
            part, name = resume[0], resume[1] + 1
            resume = part, name
        else:
            return False
    return all(rest is None for rest in parts[part:])


def _fits(part: str | re.Pattern[str] | None, name: str) -> bool:
    return part == name if isinstance(part, str) else part is not None and part.fullmatch(name) is not None


def _part(name: str) -> str | re.Pattern[str]:
    """One name as it is, or, with wildcards, as a regular expression that never goes back over a `*`."""
    if not any(char in name for char in "*?[\\"):
        return name
    fixed = _fixed_parts(name)
    if fixed is None:  # broken: it fits nothing
        return _NEVER
    first, *rest = fixed
    middle = "".join(f"(?>.*?{each})" for each in rest[:-1] if each)
    last = f".*{rest[-1]}" if rest else ""
    return re.compile(first + middle + last, re.DOTALL)


def _fixed_parts(part: str) -> list[str] | None:
    """What is between the `*`s, as regular expressions of fixed length; None where the pattern is broken."""
    fixed = [""]
    at = 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            fixed.append("")
        elif char == "?":
            fixed[-1] += "."
        elif char == "[":
            found = _bracket(part, at)
            if found is None:
                return None
            fixed[-1], at = fixed[-1] + found[0], found[1]
        elif char == "\\":
            if at == len(part):
                return None
            fixed[-1] += re.escape(part[at])
            at += 1
        else:
            fixed[-1] += re.escape(char)
    return fixed


def _bracket(part: str, at: int) -> tuple[str, int] | None:
    """The set that opens before `at`, and where it ends; None where it does not."""
    is_not = part[at : at + 1] in ("!", "^")
    at += is_not
    begin, items = at, ""
    while at < len(part) and (part[at] != "]" or at == begin):
        if part.startswith("[:", at) and (end := part.find(":]", at + 2)) >= 0:
            name = part[at + 2 : end]
            if name not in _CLASSES:
                return None
            items, at = items + _CLASSES[name], end + 2
            continue
        low, at = _member(part, at)
        high = low
        if part[at : at + 1] == "-" and part[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(part, at + 1)
        if low is None or high is None:
            return None
        items += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
    if at >= len(part):
        return None
    return (f"[{'^' if is_not else ''}{items}]" if items else "." if is_not else "(?!)"), at + 1


def _member(part: str, at: int) -> tuple[str | None, int]:
    if part[at] == "\\":
        return (part[at + 1], at + 2) if at + 1 < len(part) else (None, at + 1)
    return part[at], at + 1


IGNORE_FILE: Final = ".gitignore"
MAX_IGNORE_BYTES: Final = 256 * 1024
_MOST_RULES: Final = 5_000  # that hold in one directory
_LONGEST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Rule:
    """One line; `is_kept`: what it fits is not ignored after all; `is_for_directories`: it fits nothing else."""

    glob: Glob
    is_kept: bool = False
    is_for_directories: bool = False


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that hold in a directory: those of its own file last, each with the depth that it counts from."""

    files: tuple[tuple[int, tuple[Rule, ...]], ...] = ()

    def within(self, depth: int, data: bytes | None) -> IgnoreRules:
        """The rules of a directory `depth` names below the root, whose own file holds `data`."""
        room = _MOST_RULES - sum(len(rules) for _, rules in self.files)
        rules = read_rules(data)[:room] if data else ()
        return IgnoreRules((*self.files, (depth, rules))) if rules else self

    def ignores(self, names: tuple[str, ...], *, is_directory: bool) -> bool:
        """Whether a name is left out, given by all its names from the root.

        >>> IgnoreRules().within(0, b"*.log\\n!keep.log\\nout/\\n").ignores(("a", "x.log"), is_directory=False)
        True
        """
        for depth, rules in reversed(self.files):
            for rule in reversed(rules):
                if (is_directory or not rule.is_for_directories) and rule.glob.matches(names[depth:]):
                    return not rule.is_kept
        return False


def read_rules(data: bytes) -> tuple[Rule, ...]:
    """The rules of one file, in its order; what lies beyond the limits is left out."""
    lines = data[:MAX_IGNORE_BYTES].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    read = (_rule(line.removesuffix("\r")) for line in lines)
    return tuple(islice((rule for rule in read if rule is not None), _MOST_RULES))


def _rule(line: str) -> Rule | None:
    line = _without_blanks(line)
    if not line or line.startswith("#") or len(line) > _LONGEST:
        return None
    is_kept = line.startswith("!")
    pattern = line[is_kept:]
    is_for_directories = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    return Rule(parse_glob(pattern), is_kept, is_for_directories) if pattern else None


def _without_blanks(line: str) -> str:
    """The line without the blanks at its end; one behind a backslash stays."""
    kept = line.rstrip(" ")
    if len(kept) < len(line) and (len(kept) - len(kept.rstrip("\\"))) % 2:
        kept += " "
    return kept


_MAX_NEIGHBOURS: Final = 2_000
_SIMILAR: Final = 3
_USUAL: Final = lazy_pattern(r"[\w./+@-]+")
_LISTED: Final = 8  # names that are listed where none is similar


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a listing may cost; whether it leaves out what is ignored, and whether it tells sizes.

    `below` are the names, from the root, of the directory in which everything lies that is asked for: on the way to it
    nothing else is looked at, and what is ignored on the way is left out as ever.
    """

    depth: int
    entries: int
    seconds: float
    skip_ignored: bool = False
    sizes: bool = False
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths relative to the root, sorted. `links` are named, not followed; `sizes` are in bytes, if asked for.

    `directory` is what was listed, with links resolved; empty for the root. `stopped` is the limit at which the walk
    ended, `deeper`: there is more below the depth asked for. `temporaries` are directories that have temporary files
    of ours.
    """

    files: tuple[str, ...]
    links: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    directory: str = ""
    stopped: str | None = None
    deeper: str | None = None
    temporaries: tuple[str, ...] = ()

    @property
    def cut(self) -> str | None:
        """Why the listing is not whole; None where it is."""
        return self.stopped or self.deeper


class _Walker:
    """One listing in progress: what was found and what it has cost."""

    def __init__(self, storage: Storage, limits: Limits, state_dirs: Sequence[str]) -> None:
        self._storage = storage
        self._limits = limits
        self._state_dirs = state_dirs
        self._deadline = Deadline.after(limits.seconds)
        self._seen = 0
        self.files: list[str] = []
        self.links: list[str] = []
        self.directories: list[str] = []
        self.sizes: dict[str, int] = {}
        self.stopped: str | None = None
        self.deeper: str | None = None
        self.temporaries: dict[str, None] = {}

    def visit(self, fd: int, above: tuple[str, ...], depth: int, rules: IgnoreRules) -> None:
        """Everything in the directory `fd`; recursion is bounded by the depth limit."""
        room = self._limits.entries - self._seen
        way = self._limits.below
        next_name = way[len(above)] if len(above) < len(way) and above == way[: len(above)] else None
        entries = self._storage.listdir(fd, limit=room + 1) if next_name is None else self._only(fd, next_name)
        if len(entries) > room:
            self._stop(f"more than {self._limits.entries} entries")
        has_rules = next_name is not None or any(entry.name == IGNORE_FILE for entry in entries)
        if self._limits.skip_ignored and has_rules:
            rules = rules.within(len(above), ignore_file(self._storage, fd))
        for entry in sorted(entries[:room], key=lambda each: each.name):
            if self._seen == self._limits.entries:  # those before it have used up the room
                self._stop(f"more than {self._limits.entries} entries")
                return
            self._seen += 1
            if self._deadline.is_over:
                self._stop(f"more than {self._limits.seconds:g} seconds")
                return
            self._take(fd, above, entry, depth, rules)

    def _only(self, fd: int, name: str) -> list[DirEntry]:
        """The directory of that name, if there is one."""
        if name in ("", ".", "..") or "/" in name:  # no name of an entry: it would lead out of the directory
            return []
        try:
            found = self._storage.stat(name, dir_fd=fd)
        except (OSError, ValueError):
            return []
        return [DirEntry(name, "directory")] if stat.S_ISDIR(found.st_mode) else []

    def _take(self, fd: int, above: tuple[str, ...], entry: DirEntry, depth: int, rules: IgnoreRules) -> None:
        names = (*above, entry.name)
        path = "/".join(names)
        if not _is_text(entry.name) or is_hidden(path, state_dirs=self._state_dirs):
            if entry.name.startswith(TEMP_PREFIX):
                self.temporaries["/".join(above)] = None
            return
        if rules.ignores(names, is_directory=entry.kind == "directory"):
            return
        if entry.kind == "file":
            self.files.append(path)
            if self._limits.sizes:
                with contextlib.suppress(OSError):  # gone since it was listed
                    self.sizes[path] = self._storage.stat(entry.name, dir_fd=fd).st_size
        elif entry.kind == "link":
            self.links.append(path)
        elif entry.kind == "directory":
            self.directories.append(path)
            self._descend(fd, names, depth, rules)

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    def _descend(self, fd: int, names: tuple[str, ...], depth: int, rules: IgnoreRules) -> None:
        if depth >= self._limits.depth:
            self.deeper = f"deeper than {self._limits.depth} directories"
            return
        try:
            below = self._storage.open(names[-1], os.O_RDONLY | DIRECTORY | NOFOLLOW, dir_fd=fd)
        except OSError:  # gone, exchanged or not readable: nothing to list there
            return
        try:
            self.visit(below, names, depth + 1, rules)
        finally:
            shut(self._storage, below)


def walk(
    storage: Storage,
    fd: int,
    names: tuple[str, ...],
    limits: Limits,
    *,
    state_dirs: Sequence[str],
    rules: IgnoreRules | None = None,
) -> Listing:
    """List beneath `fd`, which is closed afterwards; `names` is where it is below the root.

    `rules` are those of the directories above it.
    """
    walker = _Walker(storage, limits, state_dirs)
    try:
        walker.visit(fd, names, 1, rules or IgnoreRules())
    finally:
        shut(storage, fd)
    return Listing(
        tuple(sorted(walker.files)),
        tuple(sorted(walker.links)),
        tuple(sorted(walker.directories)),
        walker.sizes,
        "/".join(names),
        walker.stopped,
        walker.deeper,
        tuple(walker.temporaries),
    )


def ignore_file(storage: Storage, dir_fd: int) -> bytes | None:
    """What the ignore file of a directory holds, as far as it is read; None where there is no regular one."""
    try:
        with closing(storage.open(IGNORE_FILE, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd), storage) as fd:
            is_regular = stat.S_ISREG(storage.fstat(fd).st_mode)
            return storage.read(fd, MAX_IGNORE_BYTES) if is_regular else None
    except OSError:
        return None


def similar_files(storage: Storage, dir_fd: int, name: str, directory: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Up to three names in the directory that are similar to `name`, and the first of all, as paths from the root.

    Endings do not make names similar: in a directory of `.py` files every name would be like every other. They only say
    which of several similar names comes first. Bounded, best effort.
    """
    from steadyhand.text.resemblance import similar_names  # only a refusal needs it

    try:
        entries = storage.listdir(dir_fd, limit=_MAX_NEIGHBOURS)
    except OSError:
        return (), ()
    prefix = f"{directory}/" if directory else ""
    names = sorted(entry.name for entry in entries if _is_text(entry.name) and not is_hidden(prefix + entry.name))
    stems: dict[str, list[str]] = {}
    for each in names:
        stems.setdefault(_stem(each), []).append(each)
    close = [each for stem in similar_names(_stem(name), stems, _SIMILAR) for each in stems[stem]]
    near = [_ending(name), *similar_names(_ending(name), {_ending(each) for each in close}, _SIMILAR)]
    close.sort(key=lambda each: near.index(_ending(each)) if _ending(each) in near else len(near))
    return tuple(prefix + each for each in close[:_SIMILAR]), tuple(prefix + each for each in names[: _LISTED + 1])


def there_is(paths: Sequence[str]) -> str:
    """The first names of a directory, for a hint."""
    return f"the folder has {', '.join(map(_named, paths[:_LISTED]))}{' …' if len(paths) > _LISTED else ''}"


def _named(path: str) -> str:
    """A name that reads as one: quoted unless it is made of what names are usually made of."""
    return path if _USUAL.fullmatch(path) else shown(path)


def _stem(name: str) -> str:
    return name[: len(name) - len(_ending(name))]


def _ending(name: str) -> str:
    return os.path.splitext(name)[1]


def mount_points(root: str) -> tuple[str, ...]:
    """Mounts strictly beneath the absolute, link-free `root`; empty where the system does not say."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
            mounted = [_unescaped(line.split(" ")[4]) for line in lines]
    except OSError:
        return ()
    above = [part for part in root.split("/") if part]
    found = set()
    for point in mounted:
        parts = [part for part in point.split("/") if part]
        if len(parts) > len(above) and parts[: len(above)] == above:
            found.add("/".join(parts[len(above) :]))
    return tuple(sorted(found))


def _unescaped(field: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, char)
    return field


def _is_text(name: str) -> bool:
    return name.isprintable() or all(char == " " or char.isprintable() for char in name)
