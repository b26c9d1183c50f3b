"""How strict an edit is: one frozen value that every call may carry.

Only settings live here, each checked when the value is made; no setting acts by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from steadyhand.lazy import LazyModule, dataclass, fields
from steadyhand.plan.edit import check_occurrence
from steadyhand.schema import bad_request, nearest_name
from steadyhand.text.match import Occurrence

if TYPE_CHECKING:
    from steadyhand.match import tier as tiers
    from steadyhand.plan import guards as known_guards
else:  # a policy that names neither is made at every start
    tiers, known_guards = LazyModule("steadyhand.match.tier"), LazyModule("steadyhand.plan.guards")

_CHOICES: dict[str, tuple[str, ...]] = {
    "batch": ("sequential", "snapshot"),
    "on_stale": ("refuse", "rebase"),
    "on_drift": ("refuse", "merge", "new"),
    "on_conflict": ("refuse", "skip", "force"),
    "on_lease": ("tell", "refuse"),
    "already": ("refuse", "skip"),
    "backup": ("journal", "bak"),
    "hardlinks": ("in-place", "break", "refuse"),
    "newlines": ("file", "literal"),
}
_FLAGS = ("partial", "require_reason")


@dataclass(frozen=True, slots=True)
class Policy:
    """What an edit may do.

    `tier`          the laxest tier old text may be found at; None: every tier there is
    `occurrence`    which place is meant where old text matches several times
    `batch`         `sequential`: each edit sees the text the edits before it left; `snapshot`: all see the original
    `partial`       apply the edits that can be applied when others are refused
    `guards`        names of the guards that look at the result; None: all but those that must be asked for
    `on_lease`      `tell`: the answer says that another has announced its work there; `refuse`: the edit is refused
    `hardlinks`     for a file with several names, some perhaps outside the workspace: `refuse` to change it; `break`:
                    this name gets a new file, the others keep the old text; `in-place`: all names show the new text
    `newlines`      `file`: a bare LF in new text becomes its neighbours' line ending; `literal`: it stays

    >>> Policy(occurrence="first").batch
    'sequential'
    """

    tier: str | None = None
    occurrence: Occurrence = "unique"
    batch: Literal["sequential", "snapshot"] = "sequential"
    partial: bool = False
    require_reason: bool = False
    on_stale: Literal["refuse", "rebase"] = "refuse"
    on_drift: Literal["refuse", "merge", "new"] = "refuse"
    on_conflict: Literal["refuse", "skip", "force"] = "refuse"
    on_lease: Literal["tell", "refuse"] = "tell"
    already: Literal["refuse", "skip"] = "refuse"
    guards: frozenset[str] | None = None
    backup: Literal["journal", "bak"] = "journal"
    hardlinks: Literal["in-place", "break", "refuse"] = "refuse"
    newlines: Literal["file", "literal"] = "file"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            _check_choice(getattr(self, name), name, choices)
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise bad_request(f"policy.{name}", "true or false is expected")
        if self.tier is not None:
            _check_choice(self.tier, "tier", tiers.step_names())
        if check_occurrence(self.occurrence, "policy.occurrence") is None:
            raise bad_request("policy.occurrence", "a value is expected, not null")
        if self.guards is not None:
            self._check_guards()

    def _check_guards(self) -> None:
        if isinstance(self.guards, str) or not isinstance(self.guards, frozenset | set | tuple | list):
            raise bad_request("policy.guards", "a set of names is expected")
        object.__setattr__(self, "guards", frozenset(self.guards))
        known = tuple(guard.name for guard in known_guards.GUARDS)
        for name in self.guards:
            _check_choice(name, "guards", known)

    def wants_guard(self, name: str) -> bool:
        """Whether the guard of that name looks at edits under this policy."""
        return name in known_guards.usual_guards() if self.guards is None else name in self.guards

    def to_json(self) -> dict[str, object]:
        """The settings that differ from the usual ones."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        usual = {item.name: item.default for item in fields(self)}
        data = {name: value for name, value in values.items() if value != usual[name]}
        return data | ({"guards": sorted(self.guards)} if self.guards is not None else {})


def _check_choice(value: object, name: str, choices: tuple[str, ...]) -> None:
    if isinstance(value, str) and value in choices:
        return
    near = nearest_name(value, choices) if isinstance(value, str) else None
    hint = f"did you mean {near!r}?" if near else f"one of {', '.join(choices)}"
    raise bad_request(f"policy.{name}", f"{str(value)[:40]!r} is not among {', '.join(choices)}", hint)


USUAL = Policy()
"""What holds where a call says nothing."""
