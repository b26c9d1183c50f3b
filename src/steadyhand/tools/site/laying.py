"""The operations of a call put into a transaction, page by page, and the transaction ended or dropped.

1. Operations on elements come first, each by itself: one that is refused leaves the page as it was, and the next is
   asked on that.
2. Passages come then, together, so that what opens and what closes a construct are judged as one; at the first that is
   refused those before it are kept and those behind it are not tried.
3. A page goes through in one transaction. Nothing of it is written where not all of it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from steadyhand.errors import Action, EditError, Kind
from steadyhand.hints import Note
from steadyhand.lazy import dataclass, field, replace
from steadyhand.plan.outcome import Outcome
from steadyhand.plan.policy import Policy
from steadyhand.session.batch import Batch
from steadyhand.session.receipt import Receipt
from steadyhand.text.source import Source
from steadyhand.tools.call import Call
from steadyhand.tools.site.element import ElementOperation, no_page
from steadyhand.tools.site.passage import LIKE_ENOUGH, PassageOperation

__all__ = ["Laid", "Operation", "Page", "Refused", "change_pages"]

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
class Laid:
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
) -> tuple[list[Laid], Receipt | None]:
    """Change pages in one transaction; without a receipt nothing was changed. `is_atomic`: every operation, or nothing.

    Refuses where the change cannot be committed; a file that changed in between is looked at again.
    """
    tries, faint = 0, set[Operation]()
    while tries < _TRIES:
        laid: list[Laid] = []
        seen = [_version(call, page) for page in pages]
        try:
            with call.workspace.transaction(reason=reason) as batch:
                laid += [_Laying(call, batch, page, faint).run() for page in pages]
                if any(each.failure is not None or (is_atomic and each.refused) for each in laid):
                    raise _Dropped
        except _Dropped:
            return laid, None
        except _Faint as found:
            faint.add(found.operation)
            continue
        except EditError:
            if seen == [_version(call, page) for page in pages]:
                raise
            tries += 1
            continue
        return laid, batch.receipt if any(each.made for each in laid) else None
    raise EditError(Kind.BUSY, "the files keep changing under the edit", hint="try again in a moment")


def _version(call: Call, page: Page) -> str | None:
    try:
        return call.workspace.source(call.path(page.file)).digest
    except EditError:
        return None


def _not_without(error: EditError, alone: EditError) -> EditError:
    """The refusal of an operation without which those before it cannot be made."""
    return error.advised((*error.hints, Note(f"those before it were not kept, as without it {alone.message}")))


class _Laying:
    """One page in a transaction."""

    def __init__(self, call: Call, batch: Batch, page: Page, faint: AbstractSet[Operation]) -> None:
        self._call = call
        self._faint = faint
        self._batch = batch
        self._laid = Laid(page)
        given = call.workspace.policy
        on_conflict = (
            "refuse" if given.on_conflict == "skip" else given.on_conflict
        )  # what is left out is reported here
        self._policy = replace(given, partial=False, on_conflict=on_conflict)

    def run(self) -> Laid:
        laid = self._laid
        try:
            laid.path = self._call.path(laid.page.file)
            source = self._call.workspace.source(laid.path)  # it is there and is text, or similar names are listed
            laid.no_page = no_page(source) if laid.page.elements else None
            for operation in laid.page.elements:
                self._lay_element(operation)
            for tier, run in groupby(laid.page.passages, self._tier):
                if not self._lay_passages(list(run), replace(self._policy, tier=tier)):
                    break
        except EditError as error:
            laid.failure = error
        return laid

    def _tier(self, operation: PassageOperation) -> str | None:
        return operation.tier(self._policy.tier, by_likeness=operation not in self._faint)

    def _lay_element(self, operation: ElementOperation) -> None:
        edit = operation.edit
        error = self._laid.no_page or (edit if isinstance(edit, EditError) else None)
        error = error or self._refusal([operation], self._policy)
        if error is None:
            self._laid.made.append(operation)
        else:
            self._leave(Refused(operation, operation.explained(error, self._laid.page.file)))

    def _lay_passages(self, run: list[PassageOperation], policy: Policy) -> bool:
        """Lay what fits; whether all of it did."""
        error = self._refusal(run, policy)
        if error is None:
            self._laid.made += run
            return True
        at = error.details.get("index")
        if not isinstance(at, int) or error.kind is Kind.OVERLAPPING_EDITS or not 0 <= at < len(run):
            at = 0 if len(run) == 1 else None
        if at is None:
            return self._lay_one_by_one(run, policy)
        alone = None if at == 0 else self._refusal(run[:at], policy)
        self._laid.made += run[:at] if alone is None else ()
        self._refuse(run[at], error if alone is None else _not_without(error, alone))
        return False

    def _lay_one_by_one(self, run: Sequence[PassageOperation], policy: Policy) -> bool:
        """The same where one touches what another wrote, or where together they would break the file."""
        for operation in run:
            error = self._refusal([operation], policy)
            if error is not None:
                self._refuse(operation, error)
                return False
            self._laid.made.append(operation)
        return True

    def _refuse(self, operation: PassageOperation, error: EditError) -> None:
        best = operation.best_match(error, self._batch.source(self._laid.path or ""))
        self._leave(Refused(operation, operation.explained(error, self._laid.page.file, best), best))

    def _leave(self, refused: Refused) -> None:
        self._laid.refused.append(refused)
        edit = refused.operation.edit
        reason = None if isinstance(edit, EditError) else edit.reason
        self._batch.leave(self._laid.path or "", refused.error, reason)

    def _refusal(self, operations: Sequence[Operation], policy: Policy) -> EditError | None:
        """Lay operations into the transaction, all or none; why not, if none."""
        edits = [each.edit for each in operations if not isinstance(each.edit, EditError)]
        before = self._batch.source(self._laid.path or "")
        try:
            outcomes = self._batch.edit(self._laid.path or "", edits, policy=policy)
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
            self._laid.alike[operation] = alike
        return alike is None or alike >= LIKE_ENOUGH
