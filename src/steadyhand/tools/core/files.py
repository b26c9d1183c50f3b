"""`read`, `list`, `search`, `outline` and `write`: whole files, and what is where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.schema import HASH, Either, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.host import host_of
from steadyhand.structure.format import format_of
from steadyhand.tools.core.edit import FILE_CHANGED
from steadyhand.tools.file_views import (
    ENTRIES,
    ENTRIES_AT_ONCE,
    GLOB,
    HITS_AT_MOST,
    HITS_USUALLY,
    LINES_AT_ONCE,
    MATCHES,
    list_entries,
    read_numbered,
    room_for,
    search_text,
)
from steadyhand.tools.file_writes import write_all
from steadyhand.tools.result import failure, main_file
from steadyhand.tools.tool import FILE, REASON, Call, Example, Fields, Result, Tool

# `list`: what lies in a directory, or every file that a glob means.

_LIST_PARAMETERS = Object(
    (
        Field("path", Text(), "A directory; the workspace root if left out."),
        Field("glob", Text(), GLOB),
        Field("depth", Number(least=1), "Levels that are shown."),
    )
)
_LIST_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("entries", ENTRIES, required=True),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def _run_list(call: Call, fields: Fields) -> Result:
    """List, without what is ignored."""
    path, glob = (cast("str | None", fields.get(name)) for name in ("path", "glob"))
    return {"success": True, **list_entries(call, path, glob, cast("int | None", fields.get("depth")))}


_LIST_TOOL = Tool(
    name="list",
    title="List files",
    summary=(
        "List the files below a directory, or those of a glob; skips what .gitignore names. "
        f"At most {ENTRIES_AT_ONCE} entries."
    ),
    parameters=_LIST_PARAMETERS,
    result=_LIST_RESULT,
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
    run=_run_list,
    rank=20,
)


# `outline`: what of a file can be addressed, with the addresses that `edit` takes.

_MOST_ENTRIES = 300
_WIDEST = 400

_OUTLINE_PARAMETERS = Object(
    (
        FILE,
        Field("within", Text(), "An address: only what is inside it.", also=("at",)),
        Field("depth", Number(least=0), "Levels below the top that are shown."),
    )
)
_OUTLINE_RESULT = Object(
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


def _run_outline(call: Call, fields: Fields) -> Result:
    """Outline; the deepest entries are left out first where there are too many."""
    path = call.path(str(fields["path"]))
    if format_of(path) is None:
        host_of(call.workspace).source(path)  # a file that is not there is refused as such
        raise _no_format(path)
    within, depth = cast("str | None", fields.get("within")), cast("int | None", fields.get("depth"))
    found = call.workspace.outline(path, within=within, depth=depth, limit=_MOST_ENTRIES)
    entries = []
    for entry in found.entries:
        start, end = found.lines_of(entry)
        entries.append({"address": entry.address, "kind": entry.kind, "startLine": start, "endLine": end})
    shown = [entry for entry in entries if len(str(entry["address"])) <= _WIDEST]
    answer: Result = {
        "success": True,
        "path": str(fields["path"]),
        "format": found.format,
        "fileHash": found.source.digest[:16],
        "totalLines": found.source.table.count,
        "entries": shown,
    }
    hidden = found.total - len(shown)
    if hidden:
        answer["leftOut"] = f"{hidden} of {found.total} entries: give within, an address, or another depth"
    if found.gap is not None:
        answer["warnings"] = [
            f"line {found.gap.line} does not parse ({found.gap.message}): entries may be missing there"
        ]
    return answer


def _no_format(path: str) -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        f"{path} has no known structure",
        hint="read it, then edit by the old text, or by lines:3-5 or an anchor",
        details={"path": path},
    )


_OUTLINE_TOOL = Tool(
    name="outline",
    title="Outline a file",
    summary=(
        "List the addresses in a file that edit takes: headings, tables and code blocks of Markdown, elements of HTML, "
        "symbols of code, keys of JSON, YAML, TOML and INI, cells of notebooks."
    ),
    parameters=_OUTLINE_PARAMETERS,
    result=_OUTLINE_RESULT,
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
    run=_run_outline,
    rank=30,
)


# `read`: one file or several, or stretches of them, with numbered lines and the hash of each.

_MOST_FILES = 50

_START = Field("start", Number(least=1), "First line, from 1.")
_END = Field("end", Number(least=1), "Last line, included.")
_FILE = Object((Field("path", Text(), required=True), replace(_START, about=""), replace(_END, about="")))
_READ_PARAMETERS = Object(
    (
        Field("path", Text(), "One file, from the workspace root."),
        _START,
        _END,
        Field("files", Many(Either((_FILE, Text())), least=1, most=_MOST_FILES), "Several, instead of path."),
        Field("anchors", Flag(), "Lines as 12#a3f: TEXT; 12#a3f is an address that notices a change of the line."),
    )
)
_READ = (
    Field("path", Text()),
    Field("content", Text(), "Numbered lines."),
    Field("totalLines", Number()),
    Field("fileHash", Text(), "Send it as expect."),
    Field("leftOut", Text(), "Which lines are not shown, and how to get them."),
)
_READ_RESULT = Object(
    (
        Field("success", Either((Flag(), Text(("partial",)))), required=True),
        *_READ,
        Field("files", Many(Object((*_READ, Field("kind", Text()), Field("error", Text())), is_open=True))),
    ),
    is_open=True,
)


def _run_read(call: Call, fields: Fields) -> Result:
    """Read; a file of several that cannot be read is reported in its place, and the others are read all the same."""
    files, has_anchors = fields.get("files"), bool(fields.get("anchors"))
    if isinstance(files, list) and "path" not in fields:
        for name in ("start", "end"):
            if name in fields:
                raise bad_request(name, "it belongs next to a path", f"send {name!r} in each of 'files'")
        return _several(call, files, has_anchors=has_anchors)
    if files is not None or "path" not in fields:
        said = "both 'path' and 'files' are given" if files is not None else "'path' or 'files' is missing"
        raise bad_request("path", said, "send 'path' for one file, 'files' for several")
    return {"success": True, **_one(call, fields, "", has_anchors=has_anchors)}


def _several(call: Call, files: list[object], *, has_anchors: bool) -> Result:
    answer: list[dict[str, object]] = []
    refusals: list[EditError] = []
    room = room_for(call)  # of all files together
    for index, file in enumerate(files):
        wanted = file if isinstance(file, Mapping) else {"path": file}
        if room <= 0:
            answer.append({"path": wanted["path"], "leftOut": "all of it; read this file alone"})
            continue
        try:
            read = _one(call, wanted, f"files[{index}]", has_anchors=has_anchors, room=room)
        except EditError as error:
            refusals.append(error)
            answer.append(
                {
                    "path": wanted["path"],
                    "kind": str(error.kind),
                    "error": failure(error, call.toolset.phrases)["error"],
                }
            )
            continue
        room -= len(str(read["content"]))
        answer.append(read)
    if len(refusals) == len(files):
        raise refusals[0]
    return {"success": "partial" if refusals else True, "files": answer}


def _one(call: Call, wanted: Fields, place: str, *, has_anchors: bool, room: int | None = None) -> dict[str, object]:
    path, start, end = str(wanted["path"]), wanted.get("start"), wanted.get("end")
    return {"path": path, **read_numbered(call, path, start, end, anchors=has_anchors, room=room, place=place)}


_READ_TOOL = Tool(
    name="read",
    title="Read files",
    summary=(
        "Read text files with numbered lines, and their hashes. "
        f"At most {LINES_AT_ONCE} lines of a file at once; leftOut says how to read on."
    ),
    parameters=_READ_PARAMETERS,
    result=_READ_RESULT,
    examples=(
        Example(
            about="A stretch of one file",
            files={"notes.md": "one\ntwo\nthree\n"},
            arguments={"path": "notes.md", "start": 2},
            result={"success": True, "path": "notes.md", "content": "2: two\n3: three", "totalLines": 3},
        ),
        Example(
            about="Two files, one of which is not there",
            files={"a.md": "one\n"},
            arguments={"files": [{"path": "a.md"}, {"path": "b.md"}]},
            result={
                "success": "partial",
                "files": [{"path": "a.md", "content": "1: one"}, {"path": "b.md", "kind": "no-such-file"}],
            },
        ),
        Example(
            about="A file that is not there",
            files={"notes.md": "one\n"},
            arguments={"path": "note.md"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=_run_read,
    rank=10,
)


# `search`: where a text or a regular expression occurs in the files of the workspace.

_SEARCH_PARAMETERS = Object(
    (
        Field("query", Text(), "The text, or a pattern that fits in one line.", required=True, also=("pattern",)),
        Field("isRegex", Flag(), "The query is a regular expression."),
        Field("glob", Text(), GLOB),
        Field("path", Text(), "A directory or a file."),
        Field("max", Number(least=1, most=HITS_AT_MOST), f"At most so many hits ({HITS_USUALLY}).", also=("limit",)),
    )
)
_SEARCH_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("matches", MATCHES, required=True),
        Field("filesSearched", Number(), required=True),
        Field("leftOut", Text(), "Files that were passed over."),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def _run_search(call: Call, fields: Fields) -> Result:
    """Search; lines that are shown whole then count as read by the task."""
    glob, path = (cast("str | None", fields.get(name)) for name in ("glob", "path"))
    most, is_regex = cast("int | None", fields.get("max")), bool(fields.get("isRegex"))
    found = search_text(call, str(fields["query"]), is_regex=is_regex, glob=glob, path=path, max=most)
    return {"success": True, **found}


_SEARCH_TOOL = Tool(
    name="search",
    title="Search files",
    summary="Find lines that contain a text or match a regular expression; skips what .gitignore names.",
    parameters=_SEARCH_PARAMETERS,
    result=_SEARCH_RESULT,
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
    run=_run_search,
    rank=40,
)


# `write`: a new file, or all of one that was read.

_WRITE_PARAMETERS = Object(
    (
        FILE,
        Field("content", Text(), "All of its text.", required=True),
        Field("expect", Text(), "fileHash of the version that is replaced.", also=HASH),
        Field("allow_shrink", Flag(), "Allow it to lose most of its lines."),
        REASON,
    )
)


def _run_write(call: Call, fields: Fields) -> Result:
    """Create, or replace a version that this task knows."""
    answer, receipt = write_all(call, fields, "expect")
    return answer | {"status": main_file(receipt).status}


_WRITE_TOOL = Tool(
    name="write",
    title="Write a file",
    summary=("Create a file, or replace a whole file that you have read. To change parts of a file use edit."),
    parameters=_WRITE_PARAMETERS,
    result=FILE_CHANGED,
    examples=(
        Example(
            about="A new file",
            arguments={"path": "docs/new.md", "content": "# New\n", "reason": "a page for it"},
            result={"success": True, "path": "docs/new.md", "status": "created"},
            after={"docs/new.md": "# New\n"},
        ),
        Example(
            about="A file that was read, by its hash",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n", "expect": "$hash:a.txt"},
            result={"success": True, "status": "edited"},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="A file that was never read",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n"},
            result={"success": False, "kind": "stale-source"},
        ),
    ),
    run=_run_write,
    trust="destructive",
    verbs=frozenset({"write", "create"}),
    lasts=("modify",),
    rank=60,
)


TOOLS = (
    _LIST_TOOL,
    _OUTLINE_TOOL,
    _READ_TOOL,
    _SEARCH_TOOL,
    _WRITE_TOOL,
)
