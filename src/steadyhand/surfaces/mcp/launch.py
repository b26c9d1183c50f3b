"""From what a host decides when it starts a server to a server that runs: roots, token, sandbox, transport.

Where it works, in whose name, with which tools and limits: nothing of it can be changed by a client or a tool. The host
names the roots: options, then STEADYHAND_ROOT. Only a server that has none asks its client, and only one that was
started by that client; then the repository it was started in counts. A tool never names a root that is not here.
Whatever is wrong with the options is refused here, before a client is there to be surprised. The kernel's sandbox,
Landlock, is raised before any thread begins, or by each worker once the roots are known.
What a server says of itself is plain lines on standard error, never a traceback. Nobody has to read them: a line that
would have to wait for a reader is dropped, and what libraries complain of is said once and a few times in a while. So
no client can fill a disk with lines, or stop the server by not reading them.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, count
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.surfaces.mcp.front import claim, greet
from steadyhand.surfaces.terminal import visible_line
from steadyhand.workspace.machine import scratch_folder, takes_more

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.surfaces.mcp.http import Address
    from steadyhand.tools.tool import Settings


VARIABLE = "STEADYHAND_ROOT"
USUAL = 10.0  # seconds for a call
_MOST_LISTED = 50
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
    for uri in list(uris)[:_MOST_LISTED]:
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
                hint="a file has one journal: give the outer directory, or separate directories",
            )
    names = _names(real)
    return tuple(Root(name, path) for name, path in zip(names, real, strict=True))


def no_root() -> EditError:
    """The refusal of a server that does not know where to work."""
    return EditError(
        Kind.BAD_REQUEST,
        "the server has no directory to work in",
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
    root_options: Callable[[str], RootOptions] = lambda path: RootOptions()
    tool_prefix: str = ""
    seconds: float = USUAL
    most: int = 100_000
    confine: Callable[[tuple[Root, ...]], object] | None = None
    is_sandboxed: bool = False

    @property
    def is_reading(self) -> bool:
        """Whether nothing can be changed at all."""
        return self.read_only or self.mode in _READING


@dataclass(frozen=True, slots=True)
class Launch:
    """What a person typed: where and over what to serve, and in `options` the rest, whose roots are not known yet."""

    options: ServerOptions
    roots: tuple[str, ...] = ()
    http: str | None = None
    names: tuple[str, ...] = ()
    token: str | None = None
    has_sandbox: bool = True


def launch(asked: Launch) -> int:
    """Serve until the client disconnects or a signal comes; the exit code."""
    from steadyhand.workspace.budget import give_back_memory

    give_back_memory()
    address = _address(asked)
    options = _rooted(asked)
    token = _token(asked, address)
    _check_names(options.toolsets)
    with scratch_folder([root.path for root in options.roots]) as scratch:
        quieten()
        options = _sandboxed(asked, options, scratch, address)
        if address is None and os.isatty(0):
            say("a client should start this, not a terminal: --install CLIENT sets that up; Ctrl-C ends it")
        has_ended = _serve(options, address, token)
    if not has_ended:
        say("a running call was abandoned; the next start repairs what it left")
        os._exit(0)  # an ordinary end would wait for its thread
    return 0


def _check_names(toolsets: Sequence[str]) -> None:
    """Refuse toolsets with different tools of one name. Our own have none, and loading them can wait for the client."""
    from steadyhand.tools.toolsets import toolset_named

    if len(toolsets) > 1 and any(toolset_named(name).is_native for name in toolsets):
        from steadyhand.surfaces.mcp.sessions import Catalog

        Catalog(toolsets)


def _serve(options: ServerOptions, address: Address | None, token: str) -> bool:
    """Serve, and whether every call had ended by the end."""
    if address is None:
        wire = claim()
        heard = greet(options, *wire)
        if heard is None:
            return True
        from steadyhand.surfaces.mcp.server import Service
        from steadyhand.surfaces.mcp.stdio import serve_stdio

        service = Service(options)
        serve_stdio(service, wire, heard)
    else:
        from steadyhand.surfaces.mcp.http import serve_http
        from steadyhand.surfaces.mcp.server import Service

        service = Service(options)
        serve_http(service, address, token)
    return not service.running


def _address(asked: Launch) -> Address | None:
    if asked.http is None:
        if asked.names:
            raise EditError(Kind.BAD_REQUEST, "--http-name is for a server over HTTP", hint="add --http PORT")
        return None
    from steadyhand.surfaces.mcp.http import Address

    return Address.of(asked.http, asked.names)


def _token(asked: Launch, address: Address | None) -> str:
    """What clients have to show. A server that other machines reach has one that somebody chose."""
    if address is None or asked.token:
        return asked.token or ""
    if not address.is_local:
        raise EditError(
            Kind.NOT_ALLOWED, "a server for other machines needs a token", hint="set STEADYHAND_MCP_TOKEN or --token"
        )
    from steadyhand.workspace.machine import new_token

    token = new_token()
    say(f"token for this run: {token}")
    return token


def _rooted(asked: Launch) -> ServerOptions:
    """The server with the roots that are known, and with the one to fall back on where the client is asked first."""
    given = asked.options
    roots, fallback = _roots(asked)
    known = {root.path: given.root_options(root.path) for root in roots}  # read before the sandbox is raised
    return replace(
        given,
        roots=roots,
        fallback=fallback,
        root_options=lambda path: known[path] if path in known else given.root_options(path),
    )


def _roots(asked: Launch) -> tuple[tuple[Root, ...], str | None]:
    roots = host_roots(asked.roots, os.environ)
    here = None if roots else marked_root(os.getcwd())
    if asked.http is not None and not roots:
        if here is None:
            raise no_root()
        roots, here = named_roots([here]), None
    if len(roots) > 1 and not (asked.options.journal or "postgres").startswith("postgres"):
        raise EditError(
            Kind.BAD_REQUEST,
            "one journal folder cannot serve several roots",
            hint="leave --journal out, so that each root has its own, or give a postgresql:// URL",
        )
    return roots, here


def _say_missing(why: str | None) -> None:
    if why is not None:
        say(f"a worker has no kernel sandbox: {why}")


def _sandboxed(asked: Launch, options: ServerOptions, scratch: str | None, address: Address | None) -> ServerOptions:
    """The same server in the kernel's sandbox, if there is one; the log says so."""

    def raised(roots: tuple[Root, ...]) -> str | None:
        ports = () if address is None else (address.port,)
        reports = options.mode == "analyze"
        return confine(roots, options.journal, scratch, read_only=options.is_reading, reports=reports, ports=ports)

    names = ", ".join(root.name for root in options.roots)
    about = f"serving {', '.join(options.toolsets)}{f' in {names}' if names else ''}"
    if not asked.has_sandbox:
        say(f"{about}; no kernel sandbox: --no-landlock")
        return options
    if not options.roots:
        say(f"{about}; the roots come from the client; each worker then raises the kernel sandbox")
        return replace(options, confine=lambda roots: _say_missing(raised(roots)))
    why = raised(options.roots)
    say(f"{about}; kernel sandbox: {'Landlock' if why is None else f'none, {why}'}")
    return replace(options, is_sandboxed=why is None)


