"""`editFiles`: several pages in one call, elements first and then passages on what they left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError
from steadyhand.schema import Field, Flag, Many, Object, Text, bad_request
from steadyhand.tools.call import Call
from steadyhand.tools.fields import reason_of
from steadyhand.tools.site.answers import SUCCESS, Answers, overall, page_fields
from steadyhand.tools.site.element import ELEMENT_OPERATION, element_operations
from steadyhand.tools.site.laying import Laid, Page, change_pages
from steadyhand.tools.site.naming import check_apart
from steadyhand.tools.site.passage import PASSAGE_OPERATION, passage_operations
from steadyhand.tools.tool import Example, Fields, Result, Tool

MOST_FILES = 100
MOST_OPERATIONS = 200

_PAGE = Object(
    (
        Field("file", Text(), required=True),
        Field("domOperations", Many(ELEMENT_OPERATION, most=MOST_OPERATIONS), "As in editDOM; they come first."),
        Field("replaceOperations", Many(PASSAGE_OPERATION, most=MOST_OPERATIONS), "As in editFile, on the result."),
    )
)
PARAMETERS = Object(
    (
        Field("edits", Many(_PAGE, least=1, most=MOST_FILES), "Each file once.", required=True),
        Field("atomic", Flag(), "Every operation on every file, or nothing."),
        Field("reason", Text(), "Why, for all of them."),
    )
)
RESULT = Object(
    (
        Field("success", SUCCESS, required=True),
        Field("results", Many(Object(page_fields(elements=True, passages=True), is_open=True)), required=True),
        Field("id", Text(), "Undo it by this; only with atomic, else each file has its own."),
        Field("error", Text()),
        Field("kind", Text()),
    ),
    is_open=True,
)
PAGE = "<nav><a href='/'>Home</a></nav>\n<p>(c) 2025</p>\n"


def run(call: Call, fields: Fields) -> Result:
    """Change each file in a transaction of its own, or all of them in one."""
    edits = cast("Sequence[Mapping[str, object]]", fields["edits"])
    reason = reason_of(fields)
    check_apart(call, [str(each["file"]) for each in edits], "edits")
    pages = [_page(each, index) for index, each in enumerate(edits)]
    if fields.get("atomic"):
        return _together(call, pages, reason)
    answers = Answers(call)
    return _answer([_alone(answers, page, reason) for page in pages])


def _page(fields: Mapping[str, object], index: int) -> Page:
    elements = element_operations(fields.get("domOperations"))
    passages = passage_operations(fields.get("replaceOperations"))
    if not elements and not passages:
        hint = "give domOperations, replaceOperations or both, or leave the file out"
        raise bad_request(f"edits[{index}]", "it says nothing to do", hint)
    return Page(str(fields["file"]), elements, passages)


def _alone(answers: Answers, page: Page, reason: str | None) -> Result:
    """One file; whatever happens to it does not concern the others."""
    try:
        return answers.change(page, reason)
    except EditError as error:
        return answers.failed(page.file, error)


def _together(call: Call, pages: Sequence[Page], reason: str | None) -> Result:
    laid, receipt = change_pages(call, pages, reason, is_atomic=True)
    answers = Answers(call)
    if receipt is None:
        refusal = next(each.error for each in laid if each.error is not None)
        return _answer([_held_back(answers, each, refusal) for each in laid])
    results: list[Result] = []
    left = list(receipt.outcomes)
    for each in laid:
        mine, left = left[: len(each.made)], left[len(each.made) :]
        results.append(answers.page(each, receipt, mine))
    return _answer(results) | {"id": receipt.id}


def _held_back(answers: Answers, laid: Laid, refusal: EditError) -> Result:
    if laid.error is not None:
        return answers.page(laid, None, ())
    told = EditError(
        refusal.kind,
        f"{laid.page.file} is unchanged: the call is atomic, and another file was refused",
        hint="correct what was refused and send all of it again, or leave atomic out",
    )
    return answers.failed(laid.page.file, told) | {"heldBack": True}


def _answer(results: list[Result]) -> Result:
    said = overall(results)
    facts: Result = {"success": said, "results": results}
    if said is not False:
        return facts
    at = next(at for at, each in enumerate(results) if not each.get("heldBack"))
    told = {name: results[at].get(name) for name in ("error", "kind", "message", "hint", "details")}
    rest = {name: fact for name, fact in results[at].items() if name not in ("error", "message", "hint")}
    return told | {"details": {}} | facts | {"results": [*results[:at], rest, *results[at + 1 :]]}


TOOL = Tool(
    name="editFiles",
    title="Edit several pages",
    summary=(
        "Change several files in one call, such as the same header on every page. "
        "Per file, domOperations (as editDOM) run first, then replaceOperations (as editFile). "
        "A file that fails does not stop the others, unless atomic is true."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The same change on two pages, in two ways",
            files={"a.html": PAGE, "b.html": PAGE},
            arguments={
                "edits": [
                    {
                        "file": "a.html",
                        "domOperations": [{"selector": "nav a", "action": "setText", "value": "Start"}],
                        "replaceOperations": [{"search": ">Start<", "replace": ">Begin<"}],
                    },
                    {"file": "b.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                ],
            },
            result={"success": True, "results": [{"file": "a.html", "success": True}, {"file": "b.html"}]},
            after={"a.html": PAGE.replace("Home", "Begin"), "b.html": PAGE.replace("2025", "2026")},
        ),
        Example(
            about="One file is missing: the other is changed",
            files={"a.html": PAGE},
            arguments={
                "edits": [
                    {"file": "c.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                    {"file": "a.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                ],
            },
            result={"success": "partial", "results": [{"success": False, "kind": "no-such-file"}, {"success": True}]},
            after={"a.html": PAGE.replace("2025", "2026")},
        ),
        Example(
            about="All or nothing, and one file is missing",
            files={"a.html": PAGE},
            arguments={
                "atomic": True,
                "edits": [
                    {"file": "a.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                    {"file": "c.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                ],
            },
            result={"success": False, "kind": "no-such-file", "results": [{"heldBack": True}, {"success": False}]},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=40,
)
