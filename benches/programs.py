"""The programs that apply patches to files, as a system has them: `git apply` and GNU patch.

Neither makes anything durable, and GNU patch goes file by file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """A name for tables, and the command; the patch is its standard input, or a file named after `option`."""

    name: str
    command: tuple[str, ...]
    option: str = ""

    @property
    def is_there(self) -> bool:
        return shutil.which(self.command[0]) is not None

    @property
    def absence(self) -> str:
        return f"not measured: there is no {self.command[0]} on the path"

    def run(self, folder: Path, patch: Path) -> None:
        """Apply a patch to the files of a folder; a repository around it is out of sight."""
        with patch.open("rb") as file:
            subprocess.run(
                self.command, stdin=file, stdout=subprocess.DEVNULL, cwd=folder, env=_environment(folder), check=True
            )


PROGRAMS = (
    Program("git apply", ("git", "apply", "-p1")),
    Program("GNU patch", ("patch", "-p1", "--force", "--quiet"), "--input="),
)


def _environment(folder: Path) -> dict[str, str]:
    ceiling = str(folder.resolve().parent)
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "GIT_CEILING_DIRECTORIES": ceiling}
