"""The directories a server works in, and how they are called where there are several.

The host names them: options, then STEADYHAND_ROOT. Only a server that was told of none asks its client, and only one
that was started by that client; then the repository it was started in counts. A tool never names one that is not here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, count
from urllib.parse import unquote, urlsplit

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern

__all__ = ["Root", "host_roots", "marked_root", "named_roots", "no_root", "paths_of"]

VARIABLE = "STEADYHAND_ROOT"
_MOST = 50
_PLAIN = lazy_pattern(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True)
class Root:
    """A directory and the name that a tool's `root` argument gives it."""

    name: str
    path: str


def host_roots(given: Sequence[str], environ: Mapping[str, str]) -> tuple[Root, ...]:
    """What the host named: options, else the environment; none where it named nothing."""
    told = environ.get(VARIABLE, "")
    return named_roots(given or [path for path in told.split(os.pathsep) if path])


def marked_root(directory: str) -> str | None:
    """The nearest directory upwards that is under version control or has a journal; None where there is none."""
    here = os.path.realpath(directory)
    while True:
        if any(os.path.lexists(os.path.join(here, mark)) for mark in (".steadyhand", ".git")):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def paths_of(uris: Iterable[str]) -> list[str]:
    """The directories among the roots that a client lists; what is no directory of this machine is left out."""
    paths = []
    for uri in list(uris)[:_MOST]:
        parts = urlsplit(uri)
        path = unquote(parts.path)
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and "\0" not in path and os.path.isdir(path):
            paths.append(path)
    return paths


def named_roots(paths: Sequence[str]) -> tuple[Root, ...]:
    """Directories with a name each. Refuses what is no directory, the whole machine, and one inside another."""
    real = list(dict.fromkeys(_checked(path) for path in paths))
    for one, other in combinations(real, 2):
        if os.path.commonpath([one, other]) in (one, other):
            raise EditError(
                Kind.BAD_REQUEST,
                f"one root lies inside another: {one} and {other}",
                hint="a file has one journal: give the outer directory, or directories beside each other",
            )
    names = _names(real)
    return tuple(Root(name, path) for name, path in zip(names, real, strict=True))


def no_root() -> EditError:
    """The refusal of a server that does not know where to work."""
    return EditError(
        Kind.BAD_REQUEST,
        "the server knows of no directory to work in",
        hint=f"start it with --root DIR or {VARIABLE}=DIR, or inside a repository",
    )


def _checked(path: str) -> str:
    real = os.path.realpath(path) if path and "\0" not in path else ""
    if not os.path.isdir(real):
        raise EditError(Kind.BAD_REQUEST, f"{path!r} is no directory", hint="give --root a directory that exists")
    if os.path.dirname(real) == real:
        raise EditError(Kind.BAD_REQUEST, "the root is the whole machine", hint="give --root a directory of a project")
    return real


def _names(paths: Sequence[str]) -> list[str]:
    """The last part of each path; where two are alike, the part before it too, and then a number."""
    names: list[str] = []
    lasts = [_plain(os.path.basename(path)) for path in paths]
    for path, last in zip(paths, lasts, strict=True):
        name = last if lasts.count(last) == 1 else f"{_plain(os.path.basename(os.path.dirname(path)))}-{last}"
        others = (f"{name}-{number}" for number in count(2))
        names.append(name if name not in names else next(other for other in others if other not in names))
    return names


def _plain(name: str) -> str:
    return _PLAIN.sub("-", name).strip("-") or "root"
