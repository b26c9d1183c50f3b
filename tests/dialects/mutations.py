"""Replies broken in every way that comes to mind, from a seed: the same seed gives the same reply."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from steadyhand.dialects.dialect import dialects

Mutation = Callable[[random.Random, list[str]], None]

SAMPLES = (
    """Here is the change:

```diff
diff --git a/src/app.py b/src/app.py
index 83db48f..bf269f4 100644
--- a/src/app.py
+++ b/src/app.py
@@ -1,5 +1,6 @@ def main():
 import os

-def main():
+def main(argv):
+    print(argv)
     return 0
\\ No newline at end of file
diff --git a/old.txt b/new.txt
similarity index 90%
rename from old.txt
rename to new.txt
--- a/old.txt
+++ b/new.txt
@@ -3 +3 @@
-x
+y
```
That is all.
""",
    """From 1234567890 Mon Sep 17 00:00:00 2001
Subject: [PATCH] x

---
 a.txt | 2 +-

diff --git a/a.txt b/a.txt
new file mode 100755
--- /dev/null
+++ b/a.txt
@@ -0,0 +1,2 @@
+one
+two
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
--\x20
2.43.0
""",
    """*** Begin Patch
*** Update File: src/app.py
*** Move to: src/main.py
@@ class A:
@@     def f(self):
 x = 1
-y = 2
+y = 3
@@
+z
*** End of File
*** Add File: new.txt
+hello
+
*** Delete File: gone.txt
*** End Patch
""",
    """src/app.py
```python
<<<<<<< SEARCH
def f():
    return 1
=======
def f():
    return 2
>>>>>>> REPLACE
```

<<<<<<< SEARCH
:start_line:12
-------
a
=======
b
>>>>>>> REPLACE

------- SEARCH
c
=======
+++++++ REPLACE
""",
    """```json
{"edits": [{"path": "a.txt", "old_string": "a\\n\\"b\\"", "new_string": "c", "reason": "why"},
  {"old_string": "d", "new_string": "e"}]}
```
""",
    """{"files": [{"path": "a", "edits": [{"target": {"lines": [1, 2]}, "new": "x"}]},
  {"path": "b", "delete": true}]}
""",
    """{"path": "a.txt", "edits": [{"range": {"start": 1, "end": 2}, "oldText": "a\\nb", "newText": "c"}]}""",
    """`src/app.py`

```python
# ... existing code ...
def f():
    return 2
# ... existing code ...
```
""",
    """**README.md**
````markdown
# Title

```sh
make
```
````

<file path="x.txt">
content
</file>
""",
)
MARKS = (
    "```",
    "```diff",
    "~~~",
    "````",
    "@@",
    "@@ -1,3 +1,4 @@",
    "@@ -0,0 +1 @@",
    "--- a/x",
    "+++ b/x",
    "--- /dev/null",
    "diff --git a/x b/x",
    "rename from x",
    "new file mode 100644",
    "Binary files a/x and b/x differ",
    "GIT binary patch",
    "\\ No newline at end of file",
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: x",
    "*** Add File: y",
    "*** Delete File: z",
    "*** Move to: w",
    "*** End of File",
    "***",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "------- SEARCH",
    "+++++++ REPLACE",
    ":start_line:3",
    "-------",
    "<<<<<<< HEAD",
    ">>>>>>> branch",
    "SEARCH",
    "REPLACE",
    "{",
    "}",
    "[",
    "]",
    '"',
    '{"edits": [',
    '"old_string": "x",',
    ",",
    "// ... existing code ...",
    "...",
    "<file path='x'>",
    "</file>",
    "<tool_call>",
    "</tool_call>",
    "src/app.py",
    "-- ",
    "-",
    "+",
    " ",
    "",
    "\t",
    "\x00",
    "\u2028",
    "\ud800",
    "a" * 3000,
    "\\" * 50,
    "`" * 200,
    "<" * 200,
    "(" * 200,
    "{" * 200,
    "[" * 200,
)


def mutate(seed: int, *, most: int = 6) -> str:
    """One broken reply."""
    chance = random.Random(seed)
    samples = [*SAMPLES, *(dialect.example for dialect in dialects())]
    lines = chance.choice(samples).split("\n")
    for _ in range(chance.randrange(most + 1)):
        chance.choice(MUTATIONS)(chance, lines)
    return chance.choice(("\n", "\n", "\n", "\r\n")).join(lines)


def cut(seed: int, reply: str) -> list[str]:
    """A reply in pieces of random sizes."""
    chance = random.Random(seed)
    parts: list[str] = []
    while reply:
        size = chance.choice((1, 2, 3, 7, 40, 1000))
        parts.append(reply[:size])
        reply = reply[size:]
    return parts


def _at(chance: random.Random, lines: Sequence[str]) -> int:
    return chance.randrange(len(lines)) if lines else 0


def _drop(chance: random.Random, lines: list[str]) -> None:
    start = _at(chance, lines)
    del lines[start : start + chance.choice((1, 1, 1, 3))]


def _repeat(chance: random.Random, lines: list[str]) -> None:
    start = _at(chance, lines)
    part = lines[start : start + chance.randrange(1, 6)]
    lines[start:start] = part * chance.choice((1, 1, 2, 20))


def _swap(chance: random.Random, lines: list[str]) -> None:
    if len(lines) > 1:
        one, two = _at(chance, lines), _at(chance, lines)
        lines[one], lines[two] = lines[two], lines[one]


def _insert(chance: random.Random, lines: list[str]) -> None:
    lines.insert(_at(chance, lines), chance.choice(MARKS))


def _truncate(chance: random.Random, lines: list[str]) -> None:
    if lines:
        end = _at(chance, lines)
        del lines[end + 1 :]
        lines[end] = lines[end][: chance.randrange(len(lines[end]) + 1)]


def _spoil(chance: random.Random, lines: list[str]) -> None:
    if lines:
        row = _at(chance, lines)
        at = chance.randrange(len(lines[row]) + 1)
        odd = chance.choice(list(" \t-+@*<>=`\"'\\{}[]:,/#\r\x00é\u2028\ud800") + list(MARKS[:3]))
        lines[row] = lines[row][:at] + odd + lines[row][at + chance.randrange(2) :]


def _dedent(chance: random.Random, lines: list[str]) -> None:
    start = _at(chance, lines)
    for row in range(start, min(start + chance.randrange(1, 8), len(lines))):
        lines[row] = lines[row][1:]


def _indent(chance: random.Random, lines: list[str]) -> None:
    start, lead = _at(chance, lines), chance.choice((" ", "  ", "> ", "12| ", "+", "-", "\t"))
    for row in range(start, min(start + chance.randrange(1, 8), len(lines))):
        lines[row] = lead + lines[row]


def _graft(chance: random.Random, lines: list[str]) -> None:
    at = _at(chance, lines)
    lines[at:at] = chance.choice(SAMPLES).split("\n")


MUTATIONS: tuple[Mutation, ...] = (
    _drop,
    _repeat,
    _swap,
    _insert,
    _insert,
    _truncate,
    _spoil,
    _spoil,
    _dedent,
    _indent,
    _graft,
)
