"""What a person sees, with colour, compared with the pages under golden/.

Escape is written ␛ there; ids, times and digests are levelled. STEADYHAND_GOLDEN=write writes the pages again.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.surfaces.shell import Shell

GOLDEN = Path(__file__).parent / "golden"
PASSING = [
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])"), "0123456789ab"),
    (re.compile(r"\d{4}-\d\d-\d\d([ T])\d\d:\d\d(:\d\d\.\d{3}Z)?"), r"2026-01-02\g<1>03:04\g<2>"),
    (re.compile(r":\d\d\.\d{3}Z"), ":05.678Z"),
    (re.compile(r"(2026-01-02 03:04):\d\d"), r"\1:05"),
]
FETCH = """\
def fetch(url):
    # until one goes well
    for _ in range(3):
        answer = get(url, 10)
        if answer.ok:
            return answer
"""
SERVICES = """\
{
  // what runs
  "services": {
    "web": {"image": "nginx:1.25", "ports": [80, 443]},
    "db": {"image": "postgres \\u001b[31m"}
  },
  "name": "one",
  "name": "two"
}
"""
SLOPPY = "def fetch(url):\n  # until it goes well\n  for _ in range(3):\n    answer = get(url, 10)\n    if answer.ok:"
STALE = "    for _ in range(3):\n        answer = get(url, 5)\n        if answer.ok:"
EDIT = ["edit", "notes.md", "--old", "the cat sat", "--new", "the dog slept", "--reason", "it barks"]
PLAN = {
    "files": [
        {"path": "notes.md", "edits": [{"target": "cat", "new": "dog"}]},
        {"path": "docs/new.md", "create": "new\n"},
        {"path": "app.py", "rename_to": "src/app.py"},
    ],
    "reason": "a plan",
}
PARTIAL = {
    "files": [*PLAN["files"][:1], {"path": "app.py", "edits": [{"target": "q = 1", "new": "r"}]}],
    "partial": True,
}
REPLY = """\
Both files at once:

