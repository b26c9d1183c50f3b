"""A storage that fails, tears or dies at its n-th call."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any, Literal

from steadyhand.workspace.files.storage import Storage

EXIT_CODE = 77


class FaultStorage(Storage):
    """Counts its calls; at call `at` (1-based) it raises `OSError(error)`, or ends the process where `exit` is set.

    `watch` says which calls are counted: every one, those that change something, or those that only look.
    `persistent` keeps failing from that call on. `torn` carries out the first half of a write before it fails.
    `after` carries out the whole call first: the process dies, or the error is reported, once the effect is there.
    """

    def __init__(
        self,
        *,
        at: int | None = None,
        error: int = errno.EIO,
        exit: bool = False,
        persistent: bool = False,
        torn: bool = False,
        after: bool = False,
        watch: Literal["all", "mutating", "reading"] = "all",
    ) -> None:
        self.at = at
        self.error = error
        self.exit = exit
        self.persistent = persistent
        self.torn = torn
        self.after = after
        self.watched = {
            "all": self.MUTATING | self.READING,
            "mutating": self.MUTATING,
            "reading": self.READING,
        }[watch]
        self.calls: list[str] = []
        self.count = 0
        self.faults = 0

    @property
    def mutations(self) -> list[str]:
        """The calls made so far that change something."""
        return [name for name in self.calls if name in self.MUTATING]

    def _enter(self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.calls.append(name)
        if name not in self.watched:
            return call(*args, **kwargs)
        self.count += 1
        due = self.at is not None and (self.count == self.at or (self.persistent and self.count > self.at))
        if not due:
            return call(*args, **kwargs)
        self.faults += 1
        if name == "close":
            call(*args, **kwargs)  # the kernel closes the handle whatever it reports
        elif self.after:
            call(*args, **kwargs)
        elif self.torn and name in ("write", "write_at"):
            fd, data, *rest = args
            call(fd, bytes(data)[: len(data) // 2], *rest, **kwargs)
        if self.exit:
            os._exit(EXIT_CODE)
        raise OSError(self.error, os.strerror(self.error))


def _watched(name: str) -> Callable[..., Any]:
    call = getattr(Storage(), name)

    def method(self: FaultStorage, *args: Any, **kwargs: Any) -> Any:
        return self._enter(name, call, args, kwargs)

    method.__name__ = name
    return method


for _name in Storage.MUTATING | Storage.READING:
    setattr(FaultStorage, _name, _watched(_name))
