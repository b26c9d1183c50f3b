"""A snippet brought into a file: its literal runs anchored, what its marks stand for kept.

Pure, and never raises: a snippet that cannot be merged with certainty is an outcome with its refusal. A mark never comes
into the file, and nothing that the snippet does not show is ever taken away at the file's ends.
"""

from __future__ import annotations

from dataclasses import replace

from steadyhand.errors import EditError, Kind
from steadyhand.match.elision import is_elision
from steadyhand.match.lexis import lexis_of
from steadyhand.plan import refusals
from steadyhand.plan.anchoring import Placed, place_runs
from steadyhand.plan.edit import Edit, Insert
from steadyhand.plan.outcome import Outcome, Plan
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.snippet_compare import VisibleRows, key_of
from steadyhand.plan.snippet_edits import edits_of
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rows import Snippet, read_snippet
from steadyhand.structure.targets.lines import Lines
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source

__all__ = ["plan_merge"]

_FREE = frozenset("javascript swift go c java php dart json css hcl toml sql lua ruby markup shell".split())


def plan_merge(
    source: Source, snippet: str, policy: Policy, *, path: str | None = None, reason: str | None = None
) -> Plan:
    """What a snippet would make of a file.

    >>> source = Source.of_text("a = 1\\nb = 2\\nc = 3\\nd = 4\\n")
    >>> plan_merge(source, "# ...\\nb = 2\\nc = 5\\nd = 4\\n", Policy()).after.text
    'a = 1\\nb = 2\\nc = 5\\nd = 4\\n'
    """
    name = path or "the text"
    try:
        if source.is_binary:
            raise refusals.not_text(name)
        edits = _edits(source, read_snippet(snippet), policy, name, reason)
    except EditError as error:
        return _refused(source, error, path, reason)
    made = plan(source, edits, replace(policy, batch="snapshot", partial=False), path=path, reason=reason)
    return made


def _edits(source: Source, snippet: Snippet, policy: Policy, name: str, reason: str | None) -> list[Edit]:
    lexis = lexis_of(source.path)
    key = key_of(policy, lexis)
    file = VisibleRows(source.lines, key)
    refuse = Refusals(name, source, file)
    if not snippet.runs:
        raise refusals.no_change(name, "the snippet has no line that says something")
    if not len(file):
        raise refuse.no_anchor(snippet.runs[0])
    placed = place_runs(file, snippet.runs, key, refuse)
    edits = edits_of(placed, file, refuse, is_sensitive=lexis.name not in _FREE, reason=reason)
    if not edits:
        raise refusals.no_change(name, "every line of the snippet stands in the file as it is")
    return edits


def _refused(source: Source, error: EditError, path: str | None, reason: str | None) -> Plan:
    facts: dict[str, object] = {"index": 0} if path is None else {"index": 0, "path": path}
    outcome = Outcome(0, applied=False, path=path, reason=reason, error=error.with_details(**facts))
    return Plan(False, (outcome,), ChangeSet(), (), source)
