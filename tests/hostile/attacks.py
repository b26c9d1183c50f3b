"""A workspace beside something it must never touch, and how to tell that it did not."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError, Kind

SECRET = "secret: must be neither read nor written"
INSIDE = "one\ntwo\nthree\n"
GIT_CONFIG = "[core]\n\tbare = false\n"

Snapshot = dict[str, tuple[object, ...]]


def make_ground(base: Path) -> Path:
    """`base/ws`, the root, with a git folder; `base/out`, the outside."""
    for name in ("ws/sub/dir", "ws/.git/hooks", "ws/.git/refs/tags", "out/dir", "out/empty"):
        (base / name).mkdir(parents=True)
    for name in ("ws/a.md", "ws/sub/a.md", "ws/sub/dir/a.md"):
        (base / name).write_text(INSIDE)
    for name in ("out/a.md", "out/dir/a.md", "ws/.env"):
        (base / name).write_text(SECRET)
    (base / "ws/.git/config").write_text(GIT_CONFIG)
    return base / "ws"


def snapshot(top: Path, *, without: tuple[str, ...] = ()) -> Snapshot:
    """Everything the system knows of every name beneath `top`, except when it was last read."""
    found: Snapshot = {}
    for directory, names, files in os.walk(top):
        here = Path(directory)
        names[:] = [name for name in names if str((here / name).relative_to(top)) not in without]
        for path in (here, *(here / name for name in (*names, *files))):
            status = path.lstat()
            content: object = None
            if stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            found[str(path.relative_to(top))] = (
                status.st_mode, status.st_uid, status.st_gid, status.st_ino, status.st_nlink, status.st_size,
                status.st_mtime_ns, status.st_ctime_ns, status.st_rdev, content,
            )  # fmt: skip
    return found


def contents(top: Path, *, without: tuple[str, ...] = ()) -> Snapshot:
    """The same without what changes when a neighbour comes and goes: times and sizes of directories."""
    return {
        path: (facts[0], facts[9]) if stat.S_ISDIR(int(str(facts[0]))) else facts
        for path, facts in snapshot(top, without=without).items()
    }


def said(error: EditError) -> str:
    """Everything a caller can see of a refusal."""
    return f"{error} {error.hint} {json.dumps(error.to_json())} {error.__cause__!r}"


def refused(act: Callable[[], object]) -> EditError:
    """The refusal; it must be one, and must not show what is outside."""
    try:
        act()
    except EditError as error:
        assert SECRET not in said(error)
        assert error.kind is not Kind.INTERNAL, error
        return error
    raise AssertionError("it was not refused")


@contextlib.contextmanager
def running(work: Callable[[], None]) -> Iterator[None]:
    """`work` again and again in a process of its own, until the block ends."""
    pid = os.fork()
    if pid == 0:
        try:
            while os.getppid() != 1:
                with contextlib.suppress(OSError):
                    work()
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


VERBS: dict[str, Callable[[sh.Workspace, str], object]] = {
    "read": lambda ws, path: ws.read(path),
    "edit": lambda ws, path: ws.edit(path, [sh.Replace("e", "E", occurrence="all")]),
    "preview": lambda ws, path: ws.preview(path, [sh.Replace("e", "E", occurrence="all")]),
    "write": lambda ws, path: ws.write(path, "overwritten\n", overwrite=True),
    "write bytes": lambda ws, path: ws.write(path, b"overwritten\n", overwrite=True),
    "create": lambda ws, path: ws.create(path, "created\n"),
    "delete": lambda ws, path: ws.delete(path),
    "rename from": lambda ws, path: ws.rename(path, "moved.md"),
    "rename to": lambda ws, path: ws.rename("a.md", path),
    "chmod": lambda ws, path: ws.chmod(path, 0o777),
    "why": lambda ws, path: ws.why(path, 1),
    "undo": lambda ws, path: ws.undo(path=path),
    "transaction": lambda ws, path: _transaction(ws, path),
    "apply": lambda ws, path: ws.apply(
        sh.requests_from_json({"files": [{"path": "a.md", "delete": True}, {"path": path, "write": "x\n"}]})
    ),
}


def _transaction(ws: sh.Workspace, path: str) -> object:
    with ws.transaction() as tx:
        tx.edit("a.md", [sh.Replace("one", "1")])
        tx.write(path, "overwritten\n", overwrite=True)
    return tx.receipt
