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
WALK = re.compile(r"^```diff\n(.*?)^```\n\n```sh\nmake test ARGS=(.*?)\n", re.MULTILINE | re.DOTALL)
LEFT_OUT = (".git", ".venv*", ".*_cache", "__pycache__", "build", ".hypothesis")


def walks() -> list[tuple[str, list[str]]]:
    """Every diff of the page, with the files that are to be tested after it."""
    found = WALK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    return [(diff, shlex.split(shlex.split(tests)[0])) for diff, tests in found]


def test_every_diff_applies_and_there_is_one_of_a_tier_a_format_a_language_a_guard_and_a_tool() -> None:
    assert len(walks()) == 5
    for diff, tests in walks():
        done = subprocess.run(
            ["git", "apply", "--check"], input=diff, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert all((ROOT / name).exists() for name in tests)


@pytest.mark.sweep
def test_the_tests_that_the_page_names_pass_after_each_diff(tmp_path: Path) -> None:
    for number, (diff, tests) in enumerate(walks()):
        tree = tmp_path / str(number)
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        subprocess.run(["git", "apply"], input=diff, cwd=tree, text=True, check=True)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:]
