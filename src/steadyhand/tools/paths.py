"""Paths as models spell them, made paths of the workspace.

An absolute path is taken beneath the root or beneath a prefix that the host declared. What a path then names on disk,
and whether `..` in it stays beneath the root, is the workspace's matter.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.session.workspace import Workspace
from steadyhand.workspace.refusal import shown

__all__ = ["resolve_path", "same_file"]

_SEPARATORS = lazy_pattern(r"[/\\]")
_DECODINGS = 5


def same_file(one: str, other: str) -> bool:
    """Whether two paths of the workspace are one, however they are spelled.

    >>> same_file("./a//b.md", "a/b.md")
    True
    """
    return posixpath.normpath(one) == posixpath.normpath(other)


def resolve_path(workspace: Workspace, path: str, prefix: str | None = None, *, needs_prefix: bool = False) -> str:
    """The path relative to the root; `.` for the root itself.

    Refuses with `outside-root` where it holds a NUL, or climbs in percent-encoding; if `needs_prefix`, where it climbs
    at all or lies elsewhere; with `bad-request` where it holds a backslash.
    """
    _check_spelling(path, plain=needs_prefix)
    relative = _beneath(path, prefix) if prefix is not None else None
    if relative is None and needs_prefix:
        raise _outside(path, f"does not begin with {prefix}", f"use a path such as {prefix}/notes.md")
    if relative is None:
        relative = _beneath(path, workspace.root)
    return path if relative is None else relative


def _check_spelling(path: str, *, plain: bool) -> None:
    """`plain`: `..` is refused also where it is written as it is."""
    for spelling in _spellings(path):
        if "\0" in spelling:
            raise _outside(path, "holds the character U+0000, which no path may hold", "name the file without it")
        if ".." in _SEPARATORS.split(spelling) and (plain or spelling != path):
            raise _outside(path, "climbs out of where it begins", "name the file without ..")
    if "\\" in path:
        raise EditError(
            Kind.BAD_REQUEST,
            f"the path {shown(path)} holds a backslash",
            hint="separate directories with a slash",
            details={"path": shown(path)[1:-1]},
        )


def _spellings(path: str) -> Iterator[str]:
    """The path, and what it becomes for whoever decodes it once, twice …"""
    for _ in range(_DECODINGS):
        yield path
        decoded = unquote(path)
        if decoded == path:
            return
        path = decoded


def _beneath(path: str, above: str) -> str | None:
    """What follows `above` in an absolute path; None where it does not begin with it."""
    if not path.startswith("/"):
        return None
    parts, roots = _parts(path), _parts(above)
    if parts[: len(roots)] != roots:
        return None
    below = "/".join(parts[len(roots) :]) or "."
    return f"{below}/" if path.endswith("/") else below


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _outside(path: str, what: str, hint: str) -> EditError:
    return EditError(
        Kind.OUTSIDE_ROOT, f"the path {shown(path)} {what}", hint=hint, details={"path": shown(path)[1:-1]}
    )
