"""`outline`: what of a file can be addressed, with the addresses that `edit` takes."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Field, Flag, Many, Number, Object, Text
from steadyhand.structure.format import format_of
from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE
from steadyhand.tools.tool import Example, Fields, Result, Tool

_MOST_ENTRIES = 300
_WIDEST = 400

PARAMETERS = Object(
    (
        FILE,
        Field("within", Text(), "An address: only what is inside it.", also=("at",)),
        Field("depth", Number(least=0), "Levels below the top that are shown."),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("path", Text(), required=True),
        Field("format", Text(), required=True),
        Field("fileHash", Text(), "Send it as expect.", required=True),
        Field("totalLines", Number(), required=True),
        Field(
            "entries",
            Many(
                Object(
                    (
                        Field("address", Text(), "Send it as target, {at: address}.", required=True),
                        Field("kind", Text(), required=True),
                        Field("startLine", Number(), required=True),
                        Field("endLine", Number(), required=True),
                    ),
                    is_open=True,
                )
            ),
            required=True,
        ),
        Field("leftOut", Text(), "What is not shown, and how to get it."),
        Field("warnings", Many(Text())),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Outline; the deepest entries are left out first where there are too many."""
    path = call.path(str(fields["path"]))
    if format_of(path) is None:
        call.workspace.source(path)  # a file that is not there is refused as such
        raise _no_format(path)
    within, depth = cast("str | None", fields.get("within")), cast("int | None", fields.get("depth"))
    found = call.workspace.outline(path, within=within, depth=depth, limit=_MOST_ENTRIES)
    entries = []
    for entry in found.entries:
        start, end = found.lines_of(entry)
        entries.append({"address": entry.address, "kind": entry.kind, "startLine": start, "endLine": end})
    shown = [entry for entry in entries if len(str(entry["address"])) <= _WIDEST]
    told: Result = {
        "success": True,
        "path": str(fields["path"]),
        "format": found.format,
        "fileHash": found.source.digest[:16],
        "totalLines": found.source.table.count,
        "entries": shown,
    }
    hidden = found.total - len(shown)
    if hidden:
        told["leftOut"] = f"{hidden} of {found.total} entries: give within, an address, or another depth"
    if found.gap is not None:
        told["warnings"] = [f"line {found.gap.line} does not parse ({found.gap.message}): entries may be missing there"]
    return told


def _no_format(path: str) -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        f"{path} has no known structure",
        hint="read it, then edit by the old text, or by lines:3-5 or an anchor",
        details={"path": path},
    )


TOOL = Tool(
    name="outline",
    title="Outline a file",
    summary=(
        "List the addresses in a file that edit takes: headings, tables and code blocks of Markdown, elements of HTML, "
        "symbols of code, keys of JSON, YAML, TOML and INI, cells of notebooks."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The sections of a page",
            files={"guide.md": "# Guide\n\n## Setup\n\nRun it.\n"},
            arguments={"path": "guide.md"},
            result={
                "success": True,
                "format": "markdown",
                "entries": [
                    {"address": "heading:Guide", "kind": "section", "startLine": 1, "endLine": 5},
                    {"address": "heading:Guide > Setup", "kind": "section", "startLine": 3, "endLine": 5},
                ],
            },
        ),
        Example(
            about="A file without a structure that is known",
            files={"notes.txt": "one\n"},
            arguments={"path": "notes.txt"},
            result={"success": False, "kind": "bad-request"},
        ),
    ),
    run=run,
    rank=30,
)
