"""`patch_file`: a unified diff of one file, with or without its header."""

from __future__ import annotations

from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE, REASON, reason_of
from steadyhand.tools.patching import DIFF, apply_diff
from steadyhand.tools.result import CHANGED, success
from steadyhand.tools.shape import Field, Object, Text
from steadyhand.tools.surgical.refusal import refused
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        FILE,
        Field("patch", Text(), "A unified diff of this file, as diff -u prints it.", required=True, also=DIFF),
        REASON,
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Apply the diff, all of it or nothing; what stands around it is left out, and told."""
    path = str(fields["path"])
    receipt = apply_diff(call, path, str(fields["patch"]), reason=reason_of(fields))
    return success(receipt, path)


_BEFORE = "def total(items):\n    count = 0\n    for item in items:\n        count += 1\n    return count\n"
_PATCH = "@@ -1,3 +1,4 @@\n def total(items):\n+    items = list(items)\n     count = 0\n     for item in items:\n"

TOOL = Tool(
    name="patch_file",
    title="Patch a file",
    summary=(
        "Apply a unified diff to one file, for changes in several places. Line numbers are hints: "
        "the context and removed lines say where, and must stand in the file. All of it is applied or nothing."
    ),
    parameters=PARAMETERS,
    result=CHANGED,
    examples=(
        Example(
            about="Two places, with header",
            files={"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"},
            arguments={
                "path": "a.txt",
                "patch": (
                    "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -7,2 +7,2 @@\n seven\n-eight\n+8\n"
                ),
            },
            result={"success": True, "lines": {"start": 1, "end": 8}},
            after={"a.txt": "1\ntwo\nthree\nfour\nfive\nsix\nseven\n8\n"},
        ),
        Example(
            about="No header, and numbers that are wrong",
            files={"sums.py": "import os\n\n\n" + _BEFORE},
            arguments={"path": "sums.py", "patch": _PATCH, "reason": "items may be an iterator"},
            result={"success": True, "lines": {"start": 5, "end": 5}},
            after={
                "sums.py": "import os\n\n\n"
                + _BEFORE.replace("    count = 0", "    items = list(items)\n    count = 0")
            },
        ),
        Example(
            about="A diff of another file",
            files={"a.txt": "one\n", "b.txt": "one\n"},
            arguments={"path": "a.txt", "patch": "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n"},
            result={"success": False, "kind": "malformed-patch", "details": {"named": "b.txt"}},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "delete", "mode"}),
    rank=30,
    refused=refused,
)
