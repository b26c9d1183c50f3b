"""The settings of a run, and how a person takes part in it: choosing articles and judging the model's edits."""

from __future__ import annotations

from typing import Literal, Protocol

from steadyhand.agents.impact.prompt import Budget
from steadyhand.agents.runner import Limits
from steadyhand.articles.checks import Finding
from steadyhand.articles.search import Flagged
from steadyhand.lazy import dataclass, field
from steadyhand.session.checks import amount, names

__all__ = ["Choice", "Edited", "ImpactSettings", "Proposal", "Remark", "Reviewer", "Verdict"]

Choice = Literal["update", "skip", "quit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactSettings:
    """What a run looks at, and how far it goes. `label` is a name by which whoever started the run finds it again."""

    base: str | None = None
    uncommitted: bool = False
    docs: tuple[str, ...] = ()
    mentions: bool = False
    jobs: int = 2
    limit: int | None = None
    dry_run: bool = False
    allow_new: bool = False
    propagate: bool = True
    max_depth: int = 5
    again: bool = False
    label: str | None = None
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        names(self.docs, "docs")
        for name in ("jobs", "max_depth"):
            amount(getattr(self, name), name)

    def to_json(self) -> dict[str, object]:
        """What the record keeps of them."""
        return {
            "docs": list(self.docs),
            "mentions": self.mentions,
            "uncommitted": self.uncommitted,
            "jobs": self.jobs,
            "limit": self.limit,
            "allowNew": self.allow_new,
            "propagate": self.propagate,
            "maxDepth": self.max_depth,
            "maxTurns": self.limits.turns,
            "maxTokens": self.limits.tokens,
            "maxSeconds": self.limits.seconds,
        }


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model would make of an article, for a person to judge. `may_remark`: a remark goes back to the model."""

    flagged: Flagged
    before: str
    after: str
    patch: str
    reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    may_remark: bool


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person says to a proposal instead of accepting it."""

    text: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The text that a person made of a proposal."""

    text: str


Verdict = Literal["accept", "reject"] | Remark | Edited


class Reviewer(Protocol):
    """The person who decides, article by article."""

    def choose(self, flagged: Flagged, number: int, total: int) -> Choice: ...

    def judge(self, proposal: Proposal) -> Verdict: ...
