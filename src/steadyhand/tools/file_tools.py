"""Tools that several toolsets have; each names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from steadyhand.schema import Field, Flag, Many, Number, Object, Text
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
    search_text,
)
from steadyhand.tools.file_writes import write_all
from steadyhand.tools.result import CHANGED
from steadyhand.tools.tool import FILE, REASON, Call, Example, Fields, Result, Tool

if TYPE_CHECKING:
    from steadyhand.session.review.change import Feedback
    from steadyhand.session.workspace import Workspace

# `list_files`: what lies in a directory.

_LIST_FILES_PARAMETERS = Object(
    (
        Field("path", Text(), "The directory, from the workspace root. Left out: the root.", also=("directory", "dir")),
        Field("glob", Text(), GLOB, also=("pattern", "include")),
        Field("depth", Number(least=1), "How many levels down; 1 is the directory itself. Left out: all."),
    )
)
_LIST_FILES_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("path", Text(), required=True),
        Field("entries", ENTRIES, required=True),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    is_open=True,
)


def _run_list_files(call: Call, fields: Fields) -> Result:
    """List; names do not count as read."""
    path = str(fields.get("path") or ".")
    glob, depth = cast("str | None", fields.get("glob")), cast("int | None", fields.get("depth"))
    return {"success": True, "path": path, **list_entries(call, path, glob, depth)}


_FILES = {"src/app.py": "x\n", "src/deep/b.py": "", "notes.md": "one\n", ".gitignore": "*.log\n", "a.log": ""}

_LIST_FILES_TOOL = Tool(
    name="list_files",
    title="List files",
    summary=(
        "List files and directories below a directory, with sizes in bytes. Directories end with a slash. "
        f"Skips what .gitignore names; at most {ENTRIES_AT_ONCE} entries, and says when cut."
    ),
    parameters=_LIST_FILES_PARAMETERS,
    result=_LIST_FILES_RESULT,
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
    run=_run_list_files,
    toolsets=("article", "surgical"),
    rank=11,
)


# `read_file`: a file's lines with their numbers, a stretch at a time, and its hash.

_READ_FILE_PARAMETERS = Object(
    (
        FILE,
        Field("start", Number(least=1), "First line, from 1."),
        Field("end", Number(least=1), "Last line, included."),
        Field("anchors", Flag(), "Print each line as 12#a3f: its number and a mark of its text."),
    )
)
_READ_FILE_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("path", Text(), required=True),
        Field("content", Text(), "Numbered lines.", required=True),
        Field("totalLines", Number(), required=True),
        Field("fileHash", Text(), "Send it as expectedHash.", required=True),
        Field("leftOut", Text(), "Which lines are not shown, and how to get them."),
    ),
    is_open=True,
)


def _run_read_file(call: Call, fields: Fields) -> Result:
    """Read; what is shown then counts as read by the task."""
    path, start, end = str(fields["path"]), fields.get("start"), fields.get("end")
    read = read_numbered(call, path, start, end, anchors=bool(fields.get("anchors")))
    return {"success": True, "path": path, **read}


_READ_FILE_TOOL = Tool(
    name="read_file",
    title="Read a file",
    summary=(
        "Read a text file with numbered lines, and its hash. "
        f"At most {LINES_AT_ONCE} lines at once; start and end select a range."
    ),
    parameters=_READ_FILE_PARAMETERS,
    result=_READ_FILE_RESULT,
    examples=(
        Example(
            about="A stretch of a file",
            files={"notes.md": "one\ntwo\nthree\n"},
            arguments={"path": "notes.md", "start": 2},
            result={"success": True, "content": "2: two\n3: three", "totalLines": 3},
        ),
        Example(
            about="A file that is not there",
            files={"notes.md": "one\n"},
            arguments={"path": "note.md"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=_run_read_file,
    toolsets=("article", "surgical", "coder"),
    rank=10,
)


# `search_files`: where a text or a pattern occurs in the files of a directory.

_SEARCH_FILES_PARAMETERS = Object(
    (
        Field("query", Text(), "The text to find.", required=True, also=("pattern", "text")),
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
_SEARCH_FILES_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("matches", MATCHES, "One for each line with a hit.", required=True),
        Field("filesSearched", Number(), required=True),
        Field("leftOut", Text(), "Files that were not searched, and why."),
        Field("cut", Text(), "Why there may be more hits."),
    ),
    is_open=True,
)


def _run_search_files(call: Call, fields: Fields) -> Result:
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


_FILES_SEARCH_FILES = {"src/app.py": "import os\n\nprint(os.name)\n", "docs/a.md": "os and more\n"}

_SEARCH_FILES_TOOL = Tool(
    name="search_files",
    title="Search files",
    summary=(
        "Find lines that contain a text, or match a pattern with isRegex, in the files below a directory. "
        "Case-sensitive. Skips ignored, secret and binary files, and says when cut."
    ),
    parameters=_SEARCH_FILES_PARAMETERS,
    result=_SEARCH_FILES_RESULT,
    examples=(
        Example(
            about="A text in some of the files",
            files=_FILES_SEARCH_FILES,
            arguments={"query": "os.", "glob": "*.py"},
            result={
                "success": True,
                "matches": [{"path": "src/app.py", "line": 3, "column": 7, "text": "print(os.name)"}],
                "filesSearched": 1,
            },
        ),
        Example(
            about="A pattern in one directory",
            files=_FILES_SEARCH_FILES,
            arguments={"query": r"^os\b", "isRegex": True, "path": "docs"},
            result={"success": True, "matches": [{"path": "docs/a.md", "line": 1, "column": 1}]},
        ),
        Example(
            about="A pattern that is not finished",
            files=_FILES_SEARCH_FILES,
            arguments={"query": "print(", "isRegex": True},
            result={"success": False, "kind": "bad-request", "details": {"position": 6}},
        ),
    ),
    run=_run_search_files,
    toolsets=("article", "surgical"),
    rank=12,
)


# `write_file`: the whole of a file, new or in the place of what was read.

_WRITE_FILE_PARAMETERS = Object(
    (
        FILE,
        Field("content", Text(), "All of its text.", required=True),
        REASON,
        Field("expectedHash", Text(), "fileHash of the version to replace."),
        Field("allow_shrink", Flag(), "Let a file lose most of its lines."),
    )
)


def _run_write_file(call: Call, fields: Fields) -> Result:
    """Write; the answer's lines are all there are, so that nothing is around them."""
    return write_all(call, fields, "expectedHash")[0]


