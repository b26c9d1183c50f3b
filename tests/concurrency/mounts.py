"""Ways to run a program with a directory mounted a second time, where the system lets us."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from shlex import quote


@cache
def _how_to_mount() -> tuple[str, ...]:
    """A command that gives a program mounts of its own; empty where neither root nor a user namespace may mount."""
    for command in (("unshare", "-m"), ("unshare", "-rm")):
        try:
            done = subprocess.run([*command, "mount", "--bind", "/tmp", "/tmp"], capture_output=True, check=False)
        except OSError:
            break
        if done.returncode == 0:
            return command
    return ()


def mounted_at(directory: Path, second: Path) -> list[str]:
    """What to put before a command so that it finds a directory at a second place too.

    Where nothing may be mounted, the second place is a link, and nothing is put before the command.
    """
    if not _how_to_mount():
        second.symlink_to(directory)
        return []
    second.mkdir()
    script = f'mount --bind {quote(str(directory))} {quote(str(second))} && exec "$0" "$@"'
    return [*_how_to_mount(), "sh", "-c", script]
