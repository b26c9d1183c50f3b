"""Tools of tasks that share files: exact edits, patches, insertions and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import replace
from steadyhand.plan.edit import Insert, Old, Place, Replace
from steadyhand.schema import Field, Many, Number, Object, Text, bad_request
from steadyhand.structure.lines import Lines
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source
from steadyhand.tools.file_tools import DIFF, apply_diff
from steadyhand.tools.result import CHANGED, Offer, answer_of, failure, offering, success
from steadyhand.tools.tool import FILE, REASON, Call, Example, Fields, Result, Tool, reason_of
from steadyhand.tools.toolsets import in_fields
from steadyhand.tools.workspace import SEVERITIES, Finding, Findings, Severity, found_in
from steadyhand.workspace.journal.record import utc_now

# Refusals of this toolset's edits: the edit that would go through instead, as a call of `edit_file`.


def refused(error: EditError, phrases: Phrases) -> Result:
    """The refusal; `corrected` in its details, if it is offered, has the fields of `edit_file`."""

    def call(offer: Offer) -> dict[str, object]:
        path = error.details.get("path")
        return {"tool": "edit_file", "path": path, "old_content": offer.old, "new_content": offer.new}

    # What refuses a patch speaks of its lines; the fields of old and new text are those of `edit_file`.
    named = phrases if "reply_lines" in error.details else {**phrases, **in_fields("old_content", "new_content")}
    return failure(error.advised(error.hints, offering(error, call, takes_number=True)), named)


# `edit_file`: one exact text for another, at the place that is meant.

_ALL, _LAST = 0, -1


def _run_edit_file(call: Call, fields: Fields) -> Result:
    """Edit; where an occurrence is given, the answer names the lines of the others."""
    path, given = str(fields["path"]), cast("int | None", fields.get("occurrence"))
    occurrence: Occurrence = "unique" if given is None else "all" if given == _ALL else given
    edit = Replace(str(fields["old_content"]), str(fields["new_content"]), occurrence=occurrence)
    exact = replace(call.workspace.policy, tier="newline")  # an LF text is its CR LF twin; nothing else is overlooked
    receipt = call.workspace.edit(call.path(path), edit, reason=reason_of(fields), policy=exact)
    outcome = receipt.outcomes[0]
    result = success(receipt, path)
    if occurrence == "all":
        result["replaced"] = len(outcome.splices)
    if outcome.others:
        result["note"] = f"old_content also matches {_lines(outcome.others, outcome.more_others)}"
    return result


def _lines(lines: Sequence[int], more: int) -> str:
    rest = f" and {more} more place{'' if more == 1 else 's'}" if more else ""
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))}{rest}"


_EDIT_FILE_TOOL = Tool(
    name="edit_file",
    title="Edit a file",
    summary=("Replace old_content, which must match exactly one place unless occurrence says which."),
    parameters=Object.of(
        FILE,
        Field("old_content", Text(), "Exact text, with 3 to 5 lines around it to be unique.", required=True),
        Field("new_content", Text(), "The replacement; empty deletes.", required=True),
        Field(
            "occurrence", Number(least=_LAST), "1 = first, n = nth, -1 = last, 0 = all. Leave out for a unique text."
        ),
        REASON,
        flags=(("replace_all", "occurrence", _ALL),),
    ),
    result=Object.of(
        *CHANGED.fields,
        Field("replaced", Number(), "With occurrence 0: how many places."),
        Field("note", Text(), "Where else the old text is."),
        is_open=True,
    ),
    examples=(
        Example(
            about="Text that occurs once",
            files={"app.py": "def run():\n    return 1\n"},
            arguments={"path": "app.py", "old_content": "return 1", "new_content": "return 2", "reason": "fixed"},
            result={"success": True, "path": "app.py", "lines": {"start": 2, "end": 2}},
            after={"app.py": "def run():\n    return 2\n"},
        ),
        Example(
            about="The last of several; the answer names the others",
            files={"a.txt": "x = 1\ny\nx = 1\n"},
            arguments={"path": "a.txt", "old_content": "x = 1", "new_content": "x = 2", "occurrence": -1},
            result={"success": True, "lines": {"start": 3, "end": 3}, "note": "old_content also matches line 1"},
            after={"a.txt": "x = 1\ny\nx = 2\n"},
        ),
        Example(
            about="Text that occurs twice, with no occurrence given",
            files={"a.txt": "x = 1\nx = 1\n"},
            arguments={"path": "a.txt", "old_content": "x = 1", "new_content": "x = 2"},
            result={"success": False, "kind": "ambiguous-match"},
        ),
    ),
    run=_run_edit_file,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
    refused=refused,
)


# `patch_file`: a unified diff of one file, with or without its header.


def _run_patch_file(call: Call, fields: Fields) -> Result:
    """Apply the diff, all of it or nothing; what is around it is left out, and reported."""
    path = str(fields["path"])
    receipt = apply_diff(call, path, str(fields["patch"]), reason=reason_of(fields))
    return success(receipt, path)


_BEFORE = "def total(items):\n    count = 0\n    for item in items:\n        count += 1\n    return count\n"
_PATCH = "@@ -1,3 +1,4 @@\n def total(items):\n+    items = list(items)\n     count = 0\n     for item in items:\n"

_PATCH_FILE_TOOL = Tool(
    name="patch_file",
    title="Patch a file",
    summary=(
        "Apply a unified diff to one file, for changes in several places. Line numbers are hints: "
        "context and removed lines must be in the file. All or nothing."
    ),
    parameters=Object.of(
        FILE,
        Field("patch", Text(), "A unified diff of this file, as diff -u prints it.", required=True, also=DIFF),
        REASON,
    ),
    result=CHANGED,
    examples=(
        Example(
            about="Two places, with header",
            files={"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"},
            arguments={
                "path": "a.txt",
                "patch": (
                    "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -7,2 +7,2 @@\n seven\n-eight\n+8\n"
                ),
            },
            result={"success": True, "lines": {"start": 1, "end": 8}},
            after={"a.txt": "1\ntwo\nthree\nfour\nfive\nsix\nseven\n8\n"},
        ),
        Example(
            about="No header, and wrong line numbers",
            files={"sums.py": "import os\n\n\n" + _BEFORE},
            arguments={"path": "sums.py", "patch": _PATCH, "reason": "items may be an iterator"},
            result={"success": True, "lines": {"start": 5, "end": 5}},
            after={
                "sums.py": "import os\n\n\n"
                + _BEFORE.replace("    count = 0", "    items = list(items)\n    count = 0")
            },
        ),
        Example(
            about="A diff of another file",
            files={"a.txt": "one\n", "b.txt": "one\n"},
            arguments={"path": "a.txt", "patch": "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n"},
            result={"success": False, "kind": "malformed-patch", "details": {"named": "b.txt"}},
        ),
    ),
    run=_run_patch_file,
    trust="destructive",
    verbs=frozenset({"edit", "delete", "mode"}),
    rank=30,
    refused=refused,
)


# `insert_at`: lines put into a file by number, which means the lines as the task was last shown them.

_START, _END = 0, -1


def _run_insert_at(call: Call, fields: Fields) -> Result:
    """Insert; a last line that has no newline gets one first."""
    path, line, content = str(fields["path"]), cast("int", fields["line"]), str(fields["content"])
    if not content:
        raise bad_request("content", "it is empty", "send the lines to insert; a newline alone is a blank line")
    place: Place = Old("", at_end=True) if line == _END else Lines(line + 1, line)
    edit = Insert(place, content, where="before")
    try:
        receipt = call.workspace.edit(call.path(path), edit, reason=reason_of(fields))
    except EditError as error:
        raise _beyond(error, path, line) from None
    return success(receipt, path)


def _beyond(error: EditError, path: str, line: int) -> EditError:
    """A refusal of a line that there is not, with the numbers that this tool takes."""
    if error.kind is not Kind.OUT_OF_BOUNDS:
        return error
    count = error.details.get("line_count", 0)
    return EditError(
        error.kind,
        f"{path} has {count} line{'' if count == 1 else 's'}, there is no line {line}",
        hint=f"send a line from {_START} to {count}, or {_END} for the end",
        details=error.details,
    )


_INSERT_AT_TOOL = Tool(
    name="insert_at",
    title="Insert lines",
    summary=(
        "Insert whole lines by line number, as read_file shows it: "
        "0 before the first line, n after line n, -1 at the end."
    ),
    parameters=Object.of(
        FILE,
        Field(
            "line", Number(least=_END), "0 = before the first line, n = after line n, -1 = at the end.", required=True
        ),
        Field("content", Text(), "Whole lines; the last newline may be left out.", required=True, also=("text",)),
        REASON,
    ),
    result=CHANGED,
    examples=(
        Example(
            about="After a line",
            files={"a.txt": "one\nthree\n"},
            arguments={"path": "a.txt", "line": 1, "content": "two\n"},
            result={
                "success": True,
                "lines": {"start": 2, "end": 2},
                "context": {"beforeLines": ["one"], "afterLines": ["three"]},
            },
            after={"a.txt": "one\ntwo\nthree\n"},
        ),
        Example(
            about="At the end of a file whose last line has no newline",
            files={"a.txt": "one\ntwo"},
            arguments={"path": "a.txt", "line": -1, "content": "three\n"},
            result={"success": True},
            after={"a.txt": "one\ntwo\nthree\n"},
        ),
        Example(
            about="A line number past the end",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "line": 7, "content": "two"},
            result={"success": False, "kind": "out-of-bounds"},
        ),
    ),
    run=_run_insert_at,
    trust="write",
    verbs=frozenset({"edit"}),
    rank=40,
    refused=refused,
)


# `report_findings`: what a task that may change nothing has to say. Nothing under the root is written.

_MOST = 200
_LONGEST = 10_000
_KEPT = "outside the tree, for a person to read with `steadyhand findings`"
_UNKEPT = "in memory while the workspace is open, and nowhere on disk, so repeat it in your answer"
# What other programs call their severities.
_ALSO = (
    ("note", "info"),
    ("notice", "info"),
    ("hint", "info"),
    ("information", "info"),
    ("minor", "low"),
    ("moderate", "medium"),
    ("warn", "medium"),
    ("warning", "medium"),
    ("major", "high"),
    ("error", "high"),
    ("severe", "high"),
    ("fatal", "critical"),
)
_UNREADABLE = (Kind.NOT_TEXT, Kind.PROTECTED_PATH, Kind.TOO_LARGE)  # one may have something to say of these too

LINES = Object.of(
    Field("start", Number(least=1), required=True), Field("end", Number(least=1)), in_order=("start", "end")
)
FINDING = Object.of(
    Field("path", Text(), "The file.", required=True),
    Field("lines", LINES, "Where, from 1; leave out for the whole file."),
    Field("severity", Text(SEVERITIES, also=_ALSO), required=True),
    Field("title", Text(), "One line.", required=True),
    Field("detail", Text(), "What is wrong, and how you can tell.", required=True),
    Field("suggestion", Text(), "What to change, if you know."),
)


def _run_report_findings(call: Call, fields: Fields) -> Result:
    """Keep all of them, or none where one is about a file or line that is not there."""
    given = cast("list[Mapping[str, object]]", fields["findings"])
    findings = [_finding(call, each, f"findings[{index}]") for index, each in enumerate(given)]
    workspace = call.workspace
    assert isinstance(workspace, Findings)
    total, is_kept = found_in(workspace).add(findings)
    return {"success": True, "reported": len(findings), "total": total, "kept": _KEPT if is_kept else _UNKEPT}


def _finding(call: Call, given: Mapping[str, object], place: str) -> Finding:
    for name in ("title", "detail", "suggestion"):
        text = str(given.get(name, "-"))
        if not text.strip():
            raise bad_request(f"{place}.{name}", "it is empty", "fill it in, or leave out the finding")
        if len(text) > _LONGEST:
            raise bad_request(f"{place}.{name}", "it is too long", f"send at most {_LONGEST} characters")
    path = call.path(str(given["path"]))
    source = _source(call, path)
    return Finding(
        path=path if source is None or source.path is None else source.path,
        severity=cast("Severity", given["severity"]),
        title=str(given["title"]),
        detail=str(given["detail"]),
        lines=_lines_of_report_findings(given.get("lines"), source, place),
        suggestion=cast("str | None", given.get("suggestion")),
        task=call.workspace.task_id,
        actor=call.workspace.actor,
        file_hash=None if source is None else source.digest[:16],
        time=utc_now(),
    )


def _source(call: Call, path: str) -> Source | None:
    """The file, if it can be read; one that is not there is refused."""
    try:
        return call.host.source(path)
    except EditError as error:
        if error.kind in _UNREADABLE:
            return None
        raise


def _lines_of_report_findings(given: object, source: Source | None, place: str) -> tuple[int, int] | None:
    if not isinstance(given, Mapping):
        return None
    start = cast("int", given["start"])
    end = cast("int", given.get("end", start))
    if end < start:
        raise bad_request(
            f"{place}.lines", f"lines {start} to {end} run backwards", f"such as start {end}, end {start}"
        )
    if source is not None and end > source.line_count:
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"{place}.lines: {source.path} has {source.line_count} lines, there is no line {end}",
            hint="read the file and send the lines as it numbers them",
            details={"path": f"{place}.lines", "line": end, "line_count": source.line_count},
        )
    return start, end


_FILES = {"app.py": "import os\n\nos.system(input())\n"}

_REPORT_FINDINGS_TOOL = Tool(
    name="report_findings",
    title="Report findings",
    summary="Report what you found, for a person or a later task to act on. No file is changed.",
    parameters=Object.of(Field("findings", Many(FINDING, least=1, most=_MOST), "What you found.", required=True)),
    result=answer_of(
        Field("reported", Number(), "Findings of this call.", required=True),
        Field("total", Number(), "Findings of this task so far.", required=True),
        Field("kept", Text(), "Where and for how long.", required=True),
    ),
    examples=(
        Example(
            about="One finding with its lines",
            files=_FILES,
            arguments={
                "findings": [
                    {
                        "path": "app.py",
                        "lines": {"start": 3, "end": 3},
                        "severity": "critical",
                        "title": "Input runs as a command",
                        "detail": "Whatever is typed is handed to the shell.",
                        "suggestion": "Take the command from a list.",
                    }
                ]
            },
            result={"success": True, "reported": 1, "total": 1},
            settings={"mode": "analyze"},
        ),
        Example(
            about="A line number past the end",
            files=_FILES,
            arguments={
                "findings": [
                    {
                        "path": "app.py",
                        "lines": {"start": 9},
                        "severity": "low",
                        "title": "Unused",
                        "detail": "Never read.",
                    }
                ]
            },
            result={"success": False, "kind": "out-of-bounds"},
            settings={"mode": "analyze"},
        ),
        Example(
            about="In a mode that changes files",
            files=_FILES,
            arguments={"findings": []},
            result={"success": False, "kind": "not-allowed"},
            settings={"mode": "modify"},
        ),
    ),
    run=_run_report_findings,
    modes=("analyze",),
    rank=70,
)


TOOLS = (
    _EDIT_FILE_TOOL,
    _INSERT_AT_TOOL,
    _PATCH_FILE_TOOL,
    _REPORT_FINDINGS_TOOL,
)
