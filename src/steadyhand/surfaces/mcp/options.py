"""What the host decides when it starts a server: where it works, in whose name, with which tools and limits.

Nothing of it can be changed by a client or a tool. The host names the roots: options, then STEADYHAND_ROOT. Only a
server that has none asks its client, and only one that was started by that client; then the repository it was started
in counts. A tool never names a root that is not here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, count
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.tools.tool import Settings


VARIABLE = "STEADYHAND_ROOT"
USUAL = 10.0  # seconds for a call
_MOST = 50
_PLAIN = lazy_pattern(r"[^\w.+-]+")
_READING = ("research", "analyze")


@dataclass(frozen=True, slots=True)
class Root:
    """A directory and the name that a tool's `root` argument gives it."""

    name: str
    path: str


def host_roots(given: Sequence[str], environ: Mapping[str, str]) -> tuple[Root, ...]:
    """What the host named: options, else the environment; none where it named nothing."""
    listed = environ.get(VARIABLE, "")
    return named_roots(given or [path for path in listed.split(os.pathsep) if path])


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
        raise EditError(Kind.BAD_REQUEST, f"{path!r} is not a directory", hint="give --root a directory that exists")
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


@dataclass(frozen=True, slots=True)
class RootOptions:
    """What is known of one root before it is opened: who acts there, which protected paths are open, its repository."""

    actor: str | None = None
    allow: tuple[str, ...] = ()
    is_protected: bool = True
    repo: str | None = None


def _plain_root(path: str) -> RootOptions:
    return RootOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """One server.

    `roots`         where it works; empty: its client is asked, once, and then `fallback` counts
    `actor`         in whose name; None: in that of the client
    `task`          the task that all calls belong to; None: one of its own for each conversation
    `hold`          changes wait for a reviewer, but for those that `auto_accept` takes
    `settings`      the settings of a kit, asked for when the first is made: article, prefix, extensions, model …
    `root_options`  what the configuration says of a root, by its path
    `tool_prefix`   what the names of the tools begin with, for a client that has tools of the same names
    `seconds`       after which a call is stopped
    `most`          characters of text in a reply
    `confine`       each worker calls it with the roots before it begins, where they are not known at start
    `is_sandboxed`  the kernel confines the server
    """

    roots: tuple[Root, ...] = ()
    fallback: str | None = None
    toolsets: tuple[str, ...] = ("core",)
    mode: str | None = None
    read_only: bool = False
    hold: bool = False
    auto_accept: tuple[AutoAccept, ...] = ()
    actor: str | None = None
    task: str | None = None
    journal: str | None = None
    policy: Policy | None = None
    settings: Callable[[], Settings] | None = None
    root_options: Callable[[str], RootOptions] = _plain_root
    tool_prefix: str = ""
    seconds: float = USUAL
    most: int = 100_000
    confine: Callable[[tuple[Root, ...]], object] | None = None
    is_sandboxed: bool = False

    @property
    def is_reading(self) -> bool:
        """Whether nothing can be changed at all."""
        return self.read_only or self.mode in _READING
