"""The log of a run that may be killed at any moment and gone on with: one JSON object on each line, outside the tree.

1. A line is there as a whole or not at all: one that a crash has cut off counts as not written, and the next writer
   removes it.
2. A line is on the disk before its writer goes on.
3. There is one writer at a time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import refuse_os
from steadyhand.workspace.location import user_state

Line = Mapping[str, object]
_LARGEST = 256 << 20  # bytes


def usual_log(subject: str, *key: str) -> RunLog:
    """The log for a key, in the user's state folder. Refuses with `disk-refused` where the user has none."""
    folder = user_state()
    if folder is None:
        raise EditError(Kind.DISK_REFUSED, "there is no home to keep the state in", hint="name a file for the state")
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
                Kind.BUSY, "another process is at work on this run", hint="wait for it, or name another file"
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
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
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
