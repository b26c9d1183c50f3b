"""Services for long-running programs on this machine: facts for `doctor`, a scratch folder, pipes, ports, tokens.

Every client starts its own server, so nothing heavy is imported before it is used.

A scratch folder is held while somebody works there and swept when nobody does. Whoever holds it is known to the kernel
and not by a number that another machine's view may not show. Only folders of a home that is this user's alone are
swept.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from steadyhand.errors import EditError

if TYPE_CHECKING:
    import socket

    from steadyhand.workspace.held.store import AnyStore


_PARTS = ("click", "markdown_it", "psycopg", "rapidfuzz", "tree_sitter", "turbohtml", "yaml")


def describe(store: AnyStore) -> dict[str, object]:
    """Facts by name; every value is plain data."""
    import importlib.util
    import platform
    import sqlite3

    from steadyhand.workspace.landlock import landlock_abi

    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "root": store.sandbox.root,
        "resolver": store.sandbox.resolver,
        "openat2": store.sandbox.resolver == "openat2",
        "landlock": landlock_abi(),
        "sqlite": sqlite3.sqlite_version,
        "parts": {name: importlib.util.find_spec(name) is not None for name in _PARTS},
        "mount_points": list(store.sandbox.mount_points()),
        "read_only": store.read_only,
        "journal": describe_journal(store),
        "warnings": list(store.warnings),
    }


def describe_journal(store: AnyStore) -> dict[str, object]:
    """Where the journal is kept, how much it holds, and the names of tree and repository. No password is shown."""
    from steadyhand.workspace.location import repo_id

    kind = "SQLite" if store.location.url is None else "PostgreSQL"
    names = {"root_id": store.location.root_id(), "repo_id": repo_id(Path(store.sandbox.root))}
    if not store.state.exists:
        return {
            "state": "none yet; the first change creates it",
            "store": kind,
            "location": store.location.shown,
            **names,
        }
    try:
        stats = store.journal.stats()
    except EditError as error:
        return {"state": "unusable", "store": kind, "location": store.location.shown, **names, "error": error.to_json()}
    return {
        "state": "in use",
        "store": kind,
        "location": store.journal.location,
        **names,
        "records": stats.records,
        "images": stats.images,
        "bytes": stats.file_bytes,
        "oldest": stats.oldest,
        "newest": stats.newest,
        "pending": [intent.id for intent in store.state.intents(sweep=not store.read_only)],
    }


_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def takes_more(descriptor: int, seconds: float = 0) -> bool:
    """Whether `select.PIPE_BUF` bytes can be written without waiting for a reader, now or within some seconds."""
    polled = select.poll()
    polled.register(descriptor, select.POLLOUT)
    return bool(polled.poll(seconds * 1_000))


def write_ready(descriptor: int, data: memoryview, seconds: float = 0) -> memoryview:
    """Write what is taken at once, or within some seconds; what is left. Raises OSError if nobody will ever read."""
    until = time.monotonic() + seconds
    while data and takes_more(descriptor, max(until - time.monotonic(), 0)):
        data = data[os.write(descriptor, data[: select.PIPE_BUF]) :]
    return data


def listening(host: str, port: int, backlog: int) -> list[socket.socket]:
    """Sockets that listen on every address of a host (`localhost` may have two); port 0 is one that is free.

    Raises OSError where the port cannot be had.
    """
    import socket

    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    addresses = sorted({(family == socket.AF_INET6, str(address[0])) for family, _, _, _, address in found})
    listens: list[socket.socket] = []
    try:
        for is_v6, name in addresses:
            family = socket.AF_INET6 if is_v6 else socket.AF_INET
            try:
                listens.append(socket.create_server((name, port), family=family, backlog=backlog))
            except OSError as error:
                if error.errno in _NO_SUCH_ADDRESS and len(addresses) > 1:  # a machine without IPv6 may still list it
                    continue
                raise
            port = listens[0].getsockname()[1]
        if not listens:
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    except OSError:
        for one in listens:
            one.close()
        raise
    return listens


_SQLITE = "SQLITE_TMPDIR"
_PLACES = ("/dev/shm", "/var/tmp")
_PREFIX, _TREE = "mcp-", "tree-"
_OLD = 3_600  # seconds; a folder that was just made is not held yet


@contextmanager
def scratch_folder(roots: Sequence[str]) -> Iterator[str | None]:
    """A folder of our own, outside the roots, for what has to be put somewhere for a while; None where none can be."""
    import shutil
    import tempfile

    folder = _made(roots, _PREFIX)
    if folder is None:
        yield None
        return
    before, named = tempfile.tempdir, os.environ.pop(_SQLITE, None)
    tempfile.tempdir = os.environ[_SQLITE] = folder
    held = _hold(folder)
    try:
        yield folder
    finally:
        if held is not None:
            os.close(held)
        tempfile.tempdir = before
        del os.environ[_SQLITE]
        os.environ |= {} if named is None else {_SQLITE: named}
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch_tree(files: Mapping[str, bytes]) -> Iterator[str]:
    """A directory with these files, for work that is thrown away. Refuses with `disk-refused` where that cannot be."""
    import shutil

    from steadyhand.errors import Kind
    from steadyhand.workspace.files.storage import refuse_os

    folder = _made((), _TREE)
    if folder is None:
        raise EditError(Kind.DISK_REFUSED, "no temporary directory can be made", hint="set TMPDIR to one with room")
    held = _hold(folder)
    try:
        try:
            for name, data in files.items():
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        except OSError as error:
            raise refuse_os(error, "write", "a temporary file") from None
        yield folder
    finally:
        if held is not None:
            os.close(held)
        shutil.rmtree(folder, ignore_errors=True)


def read_tree(folder: str, most: int) -> dict[str, bytes | None]:
    """The files beneath a directory but for our own state, by their paths; None for what is no regular file.

    Of a file only so many bytes are read: one that is longer is no copy of a shorter one.
    """
    found: dict[str, bytes | None] = {}
    for here, folders, names in os.walk(folder):
        inside = os.path.relpath(here, folder)
        folders[:] = [name for name in folders if (inside, name) != (".", ".steadyhand")]
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]
        for name in (*names, *links):
            place = Path(here, name)
            found[os.path.normpath(os.path.join(inside, name))] = _beginning(place, most)
    return found


def _beginning(place: Path, most: int) -> bytes | None:
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return None
        with place.open("rb") as file:
            return file.read(most)
    except OSError:
        return None


def _made(roots: Sequence[str], prefix: str) -> str | None:
    import tempfile

    for place in (_usual(), *_PLACES):
        real = os.path.realpath(place)
        if not any(os.path.commonpath([root, real]) == root for root in roots):
            home = _home(real)
            if home != real:
                _sweep(home, prefix)
            with suppress(OSError):
                return tempfile.mkdtemp(prefix=prefix, dir=home)
    return None


def _usual() -> str:
    import tempfile

    try:
        return tempfile.gettempdir()
    except OSError:
        return _PLACES[0]


def _home(place: str) -> str:
    """Where this user's servers have their folders, each removable by its own; the place itself if there is none."""
    home = os.path.join(place, f"steadyhand-{os.getuid()}")
    with suppress(OSError):
        os.mkdir(home, 0o700)
    try:
        found = os.lstat(home)
    except OSError:
        return place
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return home if is_ours else place


def _hold(folder: str) -> int | None:
    """Show that somebody works in a folder, until the descriptor is closed; None where that cannot be, or is so."""
    import fcntl  # absent on some systems, where no workspace is opened either

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _sweep(home: str, prefix: str) -> None:
    """Remove old folders that nobody holds: a copy of a journal may be large, and is nobody's business."""
    import shutil

    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.stat(follow_symlinks=False).st_mtime < time.time() - _OLD:
                handle = _hold(entry.path)
                if handle is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(handle)


def new_name() -> str:
    """A short name that is not taken elsewhere."""
    import secrets

    return secrets.token_hex(4)


def new_token() -> str:
    """What a client has to show to be let in."""
    import secrets

    return secrets.token_urlsafe(32)
