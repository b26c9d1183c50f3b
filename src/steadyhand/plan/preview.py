"""The pure front: text and edits in, a result out; whole new content in, a plan out. No disk, no journal.

Nothing is raised for an edit that cannot be made or for JSON that is not an edit: the result says so.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from steadyhand.errors import EditError
from steadyhand.lazy import LazyModule, dataclass
from steadyhand.plan.edit import Edits, read_edits
from steadyhand.plan.policy import USUAL, Policy
from steadyhand.schema import bad_request
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import MARK, Encoding
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.plan import guards, planner
    from steadyhand.plan.guards import Stage
    from steadyhand.plan.planner import Outcome, Plan
else:  # not before the first edit or write: most of a start would go into them
    guards, planner = LazyModule("steadyhand.plan.guards"), LazyModule("steadyhand.plan.planner")

Text = TypeVar("Text", str, bytes)


@sized("text", "outcomes")
@dataclass(frozen=True, slots=True)
class Result(Generic[Text]):
    """What `edit` gives: the text after, in the type it came in, and what became of each edit.

    `text` is the input when nothing was applied. `error` is the first refusal, or None when `ok`.
    `warnings` is what guards have to say that is no refusal.
    Of a patch, `format` is the dialect it was read in, and `remarks` what of the reply was left out.
    """

    text: Text
    ok: bool
    outcomes: tuple[Outcome, ...]
    changes: ChangeSet
    before: Source
    after: Source
    error: EditError | None = None
    format: str | None = None
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def diff(self, *, context: int = 3) -> str:
        """A unified diff of what was applied; empty when nothing was."""
        from steadyhand.text.unified import render_changes, render_unified

        path = self.before.path or "text"
        if self.after.is_large:
            return render_changes(self.after, self.changes, path, path, context=context)
        return render_unified(self.before, self.after, path, path, context=context)

    def raise_for_error(self) -> None:
        """Raise the first refusal, if there was one; what a partial call did apply is in `details["applied"]`."""
        if self.error is not None:
            applied = [outcome.index for outcome in self.outcomes if outcome.applied]
            raise self.error.with_details(applied=applied) if applied else self.error


def edit(
    text: Text,
    edits: Edits,
    *,
    path: str | None = None,
    policy: Policy | None = None,
    encoding: str | None = None,
) -> Result[Text]:
    """Apply edits to a text. An edit is a verb or its JSON form; `path` is only a hint of the language.

    >>> from steadyhand.plan.edit import Replace
    >>> edit("a b a", [Replace("a", "$&", occurrence="all")]).text
    '$& b $&'
    """
    try:
        source = source_of(text, path, policy, encoding)
    except EditError as error:
        return refused_result(text, Source.of_text("", path=path), error)
    try:
        verbs = read_edits(edits)
    except EditError as error:
        return refused_result(text, source, error, _blame(edits, error, path))
    return result_of(text, source, planner.plan(source, verbs, policy if policy is not None else USUAL, path=path))


def source_of(text: str | bytes, path: str | None, policy: Policy | None, encoding: str | None) -> Source:
    """A text that is to be edited. Refuses with `bad-request` what is none, and what is no policy."""
    if policy is not None and not isinstance(policy, Policy):
        raise bad_request("policy", "a Policy is expected", "such as Policy(partial=True)")
    if isinstance(text, str):
        return Source.of_text(text, path=path)
    if isinstance(text, bytes | bytearray | memoryview):
        return Source.of_bytes(bytes(text), encoding=encoding, path=path)
    raise bad_request("text", "str or bytes is expected")


def result_of(text: Text, source: Source, made: Plan) -> Result[Text]:
    """What a plan makes of a text, in the type that it came in."""
    after: Text = text
    error = made.error
    if made.changes:
        try:
            after = made.after.text if isinstance(text, str) else made.after.to_bytes()
        except EditError as refusal:
            return refused_result(text, source, refusal, made.outcomes)
    return Result(after, made.ok, made.outcomes, made.changes, source, made.after, error, warnings=made.warnings)


def refused_result(text: Text, source: Source, error: EditError, outcomes: tuple[Outcome, ...] = ()) -> Result[Text]:
    """A text that stays as it is."""
    return Result(text, False, outcomes, ChangeSet(), source, source, error)


def _blame(edits: object, error: EditError, path: str | None) -> tuple[Outcome, ...]:
    """One outcome per edit when one of them is no edit at all: that one refused, the others held back."""
    field = str(error.details.get("path", ""))
    if not isinstance(edits, Sequence) or isinstance(edits, str | bytes) or not field.startswith("edits["):
        return (planner.Outcome(0, applied=False, path=path, error=error),)
    wrong = int(field[len("edits[") : field.index("]")])
    return tuple(
        planner.Outcome(index, applied=False, path=path, error=error)
        if index == wrong
        else planner.Outcome(index, applied=False, path=path, skipped="held-back")
        for index in range(len(edits))
    )


def plan_write(
    before: Source | None,
    content: str,
    *,
    path: str | None = None,
    policy: Policy | None = None,
    allow_shrink: bool = False,
    seen: tuple[Span, ...] | None = None,
) -> Plan:
    """What a whole-file write would make of a file, or of none (`before` is None).

    The old file's encoding and byte order mark stay, and its line ending where it has only one. A U+FEFF that begins
    the content is the mark of a file that has one, and of a new file; it never becomes a character beside the mark.
    The plan has no outcomes; its `refusal` says why nothing may be written. Content equal to the file is no refusal:
    the change set is empty then. `changes` is made of whole lines and belongs to the text before (empty for none).

    >>> plan_write(Source.of_bytes(b"a\\r\\nb\\r\\n"), "a\\nc\\n").after.text
    'a\\r\\nc\\r\\n'
    """
    rules = policy if policy is not None else USUAL
    source = before if before is not None else Source("", _encoding_of_new(content), path)
    if source.encoding.mark:
        content = content.removeprefix(MARK)
    fitted = _fit(content, before, rules)
    guarded = guards.GuardedEdit(0, source.characters, content)
    given = guards.GuardInput(
        path, None if before is None else before.characters, fitted, (guarded,), rules, True, allow_shrink=allow_shrink,
        seen=seen,
    )  # fmt: skip
    try:
        source.encoding.check_new_text(fitted)
    except EditError as error:
        return _refused_write(source, error, path)
    stages: tuple[Stage, ...] = ("request", "edit", "file")
    warnings: tuple[str, ...] = ()
    for stage in stages:
        verdict = guards.ask_guards(stage, given)
        if verdict.refusal is not None:
            return _refused_write(source, verdict.refusal, path)
        warnings += verdict.warnings
    after, changes = source.changed_to(fitted)
    after = after if changes or before is None else source
    return planner.Plan(True, (), changes, (), after, warnings=warnings)


def _encoding_of_new(content: str) -> Encoding:
    return Encoding(mark=codecs.BOM_UTF8, chosen_by="mark") if content.startswith(MARK) else Encoding()


def _fit(content: str, before: Source | None, policy: Policy) -> str:
    if before is None or policy.newlines == "literal" or "\n" not in content or "\r\n" in content:
        return content
    uniform = before.newlines.uniform
    return content if uniform in (None, "\n") else content.replace("\n", uniform or "\n")


def _refused_write(source: Source, error: EditError, path: str | None) -> Plan:
    named = error if path is None else error.with_details(path=path)
    return planner.Plan(False, (), ChangeSet(), (), source, named)
