"""How tests call the planner: one helper that holds every law on every example.

Notation: `⟦…⟧` marks a span in a text, `‸` a position.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Act, Delete, Edit, Insert, Replace, edit_from_json, edit_to_json
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import Result, edit
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

Edits = Edit | Sequence[Edit]


def marked(notation: str) -> tuple[str, list[Span]]:
    """The text without its marks, and the spans they mark, in the order they open."""
    text: list[str] = []
    spans: list[Span] = []
    opened: list[int] = []
    for char in notation:
        if char == "⟦":
            opened.append(len(spans))
            spans.append(Span(len(text), len(text)))
        elif char == "⟧":
            index = opened.pop()
            spans[index] = Span(spans[index].start, len(text))
        elif char == "‸":
            spans.append(Span(len(text), len(text)))
        else:
            text.append(char)
    assert not opened, "a ⟦ without its ⟧"
    return "".join(text), spans


def check_edit(
    before: str, edits: Edits, after: str, *, path: str | None = None, lines: object = None, **policy: object
) -> Result[str]:
    """Assert the text after, and every law that holds for an edit that goes through."""
    verbs = _verbs(edits)
    rules = Policy(**policy)  # type: ignore[arg-type]
    result = edit(before, verbs, path=path, policy=rules)
    assert result.error is None, f"{result.error}\nhint: {result.error.hint}"
    assert result.ok
    assert result.text == after
    check_laws(before, verbs, result)
    _check_json_form(before, verbs, result, path, rules)
    _check_bytes(before, verbs, result, path, rules)
    if lines is not None:
        assert [outcome.lines for outcome in result.outcomes] == lines
    return result


def check_refused(
    before: str, edits: Edits, kind: str | Kind, *, path: str | None = None, **policy: object
) -> EditError:
    """Assert that nothing changes and the first refusal has this kind; give that refusal."""
    verbs = _verbs(edits)
    rules = Policy(**policy)  # type: ignore[arg-type]
    result = edit(before, verbs, path=path, policy=rules)
    assert not result.ok
    assert result.error is not None
    assert result.error.kind == Kind(kind), result.error
    assert result.text == before
    assert not result.changes
    assert not any(outcome.applied for outcome in result.outcomes)
    assert result.diff() == ""
    json.dumps(result.error.to_json())
    assert len(result.error.message.splitlines()) <= 15
    assert result.error.hint
    raw = Source.of_text(before).to_bytes()
    if Source.of_bytes(raw).text == before:
        refused = edit(raw, verbs, path=path, policy=rules)
        assert refused.text == raw
        assert refused.error is not None
        assert refused.error.kind == result.error.kind
    return result.error


def check_laws(before: str, verbs: Sequence[Edit], result: Result[str]) -> None:
    """What holds for every result, whatever was applied."""
    changes = result.changes
    assert changes.apply(before) == result.text
    assert changes.invert().apply(result.text) == before
    assert ChangeSet.from_json(json.loads(json.dumps(changes.to_json()))) == changes
    assert not any(splice.changes_nothing for splice in changes.splices)
    _check_outside(before, result.text, changes)
    _check_outcomes(verbs, result)


def _check_outside(before: str, after: str, changes: ChangeSet) -> None:
    """Characters between two splices are the same on both sides."""
    left = right = 0
    for splice, span in zip(changes.splices, changes.after_spans(), strict=True):
        assert before[left : splice.start] == after[right : span.start]
        left, right = splice.end, span.end
    assert before[left:] == after[right:]


def _check_outcomes(verbs: Sequence[Edit], result: Result[str]) -> None:
    assert [outcome.index for outcome in result.outcomes] == list(range(len(verbs)))
    written = sorted(number for outcome in result.outcomes for number in outcome.splices)
    assert written == list(range(len(result.changes.splices)))
    count = max(result.after.line_count, 1)
    for outcome in result.outcomes:
        assert sum((outcome.applied, outcome.error is not None, outcome.skipped is not None)) == 1
        json.dumps(outcome.to_json())
        if outcome.applied:
            assert outcome.lines is not None
            assert 1 <= outcome.lines[0] <= outcome.lines[1] <= count
            assert outcome.tier is not None


def _check_json_form(before: str, verbs: Sequence[Edit], result: Result[str], path: str | None, rules: Policy) -> None:
    forms = [json.loads(json.dumps(edit_to_json(verb))) for verb in verbs]
    assert [edit_from_json(form) for form in forms] == list(verbs)
    assert edit(before, forms, path=path, policy=rules).text == result.text


def _check_bytes(before: str, verbs: Sequence[Edit], result: Result[str], path: str | None, rules: Policy) -> None:
    """The same edits on bytes give the bytes of the same text, with a byte order mark as well."""
    for mark in ("", "\ufeff"):
        raw = (mark + before).encode("utf-8", "surrogatepass")
        if Source.of_bytes(raw).text != before:
            continue
        done = edit(raw, verbs, path=path, policy=rules)
        assert done.text == (mark + result.text).encode("utf-8", "surrogatepass")
        assert done.changes == result.changes


def _verbs(edits: Edits) -> list[Edit]:
    return [edits] if isinstance(edits, Replace | Insert | Delete | Act) else list(edits)
