"""`TextInspect`: what a file is made of, where a text occurs in it, or its lines; and always its hash."""

from __future__ import annotations

from steadyhand.schema import Anything, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.text.source import Source
from steadyhand.tools.call import Call
from steadyhand.tools.reading import LINES_AT_ONCE, read_numbered
from steadyhand.tools.result import AROUND
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.vault.anatomy import describe, format_name
from steadyhand.tools.vault.answer import refused
from steadyhand.tools.vault.file import FILE, file_source
from steadyhand.tools.vault.searching import search_file
from steadyhand.tools.vault.window import Window

MODES = ("structure", "search", "lines")
PARAMETERS = Object(
    (
        FILE,
        Field("mode", Text(MODES), "structure: headings and blocks. search: query. lines: the text.", required=True),
        Field("query", Text(), "What to search for."),
        Field("isRegex", Flag(), "query is a regular expression, looked for within lines."),
        Field("start", Number(least=1), "First line to look at, from 1."),
        Field("end", Number(least=1), "Last line, included."),
    )
)
_PLACE = Object((Field("startLine", Number()), Field("endLine", Number())), is_open=True)
_HIT = Object(
    (
        Field("line", Number(), required=True),
        Field("column", Number(), required=True),
        Field("text", Text(), required=True),
        Field("context", AROUND),
        Field("heading", Text()),
    ),
    is_open=True,
)
_HEADING = Object(
    (
        Field("level", Number()),
        Field("text", Text()),
        Field("line", Number()),
        Field("path", Text(), "Send it as heading, with nth where several have it."),
        Field("nth", Number()),
    ),
    is_open=True,
)
RESULT = Object(
    (
        Field("status", Text(("success", "error")), required=True),
        Field("filePath", Text(), required=True),
        Field("format", Text(), required=True),
        Field("totalLines", Number(), required=True),
        Field("fileSize", Number(), "In bytes.", required=True),
        Field("fileHash", Text(), "Send it as expectedHash.", required=True),
        Field("frontMatter", Anything()),
        Field("headings", Many(_HEADING)),
        Field("sections", Many(_PLACE)),
        Field("codeBlocks", Many(_PLACE)),
        Field("tables", Many(_PLACE)),
        Field("links", Many(Object(is_open=True))),
        Field("outline", Many(_PLACE), "Of other formats than Markdown."),
        Field("totalMatches", Number()),
        Field("matches", Many(_HIT)),
        Field("lines", Many(Text()), "Each with its number before it."),
        Field("leftOut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Inspect; lines and hits that are shown then count as read by the task."""
    path, mode, query = str(fields["filePath"]), str(fields["mode"]), str(fields.get("query", ""))
    if mode == "search" and not query:
        raise bad_request("query", "mode search needs it", "add 'query', the text to look for")
    if mode != "search" and query:
        raise bad_request("query", f"mode {mode} takes none", 'send mode "search", or leave it out')
    source = file_source(call, path)
    window = Window.of(fields.get("start"), fields.get("end"), source.line_count)
    told: Result = {"status": "success", "filePath": path, "format": format_name(source)}
    told |= {"totalLines": source.line_count, "fileSize": source.size, "fileHash": source.digest[:16]}
    match mode:
        case "structure":
            return told | describe(source, window) | window.told()
        case "search":
            return told | search_file(call, source, query, window, is_regex=bool(fields.get("isRegex")))
        case _:
            return told | _lines(call, path, source, fields)


def _lines(call: Call, path: str, source: Source, fields: Fields) -> Result:
    read = read_numbered(call, path, fields.get("start"), fields.get("end"))
    content = str(read.pop("content"))
    return {"lines": content.split("\n") if source.line_count else []} | read


TOOL = Tool(
    name="TextInspect",
    title="Inspect a file",
    summary=(
        "Look at a file before editing it: its structure with headings and code blocks, matches of a text, "
        f"or its lines, up to {LINES_AT_ONCE} at once. Always gives its hash."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The structure of a Markdown file",
            files={"guide.md": "# Guide\n\n## Setup\n\n~~~sh\n# no heading\n~~~\n"},
            arguments={"filePath": "guide.md", "mode": "structure"},
            result={
                "status": "success",
                "format": "markdown",
                "totalLines": 7,
                "headings": [
                    {"level": 1, "text": "Guide", "line": 1, "path": "Guide", "nth": 1},
                    {"level": 2, "text": "Setup", "line": 3, "path": "Guide > Setup", "nth": 1},
                ],
                "codeBlocks": [{"index": 0, "language": "sh", "startLine": 5, "endLine": 7}],
            },
        ),
        Example(
            about="Where a text is",
            files={"guide.md": "# Guide\n\n## Setup\n\nport 80\n"},
            arguments={"filePath": "guide.md", "mode": "search", "query": "port [0-9]+", "isRegex": True},
            result={
                "status": "success",
                "totalMatches": 1,
                "matches": [{"line": 5, "column": 1, "text": "port 80", "heading": "Guide > Setup"}],
            },
        ),
        Example(
            about="Some lines",
            files={"notes.txt": "one\ntwo\nthree\n"},
            arguments={"filePath": "notes.txt", "mode": "lines", "start": 2, "end": 3},
            result={"status": "success", "format": "text", "lines": ["2: two", "3: three"]},
        ),
        Example(
            about="A kind of file that the vault does not take",
            files={"run.sh": "echo\n"},
            arguments={"filePath": "run.sh", "mode": "structure"},
            result={"status": "error", "kind": "not-allowed"},
        ),
    ),
    run=run,
    rank=10,
    refused=refused,
)
