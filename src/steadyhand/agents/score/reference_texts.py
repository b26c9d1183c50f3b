"""The texts of the reference tasks, and the edits of each, written for this purpose; `reference.py` makes the tasks.

Words between `«` and `»` are filled in by the seed: `«thing»` and `«Thing»` are a noun, `«verb»` is a verb, `«n»` and
`«m»` are numbers. In the change of an edit a line begins with a blank if it stays, with `-` if it goes and with `+` if
it comes; `@@` is between two places, and `@@ PATH` begins another file. Old lines are at one place of their file.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a base: its lines with signs, or, for all places in all files, an old and a new word."""

    kind: str
    intent: str
    change: str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Base:
    """Some files that belong together, as paths and texts, and what may be asked of them."""

    name: str
    files: tuple[tuple[str, str], ...]
    edits: tuple[Edit, ...]


_PY = '''\
"""Keeps «thing»s in memory and «verb»s them in order."""

from __future__ import annotations

from dataclasses import dataclass, field

LIMIT = «n»
TIMEOUT = «m»


@dataclass
class «Thing»:
    name: str
    weight: int = 1
    tags: list[str] = field(default_factory=list)

    def describe(self) -> str:
        if not self.tags:
            return self.name
        return f"{self.name} ({', '.join(self.tags)})"


class «Thing»Store:
    def __init__(self) -> None:
        self._items: dict[str, «Thing»] = {}

    def add(self, item: «Thing») -> None:
        if item.name in self._items:
            raise ValueError(f"{item.name} is there already")
        self._items[item.name] = item

    def «verb»(self, name: str) -> «Thing»:
        item = self._items.pop(name)
        item.tags.append("done")
        return item

    def total(self) -> int:
        result = 0
        for item in self._items.values():
            result += item.weight
        return result

    def heaviest(self) -> «Thing» | None:
        best = None
        for item in self._items.values():
            if best is None or item.weight > best.weight:
                best = item
        return best


def load(lines: list[str]) -> «Thing»Store:
    store = «Thing»Store()
    for line in lines:
        name, _, weight = line.partition(" ")
        store.add(«Thing»(name, int(weight or 1)))
    return store
'''

_PY_TEST = """\
from app.«thing»s import «Thing», «Thing»Store, load


def test_add_and_«verb»():
    store = «Thing»Store()
    store.add(«Thing»("one", «n»))
    assert store.«verb»("one").weight == «n»


def test_total():
    store = load(["one «n»", "two «m»"])
    assert store.total() == «n» + «m»
"""

_TS = """\
import { readFile } from "node:fs/promises";

export interface «Thing»Options {
  retries: number;
  timeoutMs: number;
  verbose?: boolean;
}

const DEFAULTS: «Thing»Options = {
  retries: «n»,
  timeoutMs: «m»,
};

export class «Thing»Client {
  private readonly options: «Thing»Options;

  constructor(options: Partial<«Thing»Options> = {}) {
    this.options = { ...DEFAULTS, ...options };
  }

  async «verb»(id: string): Promise<string> {
    for (let attempt = 0; attempt < this.options.retries; attempt++) {
      try {
        return await this.request(`/«thing»s/${id}`);
      } catch (error) {
        if (this.options.verbose) {
          console.warn("retrying", id, error);
        }
      }
    }
    throw new Error(`could not «verb» ${id}`);
  }

  private async request(path: string): Promise<string> {
    const body = await readFile(`.${path}.json`, "utf8");
    return JSON.parse(body).value;
  }
}

export function format«Thing»(id: string, count: number): string {
  if (count === 1) {
    return `1 «thing» in ${id}`;
  }
  return `${count} «thing»s in ${id}`;
}
"""

_MD = """\
# «Thing» service

The service «verb»s every «thing» that it is given and keeps a copy for «n» days.

## Install

Run this once on each machine:

```sh
make install
make check
```

## Settings

| Name | Meaning | Default |
|---|---|---|
| `limit` | how many «thing»s are kept | «n» |
| `timeout` | seconds to wait for an answer | «m» |
| `mode` | `fast` or `safe` | `safe` |

## Use

1. Write each «thing» on a line of its own.
2. Start the service with the file.
3. Read the report.

A «thing» without a name is left out.
The report says how many were left out.

## Limits

- At most «n» «thing»s in one file.
- Names have at most «m» letters.
- There is no way to «verb» a «thing» twice.
"""

