"""`search_files`: where a text or a pattern stands in the files of a directory."""

from __future__ import annotations

from typing import cast

from steadyhand.tools.call import Call
from steadyhand.tools.globbing import GLOB
from steadyhand.tools.searching import HITS_AT_MOST, HITS_USUALLY, MATCHES, search_text
from steadyhand.tools.shape import Field, Flag, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("query", Text(), "The text to look for, as it is.", required=True, also=("pattern", "text")),
        Field("isRegex", Flag(), "The query is a regular expression, looked for within each line."),
        Field("glob", Text(), f"Which files. {GLOB}", also=("include",)),
        Field("path", Text(), "A directory or a file, from the workspace root.", also=("directory", "dir")),
        Field(
            "max",
            Number(least=1, most=HITS_AT_MOST),
            f"How many hits at most; {HITS_USUALLY} if left out.",
            also=("limit", "max_results"),
        ),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("matches", MATCHES, "One for each line with a hit.", required=True),
        Field("filesSearched", Number(), required=True),
        Field("leftOut", Text(), "Files that were not looked through, and why."),
        Field("cut", Text(), "Why there may be more hits."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Search; lines that are shown whole then count as read by the task."""
    found = search_text(
        call,
        str(fields["query"]),
        is_regex=bool(fields.get("isRegex")),
        glob=cast("str | None", fields.get("glob")),
        path=cast("str | None", fields.get("path")),
        max=cast("int | None", fields.get("max")),
    )
    return {"success": True, **found}


_FILES = {"src/app.py": "import os\n\nprint(os.name)\n", "docs/a.md": "os and more\n"}

TOOL = Tool(
    name="search_files",
    title="Search files",
    summary=(
        "Find lines that hold a text, or with isRegex a pattern, in the files below a directory. "
        "Case counts. Ignored, secret and binary files are passed over; it says when it is cut."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A text in some of the files",
            files=_FILES,
            arguments={"query": "os.", "glob": "*.py"},
            result={
                "success": True,
                "matches": [{"path": "src/app.py", "line": 3, "column": 7, "text": "print(os.name)"}],
                "filesSearched": 1,
            },
        ),
        Example(
            about="A pattern in one directory",
            files=_FILES,
            arguments={"query": r"^os\b", "isRegex": True, "path": "docs"},
            result={"success": True, "matches": [{"path": "docs/a.md", "line": 1, "column": 1}]},
        ),
        Example(
            about="A pattern that is not finished",
            files=_FILES,
            arguments={"query": "print(", "isRegex": True},
            result={"success": False, "kind": "bad-request", "details": {"position": 6}},
        ),
    ),
    run=run,
    toolsets=("article", "surgical"),
    rank=12,
)
