"""`impact_extract`: what a change of the code did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from steadyhand.articles.changes import ChangedFile, Changes, LeftOut, read_changes
from steadyhand.articles.report import Report, report_of
from steadyhand.errors import EditError
from steadyhand.lazy import replace
from steadyhand.tools.article.change import BASE, LEFT_OUT, REPOSITORY, UNCOMMITTED
from steadyhand.tools.call import Call
from steadyhand.tools.globbing import GLOB, read_glob
from steadyhand.tools.shape import Anything, Field, Flag, Many, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_USUALLY: Final = 60_000  # characters of diff: what a model reads at once
_AT_MOST: Final = 400_000
_COMMITS: Final = 100

PARAMETERS = Object(
    (
        BASE,
        UNCOMMITTED,
        Field("glob", Text(), f"Only these files. {GLOB}", also=("path", "paths", "include")),
        Field(
            "max",
            Number(least=1, most=_AT_MOST),
            f"How many characters of diff at most; {_USUALLY} if left out.",
            also=("limit", "budget"),
        ),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("base", Text(), "The commit that it is compared with."),
        Field("head", Text(), "The commit that is checked out; absent for what is not committed."),
        Field("commits", Many(Anything()), "The newest first.", required=True),
        Field(
            "files",
            Many(
                Object(
                    (
                        Field("path", Text(), required=True),
                        Field("oldPath", Text()),
                        Field("status", Text(), required=True),
                        Field(
                            "hunks",
                            Many(Object((Field("context", Text()), Field("diff", Text(), required=True)))),
                            "`context` is the definition, section or key around it.",
                            required=True,
                        ),
                        Field("symbols", Many(Text()), "Definitions whose own text changed.", required=True),
                    )
                )
            ),
            required=True,
        ),
        Field("leftOut", Many(LEFT_OUT), "What is not shown, and why.", required=True),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Report the change, without what the host does not let this kit show."""
    globs = read_glob(cast("str | None", fields.get("glob")))
    total = cast("int | None", fields.get("max")) or _USUALLY
    base = cast("str | None", fields.get("base"))
    with read_changes(call.workspace, base=base, uncommitted=bool(fields.get("uncommitted"))) as changes:
        chosen = [file for file in changes.files if any(globs.match(name) for name in file.names)]
        report = _shown(call, changes, chosen, total)
    facts = report.to_json()
    for file in cast("list[dict[str, object]]", facts["files"]):
        file["hunks"] = [_present(hunk) for hunk in cast("list[dict[str, object]]", file["hunks"])]
    facts["commits"] = cast("list[object]", facts["commits"])[:_COMMITS]
    facts["leftOut"] = [_present(each) for each in cast("list[dict[str, object]]", facts["leftOut"])]
    return {"success": True, **_present(facts)}


def _shown(call: Call, changes: Changes, chosen: Sequence[ChangedFile], total: int) -> Report:
    """The report of the files that may be named here; the others are left out by name."""
    allowed: list[ChangedFile] = []
    refused: list[LeftOut] = []
    for file in chosen:
        try:
            for name in file.names:
                call.check_ending(name)
            allowed.append(file)
        except EditError:
            refused.append(LeftOut(file.path, "not a kind of file that may be shown here"))
    report = report_of(changes, files=allowed, per_file=min(total, 20_000), total=total)
    if len(report.commits) > _COMMITS:
        refused.append(LeftOut(None, f"{len(report.commits) - _COMMITS} commits"))
    return replace(report, left_out=(*report.left_out, *refused))


def _present(facts: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if value is not None}


TOOL = Tool(
    name="impact_extract",
    title="Show a change of the code",
    summary=(
        "Show what a change of the code did: commits, files, diffs with the definition around each, and the "
        "definitions whose own text changed. From where the branch left its base, or what is uncommitted. "
        "What is left out is named."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="What is not committed yet",
            files=REPOSITORY,
            arguments={"uncommitted": True, "glob": "src/**"},
            result={
                "success": True,
                "commits": [],
                "files": [
                    {
                        "path": "src/app.py",
                        "status": "added",
                        "hunks": [{"context": "main", "diff": "@@ -0,0 +1,2 @@\n+def main(port):\n+    return port\n"}],
                        "symbols": ["main"],
                    }
                ],
                "leftOut": [],
            },
        ),
        Example(
            about="A base that is no commit",
            files=REPOSITORY,
            arguments={"base": "main"},
            result={"success": False, "kind": "bad-request"},
        ),
        Example(
            about="A directory that is no repository",
            files={"a.md": "a\n"},
            arguments={},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=run,
    rank=92,
)
