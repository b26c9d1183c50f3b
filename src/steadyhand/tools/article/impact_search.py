"""`impact_search`: which articles a change of the code may concern."""

from __future__ import annotations

from typing import Final, cast

from steadyhand.articles.search import search
from steadyhand.tools.article.change import BASE, LEFT_OUT, REPOSITORY, UNCOMMITTED
from steadyhand.tools.call import Call
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.shape import Anything, Field, Flag, Many, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_ARTICLES: Final = 200  # in one answer
_EVIDENCE: Final = 50  # for one article
_PROBLEMS: Final = 100

PARAMETERS = Object(
    (
        BASE,
        UNCOMMITTED,
        Field("docs", Many(Text()), "Directories or files to look in. Left out: the whole workspace.", also=("path",)),
        Field("mentions", Flag(), "Also pages that only name a changed path, symbol, flag or environment variable."),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field(
            "articles",
            Many(
                Object(
                    (
                        Field("jrn", Text(), required=True),
                        Field("path", Text(), required=True),
                        Field("evidence", Many(Anything()), "Rule, changed file, how they match.", required=True),
                    )
                )
            ),
            required=True,
        ),
        Field("problems", Many(LEFT_OUT), "What is wrong with pages.", required=True),
        Field("changedFiles", Number(), required=True),
        Field("cut", Text(), "Why there is more."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Search, without what the host does not let this kit name."""
    docs = [
        resolve_path(call.workspace, each, call.settings.prefix) for each in cast("list[str]", fields.get("docs") or [])
    ]
    found = search(
        call.workspace,
        base=cast("str | None", fields.get("base")),
        uncommitted=bool(fields.get("uncommitted")),
        docs=docs,
        mentions=bool(fields.get("mentions")),
    )
    articles = [each.to_json() for each in found.articles[:_ARTICLES]]
    cut = [f"{len(found.articles) - _ARTICLES} articles"] if len(found.articles) > _ARTICLES else []
    for article in articles:
        evidence = cast("list[object]", article["evidence"])
        if len(evidence) > _EVIDENCE:
            article["evidence"] = evidence[:_EVIDENCE]
            cut.append(f"{len(evidence) - _EVIDENCE} pieces of evidence for {article['path']}")
    problems = [{"path": each.path, "reason": each.message} for each in found.problems[:_PROBLEMS]]
    facts: Result = {"success": True, "articles": articles, "problems": problems, "changedFiles": found.changed}
    return facts | ({"cut": f"left out: {', '.join(cut[:20])}"} if cut else {})


TOOL = Tool(
    name="impact_search",
    title="Find articles that a change may concern",
    summary=(
        "List the articles whose attention rules a change of the code meets, each with the evidence: the rule, the "
        "changed file, and how they match. An article that is listed may still be right: read it and the change."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A page that attends to a function",
            files=REPOSITORY,
            arguments={"uncommitted": True},
            result={
                "success": True,
                "articles": [
                    {
                        "jrn": "START",
                        "path": "docs/start.md",
                        "evidence": [
                            {
                                "rule": {"op": "symbol", "path": "src/app.py#main"},
                                "changedFile": "src/app.py",
                                "matchType": "symbol",
                                "commits": [],
                            }
                        ],
                    }
                ],
                "problems": [],
            },
        ),
        Example(
            about="A repository without a commit",
            files=REPOSITORY,
            arguments={},
            result={"success": False, "kind": "bad-request"},
        ),
    ),
    run=run,
    rank=91,
)
