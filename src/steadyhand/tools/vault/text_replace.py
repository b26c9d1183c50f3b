"""`TextReplace`: one exact text for another, at the first place, the last, the nth or all of them."""

from __future__ import annotations

from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace
from steadyhand.schema import Either, Field, Number, Object, Text, bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.tools.call import Call
from steadyhand.tools.fields import REASON, expected_version, reason_of
from steadyhand.tools.result import main_file
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.vault.answer import CHANGED, changed_rows, preview, refused, tell_change
from steadyhand.tools.vault.file import EXPECTED, FILE, file_source
from steadyhand.tools.vault.occurrences import Count, count_occurrences, read_occurrence
from steadyhand.tools.vault.suggestion import suggest

PARAMETERS = Object(
    (
        FILE,
        Field("oldText", Text(), "Exact text; may span lines.", required=True),
        Field("newText", Text(), "The replacement, literally; empty deletes.", required=True),
        Field(
            "occurrence",
            Either((Text(), Number(least=1))),
            'Which one, if it occurs several times: "first" (default), "last", "all" or a number from 1.',
        ),
        EXPECTED,
        REASON,
    ),
    flags=(("replace_all", "occurrence", "all"),),
)
RESULT = Object(
    (
        *CHANGED,
        Field("occurrencesFound", Number(), required=True),
        Field("occurrencesReplaced", Number(), required=True),
        Field("note", Text(), "Where else oldText matches."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Replace; the occurrence that is meant without a word is the first, and the others are reported."""
    path, old, new = (str(fields[name]) for name in ("filePath", "oldText", "newText"))
    occurrence = read_occurrence(fields.get("occurrence"))
    if not old:
        raise bad_request("oldText", "it is empty", "quote the text to replace; TextPatch with insert adds text")
    source = file_source(call, path)
    edit = Replace(old, new, occurrence=occurrence)
    expect, reason = expected_version(fields), reason_of(fields)
    try:
        receipt = call.workspace.edit(call.path(path), edit, expect=expect, reason=reason)
    except EditError as error:
        raise suggest(error, source, old, new, call.workspace.policy) from None
    count = count_occurrences(main_file(receipt).texts()[0], old, occurrence)
    return _told(receipt, path, new, count)


def _told(receipt: Receipt, path: str, new: str, count: Count) -> Result:
    rows = changed_rows(receipt)
    told = tell_change(receipt, path, rows) | {"occurrencesFound": count.found, "occurrencesReplaced": count.meant}
    if rows is not None:
        told["preview"] = preview(count.text, new)
    left, lines = count.found - count.meant, receipt.outcomes[0].others
    if left:
        more = f" and {left - len(lines)} more" if left > len(lines) > 0 else ""
        where = f": line {', '.join(map(str, lines))}{more}" if lines else ""
        told["note"] = f"oldText still matches {left} other place{'' if left == 1 else 's'}{where}"
    return told


TOOL = Tool(
    name="TextReplace",
    title="Replace text",
    summary=(
        "Replace exact text in a file; the first choice for any change of wording. "
        "Without occurrence it changes the first place and reports the lines of the others."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The first of several places; the answer names the other",
            files={"notes.md": "# Notes\n\nport 80\nport 80\n"},
            arguments={"filePath": "notes.md", "oldText": "port 80", "newText": "port 8080"},
            result={
                "status": "success",
                "filePath": "notes.md",
                "occurrencesFound": 2,
                "occurrencesReplaced": 1,
                "affectedLines": {"start": 3, "end": 3},
                "preview": {"before": "port 80", "after": "port 8080"},
                "context": {"beforeLines": ["# Notes", ""], "afterLines": ["port 80"]},
                "note": "oldText still matches 1 other place: line 4",
            },
            after={"notes.md": "# Notes\n\nport 8080\nport 80\n"},
        ),
        Example(
            about="All of them, in the version that is known",
            files={"notes.md": "old and old\n"},
            arguments={
                "filePath": "notes.md",
                "oldText": "old",
                "newText": "new",
                "occurrence": "all",
                "expectedHash": "$hash:notes.md",
            },
            result={"status": "success", "occurrencesFound": 2, "occurrencesReplaced": 2},
            after={"notes.md": "new and new\n"},
        ),
        Example(
            about="A text that is there in another case, which is only reported",
            files={"notes.md": "# Setup Guide\n"},
            arguments={"filePath": "notes.md", "oldText": "setup guide", "newText": "Installation"},
            result={"status": "error", "kind": "no-match", "details": {"found": "Setup Guide", "line": 1}},
        ),
        Example(
            about="A version that is no longer there",
            files={"notes.md": "one\n"},
            arguments={
                "filePath": "notes.md",
                "oldText": "one",
                "newText": "two",
                "expectedHash": "0123456789abcdef",
            },
            result={"status": "error", "kind": "stale-source"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
    refused=refused,
)
