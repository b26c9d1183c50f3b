"""How much text the calls of one process work on at the same time, and what a process keeps of it afterwards.

Searching a file takes some times its size. Sixteen calls that each miss in a file of 50 MB would take gigabytes. So
what calls read counts against one budget of the process; a call that does not fit waits before it reads, or is refused.

Invariants
1. A call waits only while it has claimed nothing: none waits for another that waits for it.
2. A file that is larger than the budget gets it all; what is read again by the same call counts once.
3. What a call has claimed is given back when it ends, however it ends.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.text.cancel import check_cancelled

_ASKS: Final = 0.05  # seconds
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # of <malloc.h>


class _Share:
    """A block of `Budget.sharing`."""

    __slots__ = ("_give_back", "_mine", "_outer", "_share", "_token")

    def __init__(self, mine: ContextVar[dict[str, int] | None], give_back: Callable[[Iterable[int]], None]) -> None:
        self._mine = mine
        self._give_back = give_back

    def __enter__(self) -> None:
        self._outer = self._mine.get()
        self._share: dict[str, int] = {} if self._outer is None else self._outer
        self._token = self._mine.set(self._share)

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if error is not None and self._share:
            _clear_frames(error)
        self._mine.reset(self._token)
        if self._outer is None and self._share:
            self._give_back(self._share.values())


class Budget:
    """So many bytes for all calls at once. `free`: a smaller file does not count. Thread-safe."""

    def __init__(self, total: int, *, free: int, patience: float) -> None:
        self._total, self._free, self._patience = total, free, patience
        self._room = threading.Condition()
        self._claimed = 0
        self._mine: ContextVar[dict[str, int] | None] = ContextVar("claimed", default=None)

    def sharing(self) -> contextlib.AbstractContextManager[None]:
        """What is read within the block counts until the block ends; a block inside another is part of it."""
        return _Share(self._mine, self._give_back)

    def _give_back(self, claimed: Iterable[int]) -> None:
        with self._room:
            self._claimed -= sum(claimed)
            self._room.notify_all()

    def claim(self, name: str, size: int) -> None:
        """Count a file that is about to be read. Refuses with `busy` where others have too much for too long."""
        mine = self._mine.get()
        if mine is None or size <= mine.get(name, self._free):
            return
        deadline = time.monotonic() + self._patience
        with self._room:
            while not mine and self._claimed and self._claimed + size > self._total:
                if time.monotonic() >= deadline:
                    raise EditError(
                        Kind.BUSY,
                        "other calls are using all the text that this process holds at once",
                        hint="send the same call again in a moment",
                        details={"claimed": self._claimed, "wanted": size},
                    )
                self._room.wait(_ASKS)
                check_cancelled()
            self._claimed += size - mine.get(name, 0)
            mine[name] = size


def _clear_frames(error: BaseException | None) -> None:
    """Let go of what the functions held that an exception, or one before it, ended.

    An exception and the frames in its traceback often refer to each other. Until the next garbage collection they would
    keep the text of the file, which counts as given back.
    """
    from traceback import clear_frames

    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__context__


_OBJECTS = 20_000  # made between two looks for garbage; the command line looks less often

BUDGET: Final = Budget(64 * 1024 * 1024, free=1024 * 1024, patience=5.0)


def give_back_memory() -> None:
    """Have a process that stays look for garbage now and then, and the C library give back what is freed (glibc).

    It keeps freed blocks of up to 32 MB for the thread that had them: eight threads that have each worked on a file of
    5 MB held 150 MB. Blocks of 1 MB and more are now mapped by themselves and unmapped when they are freed.
    """
    gc.set_threshold(_OBJECTS)
    mallopt = _of_the_c_library("mallopt")
    if mallopt is not None:
        for option, value in ((_MMAP_THRESHOLD, 1 << 20), (_ARENA_MAX, 2)):
            mallopt(option, value)


def trim_memory() -> None:
    """Have the C library give back what it keeps of smaller blocks; takes some milliseconds.

    A few blocks that stay are enough for it to keep all the freed ones around them: a server that edits files of 200 KB
    all day would hold twice what it needs.
    """
    trim = _of_the_c_library("malloc_trim")
    if trim is not None:
        trim(0)


def _of_the_c_library(name: str) -> Callable[..., int] | None:
    """A function of glibc; None where the C library is another."""
    import ctypes

    found: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    return found


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of this process's clock."""

    end: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.end
