"""Which paths an agent may not write, which it may not see, and which it may write but not quietly.

Pure; compares names, never looks at the disk.
A name is judged by itself (`classify`), and by what is beside it (`repository_parts`): files that are harmless alone
make a directory a git repository together.
Names are compared as the laxest file system would see them: NFKC, case folded, without ignorable characters,
trailing dots and blanks, stream names and 8.3 abbreviations.
Our own state and temporary files are sealed: no pattern of the host opens them.

A limit of names: a file with an ordinary name that a protected name *links to* is not recognised here; of hard links
the sandbox finds those nearby.
"""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.workspace.files import protected_names as names

OWN_STATE: Final = ".steadyhand"
TEMP_PREFIX: Final = ".steadyhand-tmp-"

Protect = Literal["standard", "none"]

_IGNORABLE: Final = lazy_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SHORT: Final = lazy_pattern(r"([^.~]{1,6})~[0-9]{1,6}(\.[^.]{0,3})?")
# NTFS hashes the short name once four similar ones exist; this is the hash for `.gitmodules`.
_HASHED_SHORT: Final = {".gitmodules": "gi7eba"}


@dataclass(frozen=True, slots=True)
class Protection:
    """The verdict on one path. `sealed` paths are refused for reading too, whatever the host allows;
    `secret` ones may not be shown, and their content must not be kept in clear, also where writing is allowed.
    """

    status: Literal["open", "refused", "flagged"] = "open"
    why: str | None = None
    secret: bool = False
    sealed: bool = False


_OPEN: Final = Protection()

# The table by the form of its entries. Of two entries for one name the first decides: refusals come before flags.
_ENTRIES: Final = [(entry, group) for group in reversed(names.GROUPS) for entry in group.entries]
_NAMES: Final = {entry: group for entry, group in _ENTRIES if "/" not in entry and "*" not in entry} | {
    ".env": next(group for group in names.GROUPS if group.pattern is not None)
}
_PATHS: Final = {entry: group for entry, group in _ENTRIES if "/" in entry}
_WAYS_TO_SECRETS: Final = {
    "/".join(entry.split("/")[:depth])
    for entry, group in _PATHS.items()
    for depth in range(1, entry.count("/") + 1)
    if group.verdict == "secret"
} | names.VCS_NAMES
_SUFFIXES: Final = {entry[1:]: group for entry, group in _ENTRIES if entry[:1] == "*" and "*" not in entry[1:]}
_ENDINGS: Final = tuple(_SUFFIXES)
# Each with a text that a name must hold to match: for nearly every name, no pattern has to be compiled.
_GLOBS: Final = [(max(entry.split("*"), key=len), entry, group) for entry, group in _ENTRIES if "*" in entry[1:]]
_KNOWN_FOLDERS: Final = names.HARMLESS_FOLDERS | frozenset(_NAMES)


@lru_cache(maxsize=4096)  # a call asks several times for the same few paths
def classify(
    resolved: str,
    *,
    allow: tuple[str, ...] = (),
    protect: Protect = "standard",
    state_dirs: tuple[str, ...] = (OWN_STATE,),
) -> Protection:
    """The verdict on a path relative to the root, with `/` between its components.

    `allow` are the host's patterns: without a slash for the protected name itself, at any depth; with a slash for
    the path from the root (`**` crosses directories). Either opens what lies below. `protect="none"` seals our own
    state only.

    >>> classify("src/.GIT/config").status, classify("AGENTS.md").status, classify("src/app.py").status
    ('refused', 'flagged', 'open')
    """
    parts = fold(resolved).split("/")
    if _is_own(parts, state_dirs):
        return Protection("refused", "Steadyhand's own state", sealed=True)
    secret = False
    verdict = _OPEN
    for row, group in _protected(parts):
        if group.verdict == "flagged":
            verdict = Protection("flagged", group.why) if verdict is _OPEN else verdict
            continue
        secret = secret or group.verdict == "secret" or _is_vcs_secret(parts, row)
        if verdict.status != "refused" and protect == "standard" and not _allowed(parts, row, allow):
            verdict = Protection("refused", group.why)
    if verdict is _OPEN and any(part[:1] == "." and part not in _KNOWN_FOLDERS for part in parts[:-1]):
        verdict = Protection("flagged", names.HIDDEN_FOLDER)
    return Protection(verdict.status, verdict.why, secret=secret)


@dataclass(frozen=True, slots=True)
class RepositoryPart:
    """A component that is git's own where its directory is a repository: that directory, and the component, folded."""

    directory: str
    name: str
    is_mark: bool


@lru_cache(maxsize=4096)
def repository_parts(resolved: str) -> tuple[RepositoryPart, ...]:
    """The components of a path that git reads in a repository, although nothing there is named `.git`.

    >>> [(part.directory, part.name) for part in repository_parts("a/HEAD")], repository_parts("a/b.md")
    ([('a', 'head')], ())
    """
    given = resolved.split("/")
    found: list[RepositoryPart] = []
    for row, part in enumerate(map(fold, given)):
        is_folder = row < len(given) - 1
        if part in (names.REPOSITORY_FOLDERS if is_folder else names.REPOSITORY_FILES):
            mark = repository_mark(part, is_directory=is_folder)
            found.append(RepositoryPart("/".join(given[:row]), part, mark is not None))
    return tuple(found)


