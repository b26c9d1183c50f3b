"""A draft of one file: the file alone, in a directory of its own, with a journal of its own.

What is tried on it is checked, refused and recorded as on the file itself, and the file stays as it is. The directory
is removed at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from steadyhand.session.workspace import Workspace

__all__ = ["draft"]

W = TypeVar("W", bound=Workspace)


@contextmanager
def draft(workspace: W, path: str, task: str) -> Iterator[W]:
    """A workspace that holds a copy of one file under the same name; what is done there is done for `task`."""
    resolved, image = workspace._store.read(path)
    folder = tempfile.TemporaryDirectory(prefix="steadyhand-draft-", ignore_cleanup_errors=True)
    with folder as root, type(workspace)(root, actor=workspace.actor, policy=workspace.policy, protect="none") as made:
        made.write(resolved, image.data, reason="a copy")
        yield made._bound(task)