def confine(
    roots: Sequence[Root],
    journal: str | None,
    scratch: str | None,
    *,
    read_only: bool,
    reports: bool = False,
    ports: tuple[int, ...] = (),
) -> str | None:
    """Raise the sandbox for this thread and all it starts; None, or why there is none."""
    from steadyhand.workspace.landlock import access_to, restrict_process

    paths = [root.path for root in roots]
    try:
        access = access_to(
            paths, journal, scratch=scratch, read_only=read_only, ports=ports, code=_code(), reports=reports
        )
        return None if restrict_process(access) is not None else "this system has no Landlock"
    except OSError as error:
        return error.strerror or "the kernel refused it"


def _code() -> list[str]:
    """Where modules that are loaded later may come from: an installation that is worked on lies anywhere."""
    files = (getattr(module, "__file__", None) for name, module in list(sys.modules.items()) if "." not in name)
    return sorted({os.path.dirname(os.path.realpath(file)) for file in files if file})


_NAME = "steadyhand mcp"
_LONGEST = 2_000
_ATOMIC = 4_096  # bytes that a pipe which takes any takes at once
_WHILE = 10.0  # seconds in which nothing is said twice
_MOST = 20  # lines in such a while


def say(text: str) -> None:
    """One line for whoever reads the log."""
    line = f"{_NAME}: {visible_line(text)[:_LONGEST]}"
    try:
        sys.stderr.flush()
        if takes_more(sys.stderr.fileno()):
            os.write(sys.stderr.fileno(), f"{line.encode()[: _ATOMIC - 1].decode(errors='ignore')}\n".encode())
    except (AttributeError, OSError, ValueError):
        pass  # nobody listens, and that must not end the server


class _Lines(logging.Handler):
    """The libraries' warnings as lines of ours. What an exception says may name anything: its type is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()
        self._since = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0] if record.exc_info else None
        line = f"{record.getMessage()}{f' ({error.__name__})' if error is not None else ''}"
        if time.monotonic() > self._since + _WHILE:
            self._said, self._since = set(), time.monotonic()
        if line not in self._said and len(self._said) < _MOST:
            self._said.add(line)
            say(line)
        if error is not None and os.environ.get("STEADYHAND_DEBUG"):
            import traceback

            traceback.print_exception(*record.exc_info)  # type: ignore[misc]  # it is there


def quieten() -> None:
    """Let the libraries say their warnings in our way."""
    root = logging.getLogger()
    root.handlers[:] = [_Lines()]
    root.setLevel(logging.WARNING)
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # it reports every connection that an end cuts off
