"""Tools for documentation articles: edits with reasons, and the articles that a change of the code may concern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from steadyhand.articles.changes import ChangedFile, Changes, LeftOut, read_changes
from steadyhand.articles.report import Report, report_of
from steadyhand.articles.search import search
from steadyhand.errors import EditError, Kind
from steadyhand.hints import Say, lines_named
from steadyhand.lazy import replace
from steadyhand.plan.edit import MAX_EDITS, Replace
from steadyhand.plan.planner import Outcome
from steadyhand.schema import Anything, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.checks import remark
from steadyhand.tools.file_views import GLOB, read_glob
from steadyhand.tools.result import CHANGED, LINES, Offer, answer_of, candidates_of, offering, success
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool, resolve_path

# What the tools about a change share: how a change is named, and an example of a repository.

BASE: Final = Field("base", Text(), "A branch, tag or commit; the change is what HEAD adds to it. Default: detected.")
UNCOMMITTED: Final = Field("uncommitted", Flag(), "The change is what is uncommitted: staged, unstaged or untracked.")
LEFT_OUT: Final = Object.of(
    Field("path", Text()), Field("reason", Text(), required=True), Field("line", Number()), is_open=True
)
# A repository without a commit, in which every file is untracked.
REPOSITORY: Final = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/info/packs": "\n",
    ".git/refs/heads/.keep": "",
    "docs/start.md": "---\njrn: START\nattention:\n  - op: symbol\n    path: src/app.py#main\n---\n\n# Start\n",
    "src/app.py": "def main(port):\n    return port\n",
}


# What a refused edit of an article is answered with: which edit, counted from 0, what is wrong, what to send.
# Only words are made here. A short file is shown whole, in a field of its own.

SHORT = 500  # characters of a file that is shown whole
_LISTED = 8
_UNIQUE = "add the heading or a neighbouring line to old_string and new_string"


def refusal_of_edit(call: Call, error: EditError, path: str) -> EditError:
    """The refusal as this tool tells it. One that shows nothing, of a file with secrets, stays as it is."""
    index = error.details.get("index")
    if not isinstance(index, int):
        return error
    details, message = offering(error, _edit_of), error.message_in(call.toolset.phrases)
    hints = error.hints
    match error.kind:
        case Kind.NO_MATCH | Kind.ALREADY_APPLIED:
            said = f"Text not found in {path}\n{error.listing or message}"
            content = _short_content(call, path)
            if content is not None:
                details["content"] = content
        case Kind.AMBIGUOUS_MATCH:
            said, hints = _several(error.details), (Say(_UNIQUE),)
            places = _places(details)
            details = {name: details[name] for name in ("path", "index", "total") if name in details} | places
        case Kind.OVERLAPPING_EDITS:
            lines = error.details.get("lines")
            where = f", {lines_named(*lines)}" if isinstance(lines, list) and len(lines) == 2 else ""
            earlier = error.details.get("earlier")
            said = f"old_string overlaps the result of edit {earlier} of this call{where}"
            hints = (Say(f"merge the two edits, or send edit {index} in a second call"),)
        case _:
            said = message
    return EditError(error.kind, f"Edit {index}: {said}", hint=hints, details=details)


def _several(details: Mapping[str, object]) -> str:
    total = f"{details.get('total')}{'' if details.get('total_is_exact', True) else ' or more'}"
    places = candidates_of(details)
    rows = [f"  line {place['lines'][0]}: {place['text']}" for place in places[:_LISTED]]
    count = details.get("total")
    rest = " …" if not isinstance(count, int) or count > len(places) or not details.get("total_is_exact", True) else ""
    more = [f"  also in line {', '.join(str(place['lines'][0]) for place in places[_LISTED:])}{rest}"]
    return "\n".join(
        [f"Text appears {total} times in {details.get('path')}", *rows, *(more if len(places) > _LISTED else [])]
    )


def _places(details: Mapping[str, object]) -> dict[str, object]:
    """The lines of the places, and for the first of them the edit that means each alone, where there is one."""
    places = candidates_of(details)
    answer = [{"lines": place["lines"], **place["corrected"]} for place in places[:_LISTED] if "corrected" in place]
    return {"lines": [place["lines"][0] for place in places], **({"candidates": answer} if answer else {})}


def _edit_of(offer: Offer) -> dict[str, object]:
    said: dict[str, object] = {"old_string": offer.old, "new_string": offer.new}
    return said if offer.reason is None else said | {"reason": offer.reason}


def _short_content(call: Call, path: str) -> str | None:
    source = call.host.source(call.path(path))
    if len(source.text) > SHORT:
        return None
    call.host.saw(source)
    return source.text


# `edit_article`: exact, unique, explained replacements in one article, in order, all of them or none.

_LONGEST_REASON = 500  # characters of the reasons that the record as a whole is given

EDIT = Object.of(
    Field(
        "old_string",
        Text(),
        "Exact text from the file, enough to match one place.",
        required=True,
    ),
    Field("new_string", Text(), "The replacement; empty deletes.", required=True),
    Field("reason", Text(), "Why: which change of the code or of the facts requires it.", required=True),
    gone=(("replace_all", "send an edit for each place, with enough text around it to match once"),),
)


def _run_edit_article(call: Call, fields: Fields) -> Result:
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
        raise refusal_of_edit(call, error, path) from None
    count = len(receipt.outcomes)
    answer = success(receipt, path)
    answer.pop("matchTiers", None)  # but for how lines end, only exact text is found here
    output = f"Applied {count} edit{'' if count == 1 else 's'} to {path}"
    return answer | {"output": output, "appliedEdits": [_applied(outcome) for outcome in receipt.outcomes]}


def _applied(outcome: Outcome) -> dict[str, object]:
    fact: dict[str, object] = {"index": outcome.index, "reason": outcome.reason or ""}
    return fact if outcome.lines is None else fact | {"lines": dict(zip(("start", "end"), outcome.lines, strict=True))}


def _read(edit: Mapping[str, str], path: str) -> Replace:
    if not edit["old_string"]:
        raise bad_request(
            f"{path}.old_string", "it is empty", "quote the text to replace, or the line next to the new one"
        )
    if not edit["reason"].strip():
        raise EditError(
            Kind.REASON_REQUIRED,
            f"{path}.reason: it is empty",
            hint="say why this edit is made",
            details={"path": f"{path}.reason"},
        )
    return Replace(edit["old_string"], edit["new_string"], reason=remark(edit["reason"], f"{path}.reason"))


_EDIT_ARTICLE_TOOL = Tool(
    name="edit_article",
    title="Edit an article",
    summary=(
        "Replace text in a documentation article, each replacement with its reason. "
        "Every old_string must match exactly one place. All edits apply, or none."
    ),
    parameters=Object.of(
        Field("path", Text(), "The article, from the workspace root.", required=True),
        Field("edits", Many(EDIT, least=1, most=MAX_EDITS), "In order; one logical change each.", required=True),
    ),
    result=Object.of(
        *CHANGED.fields,
        Field("output", Text(), required=True),
        Field(
            "appliedEdits",
            Many(
                Object.of(
                    Field("index", Number(), "From 0.", required=True),
                    Field("reason", Text(), required=True),
                    Field("lines", LINES),
                )
            ),
            required=True,
        ),
        is_open=True,
    ),
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
            about="Text that occurs several times",
            files={"docs/a.md": "on\n\non\n\non\n"},
            arguments={
                "path": "docs/a.md",
                "edits": [{"old_string": "on", "new_string": "off", "reason": "the default changed"}],
            },
            result={"success": False, "kind": "ambiguous-match", "details": {"index": 0, "total": 3}},
        ),
        Example(
            about="The edit would remove an attention rule",
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
            about="A file other than the article",
            files={"docs/a.md": "a\n", "docs/b.md": "b\n"},
            arguments={
                "path": "docs/b.md",
                "edits": [{"old_string": "b", "new_string": "c", "reason": "renamed"}],
            },
            settings={"article": "docs/a.md"},
            result={"success": False, "kind": "not-allowed", "details": {"article": "docs/a.md"}},
        ),
    ),
    run=_run_edit_article,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
)


# `impact_extract`: what a change of the code did.

_USUALLY: Final = 60_000  # characters of diff: what a model reads at once
_AT_MOST: Final = 400_000
_COMMITS: Final = 100


def _run_impact_extract(call: Call, fields: Fields) -> Result:
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


_IMPACT_EXTRACT_TOOL = Tool(
    name="impact_extract",
    title="Show a change of the code",
    summary=(
        "Show a code change: commits, files, diffs with the enclosing definition, and the definitions that changed. "
        "Covers the branch since it left its base, or the uncommitted changes. Names what it leaves out."
    ),
    parameters=Object.of(
        BASE,
        UNCOMMITTED,
        Field("glob", Text(), f"Only these files. {GLOB}", also=("path", "paths", "include")),
        Field(
            "max",
            Number(least=1, most=_AT_MOST),
            f"Limit on the characters of diff; default: {_USUALLY}.",
            also=("limit", "budget"),
        ),
    ),
    result=answer_of(
        Field("base", Text(), "The commit compared with."),
        Field("head", Text(), "The checked-out commit; absent for uncommitted changes."),
        Field("commits", Many(Anything()), "The newest first.", required=True),
        Field(
            "files",
            Many(
                Object.of(
                    Field("path", Text(), required=True),
                    Field("oldPath", Text()),
                    Field("status", Text(), required=True),
                    Field(
                        "hunks",
                        Many(Object.of(Field("context", Text()), Field("diff", Text(), required=True))),
                        "`context` is the definition, section or key around it.",
                        required=True,
                    ),
                    Field("symbols", Many(Text()), "Definitions whose own text changed.", required=True),
                )
            ),
            required=True,
        ),
        Field("leftOut", Many(LEFT_OUT), "What is not shown, and why.", required=True),
    ),
    examples=(
        Example(
            about="Uncommitted changes",
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
            about="A base that is not a commit",
            files=REPOSITORY,
            arguments={"base": "main"},
            result={"success": False, "kind": "bad-request"},
        ),
        Example(
            about="A directory that is not a repository",
            files={"a.md": "a\n"},
            arguments={},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=_run_impact_extract,
    rank=92,
)


# `impact_search`: which articles a change of the code may concern.

_ARTICLES: Final = 200  # in one answer
_EVIDENCE: Final = 50  # for one article
_PROBLEMS: Final = 100


def _run_impact_search(call: Call, fields: Fields) -> Result:
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


_IMPACT_SEARCH_TOOL = Tool(
    name="impact_search",
    title="Find articles that a change may concern",
    summary=(
        "List the articles whose attention rules match a code change, with the evidence: rule, changed file, and how "
        "they match. A listed article may still be right: read it and the change."
    ),
    parameters=Object.of(
        BASE,
        UNCOMMITTED,
        Field("docs", Many(Text()), "Directories or files to search. Default: the whole workspace.", also=("path",)),
        Field(
            "mentions", Flag(), "Include pages that only mention a changed path, symbol, flag or environment variable."
        ),
    ),
    result=answer_of(
        Field(
            "articles",
            Many(
                Object.of(
                    Field("jrn", Text(), required=True),
                    Field("path", Text(), required=True),
                    Field("evidence", Many(Anything()), "Rule, changed file, how they match.", required=True),
                )
            ),
            required=True,
        ),
        Field("problems", Many(LEFT_OUT), "Problems in pages.", required=True),
        Field("changedFiles", Number(), required=True),
        Field("cut", Text(), "Why there is more."),
    ),
    examples=(
        Example(
            about="A page that depends on a function",
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
    run=_run_impact_search,
    rank=91,
)


TOOLS = (
    _EDIT_ARTICLE_TOOL,
    _IMPACT_EXTRACT_TOOL,
    _IMPACT_SEARCH_TOOL,
)
