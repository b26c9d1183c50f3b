"""A snippet brought into a file: its literal runs anchored, what its marks stand for kept.

Pure, and never raises: a snippet that cannot be merged with certainty is an outcome with its refusal. A mark never
comes into the file, and nothing that the snippet does not show is ever taken away at the file's ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError
from steadyhand.lazy import replace
from steadyhand.match.lexis import lexis_of
from steadyhand.match.tier import tier_named
from steadyhand.plan import refusals
from steadyhand.plan.anchoring import Placed, place_runs
from steadyhand.plan.edit import Edit, Insert, Replace
from steadyhand.plan.outcome import Outcome, Plan
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.snippet_compare import VisibleRows, key_of
from steadyhand.plan.snippet_edits import edits_of
from steadyhand.plan.snippet_gaps import kept_of
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rows import read_snippet
from steadyhand.structure.lines import Lines
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source

__all__ = ["plan_merge"]

_FEW = 6  # lines that are missing at one end of a snippet which may be meant as the whole file
# Languages in which a row that is only indented otherwise still says the same.
_FREE = frozenset("c css dart go hcl java javascript json lua markup php ruby shell sql swift toml".split())


def plan_merge(
    source: Source, snippet: str, policy: Policy, *, path: str | None = None, reason: str | None = None
) -> Plan:
    """What a snippet would make of a file. All of it or nothing, whatever the policy says of parts.

    >>> source = Source.of_text("a = 1\\nbeta = 2\\ncopy = 3\\ndelta = 4\\n")
    >>> plan_merge(source, "# ...\\nbeta = 2\\ncopy = 5\\ndelta = 4\\n", Policy()).after.text
    'a = 1\\nbeta = 2\\ncopy = 5\\ndelta = 4\\n'
    """
    name = path or "the text"
    try:
        if source.is_binary:
            raise refusals.not_text(name)
        edits, tier = _edits(source, snippet, policy, name)
    except EditError as error:
        return _refused(source, error, path, reason)
    made = plan(source, edits, replace(policy, batch="snapshot", partial=False), path=path, reason=reason)
    if tier == "exact" and not _holds(made.after, snippet):
        tier = "whitespace"  # blank lines that the snippet has otherwise stay as the file has them
    return replace(made, outcomes=tuple(_told(outcome, tier) for outcome in made.outcomes))


def _edits(source: Source, snippet: str, policy: Policy, name: str) -> tuple[list[Edit], str]:
    """The edits, and the tier that overlooks what had to be overlooked."""
    lexis, found = lexis_of(source.path), read_snippet(snippet)
    if not found.runs:
        raise refusals.no_change(name, "the snippet has no line that says something")
    key = key_of(policy, lexis)
    file = VisibleRows(source.lines, key)
    refuse = Refusals(name, source, file)
    if not len(file) and not found.has_marks:
        return [_filled(source, snippet)], "exact"
    placed = place_runs(file, found.runs, key, refuse)
    if not found.has_marks and len(placed) == 1:
        _check_extent(placed[0], file, refuse)
    edits = edits_of(placed, file, refuse, is_sensitive=lexis.name not in _FREE)
    if not edits:
        raise refusals.no_change(name, "every line of the snippet stands in the file as it is")
    return edits, "elision" if found.has_marks else _tier(placed, file)


def _holds(after: Source, snippet: str) -> bool:
    """Whether the lines of a snippet stand in a text as they are."""
    wanted = "\n".join(split_bodies(snippet)).strip("\n")
    return wanted in "\n".join(after.lines)


def _check_extent(placed: Placed, file: VisibleRows, refuse: Refusals) -> None:
    """Without marks, a file but for a few lines at one end may be the file or a part of it."""
    missing = placed.start + len(file) - placed.end
    if (placed.start == 0) != (placed.end == len(file)) and missing <= min(_FEW, len(file) // 4):
        raise refuse.cut_off(placed.run, placed.start, placed.end)


def _filled(source: Source, snippet: str) -> Edit:
    """A file without a word in it becomes the snippet."""
    text = "".join(f"{row}\n" for row in split_bodies(snippet))
    if not source.text:
        return Insert(Lines(1, 0), text, where="before")
    return Replace(Lines(1, source.line_count), text)


def _tier(placed: Sequence[Placed], file: VisibleRows) -> str:
    pairs = [(run.rows.texts[row], file.texts[place]) for run in placed for row, place in kept_of(run, file)]
    if all(ours == theirs for ours, theirs in pairs):
        return "exact"
    return "whitespace" if all(ours.split() == theirs.split() for ours, theirs in pairs) else "typography"


def _told(outcome: Outcome, tier: str) -> Outcome:
    """The outcome of an edit by lines, told by how the lines were found."""
    if not outcome.applied:
        return outcome
    known = tier_named(tier)
    return replace(outcome, tier=tier, confidence=known.confidence, differs=known.differs)


def _refused(source: Source, error: EditError, path: str | None, reason: str | None) -> Plan:
    facts: dict[str, object] = {"index": 0} if path is None else {"index": 0, "path": path}
    outcome = Outcome(0, applied=False, path=path, reason=reason, error=error.with_details(**facts))
    return Plan(False, (outcome,), ChangeSet(), (), source)
