"""A framework that is imported when a test first asks it for something.

Each worker of a run collects every test, and few of them run these: together the frameworks take half of the time.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Framework:
    """A module by its name."""

    module: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):
            raise AttributeError(name)  # pytest looks at every name of a module for marks of its own
        return getattr(importlib.import_module(self.module), name)
