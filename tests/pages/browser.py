"""A real browser for the tests of pages: which Chromium there is, how it is started, and a server for it.

Chromium as root needs `--no-sandbox`; the flags keep it from asking for anything beyond this machine.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage",
]  # fmt: skip
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LONG = 300_000  # milliseconds; a machine may be slow


def chromium_path() -> str | None:
    """The browser to drive: what STEADYHAND_CHROMIUM names, else one on the PATH."""
    named = os.environ.get("STEADYHAND_CHROMIUM")
    return named or next((found for name in _NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium that starts empty."""
    from playwright.sync_api import sync_playwright

    path = chromium_path()
    if path is None:
        raise SystemExit("no Chromium was found; install one, or name it in STEADYHAND_CHROMIUM")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=FLAGS, headless=True)
        try:
            yield opened
        finally:
            opened.close()


class Serving:
    """`steadyhand review --web` in a process of its own; `link` is the first line that it printed."""

    def __init__(self, root: Path, *arguments: str, actor: str = "ada") -> None:
        command = [
            sys.executable,
            "-m",
            "steadyhand",
            "--root",
            str(root),
            "--actor",
            actor,
            "review",
            "--web",
            "--no-open",
        ]
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://127\.0\.0\.1:(\d+))/open/[\w-]+", self.link)
        if found is None:
            raise AssertionError(self.link or self.process.communicate()[1])
        self.address, self.port = found[1], int(found[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it as a person or a service manager does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.communicate(timeout=300)
        return self.process.returncode


def signed_in(chromium: Browser, served: Serving, **options: Any) -> Page:
    """A page of a browser context of its own that has opened the link."""
    page = chromium.new_context(**options).new_page()
    page.set_default_timeout(LONG)
    page.goto(served.link)
    page.wait_for_url(f"{served.address}/")
    return page
