"""Take the pictures of docs/guides/review.md: a small site that an agent has worked on, in a real browser.

    make pages ARGS=--pictures
    PYTHONPATH=. .venv/bin/python scripts/review_pictures.py FOLDER

Needs Playwright and a Chromium; see `tests/pages/browser.py`.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

import steadyhand as sh
from tests.pages.browser import Serving, browser, signed_in

FILES = {
    "docs/limits.md": """\
---
title: Limits
---

# Limits

A client may ask **100 times** a minute.
Whoever asks more often gets the status `429` and waits.

## Tries

You get 5 tries.
A try takes 10 seconds, and the next one begins at once.

| plan | requests a minute |
|---|---|
| free | 100 |
| team | 1,000 |

Write to us if that is not enough.
""",
    "src/limits.py": '''\
"""How often a client may ask."""

from dataclasses import dataclass

MAX_TRIES = 5
WINDOW = 60  # seconds


@dataclass
class Limit:
    plan: str
    per_minute: int

    def allows(self, count: int) -> bool:
        """Whether one more request is within the limit."""
        return count <= self.per_minute


def wait_before(attempt: int) -> float:
    # the first try begins at once
    return 0.0 if attempt == 0 else 1.0


def limit_of(plan: str) -> Limit:
    if plan == "free":
        return Limit(plan, 100)
    return Limit(plan, 1000)
''',
    "src/client.ts": """\
import { MAX_TRIES } from "./limits";

export async function ask(url: string): Promise<Response> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const answer = await fetch(url);
    if (answer.status !== 429) return answer;
  }
  throw new Error("too many tries");
}
""",
    ".github/workflows/test.yml": "on: push\njobs:\n  test:\n    steps:\n      - run: make test\n",
}


def work(root: Path) -> None:
    """What the agents did before the reviewer looks."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    with sh.Workspace(root, actor="agent", task="LIM-7", allow=[".github/**"]) as ws:
        ws.record_evidence(
            "docs/limits.md",
            [{"changedFile": "src/limits.py", "matchType": "symbol", "rule": "src/limits.py#MAX_TRIES"}],
        )
        ws.edit(
            "src/limits.py", [sh.Replace("MAX_TRIES = 5", "MAX_TRIES = 3", reason="the gateway gives up after three")]
        )
        ws.edit(
            "src/limits.py",
            [
                sh.Replace(
                    "    # the first try begins at once\n    return 0.0 if attempt == 0 else 1.0\n",
                    "    # each wait is twice the one before; the first try begins at once\n"
                    "    return 0.0 if attempt == 0 else 2.0 ** (attempt - 1)\n",
                    reason="a client that asks again at once makes the overload worse",
                )
            ],
        )
        ws.edit("docs/limits.md", [sh.Replace("You get 5 tries.", "You get 3 tries.", reason="MAX_TRIES is 3 now")])
        ws.edit(
            "docs/limits.md",
            [
                sh.Replace(
                    "A try takes  10 seconds, and the next one begins at once.",
                    "A try takes 10 seconds, and each wait is twice the one before.",
                    reason="wait_before grows now",
                )
            ],
        )
        ws.edit(
            "docs/limits.md", [sh.Replace("Write to us if", "Write to support@example.org if", reason="says where")]
        )
        ws.edit(
            ".github/workflows/test.yml", [sh.Replace("make test", "make test JOBS=4", reason="four jobs are faster")]
        )
    with sh.Workspace(root, actor="helper", task="TS-2") as ws:
        ws.edit(
            "src/client.ts",
            [
                sh.Replace(
                    "    if (answer.status !== 429) return answer;\n",
                    "    if (answer.status !== 429) return answer;\n    await pause(waitBefore(attempt + 1));\n",
                    reason="waits as the server asks",
                )
            ],
        )
    with sh.Workspace(root, actor="ada") as ws:
        review = ws.review()
        named = {change.reason: change.id for change in review}
        review.accept([named["MAX_TRIES is 3 now"]])
        review.comment(named["wait_before grows now"], "is there an upper limit?")


def _small(picture: bytes, path: Path) -> None:
    """A picture with few colours takes a quarter of the room, and a page has few."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(96).save(path, optimize=True)


def main() -> None:
    """Write the pictures into the folder that is named."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/guides/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp()) / "gateway"
    root.mkdir()
    work(root)
    with browser() as chromium:
        for name, scheme, size, at in (
            ("review-light", "light", (1280, 860), "/"),
            ("review-dark", "dark", (1280, 860), "/"),
            ("review-beside", "light", (1280, 860), "/?view=beside"),
            ("review-phone", "light", (390, 780), "/"),
            ("review-rendered", "light", (1280, 640), ""),
            ("review-timeline", "light", (1280, 640), "/timeline"),
        ):
            with Serving(root) as served:
                page = signed_in(chromium, served, color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
                if name == "review-rendered":
                    page.get_by_role("link", name="Rendered").click()
                    page.frame_locator("iframe").first.locator("h1").wait_for()
                elif at != "/":
                    page.goto(served.address + at)
                if at.startswith("/") and "timeline" not in at:
                    page.locator("main .hunk").first.wait_for()
                    if name == "review-light":
                        page.keyboard.press("J")
                    page.wait_for_timeout(300)
                _small(page.screenshot(), folder / f"{name}.png")
                page.context.close()
    shutil.rmtree(root.parent, ignore_errors=True)
    print(f"pictures in {folder}")


if __name__ == "__main__":
    main()
