"""Tools that several toolsets have, under the names and with the fields that each calls them by.

A tool names its toolsets; one that a toolset spells otherwise is the same declaration with another name.

The writes that tools of different toolsets share are here too: a whole file, a new file from an edit with an empty old
text, a patch. A file that was not read is not replaced, and its hash is not shown: a model would send the hash instead
of reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import Patch
from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, QuoteMore, Say, SendCorrected, SendOld
from steadyhand.lazy import replace
from steadyhand.match.tier import STRICT
from steadyhand.plan.edit import Replace
from steadyhand.schema import HASH, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.session.transaction_builder import Batch
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import split_bodies
from steadyhand.tools.file_views import (
    ENTRIES,
    ENTRIES_AT_ONCE,
    GLOB,
    HITS_AT_MOST,
    HITS_USUALLY,
    LINES_AT_ONCE,
    MATCHES,
    how_known,
    list_entries,
    read_numbered,
    search_text,
)
from steadyhand.tools.result import CHANGED, Offer, answer_of, main_file, success, without_offers
from steadyhand.tools.tool import (
    FILE,
    REASON,
    Call,
    Example,
    Fields,
    Result,
    Tool,
    expected_version,
    reason_of,
    same_file,
)

if TYPE_CHECKING:
    from steadyhand.session.review.change import Feedback
    from steadyhand.session.workspace import Workspace

# A whole file in the place of what was read, or a new one.

_WITH_HASH = ("modify",)  # the modes in which having read a file is not enough


def write_under_settings(
    call: Call,
    path: str,
    content: str,
    *,
    expect: str | None = None,
    reason: str | None = None,
    allow_shrink: bool = False,
) -> Receipt:
    """Write a file, as far as the host's settings let it: unread, and with most of its lines gone."""
    settings = call.settings
    return call.workspace.write(
        path,
        content,
        expect=expect,
        reason=reason,
        allow_shrink=allow_shrink or settings.allow_shrink,
        overwrite=settings.overwrite,
    )


def write_all(call: Call, fields: Fields, hash_field: str) -> tuple[Result, Receipt]:
    """Write `content` to `path`, where the host's settings and the hash in that field allow it; the answer of it."""
    path, content = str(fields["path"]), str(fields["content"])
    where, expect = call.path(path, creating=True), expected_version(fields, hash_field)
    _check_hash(call, where, expect, hash_field)
    try:
        reason, may_shrink = reason_of(fields), bool(fields.get("allow_shrink"))
        receipt = write_under_settings(call, where, content, expect=expect, reason=reason, allow_shrink=may_shrink)
    except EditError as error:
        raise (unread(call, where) if expect is None and error.kind is Kind.STALE_SOURCE else error) from None
    return tell_written(receipt, path, content), receipt


def tell_written(receipt: Receipt, path: str, content: str) -> Result:
    """The answer to a whole file that was written: all of its lines, with nothing around them."""
    lines = {"start": 1, "end": len(split_bodies(content))}
    return success(receipt, path) | {"lines": lines, "context": {"beforeLines": [], "afterLines": []}}


def unread(call: Call, path: str) -> EditError:
    """The refusal of a file that was not read; its hash is not shown, or it would be sent instead of reading."""
    return EditError(
        Kind.STALE_SOURCE,
        f"{path} exists and {how_known(*call.host.last_read(path))}",
        hint="read it first, or edit only what changes",
        details={"path": path},
    )


def _check_hash(call: Call, path: str, expect: str | None, field: str) -> None:
    """Refuse with `bad-request` to replace a file without its hash, in the modes that ask for one."""
    if expect is not None or call.workspace.mode not in _WITH_HASH:
        return
    try:
        call.host.last_read(path)
    except EditError:  # the write itself tells what is wrong with the path
        return
    raise bad_request(
        field,
        f"mode {call.workspace.mode} needs the hash to replace a whole file",
        "edit only what changes, or read the whole file and send its fileHash",
    )


