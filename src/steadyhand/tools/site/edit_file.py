"""`editFile`: passages of a file for others, found as they are or, which is reported, nearly so."""

from __future__ import annotations

from steadyhand.schema import Field, Many, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.fields import reason_of
from steadyhand.tools.site.answers import Answers, page_fields
from steadyhand.tools.site.laying import Page
from steadyhand.tools.site.passage import PASSAGE_OPERATION, passage_operations
from steadyhand.tools.tool import Example, Fields, Result, Tool

MOST_OPERATIONS = 500

PARAMETERS = Object(
    (
        Field("file", Text(), "The file, from the workspace root.", required=True),
        Field(
            "operations",
            Many(PASSAGE_OPERATION, least=1, most=MOST_OPERATIONS),
            "Made in order, each on the text that the last one left.",
            required=True,
        ),
        Field("reason", Text(), "Why, for all of them."),
    )
)
PAGE = "<main>\n  <h2>Our services</h2>\n  <p>Soon.</p>\n</main>\n"


def run(call: Call, fields: Fields) -> Result:
    """Replace passages up to the first that is refused; those before it are kept."""
    page = Page(str(fields["file"]), passages=passage_operations(fields["operations"]))
    return Answers(call).change(page, reason_of(fields))


TOOL = Tool(
    name="editFile",
    title="Search and replace in a file",
    summary=(
        "Replace passages of a file. search matches exactly, or ignoring whitespace, by words or by similarity (85 %); "
        "it must match one place, or as many as expectedReplacements. "
        "When an operation fails, those before it are kept and the rest is not tried."
    ),
    parameters=PARAMETERS,
    result=Object(page_fields(passages=True), is_open=True),
    examples=(
        Example(
            about="A heading, quoted with other blanks than it has, and a paragraph",
            files={"index.html": PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"search": "<h2>Our   services</h2>", "replace": "<h2>What we do</h2>"},
                    {"search": "Soon.", "replace": "Baking, daily.", "reason": "it is open"},
                ],
            },
            result={"success": True, "file": "index.html", "matchTiers": ["whitespace", "exact"]},
            after={"index.html": PAGE.replace("Our services", "What we do").replace("Soon.", "Baking, daily.")},
        ),
        Example(
            about="The second operation fails: the first is kept",
            files={"index.html": PAGE},
            arguments={
                "file": "index.html",
                "operations": [
                    {"search": "Soon.", "replace": "Now."},
                    {"search": "<footer>Imprint</footer>", "replace": "<footer></footer>"},
                    {"search": "Our", "replace": "My"},
                ],
            },
            result={"success": "partial", "appliedCount": 1, "failedIndex": 1, "kind": "no-match"},
            after={"index.html": PAGE.replace("Soon.", "Now.")},
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
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=30,
)
