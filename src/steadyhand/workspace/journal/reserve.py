"""A file that only takes up room, so that undo and recovery can still be journalled on a full disk.

Ordinary edits are not admitted without it; urgent work gives it up and goes on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.folder import create_file

SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Reserve:
    """The reserve of one state folder."""

    path: Path
    size: int = SIZE

    @classmethod
    def of(cls, folder: Path) -> Reserve:
        return cls(folder / "reserve")

    @property
    def is_whole(self) -> bool:
        try:
            return os.lstat(self.path).st_size >= self.size
        except FileNotFoundError:
            return False

    def ensure(self) -> None:
        """Make it if it is missing; OSError when the disk has no room for it."""
        if self.is_whole:
            return
        self.release()
        try:
            self._fill()
        except FileExistsError:  # another process makes it this moment
            return
        except OSError:
            self.release()
            raise

    def release(self) -> bool:
        """Give the room back; False if there was nothing to give."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)
            return True
        return False

    def _fill(self) -> None:
        handle = create_file(self.path)
        try:
            # Random bytes: zeros would take no room on a file system that compresses.
            left = memoryview(os.urandom(self.size))
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        finally:
            os.close(handle)
