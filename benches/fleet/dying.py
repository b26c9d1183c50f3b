"""A storage that ends its process at a chosen call, as a power cut would: no handler, no clean-up."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from steadyhand.workspace.files.storage import Storage

EXIT_CODE = 77


class DyingStorage(Storage):
    """Counts the calls that change something; the process is gone before call `at` is made."""

    def __init__(self, at: int) -> None:
        self._left = at

    def count(self) -> None:
        self._left -= 1
        if self._left <= 0:
            os._exit(EXIT_CODE)


def _counted(name: str) -> Callable[..., Any]:
    call = getattr(Storage, name)

    def method(self: DyingStorage, *given: Any, **named: Any) -> Any:
        self.count()
        return call(self, *given, **named)

    method.__name__ = name
    return method


for _name in Storage.MUTATING:
    setattr(DyingStorage, _name, _counted(_name))
