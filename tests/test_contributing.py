"""Promise: the walk-throughs of CONTRIBUTING.md work as they are written.

Each diff applies to the tree; `make sweep` also applies them to a copy and runs the tests that the page names.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WALK = re.compile(r"^```diff\n(.*?)^```\n\n```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUN = re.compile(r"^make (test|sweep) ARGS=(.*)$", re.MULTILINE)
LEFT_OUT = (".git", ".venv*", ".*_cache", "__pycache__", "build", ".hypothesis")


def walks() -> list[tuple[str, list[list[str]]]]:
    """Every diff of the page, with what each `make` under it passes on to pytest."""
    found = WALK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    return [(diff, [options_of(*run) for run in RUN.findall(commands)]) for diff, commands in found]


def options_of(target: str, given: str) -> list[str]:
    files = shlex.split(shlex.split(given)[0])
    return files if target == "test" else ["-m", "sweep or sampled", "--whole", *files]


def test_every_diff_applies_and_there_is_one_of_a_tier_a_format_a_language_a_guard_and_a_tool() -> None:
    assert len(walks()) == 5
    for diff, runs in walks():
        done = subprocess.run(
            ["git", "apply", "--check"], input=diff, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        files = [name for options in runs for name in options if name.startswith("tests/")]
        assert files
        assert all((ROOT / name).exists() for name in files)


@pytest.mark.sweep
def test_the_tests_that_the_page_names_pass_after_each_diff(tmp_path: Path) -> None:
    for number, (diff, runs) in enumerate(walks()):
        tree = tmp_path / str(number)
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        subprocess.run(["git", "apply"], input=diff, cwd=tree, text=True, check=True)
        for options in runs:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
                cwd=tree,
                env={**os.environ, "PYTHONPATH": str(tree / "src")},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout[-4000:]
