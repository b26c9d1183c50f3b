"""`apply_edits`: ranges of lines, from 1 and both ends included, replaced in one file.

All ranges mean the file as it was read, whatever their order in the call. `end = start - 1` inserts before `start`;
`oldText`, where it is given, must be what stands there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.ranges import bottom_up, find_overlap
from steadyhand.session.checks import digest_of_version
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, check_list, join, read_optional_text, read_text
from steadyhand.structure.targets.lines import Lines
from steadyhand.tools.arguments import read_arguments, read_number
from steadyhand.tools.result import failure, success

__all__ = ["run"]

_FIELDS = ("path", "edits", "reason", "expectedHash")
_EDIT_FIELDS = ("range", "oldText", "newText", "reason")


def run(workspace: Workspace, arguments: Mapping[str, object]) -> dict[str, object]:
    """Carry out one call; `edits` of the result are the new lines of each edit, in the order of the call."""
    try:
        fields = read_arguments(arguments, _FIELDS)
        path, reason = read_text(fields, "path", ""), read_optional_text(fields, "reason", "")
        expect = digest_of_version(read_optional_text(fields, "expectedHash", ""))
        edits = _read_edits(fields.get("edits"))
        order = _check_apart(edits)
        whole = replace(workspace.policy, partial=False, batch="sequential")
        ordered = tuple(edits[index] for index in order)
        receipt = workspace.as_tool("apply_edits").edit(path, ordered, expect=expect, reason=reason, policy=whole)
    except EditError as error:
        return failure(error)
    lines = {index: outcome.lines for index, outcome in zip(order, receipt.outcomes, strict=True)}
    places = [{"start": span[0], "end": span[1]} for index in range(len(edits)) if (span := lines[index]) is not None]
    return success(receipt, path) | {"diff": receipt.diff(), "edits": places}


def _read_edits(value: object) -> list[Edit]:
    items = check_list(value, "edits")
    if not items:
        raise bad_request("edits", "the array is empty", "give at least one edit")
    return [_read_edit(item, f"edits[{index}]") for index, item in enumerate(items)]


def _read_edit(value: object, path: str) -> Edit:
    fields = read_arguments(value, _EDIT_FIELDS, path)
    place = read_arguments(fields.get("range"), ("start", "end"), join(path, "range"))
    start, end = (read_number(place, name, join(path, "range")) for name in ("start", "end"))
    if start is None or end is None:
        raise bad_request(join(path, "range"), "start and end are expected", 'such as {"start": 3, "end": 5}')
    lines = Lines(start, end, read_optional_text(fields, "oldText", path))
    return Replace(lines, read_text(fields, "newText", path), reason=read_optional_text(fields, "reason", path))


def _check_apart(edits: Sequence[Edit]) -> list[int]:
    """The order in which no edit moves the lines of another. Refuses with `overlapping-edits`."""
    ranges = [edit.target for edit in edits if isinstance(edit.target, Lines)]
    overlap = find_overlap(ranges)
    if overlap is not None:
        first, second = (f"{ranges[index].start} to {ranges[index].end}" for index in overlap)
        raise EditError(
            Kind.OVERLAPPING_EDITS,
            f"edits {overlap[0]} and {overlap[1]} overlap: lines {first} and lines {second}",
            hint="make one edit of the two",
            details={"edits": list(overlap)},
        )
    return list(bottom_up(ranges))
