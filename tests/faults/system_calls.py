"""Run a function in a child and stop it at its n-th system call that changes the disk, SQLite's own calls included.

The storage seam sees every call of ours; this also sees the calls made inside C. Linux on x86-64 only, by `ptrace`;
the child must not start threads.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ACTS", "IS_TRACEABLE", "Traced", "traced"]

IS_TRACEABLE = sys.platform.startswith("linux") and platform.machine() == "x86_64"
ACTS = ("kill", "half", "ENOSPC", "EIO")
CALLS = {
    1: "write", 18: "pwrite64", 20: "writev", 74: "fsync", 75: "fdatasync", 77: "ftruncate", 82: "rename", 83: "mkdir",
    84: "rmdir", 86: "link", 87: "unlink", 91: "fchmod", 93: "fchown", 190: "fsetxattr", 257: "openat",
    258: "mkdirat", 263: "unlinkat", 264: "renameat", 265: "linkat", 268: "fchmodat", 285: "fallocate",
    316: "renameat2",
}  # fmt: skip
HALVED = (1, 18)  # those that have a count as their third argument
# The requests, options and register offsets of <sys/ptrace.h> and <sys/user.h>.
TRACEME, PEEKUSER, POKEUSER, SYSCALL, SETOPTIONS = 0, 3, 6, 24, 0x4200
SYSGOOD, EXITKILL = 1, 1 << 20
RAX, RDX, ORIG_RAX = 80, 96, 120


@dataclass(frozen=True)
class Traced:
    """What became of a child: its exit code, None where it was killed; every call it made or the one it was hit at."""

    code: int | None
    calls: list[str]
    hit: str | None


def traced(work: Callable[[], int], *, at: int = 0, act: str = "kill") -> Traced:
    """Run `work` in a child, whose exit code it gives; at call `at` (1-based) kill it, or fail that call with `act`.

    `half` carries out the first half of a write and kills the child then; another call is not hit by it.
    """
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes, ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long
    child = os.fork()
    if child == 0:
        code = 98
        try:
            if ptrace(TRACEME, 0, 0, 0) == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
                code = work()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if not os.WIFSTOPPED(status):
        raise PermissionError("this process may not trace its own children")
    ptrace(SETOPTIONS, child, 0, SYSGOOD | EXITKILL)
    calls: list[str] = []
    hit: str | None = None
    is_entry, due = True, ""
    passed_on = 0
    while True:
        ptrace(SYSCALL, child, 0, passed_on)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            return Traced(os.WEXITSTATUS(status) if os.WIFEXITED(status) else None, calls, hit)
        stopped_by = os.WSTOPSIG(status)
        passed_on = 0
        if stopped_by != signal.SIGTRAP | 0x80:
            passed_on = 0 if stopped_by == signal.SIGSTOP else stopped_by
            continue
        if is_entry:
            number = ptrace(PEEKUSER, child, ORIG_RAX, 0)
            if number in CALLS:
                calls.append(CALLS[number])
                if len(calls) == at and (act != "half" or number in HALVED):
                    hit, due = CALLS[number], act
            if due == "kill":
                os.kill(child, signal.SIGKILL)
            elif due == "half":
                ptrace(POKEUSER, child, RDX, ptrace(PEEKUSER, child, RDX, 0) // 2)
            elif due:
                ptrace(POKEUSER, child, ORIG_RAX, -1)  # no call has this number, and so nothing is done
        elif due == "half":
            os.kill(child, signal.SIGKILL)
        elif due:
            ptrace(POKEUSER, child, RAX, -getattr(errno, due))
            due = ""
        is_entry = not is_entry
