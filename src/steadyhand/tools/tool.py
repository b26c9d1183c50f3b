"""What a tool is, and what a call of it is handed.

A tool is a name, what it takes and gives, examples, how far it is to be trusted, and how it runs. It is declared in
the module of its toolset and named in the table of `toolsets.py`; one that several toolsets have is in `file_tools.py`
and names them. Here are also fields that many tools take alike, and a tool in the form in which each maker's API takes
it.

A `Call` is the workspace in the tool's name, what the host set, and the conversation; nothing of it can be changed by a
tool's arguments. Paths are resolved here: as models spell them, beneath the root or a prefix that the host declared,
and only those that the toolset and the host allow. What a path names on disk is the workspace's matter.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, cast
from urllib.parse import unquote

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.schema import Field, Object, Schema, Text, bad_request, join, plain_schema, strict_schema
from steadyhand.session.checks import digest_of_version
from steadyhand.session.context import Verb
from steadyhand.session.host import Host, host_of
from steadyhand.session.workspace import Workspace
from steadyhand.tools.result import failure
from steadyhand.tools.toolsets import Toolset
from steadyhand.workspace.files.storage import shown
from steadyhand.workspace.journal.record import new_record_id

# Paths as models spell them, made paths of the workspace.
#
# An absolute path is taken beneath the root or beneath a prefix that the host declared. What a path then names on disk,
# and whether `..` in it stays beneath the root, is the workspace's matter.

_SEPARATORS = lazy_pattern(r"[/\\]")
_DECODINGS = 5


def plain_path(path: str) -> str:
    """A path without what does not change where it leads.

    >>> plain_path("./a//b.html")
    'a/b.html'
    """
    return "/".join(_parts(path))


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
            raise _outside(path, "contains the character U+0000, which no path may contain", "name the file without it")
        if ".." in _SEPARATORS.split(spelling) and (plain or spelling != path):
            raise _outside(path, "leaves its starting directory", "name the file without ..")
    if "\\" in path:
        raise EditError(
            Kind.BAD_REQUEST,
            f"the path {shown(path)} contains a backslash",
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
    new = " or write a new page next to it" if allow_new else ""
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
    """What a conversation remembers between calls: how often in a row calls on each file have failed."""

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

    @property
    def host(self) -> Host[Workspace]:
        """What surfaces may ask of the workspace beyond its public methods."""
        return host_of(self.workspace)

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
            self.host.source(path)
        except EditError as error:
            return error.kind is not Kind.NO_SUCH_FILE
        return True

    def _check_target(self, path: str) -> None:
        """Refuse a name that leads, as a link, to a kind of file that the host leaves out."""
        if self.settings.extensions is None or self.toolset.extensions is not None:
            return  # a toolset for kinds of files looks at what it reads itself
        try:
            named = self.host.source(path).path
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


Trust = Literal["read", "write", "destructive"]
Fields = Mapping[str, object]
Result = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One call, which the tests make: on `files`, after the calls of `first`, under the host's `settings`.

    `result` is what its answer must at least hold; `after` the files that it leaves otherwise than they were, None for
    one that is gone. Values of `arguments` and of `first` that read `$hash:NAME` stand for the hash of that file.
    """

    about: str
    arguments: Mapping[str, object]
    result: Mapping[str, object]
    files: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str | None] = field(default_factory=dict)
    first: Sequence[tuple[str, Mapping[str, object]]] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    `summary` is what the model reads of it. `verbs` are what it may do to files: a mode that allows none of them hides
    it. `modes`: only there it is listed. `lasts`: the modes in which it comes after all others. `refused` makes the
    answer of a refusal, in the phrases of its toolset. `native` is how a style of schema names a tool that the maker's
    models know already, `also` are other names it is called by, and `fitted` makes it what the host's settings ask
    for, such as an earlier version.
    `also_reads`: some of what it does changes nothing, so it is there also where nothing may be changed.
    `run` may raise `EditError`; what it returns is the answer.
    """

    name: str
    title: str
    summary: str
    parameters: Object
    result: Object
    examples: tuple[Example, ...]
    run: Callable[[Call, Fields], Result]
    trust: Trust = "read"
    verbs: frozenset[Verb] = frozenset()
    modes: tuple[str, ...] | None = None
    lasts: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = ()
    rank: int = 50
    refused: Callable[[EditError, Phrases], Result] = failure
    native: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    fitted: Callable[[Tool, Settings], Tool] | None = None
    also_reads: bool = False

    def under(self, settings: Settings) -> Tool:
        """The tool as a host with these settings has it. Refuses with `bad-request` settings it does not know."""
        return self if self.fitted is None else self.fitted(self, settings)

    def annotations(self) -> dict[str, object]:
        """What MCP clients see, so that they know when to ask a person."""
        return {
            "title": self.title,
            "readOnlyHint": self.trust == "read",
            "destructiveHint": self.trust == "destructive",
            "idempotentHint": self.trust == "read",
            "openWorldHint": False,
        }


# Fields that many tools take alike, and what a call says in them.

FILE = Field("path", Text(), "The file, from the workspace root.", required=True)
REASON = Field("reason", Text(), "Why; kept with the change.")


def reason_of(fields: Fields) -> str | None:
    """Why a call is made; None where it does not say."""
    return cast("str | None", fields.get("reason"))


def expected_version(fields: Fields, name: str = "expectedHash", place: str = "") -> str | None:
    """The hash in a field; None where there is none. Refuses with `bad-request`, naming the field of `place`."""
    try:
        return digest_of_version(fields.get(name))
    except EditError:
        hint = "send a fileHash as read, or leave it out"
        raise bad_request(join(place, name), "not a fileHash", hint) from None


# Tools in the form each maker's API takes them; their parameters are JSON Schemas, plain or strict.
#
# Strict: every property is required and may be null, no other is allowed, nothing has a default or a bound. What has no
# shape cannot be said there, so it is asked for as a string that holds JSON: repair reads an object or an array out of
# it, and a tool that takes any value reads the rest.

_REFUSED = (Field("error", Text(), "Why nothing was done, and what to send instead."), Field("kind", Text()))


def _openai(tool: Tool, *, strict: bool) -> Schema:
    return {"type": "function", "function": _function(tool, strict=strict)}


def _responses(tool: Tool, *, strict: bool) -> Schema:
    return {"type": "function", **_function(tool, strict=strict)}


def _function(tool: Tool, *, strict: bool) -> Schema:
    parameters = strict_schema(tool.parameters) if strict else plain_schema(tool.parameters)
    return {"name": tool.name, "description": tool.summary, "parameters": parameters, "strict": strict}


def _anthropic(tool: Tool) -> Schema:
    return {"name": tool.name, "description": tool.summary, "input_schema": plain_schema(tool.parameters)}


def _mcp(tool: Tool) -> Schema:
    # Clients check refusals against the schema too, so no field of an answer is required.
    schema = plain_schema(Object(tuple({field.name: field for field in (*_REFUSED, *tool.result.fields)}.values())))
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.summary,
        "inputSchema": plain_schema(tool.parameters),
        "outputSchema": {"type": "object", "properties": schema["properties"]},
        "annotations": tool.annotations(),
    }


STYLES: Mapping[str, Callable[[Tool], Schema]] = {
    "openai": lambda tool: _openai(tool, strict=False),
    "openai-strict": lambda tool: _openai(tool, strict=True),
    "openai-responses": lambda tool: _responses(tool, strict=False),
    "openai-responses-strict": lambda tool: _responses(tool, strict=True),
    "anthropic": _anthropic,
    "mcp": _mcp,
}


def tool_schema(tool: Tool, style: str) -> Schema:
    """A tool as a maker's API takes it; a tool that the maker's models know by a type of its own is named by it."""
    native = tool.native.get(style)
    return dict(native) if native is not None else STYLES[style](tool)
