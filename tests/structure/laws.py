"""What holds for every address of every file, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Delete, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.format import OutlineEntry, format_of
from steadyhand.structure.node import Node, Refusal
from steadyhand.structure.target import Addressed, parse_address, render_address
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source

# A deletion may be refused for a reason of the format: the only statement of a body, the top of a document.
MAY_REFUSE_DELETION = {Kind.BAD_REQUEST, Kind.UNPARSABLE, Kind.BREAKS_SYNTAX}
NOT_PARSED = {Kind.UNPARSABLE, Kind.TOO_LARGE}
NO_GUARDS = Policy(guards=frozenset())


def outline_of(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """What the format of a source says can be addressed."""
    known = format_of(source.path)
    assert known is not None, f"no format for {source.path}"
    return known.outline(source)


def node_of(source: Source, address: str) -> Node:
    """The one node of an address."""
    target = parse_address(address)
    assert isinstance(target, Addressed)
    found = target.resolve(source)
    assert not isinstance(found, Refusal), f"{address}: {found.kind}: {found.message}"
    assert len(found) == 1
    return found[0]


def check_entry(source: Source, entry: OutlineEntry) -> None:
    """All laws, for one address."""
    node = node_of(source, entry.address)
    assert (node.kind, node.span) == (entry.kind, entry.span), entry.address
    assert render_address(parse_address(entry.address)) == entry.address
    again = node_of(Source.of_text(source.text, path=source.path), entry.address)
    assert (again.kind, again.span, again.address) == (node.kind, node.span, node.address)
    assert 0 <= node.span.start <= node.span.end <= len(source.text)
    check_replaced_by_itself(source, entry.address, node)
    check_deletion(source, entry.address)


def check_replaced_by_itself(source: Source, address: str, node: Node) -> None:
    """A place that is replaced by its own text changes nothing."""
    result = edit(source.text, Replace(parse_address(address), node.own_text(source)), path=source.path)
    assert result.text == source.text, address
    assert result.error is not None
    assert result.error.kind == Kind.NO_CHANGE, f"{address}: {result.error}: {result.error.hint}"


def check_deletion(source: Source, address: str) -> None:
    """What is taken away can be put back, and nothing else has moved."""
    result = edit(source.text, Delete(parse_address(address)), path=source.path, policy=NO_GUARDS)
    if result.error is not None:
        assert result.error.kind in MAY_REFUSE_DELETION, f"{address}: {result.error}"
        assert result.text == source.text
        return
    assert result.text != source.text
    assert result.changes.invert().apply(result.text) == source.text
    check_only_inside(source.text, result.text, result.changes)


def check_only_inside(before: str, after: str, changes: ChangeSet) -> None:
    """Outside of the splices both texts are the same, character for character."""
    position, moved = 0, 0
    for splice in changes.splices:
        assert before[position : splice.start] == after[position + moved : splice.start + moved]
        position, moved = splice.end, moved + splice.delta
    assert before[position:] == after[position + moved :]


def refusal_of(source: Source) -> EditError | None:
    """Why a source has no outline; None where it has one."""
    found = outline_of(source)
    return found.to_error() if isinstance(found, Refusal) else None
