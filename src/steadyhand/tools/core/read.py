"""`read`: one file or several, or stretches of them, with numbered lines and the hash of each."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.lazy import replace
from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.tools.call import Call
from steadyhand.tools.reading import LINES_AT_ONCE, read_numbered, room_for
from steadyhand.tools.result import failure
from steadyhand.tools.tool import Example, Fields, Result, Tool

_MOST_FILES = 50

_START = Field("start", Number(least=1), "First line, from 1.")
_END = Field("end", Number(least=1), "Last line, included.")
_FILE = Object((Field("path", Text(), required=True), replace(_START, about=""), replace(_END, about="")))
PARAMETERS = Object(
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
RESULT = Object(
    (
        Field("success", Either((Flag(), Text(("partial",)))), required=True),
        *_READ,
        Field("files", Many(Object((*_READ, Field("kind", Text()), Field("error", Text())), is_open=True))),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
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
    told: list[dict[str, object]] = []
    refusals: list[EditError] = []
    room = room_for(call)  # of all files together
    for index, file in enumerate(files):
        wanted = file if isinstance(file, Mapping) else {"path": file}
        if room <= 0:
            told.append({"path": wanted["path"], "leftOut": "all of it; read this file alone"})
            continue
        try:
            read = _one(call, wanted, f"files[{index}]", has_anchors=has_anchors, room=room)
        except EditError as error:
            refusals.append(error)
            told.append(
                {
                    "path": wanted["path"],
                    "kind": str(error.kind),
                    "error": failure(error, call.toolset.phrases)["error"],
                }
            )
            continue
        room -= len(str(read["content"]))
        told.append(read)
    if len(refusals) == len(files):
        raise refusals[0]
    return {"success": "partial" if refusals else True, "files": told}


def _one(call: Call, wanted: Fields, place: str, *, has_anchors: bool, room: int | None = None) -> dict[str, object]:
    path, start, end = str(wanted["path"]), wanted.get("start"), wanted.get("end")
    return {"path": path, **read_numbered(call, path, start, end, anchors=has_anchors, room=room, place=place)}


TOOL = Tool(
    name="read",
    title="Read files",
    summary=(
        "Read text files with numbered lines, and their hashes. "
        f"At most {LINES_AT_ONCE} lines of a file at once; leftOut says how to read on."
    ),
    parameters=PARAMETERS,
    result=RESULT,
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
    run=run,
    rank=10,
)
