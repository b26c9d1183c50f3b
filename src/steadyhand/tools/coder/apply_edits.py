"""`apply_edits`: ranges of lines, from 1 and both ends included, replaced in one file.

All ranges mean the file as it was read, whatever their order in the call. `end = start - 1` inserts before `start`;
`oldText`, where it is given, must be what stands there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.edit import Replace
from steadyhand.plan.ranges import find_overlap
from steadyhand.plan.request import MAX_EDITS
from steadyhand.structure.fields import bad_request
from steadyhand.structure.lines import Lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import clip_diff
from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE, REASON, expected_version, reason_of
from steadyhand.tools.offers import Offer, offering
from steadyhand.tools.result import CHANGED, success
from steadyhand.tools.shape import Field, Many, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_RANGE = Object(
    (
        Field("start", Number(), "First line, from 1.", required=True),
        Field("end", Number(), "Last line, included; start - 1 inserts before start.", required=True),
    ),
    in_order=("start", "end"),
)
_EDIT = Object(
    (
        Field("range", _RANGE, required=True),
        Field("oldText", Text(), "What stands in these lines; refused if something else does."),
        Field("newText", Text(), "The lines afterwards; empty deletes them.", required=True),
        Field("reason", Text(), "Why."),
    )
)
PARAMETERS = Object(
    (
        FILE,
        Field("edits", Many(_EDIT, least=1, most=MAX_EDITS), "Lines are those of the file as read.", required=True),
        Field("expectedHash", Text(), "fileHash of the version that was read."),
        REASON,
    )
)
RESULT = Object(
    (
        *CHANGED.fields,
        Field("diff", Text(), "What changed, as a unified diff.", required=True),
        Field("edits", Many(_RANGE), "The new lines of each edit, in the order of the call.", required=True),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Make the edits, each on the file as it was read, all or none."""
    path = str(fields["path"])
    edits = [_edit_of(item, index) for index, item in enumerate(cast("list[Mapping[str, Any]]", fields["edits"]))]
    _check_apart([target for _, target in edits])
    try:
        receipt = call.workspace.edit(
            call.path(path),
            [edit for edit, _ in edits],
            expect=expected_version(fields),
            policy=replace(call.workspace.policy, batch="snapshot"),
            reason=reason_of(fields),
        )
    except EditError as error:
        raise _as_sent(call, error) from None
    spans = [outcome.lines for outcome in receipt.outcomes]
    places = [{"start": span[0], "end": span[1]} for span in spans if span is not None]
    return success(receipt, path) | {"diff": clip_diff(receipt.diff()), "edits": places}


def _edit_of(item: Mapping[str, Any], index: int) -> tuple[Replace, Lines]:
    start, end = item["range"]["start"], item["range"]["end"]
    if end < start - 1:
        hint = f"send start {end}, end {start}; to insert before line {start}, end {start - 1}"
        raise bad_request(f"edits[{index}].range", f"lines {start} to {end} run backwards", hint)
    target = Lines(start, end, item.get("oldText"))
    return Replace(target, item["newText"], reason=item.get("reason")), target


def _check_apart(ranges: Sequence[Lines]) -> None:
    """Refuse ranges that share lines, with `overlapping-edits`."""
    overlap = find_overlap(ranges)
    if overlap is not None:
        first, second = (f"{ranges[index].start} to {ranges[index].end}" for index in overlap)
        raise EditError(
            Kind.OVERLAPPING_EDITS,
            f"edits {overlap[0]} and {overlap[1]} overlap: lines {first} and lines {second}",
            hint="make one edit of the two",
            details={"edits": list(overlap)},
        )


def _as_sent(call: Call, error: EditError) -> EditError:
    """The refusal with what to send instead in the tool's own form."""
    details = offering(error, lambda offer: _range_of(offer, call.workspace.source(str(error.details["path"]))))
    if details.get("corrected") is None:  # the file is another by now
        details.pop("corrected", None)
    match error.details.get("corrected"):
        case {"target": {"lines": {"start": start, "end": end, "text": text}}, "new": new}:
            details["corrected"] = {"range": {"start": start, "end": end}, "oldText": text, "newText": new}
    return error.advised(error.hints, details)


def _range_of(offer: Offer, source: Source) -> dict[str, object] | None:
    """The lines in which the old text of an offer stands, if it does."""
    at = source.text.find(offer.old)
    if at < 0:
        return None
    start, end = source.lines_of(Span(at, at + len(offer.old)))
    return {"range": {"start": start, "end": end}, "oldText": offer.old, "newText": offer.new}


TOOL = Tool(
    name="apply_edits",
    title="Edit ranges of lines",
    summary=(
        "Replace, insert or delete ranges of lines in one file, all or none. "
        "Line numbers are those of the file as you read it, whatever the order of the edits."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="One line replaced, one inserted",
            files={"a.txt": "one\ntwo\nthree\n"},
            arguments={
                "path": "a.txt",
                "edits": [
                    {"range": {"start": 1, "end": 1}, "oldText": "one", "newText": "1"},
                    {"range": {"start": 3, "end": 2}, "newText": "two and a half"},
                ],
            },
            result={"success": True, "edits": [{"start": 1, "end": 1}, {"start": 3, "end": 3}]},
            after={"a.txt": "1\ntwo\ntwo and a half\nthree\n"},
        ),
        Example(
            about="Other text stands there",
            files={"a.txt": "one\ntwo\nthree\n"},
            arguments={
                "path": "a.txt",
                "edits": [{"range": {"start": 2, "end": 2}, "oldText": "three", "newText": "3"}],
            },
            result={"success": False, "kind": "stale-source", "details": {"now_at": [3]}},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
)