# The whole text of a file as `file_path` and `content`, which is how two makers' tools spell it.

WHOLE = Object.of(
    Field("file_path", Text(), "The file.", required=True), Field("content", Text(), "Its whole text.", required=True)
)
UNREAD = Example(
    about="A file that was never read",
    files={"a.md": "# A\n"},
    arguments={"file_path": "a.md", "content": "# B\n"},
    result={"is_error": True, "kind": "stale-source"},
)


def write_whole(call: Call, fields: Fields) -> Receipt:
    """Write the file a call names, as far as the host's settings let it."""
    return write_under_settings(
        call, call.path(str(fields["file_path"])), str(fields["content"]), reason=call.workspace.tool
    )


# A new file from an edit with an empty old text, which is how several tools spell creation.


def create_or_fill(batch: Batch, path: str, text: str) -> None:
    """Make the file, or put the text into one that is empty. Refuses with `exists-already` where there is more."""
    try:
        batch.create(path, text)
    except EditError as error:
        if error.kind is not Kind.EXISTS_ALREADY:
            raise
        try:
            batch.edit(path, Replace("", text))
        except EditError as cause:
            raise (error if cause.kind is Kind.BAD_REQUEST else cause) from None


def created(call: Call, path: str, text: str, reason: str) -> Receipt:
    """The same in a transaction of its own."""
    with call.workspace.transaction(reason=reason) as batch:
        create_or_fill(batch, path, text)
    return batch.receipt


# Patches as calls have them: read by their dialect, and for one file only if that is the one the call names.

_READ_AGAIN = "read the file again, and send the patch with this part for the current text"
DIFF = ("diff", "diffContent", "patchContent")  # other names that models have for a patch


def patch_from(call: Call, reply: str, *, format: str = "auto", strict: bool = False) -> Patch:
    """What a model wrote, read in its dialect; the reading ends when the call is to."""
    with call.host.cancellable():
        return read_patch(reply, format=format, strict=strict)


def apply_diff(call: Call, path: str, diff: str, *, reason: str | None, strict: bool = False) -> Receipt:
    """Apply a unified diff of one file, all of it or nothing; `strict`: nothing else may be around it."""
    found = patch_from(call, diff, format="unified", strict=strict)
    try:
        return apply_patch(call, _patch_for(call, found, path), reason=reason)
    except EditError as error:
        raise _by_line(error) from None


def apply_patch(call: Call, found: Patch, **options: Any) -> Receipt:
    """Apply a patch, all of it or nothing."""
    try:
        return call.workspace.patch(found, **options)
    except EditError as error:
        raise refused_part(error, sum(map(len, found.places))) from None


def refused_part(error: EditError, parts: int) -> EditError:
    """The refusal of one of so many parts: what is offered for it would, sent as a call, leave out the others."""
    if parts < 2:
        return error
    return error.advised((_without_offer(hint) for hint in error.hints), without_offers(error.details))


def _without_offer(hint: Hint) -> Hint:
    match hint:
        case SendCorrected() | SendOld():
            return Say(_READ_AGAIN)
        case QuoteMore(is_offered=True):
            return replace(hint, is_offered=False)
        case _:
            return hint


def diff_of(offer: Offer) -> str:
    """An edit that is offered, as a unified diff: rows that stay around those that go and come."""
    old, new = split_bodies(offer.old), split_bodies(offer.new)
    head, tail = shared_rows(old, new)
    parts = ((" ", old[:head]), ("-", old[head : len(old) - tail]), ("+", new[head : len(new) - tail]))
    rows = [f"{sign}{row}" for sign, rows in (*parts, (" ", old[len(old) - tail :])) for row in rows]
    return "\n".join(["@@", *rows, ""])


def _by_line(error: EditError) -> EditError:
    """The refusal of lines that match several places, with the header that would decide among them."""
    match error.details:  # behind other parts, lines are counted in what those would leave
        case {"index": 0, "tier": tier, "candidates": [{"lines": [int(line), *_]}, *_]} if tier in STRICT:
            header = Say(f"give its line, such as @@ -{line} +{line} @@ for line {line}")
            return error.advised((*error.hints, header))
        case _:
            return error


