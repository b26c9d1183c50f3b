"""`editDOM`: elements of a page, found by selector and changed in place."""

from __future__ import annotations

from steadyhand.schema import Field, Many, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.fields import reason_of
from steadyhand.tools.site.answers import Answers, page_fields
from steadyhand.tools.site.element import ELEMENT_OPERATION, element_operations
from steadyhand.tools.site.laying import Page
from steadyhand.tools.tool import Example, Fields, Result, Tool

MOST_OPERATIONS = 200

PARAMETERS = Object(
    (
        Field("file", Text(), "The page, from the workspace root.", required=True),
        Field(
            "operations",
            Many(ELEMENT_OPERATION, least=1, most=MOST_OPERATIONS),
            "Made in order, each on the page that the last one left.",
            required=True,
        ),
        Field("reason", Text(), "Why, for all of them."),
    )
)
PAGE = '<h1 class="big">Hello</h1>\n<a href="/a">One</a>\n<a href="/b">Two</a>\n'


def run(call: Call, fields: Fields) -> Result:
    """Change elements; what is refused is reported, the rest goes through in one change."""
    page = Page(str(fields["file"]), elements=element_operations(fields["operations"]))
    return Answers(call).change(page, reason_of(fields))


TOOL = Tool(
    name="editDOM",
    title="Edit elements of a page",
    summary=(
        "Change elements of an HTML page by CSS selector: text, markup, attributes, classes, removal, neighbours. "
        "A selector that matches none, or several without all: true, is refused; other operations still apply."
    ),
    parameters=PARAMETERS,
    result=Object(page_fields(elements=True), is_open=True),
    examples=(
        Example(
            about="A text and an attribute",
            files={"index.html": PAGE},
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
            after={"index.html": PAGE.replace("Hello", "Fish &amp; Chips").replace('"/b"', '"/two"')},
        ),
        Example(
            about="One selector is right, one matches two elements",
            files={"index.html": PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"selector": "a", "action": "addClass", "value": "link"},
                    {"selector": "h1", "action": "replaceClass", "oldClass": "big", "newClass": "huge"},
                ],
            },
            result={"success": "partial", "results": [{"kind": "ambiguous-match"}, {"index": 1, "success": True}]},
            after={"index.html": PAGE.replace("big", "huge")},
        ),
        Example(
            about="A selector that matches nothing",
            files={"index.html": PAGE},
            arguments={"file": "index.html", "operations": [{"selector": ".bigg", "action": "remove"}]},
            result={"success": False, "kind": "no-such-target", "suggestedTool": "editFile"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
)
