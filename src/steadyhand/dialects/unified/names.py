"""File names in the header lines of a diff: `a/` and `b/`, quotes, timestamps, /dev/null. Asks for no file."""

from __future__ import annotations

import re

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.gitname import unquote_name

__all__ = ["FileName", "git_names_in", "is_one_file", "name_in", "path_of_names"]

_ABSENT = frozenset(("/dev/null", "a/dev/null", "b/dev/null", "dev/null"))
_STAMP = lazy_pattern(
    r" (?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )", re.ASCII
)
_REVISION = lazy_pattern(r" \((?:revision|rev\.?|working copy|nonexistent|new file|deleted)\b", re.ASCII)
_EPOCH = lazy_pattern(r"(1970-01-01|1969-12-31) (\d\d):(\d\d):00(?:\.0+)? ([-+])(\d\d)(\d\d)", re.ASCII)
_QUOTED = lazy_pattern(r'"(?:[^"\\]|\\.)*"')
_BACKUPS = (".orig", ".old", ".bak", ".new", "~")
_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class FileName:
    """The name of a file on one side of a diff; `is_absent`: the file is not there on that side.

    `is_epoch`: its time is the beginning of time, which is how `diff -N` says that it may not be there.
    """

    path: str
    is_absent: bool = False
    is_epoch: bool = False


def name_in(text: str) -> FileName | None:
    """The name behind `--- ` or `+++ `; None where its quotes are broken or there is none.

    >>> name_in("a/x.py\\t2024-05-01 10:00:00")
    FileName(path='a/x.py', is_absent=False, is_epoch=False)
    >>> name_in("/dev/null").is_absent
    True
    """
    name, stamp = _parted(text)
    path = unquote_name(name)
    if not path:
        return None
    return FileName(path, path in _ABSENT or stamp.startswith("(nonexistent)"), _is_epoch(stamp))


def path_of_names(before: FileName | None, after: FileName | None) -> str:
    """The path of the file that both names mean, without what tells the sides apart.

    >>> path_of_names(FileName("a/x"), FileName("b/x")), path_of_names(FileName("x.orig"), FileName("x"))
    ('x', 'x')
    """
    if before is None or before.is_absent:
        return "" if after is None or after.is_absent else after.path.removeprefix("b/")
    if after is None or after.is_absent:
        return before.path.removeprefix("a/")
    old, new = before.path, after.path
    for one, other in ((old, new), (old, new.removeprefix("b/")), (old.removeprefix("a/"), new)):
        if one == other:
            return one
    tails = old.partition("/")[2], new.partition("/")[2]
    if tails[0] and tails[0] == tails[1]:
        return tails[0]
    if any(new == old + ending for ending in _BACKUPS):
        return old
    return tails[1] if new.startswith("b/") and old.startswith("a/") else new


def is_one_file(before: FileName | None, after: FileName | None) -> bool:
    """Whether two names can be those of one file before and after."""
    if before is None or after is None:
        return False
    if before.is_absent or after.is_absent:
        return before.is_absent != after.is_absent
    old, new = before.path, after.path
    return old == new or path_of_names(before, after) in (old.partition("/")[2], old, old.rpartition(".")[0])


def git_names_in(names: str) -> tuple[FileName | None, FileName | None]:
    """Both names of a `diff --git` line; None where blanks leave it open where a name ends.

    >>> [name.path for name in git_names_in("a/my file b/my file")]
    ['a/my file', 'b/my file']
    """
    names = names.rstrip()
    half = len(names) // 2
    one, gap, other = names[:half], names[half : half + 1], names[half + 1 :]
    if gap == " " and (one == other or one.partition("/")[2:] == other.partition("/")[2:] != ("",)):
        return name_in(one), name_in(other)
    first = _QUOTED.match(names)
    if first is not None:
        return name_in(first.group()), name_in(names[first.end() :].strip())
    if names.endswith('"') and ' "' in names:
        start = names.index(' "')
        return name_in(names[:start]), name_in(names[start + 1 :])
    one, _, other = names.partition(" ")
    return (name_in(one), name_in(other)) if other and " " not in other else (None, None)


def _parted(text: str) -> tuple[str, str]:
    """A name and what is behind it."""
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return quoted.group(), text[quoted.end() :].strip()
    name, tab, stamp = text.partition("\t")
    if tab:
        return name, stamp.strip()
    found = _STAMP.search(text) or _REVISION.search(text)
    end = len(text) if found is None else found.start()
    return text[:end].strip(), text[end:].strip()


def _is_epoch(stamp: str) -> bool:
    found = _EPOCH.match(stamp)
    if found is None:
        return stamp.startswith("Thu Jan 01 00:00:00 1970 +0000")
    day, hour, minute, sign, zone_hour, zone_minute = found.groups()
    minutes = int(hour) * 60 + int(minute) - (_DAY if day.startswith("1969") else 0)
    zone = int(zone_hour) * 60 + int(zone_minute)
    return minutes == (zone if sign == "+" else -zone)
