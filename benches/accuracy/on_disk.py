"""The file of a case on disk, for contestants that patch files. Standard library only."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benches.accuracy.question import Answer, Question

_PREFIXED = re.compile(r"^\+\+\+ b/", re.MULTILINE)


@contextlib.contextmanager
def file_in_folder(question: Question) -> Iterator[tuple[Path, Path]]:
    """A new folder, and in it the file under its path."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        file = folder / question.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(question.before.encode())
        yield folder, file


def strip_of(diff: str) -> int:
    """How many parts of a path to leave out, as whoever looks at the diff would say."""
    return 1 if _PREFIXED.search(diff) else 0


def run_on_file(question: Question, command: Callable[[Path], Sequence[str]]) -> Answer:
    """A program with the diff on its standard input; it applied the diff where its exit code is 0."""
    with file_in_folder(question) as (folder, file):
        done = subprocess.run(
            command(file),
            input=question.text.encode(),
            capture_output=True,
            cwd=folder,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "LC_ALL": "C",
                "GIT_CEILING_DIRECTORIES": str(folder.parent),
            },
            check=False,
        )
        answer = (done.stderr + done.stdout).decode(errors="replace").strip()
        return Answer(done.returncode == 0, file.read_bytes().decode() if file.exists() else "", answer[:500])


def version_of(program: str) -> str:
    """The first line it says of itself. Ends the process where there is no such program."""
    found = shutil.which(program)
    if found is None:
        raise SystemExit(f"there is no {program} on the path")
    return subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
