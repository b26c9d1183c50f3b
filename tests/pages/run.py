"""Run the tests of pages in a real browser: find a Chromium or install one, then drive it.

    make pages
    make pages ARGS="-k keyboard"
    make pages ARGS=--pictures      the pictures of docs/guides/review.md instead

A Chromium on the PATH is taken, or the one that STEADYHAND_CHROMIUM names. On Debian and Ubuntu, root
installs one. Playwright's own download is not used: it comes from no package index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.pages.browser import chromium_path

ROOT = Path(__file__).parents[2]


def main() -> int:
    """The exit code of pytest; 1 where no browser is to be had."""
    if chromium_path() is None and not _installed():
        print("make pages needs a Chromium: install one, or name it in STEADYHAND_CHROMIUM", file=sys.stderr)
        return 1
    arguments = sys.argv[1:]
    if arguments == ["--pictures"]:
        command = [sys.executable, "scripts/review_pictures.py"]
    else:
        command = [sys.executable, "-m", "pytest", "-q", "tests/pages/in_a_browser.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode


def _installed() -> bool:
    """Install Debian's Chromium, where that can be done without asking."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    print("installing chromium (once) …")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
    for command in (install, ["apt-get", "update", "-qq"], install):
        done = subprocess.run(
            command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        if done.returncode == 0 and command is install:
            return chromium_path() is not None
    print(done.stderr[-2_000:], file=sys.stderr)
    return False


if __name__ == "__main__":
    sys.exit(main())
