"""What a tool is handed besides its arguments: the workspace in its name, what the host set, the conversation.

Nothing of it can be changed by a tool's arguments. Paths are resolved here: as models spell them, beneath the root or a
prefix that the host declared, and only those that the toolset and the host allow. What a path names on disk is the
workspace's matter.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.session.host import host_of
from steadyhand.session.workspace import Workspace
from steadyhand.tools.toolsets import Toolset
from steadyhand.workspace.files.storage import shown
from steadyhand.workspace.journal.record import new_record_id

# Paths as models spell them, made paths of the workspace.
#
# An absolute path is taken beneath the root or beneath a prefix that the host declared. What a path then names on disk,
# and whether `..` in it stays beneath the root, is the workspace's matter.

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


# Which files a kit's tools may name: by their endings, and, where the host named one article, that one for changes.
#
# Judged by the name alone; what a name leads to on disk is the workspace's matter.

_ENV = ".env"  # what follows makes another file of it, so such an entry is a whole name


def check_ending(path: str, endings: Sequence[str]) -> None:
    """Refuse with `not-allowed` a file that has none of the endings, which are listed.

    >>> check_ending("notes/a.MD", [".md"])
    >>> check_ending("deploy/.env.example", [".env.example"])
    """
    name = path.rstrip("/").rpartition("/")[2].casefold()
    if any(_fits(name, _dotted(ending)) for ending in endings):
        return
    raise EditError(
        Kind.NOT_ALLOWED,
        f"{shown(path)}: this kind of file is not allowed",
        hint=f"allowed: {' '.join(endings) or 'none'}",
        details={"path": shown(path)[1:-1], "extensions": list(endings)},
    )


def is_beside(path: str, article: str) -> bool:
    """Whether a file is in the folder of the article and of its kind.

    >>> is_beside("docs/b.md", "docs/a.md"), is_beside("docs/x/b.md", "docs/a.md"), is_beside("docs/b.py", "docs/a.md")
    (True, False, False)
    """
    here, there = _parts(path), _parts(article)
    ending = f".{there[-1].rpartition('.')[2]}" if there and "." in there[-1] else ""
    return (
        ".." not in here and here[:-1] == there[:-1] and here != there and here[-1:] != [] and here[-1].endswith(ending)
    )


def check_article(path: str, article: str, *, allow_new: bool = False) -> None:
    """Refuse with `not-allowed` to change any file but the article."""
    if _parts(path) == _parts(article):
        return
    new = " or write a new page beside it" if allow_new else ""
    raise EditError(
        Kind.NOT_ALLOWED,
        f"{shown(path)} is not this task's article, {shown(article)}",
        hint=f"change only {article}{new}; read any file",
        details={"path": shown(path)[1:-1], "article": article},
    )


def _dotted(ending: str) -> str:
    folded = ending.casefold()
    return folded if folded.startswith(".") else f".{folded}"


def _fits(name: str, ending: str) -> bool:
    return name == ending if ending.startswith(_ENV) else name.endswith(ending) and name != ending


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the host decides for a kit.

    `article`     the one file that a tool that changes files may name
    `allow_new`   and new pages beside it, which are there only then
    `prefix`      a directory that stands for the root in the model's paths
    `extensions`  endings of the files that may be named; None: those of the toolset
    `model`       the model that makes the calls, for the records
    `overwrite`   a file may be written over that was never read; `allow_shrink`: and lose most of its lines
    `require_read` native edits need the file read before
    `version`     of a maker's tool; `max_characters`: what its `view` shows at most
    """

    article: str | None = None
    allow_new: bool = False
    prefix: str | None = None
    extensions: tuple[str, ...] | None = None
    model: str | None = None
    overwrite: bool = False
    allow_shrink: bool = False
    require_read: bool = False
    version: str | None = None
    max_characters: int | None = None


@dataclass(slots=True)
class Conversation:
    """What is remembered from call to call of one conversation: which file was failed on how often, in a row."""

    id: str = field(default_factory=new_record_id)
    mistakes: dict[str, int] = field(default_factory=dict)

    def failed(self, path: str) -> int:
        """Another failure on a file; how many there were since the last success."""
        self.mistakes[path] = self.mistakes.get(path, 0) + 1
        return self.mistakes[path]

    def succeeded(self, path: str) -> None:
        self.mistakes.pop(path, None)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool. `workspace` acts in the tool's name and with the toolset's policy.

    `is_reading`: the tool changes nothing, so it may name other files than the article.
    """

    workspace: Workspace
    settings: Settings
    conversation: Conversation
    toolset: Toolset
    is_reading: bool = False

    def path(self, spelled: str, *, creating: bool = False) -> str:
        """A path as the model spells it, as the workspace knows it.

        Refuses with `not-allowed` a kind of file that the toolset or the host leaves out, and, for a tool that changes
        files, any but the article where the host named one; `creating`: a new page beside it may be allowed too.
        """
        path, article = resolve_path(self.workspace, spelled, self.settings.prefix), self.settings.article
        if not self.is_reading and article is not None:
            place = resolve_path(self.workspace, article, self.settings.prefix)
            is_new = creating and self.settings.allow_new and is_beside(path, place) and not self._is_there(path)
            if not is_new:
                check_article(path, place, allow_new=self.settings.allow_new)
        self.check_ending(path)
        self._check_target(path)
        return path

    def _is_there(self, path: str) -> bool:
        try:
            host_of(self.workspace).source(path)
        except EditError as error:
            return error.kind is not Kind.NO_SUCH_FILE
        return True

    def _check_target(self, path: str) -> None:
        """Refuse a name that leads, as a link, to a kind of file that the host leaves out."""
        if self.settings.extensions is None or self.toolset.extensions is not None:
            return  # a toolset for kinds of files looks at what it reads itself
        try:
            named = host_of(self.workspace).source(path).path
        except EditError:  # what cannot be read is refused where it is asked for
            return
        if named is not None:
            self.check_ending(named)

    def directory(self, spelled: str) -> str:
        """A directory as the model spells it, as the workspace knows it."""
        return resolve_path(self.workspace, spelled, self.settings.prefix)

    def check_ending(self, path: str) -> None:
        """Refuse with `not-allowed` a kind of file that the toolset or the host leaves out."""
        own = self.settings.extensions
        endings = self.toolset.extensions if own is None else own
        if endings is not None:
            check_ending(path, endings)

    @property
    def mode(self) -> str | None:
        return self.workspace.mode