_WRITE_FILE_TOOL = Tool(
    name="write_file",
    title="Write a whole file",
    summary=(
        "Create a file, or replace all of it: for new files and rewrites. "
        "Read an existing file first, or send its fileHash as expectedHash. To change some lines, edit it."
    ),
    parameters=_WRITE_FILE_PARAMETERS,
    result=CHANGED,
    examples=(
        Example(
            about="A new file, in a directory that is made with it",
            arguments={"path": "notes/today.md", "content": "# Today\n\nRain.\n", "reason": "asked for"},
            result={"success": True, "path": "notes/today.md", "lines": {"start": 1, "end": 3}},
            after={"notes/today.md": "# Today\n\nRain.\n"},
        ),
        Example(
            about="A file that was read, by its hash",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n", "expectedHash": "$hash:a.txt"},
            result={"success": True, "context": {"beforeLines": [], "afterLines": []}},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="A file that is there and was never read",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n"},
            result={"success": False, "kind": "stale-source"},
        ),
    ),
    run=_run_write_file,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    toolsets=("article", "surgical", "coder"),
    rank=60,
)


# `review_feedback`: what a reviewer said about the changes of this task.

_FEEDBACK_PARAMETERS = Object((Field("keep", Flag(), "True: leave it new for the next call."),))
_FEEDBACK = Object(
    (
        Field("id", Text(), required=True),
        Field("path", Text(), required=True),
        Field("state", Text(), "rejected, amended or commented.", required=True),
        Field("remark", Text(), "What the reviewer said."),
        Field("yours", Text(), "What you wrote.", required=True),
        Field("now", Text(), "What is there now; left out where it is as you wrote it."),
        Field("startLine", Number(), "Where that is now."),
        Field("endLine", Number()),
        Field("by", Text(), required=True),
    ),
    is_open=True,
)
_FEEDBACK_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("feedback", Many(_FEEDBACK), "Oldest first; empty if there is nothing new.", required=True),
    ),
    is_open=True,
)


def _run_review_feedback(call: Call, fields: Fields) -> Result:
    """What is new; it counts as heard, but where nothing may be recorded."""
    return {"success": True, "feedback": feedback_of(call.workspace, keep=bool(fields.get("keep")))}


def feedback_of(workspace: Workspace, path: str | None = None, *, keep: bool = False) -> list[Result]:
    """What the tool answers, of all the task's changes or of those of one file."""
    task = workspace.task_id
    if task is None:
        return []
    found = workspace.review(task=task, path=path).feedback(task, keep=keep or workspace.is_read_only)
    return [_heard(item) for item in found]


def _heard(item: Feedback) -> Result:
    answer: Result = {"id": item.id, "path": item.path, "state": item.state, "yours": item.after, "by": item.by}
    text = item.before if item.state == "rejected" else item.to_json()["now"]
    answer |= {} if item.remark is None else {"remark": item.remark}
    answer |= {} if text is None else {"now": text}
    return answer | ({} if item.lines is None else {"startLine": item.lines[0], "endLine": item.lines[1]})


_REVIEW_FEEDBACK_TOOL = Tool(
    name="review_feedback",
    title="Hear what reviewers said",
    summary=(
        "What reviewers rejected, amended or asked about your changes since you last called this. "
        "A rejected change is taken back already, an amended one has the reviewer's text: do not repeat either."
    ),
    parameters=_FEEDBACK_PARAMETERS,
    result=_FEEDBACK_RESULT,
    examples=(
        Example(
            about="Nobody has said anything",
            files={"a.txt": "one\n"},
            arguments={},
            result={"success": True, "feedback": []},
        ),
        Example(
            about="A word that is no yes and no no",
            arguments={"keep": "perhaps"},
            result={"success": False, "kind": "bad-request"},
        ),
    ),
    run=_run_review_feedback,
    toolsets=("article", "core", "site", "surgical"),
    rank=90,
)


TOOLS = (
    _LIST_FILES_TOOL,
    _READ_FILE_TOOL,
    _REVIEW_FEEDBACK_TOOL,
    _SEARCH_FILES_TOOL,
    _WRITE_FILE_TOOL,
)