_YAML = """\
# What runs where.
name: «thing»-pipeline
version: "1.«n»"

defaults:
  retries: «n»
  timeout: «m»
  notify:
    - ops@example.org

steps:
  - name: fetch
    run: ./fetch.sh --limit «n»
    timeout: «m»
  - name: «verb»
    run: ./«verb».sh
    timeout: «m»
    needs: [fetch]
  - name: report
    run: ./report.sh
    needs:
      - fetch
      - «verb»

environments:
  staging:
    host: staging.example.org
    replicas: 1
  production:
    host: www.example.org
    replicas: «n»
"""

_JSON = """\
{
  "name": "«thing»-tools",
  "version": "0.«n».0",
  "private": true,
  "scripts": {
    "build": "tsc --project .",
    "test": "node --test",
    "«verb»": "node dist/«verb».js"
  },
  "limits": {
    "files": «n»,
    "seconds": «m»
  },
  "targets": [
    { "name": "small", "size": «n», "tags": ["a", "b"] },
    { "name": "large", "size": «m», "tags": [] }
  ]
}
"""

_HTML = """\
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>«Thing»s</title>
  <link rel="stylesheet" href="style.css">
</head>
<body>
  <header class="top">
    <h1>All «thing»s</h1>
    <nav>
      <a href="/">Start</a>
      <a href="/«thing»s">«Thing»s</a>
      <a href="/about">About</a>
    </nav>
  </header>
  <main>
    <p class="intro">There are «n» of them, and «m» more in the archive.</p>
    <ul id="list">
      <li class="item">first</li>
      <li class="item">second</li>
      <li class="item">third</li>
    </ul>
    <form action="/«verb»" method="get">
      <label for="q">Name</label>
      <input id="q" name="q" maxlength="«m»">
      <button type="submit">Find</button>
    </form>
  </main>
  <footer>
    <p>Made by hand.</p>
  </footer>
</body>
</html>
"""

_CSS = """\
:root {
  --accent: #1f7a4d;
  --gap: «n»px;
}

body {
  margin: 0;
  font: 16px/1.5 sans-serif;
}

.top {
  display: flex;
  gap: var(--gap);
  padding: «m»px;
}

.item {
  color: var(--accent);
  padding: «n»px 0;
}

.item:hover {
  text-decoration: underline;
}

@media (max-width: 600px) {
  .top {
    display: block;
    padding: «n»px;
  }

  .item {
    padding: 2px 0;
  }
}
"""

_TOML = """\
[project]
name = "«thing»s"
version = "1.«n».0"
dependencies = [
    "click>=8",
    "pyyaml>=6",
]

[tool.«verb»]
limit = «n»
timeout = «m»
paths = ["src", "tests"]

[tool.«verb».rules]
unused = "error"
spacing = "warn"
"""

_APP, _TEST = "app/«thing»s.py", "tests/test_«thing»s.py"

