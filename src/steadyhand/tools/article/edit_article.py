"""`edit_article`: exact, unique, explained replacements in one article, in order, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.edit import Replace
from steadyhand.plan.outcome import Outcome
from steadyhand.plan.request import MAX_EDITS
from steadyhand.session.checks import remark
from steadyhand.structure.fields import bad_request
from steadyhand.tools.article.wording import told_edit
from steadyhand.tools.call import Call
from steadyhand.tools.result import CHANGED, LINES, success
from steadyhand.tools.shape import Field, Many, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_LONGEST_REASON = 500  # characters of the reasons that the record as a whole is given

EDIT = Object(
    (
        Field(
            "old_string",
            Text(),
            "Copied from the file, character for character, with enough around it to stand there once.",
            required=True,
        ),
        Field("new_string", Text(), "What stands there afterwards; empty deletes.", required=True),
        Field("reason", Text(), "Why: which change of the code or of the facts asks for it.", required=True),
    ),
    gone=(("replace_all", "send an edit for each place, with enough text around it to match once"),),
)
PARAMETERS = Object(
    (
        Field("path", Text(), "The article, from the workspace root.", required=True),
        Field("edits", Many(EDIT, least=1, most=MAX_EDITS), "In order; one logical change each.", required=True),
    )
)
RESULT = Object(
    (
        *CHANGED.fields,
        Field("output", Text(), required=True),
        Field(
            "appliedEdits",
            Many(
                Object(
                    (
                        Field("index", Number(), "From 0.", required=True),
                        Field("reason", Text(), required=True),
                        Field("lines", LINES),
                    )
                )
            ),
            required=True,
        ),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Edit the article; the first edit that cannot be made leaves it as it was."""
    path, given = str(fields["path"]), cast("Sequence[Mapping[str, str]]", fields["edits"])
    place = call.path(path)
    edits = [_read(edit, f"edits[{index}]") for index, edit in enumerate(given)]
    rules = replace(call.workspace.policy, require_reason=True)
    reason = "; ".join(edit.reason or "" for edit in edits)[:_LONGEST_REASON]
    try:
        receipt = call.workspace.edit(place, edits, reason=reason, policy=rules)
    except EditError as error:
        if error.kind is Kind.NO_SUCH_FILE:
            raise EditError(error.kind, f"File not found: {path}", hint=error.hints, details=error.details) from None
        raise told_edit(call, error, path) from None
    count = len(receipt.outcomes)
    told = success(receipt, path)
    told.pop("matchTiers", None)  # but for how lines end, only exact text is found here
    output = f"Applied {count} edit{'' if count == 1 else 's'} to {path}"
    return told | {"output": output, "appliedEdits": [_applied(outcome) for outcome in receipt.outcomes]}


def _applied(outcome: Outcome) -> dict[str, object]:
    fact: dict[str, object] = {"index": outcome.index, "reason": outcome.reason or ""}
    return fact if outcome.lines is None else fact | {"lines": dict(zip(("start", "end"), outcome.lines, strict=True))}


def _read(edit: Mapping[str, str], path: str) -> Replace:
    if not edit["old_string"]:
        raise bad_request(f"{path}.old_string", "it is empty", "quote the text to replace, or the line to add beside")
    if not edit["reason"].strip():
        raise EditError(
            Kind.REASON_REQUIRED,
            f"{path}.reason: it is empty",
            hint="say why this edit is made",
            details={"path": f"{path}.reason"},
        )
    return Replace(edit["old_string"], edit["new_string"], reason=remark(edit["reason"], f"{path}.reason"))


TOOL = Tool(
    name="edit_article",
    title="Edit an article",
    summary=(
        "Replace text in a documentation article, each replacement with its reason. "
        "Every old_string must stand in the file exactly once as it is then. All edits are made or none."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="Two changes, each explained",
            files={"docs/auth.md": "# Auth\n\nLog in with a name.\n\n## Limits\n\nNone.\n"},
            arguments={
                "path": "docs/auth.md",
                "edits": [
                    {
                        "old_string": "Log in with a name.",
                        "new_string": "Log in with a name and a token.",
                        "reason": "login() takes a token now",
                    },
                    {
                        "old_string": "## Limits\n\nNone.",
                        "new_string": "## Limits\n\nTen tries.",
                        "reason": "login() counts tries",
                    },
                ],
            },
            settings={"article": "docs/auth.md"},
            result={
                "success": True,
                "path": "docs/auth.md",
                "output": "Applied 2 edits to docs/auth.md",
                "appliedEdits": [
                    {"index": 0, "reason": "login() takes a token now", "lines": {"start": 3, "end": 3}},
                    {"index": 1, "reason": "login() counts tries", "lines": {"start": 7, "end": 7}},
                ],
            },
            after={"docs/auth.md": "# Auth\n\nLog in with a name and a token.\n\n## Limits\n\nTen tries.\n"},
        ),
        Example(
            about="A text that stands there several times",
            files={"docs/a.md": "on\n\non\n\non\n"},
            arguments={
                "path": "docs/a.md",
                "edits": [{"old_string": "on", "new_string": "off", "reason": "the default changed"}],
            },
            result={"success": False, "kind": "ambiguous-match", "details": {"index": 0, "total": 3}},
        ),
        Example(
            about="A rule of the article's attention would go",
            files={"docs/a.md": "---\njrn: A\nattention:\n  - {op: file, path: src/a.py}\n---\n\nText.\n"},
            arguments={
                "path": "docs/a.md",
                "edits": [
                    {"old_string": "  - {op: file, path: src/a.py}\n", "new_string": "", "reason": "a.py is gone"}
                ],
            },
            result={
                "success": False,
                "kind": "loses-attention",
                "details": {"lost": ["the attention rule file src/a.py"]},
            },
        ),
        Example(
            about="Another file than the article",
            files={"docs/a.md": "a\n", "docs/b.md": "b\n"},
            arguments={
                "path": "docs/b.md",
                "edits": [{"old_string": "b", "new_string": "c", "reason": "renamed"}],
            },
            settings={"article": "docs/a.md"},
            result={"success": False, "kind": "not-allowed", "details": {"article": "docs/a.md"}},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
)
