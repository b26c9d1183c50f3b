"""Plans of edits that are laid more than once: when they are asked for, and again when the transaction goes through.

A plan is a function of the text, the edits and the rules alone, so where all of these are the same it is not made
again. What was planned is kept without the text after: that is put together from the change set, and what somebody
has read of it ends with the overlay that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steadyhand.lazy import dataclass, field, replace
from steadyhand.plan.edit import Edit
from steadyhand.plan.outcome import Plan
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_NO_TEXT = Source.of_text("")


@dataclass(frozen=True, slots=True)
class Terms:
    """The rules edits are planned by, and what is known where they are."""

    policy: Policy
    path: str | None
    reason: str | None
    seen: tuple[Span, ...] | None


@dataclass(frozen=True, slots=True)
class _Version:
    """Which text a source has: two of one digest and encoding differ in length, by escaped bytes that were joined."""

    digest: str
    encoding: Encoding
    length: int

    @classmethod
    def of(cls, source: Source) -> _Version:
        return cls(source.digest, source.encoding, source.length)


@dataclass(frozen=True, slots=True)
class _Kept:
    edits: Sequence[Edit]
    terms: Terms
    version: _Version
    plan: Plan


@dataclass(slots=True)
class Plans:
    """What was planned so far, by the edits themselves: the same objects on the same text by the same terms."""

    _kept: dict[int, _Kept] = field(default_factory=dict)

    def of(self, source: Source, edits: Sequence[Edit], terms: Terms, tick: Callable[[], None] | None) -> Plan:
        """The plan of some edits, as it was made before or made now."""
        kept = self._kept.get(id(edits))
        if kept is not None and kept.terms == terms and kept.version == _Version.of(source):
            return replace(kept.plan, after=source.apply(kept.plan.changes))
        path, reason, seen = terms.path, terms.reason, terms.seen
        made = plan(source, edits, terms.policy, path=path, reason=reason, seen=seen, tick=tick)
        if made.ok and made.changes:
            self._kept[id(edits)] = _Kept(edits, terms, _Version.of(source), replace(made, after=_NO_TEXT))
        return made
