"""Unified diffs against those who define them: what git and diff print we apply alike, what we print git and patch take."""

from __future__ import annotations

import os
import random
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand.dialects.dialect import Change
from steadyhand.dialects.formats.unified import DIALECT
from tests.dialects.unified_requests import Files, applied

ROOT = Path(__file__).parent.parent.parent
STANDARD = Path(sysconfig.get_paths()["stdlib"])
REAL = [
    *(ROOT / name for name in ("README.md", "pyproject.toml", "src/steadyhand/text/unified.py")),
    *(STANDARD / name for name in ("textwrap.py", "shlex.py", "json/decoder.py")),
]
ODD_LINES = [
    "", " ", "\t", "-- x", "++ y", "-- a/x", "++ b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "@@", "```", "```diff", "- ", "-",
    "diff --git a/x b/x", "Index: x", "\\ No newline at end of file", "EOF", "</patch>", "*** End Patch", "-", "+", "é 𝄞 \x0c\x85\u2028", "trailing  ",
]
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "HOME": os.devnull}


def run(folder: Path, *command: str, given: str = "", codes: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(
        command, cwd=folder, input=given.encode(), capture_output=True, check=False, env=ENVIRONMENT
    )
    assert done.returncode in codes, done.stderr.decode() + done.stdout.decode() + given
    return done.stdout.decode()


def write(folder: Path, files: Files, modes: dict[str, int] | None = None) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod((modes or {}).get(name, 0o644))
    folder.mkdir(exist_ok=True)
    return folder


def contents(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()}


def modes_in(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o111 for path in folder.rglob("*") if path.is_file()}


def real_text(chance: random.Random) -> str:
    lines = chance.choice(REAL).read_text(encoding="utf-8").splitlines(keepends=True)
    start = chance.randrange(max(1, len(lines) - 20))
    return "".join(lines[start : start + chance.choice([0, 1, 5, 40, 300])])


def edited(text: str, chance: random.Random) -> str:
    """The text with a few lines changed, moved, doubled, made odd."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(lines) + 1)
        some = [chance.choice(ODD_LINES) for _ in range(chance.randint(0, 3))]
        lines[at : at + chance.choice([0, 0, 1, 1, 2, 6])] = chance.choice([some, some, lines[at : at + 3] * 2, some + lines[:2]])
    return "\n".join(lines)


def pair(seed: int) -> tuple[str, str]:
    chance = random.Random(seed)
    before = real_text(chance)
    if chance.random() < 0.5:
        before = edited(before, chance)
    after = edited(before, chance)
    if chance.random() < 0.3:
        before, after = (text.replace("\n", "\r\n") for text in (before, after))
    if chance.random() < 0.2:
        before, after = (text.rstrip("\n") if chance.random() < 0.5 else text for text in (before, after))
    return before, after


PAIRS = range(60)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    return tmp_path_factory.mktemp("oracle")


@pytest.mark.parametrize("seed", PAIRS)
@pytest.mark.parametrize("by", ["git", "diff"])
def test_what_others_print_gives_their_other_file(seed: int, by: str, tmp_path: Path) -> None:
    before, after = pair(seed)
    write(tmp_path / "a", {"some.txt": before})
    write(tmp_path / "b", {"some.txt": after})
    command = ("git", "diff", "--no-index", "--no-prefix") if by == "git" else ("diff", "-u", "-r")
    diff = run(tmp_path, *command, "a", "b", codes=(0, 1))
    assert before == after or applied({"some.txt": before}, diff) == {"some.txt": after}


@pytest.mark.parametrize("seed", PAIRS)
@pytest.mark.parametrize("by", ["git", "patch", "us"])
def test_what_we_print_gives_the_other_file(seed: int, by: str, tmp_path: Path) -> None:
    before, after = pair(seed)
    assert DIALECT.write is not None
    diff = DIALECT.write([Change("some.txt", "some.txt", before, after)])
    folder = write(tmp_path / "x", {"some.txt": before})
    if by == "us":
        assert before == after or applied({"some.txt": before}, diff) == {"some.txt": after}
        return
    if diff:
        command = ("git", "apply", "--whitespace=nowarn", "-") if by == "git" else ("patch", "-p1", "-s", "--no-backup-if-mismatch")
        run(folder, *command, given=diff)
    assert contents(folder) == {"some.txt": after}
