"""Files that a command writes for its caller: all of it or nothing, and never over the journal.

They belong to the caller, as those that are read do (`inputs.py`), and are not a change of the workspace: wherever
they are, nothing is recorded. A refusal names the option and never the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import Invocation

__all__ = ["Write", "writing"]

Write = Callable[[bytes], object]

_TRIES = 1_000
_READING = ("research", "analyze")


@contextmanager
def writing(invocation: Invocation, option: str, name: str) -> Iterator[Write]:
    """What writes to a file, which takes its name when the block ends well; a device or a pipe is written as it is."""
    if name == "-" or name.endswith("/"):
        hint = "/dev/stdout names standard output" if name == "-" else "a name that ends with / is a folder's"
        raise EditError(Kind.BAD_REQUEST, f"{option} takes the name of a file", hint=hint)
    with _refusing(option):
        target = os.path.realpath(name)
        _check(invocation, option, target)
        mode = os.stat(target).st_mode if os.path.lexists(target) else None
        is_special = mode is not None and not stat.S_ISREG(mode)
        temporary, handle = (None, os.open(target, os.O_WRONLY)) if is_special else _beside(target)
    stream = os.fdopen(handle, "wb")

    def write(data: bytes) -> None:
        with _refusing(option):
            stream.write(data)

    try:
        yield write
        with _refusing(option):
            _finish(stream, temporary, target, mode)
    except BaseException:
        with suppress(OSError):
            stream.close()
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise


def _finish(stream: BinaryIO, temporary: str | None, target: str, mode: int | None) -> None:
    """Give the file its name, and the mode of the one that had it."""
    stream.flush()
    if temporary is not None:
        if mode is not None:
            os.fchmod(stream.fileno(), stat.S_IMODE(mode) & 0o777)
        os.fsync(stream.fileno())
        stream.close()
        os.replace(temporary, target)
    stream.close()


@contextmanager
def _refusing(option: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "not a file name"
        raise EditError(
            Kind.DISK_REFUSED,
            f"the file of {option} cannot be written: {cause}",
            hint="check the name and whether its folder is there; what stood there before still does",
        ) from error


def _beside(target: str) -> tuple[str, int]:
    folder, name = os.path.split(target)
    for number in range(_TRIES):
        temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}-{number}.part")
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
            return temporary, os.open(temporary, flags, 0o666)
    raise FileExistsError(f"there are {_TRIES} unfinished files of that name")


def _check(invocation: Invocation, option: str, target: str) -> None:
    root = os.path.realpath(invocation.root)
    folders = [os.path.join(root, ".steadyhand")]
    journal = invocation.journal
    if journal is not None and "://" not in journal:
        folders.append(os.path.realpath(journal))
    if any(_is_in(target, folder) for folder in folders):
        raise EditError(
            Kind.PROTECTED_PATH, f"the file of {option} lies where the journal is", hint="write it somewhere else"
        )
    settings = invocation.settings
    if (settings.read_only or settings.mode in _READING) and _is_in(target, root):
        raise EditError(
            Kind.READ_ONLY,
            f"the file of {option} lies in the workspace, where nothing may be made now",
            hint="write it outside the workspace, or to standard output",
        )


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
