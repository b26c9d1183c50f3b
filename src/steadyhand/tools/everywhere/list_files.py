"""`list_files`: what lies in a directory."""

from __future__ import annotations

from typing import cast

from steadyhand.tools.call import Call
from steadyhand.tools.globbing import GLOB
from steadyhand.tools.listing import ENTRIES, ENTRIES_AT_ONCE, list_entries
from steadyhand.tools.shape import Field, Flag, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("path", Text(), "The directory, from the workspace root. Left out: the root.", also=("directory", "dir")),
        Field("glob", Text(), GLOB, also=("pattern", "include")),
        Field("depth", Number(least=1), "How many levels down; 1 is the directory itself. Left out: all."),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("path", Text(), required=True),
        Field("entries", ENTRIES, required=True),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """List; names do not count as read."""
    path = str(fields.get("path") or ".")
    glob, depth = cast("str | None", fields.get("glob")), cast("int | None", fields.get("depth"))
    return {"success": True, "path": path, **list_entries(call, path, glob, depth)}


_FILES = {"src/app.py": "x\n", "src/deep/b.py": "", "notes.md": "one\n", ".gitignore": "*.log\n", "a.log": ""}

TOOL = Tool(
    name="list_files",
    title="List files",
    summary=(
        "List files and directories below a directory, with sizes in bytes. Directories end with a slash. "
        f"What .gitignore names is left out; at most {ENTRIES_AT_ONCE} entries come at once, and a cut is told."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="One level of a tree",
            files=_FILES,
            arguments={"depth": 1},
            result={
                "success": True,
                "entries": [{"path": ".gitignore", "size": 6}, {"path": "notes.md", "size": 4}, {"path": "src/"}],
            },
        ),
        Example(
            about="Names that a glob picks, at any depth",
            files=_FILES,
            arguments={"glob": "*.py"},
            result={"success": True, "entries": [{"path": "src/app.py"}, {"path": "src/deep/b.py"}]},
        ),
        Example(
            about="A directory that is not there",
            files=_FILES,
            arguments={"path": "lib"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=run,
    toolsets=("article", "surgical"),
    rank=11,
)
