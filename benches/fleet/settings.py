"""What one run of the fleet is: everything that the schedule follows from. Pure values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

MISBEHAVIOUR = ("stale", "crash", "pause", "skew")
_OWN_WORKSPACES = 64  # each holds a connection and a few file handles


@dataclass(frozen=True, slots=True)
class Fleet:
    """So many agents with so many tasks each on so many files.

    `overlap` is the probability that an agent goes for the region that everybody goes for. `store` is `sqlite` or the
    URL of a PostgreSQL journal. With `processes` 0 the agents take turns in this process, as the seed says.
    """

    agents: int = 12
    files: int = 5
    tasks: int = 2
    overlap: float = 0.4
    store: str = "sqlite"
    seed: int = 1
    misbehave: frozenset[str] = field(default_factory=lambda: frozenset(MISBEHAVIOUR))
    processes: int = 0
    kills: int = 3

    def __post_init__(self) -> None:
        unknown = self.misbehave - set(MISBEHAVIOUR)
        if unknown:
            raise ValueError(f"misbehaviour is some of {', '.join(MISBEHAVIOUR)}, not {', '.join(sorted(unknown))}")
        if min(self.agents, self.files, self.tasks) < 1 or not 0 <= self.overlap <= 1:
            raise ValueError("at least one agent, file and task; an overlap from 0 to 1")

    @property
    def journal(self) -> str | None:
        """What a workspace is opened with."""
        return None if self.store == "sqlite" else self.store

    @property
    def store_name(self) -> str:
        """The store without whatever its URL gives away."""
        return "sqlite" if self.journal is None else "postgresql"

    def actor_of(self, agent: int) -> str:
        """An agent's name as the journal has it; a large fleet shares some names, its tasks tell agents apart."""
        return f"agent-{agent % _OWN_WORKSPACES}"

    def crew_of(self, worker: int) -> list[int]:
        """The agents of one process."""
        return list(range(worker, self.agents, max(self.processes, 1)))

    def misbehaves(self, how: str) -> bool:
        return how in self.misbehave

    def to_json(self) -> dict[str, object]:
        return {**asdict(self), "misbehave": sorted(self.misbehave)}

    @classmethod
    def from_json(cls, data: dict[str, object]) -> Fleet:
        given = dict(data)
        given["misbehave"] = frozenset(str(each) for each in given["misbehave"])  # type: ignore[attr-defined]
        return cls(**given)  # type: ignore[arg-type]
