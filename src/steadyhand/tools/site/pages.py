"""Pages that are changed: operations made on each in order, and what is answered of them.

The content in an answer is the page as the call left it. A page that is too long to be sent back is left out and said
to be; one that is sent back counts as read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from steadyhand.errors import Action, EditError, Kind
from steadyhand.hints import Hint, Note, Phrases
from steadyhand.lazy import dataclass, field, replace
from steadyhand.plan.planner import Outcome
from steadyhand.plan.policy import Policy
from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.receipt import FileReceipt, Receipt
from steadyhand.session.transaction_builder import Batch
from steadyhand.structure.html.element import no_page
from steadyhand.text.source import Source
from steadyhand.tools.result import LINES, failure, success
from steadyhand.tools.site.operations import LIKE_ENOUGH, TIERS, ElementOperation, PassageOperation
from steadyhand.tools.tool import Call, Result, plain_path

# Files as a call names them: each once, however it is spelled.


def check_apart(call: Call, files: Sequence[str], field: str) -> None:
    """Refuse with `bad-request` a call that names a file twice: nothing would say in which order it is meant."""
    first: dict[str, int] = {}
    for index, file in enumerate(files):
        try:
            path = plain_path(call.path(file))
        except EditError:
            continue  # that is reported for the file itself
        if path in first:
            raise bad_request(
                f"{field}[{index}].file",
                f"{file} is already named in {field}[{first[path]}]",
                "put all changes of a file into one entry",
            )
        first[path] = index


# The operations of a call put into a transaction, page by page, and the transaction ended or dropped.
#
# 1. Operations on elements come first, each by itself: one that is refused leaves the page as it was, and the next is
#    asked on that.
# 2. Passages come then, together, so that what opens and what closes a construct are judged as one; at the first that
#    is refused those before it are kept and those behind it are not tried.
# 3. A page goes through in one transaction. Nothing of it is written where not all of it can be.

Operation = ElementOperation | PassageOperation

_TRIES = 5
# What is no matter of one operation: the file as a whole cannot be changed, or not now.
_OF_THE_FILE = frozenset(
    {Kind.NO_SUCH_FILE, Kind.NOT_ALLOWED, Kind.READ_ONLY, Kind.PROTECTED_PATH, Kind.OUTSIDE_ROOT, Kind.JOURNAL_DAMAGED}
)


@dataclass(frozen=True, slots=True)
class Page:
    """What is asked of one file, as it was named."""

    file: str
    elements: tuple[ElementOperation, ...] = ()
    passages: tuple[PassageOperation, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """An operation that was not made, and why; `best` is the place nearest to what it searched for."""

    operation: Operation
    error: EditError
    best: dict[str, object] | None = None


@dataclass(slots=True)
class PageChange:
    """What became of a page's operations: those made, in order, and those refused. `failure` is the page's as a whole.

    `alike` says how like the places are that were found by likeness. `path` is the file as the workspace knows it,
    None where it could not be found out. `no_page` is why it has no elements, where it is no page.
    """

    page: Page
    path: str | None = None
    made: list[Operation] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    alike: dict[Operation, float] = field(default_factory=dict)
    failure: EditError | None = None
    no_page: EditError | None = None

    @property
    def error(self) -> EditError | None:
        """The first thing that went wrong."""
        return self.failure or next((each.error for each in self.refused), None)


class _Dropped(Exception):
    """The transaction is not to go through."""


class _Faint(Exception):
    """A passage was found at a place that is not like enough; the transaction starts again without that place."""

    def __init__(self, operation: PassageOperation) -> None:
        super().__init__()
        self.operation = operation


def change_pages(
    call: Call, pages: Sequence[Page], reason: str | None, *, is_atomic: bool = False
) -> tuple[list[PageChange], Receipt | None]:
    """Change pages in one transaction; without a receipt nothing was changed. `is_atomic`: every operation, or nothing.

    Refuses where the change cannot be committed; a file that changed in between is looked at again.
    """
    tries, faint = 0, set[Operation]()
    while tries < _TRIES:
        changes: list[PageChange] = []
        seen = [_version(call, page) for page in pages]
        try:
            with call.workspace.transaction(reason=reason) as batch:
                changes += [_PageChanger(call, batch, page, faint).run() for page in pages]
                if any(each.failure is not None or (is_atomic and each.refused) for each in changes):
                    raise _Dropped
        except _Dropped:
            return changes, None
        except _Faint as found:
            faint.add(found.operation)
            continue
        except EditError:
            if seen == [_version(call, page) for page in pages]:
                raise
            tries += 1
            continue
        return changes, batch.receipt if any(each.made for each in changes) else None
    raise EditError(Kind.BUSY, "the files keep changing under the edit", hint="try again in a moment")


def _version(call: Call, page: Page) -> str | None:
    try:
        return call.host.source(call.path(page.file)).digest
    except EditError:
        return None


class _PageChanger:
    """One page in a transaction."""

    def __init__(self, call: Call, batch: Batch, page: Page, faint: AbstractSet[Operation]) -> None:
        self._call = call
        self._faint = faint
        self._batch = batch
        self._change = PageChange(page)
        given = call.workspace.policy
        on_conflict = (
            "refuse" if given.on_conflict == "skip" else given.on_conflict
        )  # what is left out is reported here
        self._policy = replace(given, partial=False, on_conflict=on_conflict)

    def run(self) -> PageChange:
        change = self._change
        try:
            change.path = self._call.path(change.page.file)
            source = self._call.host.source(change.path)  # it is there and is text, or similar names are listed
            change.no_page = _no_page(source.path) if change.page.elements else None
            for operation in change.page.elements:
                self._change_element(operation)
            for tier, run in groupby(change.page.passages, self._tier):
                if not self._change_passages(list(run), replace(self._policy, tier=tier)):
                    break
        except EditError as error:
            change.failure = error
        return change

    def _tier(self, operation: PassageOperation) -> str | None:
        return operation.tier(self._policy.tier, by_likeness=operation not in self._faint)

    def _change_element(self, operation: ElementOperation) -> None:
        edit = operation.edit
        error = self._change.no_page or (edit if isinstance(edit, EditError) else None)
        error = error or self._refusal([operation], self._policy)
        if error is None:
            self._change.made.append(operation)
        else:
            self._leave(Refused(operation, operation.explained(error, self._change.page.file)))

    def _change_passages(self, run: list[PassageOperation], policy: Policy) -> bool:
        """Add what fits to the transaction; whether all of it did."""
        error = self._refusal(run, policy)
        if error is None:
            self._change.made += run
            return True
        at = error.details.get("index")
        if not isinstance(at, int) or error.kind is Kind.OVERLAPPING_EDITS or not 0 <= at < len(run):
            at = 0 if len(run) == 1 else None
        if at is None:
            return self._change_one_by_one(run, policy)
        alone = None if at == 0 else self._refusal(run[:at], policy)
        self._change.made += run[:at] if alone is None else ()
        if alone is not None:  # without this operation those before it cannot be made either
            note = Note(f"those before it were not kept, because without it {alone.message}")
            error = error.advised((*error.hints, note))
        self._refuse(run[at], error)
        return False

    def _change_one_by_one(self, run: Sequence[PassageOperation], policy: Policy) -> bool:
        """The same where one touches what another wrote, or where together they would break the file."""
        for operation in run:
            error = self._refusal([operation], policy)
            if error is not None:
                self._refuse(operation, error)
                return False
            self._change.made.append(operation)
        return True

    def _refuse(self, operation: PassageOperation, error: EditError) -> None:
        best = operation.best_match(error, self._batch.source(self._change.path or ""))
        self._leave(Refused(operation, operation.explained(error, self._change.page.file, best), best))

    def _leave(self, refused: Refused) -> None:
        self._change.refused.append(refused)
        edit = refused.operation.edit
        reason = None if isinstance(edit, EditError) else edit.reason
        self._batch.leave(self._change.path or "", refused.error, reason)

    def _refusal(self, operations: Sequence[Operation], policy: Policy) -> EditError | None:
        """Add operations to the transaction, all or none; why not, if none."""
        edits = [each.edit for each in operations if not isinstance(each.edit, EditError)]
        before = self._batch.source(self._change.path or "")
        try:
            outcomes = self._batch.edit(self._change.path or "", edits, policy=policy)
        except EditError as error:
            if error.kind in _OF_THE_FILE or error.kind.action in (Action.RETRY_LATER, Action.REPORT_BUG):
                raise
            return error
        for operation, outcome in zip(operations, outcomes, strict=True):
            if isinstance(operation, PassageOperation) and not self._is_like_enough(operation, outcome, before):
                raise _Faint(operation)
        return None

    def _is_like_enough(self, operation: PassageOperation, outcome: Outcome, before: Source) -> bool:
        alike = operation.likeness(outcome, before)
        if alike is not None:
            self._change.alike[operation] = alike
        return alike is None or alike >= LIKE_ENOUGH


# What the site's tools answer: a result for each page, its content, and which tool to try next.
#
# The content is the page as the call left it. A page that is too long to be sent back is left out and said to be; one
# that is sent back counts as read.

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


def _no_page(path: str | None) -> EditError | None:
    """Why a file has no elements, if it has none."""
    if no_page(path) is None:
        return None
    hint = "element operations are for HTML pages: change this file by its text, with editFile"
    return EditError(Kind.BAD_REQUEST, "this is not an HTML page", hint=hint, details={"path": path})


_BY_TEXT = frozenset({Kind.NO_SUCH_TARGET, Kind.AMBIGUOUS_MATCH, Kind.UNPARSABLE, Kind.TOO_LARGE, Kind.NOT_INSTALLED})

SUCCESS = Either((Flag(), Text(choices=("partial",))))
_RESULTS = Many(
    Object.of(
        Field("index", Number(), required=True),
        Field("success", Flag(), required=True),
        Field("lines", LINES),
        Field("error", Text()),
        Field("kind", Text()),
        is_open=True,
    )
)
_BEST = Object.of(Field("text", Text()), Field("similarity", Number(fractional=True)), Field("line", Number()))


def page_fields(*, elements: bool = False, passages: bool = False) -> tuple[Field, ...]:
    """The fields of a page's result, for tools that change elements, passages or both."""
    of_elements = (Field("results", _RESULTS, "One for each operation on elements."),)
    of_passages = (
        Field("matchTiers", Many(Text(choices=("exact", "whitespace", "token", "fuzzy"))), "How each text was found."),
        Field("appliedCount", Number()),
        Field("failedIndex", Number(), "From 0; those after it were not tried."),
        Field("bestMatch", _BEST, "The text nearest to the failed operation's search."),
    )
    return (
        Field("success", SUCCESS, required=True),
        Field("file", Text(), required=True),
        Field("content", Text(), "The whole current file."),
        Field("leftOut", Text(), "Why content is missing."),
        *(of_elements if elements else ()),
        *(of_passages if passages else ()),
        Field("id", Text(), "Undo it by this."),
        Field("fileHash", Text(), "Of the current file; send it as expectedHash."),
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
        (change,), receipt = change_pages(self.call, [page], reason)
        return self.page(change, receipt, () if receipt is None else receipt.outcomes)

    def page(self, change: PageChange, receipt: Receipt | None, outcomes: Sequence[Outcome]) -> Result:
        """What became of one page, by the outcomes of the operations that were made on it."""
        if change.error is not None:
            self.call.host.note_refusal(change.error)
        if change.failure is not None:
            return self.failed(change.page.file, change.failure)
        is_changed = receipt is not None and bool(outcomes)
        made = dict(zip(change.made, outcomes, strict=True)) if is_changed else {}
        facts: Result = {
            "success": ("partial" if made else False) if change.refused else True,
            "file": change.page.file,
        }
        if receipt is not None and is_changed:
            facts |= self._changed(receipt, outcomes)
        next_facts, note = self._next(change)
        refusal = self._refusal(change, note, is_partial=bool(made))
        if change.page.elements:
            facts["results"] = _element_results(change, made, refusal, self.call.toolset.phrases)
        if change.page.passages:
            facts |= _passage_facts(change, made)
        return refusal | facts | next_facts

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
            return {"leftOut": "the file holds secrets, so its text is not shown"}
        text = file.present.text
        if len(text) > self.room:
            return {"leftOut": f"the file has {len(text)} characters; read what you need of it with readFile"}
        self.room -= len(text)
        with contextlib.suppress(EditError):  # what was done is done, whatever happened to the file since
            source = self.call.host.source(file.path)
            if source.digest == file.after:
                self.call.host.saw(source)
        return {"content": text}

    def _refusal(self, change: PageChange, note: tuple[Hint, ...], *, is_partial: bool) -> Result:
        """The refusal of a page of which nothing was changed, or of the passage at which a page was left."""
        passage = next((each for each in change.refused if isinstance(each.operation, PassageOperation)), None)
        error = passage.error if passage is not None else None if is_partial else change.error
        refusal = {} if error is None else failure(error.advised((*error.hints, *note)), self.call.toolset.phrases)
        return refusal if passage is None or passage.best is None else refusal | {"bestMatch": passage.best}

    def _next(self, change: PageChange) -> tuple[Result, tuple[Hint, ...]]:
        """Which tool to try after a refusal, and what to say of it; mistakes in a row on one file are counted, and a
        success forgets them.
        """
        conversation, key = self.call.conversation, plain_path(change.path or change.page.file)
        refused = next((each for each in change.refused if isinstance(each.operation, PassageOperation)), None)
        if refused is None:
            if change.page.passages or not change.refused:
                conversation.succeeded(key)
            is_by_text = change.no_page is not None or any(each.error.kind in _BY_TEXT for each in change.refused)
            return {"suggestedTool": "editFile"} if is_by_text else {}, ()
        if refused.error.kind not in _MISTAKES:
            return {}, ()
        count = conversation.failed(key)
        facts: Result = {"consecutiveFailures": count, "suggestedTool": "writeFiles" if count >= _TWICE else "readFile"}
        if count < _TWICE:
            return facts, ()
        advice = f"this is failure {count} in a row on this file: read all of it with readFile, then write it whole "
        return facts, (Note(f"{advice}with writeFiles"),)


def _element_results(
    change: PageChange, made: dict[ElementOperation | PassageOperation, Outcome], refusal: Result, phrases: Phrases
) -> list[Result]:
    """What became of each operation; a refusal that the answer gives at the top is not repeated."""
    refused: dict[object, Refused] = {each.operation: each for each in change.refused}
    results = [_element_result(each, made.get(each), refused.get(each), phrases) for each in change.page.elements]
    for each in results:
        if each.get("error") is not None and each["error"] == refusal.get("error"):
            del each["error"], each["details"]
    return results


def _element_result(
    operation: ElementOperation, outcome: Outcome | None, refused: Refused | None, phrases: Phrases
) -> Result:
    if refused is not None:
        refusal = failure(refused.error, phrases)
        return {"index": operation.index, **{name: refusal[name] for name in ("success", "error", "kind", "details")}}
    if outcome is None:
        return {"index": operation.index, "success": False, "heldBack": True}
    lines = outcome.lines
    where: Result = {} if lines is None else {"lines": {"start": lines[0], "end": lines[1]}}
    return {"index": operation.index, "success": True, **where}


def _passage_facts(change: PageChange, made: dict[ElementOperation | PassageOperation, Outcome]) -> Result:
    found = [(each, made[each]) for each in change.page.passages if each in made]
    facts: Result = {"matchTiers": [TIERS.get(str(outcome.tier), "exact") for _, outcome in found]}
    tolerated = [_tolerated(each, outcome, change.alike.get(each)) for each, outcome in found if outcome.differs]
    if tolerated:
        facts["tolerated"] = tolerated
    failed = next(
        (each.operation.index for each in change.refused if isinstance(each.operation, PassageOperation)), None
    )
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
