"""`report_findings`: what a task that may change nothing has to say. Nothing under the root is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.structure.fields import bad_request
from steadyhand.text.source import Source
from steadyhand.tools.call import Call
from steadyhand.tools.findings import SEVERITIES, Finding, Findings, Severity
from steadyhand.tools.shape import Field, Flag, Many, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.workspace.journal.record import utc_now

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

LINES = Object(
    (Field("start", Number(least=1), required=True), Field("end", Number(least=1))), in_order=("start", "end")
)
FINDING = Object(
    (
        Field("path", Text(), "The file it is about.", required=True),
        Field("lines", LINES, "Where, from 1; leave out for the whole file."),
        Field("severity", Text(SEVERITIES, also=_ALSO), required=True),
        Field("title", Text(), "One line.", required=True),
        Field("detail", Text(), "What is wrong, and how one can tell.", required=True),
        Field("suggestion", Text(), "What to change, if you know."),
    )
)
PARAMETERS = Object((Field("findings", Many(FINDING, least=1, most=_MOST), "What you found.", required=True),))
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("reported", Number(), "Findings of this call.", required=True),
        Field("total", Number(), "Findings of this task so far.", required=True),
        Field("kept", Text(), "Where and for how long.", required=True),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Keep all of them, or none where one is about a file or line that is not there."""
    given = cast("list[Mapping[str, object]]", fields["findings"])
    findings = [_finding(call, each, f"findings[{index}]") for index, each in enumerate(given)]
    workspace = call.workspace
    assert isinstance(workspace, Findings)
    total, is_kept = workspace.found.add(findings)
    return {"success": True, "reported": len(findings), "total": total, "kept": _KEPT if is_kept else _UNKEPT}


def _finding(call: Call, given: Mapping[str, object], place: str) -> Finding:
    for name in ("title", "detail", "suggestion"):
        text = str(given.get(name, "-"))
        if not text.strip():
            raise bad_request(f"{place}.{name}", "it is empty", "say it, or leave the finding out")
        if len(text) > _LONGEST:
            raise bad_request(f"{place}.{name}", "it is too long", f"send at most {_LONGEST} characters")
    path = call.path(str(given["path"]))
    source = _source(call, path)
    return Finding(
        path=path if source is None or source.path is None else source.path,
        severity=cast("Severity", given["severity"]),
        title=str(given["title"]),
        detail=str(given["detail"]),
        lines=_lines(given.get("lines"), source, place),
        suggestion=cast("str | None", given.get("suggestion")),
        task=call.workspace.task_id,
        actor=call.workspace.actor,
        file_hash=None if source is None else source.digest[:16],
        time=utc_now(),
    )


def _source(call: Call, path: str) -> Source | None:
    """The file, if it can be read; one that is not there is refused."""
    try:
        return call.workspace.source(path)
    except EditError as error:
        if error.kind in _UNREADABLE:
            return None
        raise


def _lines(given: object, source: Source | None, place: str) -> tuple[int, int] | None:
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

TOOL = Tool(
    name="report_findings",
    title="Report findings",
    summary="Report what you found, for a person or a later task to act on. No file is changed.",
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="One finding, with its place",
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
            about="A line that the file does not have",
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
    run=run,
    modes=("analyze",),
    rank=70,
)
