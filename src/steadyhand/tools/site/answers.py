"""What the site's tools answer: a result for each page, its content, and which tool to try next.

The content is the page as the call left it. A page that is too long to be sent back is left out and said to be; one
that is sent back counts as read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases, render_hints
from steadyhand.lazy import dataclass, replace
from steadyhand.plan.outcome import Outcome
from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Text
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.tools.call import Call
from steadyhand.tools.result import LINES, failure, success
from steadyhand.tools.site.element import ElementOperation
from steadyhand.tools.site.laying import Laid, Page, Refused, change_pages
from steadyhand.tools.site.naming import plain_path
from steadyhand.tools.site.passage import TIERS, PassageOperation
from steadyhand.tools.tool import Result

__all__ = ["MOST_CHARACTERS", "SUCCESS", "Answers", "overall", "page_fields"]

MOST_CHARACTERS = 200_000  # of content in one answer

# Refusals after which quoting the text differently may help, and after that writing the whole page.
_MISTAKES = frozenset(
    {
        Kind.NO_MATCH,
        Kind.AMBIGUOUS_MATCH,
        Kind.LOW_CONFIDENCE,
        Kind.COUNT_MISMATCH,
        Kind.DRIFT_CONFLICT,
        Kind.BREAKS_SYNTAX,
        Kind.PLACEHOLDER_LEFT,
    }
)
_TWICE = 2
_BY_TEXT = frozenset({Kind.NO_SUCH_TARGET, Kind.AMBIGUOUS_MATCH, Kind.UNPARSABLE, Kind.TOO_LARGE, Kind.NOT_INSTALLED})

SUCCESS = Either((Flag(), Text(choices=("partial",))))
_RESULTS = Many(
    Object(
        (
            Field("index", Number(), required=True),
            Field("success", Flag(), required=True),
            Field("lines", LINES),
            Field("error", Text()),
            Field("kind", Text()),
        ),
        is_open=True,
    )
)
_BEST = Object((Field("text", Text()), Field("similarity", Number(fractional=True)), Field("line", Number())))


def page_fields(*, elements: bool = False, passages: bool = False) -> tuple[Field, ...]:
    """The fields of a page's result, for tools that change elements, passages or both."""
    of_elements = (Field("results", _RESULTS, "One for each operation on elements."),)
    of_passages = (
        Field("matchTiers", Many(Text(choices=("exact", "whitespace", "token", "fuzzy"))), "How each text was found."),
        Field("appliedCount", Number()),
        Field("failedIndex", Number(), "From 0; those behind it were not tried."),
        Field("bestMatch", _BEST, "What comes nearest to the text of the failed operation."),
    )
    return (
        Field("success", SUCCESS, required=True),
        Field("file", Text(), required=True),
        Field("content", Text(), "The whole file as it is now."),
        Field("leftOut", Text(), "Why there is no content."),
        *(of_elements if elements else ()),
        *(of_passages if passages else ()),
        Field("id", Text(), "Undo it by this."),
        Field("fileHash", Text(), "Of the file as it is now; send it as expectedHash."),
        Field("error", Text()),
        Field("kind", Text()),
    )


def overall(results: Sequence[Result]) -> bool | str:
    """Whether all of several results are successes, none, or some."""
    said = [result["success"] for result in results]
    return True if all(each is True for each in said) else "partial" if any(said) else False