```diff
--- a/fetch.py
+++ b/fetch.py
@@ -4 +4 @@
-  answer = get(url, 10)
+  answer = get(url, limit)
--- a/notes.md
+++ b/notes.md
@@ -3 +3 @@
-the cat sat
+the dog sat
```
"""
UNFIT = REPLY.replace("-the cat sat", "-the bird flew").replace("a/fetch", "a/lost").replace("b/fetch", "b/lost")
CUT_OFF = "notes.md\n<<<<<<< SEARCH\nthe cat sat\n=======\nthe dog"
MIXED = f"*** Begin Patch\n*** Delete File: app.py\n*** End Patch\n\n{CUT_OFF} sat\n>>>>>>> REPLACE\n"
CONFLICT = [
    ["edit", "app.py", "--old", "y", "--new", "z", "--quiet"],
    ["--actor", "ada", "--task", "T-1", "read", "notes.md", "--lines", "3:4"],
    [
        "--actor",
        "grace",
        "--task",
        "T-2",
        "edit",
        "notes.md",
        "--old",
        "cat",
        "--new",
        "dog",
        "--reason",
        "it barks",
        "-q",
    ],
    ["--actor", "ada", "--task", "T-1", "edit", "notes.md", "--old", "sat", "--new", "slept", "--reason", "it is late"],
]
STDIN = {
    "apply": json.dumps(PLAN),
    "partial": json.dumps(PARTIAL),
    "apply-reply": REPLY,
    "apply-preview": REPLY,
    "apply-refused": UNFIT,
    "apply-strict": REPLY,
    "apply-cut-off": CUT_OFF,
    "apply-mixed": MIXED,
    "convert": REPLY,
    "conflicts-ask": "x\na\n",
}

CASES: dict[str, list[list[str]]] = {
    "edit": [EDIT],
    "edit-quiet": [[*EDIT, "--quiet"]],
    "edit-all": [["edit", "app.py", "--old", "x", "--new", "z", "--all"]],
    "edit-first": [["edit", "app.py", "--old", "x", "--new", "z", "--first"]],
    "edit-crlf": [["edit", "crlf.txt", "--old", "two\nthree", "--new", "2\n3"]],
    "edit-newline-change": [["write", "crlf.txt", "--text", "one\ntwo\r\nthree\r\n", "--bytes", "--overwrite"]],
    "edit-tolerant": [["edit", "fetch.py", "--old", SLOPPY, "--new", SLOPPY.replace("answer.ok", "answer.is_ok")]],
    "edit-drifted": [["edit", "fetch.py", "--old", STALE, "--new", STALE.replace("get(", "load(")]],
    "edit-merged": [["edit", "fetch.py", "--old", STALE, "--new", STALE.replace("get(", "load("), "--on-drift=merge"]],
    "show-tolerant": [
        ["edit", "fetch.py", "--old", SLOPPY, "--new", SLOPPY.replace("answer.ok", "answer.is_ok"), "--quiet"],
        ["show", "$1"],
    ],
    "preview": [["diff", "notes.md", "--old", "mat", "--new", "sofa"]],
    "no-match": [["edit", "notes.md", "--old", "the cat sits", "--new", "x"]],
    "ambiguous": [["edit", "app.py", "--old", "x = 1", "--new", "z"]],
    "usage": [["edit", "notes.md", "--odl", "x"]],
    "protected": [["write", ".git/config", "--text", "x"]],
    "stale": [["edit", "notes.md", "--old", "cat", "--new", "dog", "--expect", "0123456789abcdef"]],
    "hostile-content": [["edit", "hostile.txt", "--old", "one", "--new", "1\x1b[2J\u202e"], ["read", "hostile.txt"]],
    "apply": [["apply"]],
    "apply-reply": [["apply", "--reason", "a limit and a dog"]],
    "apply-preview": [["apply", "--dry-run", "--quiet"]],
    "apply-refused": [["apply"]],
    "apply-strict": [["apply", "--strict"]],
    "apply-cut-off": [["apply"]],
    "apply-mixed": [["apply"]],
    "convert": [["convert", "--to", "v4a"]],
    "partial": [["apply"]],
    "log": [EDIT, ["undo", "--last"], ["write", "猫 notes.md", "--text", "wide\n", "--reason", "a " * 60], ["log"]],
    "log-empty": [["log"]],
    "show": [EDIT, ["show", "$1"]],
    "why": [EDIT, ["why", "notes.md"]],
    "undo": [EDIT, ["undo", "--last"]],
    "undo-preview": [EDIT, ["undo", "--last", "--dry-run"]],
    "delete": [["delete", "app.py", "--file"]],
    "create": [["write", "new.md", "--text", "no newline"]],
    "mode": [["chmod", "notes.md", "600"]],
    "read": [["read", "notes.md", "--numbers"], ["read", "notes.md", "--lines", "3:", "--anchors"]],
    "outline": [["outline", "services.jsonc"], ["outline", "services.jsonc", "--within=key:services", "--limit=3"]],
    "locate": [
        ["locate", "services.jsonc", "key:services.web"],
        ["locate", "services.jsonc", "key:name", "--all"],
        ["locate", "crlf.txt", "lines:2-3"],
    ],
    "locate-ambiguous": [["locate", "services.jsonc", "key:name"]],
    "locate-missing": [["locate", "services.jsonc", "key:services.wbe"]],
    "act": [["act", "services.jsonc", "key:services.web.image", "set-key", "value=nginx:1.27", "--reason", "newer"]],
    "act-unknown": [
        ["act", "services.jsonc", "key:services", "set-kye", "value=1"],
        ["act", "services.jsonc", "key:services", "add-key", "name=cache"],
        ["act", "services.jsonc", "key:services.web.image", "set-key", "value=1.10"],
    ],
    "move": [["move", "notes.md", "lines:1-2", "--to", "lines:4"]],
    "move-file": [["move", "notes.md", "lines:3-4", "--to-file", "cat.md"]],
    "breaks-syntax": [["edit", "services.jsonc", "--lines", "4", "--new", '    "web": {']],
    "conflict": CONFLICT,
    "conflicts": [
        *CONFLICT,
        ["conflicts"],
        ["conflicts", "show", "$3"],
        ["conflicts", "resolve", "$3", "--apply", "--reason", "sleep wins"],
        ["conflicts"],
        ["conflicts", "--all"],
        ["conflicts", "resolve", "$3", "--drop"],
    ],
    "conflicts-ask": [*CONFLICT, ["conflicts", "resolve", "--ask"]],
    "conflicts-unasked": [*CONFLICT, ["conflicts", "resolve"]],
    "watch": [
        *CONFLICT,
        ["conflicts", "resolve", "$3", "--apply", "--quiet"],
        ["undo", "--last", "--quiet"],
        ["edit", "notes.md", "--old", "elephant", "--new", "x", "--reason", "large"],
        ["watch", "--since", "start", "--no-follow"],
    ],
    "check": [EDIT, ["check"], ["gc", "--keep-days", "0"]],
}  # fmt: skip


def page(shell: Shell, name: str) -> str:
    """The commands of a case with all they print."""
    parts: list[str] = []
    ids: list[str] = []
    for arguments in CASES[name]:
        words = [ids[int(word[1:]) - 1] if re.fullmatch(r"\$\d", word) else word for word in arguments]
        result = shell.run("--color", "always", *words, stdin=STDIN.get(name))
        plain = re.sub("\x1b\\[[0-9;]*m", "", result.stdout + result.stderr)
        ids += re.findall(r"(?:undo|kept as:) ([0-9a-f]{12})", plain)
        shown = " ".join(repr(word) if re.search(r"[^\w./:=-]", word) else word for word in words)
        parts.append(f"$ steadyhand {shown}\n{result.stdout}{result.stderr}[{result.exit_code}]\n")
    text = "".join(parts).replace("\x1b", "␛")
    for pattern, level in PASSING:
        text = pattern.sub(level, text)
    return text


@pytest.mark.parametrize("name", CASES)
def test_page(shell: Shell, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    (shell.root / "crlf.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (shell.root / "hostile.txt").write_bytes("one \x1b]0;title\x07\ntwo \x9b31m\x7f\n".encode())
    (shell.root / "fetch.py").write_text(FETCH)
    (shell.root / "services.jsonc").write_text(SERVICES)
    shown = page(shell, name)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("STEADYHAND_GOLDEN") == "write":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


def test_every_page_belongs_to_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)
