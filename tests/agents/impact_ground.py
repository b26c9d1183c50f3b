"""A small repository whose last commit made some of its articles wrong, and what a model may say about them."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.agents.impact.review import ImpactSettings, Reviewer
from steadyhand.agents.impact.run import run_impact
from steadyhand.agents.model import named_model
from steadyhand.agents.runner import Limits
from tests.agents.scripted_server import Call, Step, scripted, text_of

LOGIN = """\
---
jrn: LOGIN
attention:
  - {op: file, path: src/login.py}
---

# Login

Give a name and a password.

## Limits

Five tries in a minute.
"""
LIMITS = """\
---
jrn: LIMITS
attention:
  - {op: symbol, path: "src/login.py#MAX_TRIES"}
---

# Limits

See [login](login.md#limits): five tries.
"""
START = """\
---
jrn: START
attention:
  - {op: article, path: LOGIN}
---

# Start

Log in with five tries.
"""
OTHER = "---\njrn: OTHER\nattention:\n  - {op: file, path: src/other.py}\n---\n\n# Other\n\nNothing.\n"

FILES = {
    "src/login.py": "MAX_TRIES = 5\n\n\ndef login(name, password):\n    return check(name, password)\n",
    "src/other.py": "x = 1\n",
    "docs/login.md": LOGIN,
    "docs/limits.md": LIMITS,
    "docs/start.md": START,
    "docs/other.md": OTHER,
    "secrets.txt": "keep out\n",
}
CHANGED = {"src/login.py": FILES["src/login.py"].replace("MAX_TRIES = 5", "MAX_TRIES = 3")}


def git(root: Path, *words: str) -> str:
    settings = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *settings, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def repository(root: Path, files: Mapping[str, str] = FILES, changed: Mapping[str, str] = CHANGED) -> Path:
    """A repository of two commits. The usual one is made once, and copied for each test."""
    if (files, changed) == (FILES, CHANGED):
        return Path(shutil.copytree(_usual(), root, dirs_exist_ok=True))
    return _made(root, files, changed)


@functools.cache
def _usual() -> Path:
    home = tempfile.mkdtemp(prefix="steadyhand-tests-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return _made(Path(home), FILES, CHANGED)


def _made(root: Path, files: Mapping[str, str], changed: Mapping[str, str]) -> Path:
    root.mkdir(exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    write(root, {**files, ".gitignore": ".steadyhand/\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "the beginning")
    write(root, changed)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "three tries")
    return root


def edit(path: str, old: str, new: str, reason: str = "MAX_TRIES is 3 now") -> Call:
    edits = [{"old_string": old, "new_string": new, "reason": reason}]
    return Call("edit_article", {"path": path, "edits": edits})


def no_change(reasoning: str = "a reader meets none of it") -> Call:
    return Call("no_change_needed", {"reasoning": reasoning})


FIX_LOGIN = edit("docs/login.md", "Five tries in a minute.", "Three tries in a minute.")
FIX_LIMITS = edit("docs/limits.md", "five tries", "three tries")
FIX_START = edit("docs/start.md", "five tries", "three tries", "the page about login says three")
DONE = "I corrected the number of tries."

GOOD: dict[str, Sequence[Step]] = {
    "docs/login.md": [FIX_LOGIN, DONE],
    "docs/limits.md": [FIX_LIMITS, DONE],
    "docs/start.md": [FIX_START, DONE],
}


def only(path: str, *steps: Step) -> dict[str, Sequence[Step]]:
    """A script in which all articles but one need no change."""
    others = ("docs/login.md", "docs/limits.md", "docs/start.md")
    return {path: steps} | {each: [no_change()] for each in others if each != path}


def about(path: str) -> str:
    """What only the conversation about an article says."""
    return f"This article may now be wrong: `{path}`"


def by_article(script: Mapping[str, Sequence[Step]]) -> dict[str, Sequence[Step]]:
    return {about(path): steps for path, steps in script.items()}


def impact(
    root: Path,
    script: Mapping[str, Sequence[Step]],
    *,
    resume: str | None = None,
    reviewer: Reviewer | None = None,
    hold: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """Run it on the last commit, with the scripted model behind real HTTP; the record."""
    given = ImpactSettings(**{"base": "HEAD~1", "limits": Limits(pause=0.01, seconds=60.0), **settings})
    with scripted(by_article(script)) as server, sh.Workspace(root, actor="bot", hold=hold) as ws:
        model = named_model("openai-chat:scripted", base_url=server.url)
        record: dict[str, Any] = run_impact(ws, model, given, resume=resume, reviewer=reviewer)
        record["requests"] = server.requests
        return record


def asked(record: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    """The requests of the conversation about an article."""
    return [each for each in record["requests"] if about(path) in text_of(each["messages"][0])]


def by_path(record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["path"]: each for each in record["articles"]}


def statuses(record: Mapping[str, Any]) -> dict[str, str]:
    return {path.removeprefix("docs/"): each["status"] for path, each in by_path(record).items()}


def tree(root: Path) -> dict[str, str]:
    """Every file of the working tree, by its name."""
    names = git(root, "ls-files", "--cached", "--others", "--exclude-standard").split("\n")
    return {name: (root / name).read_text() for name in names if (root / name).is_file()}


def check_nothing_else(root: Path, *changed: str) -> None:
    """Only these files differ from the last commit."""
    assert sorted(git(root, "status", "--porcelain").split()[1::2]) == sorted(changed)
