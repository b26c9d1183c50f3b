"""A short guided tour through the real command line, on a sample workspace that is thrown away at the end.

    make try                            the tour
    .venv/bin/python scripts/tour.py --keep    the same, and the workspace stays to play with

Each step prints the command it runs; a step that does not end as it should fails the tour.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadyhand.errors import Kind

FILES = {
    "service.py": """\
RETRIES = 3
TIMEOUT = 10


def fetch(url):
    # the gateway drops a call now and then
    for attempt in range(RETRIES):
        answer = get(url, timeout=TIMEOUT)
        if answer.ok:
            return answer
    raise Unreachable(url)


def ping(url):
    return get(url, timeout=TIMEOUT).ok
""",
    "docs/service.md": """\
# Service

A call is tried 3 times.
Each try may take 10 seconds.
""",
    "docs/retries.md": """\
---
jrn: RETRIES
attention:
  - {op: symbol, path: "service.py#RETRIES"}
---

# Retries

The gateway is asked three times before a call fails.
""",
    "deploy.yaml": """\
# one host, two services
services:
  api:
    image: "service:1.4"   # 1.5 drops the old routes
    ports: [80, 443]
  cache: {image: redis}
""",
}

MISQUOTED = """\
# the gateway drops calls now and then
for attempt in range(RETRIES):
    answer = get(url, timeout=TIMEOUT)
    if answer.ok:
        return answer"""

DRIFTED = """\
def fetch(url):
    # the gateway drops a call now and then
    for attempt in range(RETRIES):
        answer = get(url, timeout=LIMIT)"""

REPLY = """\
A ping should not wait that long. I made it a second:

```diff
--- a/service.py
+++ b/service.py
@@ -40,2 +40,2 @@
 def ping(url):
-    return get(url, timeout=TIMEOUT).ok
+    return get(url, timeout=1).ok
```

