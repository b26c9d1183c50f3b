"""The grammar of a path: which spellings can name a file in the workspace at all.

Pure; nothing here looks at the disk, follows a link or expands anything (`~`, `$VAR`, `%2e`, `file://` are literal).
A path that passes is not thereby safe: the sandbox resolves it with directory handles.

Refusals: `outside-root` for escapes and for characters or device names that must never reach the system;
`bad-request` for a spelling the caller can fix (empty, too long, backslash, colon, trailing dot or blank, a short name
of Windows, an invisible character).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.workspace.refusal import shown

__all__ = ["MAX_COMPONENT_BYTES", "MAX_PATH_BYTES", "check_portable", "parse_path"]

MAX_PATH_BYTES: Final = 4096
MAX_COMPONENT_BYTES: Final = 255

# C0, DEL, C1, line and paragraph separator, bidi controls, surrogates.
_CALLED: Final = {"\n": "the newline", "\r": "the carriage return", "\t": "the tab", "\0": "the NUL"}
_NEVER: Final = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_DRIVE: Final = lazy_pattern(r"[A-Za-z]:[\\/]|\\\\")
_DEVICE: Final = lazy_pattern(r"(?i)(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])\s*([.:].*)?")
_UNPORTABLE: Final = lazy_pattern(r'[:<>"|?*]')
# Drawn as nothing, so that two names look the same; HFS+ even compares without some of them. Joiners and variation
# selectors are not among them: Persian names and emoji need them.
_INVISIBLE: Final = lazy_pattern(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
# What Windows makes of a long name, and takes for the file that has it: PROGRA~1, GIT~1.TXT.
_SHORT_NAME: Final = lazy_pattern(r"[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?")


def parse_path(path: str, root: str | Sequence[str], *, portable: bool = True) -> tuple[str, ...]:
    """The components of `path` relative to `root`; `..` is kept for whoever resolves beneath the root.

    `root` is the absolute spelling of the root, or several of them; an absolute `path` must begin with one.

    >>> parse_path("docs/./a.md", "/ws"), parse_path("/ws/a/../b", "/ws")
    (('docs', 'a.md'), ('a', '..', 'b'))
    """
    _check_characters(path)
    return _parsed(path, (root,) if isinstance(root, str) else tuple(root), portable)


@lru_cache(maxsize=4096)  # a call asks several times for the same few paths
def _parsed(path: str, roots: tuple[str, ...], portable: bool) -> tuple[str, ...]:  # noqa: FBT001
    parts = _relative(path, roots)
    kept = tuple(part for part in parts if part not in ("", "."))
    _check_depth(path, kept)
    if portable:
        check_portable(kept, given=path)
    return kept


def check_portable(parts: Sequence[str], *, given: str | None = None) -> None:
    """Refuse names that other systems cannot hold or would take for something else."""
    path = given if given is not None else "/".join(parts)
    for place, part in enumerate(parts):
        if part != "..":
            _check_portable_part(path, part, first=place == 0)


def _check_characters(path: str) -> None:
    if not isinstance(path, str):
        raise EditError(Kind.BAD_REQUEST, "the path is not a string", hint="send the path as a string")
    if not path:
        raise _malformed(path, "is empty", "name a file relative to the workspace, such as docs/a.md")
    if found := _NEVER.search(path):
        code = f"U+{ord(found.group()):04X}"
        what = f"holds the character {code}, which no path may hold"
        raise _refusal(Kind.OUTSIDE_ROOT, path, what, f"leave out {_CALLED.get(found.group(), 'the character')} {code}")
    if len(path.encode()) > MAX_PATH_BYTES:
        raise _malformed(path, f"is longer than {MAX_PATH_BYTES} bytes", "use a shorter path")


def _relative(path: str, roots: Sequence[str]) -> list[str]:
    if _DRIVE.match(path) and not path.startswith("/"):
        raise _outside(path, "is an absolute Windows path")
    parts = path.split("/")
    if not path.startswith("/"):
        return parts
    present = [part for part in parts if part not in ("", ".")]
    for root in roots:
        above = [part for part in root.split("/") if part]
        if present[: len(above)] == above:
            return present[len(above) :]
    raise _outside(path, "is absolute and not beneath the workspace")


def _check_depth(path: str, parts: Sequence[str]) -> None:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            raise _outside(path, "climbs out of the workspace")
        if len(part.encode()) > MAX_COMPONENT_BYTES:
            raise _malformed(path, f"has a name longer than {MAX_COMPONENT_BYTES} bytes", "use a shorter name")


def _check_portable_part(path: str, part: str, *, first: bool) -> None:
    if _DEVICE.fullmatch(part):
        raise _outside(path, f"names the device {shown(part)} on Windows")
    if "\\" in part:
        mended = shown(path.replace("\\", "/"))
        raise _malformed(path, "holds a backslash", f"separate directories with a slash: {mended}")
    if found := _UNPORTABLE.search(part):
        raise _malformed(path, f"holds {found.group()!r}, which not every system allows", "choose a name without it")
    if found := _INVISIBLE.search(part):
        raise _malformed(path, f"holds the invisible character U+{ord(found.group()):04X}", "choose a name without it")
    if _SHORT_NAME.fullmatch(part):
        raise _malformed(path, f"has {shown(part)}, which is the short form of another name on Windows", "leave out ~")
    if part[-1] in ". ":
        raise _malformed(path, "has a name that ends in a dot or a blank", "choose a name without it")
    if first and part == "~":
        raise _malformed(path, "begins with ~, which is not expanded", "name a file relative to the workspace")


def _outside(path: str, what: str) -> EditError:
    return _refusal(Kind.OUTSIDE_ROOT, path, what, "use a path relative to the workspace, such as docs/a.md")


def _malformed(path: str, what: str, hint: str) -> EditError:
    return _refusal(Kind.BAD_REQUEST, path, what, hint)


def _refusal(kind: Kind, path: str, what: str, hint: str) -> EditError:
    # The details show the path as the message does: the spelling may hold what no log or terminal should get.
    return EditError(kind, f"the path {shown(path)} {what}", hint=hint, details={"path": shown(path)[1:-1]})
