"""Files of JSON lines outside the tree, in the user's state folder: what tasks have reported, and the log of a run.

1. A line is there as a whole or not at all: one that a crash has cut off counts as not written, and the next writer
   removes it.
2. Findings are one file for each tree, with one line for each report. Writers take turns by a lock; a reader needs
   none. The file is bounded: the oldest reports of other tasks make room, and a task that reports without end is
   refused. Nothing is kept where the folder would lie beneath the root.
3. The log of a run that may be killed at any moment and gone on with has one writer at a time, and a line is on the
   disk before its writer goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import alone_with, closing, refuse_os, sync_directory
from steadyhand.workspace.location import user_state

Report = Mapping[str, object]

_LARGEST = 32 << 20  # bytes of one file; a task may have half of it
_PATIENCE = 10.0  # seconds to wait for a lock
_OLD = 90 * 86_400  # seconds after which the reports of a tree that is gone are removed
_SWEPT = 200
Line = Mapping[str, object]
_LARGEST_LOG = 256 << 20  # bytes


def findings_folder() -> Path | None:
    """The folder for the findings of all trees; None where the user has no home."""
    state = user_state()
    return None if state is None else state / "findings"


class FindingsFile:
    """The findings of one tree. Thread-safe, and safe between processes."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(os.path.realpath(root))
        folder = findings_folder()
        is_inside = folder is not None and Path(os.path.realpath(folder)).is_relative_to(self._root)
        self._folder = None if is_inside else folder
        self._name = hashlib.sha256(os.fsencode(self._root)).hexdigest()[:24]

    @property
    def is_there(self) -> bool:
        """Whether findings can be kept at all."""
        return self._folder is not None

    def read(self) -> list[Report]:
        """Every report that was written whole, oldest first."""
        return [report for _, report in self._reports()]

    def add(self, task: str | None, items: Sequence[Mapping[str, object]], *, most: int) -> int:
        """Keep a report; how many items the task has reported by now.

        Refuses with `too-large` more than `most` of them, with `busy` where others write for too long, and with
        `disk-refused` where nothing can be written.
        """
        assert self._folder is not None
        report = {"root": str(self._root), "task": task, "items": list(items)}
        line = json.dumps(report, ensure_ascii=True).encode() + b"\n"
        try:
            self._make_folder()
            with alone_with(self._place(".lock"), _PATIENCE, _busy):
                kept = list(self._reports())
                count = sum(len(_items(known)) for _, known in kept if known.get("task") == task)
                size = sum(len(known) for known, report in kept if report.get("task") == task)
                if count + len(items) > most or size + len(line) > _LARGEST // 2:
                    raise EditError(
                        Kind.TOO_LARGE,
                        f"{count} findings of this task are kept already",
                        hint="report what matters most, and stop",
                        details={"limit": most},
                    )
                self._write(kept, line, task)
                return count + len(items)
        except OSError as error:
            raise refuse_os(error, "keep findings", "findings") from None

    def _write(self, kept: Sequence[tuple[bytes, Report]], line: bytes, task: str | None) -> None:
        """Append the line; where the file is damaged or full, write what stays under another name and rename it."""
        size = sum(len(known) for known, _ in kept)
        place = self._place(".jsonl")
        with contextlib.suppress(FileNotFoundError):
            if os.lstat(place).st_size == size and size + len(line) <= _LARGEST:
                self._append(place, line, os.O_APPEND)
                return
        room = _LARGEST // 2 - len(line)
        others = sum(len(known) for known, report in kept if report.get("task") != task)
        own = size - others
        staying = []
        for known, report in kept:
            if report.get("task") != task and others + own > room:
                others -= len(known)
            else:
                staying.append(known)
        part = self._place(".part")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        self._append(part, b"".join([*staying, line]), os.O_EXCL)
        os.replace(part, place)
        sync_directory(os.path.dirname(place))
        if not kept:
            self._sweep()

    def _append(self, place: str, data: bytes, flag: int) -> None:
        with closing(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | flag, 0o600)) as handle:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)

    def _reports(self) -> Iterator[tuple[bytes, Report]]:
        """The lines that are whole reports, as they are and as they are read."""
        if self._folder is None:
            return
        try:
            handle = os.open(self._place(".jsonl"), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return
            for line in file.read(2 * _LARGEST).splitlines(keepends=True):
                with contextlib.suppress(ValueError, RecursionError):
                    report = json.loads(line)
                    if line.endswith(b"\n") and isinstance(report, dict) and isinstance(report.get("items"), list):
                        yield line, report

    def _make_folder(self) -> None:
        assert self._folder is not None
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        found = os.lstat(self._folder)
        if not stat.S_ISDIR(found.st_mode) or os.geteuid() not in (found.st_uid, 0):
            raise EditError(Kind.DISK_REFUSED, "the folder for findings belongs to somebody else", hint="move it away")

    def _sweep(self) -> None:
        """Remove old findings of trees that are not there any more; the lock files stay."""
        assert self._folder is not None
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in list(entries)[:_SWEPT]:
                is_old = entry.stat(follow_symlinks=False).st_mtime < time.time() - _OLD
                if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False) and is_old:
                    with open(entry.path, "rb") as file:
                        first = file.readline(2 * _LARGEST)
                    with contextlib.suppress(ValueError, KeyError, TypeError):
                        if not os.path.lexists(json.loads(first)["root"]):
                            os.unlink(entry.path)

    def _place(self, ending: str) -> str:
        return os.path.join(str(self._folder), self._name + ending)