Let me know if two seconds suit you better.
"""

PLAN = {
    "reason": "one name for the limit, in the code and in its page",
    "files": [
        {"path": "service.py", "edits": [{"target": "TIMEOUT", "new": "TIMEOUT_SECONDS", "occurrence": "all"}]},
        {
            "path": "docs/service.md",
            "edits": [{"target": "may take 10 seconds.", "new": "may take `TIMEOUT_SECONDS` (10) seconds."}],
        },
    ],
}


# What a model might say about the page, so that the scene needs neither a key nor a network.
REPLIES = {
    "docs/retries.md": [
        {
            "tool": "edit_article",
            "arguments": {
                "path": "docs/retries.md",
                "edits": [
                    {
                        "old_string": "is asked three times before",
                        "new_string": "is asked five times before",
                        "reason": "RETRIES is 5 now; a reader would count two tries too few",
                    }
                ],
            },
        },
        "The page says five now.",
    ]
}


@dataclass(frozen=True, slots=True)
class Step:
    """What a visitor reads, the command that shows it, and how it must end."""

    answer: str
    command: tuple[str, ...]
    ends: Kind | None = None


def step(answer: str, *command: str, ends: Kind | None = None) -> Step:
    """One step, written without a tuple."""
    return Step(answer, command, ends)


STEPS = (
    step(
        "An edit names the text to replace. It is made where the text matches, and the answer says how to undo it.",
        *("edit", "service.py", "--old", "RETRIES = 3", "--new", "RETRIES = 5"),
        *("--reason", "the gateway drops one call in four"),
    ),
    step(
        "This text matches two places. Steadyhand does not guess: it shows both and a hint, and changes nothing.",
        *("edit", "service.py", "--old", "timeout=TIMEOUT", "--new", "timeout=60"),
        ends=Kind.AMBIGUOUS_MATCH,
    ),
    step(
        "This one is misquoted: other indentation, and a comment that reads otherwise. Only one place can be meant:"
        " the edit is made there, the note says what differed, and lines that it merely repeats stay as they are.",
        *("edit", "service.py", "--old", MISQUOTED, "--new", MISQUOTED.replace("return answer", "return answer.body")),
    ),
    step(
        "Here the very line to be changed reads otherwise in the file; somebody may have changed it. Nothing is"
        " written; the refusal shows both lines, and the call that would keep both changes.",
        *("edit", "service.py", "--old", DRIFTED, "--new", DRIFTED.replace("get(", "get_once(")),
        ends=Kind.DRIFT_CONFLICT,
    ),
    step(
        "What a model wrote goes in as it is: reply.md is prose around a diff whose line numbers are made up. The lines"
        " match in one place only, so that is where they go.",
        *("apply", "reply.md", "--reason", "a ping should not wait that long"),
    ),
    step(
        "Two files at once, all or nothing: plan.json holds the edits of both.",
        *("apply", "plan.json", "--task", "T-12"),
    ),
    step(
        "Text is one way to say where, a name is another: a key here, a heading, an element or a function elsewhere."
        " The outline of a file lists its addresses.",
        *("outline", "deploy.yaml", "--within", "key:services.api"),
    ),
    step(
        "An edit by key changes the value and nothing beside it: the comment, the quotes and the blanks stay.",
        *("act", "deploy.yaml", "key:services.api.image", "set-key", "value=service:1.6"),
        *("--reason", "1.6 has the old routes again"),
    ),
    step(
        "This key is misspelt. Nothing is created: the refusal says which keys there are, and what to send.",
        *("act", "deploy.yaml", "key:services.api.prots", "append-item", "value:=8080"),
        ends=Kind.NO_SUCH_TARGET,
    ),
    step(
        "Another task reads the page, and somebody changes a line of it meanwhile.",
        *("read", "docs/service.md", "--actor", "ada", "--task", "T-2"),
    ),
    step(
        "That edit is made.",
        *("edit", "docs/service.md", "--lines", "3", "--new", "A call is tried five times."),
        *("--reason", "as it is now", "--actor", "grace", "--task", "T-3", "--quiet"),
    ),
    step(
        "An edit that would overwrite it unseen is refused, with both sides shown, and kept for a person to decide.",
        *("edit", "docs/service.md", "--lines", "3", "--new", "Calls are tried again, 5 times in all."),
        *("--actor", "ada", "--task", "T-2"),
        ends=Kind.CONFLICT,
    ),
    step("What waits for a decision.", "conflicts"),
    step("Everything that happened, newest first.", "log"),
    step("Why does line 1 say what it says? The answer follows the line through later edits.", "why", "service.py:1"),
    step(
        "Undo takes back both files of that transaction, and leaves the later change; it is itself a recorded one.",
        *("undo", "--task", "T-12"),
    ),
    step("The other edits are still there, and so is the whole history.", "log"),
    step(
        "A page may say what it depends on. RETRIES was changed in this tour, and one page attends to it.",
        *("impact", "search", "--uncommitted"),
    ),
    step(
        "A model reads the change and the page, and corrects what a reader would trip over; here a script plays it.",
        *("impact", "run", "--uncommitted", "--yes", "--model", "script:replies.json"),
    ),
    step("What a reviewer gets, as Markdown for a pull request.", "impact", "report"),
    step(
        "A person reviews what a task did, hunk by hunk; at a terminal one key decides each.",
        *("review", "--task", "T-3"),
    ),
    step(
        "A rejected change is taken back, that one only, with a remark for whoever made it.",
        *("review", "--task", "T-3", "--reject", "--all", "--remark", "say it in digits"),
    ),
    step("What the task hears of it.", "feedback", "--task", "T-3"),
    step("Is the journal sound, and is the tree as the journal left it?", "check"),
)


def furnish(root: Path) -> None:
    """Put the sample files into the workspace."""
    for name, text in FILES.items():
        place = root / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (root / "reply.md").write_text(REPLY, encoding="utf-8")
    (root / "plan.json").write_text(json.dumps(PLAN, indent=2) + "\n", encoding="utf-8")
    (root / "replies.json").write_text(json.dumps(REPLIES, indent=2) + "\n", encoding="utf-8")
    if shutil.which("git") is None:
        (root / ".git").mkdir()  # marks the root, whatever is further up
        return
    who = ("-c", "user.name=tour", "-c", "user.email=tour@example.org", "-c", "commit.gpgsign=false")
    for words in (
        ("init", "--quiet"),
        ("add", "--all"),
        (*who, "commit", "--quiet", "--no-verify", "-m", "the sample"),
    ):
        subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.DEVNULL)


def bold(text: str) -> str:
    """Bold where a terminal looks, plain elsewhere."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def show(command: Sequence[str]) -> str:
    """The command as one would type it."""
    return "$ " + shlex.join(("steadyhand", *command))


def run(item: Step, root: Path, environment: Mapping[str, str]) -> bool:
    """Tell, run and judge one step."""
    print(f"\n{item.answer}\n{bold(show(item.command))}", flush=True)
    done = subprocess.run([sys.executable, "-m", "steadyhand", *item.command], cwd=root, env=environment, check=False)
    wanted = item.ends.exit_code if item.ends else 0
    if item.ends and done.returncode == wanted:
        print(f"(exit code {wanted}: {item.ends})")
    return done.returncode == wanted


def main(arguments: list[str]) -> int:
    """The tour from start to end; 0 if every step ended as it should."""
    root = Path(tempfile.mkdtemp(prefix="steadyhand-tour-"))
    environment = {**os.environ, "XDG_CONFIG_HOME": str(root / ".git")}  # the sample, not the visitor's own settings
    try:
        furnish(root)
        print(bold(f"Steadyhand: a tour in {len(STEPS)} steps"), f"on a sample workspace of {len(FILES)} files.")
        has_git = shutil.which("git") is not None
        steps = [item for item in STEPS if has_git or item.command[0] != "impact"]
        failed = [item for item in steps if not run(item, root, environment)]
        if not has_git:
            print("\nThe scene about a change and its pages was left out: it needs git.")
        for item in failed:
            print(f"this step did not end as it should: {show(item.command)}", file=sys.stderr)
        if not failed:
            print("\nThat was the tour. Next: README.md, steadyhand --help, docs/concepts.md.")
        if "--keep" in arguments:
            print(f"The workspace stays in {root}")
        return 1 if failed else 0
    finally:
        if "--keep" not in arguments:
            shutil.rmtree(root)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
