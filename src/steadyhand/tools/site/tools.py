"""The tools that change web pages: `editDOM`, `editFile`, `editFiles` and `writeFiles`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Field, Flag, Many, Object, Text, bad_request
from steadyhand.tools.file_tools import tell_written, unread, write_under_settings
from steadyhand.tools.result import AROUND, LINES, answer_of, confirmation, failure, main_file
from steadyhand.tools.site.operations import (
    ELEMENT_OPERATION,
    PASSAGE_OPERATION,
    element_operations,
    passage_operations,
)
from steadyhand.tools.site.pages import (
    SUCCESS,
    Answers,
    Page,
    PageChange,
    change_pages,
    check_apart,
    overall,
    page_fields,
)
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool, expected_version, plain_path, reason_of

_REASON = Field("reason", Text(), "Why, for all of them.")

# `editDOM`: elements of a page, found by selector and changed in place.

MOST_OPERATIONS = 200


def _on_one_file(operation: Object, most: int) -> Object:
    about = "Applied in order, each to the result of the previous one."
    return Object.of(
        Field("file", Text(), "The file, from the workspace root.", required=True),
        Field("operations", Many(operation, least=1, most=most), about, required=True),
        _REASON,
    )


_EDIT_DOM_PAGE = '<h1 class="big">Hello</h1>\n<a href="/a">One</a>\n<a href="/b">Two</a>\n'


def _run_edit_dom(call: Call, fields: Fields) -> Result:
    """Change elements; what is refused is reported, the rest goes through in one change."""
    page = Page(str(fields["file"]), elements=element_operations(fields["operations"]))
    return Answers(call).change(page, reason_of(fields))


_EDIT_DOM_TOOL = Tool(
    name="editDOM",
    title="Edit elements of a page",
    summary=(
        "Change elements of an HTML page by CSS selector: text, markup, attributes, classes; remove, wrap or add "
        "elements. A selector that matches none, or several without all: true, is refused; other operations still "
        "apply."
    ),
    parameters=_on_one_file(ELEMENT_OPERATION, MOST_OPERATIONS),
    result=Object(page_fields(elements=True), is_open=True),
    examples=(
        Example(
            about="A text and an attribute",
            files={"index.html": _EDIT_DOM_PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"selector": "h1", "action": "setText", "value": "Fish & Chips", "reason": "new name"},
                    {"selector": "a:last-of-type", "action": "setAttribute", "attr": "href", "value": "/two"},
                ],
            },
            result={
                "success": True,
                "file": "index.html",
                "results": [
                    {"index": 0, "success": True, "lines": {"start": 1, "end": 1}},
                    {"index": 1, "success": True, "lines": {"start": 3, "end": 3}},
                ],
            },
            after={"index.html": _EDIT_DOM_PAGE.replace("Hello", "Fish &amp; Chips").replace('"/b"', '"/two"')},
        ),
        Example(
            about="One selector is right, one matches two elements",
            files={"index.html": _EDIT_DOM_PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"selector": "a", "action": "addClass", "value": "link"},
                    {"selector": "h1", "action": "replaceClass", "oldClass": "big", "newClass": "huge"},
                ],
            },
            result={"success": "partial", "results": [{"kind": "ambiguous-match"}, {"index": 1, "success": True}]},
            after={"index.html": _EDIT_DOM_PAGE.replace("big", "huge")},
        ),
        Example(
            about="A selector that matches nothing",
            files={"index.html": _EDIT_DOM_PAGE},
            arguments={"file": "index.html", "operations": [{"selector": ".bigg", "action": "remove"}]},
            result={"success": False, "kind": "no-such-target", "suggestedTool": "editFile"},
        ),
    ),
    run=_run_edit_dom,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
)


# `editFile`: passages of a file for others, found as they are or, which is reported, nearly so.

MOST_PASSAGES = 500

_EDIT_FILE_PAGE = "<main>\n  <h2>Our services</h2>\n  <p>Soon.</p>\n</main>\n"


def _run_edit_file(call: Call, fields: Fields) -> Result:
    """Replace passages up to the first that is refused; those before it are kept."""
    page = Page(str(fields["file"]), passages=passage_operations(fields["operations"]))
    return Answers(call).change(page, reason_of(fields))


_EDIT_FILE_TOOL = Tool(
    name="editFile",
    title="Search and replace in a file",
    summary=(
        "Replace passages of a file. search matches exactly, or ignoring whitespace, by words or by similarity (85 %); "
        "it must match one place, or as many as expectedReplacements. "
        "When an operation fails, those before it are kept and the rest are not tried."
    ),
    parameters=_on_one_file(PASSAGE_OPERATION, MOST_PASSAGES),
    result=Object(page_fields(passages=True), is_open=True),
    examples=(
        Example(
            about="A heading quoted with different whitespace, and a paragraph",
            files={"index.html": _EDIT_FILE_PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"search": "<h2>Our   services</h2>", "replace": "<h2>What we do</h2>"},
                    {"search": "Soon.", "replace": "Baking, daily.", "reason": "it is open"},
                ],
            },
            result={"success": True, "file": "index.html", "matchTiers": ["whitespace", "exact"]},
            after={
                "index.html": _EDIT_FILE_PAGE.replace("Our services", "What we do").replace("Soon.", "Baking, daily.")
            },
        ),
        Example(
            about="The second operation fails: the first is kept",
            files={"index.html": _EDIT_FILE_PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"search": "Soon.", "replace": "Now."},
                    {"search": "<footer>Imprint</footer>", "replace": "<footer></footer>"},
                    {"search": "Our", "replace": "My"},
                ],
            },
            result={"success": "partial", "appliedCount": 1, "failedIndex": 1, "kind": "no-match"},
            after={"index.html": _EDIT_FILE_PAGE.replace("Soon.", "Now.")},
        ),
        Example(
            about="More places than were expected",
            files={"a.css": "a { color: red }\nb { color: red }\ni { color: red }\n"},
            arguments={
                "file": "a.css",
                "operations": [{"search": "red", "replace": "blue", "expectedReplacements": 2}],
            },
            result={"success": False, "kind": "count-mismatch", "details": {"total": 3}},
        ),
    ),
    run=_run_edit_file,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=30,
)


# `editFiles`: several pages in one call, elements first and then passages on what they left.

MOST_FILES = 100
MOST_OPERATIONS_OF_ALL = 200

_PAGE = Object.of(
    Field("file", Text(), required=True),
    Field("domOperations", Many(ELEMENT_OPERATION, most=MOST_OPERATIONS_OF_ALL), "As in editDOM; they run first."),
    Field("replaceOperations", Many(PASSAGE_OPERATION, most=MOST_OPERATIONS_OF_ALL), "As in editFile, on the result."),
)

_EDIT_FILES_PAGE = "<nav><a href='/'>Home</a></nav>\n<p>(c) 2025</p>\n"


def _run_edit_files(call: Call, fields: Fields) -> Result:
    """Change each file in a transaction of its own, or all of them in one."""
    edits = cast("Sequence[Mapping[str, object]]", fields["edits"])
    reason = reason_of(fields)
    check_apart(call, [str(each["file"]) for each in edits], "edits")
    pages = [_page(each, index) for index, each in enumerate(edits)]
    if fields.get("atomic"):
        return _atomic(call, pages, reason)
    answers = Answers(call)
    return _answer([_alone(answers, page, reason) for page in pages])


def _page(fields: Mapping[str, object], index: int) -> Page:
    elements = element_operations(fields.get("domOperations"))
    passages = passage_operations(fields.get("replaceOperations"))
    if not elements and not passages:
        hint = "give domOperations, replaceOperations or both, or leave the file out"
        raise bad_request(f"edits[{index}]", "it does not say what to do", hint)
    return Page(str(fields["file"]), elements, passages)


def _alone(answers: Answers, page: Page, reason: str | None) -> Result:
    """One file; whatever happens to it does not concern the others."""
    try:
        return answers.change(page, reason)
    except EditError as error:
        return answers.failed(page.file, error)


def _atomic(call: Call, pages: Sequence[Page], reason: str | None) -> Result:
    changes, receipt = change_pages(call, pages, reason, is_atomic=True)
    answers = Answers(call)
    if receipt is None:
        refusal = next(each.error for each in changes if each.error is not None)
        return _answer([_held_back(answers, each, refusal) for each in changes])
    results: list[Result] = []
    left = list(receipt.outcomes)
    for each in changes:
        mine, left = left[: len(each.made)], left[len(each.made) :]
        results.append(answers.page(each, receipt, mine))
    return _answer(results) | {"id": receipt.id} | confirmation(receipt)


def _held_back(answers: Answers, change: PageChange, refusal: EditError) -> Result:
    if change.error is not None:
        return answers.page(change, None, ())
    error = EditError(
        refusal.kind,
        f"{change.page.file} is unchanged: the call is atomic, and another file was refused",
        hint="correct what was refused and send all of it again, or leave atomic out",
    )
    return answers.failed(change.page.file, error) | {"heldBack": True}


def _answer(results: list[Result]) -> Result:
    said = overall(results)
    facts: Result = {"success": said, "results": results}
    if said is not False:
        return facts
    at = next(at for at, each in enumerate(results) if not each.get("heldBack"))
    refusal = {name: results[at].get(name) for name in ("error", "kind", "message", "hint", "details")}
    rest = {name: fact for name, fact in results[at].items() if name not in ("error", "message", "hint")}
    return refusal | {"details": {}} | facts | {"results": [*results[:at], rest, *results[at + 1 :]]}


_EDIT_FILES_TOOL = Tool(
    name="editFiles",
    title="Edit several pages",
    summary=(
        "Change several files in one call, such as the same header on every page. "
        "Per file, domOperations (as editDOM) run first, then replaceOperations (as editFile). "
        "A file that fails does not stop the others, unless atomic is true."
    ),
    parameters=Object.of(
        Field("edits", Many(_PAGE, least=1, most=MOST_FILES), "Each file once.", required=True),
        Field("atomic", Flag(), "Every operation on every file, or nothing."),
        _REASON,
    ),
    result=Object.of(
        Field("success", SUCCESS, required=True),
        Field("results", Many(Object(page_fields(elements=True, passages=True), is_open=True)), required=True),
        Field("id", Text(), "Undo it by this; only with atomic, else each file has its own."),
        Field("error", Text()),
        Field("kind", Text()),
        is_open=True,
    ),
    examples=(
        Example(
            about="Two pages, changed in two ways",
            files={"a.html": _EDIT_FILES_PAGE, "b.html": _EDIT_FILES_PAGE},
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
            after={
                "a.html": _EDIT_FILES_PAGE.replace("Home", "Begin"),
                "b.html": _EDIT_FILES_PAGE.replace("2025", "2026"),
            },
        ),
        Example(
            about="One file is missing; the other is changed",
            files={"a.html": _EDIT_FILES_PAGE},
            arguments={
                "edits": [
                    {"file": "c.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                    {"file": "a.html", "replaceOperations": [{"search": "2025", "replace": "2026"}]},
                ],
            },
            result={"success": "partial", "results": [{"success": False, "kind": "no-such-file"}, {"success": True}]},
            after={"a.html": _EDIT_FILES_PAGE.replace("2025", "2026")},
        ),
        Example(
            about="All or nothing, and one file is missing",
            files={"a.html": _EDIT_FILES_PAGE},
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
    run=_run_edit_files,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=40,
)


# `writeFiles`: whole files, new or in the place of what was there.

MOST_WRITTEN = 100

_FILE = Object.of(
    Field("file", Text(), required=True),
    Field("content", Text(), "All of it.", required=True),
    Field("expectedHash", Text(), "fileHash of the version that it replaces."),
    Field("allow_shrink", Flag(), "Allow it to lose most of its lines."),
)

_WRITTEN = answer_of(
    Field("file", Text(), required=True),
    Field("status", Text(choices=("created", "edited"))),
    Field("id", Text(), "Undo it by this."),
    Field("fileHash", Text(), "Of the current file; send it as expectedHash."),
    Field("lines", LINES),
    Field("context", AROUND),
    Field("error", Text()),
    Field("kind", Text()),
)


def _run_write_files(call: Call, fields: Fields) -> Result:
    """Write each file in a transaction of its own: one that is refused does not stop the others."""
    files = cast("Sequence[Mapping[str, object]]", fields["files"])
    check_apart(call, [str(each["file"]) for each in files], "files")
    reason = reason_of(fields)
    results = [_write(call, each, f"files[{index}]", reason) for index, each in enumerate(files)]
    said = overall(results)
    first = results[0] if said is False else {}
    refusal = {name: first[name] for name in ("error", "kind", "message", "hint", "details") if name in first}
    return refusal | {"success": said, "results": results}


def _write(call: Call, fields: Mapping[str, object], place: str, reason: str | None) -> Result:
    file, expect = str(fields["file"]), None
    try:
        path, expect = call.path(file), expected_version(fields, place=place)
        content, may_shrink = str(fields["content"]), bool(fields.get("allow_shrink"))
        receipt = write_under_settings(call, path, content, expect=expect, reason=reason, allow_shrink=may_shrink)
    except EditError as error:
        call.host.note_refusal(error)
        return failure(_explained(call, error, file, expect), call.toolset.phrases) | {"file": file}
    call.conversation.succeeded(plain_path(path))
    facts = {name: fact for name, fact in tell_written(receipt, path, content).items() if name != "path"}
    return facts | {"file": file, "status": main_file(receipt).status}


def _explained(call: Call, error: EditError, file: str, expect: str | None) -> EditError:
    """The refusal in the words of this tool; the hash of a file that was not read is not shown."""
    if error.kind is not Kind.STALE_SOURCE:
        return error
    refusal = unread(call, call.path(file)) if expect is None else error
    hint = "read it with readFile and send its fileHash as expectedHash"
    return refusal.advised(hint)


_WRITE_FILES_TOOL = Tool(
    name="writeFiles",
    title="Write whole files",
    summary=(
        "Write whole files: new ones, redesigns, and pages on which editFile failed twice. "
        "Read an existing file first, or send expectedHash. A file that fails does not stop the others."
    ),
    parameters=Object.of(
        Field("files", Many(_FILE, least=1, most=MOST_WRITTEN), "Each file once.", required=True),
        _REASON,
    ),
    result=Object.of(
        Field("success", SUCCESS, required=True),
        Field("results", Many(_WRITTEN), required=True),
        Field("error", Text()),
        Field("kind", Text()),
        is_open=True,
    ),
    examples=(
        Example(
            about="A new page, and a replacement for one that was read",
            files={"index.html": "<h1>Old</h1>\n"},
            arguments={
                "files": [
                    {"file": "about.html", "content": "<h1>About</h1>\n"},
                    {"file": "index.html", "content": "<h1>New</h1>\n", "expectedHash": "$hash:index.html"},
                ],
                "reason": "redesign",
            },
            result={"success": True, "results": [{"status": "created"}, {"file": "index.html", "status": "edited"}]},
            after={"about.html": "<h1>About</h1>\n", "index.html": "<h1>New</h1>\n"},
        ),
        Example(
            about="A page that was never read",
            files={"index.html": "<h1>Old</h1>\n"},
            arguments={"files": [{"file": "index.html", "content": "<h1>New</h1>\n"}]},
            result={"success": False, "kind": "stale-source", "results": [{"success": False}]},
        ),
    ),
    run=_run_write_files,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    rank=50,
)


TOOLS = (
    _EDIT_DOM_TOOL,
    _EDIT_FILE_TOOL,
    _EDIT_FILES_TOOL,
    _WRITE_FILES_TOOL,
)
