"""The suites that attack already, one file after the other in any order, as many as there is time for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.attack.attack import Attempt, Share

__all__ = ["suites"]

TESTS = Path(__file__).resolve().parents[1]
FOLDERS = ("hostile", "faults", "concurrency")
PASSED = re.compile(r" PASSED ")
FAILED = re.compile(r"^.* (?:FAILED|ERROR) .*$", re.MULTILINE)


def suites(share: Share) -> Generator[Attempt, None, None]:
    files = sorted(path for folder in FOLDERS for path in (TESTS / folder).glob("test_*.py"))
    share.draw.shuffle(files)
    for file in files:
        if share.left <= 0:
            return
        yield _run(file, share.left)


def _run(file: Path, seconds: float) -> Attempt:
    """The tests of one file; where the time is over before it ends, those that were."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--no-header", str(file)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}  # what was printed is not lost when it is stopped
    ran = subprocess.Popen(
        command, cwd=TESTS.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        said, _ = ran.communicate(timeout=seconds)
        is_over = True
    except subprocess.TimeoutExpired:
        ran.terminate()
        said, _ = ran.communicate()
        is_over = False
    failed = FAILED.findall(said)
    # Where all tests of a file belong to the sweep, none is chosen here.
    is_wrong = is_over and ran.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    problem = "\n".join([*failed, said[-5_000:]]) if failed or is_wrong else ""
    return Attempt(len(PASSED.findall(said)) + len(failed), problem)
