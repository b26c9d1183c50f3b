"""`list`: what lies in a directory, or every file that a glob means."""

from __future__ import annotations

from typing import cast

from steadyhand.schema import Field, Flag, Number, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.globbing import GLOB
from steadyhand.tools.listing import ENTRIES, ENTRIES_AT_ONCE, list_entries
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("path", Text(), "A directory; the workspace root if left out."),
        Field("glob", Text(), GLOB),
        Field("depth", Number(least=1), "Levels that are shown."),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("entries", ENTRIES, required=True),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """List, without what is ignored."""
    path, glob = (cast("str | None", fields.get(name)) for name in ("path", "glob"))
    return {"success": True, **list_entries(call, path, glob, cast("int | None", fields.get("depth")))}


TOOL = Tool(
    name="list",
    title="List files",
    summary=(
        "List the files below a directory, or those of a glob; skips what .gitignore names. "
        f"At most {ENTRIES_AT_ONCE} entries."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The Markdown files of a tree",
            files={"a.md": "one\n", "docs/b.md": "two\n", "docs/c.txt": "three\n"},
            arguments={"glob": "*.md"},
            result={"success": True, "entries": [{"path": "a.md", "size": 4}, {"path": "docs/b.md", "size": 4}]},
        ),
        Example(
            about="A directory that is not there",
            files={"a.md": "one\n"},
            arguments={"path": "doc"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=run,
    rank=20,
)