@dataclass(slots=True)
class Answers:
    """The answers to one call; `room` is how many characters of content are left for it."""

    call: Call
    room: int = MOST_CHARACTERS

    def change(self, page: Page, reason: str | None) -> Result:
        """Change one page in a transaction of its own, and tell what became of it. Refuses as `change_pages` does."""
        (laid,), receipt = change_pages(self.call, [page], reason)
        return self.page(laid, receipt, () if receipt is None else receipt.outcomes)

    def page(self, laid: Laid, receipt: Receipt | None, outcomes: Sequence[Outcome]) -> Result:
        """What became of one page, by the outcomes of the operations that were made on it."""
        if laid.error is not None:
            self.call.workspace.note_refusal(laid.error)
        if laid.failure is not None:
            return self.failed(laid.page.file, laid.failure)
        is_changed = receipt is not None and bool(outcomes)
        made = dict(zip(laid.made, outcomes, strict=True)) if is_changed else {}
        facts: Result = {"success": ("partial" if made else False) if laid.refused else True, "file": laid.page.file}
        if receipt is not None and is_changed:
            facts |= self._changed(receipt, outcomes)
        told = self._told(laid, is_partial=bool(made))
        if laid.page.elements:
            facts["results"] = _element_results(laid, made, told, self.call.toolset.phrases)
        if laid.page.passages:
            facts |= _passage_facts(laid, made)
        return told | facts | self._next(laid, told)

    def failed(self, file: str, error: EditError) -> Result:
        """A page that could not be changed at all."""
        return failure(error, self.call.toolset.phrases) | {"file": file}

    def _changed(self, receipt: Receipt, outcomes: Sequence[Outcome]) -> Result:
        file = next(each for each in receipt.files if each.path == outcomes[0].path)
        facts = success(replace(receipt, files=(file,), outcomes=tuple(outcomes)), file.path)
        notes = [f"line {each.lines[0] if each.lines else '?'}: {note}" for each in outcomes for note in each.notes]
        if notes:
            facts["warnings"] = [*receipt.warnings, *notes]
        for name in ("success", "path", "matchTiers"):
            facts.pop(name, None)
        content = self._content(file)
        if "content" in content:
            facts.pop("context", None)  # it is in the content
        return content | facts

    def _content(self, file: FileReceipt) -> Result:
        if file.redacted:
            return {"leftOut": "the file holds secrets, so nothing of it is shown"}
        text = file.present.text
        if len(text) > self.room:
            return {"leftOut": f"the file has {len(text)} characters; read what you need of it with readFile"}
        self.room -= len(text)
        with contextlib.suppress(EditError):  # what was done is done, whatever happened to the file since
            source = self.call.workspace.source(file.path)
            if source.digest == file.after:
                self.call.workspace.saw(source)
        return {"content": text}

    def _told(self, laid: Laid, *, is_partial: bool) -> Result:
        """The refusal of a page of which nothing was changed, or of the passage at which a page was left."""
        passage = next((each for each in laid.refused if isinstance(each.operation, PassageOperation)), None)
        error = passage.error if passage is not None else None if is_partial else laid.error
        told = {} if error is None else failure(error, self.call.toolset.phrases)
        return told if passage is None or passage.best is None else told | {"bestMatch": passage.best}

    def _next(self, laid: Laid, told: Result) -> Result:
        """Which tool to try after a refusal; mistakes in a row on one file are counted, and a success forgets them."""
        conversation, key = self.call.conversation, plain_path(laid.path or laid.page.file)
        refused = next((each for each in laid.refused if isinstance(each.operation, PassageOperation)), None)
        if refused is None:
            if laid.page.passages or not laid.refused:
                conversation.succeeded(key)
            is_by_text = laid.no_page is not None or any(each.error.kind in _BY_TEXT for each in laid.refused)
            return {"suggestedTool": "editFile"} if is_by_text else {}
        if refused.error.kind not in _MISTAKES:
            return {}
        count = conversation.failed(key)
        facts: Result = {"consecutiveFailures": count, "suggestedTool": "writeFiles" if count >= _TWICE else "readFile"}
        if count < _TWICE:
            return facts
        advice = f"this is failure {count} in a row on this file: read all of it with readFile, then write it whole "
        own = render_hints(refused.error.hints, self.call.toolset.phrases)
        hint = "\n".join(filter(None, (own, f"{advice}with writeFiles")))
        return facts | {"hint": hint, "error": f"{told.get('message')}\nHint: {hint}"}


def _element_results(
    laid: Laid, made: dict[ElementOperation | PassageOperation, Outcome], told: Result, phrases: Phrases
) -> list[Result]:
    """What became of each operation; a refusal that the answer gives at the top is not repeated."""
    refused: dict[object, Refused] = {each.operation: each for each in laid.refused}
    results = [_element_result(each, made.get(each), refused.get(each), phrases) for each in laid.page.elements]
    for each in results:
        if each.get("error") is not None and each["error"] == told.get("error"):
            del each["error"], each["details"]
    return results


def _element_result(
    operation: ElementOperation, outcome: Outcome | None, refused: Refused | None, phrases: Phrases
) -> Result:
    if refused is not None:
        told = failure(refused.error, phrases)
        return {"index": operation.index, **{name: told[name] for name in ("success", "error", "kind", "details")}}
    if outcome is None:
        return {"index": operation.index, "success": False, "heldBack": True}
    lines = outcome.lines
    where: Result = {} if lines is None else {"lines": {"start": lines[0], "end": lines[1]}}
    return {"index": operation.index, "success": True, **where}


def _passage_facts(laid: Laid, made: dict[ElementOperation | PassageOperation, Outcome]) -> Result:
    found = [(each, made[each]) for each in laid.page.passages if each in made]
    facts: Result = {"matchTiers": [TIERS.get(str(outcome.tier), "exact") for _, outcome in found]}
    tolerated = [_tolerated(each, outcome, laid.alike.get(each)) for each, outcome in found if outcome.differs]
    if tolerated:
        facts["tolerated"] = tolerated
    failed = next((each.operation.index for each in laid.refused if isinstance(each.operation, PassageOperation)), None)
    return facts if failed is None else facts | {"appliedCount": len(found), "failedIndex": failed}


def _tolerated(operation: PassageOperation, outcome: Outcome, alike: float | None) -> Result:
    """How a text that is not there as it was sent was found."""
    similarity = outcome.similarity if alike is None else alike
    return {
        "index": operation.index,
        "line": outcome.lines[0] if outcome.lines else None,
        "similarity": None if similarity is None else round(similarity, 3),
        "differs": list(outcome.differs),
    }