def _patch_for(call: Call, found: Patch, path: str) -> Patch:
    """The patch for the file of the call, whether or not it names one. Refuses with `malformed-patch` any other."""
    wanted = call.path(path)

    def resolve(name: str) -> str:
        if name and not same_file(call.path(name), wanted):
            raise EditError(
                Kind.MALFORMED_PATCH,
                f"the patch names {name}, but the call is for {path}",
                hint="send one call per file, with the same name in path and in the patch",
                details={"path": path, "named": name},
            )
        return wanted

    return found.mapped(resolve)


# What lies in a directory.

_LISTED = (
    Field("success", Flag(), required=True),
    Field("entries", ENTRIES, required=True),
    Field("cut", Text(), "What is not shown, and how to get it."),
)


def _run_list(call: Call, fields: Fields) -> Result:
    """List, without what is ignored; names do not count as read."""
    path, glob = (cast("str | None", fields.get(name)) for name in ("path", "glob"))
    return {"success": True, **list_entries(call, path, glob, cast("int | None", fields.get("depth")))}


def _run_list_files(call: Call, fields: Fields) -> Result:
    """The same; the answer says which directory."""
    return {"path": str(fields.get("path") or "."), **_run_list(call, fields)}


_LIST_TOOL = Tool(
    name="list",
    title="List files",
    summary=(
        "List the files below a directory, or those of a glob; skips what .gitignore names. "
        f"At most {ENTRIES_AT_ONCE} entries."
    ),
    parameters=Object.of(
        Field("path", Text(), "A directory; default: the workspace root.", also=("directory", "dir")),
        Field("glob", Text(), GLOB, also=("pattern", "include")),
        Field("depth", Number(least=1), "Levels to show."),
    ),
    result=Object.of(*_LISTED, is_open=True),
    examples=(
        Example(
            about="One level of a tree",
            files={"src/app.py": "x\n", "src/deep/b.py": "", "notes.md": "one\n", ".gitignore": "*.log\n", "a.log": ""},
            arguments={"depth": 1},
            result={
                "success": True,
                "entries": [{"path": ".gitignore", "size": 6}, {"path": "notes.md", "size": 4}, {"path": "src/"}],
            },
        ),
        Example(
            about="The Markdown files of a tree",
            files={"a.md": "one\n", "docs/b.md": "two\n", "docs/c.txt": "three\n"},
            arguments={"glob": "*.md"},
            result={"success": True, "entries": [{"path": "a.md", "size": 4}, {"path": "docs/b.md", "size": 4}]},
        ),
        Example(
            about="A directory that does not exist",
            files={"a.md": "one\n"},
            arguments={"path": "doc"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=_run_list,
    toolsets=("core",),
    rank=20,
)
_LIST_FILES_TOOL = replace(
    _LIST_TOOL,
    name="list_files",
    result=Object.of(Field("path", Text(), required=True), *_LISTED, is_open=True),
    run=_run_list_files,
    toolsets=("article", "surgical"),
    rank=11,
)


# A file's lines with their numbers, a stretch at a time, and its hash.


def _read_tool(file: Field, *more: Field) -> Tool:
    """The tool that has the file in this field; `more` are fields it takes besides."""

    def run(call: Call, fields: Fields) -> Result:
        """Read; what is shown then counts as read by the task."""
        path, start, end = str(fields[file.name]), fields.get("start"), fields.get("end")
        read = read_numbered(call, path, start, end, anchors=bool(fields.get("anchors")))
        return {"success": True, file.name: path, **read}

    return Tool(
        name="read_file",
        title="Read a file",
        summary=(
            "Read a text file with numbered lines, and its hash. "
            f"At most {LINES_AT_ONCE} lines per call; start and end select a range."
        ),
        parameters=Object.of(
            file,
            Field("start", Number(least=1), "First line, from 1."),
            Field("end", Number(least=1), "Last line, included."),
            *more,
        ),
        result=answer_of(
            Field(file.name, Text(), required=True),
            Field("content", Text(), "Numbered lines.", required=True),
            Field("totalLines", Number(), required=True),
            Field("fileHash", Text(), "Send it as expectedHash.", required=True),
            Field("leftOut", Text(), "Which lines are not shown, and how to get them."),
        ),
        examples=(
            Example(
                about="Part of a file",
                files={"notes.md": "one\ntwo\nthree\n"},
                arguments={file.name: "notes.md", "start": 2},
                result={"success": True, "content": "2: two\n3: three", "totalLines": 3},
            ),
            Example(
                about="A file that does not exist",
                files={"notes.md": "one\n"},
                arguments={file.name: "note.md"},
                result={"success": False, "kind": "no-such-file"},
            ),
        ),
        run=run,
        toolsets=("article", "surgical", "coder"),
        rank=10,
    )


_READ_FILE_TOOL = _read_tool(
    FILE, Field("anchors", Flag(), "Show each line as 12#a3f: its number and a hash of its text.")
)
_READ_PAGE_TOOL = replace(_read_tool(replace(FILE, name="file")), name="readFile", toolsets=("site",))


# Where a text or a pattern occurs in the files of a directory.


def _run_search(call: Call, fields: Fields) -> Result:
    """Search; lines that are shown whole then count as read by the task."""
    glob, path = (cast("str | None", fields.get(name)) for name in ("glob", "path"))
    most, is_regex = cast("int | None", fields.get("max")), bool(fields.get("isRegex"))
    found = search_text(call, str(fields["query"]), is_regex=is_regex, glob=glob, path=path, max=most)
    return {"success": True, **found}


_SEARCHED = {"src/app.py": "import os\n\nprint(os.name)\n", "docs/a.md": "os and more\n"}
_SEARCH_TOOL = Tool(
    name="search",
    title="Search files",
    summary="Find lines that contain a text or match a regular expression; skips what .gitignore names.",
    parameters=Object.of(
        Field(
            "query", Text(), "The text, or a pattern that fits in one line.", required=True, also=("pattern", "text")
        ),
        Field("isRegex", Flag(), "The query is a regular expression."),
        Field("glob", Text(), GLOB, also=("include",)),
        Field("path", Text(), "A directory or a file.", also=("directory", "dir")),
        Field(
            "max",
            Number(least=1, most=HITS_AT_MOST),
            f"Limit on the hits; default: {HITS_USUALLY}.",
            also=("limit", "max_results"),
        ),
    ),
    result=answer_of(
        Field("matches", MATCHES, "One for each line with a hit.", required=True),
        Field("filesSearched", Number(), required=True),
        Field("leftOut", Text(), "Files that were not searched, and why."),
        Field("cut", Text(), "What is not shown, and how to get it."),
    ),
    examples=(
        Example(
            about="Text in some of the files",
            files=_SEARCHED,
            arguments={"query": "os.", "glob": "*.py"},
            result={
                "success": True,
                "matches": [{"path": "src/app.py", "line": 3, "column": 7, "text": "print(os.name)"}],
                "filesSearched": 1,
            },
        ),
        Example(
            about="A pattern in one directory",
            files=_SEARCHED,
            arguments={"query": r"^os\b", "isRegex": True, "path": "docs"},
            result={"success": True, "matches": [{"path": "docs/a.md", "line": 1, "column": 1}]},
        ),
        Example(
            about="An incomplete pattern",
            files=_SEARCHED,
            arguments={"query": "print(", "isRegex": True},
            result={"success": False, "kind": "bad-request", "details": {"position": 6}},
        ),
    ),
    run=_run_search,
    toolsets=("core",),
    rank=40,
)
_SEARCH_FILES_TOOL = replace(_SEARCH_TOOL, name="search_files", toolsets=("article", "surgical"), rank=12)


# The whole of a file, new or in the place of what was read.


def _write_tool(version: Field) -> Tool:
    """The tool that has the hash of the version to replace in this field."""

    def run(call: Call, fields: Fields) -> Result:
        """Write; the answer's lines are all there are, so that nothing is around them."""
        return write_all(call, fields, version.name)[0]

    return Tool(
        name="write_file",
        title="Write a file",
        summary=(
            "Create a file, or replace all of an existing one: read it first, or send its fileHash as "
            f"{version.name}. To change some lines, edit it."
        ),
        parameters=Object.of(
            FILE,
            Field("content", Text(), "Its whole text.", required=True),
            REASON,
            version,
            Field("allow_shrink", Flag(), "Allow the file to lose most of its lines."),
        ),
        result=CHANGED,
        examples=(
            Example(
                about="A new file in a new directory",
                arguments={"path": "notes/today.md", "content": "# Today\n\nRain.\n", "reason": "asked for"},
                result={"success": True, "path": "notes/today.md", "lines": {"start": 1, "end": 3}},
                after={"notes/today.md": "# Today\n\nRain.\n"},
            ),
            Example(
                about="A file that was read, with its hash",
                files={"a.txt": "one\n"},
                arguments={"path": "a.txt", "content": "1\n", version.name: "$hash:a.txt"},
                result={"success": True, "context": {"beforeLines": [], "afterLines": []}},
                after={"a.txt": "1\n"},
            ),
            Example(
                about="An existing file that was never read",
                files={"a.txt": "one\n"},
                arguments={"path": "a.txt", "content": "1\n"},
                result={"success": False, "kind": "stale-source"},
            ),
        ),
        run=run,
        trust="destructive",
        verbs=frozenset({"create", "write"}),
        lasts=("modify",),
        toolsets=("article", "surgical", "coder"),
        rank=60,
    )


_WRITE_FILE_TOOL = _write_tool(Field("expectedHash", Text(), "fileHash of the version to replace."))
_EXPECT = Field("expect", Text(), "fileHash of the version to replace.", also=HASH)


def _run_write(call: Call, fields: Fields) -> Result:
    """The same; the answer says whether the file is new."""
    answer, receipt = write_all(call, fields, _EXPECT.name)
    return answer | {"status": main_file(receipt).status}


_WRITE_TOOL = replace(_write_tool(_EXPECT), name="write", run=_run_write, toolsets=("core",))


# `review_feedback`: what a reviewer said about the changes of this task.


_FEEDBACK = Object.of(
    Field("id", Text(), required=True),
    Field("path", Text(), required=True),
    Field("state", Text(), "rejected, amended or commented.", required=True),
    Field("remark", Text(), "What the reviewer said."),
    Field("yours", Text(), "What you wrote.", required=True),
    Field("now", Text(), "The current text; absent if it is still yours."),
    Field("startLine", Number(), "Its current first line."),
    Field("endLine", Number()),
    Field("by", Text(), required=True),
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
    title="Read reviewers' feedback",
    summary=(
        "What reviewers rejected, amended or asked about your changes since you last called this. "
        "Rejected changes are already reverted and amended ones have the reviewer's text: repeat neither."
    ),
    parameters=Object.of(Field("keep", Flag(), "True: the next call returns it again.")),
    result=answer_of(
        Field("feedback", Many(_FEEDBACK), "Oldest first; empty if there is nothing new.", required=True),
    ),
    examples=(
        Example(
            about="No feedback",
            files={"a.txt": "one\n"},
            arguments={},
            result={"success": True, "feedback": []},
        ),
        Example(
            about="A value that is neither true nor false",
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
    _LIST_TOOL,
    _READ_FILE_TOOL,
    _READ_PAGE_TOOL,
    _REVIEW_FEEDBACK_TOOL,
    _SEARCH_FILES_TOOL,
    _SEARCH_TOOL,
    _WRITE_FILE_TOOL,
    _WRITE_TOOL,
)