# fmt: off
BASES: tuple[Base, ...] = (
    Base(
        "python",
        ((_APP, _PY),),
        (
            Edit("value", "Allow more «thing»s.", '''\
-LIMIT = «n»
+LIMIT = «n»0
'''),
            Edit("rename", "Say what the number means.", ("weight", "priority")),
            Edit("argument", "Let a caller start from a number other than zero.", '''\
-    def total(self) -> int:
-        result = 0
+    def total(self, start: int = 0) -> int:
+        result = start
'''),
            Edit("delete", "Nobody asks for the heaviest any more.", '''\
-    def heaviest(self) -> «Thing» | None:
-        best = None
-        for item in self._items.values():
-            if best is None or item.weight > best.weight:
-                best = item
-        return best
-
'''),
            Edit("indentation", "Empty lines are no «thing»s.", '''\
-        name, _, weight = line.partition(" ")
-        store.add(«Thing»(name, int(weight or 1)))
+        if line.strip():
+            name, _, weight = line.partition(" ")
+            store.add(«Thing»(name, int(weight or 1)))
'''),
            Edit("insert", "Say whether there is anything.", '''\

+    def is_empty(self) -> bool:
+        return not self._items
+
     def total(self) -> int:
'''),
            Edit("two places", "Remember when a «thing» was done.", '''\
 from dataclasses import dataclass, field
+from datetime import UTC, datetime
@@
-        item.tags.append("done")
+        item.tags.append(f"done {datetime.now(UTC):%Y-%m-%d}")
'''),
            Edit("similar lines", "The first loop only counts what has a weight.", '''\
-            result += item.weight
+            if item.weight > 0:
+                result += item.weight
'''),
        ),
    ),
    Base(
        "python and its test",
        ((_APP, _PY), (_TEST, _PY_TEST),),
        (
            Edit("two files", "A better word for it.", '''\
@@ app/«thing»s.py
-    def total(self) -> int:
+    def weight(self) -> int:
@@ tests/test_«thing»s.py
-    assert store.total() == «n» + «m»
+    assert store.weight() == «n» + «m»
'''),
            Edit("two files", "Refuse with an error of its own.", '''\
@@ app/«thing»s.py
-            raise ValueError(f"{item.name} is there already")
+            raise KeyError(item.name)
@@ tests/test_«thing»s.py
+import pytest
+
 from app.«thing»s import «Thing», «Thing»Store, load
@@

+def test_twice():
+    store = load(["one"])
+    with pytest.raises(KeyError):
+        store.add(«Thing»("one"))
+
+
 def test_total():
'''),
        ),
    ),
    Base(
        "typescript",
        (("src/«thing».ts", _TS),),
        (
            Edit("value", "Wait longer.", '''\
-  timeoutMs: «m»,
+  timeoutMs: «m»00,
'''),
            Edit("rename", "One word for it everywhere.", ("verbose", "logRetries")),
            Edit("argument", "The caller knows the plural.", '''\
-export function format«Thing»(id: string, count: number): string {
+export function format«Thing»(id: string, count: number, plural = "«thing»s"): string {
@@
-  return `${count} «thing»s in ${id}`;
+  return `${count} ${plural} in ${id}`;
'''),
            Edit("delete", "One form is enough.", '''\
-  if (count === 1) {
-    return `1 «thing» in ${id}`;
-  }
'''),
            Edit("insert", "Say it in the error.", '''\
-    throw new Error(`could not «verb» ${id}`);
+    const tries = this.options.retries;
+    throw new Error(`could not «verb» ${id} in ${tries} tries`);
'''),
            Edit("indentation", "A missing value is an error.", '''\
-    return JSON.parse(body).value;
+    const { value } = JSON.parse(body);
+    if (value === undefined) {
+      throw new Error(`${path} has no value`);
+    }
+    return value;
'''),
        ),
    ),
    Base(
        "markdown",
        (("docs/«thing».md", _MD),),
        (
            Edit("value", "The default was wrong.", '''\
-| `timeout` | seconds to wait for an answer | «m» |
+| `timeout` | seconds to wait for an answer | «m»5 |
'''),
            Edit("paragraph", "People ask what happens to the copy.", '''\

+After that the copy is removed.
+Nothing else is kept.
+
 ## Install
'''),
            Edit("delete", "The section is out of date.", '''\
-## Install
-
-Run this once on each machine:
-
-```sh
-make install
-make check
-```
-
'''),
            Edit("table row", "There is a new setting.", '''\
 | `mode` | `fast` or `safe` | `safe` |
+| `report` | where the report goes | `-` |
'''),
            Edit("two places", "Nothing is left out any more.", '''\
-A «thing» without a name is left out.
-The report says how many were left out.
+A «thing» without a name is an error.
@@
-- Names have at most «m» letters.
+- Names have 1 to «m» letters.
'''),
            Edit("list item", "A step was missing.", '''\
-2. Start the service with the file.
-3. Read the report.
+2. Check the file with `make check`.
+3. Start the service with the file.
+4. Read the report.
'''),
        ),
    ),
    Base(
        "yaml",
        (("config/pipeline.yaml", _YAML),),
        (
            Edit("value", "More machines.", '''\
-    replicas: «n»
+    replicas: «n»2
'''),
            Edit("indentation", "Tell one more.", '''\
     - ops@example.org
+    - «thing»s@example.org
'''),
            Edit("similar lines", "The step needs more time than the others.", '''\
     run: ./«verb».sh
-    timeout: «m»
+    timeout: «m»0
'''),
            Edit("insert", "Check before the report.", '''\
     needs: [fetch]
+  - name: check
+    run: ./check.sh
+    needs: [«verb»]
'''),
            Edit("delete", "There is no staging any more.", '''\
-  staging:
-    host: staging.example.org
-    replicas: 1
'''),
            Edit("two places", "A new major version, on a new host.", '''\
-version: "1.«n»"
+version: "2.0"
@@
-    host: www.example.org
+    host: «thing»s.example.org
'''),
        ),
    ),
    Base(
        "json",
        (("package.json", _JSON),),
        (
            Edit("value", "More files.", '''\
-    "files": «n»,
+    "files": «n»00,
'''),
            Edit("insert", "A script for it.", '''\
     "test": "node --test",
+    "lint": "eslint src",
'''),
            Edit("last of a list", "One more target.", '''\
-    { "name": "large", "size": «m», "tags": [] }
+    { "name": "large", "size": «m», "tags": [] },
+    { "name": "huge", "size": «m»0, "tags": ["c"] }
'''),
            Edit("delete", "It is public now.", '''\
-  "private": true,
'''),
            Edit("two places", "A release.", '''\
-  "version": "0.«n».0",
+  "version": "1.0.0",
@@
-    { "name": "small", "size": «n», "tags": ["a", "b"] },
+    { "name": "small", "size": «n», "tags": ["a"] },
'''),
        ),
    ),
    Base(
        "html",
        (("site/index.html", _HTML),),
        (
            Edit("value", "Say it better.", '''\
-    <p>Made by hand.</p>
+    <p>Made by hand, every week.</p>
'''),
            Edit("attribute", "A form that changes something is posted.", '''\
-    <form action="/«verb»" method="get">
+    <form action="/«verb»" method="post">
'''),
            Edit("insert", "One more page.", '''\
       <a href="/«thing»s">«Thing»s</a>
+      <a href="/archive">Archive</a>
'''),
            Edit("similar lines", "The second one is sold.", '''\
-      <li class="item">second</li>
+      <li class="item sold">second</li>
'''),
            Edit("delete", "No footer.", '''\
-  <footer>
-    <p>Made by hand.</p>
-  </footer>
'''),
            Edit("indentation", "Keep label and field together.", '''\
-      <label for="q">Name</label>
-      <input id="q" name="q" maxlength="«m»">
+      <div class="field">
+        <label for="q">Name</label>
+        <input id="q" name="q" maxlength="«m»">
+      </div>
'''),
        ),
    ),
    Base(
        "css",
        (("site/style.css", _CSS),),
        (
            Edit("value", "Another colour.", '''\
-  --accent: #1f7a4d;
+  --accent: #3b6ea8;
'''),
            Edit("similar lines", "Less room, on small screens only.", '''\
-    padding: «n»px;
+    padding: 1px;
'''),
            Edit("rename", "The name says what it is.", ("--gap", "--space")),
            Edit("insert", "The last one has no line.", '''\

+.item:last-child {
+  border: none;
+}
+
 @media (max-width: 600px) {
'''),
            Edit("delete", "No underline.", '''\
-.item:hover {
-  text-decoration: underline;
-}
-
'''),
        ),
    ),
    Base(
        "toml",
        (("pyproject.toml", _TOML),),
        (
            Edit("value", "A stricter rule.", '''\
-spacing = "warn"
+spacing = "error"
'''),
            Edit("list item", "It is needed now.", '''\
     "pyyaml>=6",
+    "regex>=2025",
'''),
            Edit("two places", "A release with a longer wait.", '''\
-version = "1.«n».0"
+version = "1.«n».1"
@@
-timeout = «m»
+timeout = «m»0
'''),
            Edit("delete", "The usual paths will do.", '''\
-paths = ["src", "tests"]
'''),
        ),
    ),
)
# fmt: on
