"""What a guard is: a pure check between plan and commit, which may refuse what the edits would do.

A guard is one file in this folder that ends with `GUARD = Guard(…)`; the folder is the registry, the rank the order.
A guard sees data only: it reads no file, changes nothing, and knows no other guard.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.text.source import Source

Stage = Literal["request", "edit", "file"]


@dataclass(frozen=True, slots=True)
class GuardedEdit:
    """What one edit takes away and what it writes; `old` is what it quotes until the place is known."""

    index: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class GuardInput:
    """Everything a guard may look at.

    `before` is None for a file that is not there yet; `after` is None until the whole file is planned.
    `after_source` is the text after with whatever has been read of it.
    """

    path: str | None
    before: str | None
    after: str | None
    edits: tuple[GuardedEdit, ...]
    policy: Policy
    is_whole_write: bool = False
    allow_shrink: bool = False
    after_source: Source | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a guard refuses; or, as a warning, what it would have a person know."""

    kind: Kind
    message: str
    hint: str
    details: Mapping[str, object] = field(default_factory=dict)
    is_warning: bool = False

    def to_error(self, guard: str) -> EditError:
        return EditError(self.kind, self.message, hint=self.hint, details={**self.details, "guard": guard})


@dataclass(frozen=True, slots=True)
class Guard:
    """One check. `stage` says when: on the request as it came, on each edit once its place is known, or on the file."""

    name: str
    rank: int
    stage: Stage
    summary: str
    check: Callable[[GuardInput], Finding | None]


@cache
def guards() -> tuple[Guard, ...]:
    """Every guard, in the order they are asked."""
    from steadyhand.plan import guards as folder

    found: list[Guard] = []
    for module in pkgutil.iter_modules(folder.__path__):
        if module.name != "guard":
            found.append(importlib.import_module(f"{folder.__name__}.{module.name}").GUARD)
    return tuple(sorted(found, key=lambda guard: guard.rank))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guards of a stage say: the first objection as the refusal it becomes, and warnings."""

    refusal: EditError | None = None
    warnings: tuple[str, ...] = ()


def ask_guards(stage: Stage, given: GuardInput) -> Verdict:
    """What the guards of that stage say that the policy wants; none is asked after the first objection."""
    warnings: list[str] = []
    for guard in guards():
        if guard.stage == stage and given.policy.wants_guard(guard.name):
            finding = guard.check(given)
            if finding is not None and not finding.is_warning:
                return Verdict(finding.to_error(guard.name))
            if finding is not None:
                warnings.append(finding.message)
    return Verdict(warnings=tuple(warnings))
