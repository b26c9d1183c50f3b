"""`search`: where a text or a regular expression occurs in the files of the workspace."""

from __future__ import annotations

from typing import cast

from steadyhand.schema import Field, Flag, Number, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.globbing import GLOB
from steadyhand.tools.searching import HITS_AT_MOST, HITS_USUALLY, MATCHES, search_text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("query", Text(), "The text, or a pattern that fits in one line.", required=True, also=("pattern",)),
        Field("isRegex", Flag(), "The query is a regular expression."),
        Field("glob", Text(), GLOB),
        Field("path", Text(), "A directory or a file."),
        Field("max", Number(least=1, most=HITS_AT_MOST), f"At most so many hits ({HITS_USUALLY}).", also=("limit",)),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("matches", MATCHES, required=True),
        Field("filesSearched", Number(), required=True),
        Field("leftOut", Text(), "Files that were passed over."),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Search; lines that are shown whole then count as read by the task."""
    glob, path = (cast("str | None", fields.get(name)) for name in ("glob", "path"))
    most, is_regex = cast("int | None", fields.get("max")), bool(fields.get("isRegex"))
    found = search_text(call, str(fields["query"]), is_regex=is_regex, glob=glob, path=path, max=most)
    return {"success": True, **found}


TOOL = Tool(
    name="search",
    title="Search files",
    summary="Find lines that contain a text or match a regular expression; skips what .gitignore names.",
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A text in the files of a glob",
            files={"a.md": "one\ntwo\n", "b.md": "two too\n", "c.txt": "two\n"},
            arguments={"query": "two", "glob": "*.md"},
            result={
                "success": True,
                "matches": [
                    {"path": "a.md", "line": 2, "column": 1, "text": "two"},
                    {"path": "b.md", "line": 1, "column": 1, "text": "two too"},
                ],
            },
        ),
        Example(
            about="A pattern that cannot be read",
            files={"a.md": "one\n"},
            arguments={"query": "(one", "isRegex": True},
            result={"success": False, "kind": "bad-request"},
        ),
    ),
    run=run,
    rank=40,
)
