"""The second line of defence: the kernel itself refuses this process whatever lies outside the places it needs.

Landlock through ctypes: no privilege, no package, three system calls. A restriction holds for the thread that makes it
and for all that thread starts afterwards, and can never be lifted. It is made before other threads begin, or by each
worker for itself. Nothing rests on it alone: paths are judged before they reach the kernel (`resolve.py`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from steadyhand.lazy import dataclass
from steadyhand.workspace.json_lines import findings_folder
from steadyhand.workspace.location import Location

_CREATE_RULESET: Final = 444
_VERSION: Final = 1
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_BENEATH: Final = 1
_PORT: Final = 2
_NO_NEW_PRIVS: Final = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR = (1 << bit for bit in range(5))
_FIRST: Final = (1 << 13) - 1  # what the first version of Landlock knows
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_READ: Final = _READ_FILE | _READ_DIR
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_BIND, _CONNECT = 1 << 0, 1 << 1
_NETWORK_SINCE: Final = 4

# Where an interpreter and its libraries live, and the few facts of the machine that are asked for.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_FACTS = (
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/machine-id"),
    *("/var/lib/dbus/machine-id", "/proc/self", "/proc/sys/kernel", "/dev/urandom", "/dev/zero"),
)
# What a client of PostgreSQL reads to find its server and to prove who it is.
_DATABASE = ("/etc", "/run/systemd/resolve", "~/.pgpass", "~/.pg_service.conf", "~/.postgresql")


@dataclass(frozen=True, slots=True)
class FileAccess:
    """What stays within reach. `runs`: read, and programs started; `lists`: only the names in it.

    `empties`: directories in it may be removed, and nothing else. `ports`: where this process may listen; `connects`:
    it may call others over TCP.
    """

    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    empties: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    connects: bool = False


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("directory", ctypes.c_int32)]


class _Port(ctypes.Structure):
    _fields_ = [("access", ctypes.c_uint64), ("port", ctypes.c_uint64)]


def access_to(
    roots: Sequence[str],
    journal: str | None,
    *,
    scratch: str | None,
    read_only: bool = False,
    ports: tuple[int, ...] = (),
    code: Sequence[str] = (),
    reports: bool = False,
) -> FileAccess:
    """The access that a server of these roots has: they, their state folders, a scratch folder, and what Python reads.

    `code` are further places that modules are loaded from. A state folder elsewhere that is not there yet is made,
    since nothing that does not exist can be let through. `read_only`: only the scratch folder can be written; it can
    be removed from the folder it lies in. `reports`: findings are kept too, in the user's folder, else only read there.
    """
    places = [Location.of(Path(root), journal) for root in roots]
    folders = [str(place.folder) for place in places if journal is not None and place.url is None]
    for folder in folders if not read_only else ():
        os.makedirs(folder, mode=0o700, exist_ok=True)
    is_remote = any(place.url is not None for place in places)
    files = [os.environ[name] for name in ("PGPASSFILE", "PGSERVICEFILE") if os.environ.get(name)] if is_remote else []
    database = [os.path.expanduser(place) for place in _DATABASE] + files if is_remote else []
    python = (sys.prefix, sys.base_prefix, sys.exec_prefix, *(part for part in sys.path if part))
    own, spare = (*roots, *folders), () if scratch is None else (scratch,)
    found = _findings(make=reports)
    return FileAccess(
        writes=(*(() if read_only else own), *spare, *(found if reports else ()), os.devnull),
        reads=(*own, *_FACTS, *database, *found),
        runs=(*python, *code, *_SYSTEM),
        lists=tuple(os.path.dirname(folder) for folder in folders),
        empties=tuple(os.path.dirname(place) for place in spare),
        ports=ports,
        connects=is_remote,
    )


def _findings(*, make: bool) -> tuple[str, ...]:
    folder = findings_folder()
    if folder is None:
        return ()
    with suppress(OSError):
        if make:
            os.makedirs(folder, mode=0o700, exist_ok=True)
    return (str(folder),)


def restrict_process(access: FileAccess) -> int | None:
    """Confine this thread and all it starts from now on; the version of Landlock, None where the kernel has none.

    Raises `OSError` where the kernel has it and yet refuses.
    """
    abi = landlock_abi()
    if abi is None:
        return None
    known = _FIRST | (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0) | (_IOCTL_DEV if abi >= 5 else 0)
    network = 0 if abi < _NETWORK_SINCE else _BIND | (0 if access.connects else _CONNECT)
    attributes = _Ruleset(known, network)
    size = ctypes.sizeof(attributes) if network else ctypes.sizeof(ctypes.c_uint64)
    ruleset = _call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        _let_through(ruleset, access.writes, known & ~_EXECUTE)
        _let_through(ruleset, access.reads, _READ)
        _let_through(ruleset, access.runs, _READ | _EXECUTE)
        _let_through(ruleset, access.lists, _READ_DIR)
        _let_through(ruleset, access.empties, _REMOVE_DIR)
        for port in access.ports if network else ():
            rule = _Port(_BIND, port)
            _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PORT), ctypes.byref(rule), ctypes.c_uint32(0))
        # What the kernel asks for first: no program started from here may gain rights.
        zero = ctypes.c_ulong(0)
        if ctypes.CDLL(None, use_errno=True).prctl(ctypes.c_int(_NO_NEW_PRIVS), ctypes.c_ulong(1), zero, zero, zero):
            raise _failure()
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)
    return abi


def landlock_abi() -> int | None:
    """The version of Landlock this kernel has; None where it has none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)) or None
    except OSError:
        return None


def _let_through(ruleset: int, places: Iterable[str], access: int) -> None:
    """Rules for places that exist; one that does not needs none."""
    for place in dict.fromkeys(places):
        try:
            handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            is_directory = stat.S_ISDIR(os.fstat(handle).st_mode)
            rule = _Beneath(access if is_directory else access & _OF_FILES, handle)
            if rule.access:
                arguments = (ctypes.c_int(ruleset), ctypes.c_int(_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
                _call(_ADD_RULE, *arguments)
        finally:
            os.close(handle)


def _call(number: int, *arguments: object) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    result = int(call(ctypes.c_long(number), *arguments))
    if result < 0:
        raise _failure()
    return result


def _failure() -> OSError:
    code = ctypes.get_errno() or errno.EPERM
    return OSError(code, os.strerror(code))