def _busy() -> EditError:
    return EditError(Kind.BUSY, "others are writing findings", hint="send the same call again")


def _items(report: Report) -> list[object]:
    items = report.get("items")
    return items if isinstance(items, list) else []


def usual_log(subject: str, *key: str) -> RunLog:
    """The log for a key, in the user's state folder. Refuses with `disk-refused` where the user has none."""
    folder = user_state()
    if folder is None:
        raise EditError(Kind.DISK_REFUSED, "there is no home directory for the state", hint="name a file for the state")
    name = hashlib.sha256("\0".join((subject, *key)).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return RunLog(folder / subject / f"{name}.jsonl", subject)


class RunLog:
    """One log. `subject` is the first key of its first line, by which it is known from a file of somebody else.

    Refuses with `disk-refused` what cannot be read or written, and with `bad-request` a file that is no such log.
    """

    def __init__(self, path: Path, subject: str) -> None:
        self.path = path
        self._mark = f"{{{json.dumps(subject)}: ".encode()
        self._handle: int | None = None

    def lines(self) -> list[Line]:
        """Every line that was written whole, oldest first; none where there is no file."""
        return self._read()[0]

    @contextlib.contextmanager
    def writing(self, *, afresh: bool = False) -> Iterator[RunLog]:
        """Hold the log while lines are added; `afresh`: what it held is removed. `busy`: another process does."""
        handle = self._opened()
        try:
            _, size = self._read()
            try:
                os.ftruncate(handle, 0 if afresh else size)
            except OSError as error:
                raise _refused(error, "keep") from None
            self._handle = handle
            yield self
        finally:
            self._handle = None
            os.close(handle)

    def add(self, line: Line) -> None:
        """Write one line and see it on the disk; a line that cannot be written whole is taken back."""
        assert self._handle is not None, "lines are added while the log is held"
        data = memoryview(json.dumps(line, ensure_ascii=True).encode() + b"\n")
        size = os.fstat(self._handle).st_size
        assert size or bytes(data).startswith(self._mark), "the first line begins with the subject"
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, size)
            raise _refused(error, "keep") from None

    def _opened(self) -> int:
        import fcntl

        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
            handle = os.open(self.path, flags, 0o600)
        except (OSError, ValueError) as error:
            raise _refused(error, "keep") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise EditError(
                Kind.BUSY, "another process is working on this run", hint="wait for it, or name another file"
            ) from None
        return handle

    def _read(self) -> tuple[list[Line], int]:
        """The lines, and how many bytes they are."""
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return [], 0
        except (OSError, ValueError) as error:
            raise _refused(error, "read") from None
        try:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST_LOG:
                raise _no_log()
            with open(handle, "rb", closefd=False) as file:
                data = file.read()
        except OSError as error:
            raise _refused(error, "read") from None
        finally:
            os.close(handle)
        if not data.startswith(self._mark) and not self._mark.startswith(data):
            raise _no_log()
        whole = data[: data.rfind(b"\n") + 1]
        return [_parsed(row) for row in whole.splitlines()], len(whole)


def _parsed(row: bytes) -> Line:
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        raise _no_log() from None
    if not isinstance(value, dict):
        raise _no_log()
    return value


def _no_log() -> EditError:
    return EditError(Kind.BAD_REQUEST, "the file is not the state of such a run", hint="name another file")


def _refused(error: OSError | ValueError, action: str) -> EditError:
    if isinstance(error, OSError):
        return refuse_os(error, action, "the state of the run")
    return EditError(Kind.BAD_REQUEST, "no file can have the name of the state", hint="name another file")
