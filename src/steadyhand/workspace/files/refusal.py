"""What the operating system said, as a refusal a model can act on.

One mapping for the whole room, so that the same cause has the same kind on every verb.
Never a path outside the workspace in the text: the path shown is the one the caller passes, and the error's own
file names and messages are not quoted.
"""

from __future__ import annotations

import errno
from typing import Final, NamedTuple

from steadyhand.errors import EditError, Kind

_SHOWN_LENGTH: Final = 160


class _Cause(NamedTuple):
    kind: Kind
    what: str
    hint: str


_RETRY: Final = "nothing was changed; make room or fix the cause, then send the same call again"
_OTHER_FILE: Final = "work on another file, or ask the host to make this one writable"

_CAUSES: Final[dict[int, _Cause]] = {
    errno.ENOSPC: _Cause(Kind.DISK_REFUSED, "the disk is full", _RETRY),
    errno.EDQUOT: _Cause(Kind.DISK_REFUSED, "the disk quota is used up", _RETRY),
    errno.EFBIG: _Cause(Kind.DISK_REFUSED, "the file would be larger than the system allows", _RETRY),
    errno.EIO: _Cause(Kind.DISK_REFUSED, "the disk reported an input/output error", "check the disk first"),
    errno.ENOMEM: _Cause(Kind.DISK_REFUSED, "the system is out of memory", _RETRY),
    errno.EMFILE: _Cause(Kind.DISK_REFUSED, "too many files are open in this process", _RETRY),
    errno.ENFILE: _Cause(Kind.DISK_REFUSED, "too many files are open on this machine", _RETRY),
    errno.EMLINK: _Cause(Kind.DISK_REFUSED, "the directory cannot hold more entries", _RETRY),
    errno.ENOLCK: _Cause(Kind.DISK_REFUSED, "the file system offers no locks", _RETRY),
    errno.ESTALE: _Cause(Kind.DISK_REFUSED, "the network file system lost the handle", _RETRY),
    errno.EBUSY: _Cause(Kind.DISK_REFUSED, "the system is using the file, perhaps as a mount point", _OTHER_FILE),
    errno.ETXTBSY: _Cause(Kind.DISK_REFUSED, "the file is a program that is running", "stop the program, then retry"),
    errno.EXDEV: _Cause(Kind.OUTSIDE_ROOT, "the path leads out of the workspace", "use a path beneath the workspace"),
    errno.ELOOP: _Cause(Kind.OUTSIDE_ROOT, "a symbolic link is where none may be", "name the file itself"),
    errno.EROFS: _Cause(Kind.READ_ONLY, "the file system is mounted read-only", _OTHER_FILE),
    errno.EACCES: _Cause(Kind.READ_ONLY, "the system denies access", _OTHER_FILE),
    errno.EPERM: _Cause(Kind.READ_ONLY, "the system does not permit it; the file may be immutable", _OTHER_FILE),
    errno.ENOENT: _Cause(Kind.NO_SUCH_FILE, "there is no such file", "list the directory and use a name that exists"),
    errno.ENOTDIR: _Cause(
        Kind.NO_SUCH_FILE, "part of the path is a file, not a directory", "list the directory and correct the path"
    ),
    errno.EISDIR: _Cause(Kind.NOT_TEXT, "it is a directory", "name a file inside it"),
    errno.ENXIO: _Cause(Kind.NOT_TEXT, "it is a device or a socket", "name a regular file"),
    errno.ENODEV: _Cause(Kind.NOT_TEXT, "it is a device", "name a regular file"),
    errno.EEXIST: _Cause(Kind.EXISTS_ALREADY, "the file is there already", "edit it, or choose another name"),
    errno.ENOTEMPTY: _Cause(Kind.EXISTS_ALREADY, "the directory is not empty", "leave the directory in place"),
    errno.ENAMETOOLONG: _Cause(Kind.BAD_REQUEST, "the name is longer than the file system takes", "use a shorter name"),
    errno.EILSEQ: _Cause(Kind.BAD_REQUEST, "the file system does not take this name", "use another name"),
    errno.EINVAL: _Cause(Kind.DISK_REFUSED, "the file system does not take this request", _RETRY),
}
_UNKNOWN: Final = _Cause(Kind.DISK_REFUSED, "the operating system refused", _RETRY)


def refuse_os(error: OSError, doing: str, path: str) -> EditError:
    """The refusal for an operating-system error, with the cause named; `doing` is a verb such as "write".

    >>> str(refuse_os(OSError(errno.ENOSPC, "x"), "write", "docs/a.md"))
    'disk-refused: could not write "docs/a.md": the disk is full (ENOSPC)'
    """
    number = error.errno or 0
    cause = _CAUSES.get(number, _UNKNOWN)
    name = errno.errorcode.get(number, str(number))
    return EditError(
        cause.kind,
        f"could not {doing} {shown(path)}: {cause.what} ({name})",
        hint=cause.hint,
        details={"path": path, "errno": name},
    )


def shown(path: str) -> str:
    """A path as messages show it: quoted, control and invisible characters escaped, cut when very long.

    >>> shown("a\\x1b[2Jb")
    '"a\\\\x1b[2Jb"'
    """
    text = "".join(_visible(char) for char in path[:_SHOWN_LENGTH])
    return f'"{text}"' if len(path) <= _SHOWN_LENGTH else f'"{text}…"'


def _visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
