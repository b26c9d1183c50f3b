"""What a careful program does by hand to change a file. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Through a temporary file beside it; durable: both the file and its name in the folder are on the disk."""
    sync: Callable[[int], object] = os.fsync if durable else int
    temporary = path.with_name(path.name + ".plain")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        sync(file.fileno())
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        sync(folder)
    finally:
        os.close(folder)