def repository_mark(name: str, *, is_directory: bool) -> str | None:
    """Which of the names by which git recognises a repository this one is, if any."""
    folded = fold(name)
    is_mark = folded in names.REPOSITORY_MARKS and (not is_directory or folded in names.REPOSITORY_FOLDERS)
    return folded if is_mark else None


def is_repository(marks: Iterable[str]) -> bool:
    """Whether a directory with these marks is one that git takes for a repository, or lacks only `HEAD` to be one.

    Git asks for `HEAD`, `objects` and `refs`; a `commondir` names a directory that has the last two.
    """
    found = frozenset(marks)
    return (found >= {"objects", "refs"} and bool(found & {"head", "config"})) or found >= {"head", "commondir"}


def is_hidden(resolved: str, *, state_dirs: Sequence[str] = (OWN_STATE,)) -> bool:
    """Whether listings leave the path out: our own state, temporary files, version-control metadata."""
    parts = fold(resolved).split("/")
    return _is_own(parts, state_dirs) or any(part in names.VCS_NAMES for part in parts)


def may_hold_secrets(directory: str) -> bool:
    """Whether some names are secret in this directory, or below it, though it is none itself.

    >>> [may_hold_secrets(path) for path in ("sub/.git", ".config", ".aws", "src")]
    [True, True, True, False]
    """
    parts = fold(directory).split("/")
    return any("/".join(parts[start:]) in _WAYS_TO_SECRETS for start in range(len(parts)))


def fold(path: str) -> str:
    """A path as the laxest file system compares it.

    >>> fold("A/.G\\u200bIT. /x:y")
    'a/.git/x'
    """
    text = path.lower() if path.isascii() else _fold_unicode(path)
    return "/".join(_fold_part(part) for part in text.split("/"))


def _fold_unicode(path: str) -> str:
    folded = unicodedata.normalize("NFKC", path).casefold()
    return _IGNORABLE.sub("", unicodedata.normalize("NFKC", folded))


def _fold_part(part: str) -> str:
    before_stream = part.partition(":")[0] or part
    trimmed = before_stream.rstrip(". ")
    return trimmed or before_stream


def _is_own(parts: Sequence[str], state_dirs: Sequence[str]) -> bool:
    if any(part == OWN_STATE or part.startswith(TEMP_PREFIX) or _short_of(part, OWN_STATE) for part in parts):
        return True
    return any(list(parts[: len(own)]) == own for own in (fold(state).split("/") for state in state_dirs))


def is_repository_allowed(part: RepositoryPart, resolved: str, allow: Sequence[str]) -> bool:
    """Whether a pattern of the host opens the repository that a path is part of: by its directory, or by the path."""
    row = part.directory.count("/") if part.directory else 0
    return _allowed(fold(resolved).split("/"), row, allow)


def _protected(parts: Sequence[str]) -> Iterator[tuple[int, names.Group]]:
    """Each component that the table knows, with its row there; what it says of a name in its directory comes first."""
    for row, part in enumerate(parts):
        below = _PATHS.get(f"{part}/{parts[row + 1]}") if row + 1 < len(parts) else None
        if (group := _PATHS.get(_with_parent(parts, row))) is not None:
            yield row, group
        if (group := _group_of(part)) is not None and (below is None or below.verdict != "flagged"):
            yield row, group


@lru_cache(maxsize=4096)
def _group_of(part: str) -> names.Group | None:
    """What the table says of a name alone."""
    if part in _NAMES:
        return _NAMES[part]
    for group in names.GROUPS:
        if group.pattern is not None and group.pattern.fullmatch(part):
            return group
    for held, entry, group in _GLOBS:
        if held in part and fnmatch.fnmatchcase(part, entry):
            return group
    if part.endswith(_ENDINGS):
        return next(group for suffix, group in _SUFFIXES.items() if part.endswith(suffix))
    if "~" not in part:
        return None
    refused = ((name, group) for name, group in _NAMES.items() if group.verdict != "flagged")
    return next((group for name, group in refused if _short_of(part, name)), None)


def _is_vcs_secret(parts: Sequence[str], row: int) -> bool:
    return parts[row] in names.VCS_NAMES and not names.VCS_SECRETS.isdisjoint(parts[row + 1 :])


def _short_of(part: str, name: str) -> bool:
    """Whether `part` is an 8.3 abbreviation that could stand for `name`."""
    found = _SHORT.fullmatch(part) if "~" in part else None
    if found is None:
        return False
    stem = found.group(1)
    long_stem = name.lstrip(".").rpartition(".")[0] or name.lstrip(".")
    return stem in (long_stem.replace(".", "")[:6], _HASHED_SHORT.get(name))


def _with_parent(parts: Sequence[str], row: int) -> str:
    return "/".join(parts[max(row - 1, 0) : row + 1])


def _allowed(parts: Sequence[str], row: int, allow: Sequence[str]) -> bool:
    return any(_opens(fold(pattern.strip("/")).split("/"), parts, row) for pattern in allow)


def _opens(pattern: list[str], parts: Sequence[str], row: int) -> bool:
    if len(pattern) == 1:
        return fnmatch.fnmatchcase(parts[row], pattern[0])
    # A pattern for the protected directory opens what lies below it.
    return any(_globbed(pattern, parts[:end]) for end in range(row + 1, len(parts) + 1))


def _globbed(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_globbed(pattern[1:], parts[start:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], pattern[0]) and _globbed(pattern[1:], parts[1:])
