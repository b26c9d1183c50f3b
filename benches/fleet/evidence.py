"""What the oracle judges by, and what it says: plain values, so that a doctored history can be put before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benches.fleet.ledger import Said
from steadyhand.workspace.journal.record import Entry


@dataclass(frozen=True, slots=True)
class Evidence:
    """The journal's committed records (oldest first), what the agents said, and the tree at first and in the end.

    `deaths` is how many processes were killed or died; `image` gives a whole file that the journal kept.
    """

    entries: Sequence[Entry]
    said: Sequence[Said]
    initial: dict[str, str]
    final: dict[str, str]
    deaths: int = 0
    image: Callable[[str], bytes | None] = field(default=lambda _: None)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A promise that was not kept, and where to look: the agent, its task and step."""

    rule: str
    what: str
    agent: int | None = None
    task: int | None = None
    step: int | None = None

    @classmethod
    def at(cls, line: Said, rule: str, what: str) -> Disagreement:
        return cls(rule, what, line["agent"], line["task"], line["step"])

    def __str__(self) -> str:
        where = "" if self.agent is None else f" (agent {self.agent}, task {self.task}, step {self.step})"
        return f"{self.rule}: {self.what}{where}"
