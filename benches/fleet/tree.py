"""The files a fleet works on: Markdown in which every line says where it was, and the tokens that agents leave."""

from __future__ import annotations

import re
from pathlib import Path

PARTS, LINES = 7, 6
_TOKEN = re.compile(r"\ba\d+_t\d+_s\d+\b")


def token(agent: int, task: int, step: int) -> str:
    """What one step of one task writes, and nothing else does. One word, so that merging words never makes another.

    >>> token(7, 0, 3)
    'a7_t0_s3'
    """
    return f"{task_of(agent, task)}_s{step}"


def task_of(agent: int, task: int) -> str:
    """A task's name, with which all its tokens begin."""
    return f"a{agent}_t{task}"


def tokens_in(text: str) -> list[str]:
    """Every token in order, as often as it is there."""
    return _TOKEN.findall(text)


def name_of(number: int) -> str:
    return f"docs/file-{number}.md"


def text_of(number: int) -> str:
    """A file as the fleet finds it."""
    parts = (
        f"## Part {part}\n\n" + "".join(f"file {number}, part {part}, line {line}\n" for line in range(LINES)) + "\n"
        for part in range(PARTS)
    )
    return f"# File {number}\n\n" + "".join(parts)


def lay_out(root: Path, files: int) -> dict[str, str]:
    """Write the files; path and text of each."""
    made = {name_of(number): text_of(number) for number in range(files)}
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return made


def found_in(root: Path) -> dict[str, str]:
    """The files as they are now, read past the product."""
    there = sorted(path for path in root.rglob("*") if path.is_file() and ".steadyhand" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in there}
